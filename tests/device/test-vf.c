/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The second row of vgpu_interfaces, on virtual functions that behave like NVIDIA's. */

#include "device/scan.h"
#include "device/vfio.h"
#include "device/vgpu.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CARD   "0000:3d:00.0"
#define FIRST  "0000:3d:00.4"
#define SECOND "0000:3d:00.5"
#define THIRD  "0000:3d:00.6"
#define TYPES                                                                                      \
    "type nvidia-55 \"NVIDIA L40S-1B\" framebuffer 1024 max 2\n"                                   \
    "type nvidia-1155 \"NVIDIA L40S-1Q\" framebuffer 1024 max 2\n"                                 \
    "type nvidia-1148 \"NVIDIA L40S-2Q\" framebuffer 2048 max 2\n"
#define MACHINE "gpu " CARD " vf vfs 4 rule size numa 1\n" TYPES

static struct fake_kernel fake;
static struct inventory inventory;

static int
teardown(void **state)
{
    inventory_clear(&inventory);
    fake_stop(&fake);
    return 0;
}

/* --- words ------------------------------------------------------------------------------------ */

static int
scan_by(const struct vgpu_interface *interface, const struct host *host)
{
    AUTO(names_clear) struct names devices = {0};

    assert_int_equal(host_list(host, &devices, "sys/bus/pci/devices"), 0);
    return vgpu_scan(interface, host, NULL, &inventory_all_types, &devices, &inventory);
}

static void
scan(void)
{
    inventory_clear(&inventory);
    assert_int_equal(scan_by(&vgpu_vf, &fake.host), 0);
}

static struct name
named(const char *text)
{
    struct name name;

    assert_int_equal(name_parse(&name, text), 0);
    return name;
}

static struct vgpu
function(const char *address, const char *type)
{
    struct vgpu vgpu = {.interface = &vgpu_vf, .device = named(address), .parent = named(address)};

    if (*type)
        vgpu.type = named(type);
    return vgpu;
}

static const struct inventory_type *
type_of(const char *id)
{
    struct name name = named(id);

    return inventory_find_type(inventory.gpus[0], &name);
}

/* How many vGPUs of a type a function says that it would make. */
static int
available(const char *address, const char *id)
{
    const struct inventory_type *type = type_of(id);

    assert_non_null(type);
    for (size_t i = 0; i < inventory.parent_count; i++) {
        const struct inventory_parent *parent = inventory.parents[i];

        if (!strcmp(parent->name.text, address))
            return parent->available[inventory_type_index(type)];
    }
    fail_msg("no parent %s", address);
    return 0;
}

/* --- scan ------------------------------------------------------------------------------------- */

#define TEST(name) UNIT_TEST_IN(name, NULL, teardown, NULL)

/* The host has one GPU, whatever the format of its list is. The other lines of the list are no
 * types. */
TEST(every_form_of_the_list)
{
    static const char *const forms[] = {"header", "plain", "name-first", "garbage", "proposal"};
    static const struct {
        const char *id, *name;
        unsigned framebuffer;
    } types[] = {{"nvidia-55", "NVIDIA L40S-1B", 1024},
                 {"nvidia-1155", "NVIDIA L40S-1Q", 1024},
                 {"nvidia-1148", "NVIDIA L40S-2Q", 2048}};

    for (size_t i = 0; i < COUNT(forms); i++) {
        char machine[512];

        snprintf(machine, sizeof(machine), "gpu " CARD " vf vfs 4 rule size list %s\n" TYPES,
                 forms[i]);
        fake_start(&fake, machine);
        scan();
        assert_int_equal(inventory.gpu_count, 1);
        assert_int_equal(inventory.parent_count, 4);
        assert_int_equal(inventory.vgpu_count, 0);
        if (inventory.gpus[0]->type_count != COUNT(types))
            fail_msg("%s: %zu types", forms[i], inventory.gpus[0]->type_count);
        for (size_t t = 0; t < COUNT(types); t++) {
            const struct inventory_type *type = type_of(types[t].id);

            assert_non_null(type);
            assert_string_equal(type->name, types[t].name);
            assert_int_equal(type->framebuffer, types[t].framebuffer);
            assert_int_equal(type->slices, 0);
            assert_int_equal(type->max, 0);
            for (size_t p = 0; p < 4; p++)
                assert_int_equal(available(inventory.parents[p]->name.text, types[t].id), 1);
        }
        if (i + 1 < COUNT(forms))
            fake_stop(&fake);
    }
}

