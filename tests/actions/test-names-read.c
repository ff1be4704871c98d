/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A type's name is in a file. It is read once a boot. If one card has told a type's name, the name
 * is not read from other cards of the same model. */

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
#define TEST(function) SCENE_TEST(function, here)

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

/* The first look reads the name of each type, of one of eight cards. Later ones read none, whatever
 * they compare: a name, an id that no GPU has, or a rule of vgpu.conf. */
TEST(a_name_is_read_once)
{
    assert_int_equal(start(1, ID, 0), types);
    assert_true(is_on(1, FIRST));
    assert_int_equal(start(2, NAME, 0), 0);
    assert_int_equal(start(3, "nvidia-999", 1), 0);
    scene_assert_said(&scene, "which no GPU here has");
    assert_int_equal(start(3, "T4-9B", 1), 0);
    scene_assert_said(&scene, "(did you mean T4-");
    scene_configure(&scene, "gpus = ( { address = \"" FIRST "\"; types = [ \"T4-2B\" ]; },\n"
                            "         { address = \"" SECOND "\"; types = [ \"" ID "\" ]; } );\n");
    assert_int_equal(start(3, ID, 0), 0);
    assert_true(is_on(3, SECOND));
}

/* The driver is another one by now, so the names are read anew. */
TEST(another_driver_is_asked)
{
    assert_int_equal(start(1, ID, 0), types);
    assert_int_equal(start(2, ID, 0), 0);
    fake_bind(&scene.kernel, FIRST, "other");
    assert_int_equal(start(3, ID, 0), types);
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
TEST(a_name_is_told_for_all_cards_of_the_model)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};

    assert_string_equal(name_on_second(&snapshot, ""), "GRID T4-1B");
    assert_string_equal(name_on_second(&snapshot, "device 1db6"), ID);
}
