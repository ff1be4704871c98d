/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake kernel's virtual functions behave as NVIDIA's do. Other tests rely on this. */

#include "fake/scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>

#define CARD   "0000:3d:00.0"
#define FIRST  "0000:3d:00.4"
#define SECOND "0000:3d:00.5"
#define TYPES                                                                                      \
    "type nvidia-55 \"NVIDIA L40S-1B\" framebuffer 1024 max 2\n"                                   \
    "type nvidia-1155 \"NVIDIA L40S-1Q\" framebuffer 1024 max 2\n"                                 \
    "type nvidia-1148 \"NVIDIA L40S-2Q\" framebuffer 2048 max 2\n"
#define MACHINE "gpu " CARD " vf vfs 4 rule size numa 1\n" TYPES

static struct fake_kernel fake;

static int
teardown(void **state)
{
    fake_stop(&fake);
    return 0;
}

static int
write_to(const char *function, const char *attribute, const char *text)
{
    struct path path;

    assert_int_equal(path_format(&path, "sys/bus/pci/devices/%s/nvidia/%s", function, attribute),
                     0);
    return fake.host.ops->write(&fake.host, path.text, text);
}

static int
turn(const char *function, const char *text)
{
    return write_to(function, "current_vgpu_type", text);
}

/* The content, or "-errno", in static memory, four at a time. */
static const char *
read_from(const char *function, const char *attribute)
{
    static char texts[4][4096];
    static unsigned next;
    char *text = texts[next++ % 4];
    struct path path;
    ssize_t length;

    assert_int_equal(path_format(&path, "sys/bus/pci/devices/%s/%s", function, attribute), 0);
    length = fake.host.ops->read(&fake.host, path.text, text, sizeof(texts[0]) - 1);
    if (length < 0)
        snprintf(text, sizeof(texts[0]), "%zd", length);
    else
        text[length] = '\0';
    return text;
}

#define CREATABLE(function) read_from(function, "nvidia/creatable_vgpu_types")

static const char *
current(const char *function)
{
    return read_from(function, "nvidia/current_vgpu_type");
}

static bool
offers(const char *function, const char *id)
{
    char line[32];

    snprintf(line, sizeof(line), "\n%s ", id);
    return strstr(CREATABLE(function), line);
}

/* --- the table of transitions ----------------------------------------------------------------- */

static struct fake_guest guest;

static void
opened(void)
{
    guest = fake_open(&fake, FIRST);
    assert_true(guest.device >= 0);
}

static void
closed_and_left(void)
{
    opened();
    fake_close(&guest);
}

static void
closed_just_now(void)
{
    fake.faults->exiting = 10000;
    closed_and_left();
}

static void
closed_a_moment_ago(void)
{
    fake.faults->exiting = 5;
    fake.faults->patience = 2000;
    closed_and_left();
}

static void
resources_stuck(void)
{
    fake.faults->fail_at = fake.faults->writes + 1;
    fake.faults->fail_with = EIO;
}

static void
refused_though_shown(void)
{
    assert_true(offers(FIRST, "1155"));
    fake.faults->refuse = 1;
}

static void
full(void)
{
    assert_int_equal(turn(SECOND, "55"), 0);
    assert_int_equal(turn("0000:3d:00.6", "55"), 0);
}

static void
other_size(void)
{
    assert_int_equal(turn(SECOND, "1148"), 0);
}

static void
rebound(void)
{
    fake_bind(&fake, FIRST, "vfio-pci");
    assert_string_equal(current(FIRST), "-2");
    fake_bind(&fake, FIRST, "nvidia");
}

#define TEST(name) UNIT_TEST_IN(name, NULL, teardown, NULL)