TEST(the_gpu_is_the_physical_function)
{
    const struct inventory_gpu *gpu;

    fake_start(&fake, MACHINE);
    scan();
    gpu = inventory.gpus[0];
    assert_string_equal(gpu->name.text, CARD);
    assert_int_equal(gpu->numa, 1);
    assert_string_equal(gpu->vendor, "10de");
    assert_string_equal(gpu->device, "26b9");
    assert_string_equal(gpu->driver.text, "nvidia");
    assert_true(gpu->is_partial);
    for (size_t i = 0; i < inventory.parent_count; i++)
        assert_ptr_equal(inventory.parents[i]->interface, &vgpu_vf);
}

/* An A2 and an A16 have the same vendor and device. Their subsystems tell them apart, so neither
 * gets the other's types. Two boards of one model share their types. */
TEST(unlike_boards_share_no_types)
{
    static const char *const words[] = {"A16-", "A2-", "A16-"};
    struct error error;

    inventory_clear(&inventory);
    fake_start(&fake, "gpu 0000:3d:00.0 vf vfs 2 numa 0 board \"NVIDIA A16\"\n"
                      "gpu 0000:5e:00.0 vf vfs 2 numa 0 board \"NVIDIA A2\"\n"
                      "gpu 0000:9d:00.0 vf vfs 1 numa 0 board \"NVIDIA A16\"\n");
    assert_int_equal(fake_make(&fake, "0000:9d:00.4", "nvidia-715", NULL), 0);
    assert_int_equal(scan_host(&fake.host, NULL, &inventory_all_types, &inventory, &error), 0);
    assert_int_equal(inventory.gpu_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct inventory_gpu *gpu = inventory.gpus[i];

        assert_string_equal(gpu->device, "25b6");
        assert_int_equal(gpu->type_count, inventory.gpus[0]->type_count);
        for (size_t k = 0; k < gpu->type_count; k++)
            assert_non_null(strstr(gpu->types[k].name, words[i]));
    }
    assert_string_equal(inventory.gpus[1]->subsystem_vendor, "10de");
    assert_string_equal(inventory.gpus[1]->subsystem_device, "157e");
}

/* If a function has a type, its own list does not have this type. The other functions tell the
 * type's name, in whichever order they are read. If none does, the type's number is its name. */
TEST(set_types_are_named_from_siblings)
{
    static const char *const addresses[] = {FIRST, "0000:3d:00.7"};

    for (size_t i = 0; i < COUNT(addresses); i++) {
        fake_start(&fake, MACHINE);
        assert_int_equal(fake_make(&fake, addresses[i], "nvidia-1155", NULL), 0);
        scan();
        assert_int_equal(inventory.gpu_count, 1);
        assert_int_equal(inventory.vgpu_count, 1);
        assert_string_equal(inventory.vgpus[0]->device.text, addresses[i]);
        assert_string_equal(inventory.vgpus[0]->type.text, "nvidia-1155");
        assert_string_equal(inventory.vgpus[0]->parent->name.text, addresses[i]);
        assert_int_equal(inventory.gpus[0]->type_count, 2);
        assert_string_equal(type_of("nvidia-1155")->name, "NVIDIA L40S-1Q");
        assert_int_equal(type_of("nvidia-1155")->framebuffer, 1024);
        assert_int_equal(available(addresses[i], "nvidia-1155"), 0);
        assert_int_equal(available(addresses[i], "nvidia-55"), 0);
        assert_int_equal(available(SECOND, "nvidia-1155"), 1);
        assert_int_equal(available(SECOND, "nvidia-55"), 1);

        assert_int_equal(fake_make(&fake, SECOND, "nvidia-1155", NULL), 0);
        scan();
        assert_int_equal(inventory.vgpu_count, 2);
        assert_int_equal(inventory.gpus[0]->type_count, 1);
        assert_string_equal(type_of("nvidia-1155")->name, "nvidia-1155");
        assert_int_equal(available(THIRD, "nvidia-1155"), 0);
        if (i + 1 < COUNT(addresses))
            fake_stop(&fake);
    }
}

