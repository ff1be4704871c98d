/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A description means the same as a tree and as values. The test reads both and compares them. */

#include "device/scan.h"
#include "fake/fake-parts.h"
#include "fake/fake-snapshot.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>

static struct scene scene;

/* A driver that lists only the types that it would make now does not tell the other types. */
static void
compare_types(const struct inventory_gpu *told, const struct inventory_gpu *read)
{
    assert_true(read->is_partial || read->type_count == told->type_count);
    for (size_t i = 0; i < read->type_count; i++) {
        const struct inventory_type *type = &read->types[i];
        const struct inventory_type *same = inventory_find_type(told, &type->id);

        if (!same)
            fail_msg("%s has %s", read->name.text, type->id.text);
        if (type->max_source != LIMIT_CALCULATED)
            assert_int_equal(same->max, type->max);
        /* The name of a type with a vGPU may be unknown. In a tree only the name tells the slices
         * of a type. */
        if (type->ceiling && type->slices == same->slices)
            assert_int_equal(same->ceiling, type->ceiling);
        if (type->framebuffer)
            assert_int_equal(same->framebuffer, type->framebuffer);
    }
}

static void
compare_parents(const struct inventory *told, const struct inventory *read)
{
    assert_int_equal(told->parent_count, read->parent_count);
    for (size_t i = 0; i < read->parent_count; i++) {
        const struct inventory_parent *parent = read->parents[i];
        const struct inventory_parent *same = inventory_find_parent(told, &parent->name);

        assert_non_null(same);
        assert_true(name_equal(&parent->gpu->name, &same->gpu->name));
        assert_ptr_equal(parent->interface, same->interface);
        for (size_t t = 0; t < parent->gpu->type_count; t++) {
            const struct place place = {same,
                                        inventory_find_type(same->gpu, &parent->gpu->types[t].id)};

            if (parent->available[t] != place_available(&place))
                fail_msg("%s has %d %s, not %d", parent->name.text, parent->available[t],
                         place.type->id.text, place_available(&place));
        }
    }
}

static void
compare(const char *machine)
{
    AUTO(fake_snapshot_clear) struct fake_snapshot snapshot;
    AUTO(inventory_clear) struct inventory read = {0};
    const struct inventory *told = &snapshot.inventory;
    struct error error;

    scene_start(&scene, machine);
    fake_snapshot_make(&snapshot, machine);
    assert_int_equal(scan_host(&scene.kernel.host, NULL, &inventory_all_types, &read, &error), 0);
    assert_int_equal(told->gpu_count, read.gpu_count);
    for (size_t i = 0; i < read.gpu_count; i++) {
        const struct inventory_gpu *gpu = read.gpus[i];
        const struct inventory_gpu *same = inventory_find_gpu(told, &gpu->name);

        assert_non_null(same);
        assert_int_equal(same->numa, gpu->numa);
        assert_int_equal(same->is_partial, gpu->is_partial);
        assert_int_equal(same->instances, gpu->instances);
        compare_types(same, gpu);
    }
    compare_parents(told, &read);
    assert_int_equal(told->vgpu_count, read.vgpu_count);
    for (size_t i = 0; i < read.vgpu_count; i++) {
        const struct inventory_vgpu *same = inventory_find_vgpu(told, &read.vgpus[i]->device);

        assert_non_null(same);
        assert_true(name_equal(&same->type, &read.vgpus[i]->type));
        assert_true(name_equal(&same->parent->name, &read.vgpus[i]->parent->name));
    }
    scene_stop(&scene);
}

UNIT_TEST(real_machines)
{
    AUTO(words_clear) struct words machines = {0};

    scene_list_machines(&machines);
    for (size_t i = 0; i < machines.count; i++) {
        AUTO_FREE char *path = NULL, *text = NULL;

        assert_true(asprintf(&path, "%s/tests/machines/%s", scene_sources(), machines.items[i]) >
                    0);
        text = scene_read(path);
        compare(text);
    }
}

UNIT_TEST(types_in_short_and_vgpus)
{
    compare("gpu 0000:18:00.0 numa 1 X-1:1024:4 X-2:2048:2\n"
            "foreign 1 X-1 0000:18:00.0\nforeign 2 X-1 0000:18:00.0\n");
    compare("gpu 0000:18:00.0 vfs 3 X-1:1024:2 X-2:2048:2\nforeign 1 X-2 0000:18:00.5\n");
    compare("gpu m rule pool 5 M-1/1 M-2/2\nforeign 1 M-2 m\n");
    compare("gpu 0000:3d:00.0 vf vfs 3 board \"NVIDIA L40S\"\nforeign 1 L40S-8Q 0000:3d:00.5\n");
    compare("gpu 0000:af:00.0 vf vfs 3 rule mixed memory 24576 board \"NVIDIA L4\"\n"
            "foreign 1 L4-2Q 0000:af:00.4\nforeign 2 L4-12Q 0000:af:00.5\n");
}

#define POOLS "0000:c1:00"

/* Members of pools exist in snapshots only. In a tree, vgpu.conf and tags say which functions are
 * members. */
UNIT_TEST(members_of_pools)
{
    AUTO(fake_snapshot_clear) struct fake_snapshot snapshot;
    AUTO(inventory_clear) struct inventory read = {0};
    char *one[] = {(char *)POOLS ".4"}, *others[] = {(char *)POOLS ".[56]"};
    struct policy_pool pools[] = {
        {.name = (char *)"big", .functions = {one, 1}, .framebuffer = 8192},
        {.name = (char *)"small", .functions = {others, 1}},
    };
    const struct policy policy = {.pools = pools, .pool_count = COUNT(pools)};
    struct error error;

    scene_start(&scene, "pci " POOLS ".0 driver gim\npci " POOLS ".4 physfn " POOLS ".0\n"
                        "pci " POOLS ".5 physfn " POOLS ".0\npci " POOLS ".6 physfn " POOLS ".0\n");
    fake_put(scene.kernel.host.root, NULL, "run/libvirt-vgpu/functions/");
    fake_put_link(scene.kernel.host.root, "small", "run/libvirt-vgpu/functions/" POOLS ".5");
    assert_int_equal(scan_host(&scene.kernel.host, &policy, &inventory_all_types, &read, &error),
                     0);
    fake_snapshot_make(&snapshot, "gpu " POOLS ".0 lent vfs 3\n"
                                  "type big \"big\" framebuffer 8192\ntype small \"small\"\n"
                                  "member " POOLS ".4 big\nmember " POOLS ".5 small\n"
                                  "member " POOLS ".6 small\nforeign 1 small " POOLS ".5\n");
    assert_int_equal(read.gpu_count, 1);
    assert_int_equal(read.gpus[0]->type_count, 2);
    compare_types(snapshot.inventory.gpus[0], read.gpus[0]);
    compare_parents(&snapshot.inventory, &read);
    for (size_t i = 0; i < read.parent_count; i++)
        assert_true(read.parents[i]->is_separate && snapshot.inventory.parents[i]->is_separate);
    for (size_t i = 0; i < read.gpus[0]->type_count; i++)
        assert_true(read.gpus[0]->types[i].is_configured &&
                    snapshot.inventory.gpus[0]->types[i].is_configured);
    assert_int_equal(read.vgpu_count, 1);
    assert_int_equal(snapshot.inventory.vgpu_count, 1);
    assert_true(name_equal(&read.vgpus[0]->device, &snapshot.inventory.vgpus[0]->device));
    scene_stop(&scene);
}