TEST(transitions)
{
    static const struct {
        const char *from;
        void (*meanwhile)(void);
        const char *text;
        int rc;
        const char *to;
    } table[] = {
        {NULL, NULL, "1155", 0, "1155"},
        {NULL, NULL, "1155\n", 0, "1155"},
        {NULL, NULL, "+55", 0, "55"},
        {NULL, NULL, "115", -EIO, "0"},
        {NULL, NULL, "-55", -EIO, "0"},
        {NULL, full, "55", -EIO, "0"},
        {NULL, other_size, "55", -EIO, "0"},
        {NULL, refused_though_shown, "1155", -EIO, "0"},
        {NULL, rebound, "1155", -EINVAL, "0"},
        {NULL, NULL, "0", -EPERM, "0"},
        {NULL, NULL, "nvidia-55", -EINVAL, "0"},
        {NULL, NULL, "", -EINVAL, "0"},
        {NULL, NULL, "\n", -EINVAL, "0"},
        {NULL, NULL, "-", -EINVAL, "0"},
        {NULL, NULL, " 55", -EINVAL, "0"},
        {NULL, NULL, "55 ", -EINVAL, "0"},
        {NULL, NULL, "55\n\n", -EINVAL, "0"},
        {NULL, NULL, "0x37", -EINVAL, "0"},
        {NULL, NULL, "99999999999999999999", -ERANGE, "0"},
        {"1155", NULL, "55", -EPERM, "1155"},
        {"1155", NULL, "1155", -EPERM, "1155"},
        {"1155", NULL, "7", -EPERM, "1155"},
        {"1155", NULL, "x", -EINVAL, "1155"},
        {"1155", NULL, "0", 0, "0"},
        {"1155", NULL, "0\n", 0, "0"},
        {"1155", closed_and_left, "0", 0, "0"},
        {"1155", closed_a_moment_ago, "0", 0, "0"},
        {"1155", closed_just_now, "0", -EBUSY, "1155"},
        {"1155", opened, "0", -EPERM, "1155"},
        {"1155", opened, "55", -EPERM, "1155"},
        {"1155", resources_stuck, "0", -EIO, "1155"},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        char to[32];
        int rc;

        fake_start(&fake, MACHINE);
        guest = (struct fake_guest){-1, -1, NULL};
        if (table[i].from)
            assert_int_equal(turn(FIRST, table[i].from), 0);
        if (table[i].meanwhile)
            table[i].meanwhile();
        rc = turn(FIRST, table[i].text);
        snprintf(to, sizeof(to), "%s\n", table[i].to);
        if (rc != table[i].rc || strcmp(current(FIRST), to))
            fail_msg("row %zu: \"%s\" gives %d and %s", i, table[i].text, rc, current(FIRST));
        if (guest.device >= 0)
            fake_close(&guest);
        if (i + 1 < COUNT(table))
            fake_stop(&fake);
    }
}

/* The driver waits with a delete for a while. A refused delete can be tried again. */
TEST(left_after_a_while)
{
    fake_start(&fake, MACHINE);
    assert_int_equal(turn(FIRST, "55"), 0);
    fake.faults->exiting = 60;
    closed_and_left();
    guest = fake_open(&fake, FIRST);
    assert_int_equal(guest.group, -1);
    assert_int_equal(guest.device, -EBUSY);
    assert_int_equal(turn(FIRST, "0"), -EBUSY);
    fake.faults->patience = 2000;
    assert_int_equal(turn(FIRST, "0"), 0);
    assert_int_equal(fake_count(&fake), 0);
}