/* Functions of one card may list different types. The card has all of them. */
TEST(types_are_those_of_all_functions)
{
    fake_start(&fake, "gpu " CARD " vf vfs 4 rule mixed memory 3072\n" TYPES);
    assert_int_equal(fake_make(&fake, SECOND, "nvidia-1148", NULL), 0);
    scan();
    assert_int_equal(inventory.gpus[0]->type_count, 3);
    assert_int_equal(available(FIRST, "nvidia-55"), 1);
    assert_int_equal(available(FIRST, "nvidia-1148"), 0);
    assert_int_equal(available(SECOND, "nvidia-55"), 0);
    assert_string_equal(inventory.vgpus[0]->type.text, "nvidia-1148");
}

/* It is visible that a card takes several sizes only by the types that it offers beside a vGPU. */
TEST(mixed_sizes_are_what_is_offered)
{
    static const struct {
        const char *rule;
        bool mixed;
    } table[] = {{"size", false}, {"type", false}, {"mixed memory 49152", true}};

    for (size_t i = 0; i < COUNT(table); i++) {
        struct error error = {0};
        char machine[512];

        snprintf(machine, sizeof(machine), "gpu " CARD " vf vfs 4 rule %s\n" TYPES, table[i].rule);
        fake_start(&fake, machine);
        assert_int_equal(scan_host(&fake.host, NULL, &inventory_all_types, &inventory, &error), 0);
        assert_true(inventory.gpus[0]->one_size);
        inventory_clear(&inventory);
        assert_int_equal(fake_make(&fake, FIRST, "nvidia-55", NULL), 0);
        assert_int_equal(scan_host(&fake.host, NULL, &inventory_all_types, &inventory, &error), 0);
        assert_int_equal(inventory.gpus[0]->one_size, !table[i].mixed);
        inventory_clear(&inventory);
        if (i + 1 < COUNT(table))
            fake_stop(&fake);
    }
}

/* Types of GPU instances. Their names tell their slices. They are offered while an instance is
 * free. */
TEST(gpu_instances)
{
    fake_start(&fake, "gpu " CARD " vf vfs 4 rule size mig device 20b7\n"
                      "type nvidia-687 \"NVIDIA A30-12C\" framebuffer 12288 max 2\n"
                      "type nvidia-689 \"NVIDIA A30-1-6C\" framebuffer 6144 max 4 instances 1\n"
                      "type nvidia-690 \"NVIDIA A30-2-12C\" framebuffer 12288 max 2 instances 1\n");
    scan();
    assert_int_equal(inventory.gpus[0]->type_count, 2);
    assert_int_equal(type_of("nvidia-689")->slices, 1);
    assert_int_equal(type_of("nvidia-689")->framebuffer, 6144);
    assert_int_equal(type_of("nvidia-690")->slices, 2);
    assert_int_equal(type_of("nvidia-690")->framebuffer, 12288);
    assert_string_equal(inventory.gpus[0]->device, "20b7");
    assert_int_equal(available(FIRST, "nvidia-689"), 1);

    /* A type of another size beside the vGPU does not mean that the card takes mixed sizes. */
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-689", NULL), 0);
    scan();
    assert_int_equal(available(SECOND, "nvidia-689"), 0);
    assert_int_equal(available(SECOND, "nvidia-690"), 1);
    assert_true(inventory.gpus[0]->one_size);

    fake_instances(&fake, CARD, "nvidia-690", 0);
    fake_instances(&fake, CARD, "nvidia-689", 0);
    assert_int_equal(fake_remove(&fake, FIRST), 0);
    fake_instances(&fake, CARD, "nvidia-689", 0);
    scan();
    assert_int_equal(inventory.gpus[0]->type_count, 0);
    assert_int_equal(inventory.parent_count, 4);
}

