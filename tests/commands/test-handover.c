/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* QEMU's cpr-transfer hands the open vGPU to another process, and the first process ends. Nothing
 * of ours is removed meanwhile, and everybody is told who has it open. */

#include "actions/reconcile.h"
#include "cli/command.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HERE     "test:///default"
#define CARD     "0000:18:00.0"
#define FUNCTION "0000:3d:00.4"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = ""}, &typed};

static const struct row {
    const char *machine, *gpu, *device, *type;
} rows[] = {
    {"gpu " CARD " rule size\ntype nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n", CARD,
     "dddddddd-0000-4000-8000-000000000001", "T4-1B"},
    {"gpu 0000:3d:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n", "0000:3d:00.0", FUNCTION,
     "L40S-8Q"},
};

static void __attribute__((format(printf, 3, 4)))
expect(int status, const char *words, const char *format, ...)
{
    char line[256];
    const char *said;
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    typed_run(&scene, HERE, line, &typed);
    said = strstr(typed.printed, words) ? typed.printed : typed.faults;
    if (typed.status != status || !strstr(said, words))
        fail_msg("%s: %d: %s%s", line, typed.status, typed.printed, typed.faults);
}

/* While somebody has the vGPU open. */
static void
check(const struct row *row)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    struct error error;

    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    for (size_t i = 0; i < outcomes.count; i++)
        assert_int_not_equal(outcomes.items[i].outcome, OUTCOME_REMOVED);
    assert_int_equal(outcomes.failed, 0);
    expect(COMMAND_DONE, "guest1", "vgpuctl list -o DEVICE,DOMAIN %s", row->gpu);
    /* Even if libvirt does not know the guest. */
    typed_run(&scene, HERE, "vgpuctl reap", &typed);
    assert_null(strstr(typed.printed, " removed"));
    expect(COMMAND_BUSY, "is in use", "vgpuctl prove %s", row->gpu);
    assert_int_equal(fake_count(&scene.kernel), 1);
}

static void
hand_on(const struct row *row)
{
    const bool is_mdev = strcmp(row->device, FUNCTION);
    struct fake_guest guest, copy;
    pid_t first, second;
    char words[64];

    scene_stop(&scene);
    scene_start(&scene, row->machine);
    assert_int_equal(is_mdev ? scene_prepare(&scene, 1, 1, row->type)
                             : scene_prepare_at(&scene, 1, row->device, row->type),
                     0);
    guest = fake_open(&scene.kernel, row->device);
    copy = (struct fake_guest){.group = guest.group < 0 ? -1 : dup(guest.group),
                               .device = dup(guest.device),
                               .function = guest.function};
    first = fake_hand_over(&copy);
    second = fake_hand_over(&guest);
    check(row);
    fake_end(first);
    check(row);
    /* The guest ends for libvirt, and the second process still has the vGPU: it stays. */
    assert_int_equal(
        is_mdev ? scene_release(&scene, 1, 1) : scene_release_at(&scene, 1, row->device), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    snprintf(words, sizeof(words), "is in use by process %d", (int)second);
    expect(COMMAND_BUSY, words, "vgpuctl reap %s", row->device);
    fake_end(second);
    scene_reconcile(&scene);
    scene_assert_empty(&scene);
}

TYPED_TEST(another_process_goes_on, here)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        hand_on(&rows[i]);
}