/* A killed guest has closed its function, too. The driver needs the same time for it. */
TEST(guest_killed)
{
    int pipes[2];
    char byte;
    pid_t pid;

    fake_start(&fake, MACHINE);
    assert_int_equal(turn(FIRST, "55"), 0);
    assert_int_equal(pipe(pipes), 0);
    pid = fork();
    if (pid == 0) {
        opened();
        assert_int_equal(write(pipes[1], "", 1), 1);
        pause();
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    assert_int_equal(turn(FIRST, "0"), -EPERM);
    fake.faults->exiting = 60;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(turn(FIRST, "0"), -EBUSY);
    fake.faults->patience = 2000;
    assert_int_equal(turn(FIRST, "0"), 0);
    close(pipes[0]);
    close(pipes[1]);
}

/* --- creatable types -------------------------------------------------------------------------- */

TEST(forms_of_the_list)
{
    static const struct {
        const char *form, *at_first, *beside_one, *when_full;
    } table[] = {
        {"header",
         "ID    : vGPU Name\n55    : NVIDIA L40S-1B\n1155  : NVIDIA L40S-1Q\n"
         "1148  : NVIDIA L40S-2Q\n",
         "ID    : vGPU Name\n55    : NVIDIA L40S-1B\n1155  : NVIDIA L40S-1Q\n",
         "ID    : vGPU Name\n"},
        {"plain", "55 : NVIDIA L40S-1B\n1155 : NVIDIA L40S-1Q\n1148 : NVIDIA L40S-2Q\n",
         "55 : NVIDIA L40S-1B\n1155 : NVIDIA L40S-1Q\n", ""},
        {"name-first", "NVIDIA L40S-1B 55\nNVIDIA L40S-1Q 1155\nNVIDIA L40S-2Q 1148\n",
         "NVIDIA L40S-1B 55\nNVIDIA L40S-1Q 1155\n", ""},
        {"proposal",
         "ID    : vGPU Name\n55    : NVIDIA L40S-1B\n1155  : NVIDIA L40S-1Q\n"
         "1148  : NVIDIA L40S-2Q\n",
         "55    : NVIDIA L40S-1B\n1155  : NVIDIA L40S-1Q\n", ""},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        char machine[512];

        snprintf(machine, sizeof(machine), "gpu " CARD " vf vfs 4 rule size list %s\n" TYPES,
                 table[i].form);
        fake_start(&fake, machine);
        assert_string_equal(CREATABLE(FIRST), table[i].at_first);
        assert_int_equal(turn(FIRST, "1155"), 0);
        assert_string_equal(CREATABLE(FIRST), "");
        assert_string_equal(CREATABLE(SECOND), table[i].beside_one);
        assert_int_equal(turn(SECOND, "55"), 0);
        assert_string_equal(CREATABLE(SECOND), "");
        assert_string_equal(CREATABLE("0000:3d:00.6"), table[i].when_full);
        assert_int_equal(turn(FIRST, "0"), 0);
        assert_int_equal(turn(SECOND, "0"), 0);
        assert_string_equal(CREATABLE(FIRST), table[i].at_first);
        if (i + 1 < COUNT(table))
            fake_stop(&fake);
    }
}

/* The types are among the garbage lines, and disappear when they cannot be made. */
TEST(garbage_in_the_list)
{
    const char *all;

    fake_start(&fake, "gpu " CARD " vf vfs 4 rule size list garbage board \"NVIDIA L40S\"\n");
    all = CREATABLE(FIRST);
    assert_non_null(strstr(all, "\n1145  : NVIDIA L40S-1B\n"));
    assert_non_null(strstr(all, "\n1166  : NVIDIA L40S-48A\n"));
    assert_non_null(strstr(all, "\nNVRM: GPU is busy, try again\n"));
    assert_int_equal(turn(SECOND, "1156"), 0);
    assert_null(strstr(CREATABLE(FIRST), "\n1145  :"));
    assert_non_null(strstr(CREATABLE(FIRST), "\nx1145 :"));
    fake.faults->unreadable = 1;
    assert_string_equal(CREATABLE(FIRST), "-5");
}

/* --- types that may share a card -------------------------------------------------------------- */

TEST(rules)
{
    static const struct {
        const char *words, *made, *offered, *missing;
    } table[] = {
        {"rule size", "55", "1155", "1148"},
        {"rule type", "55", "55", "1155"},
        {"rule mixed memory 3072", "1148", "55", "1148"},
        {"rule mixed memory 4096", "1148", "1148", "7"},
        {"rule size mig", NULL, "7", "55"},
        {"rule mixed memory 9999 mig", NULL, "7", "55"},
        {"rule size", NULL, "55", "7"},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        char machine[512];

        snprintf(machine, sizeof(machine),
                 "gpu " CARD " vf vfs 4 %s\n" TYPES
                 "type nvidia-7 \"NVIDIA L40S-1-1Q\" framebuffer 1024 max 7 instances 2\n",
                 table[i].words);
        fake_start(&fake, machine);
        if (table[i].made)
            assert_int_equal(turn(FIRST, table[i].made), 0);
        if (!offers(SECOND, table[i].offered) || offers(SECOND, table[i].missing))
            fail_msg("row %zu: %s", i, CREATABLE(SECOND));
        assert_int_equal(turn(SECOND, table[i].missing), -EIO);
        assert_int_equal(turn(SECOND, table[i].offered), 0);
        if (i + 1 < COUNT(table))
            fake_stop(&fake);
    }
}

/* A partitioned GPU has a place for each free instance. Instances come and go. */
TEST(instances)
{
    fake_start(&fake, "gpu " CARD " vf vfs 4 rule size mig\n" TYPES
                      "type nvidia-7 \"NVIDIA L40S-1-1Q\" framebuffer 1024 max 7 instances 0\n"
                      "type nvidia-8 \"NVIDIA L40S-3-3Q\" framebuffer 3072 max 2 instances 1\n");
    assert_string_equal(CREATABLE(FIRST), "ID    : vGPU Name\n8     : NVIDIA L40S-3-3Q\n");
    assert_int_equal(turn(FIRST, "7"), -EIO);
    fake_instances(&fake, CARD, "nvidia-7", 2);
    assert_int_equal(turn(FIRST, "7"), 0);
    assert_int_equal(turn(SECOND, "8"), 0);
    assert_string_equal(read_from(FIRST, "nvidia/gpu_instance_id"), "1\n");
    assert_string_equal(read_from(SECOND, "nvidia/gpu_instance_id"), "2\n");
    assert_string_equal(CREATABLE("0000:3d:00.6"), "ID    : vGPU Name\n7     : NVIDIA L40S-1-1Q\n");
    assert_int_equal(turn(SECOND, "0"), 0);
    assert_true(offers("0000:3d:00.6", "8"));
    fake_instances(&fake, CARD, "nvidia-7", 0);
    fake_instances(&fake, CARD, "nvidia-8", 0);
    assert_string_equal(CREATABLE(SECOND), "ID    : vGPU Name\n");
}

/* --- the other attributes --------------------------------------------------------------------- */

TEST(attributes)
{
    char much[600];

    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = '\0';
    fake_start(&fake, MACHINE);
    assert_string_equal(read_from(FIRST, "nvidia/placement_id"), "-6");
    assert_string_equal(read_from(FIRST, "nvidia/gpu_instance_id"), "-6");
    assert_string_equal(read_from(FIRST, "nvidia/vgpu_params"), "\n");
    assert_int_equal(write_to(FIRST, "vgpu_params", "disable_vnc=1\n"), -ENXIO);
    assert_int_equal(write_to(FIRST, "creatable_vgpu_types", "1155"), -EACCES);
    assert_int_equal(write_to(FIRST, "colour", "1155"), -ENOENT);
    assert_int_equal(turn(CARD, "1155"), -ENOENT);

    assert_int_equal(turn(FIRST, "55"), 0);
    assert_int_equal(turn(SECOND, "55"), 0);
    assert_string_equal(read_from(FIRST, "nvidia/placement_id"), "0\n");
    assert_string_equal(read_from(SECOND, "nvidia/placement_id"), "1\n");
    assert_string_equal(read_from(FIRST, "nvidia/gpu_instance_id"), "0\n");
    assert_int_equal(write_to(FIRST, "vgpu_params", "disable_vnc=1\n"), 0);
    assert_string_equal(read_from(FIRST, "nvidia/vgpu_params"), "disable_vnc=1\n");
    assert_int_equal(write_to(FIRST, "vgpu_params", much), -E2BIG);
    opened();
    assert_int_equal(write_to(FIRST, "vgpu_params", " \n"), -EPERM);
    fake_close(&guest);
    assert_string_equal(read_from(FIRST, "nvidia/vgpu_params"), "disable_vnc=1\n");
    assert_int_equal(turn(FIRST, "0"), 0);
    assert_string_equal(read_from(FIRST, "nvidia/vgpu_params"), "\n");
    assert_string_equal(read_from(FIRST, "nvidia/placement_id"), "-6");
}

/* Each path to an attribute works, also for programs that do not use our operations. */
TEST(other_ways)
{
    struct host plain;
    char text[64];

    fake_start(&fake, MACHINE);
    assert_int_equal(
        fake.host.ops->write(
            &fake.host, "sys/bus/pci/devices/" CARD "/virtfn1/nvidia/current_vgpu_type", "1148"),
        0);
    assert_string_equal(current(SECOND), "1148\n");
    assert_string_equal(read_from(FIRST, "physfn/virtfn1/nvidia/current_vgpu_type"), "1148\n");
    fake_settle(&fake);
    plain = (struct host){.root = fake.host.root, .ops = &host_kernel};
    assert_true(host_read(&plain, text, sizeof(text), "sys/devices/%s/nvidia/current_vgpu_type",
                          SECOND) > 0);
    assert_string_equal(text, "1148");
    assert_true(host_read(&plain, text, sizeof(text), "sys/devices/%s/nvidia/creatable_vgpu_types",
                          FIRST) > 0);
    assert_string_equal(text, "ID    : vGPU Name\n1148  : NVIDIA L40S-2Q");
}

/* --- the PCI bus ------------------------------------------------------------------------------ */

static const char *
target(const char *path)
{
    static char text[256];
    ssize_t length = fake.host.ops->link(&fake.host, path, text, sizeof(text));

    if (length < 0)
        return "";
    return strrchr(text, '/') + 1;
}

TEST(pci_devices)
{
    static const struct {
        const char *path, *text;
    } texts[] = {
        {CARD "/vendor", "0x10de\n"},        {CARD "/device", "0x26b9\n"},
        {CARD "/numa_node", "1\n"},          {CARD "/sriov_numvfs", "4\n"},
        {FIRST "/vendor", "0x10de\n"},       {FIRST "/device", "0x26b9\n"},
        {FIRST "/numa_node", "1\n"},         {CARD "/nvidia/current_vgpu_type", "-2"},
        {"0000:18:00.0/device", "0x1eb8\n"}, {"0000:18:00.0/sriov_numvfs", "-2"},
        {"0000:19:00.0/device", "0x25b6\n"}, {"0000:19:00.5/vendor", "0x10de\n"},
        {"0000:00:02.0/vendor", "0x8086\n"}, {"0000:00:1f.2/vendor", "0x8086\n"},
        {"0000:41:00.4/vendor", "0x10de\n"}, {"0000:41:00.4/nvidia/vgpu_params", "-2"},
        {"0000:42:00.0/vendor", "0x1234\n"}, {"0000:42:00.0/device", "0xabcd\n"},
        {"0000:42:00.0/numa_node", "7\n"},   {"mtty/numa_node", "-2"},
    };
    static const struct {
        const char *path, *end;
    } links[] = {
        {CARD "/driver", "nvidia"},
        {CARD "/virtfn0", FIRST},
        {CARD "/virtfn3", "0000:3d:00.7"},
        {CARD "/virtfn4", ""},
        {FIRST "/driver", "nvidia"},
        {FIRST "/physfn", CARD},
        {"0000:18:00.0/driver", "nvidia"},
        {"0000:18:00.0/physfn", ""},
        {"0000:19:00.0/virtfn1", "0000:19:00.5"},
        {"0000:19:00.5/physfn", "0000:19:00.0"},
        {"0000:19:00.5/driver", "nvidia"},
        {"0000:00:02.0/driver", "i915"},
        {"0000:00:1f.2/driver", "ahci"},
        {"0000:41:00.4/driver", "vfio-pci"},
        {"0000:41:00.4/physfn", "0000:41:00.0"},
        {"0000:42:00.0/driver", ""},
    };
    struct names devices;

    fake_start(&fake,
               MACHINE "gpu 0000:18:00.0 rule size board \"GRID T4\"\n"
                       "gpu 0000:19:00.0 rule size vfs 2 board \"NVIDIA A2\"\n"
                       "gpu 0000:00:02.0 rule pool 8 gvt\ntype i915-GVTg_V5_8 \"-\" nameless\n"
                       "gpu mtty rule pool 24\ntype mtty-2 \"Dual port serial\" uses 2\n"
                       "pci 0000:00:1f.2 driver ahci\n"
                       "pci 0000:41:00.4 driver vfio-pci physfn 0000:41:00.0\n"
                       "pci 0000:42:00.0 vendor 1234 device abcd numa 7\n");
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (strcmp(read_from("", texts[i].path), texts[i].text))
            fail_msg("%s: %s", texts[i].path, read_from("", texts[i].path));
    }
    for (size_t i = 0; i < COUNT(links); i++) {
        struct path path;

        assert_int_equal(path_format(&path, "sys/bus/pci/devices/%s", links[i].path), 0);
        if (strcmp(target(path.text), links[i].end))
            fail_msg("%s: %s", path.text, target(path.text));
    }
    assert_int_equal(host_list(&fake.host, &devices, "sys/bus/pci/devices"), 0);
    assert_int_equal(devices.count, 5 + 1 + 3 + 1 + 3);
    names_clear(&devices);
    assert_int_equal(host_list(&fake.host, &devices, "sys/class/mdev_bus"), 0);
    assert_int_equal(devices.count, 1 + 2 + 1 + 1);
    names_clear(&devices);
}