/* On a host with devices of all kinds, each interface finds its own devices. */
TEST(interfaces_do_not_mix)
{
    fake_start(&fake, MACHINE "gpu 0000:18:00.0 rule size board \"GRID T4\"\n"
                              "gpu 0000:19:00.0 rule size vfs 2 board \"NVIDIA A2\"\n"
                              "gpu mtty rule pool 24\ntype mtty-2 \"Dual port serial\" uses 2\n"
                              "pci 0000:00:1f.2 driver ahci\n"
                              "pci 0000:41:00.0 driver nvidia vendor 10de\n"
                              "pci 0000:41:00.4 driver vfio-pci physfn 0000:41:00.0\n"
                              "pci 0000:41:00.5 driver nvidia physfn 0000:41:00.0\n");
    scan();
    assert_int_equal(inventory.gpu_count, 1);
    assert_int_equal(inventory.parent_count, 4);
    inventory_clear(&inventory);
    assert_int_equal(scan_by(&vgpu_mdev, &fake.host), 0);
    assert_int_equal(inventory.gpu_count, 3);
    assert_int_equal(inventory.parent_count, 1 + 2 + 1);
}

/* A function that cannot be read does not hide the other functions. */
TEST(unreadable_lists)
{
    unsigned willing = 0, silent = 0;

    fake_start(&fake, "gpu " CARD " vf vfs 16 rule size\n" TYPES);
    fake.faults->unreadable = 3;
    scan();
    assert_int_equal(inventory.parent_count, 16);
    assert_int_equal(inventory.gpus[0]->type_count, 3);
    for (size_t i = 0; i < inventory.parent_count; i++) {
        willing += inventory.parents[i]->available[0] == 1;
        silent += inventory.parents[i]->available[0] <= 0;
        /* Then nothing is known about any type of this function. */
        for (size_t type = 1; type < 3; type++)
            assert_int_equal(inventory.parents[i]->available[type] < 0,
                             inventory.parents[i]->available[0] < 0);
    }
    assert_true(willing > 0 && silent > 0);
    assert_int_equal(willing + silent, 16);
}

TEST(few_opens)
{
    char machine[1024] = "";

    for (unsigned i = 0; i < 4; i++)
        snprintf(machine + strlen(machine), sizeof(machine) - strlen(machine),
                 "gpu 0000:%02x:00.0 vf vfs 64 rule size board \"NVIDIA L40S\"\n", 0x3d + i);
    fake_start(&fake, machine);
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-1145", NULL), 0);
    fake.faults->opens = 0;
    scan();
    assert_int_equal(inventory.parent_count, 256);
    assert_in_range(fake.faults->opens, 256, 3 * 256);
}

/* --- one function ----------------------------------------------------------------------------- */

static struct fake_guest guest;

static void
opened(void)
{
    guest = fake_open(&fake, FIRST);
    assert_true(guest.device >= 0);
}

static void
closed_just_now(void)
{
    fake.faults->exiting = 10000;
    opened();
    fake_close(&guest);
    guest.device = -1;
}

static void
full(void)
{
    assert_int_equal(fake_make(&fake, SECOND, "nvidia-55", NULL), 0);
    assert_int_equal(fake_make(&fake, THIRD, "nvidia-55", NULL), 0);
}

static void
other_size(void)
{
    assert_int_equal(fake_make(&fake, SECOND, "nvidia-1148", NULL), 0);
}

static void
refused(void)
{
    fake.faults->refuse = 1;
}

