/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A type's name is in a file. A start reads as few names as its answer needs, and its answer does
 * not depend on that. If one card has told a type's name, the name is not read from other cards of
 * the same model. */

#include "actions/snapshot.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define MDEVS  "sys/class/mdev_bus/"
#define FIRST  "0000:18:00.0"
#define SECOND "0000:19:00.0"
#define ID     "nvidia-222"
#define NAME   "T4-1B"
#define OTHER  "nvidia-223" /* of another size than the request */

static struct scene scene;
static struct host_ops ops;
static ssize_t (*read_of_fake)(const struct host *host, const char *path, char *buffer,
                               size_t size);
static unsigned *names; /* names that a call read, in any of its processes */
static unsigned types;  /* of each GPU */

static ssize_t
read_and_count(const struct host *host, const char *path, char *buffer, size_t size)
{
    const char *slash = strrchr(path, '/');

    if (slash && !strcmp(slash, "/name"))
        __atomic_add_fetch(names, 1, __ATOMIC_SEQ_CST);
    return read_of_fake(host, path, buffer, size);
}

/* Eight T4. */
static void
set_up(void)
{
    AUTO(names_clear) struct names listed = {0};

    scene_start_machine(&scene, "t4x8");
    assert_int_equal(host_list(&scene.kernel.host, &listed, MDEVS FIRST "/mdev_supported_types"),
                     0);
    types = (unsigned)listed.count;
    assert_true(types > 10);
    names = mmap(NULL, sizeof(*names), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(names, MAP_FAILED);
    ops = *scene.kernel.host.ops;
    read_of_fake = ops.read;
    ops.read = read_and_count;
    scene.kernel.host.ops = &ops;
}

static void
tear_down(void)
{
    munmap(names, sizeof(*names));
}

static const struct scene_case here = {.scene = &scene, .begin = set_up, .end = tear_down};

/* Starts a guest with the device of the same number. Returns how many names the hook reads. */
static unsigned
start(unsigned guest, const char *type, int status)
{
    *names = 0;
    if (scene_prepare(&scene, guest, guest, type) != status)
        fail_msg("%s: %s", type, scene.said);
    return *names;
}

static bool
is_on(unsigned number, const char *gpu)
{
    return host_exists(&scene.kernel.host, MDEVS "%s/%s", gpu, scene_device(number));
}

/* The hook reads only the name of the requested type. The name may say that the type needs a GPU
 * instance. */
static void
an_id_needs_no_name_but_its_own(void **state)
{
    assert_int_equal(start(1, ID, 0), 1);
    assert_true(is_on(1, FIRST));
}

static void
a_name_is_compared_with_all(void **state)
{
    assert_int_equal(start(1, NAME, 0), types);
    assert_true(is_on(1, FIRST));
}

/* A refusal names the other types for people. If no GPU has the requested name, the hook has
 * already read the names of all GPUs. */
static void
an_id_that_no_gpu_has_needs_them_all(void **state)
{
    assert_int_equal(start(1, "nvidia-999", 1), types);
    scene_assert_said(&scene, "which no GPU here has");
    assert_int_equal(start(1, "T4-9B", 1), types);
    scene_assert_said(&scene, "(did you mean T4-");
}

static void
what_is_there_is_told_by_name(void **state)
{
    assert_int_equal(fake_make(&scene.kernel, SECOND, OTHER, scene_device(1)), 0);
    assert_int_equal(start(1, ID, 1), 2);
    scene_assert_said(&scene, "of type " OTHER " (GRID T4-");
    assert_int_equal(start(2, ID, 0), 2);
    assert_true(is_on(2, FIRST));
}

static void
a_rule_with_names_needs_those_of_its_gpu(void **state)
{
    scene_configure(&scene, "gpus = ( { address = \"" FIRST "\"; types = [ \"T4-2B\" ]; },\n"
                            "         { address = \"" SECOND "\"; types = [ \"" ID "\" ]; } );\n");
    assert_int_equal(start(1, ID, 0), types);
    assert_true(is_on(1, SECOND));
}

static void
a_quota_with_names_needs_them_all(void **state)
{
    static const char by_id[] = "classes = { small = { types = [ \"" ID "\" ]; }; };\n"
                                "quotas = ( { domains = [ \"*\" ]; class = \"small\"; max = 1; } "
                                ");\n";
    static const char by_name[] = "classes = { small = { types = [ \"" NAME "\" ]; }; };\n"
                                  "quotas = ( { domains = [ \"*\" ]; class = \"small\"; max = 1; } "
                                  ");\n";

    scene_configure(&scene, by_name);
    assert_int_equal(start(1, ID, 0), types);
    start(2, ID, 1);
    scene_assert_said(&scene, "quota");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_configure(&scene, by_id);
    assert_int_equal(start(1, ID, 0), 1);
    start(2, ID, 1);
    scene_assert_said(&scene, "quota");
}

static void
a_limit_with_names_needs_them_all(void **state)
{
    scene_configure(&scene, "max_instances = ( { types = [ \"" NAME "\" ]; max = 3; } );\n");
    assert_int_equal(start(1, ID, 0), types);
}

/* How many names are read to show the vGPUs, as `vgpuctl list` does. */
static unsigned
show(void)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    struct error error = {0};

    *names = 0;
    assert_int_equal(snapshot_take(&snapshot, &scene.kernel.host, &inventory_no_types, &error), 0);
    return *names;
}

static void
a_lease_whose_vgpu_is_gone_needs_them_all(void **state)
{
    assert_int_equal(start(1, ID, 0), 1);
    assert_in_range(show(), 0, 1);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    assert_int_equal(show(), types);
}

/* Returns the name of a type on the second of two cards. The second card itself tells no names. */
static const char *
name_on_second(struct snapshot *snapshot, const char *device)
{
    struct error error = {0};
    char machine[512];

    snprintf(machine, sizeof(machine),
             "gpu " FIRST " rule size\ntype " ID " \"GRID T4-1B\" framebuffer 1024 max 16\n"
             "gpu " SECOND " rule size %s\ntype " ID " \"\" framebuffer 1024 max 16 nameless\n",
             device);
    scene_stop(&scene);
    scene_start(&scene, machine);
    snapshot_clear(snapshot);
    assert_int_equal(snapshot_take(snapshot, &scene.kernel.host, &inventory_all_types, &error), 0);
    return snapshot->inventory.gpus[1]->types[0].name;
}

/* On another model the same id may be another type. */
static void
a_name_is_told_for_all_cards_of_the_model(void **state)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};

    assert_string_equal(name_on_second(&snapshot, ""), "GRID T4-1B");
    assert_string_equal(name_on_second(&snapshot, "device 1db6"), ID);
}

#define TEST(function) SCENE_TEST(function, here)

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(an_id_needs_no_name_but_its_own),
        TEST(a_name_is_compared_with_all),
        TEST(an_id_that_no_gpu_has_needs_them_all),
        TEST(what_is_there_is_told_by_name),
        TEST(a_rule_with_names_needs_those_of_its_gpu),
        TEST(a_quota_with_names_needs_them_all),
        TEST(a_limit_with_names_needs_them_all),
        TEST(a_lease_whose_vgpu_is_gone_needs_them_all),
        TEST(a_name_is_told_for_all_cards_of_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