/* The function has a group and a node of its own, and both can be opened. */
TEST(vfio_nodes)
{
    AUTO(names_clear) struct names nodes = {0};
    struct name group;
    struct path path;
    int proof;

    fake_start(&fake, MACHINE);
    assert_int_equal(host_link(&fake.host, &group, "sys/bus/pci/devices/%s/iommu_group", FIRST), 0);
    assert_int_equal(path_format(&path, "dev/vfio/%s", group.text), 0);
    assert_int_equal(host_list(&fake.host, &nodes, "sys/bus/pci/devices/%s/vfio-dev", FIRST), 0);
    assert_int_equal(nodes.count, 1);
    assert_true(host_exists(&fake.host, "dev/vfio/devices/%s", nodes.items[0].text));

    assert_int_equal(fake_open(&fake, FIRST).device, -ENODEV);
    assert_int_equal(turn(FIRST, "55"), 0);
    proof = fake.host.ops->probe(&fake.host, path.text);
    assert_true(proof >= 0);
    assert_int_equal(fake_open(&fake, FIRST).device, -EBUSY);
    close(proof);
    opened();
    assert_int_equal(fake_open(&fake, FIRST).device, -EBUSY);
    assert_int_equal(fake.host.ops->probe(&fake.host, path.text), -EBUSY);
    fake_close(&guest);
    /* If a process has only the group open, no other can open it. But it blocks no delete. */
    proof = fake.host.ops->probe(&fake.host, path.text);
    assert_int_equal(turn(FIRST, "0"), 0);
    close(proof);
}