static void
rebound(void)
{
    fake_bind(&fake, FIRST, "vfio-pci");
    fake_bind(&fake, FIRST, "nvidia");
}

static void
gone_to_vfio(void)
{
    fake_bind(&fake, FIRST, "vfio-pci");
}

static void
driver_unloaded(void)
{
    fake_vanish(&fake, FIRST);
}

static void
resources_stuck(void)
{
    fake.faults->fail_at = 1;
    fake.faults->fail_with = EIO;
}

static int
make(const struct vgpu *vgpu)
{
    return vgpu_vf.make(&fake.host, vgpu);
}

static int
take_away(const struct vgpu *vgpu)
{
    return vgpu_vf.remove(&fake.host, vgpu);
}

static const struct host_ops *driver;

static int
write_and_fail(const struct host *host, const char *path, const char *text)
{
    assert_int_equal(driver->write(host, path, text), 0);
    return -EIO;
}

/* The driver reports an error although it has done the work. Only the state of the function
 * counts. */
TEST(done_all_the_same)
{
    const struct vgpu vgpu = {
        .interface = &vgpu_vf, .device = {FIRST}, .parent = {FIRST}, .type = {"nvidia-55"}};
    struct host_ops ops;

    fake_start(&fake, "gpu " CARD " vf vfs 4 rule size\n" TYPES);
    driver = fake.host.ops;
    ops = *driver;
    ops.write = write_and_fail;
    fake.host.ops = &ops;
    assert_int_equal(make(&vgpu), 0);
    assert_string_equal(fake_type_of(&fake, FIRST), "nvidia-55");
    assert_int_equal(take_away(&vgpu), 0);
    assert_string_equal(fake_type_of(&fake, FIRST), "");
    fake.host.ops = driver;
}

/* The answer of each operation of the interface, from every state. `writes` counts the writes that
 * reach the driver. */
TEST(every_row)
{
    static const struct {
        const char *from;
        void (*meanwhile)(void);
        int (*act)(const struct vgpu *vgpu);
        const char *type;
        int rc;
        unsigned writes;
        const char *to;
    } table[] = {
        {"", NULL, make, "nvidia-1155", 0, 1, "nvidia-1155"},
        {"", NULL, make, "nvidia-115", -EIO, 1, ""},
        {"", full, make, "nvidia-55", -EIO, 1, ""},
        {"", other_size, make, "nvidia-55", -EIO, 1, ""},
        {"", refused, make, "nvidia-55", -EIO, 1, ""},
        {"", rebound, make, "nvidia-55", -EINVAL, 1, ""},
        {"", gone_to_vfio, make, "nvidia-55", -ENOENT, 0, ""},
        {"", NULL, make, "mtty-55", -EINVAL, 0, ""},
        {"", NULL, make, "nvidia-0", -EINVAL, 0, ""},
        {"nvidia-1155", NULL, make, "nvidia-55", -EBUSY, 0, "nvidia-1155"},
        {"nvidia-1155", NULL, make, "nvidia-1155", -EBUSY, 0, "nvidia-1155"},
        {"nvidia-1155", opened, make, "nvidia-1155", -EBUSY, 0, "nvidia-1155"},
        {"nvidia-1155", NULL, take_away, "nvidia-1155", 0, 1, ""},
        {"nvidia-1155", opened, take_away, "nvidia-1155", -EBUSY, 1, "nvidia-1155"},
        {"nvidia-1155", closed_just_now, take_away, "nvidia-1155", -EBUSY, 1, "nvidia-1155"},
        {"nvidia-1155", resources_stuck, take_away, "nvidia-1155", -EIO, 1, "nvidia-1155"},
        {"nvidia-1155", NULL, take_away, "nvidia-55", -ENODEV, 0, "nvidia-1155"},
        {"nvidia-55", NULL, take_away, "nvidia-1155", -ENODEV, 0, "nvidia-55"},
        {"", NULL, take_away, "nvidia-1155", -ENODEV, 0, ""},
        {"nvidia-1155", gone_to_vfio, take_away, "nvidia-1155", -ENODEV, 0, ""},
        {"nvidia-1155", driver_unloaded, take_away, "nvidia-1155", -ENODEV, 0, ""},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        struct vgpu vgpu = function(FIRST, table[i].type);
        int rc;

        fake_start(&fake, MACHINE);
        guest = (struct fake_guest){-1, -1, NULL};
        if (*table[i].from)
            assert_int_equal(fake_make(&fake, FIRST, table[i].from, NULL), 0);
        if (table[i].meanwhile)
            table[i].meanwhile();
        rc = table[i].act(&vgpu);
        if (rc != table[i].rc || fake.faults->writes != table[i].writes ||
            strcmp(fake_type_of(&fake, FIRST), table[i].to))
            fail_msg("row %zu: %d, %u writes, now \"%s\"", i, rc, fake.faults->writes,
                     fake_type_of(&fake, FIRST));
        if (guest.device >= 0)
            fake_close(&guest);
        if (i + 1 < COUNT(table))
            fake_stop(&fake);
    }
}

