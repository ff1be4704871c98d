/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults/stage.h"
#include "lease/ledger.h"
#include "lease/statedir.h"

#include <stdio.h>
#include <string.h>

/* Prints the remaining vGPUs and leases, for a single case that is played again. */
static void
show(const struct stage *stage)
{
    const struct host host = {.root = stage->scene.kernel.host.root, .ops = &host_kernel};
    AUTO_FREE char *said = stage_said(stage);
    char text[8192];

    if (host_read(&host, text, sizeof(text), "run/libvirt-vgpu/ledger") > 0)
        fprintf(stderr, "%s\n", text);
    fprintf(stderr, "%s%s\n", said, stage->complaint);
}

void
stage_complain(struct stage *stage, const char *format, ...)
{
    va_list args;

    if (*stage->complaint)
        return;
    va_start(args, format);
    vsnprintf(stage->complaint, sizeof(stage->complaint), format, args);
    va_end(args);
    if (stage->record->shown)
        show(stage);
}

/* Returns how many leases a device has, and the last of them. */
static size_t
find_leases(const struct ledger *ledger, const char *device, const struct lease **ret)
{
    size_t count = 0;

    for (size_t i = 0; i < ledger->count; i++) {
        if (!strcmp(ledger->leases[i].vgpu.device.text, device)) {
            *ret = &ledger->leases[i];
            count++;
        }
    }
    return count;
}

static unsigned
guest_of(const struct lease *lease)
{
    return (unsigned)strtoul(lease->domain.text + strlen("aaaaaaaa-0000-4000-8000-"), NULL, 10);
}

void
stage_expect(struct stage *stage, const char *device, unsigned guest)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    const struct lease *lease = NULL;
    const char *type = fake_type_of(&stage->scene.kernel, device);
    const char *wanted = !guest ? "" : strchr(device, ':') ? stage_shape->type : "mtty-2";
    struct error error;
    size_t count;

    if (statedir_peek(&stage->scene.kernel.host, &ledger, &error) < 0) {
        stage_complain(stage, "the ledger cannot be read: %s", error.text);
        return;
    }
    count = find_leases(&ledger, device, &lease);
    if (strcmp(type, wanted))
        stage_complain(stage, "%s is \"%s\", not \"%s\"", device, type, wanted);
    if (count != (guest > 0))
        stage_complain(stage, "%s has %zu leases", device, count);
    else if (guest && guest_of(lease) != guest)
        stage_complain(stage, "%s is guest %u's, not guest %u's", device, guest_of(lease), guest);
    else if (guest && !lease_is_in_use(lease))
        stage_complain(stage, "the lease of %s is %s", device, lease_state_name(lease->state));
}

void
stage_reconcile(struct stage *stage)
{
    int status = stage_command(stage, "vgpuctl reconcile");
    AUTO_FREE char *said = stage_said(stage);

    if (status != 0)
        stage_complain(stage, "reconcile exits with %d: %s", status, said);
    stage_expect(stage, stage_b, 3);
}

void
stage_expect_taken(struct stage *stage)
{
    if (stage_prepare(stage, 2) == 0)
        stage_complain(stage, "what guest 1 has is given to guest 2 as well");
    stage_expect(stage, stage_b, 3);
}

static void
expect_no_marks(struct stage *stage)
{
    static const char *const directories[] = {"released", "ran", "proving"};
    const struct host host = {.root = stage->scene.kernel.host.root, .ops = &host_kernel};

    for (size_t i = 0; i < COUNT(directories); i++) {
        AUTO(names_clear) struct names marks = {0};

        if (host_list(&host, &marks, "run/libvirt-vgpu/%s", directories[i]) < 0)
            continue;
        for (size_t k = 0; k < marks.count; k++) {
            if (!strstr(marks.items[k].text, "000000000003."))
                stage_complain(stage, "the mark %s is left", marks.items[k].text);
        }
    }
}

void
stage_expect_free(struct stage *stage)
{
    stage_expect(stage, stage_a, 0);
    stage_expect(stage, stage_v, 0);
    if (stage_prepare(stage, 2) != 0) {
        AUTO_FREE char *said = stage_said(stage);

        stage_complain(stage, "guest 2 does not get what is free: %s", said);
    }
    stage_expect(stage, stage_a, 2);
    stage_expect(stage, stage_v, 2);
    if (stage_release(stage, 2) != 0)
        stage_complain(stage, "the release of guest 2 fails");
    stage_expect(stage, stage_a, 0);
    stage_expect(stage, stage_v, 0);
    stage_expect(stage, stage_b, 3);
    if (fake_count(&stage->scene.kernel) != 1 || scene_leases(&stage->scene, "") != 1)
        stage_complain(stage, "at the end there are %zu vGPUs and %zu leases, not one",
                       fake_count(&stage->scene.kernel), scene_leases(&stage->scene, ""));
    expect_no_marks(stage);
}