/* Another driver takes a function; its type and all its settings are lost. */
TEST(drivers)
{
    fake_start(&fake, MACHINE);
    assert_int_equal(turn(FIRST, "55"), 0);
    assert_int_equal(turn(SECOND, "55"), 0);
    fake_bind(&fake, FIRST, "vfio-pci");
    assert_string_equal(target("sys/bus/pci/devices/" FIRST "/driver"), "vfio-pci");
    assert_false(host_exists(&fake.host, "sys/bus/pci/devices/%s/nvidia", FIRST));
    assert_true(host_exists(&fake.host, "sys/bus/pci/devices/%s/vfio-dev", FIRST));
    assert_int_equal(turn(FIRST, "0"), -ENOENT);
    assert_string_equal(fake_type_of(&fake, FIRST), "");
    assert_int_equal(fake_count(&fake), 1);
    fake_vanish(&fake, SECOND);
    assert_string_equal(target("sys/bus/pci/devices/" SECOND "/driver"), "");
    assert_false(host_exists(&fake.host, "sys/bus/pci/devices/%s/vfio-dev", SECOND));
    assert_true(offers("0000:3d:00.6", "1148"));
    fake_bind(&fake, FIRST, "nvidia");
    assert_string_equal(current(FIRST), "0\n");
    assert_int_equal(turn(FIRST, "55"), -EINVAL);
}