/* Does the vGPU exist, and of which type is it? The same question is asked in four ways. */
TEST(find_look_prove)
{
    static const struct {
        const char *from;
        void (*meanwhile)(void);
        const char *type;
        int found;
        const char *seen; /* by find */
        enum vgpu_state look;
        int proved;
    } table[] = {
        {"nvidia-55", NULL, "nvidia-55", 0, "nvidia-55", VGPU_PRESENT, 0},
        {"nvidia-55", NULL, "", 0, "nvidia-55", VGPU_PRESENT, 0},
        {"nvidia-55", opened, "nvidia-55", 0, "nvidia-55", VGPU_PRESENT, -EBUSY},
        {"nvidia-55", NULL, "nvidia-1155", 0, "nvidia-55", VGPU_ABSENT, -ENODEV},
        {"nvidia-1155", NULL, "nvidia-55", 0, "nvidia-1155", VGPU_ABSENT, -ENODEV},
        {"", NULL, "nvidia-55", -ENOENT, "", VGPU_ABSENT, -ENODEV},
        {"", NULL, "", -ENOENT, "", VGPU_ABSENT, -ENODEV},
        {"nvidia-55", gone_to_vfio, "nvidia-55", -ENOENT, "", VGPU_ABSENT, -ENODEV},
        {"nvidia-55", driver_unloaded, "", -ENOENT, "", VGPU_ABSENT, -ENODEV},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        struct vgpu vgpu = function(FIRST, table[i].type), found;
        struct name gpu, type;
        int proof, proved;

        fake_start(&fake, MACHINE);
        guest = (struct fake_guest){-1, -1, NULL};
        if (*table[i].from)
            assert_int_equal(fake_make(&fake, FIRST, table[i].from, NULL), 0);
        if (table[i].meanwhile)
            table[i].meanwhile();
        if (vgpu_vf.find(&fake.host, &vgpu.device, &found, &gpu) != table[i].found ||
            vgpu_vf.state(&fake.host, &vgpu, &type) != table[i].look)
            fail_msg("row %zu: found \"%s\"", i, found.type.text);
        if (table[i].found == 0) {
            assert_string_equal(found.type.text, table[i].seen);
            assert_string_equal(found.parent.text, FIRST);
            assert_string_equal(gpu.text, CARD);
        }
        if (table[i].look == VGPU_PRESENT)
            assert_string_equal(type.text, table[i].seen);
        proved = vgpu_prove(&fake.host, &vgpu, &proof);
        if (proved != table[i].proved || (proof >= 0) != (proved == 0))
            fail_msg("row %zu: proved %d", i, proved);
        if (proof >= 0)
            close(proof);
        if (guest.device >= 0)
            fake_close(&guest);
        assert_int_equal(fake.faults->writes, 0);
        if (i + 1 < COUNT(table))
            fake_stop(&fake);
    }
}

/* The whole life of a vGPU, in the steps of the writer. */
TEST(from_make_to_remove)
{
    struct vgpu vgpu = function(FIRST, "nvidia-1155");
    struct name type;
    struct path directory, node;
    int proof;

    fake_start(&fake, MACHINE);
    assert_true(vgpu_is_wrong(&fake.host, &vgpu));
    assert_int_equal(vgpu_vf.make(&fake.host, &vgpu), 0);
    assert_false(vgpu_is_wrong(&fake.host, &vgpu));
    assert_int_equal(vgpu_vf.directory(&vgpu, &directory), 0);
    assert_int_equal(vfio_node(&fake.host, &directory, &node), 0);
    assert_true(host_exists(&fake.host, "%s", node.text));
    /* During the proof nobody can open the function. Even so its type can be removed. */
    assert_int_equal(vgpu_prove(&fake.host, &vgpu, &proof), 0);
    assert_int_equal(fake_open(&fake, FIRST).device, -EBUSY);
    assert_int_equal(vgpu_vf.remove(&fake.host, &vgpu), 0);
    close(proof);
    assert_int_equal(vgpu_vf.state(&fake.host, &vgpu, &type), VGPU_ABSENT);
    assert_int_equal(fake.faults->writes, 2);
}

TEST(parameters)
{
    struct vgpu vgpu = function(FIRST, "nvidia-1155");
    char text[64];

    fake_start(&fake, MACHINE);
    assert_int_equal(vgpu_configure(&fake.host, &vgpu, ""), 0);
    assert_int_equal(fake.faults->writes, 0);
    assert_int_equal(vgpu_configure(&fake.host, &vgpu, "disable_vnc=1"), -ENXIO);
    assert_int_equal(vgpu_vf.make(&fake.host, &vgpu), 0);
    assert_int_equal(vgpu_configure(&fake.host, &vgpu, "disable_vnc=1, vgpu-placement-id=3"), 0);
    assert_true(host_read(&fake.host, text, sizeof(text),
                          "sys/bus/pci/devices/%s/nvidia/vgpu_params", FIRST) > 0);
    assert_string_equal(text, "disable_vnc=1, vgpu-placement-id=3");
    opened();
    assert_int_equal(vgpu_configure(&fake.host, &vgpu, ""), -EPERM);
    fake_close(&guest);
    assert_int_equal(vgpu_configure(&fake.host, &vgpu, ""), 0);
    assert_true(host_read(&fake.host, text, sizeof(text),
                          "sys/bus/pci/devices/%s/nvidia/vgpu_params", FIRST) > 0);
    assert_string_equal(text, " ");
    fake_bind(&fake, FIRST, "vfio-pci");
    assert_int_equal(vgpu_configure(&fake.host, &vgpu, "disable_vnc=1"), -ENOENT);
}

/* Another process may write first. Then the state of the function decides, and not the error of our
 * write. */
TEST(two_removals_at_once)
{
    struct vgpu vgpu = function(FIRST, "nvidia-55");
    pid_t pid;

    fake_start(&fake, MACHINE);
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-55", NULL), 0);
    fake.faults->remove_delay = 60;
    pid = fork();
    if (pid == 0)
        _exit(-vgpu_vf.remove(&fake.host, &vgpu));
    while (*(volatile unsigned *)&fake.faults->writes == 0)
        fake_sleep(1);
    fake_sleep(5);
    assert_int_equal(vgpu_vf.remove(&fake.host, &vgpu), 0);
    assert_int_equal(fake.faults->writes, 2);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_string_equal(fake_type_of(&fake, FIRST), "");
}