/* --- the functions for tests ------------------------------------------------------------------ */

TEST(hands)
{
    fake_start(&fake, MACHINE "gpu mtty rule pool 24\ntype mtty-2 \"Dual port serial\" uses 2\n");
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-1155", NULL), 0);
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-1155", NULL), -EPERM);
    assert_int_equal(fake_make(&fake, SECOND, "55", NULL), 0);
    assert_int_equal(fake_make(&fake, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(fake_make(&fake, CARD, "nvidia-55", NULL), -ENOENT);
    assert_int_equal(fake_count(&fake), 3);
    assert_string_equal(fake_type_of(&fake, FIRST), "nvidia-1155");
    assert_string_equal(fake_type_of(&fake, SECOND), "nvidia-55");
    assert_string_equal(fake_type_of(&fake, CARD), "");
    assert_string_equal(fake_type_of(&fake, scene_device(1)), "mtty-2");
    assert_int_equal(fake_remove(&fake, FIRST), 0);
    assert_int_equal(fake_remove(&fake, FIRST), -EPERM);
    assert_int_equal(fake_remove(&fake, "0000:99:00.4"), -ENOENT);
    assert_string_equal(fake_type_of(&fake, FIRST), "");
    assert_int_equal(fake_count(&fake), 2);
    assert_int_equal(fake.faults->writes, 0);
}

static pid_t
spawn_turn(const char *function, const char *text)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(-turn(function, text));
    return pid;
}

static int
wait_turn(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return -WEXITSTATUS(status);
}

/* A type counts before the driver is done, but is not shown. Then it is shown. */
TEST(slow_driver)
{
    pid_t pid;

    fake_start(&fake, MACHINE);
    fake.faults->stuck = true;
    pid = spawn_turn(FIRST, "55");
    while (offers(SECOND, "1148"))
        fake_sleep(1);
    assert_string_equal(current(FIRST), "0\n");
    assert_false(offers(FIRST, "55"));
    assert_true(offers(SECOND, "55"));
    assert_int_equal(turn(FIRST, "55"), -EIO);
    assert_int_equal(turn(FIRST, "0"), -EPERM);
    fake.faults->stuck = false;
    assert_int_equal(wait_turn(pid), 0);
    assert_string_equal(current(FIRST), "55\n");

    fake.faults->remove_delay = 40;
    pid = spawn_turn(FIRST, "0");
    while (fake.faults->writes < 4)
        fake_sleep(1);
    assert_string_equal(current(FIRST), "55\n");
    assert_int_equal(wait_turn(pid), 0);
    assert_string_equal(current(FIRST), "0\n");
}

/* The driver's rule is checked and applied with the tree's lock held. */
TEST(one_at_a_time)
{
    pid_t pid;
    int lock;

    fake_start(&fake, MACHINE);
    lock = openat(fake.host.root, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(lock >= 0 && flock(lock, LOCK_EX) == 0);
    pid = spawn_turn(FIRST, "55");
    fake_sleep(30);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    assert_string_equal(fake_type_of(&fake, FIRST), "");
    flock(lock, LOCK_UN);
    close(lock);
    assert_int_equal(wait_turn(pid), 0);
}

/* Many processes at once, several on each function: there are never more vGPUs than the rule
 * allows, and none is lost. */
TEST(crowds)
{
    static const struct {
        const char *words, *texts[2];
        unsigned places;
    } table[] = {
        {"vfs 48 rule size board \"NVIDIA L40S\"", {"1145", "1157"}, 32},
        {"vfs 16 rule size board \"NVIDIA L40S\"", {"1145", "1147"}, 16},
        {"vfs 64 rule size board \"NVIDIA L40S\"", {"1153", "1163"}, 4},
        {"vfs 64 rule mixed memory 49152 board \"NVIDIA L40S\"", {"1151", "1151"}, 8},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        char machine[256];
        unsigned vfs, good = 0, shown = 0;
        pid_t pids[64];

        snprintf(machine, sizeof(machine), "gpu " CARD " vf %s\n", table[i].words);
        assert_int_equal(sscanf(table[i].words, "vfs %u", &vfs), 1);
        fake_start(&fake, machine);
        fake.faults->create_delay = 1;
        for (unsigned p = 0; p < 64; p++) {
            unsigned at = 4 + p % vfs;
            char function[32];

            snprintf(function, sizeof(function), "0000:3d:%02x.%u", at / 8, at % 8);
            pids[p] = spawn_turn(function, table[i].texts[p % 2]);
        }
        for (unsigned p = 0; p < 64; p++)
            good += wait_turn(pids[p]) == 0;
        for (unsigned at = 4; at < 4 + vfs; at++) {
            char function[32];

            snprintf(function, sizeof(function), "0000:3d:%02x.%u", at / 8, at % 8);
            shown += strcmp(current(function), "0\n") != 0;
        }
        assert_int_equal(good, table[i].places);
        assert_int_equal(shown, table[i].places);
        assert_int_equal(fake_count(&fake), table[i].places);
        if (i + 1 < COUNT(table))
            fake_stop(&fake);
    }
}

/* Sets and clears types as fast as possible, each size in turn. Other processes do the same. */
static void
come_and_go(unsigned number)
{
    static const char *const texts[] = {"55", "1148", "1155"};
    char function[32];

    snprintf(function, sizeof(function), "0000:3d:00.%u", 4 + number % 4);
    for (unsigned i = 0; i < 2000; i++) {
        if (turn(function, texts[(number + i) % COUNT(texts)]) == 0)
            turn(function, "0");
    }
    _exit(0);
}

/* Afterwards all counts are as before. */
TEST(crowd_comes_and_goes)
{
    pid_t pids[8];

    fake_start(&fake, MACHINE);
    for (unsigned i = 0; i < COUNT(pids); i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            come_and_go(i);
    }
    for (unsigned i = 0; i < COUNT(pids); i++)
        assert_int_equal(wait_turn(pids[i]), 0);
    for (unsigned i = 4; i < 8; i++) {
        char function[32];

        snprintf(function, sizeof(function), "0000:3d:00.%u", i);
        turn(function, "0");
        assert_string_equal(current(function), "0\n");
    }
    assert_int_equal(fake_count(&fake), 0);
    assert_true(offers(FIRST, "55") && offers(FIRST, "1148"));
    assert_int_equal(turn(FIRST, "1148"), 0);
    assert_int_equal(turn(SECOND, "1148"), 0);
    assert_int_equal(turn("0000:3d:00.6", "1148"), -EIO);
}