/* A driver that releases a function late. Nothing is lost, and then the function is free. */
TEST(left_late)
{
    struct vgpu vgpu = function(FIRST, "nvidia-55");

    fake_start(&fake, MACHINE);
    assert_int_equal(vgpu_vf.make(&fake.host, &vgpu), 0);
    fake.faults->exiting = 80;
    fake.faults->patience = 5;
    opened();
    fake_close(&guest);
    assert_int_equal(vgpu_vf.remove(&fake.host, &vgpu), -EBUSY);
    assert_false(vgpu_is_wrong(&fake.host, &vgpu));
    fake.faults->patience = 5000;
    assert_int_equal(vgpu_vf.remove(&fake.host, &vgpu), 0);
    assert_int_equal(vgpu_vf.make(&fake.host, &vgpu), 0);
}

/* A function that another driver took is no place for a vGPU, and has no vGPU. */
TEST(directory_gone)
{
    fake_start(&fake, MACHINE);
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-55", NULL), 0);
    fake_bind(&fake, FIRST, "vfio-pci");
    fake_vanish(&fake, SECOND);
    scan();
    assert_int_equal(inventory.gpu_count, 1);
    assert_int_equal(inventory.parent_count, 2);
    assert_int_equal(inventory.vgpu_count, 0);
    assert_int_equal(available(THIRD, "nvidia-1148"), 1);
    fake_vanish(&fake, THIRD);
    fake_vanish(&fake, "0000:3d:00.7");
    scan();
    assert_int_equal(inventory.gpu_count, 0);
}

/* The driver answers in an unknown way. The program concludes nothing from this, and writes
 * nothing. */
TEST(unknown_answers)
{
    struct vgpu vgpu = function(FIRST, "nvidia-55"), found;
    struct name type, gpu;
    struct host plain;

    fake_start(&fake, MACHINE);
    fake_settle(&fake);
    fake_write(&fake, "sys/devices/" FIRST "/nvidia/current_vgpu_type", "NVIDIA L40S-1B\n");
    plain = (struct host){.root = fake.host.root, .ops = &host_kernel};
    assert_int_equal(vgpu_vf.state(&plain, &vgpu, &type), VGPU_UNKNOWN);
    assert_int_equal(vgpu_vf.find(&plain, &vgpu.device, &found, &gpu), -EBADMSG);
    assert_int_equal(vgpu_vf.make(&plain, &vgpu), -EBADMSG);
    assert_int_equal(vgpu_vf.remove(&plain, &vgpu), -ENODEV);
    assert_int_equal(scan_by(&vgpu_vf, &plain), 0);
    assert_int_equal(inventory.parent_count, 4);
    assert_int_equal(inventory.vgpu_count, 0);
    assert_true(available(FIRST, "nvidia-55") <= 0);
    assert_int_equal(available(SECOND, "nvidia-55"), 1);
    assert_true(host_read(&plain, type.text, sizeof(type.text),
                          "sys/devices/%s/nvidia/current_vgpu_type", FIRST) > 0);
    assert_string_equal(type.text, "NVIDIA L40S-1B");
}

/* Each device is found by its own interface. */
TEST(found_by_its_interface)
{
    struct name device, gpu;
    struct vgpu vgpu;

    fake_start(&fake, MACHINE "gpu mtty rule pool 24\ntype mtty-2 \"Dual port serial\" uses 2\n");
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-55", NULL), 0);
    assert_int_equal(fake_make(&fake, "mtty", "mtty-2", scene_device(1)), 0);
    device = named(FIRST);
    assert_int_equal(vgpu_find(&fake.host, &device, &vgpu, &gpu), 0);
    assert_ptr_equal(vgpu.interface, &vgpu_vf);
    assert_ptr_equal(vgpu.interface, vgpu_interface_find(vgpu_built_in, "vf"));
    device = named(scene_device(1));
    assert_int_equal(vgpu_find(&fake.host, &device, &vgpu, &gpu), 0);
    assert_ptr_equal(vgpu.interface, &vgpu_mdev);
    device = named(SECOND);
    assert_int_equal(vgpu_find(&fake.host, &device, &vgpu, &gpu), -ENOENT);
    device = named(CARD);
    assert_int_equal(vgpu_find(&fake.host, &device, &vgpu, &gpu), -ENOENT);
}
