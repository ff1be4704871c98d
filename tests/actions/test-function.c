/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Guests start and end on virtual functions, which their XML names. */

#include "actions/reconcile.h"
#include "device/nvidia-table.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CARD    "0000:3d:00.0"
#define VF0     "0000:3d:00.4"
#define VF1     "0000:3d:00.5"
#define VF2     "0000:3d:00.6"
#define MACHINE "gpu " CARD " vf vfs 3 rule size numa 0 board \"NVIDIA L40S\"\n"
#define MTTY    "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene,
                                       .machine = MACHINE MTTY
                                       "pci 0000:00:1f.2 driver ahci\n"
                                       "pci 0000:41:00.4 driver vfio-pci physfn 0000:41:00.0\n"};
#define TEST(name) SCENE_TEST(name, here)

static void
starts(unsigned guest, const char *function, const char *type)
{
    if (scene_prepare_at(&scene, guest, function, type) != 0)
        fail_msg("%s", scene.said);
    assert_string_equal(scene.said, "");
}

/* The hook refuses the start with these words, and writes nothing. */
static void
refuses(unsigned guest, const char *function, const char *type, const char *words)
{
    unsigned writes = scene.kernel.faults->writes;

    assert_int_equal(scene_prepare_at(&scene, guest, function, type), 1);
    scene_assert_said(&scene, words);
    assert_int_equal(scene.kernel.faults->writes, writes);
}

/* --- usual starts and ends -------------------------------------------------------------------- */

TEST(start_and_end)
{
    AUTO_FREE char *xml = scene_xml_at(1, VF1, "type=\"L40S-16Q\"");

    starts(1, VF1, "L40S-16Q");
    scene_assert_type(&scene, VF1, "nvidia-1154");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    scene_assert_empty(&scene);
    assert_int_equal(scene.kernel.faults->writes, 2);
}

/* libvirt opens the device's own node and hands it to QEMU. Until QEMU has bound it to an iommufd,
 * anybody can open the group. */
TEST(an_open_node_is_in_use)
{
    AUTO(names_clear) struct names nodes = {0};
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    struct error error;
    struct path path;
    struct fake_guest guest = {.group = -1};
    char words[64];
    pid_t qemu;

    starts(1, VF1, "L40S-16Q");
    assert_int_equal(host_list(&scene.kernel.host, &nodes, "sys/bus/pci/devices/%s/vfio-dev", VF1),
                     0);
    assert_int_equal(path_format(&path, "dev/vfio/devices/%s", nodes.items[0].text), 0);
    guest.device = openat(scene.kernel.host.root, path.text, O_RDWR | O_CLOEXEC);
    assert_true(guest.device >= 0);
    qemu = fake_hand_over(&guest);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    scene_assert_type(&scene, VF1, "nvidia-1154");
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    snprintf(words, sizeof(words), "in use by process %d", (int)qemu);
    assert_int_equal(outcomes.count, 1);
    assert_non_null(strstr(outcomes.items[0].why.text, words));
    fake_end(qemu);
    lease_outcomes_clear(&outcomes);
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    scene_assert_empty(&scene);
}

TEST(bad_places)
{
    static const struct {
        const char *machine, *function, *words;
    } rows[] = {
        {MACHINE, "0000:e7:00.4", "cannot be on 0000:e7:00.4, which this host does not have"},
        {MACHINE "pci 0000:00:1f.2 driver ahci\n", "0000:00:1f.2",
         "cannot be on 0000:00:1f.2, which is no virtual function (its driver is ahci)"},
        {MACHINE, CARD, "cannot be on 0000:3d:00.0, which is no virtual function"},
        {MACHINE "pci 0000:41:00.4 driver vfio-pci physfn 0000:41:00.0\n", "0000:41:00.4",
         "cannot be on 0000:41:00.4, which is bound to vfio-pci and not to the driver of its GPU "
         "0000:41:00.0"},
        {MACHINE "pci 0000:41:00.4 driver pci-stub physfn 0000:41:00.0\n", "0000:41:00.4",
         "cannot be on 0000:41:00.4, of which its driver (pci-stub) makes no vGPUs"},
        {MACHINE "gpu 0000:41:00.0 vfs 2 rule size board \"NVIDIA A40\"\n", "0000:41:00.4",
         "cannot be on 0000:41:00.4, which takes mediated devices (<hostdev type='mdev'>)"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        scene_stop(&scene);
        scene_start(&scene, rows[i].machine);
        refuses(1, rows[i].function, "L40S-16Q", rows[i].words);
        scene_assert_said(&scene, "; ua-gpu1 could be on 0000:3d:00.4, 0000:3d:00.5, 0000:3d:00.6");
        scene_assert_empty(&scene);
    }
}

TEST(bad_wishes)
{
    AUTO_FREE char *xml = scene_xml_at(1, VF1, "type=\"L40S-16Q\"");
    AUTO_FREE char *managed = NULL;
    char *word = strstr(xml, "managed='no'");

    assert_true(asprintf(&managed, "%.*smanaged='yes'%s", (int)(word - xml), xml,
                         word + strlen("managed='no'")) > 0);
    assert_int_equal(scene_hook(&scene, managed, "prepare", "begin"), 1);
    scene_assert_said(
        &scene, "the hostdev ua-gpu1 (0000:3d:00.5) says managed='yes': libvirt would take it");
    refuses(1, VF1, "mtty-2", "ua-gpu1 (mtty-2) cannot be on 0000:3d:00.5");
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/drained/" CARD, "");
    refuses(1, VF1, "L40S-16Q", "0000:3d:00.0 is drained (see vgpuctl undrain); no other virtual");
    assert_int_equal(scene_prepare(&scene, 1, 1, "L40S-16Q"), 1);
    scene_assert_said(&scene, "0000:3d:00.0 makes vGPUs for <hostdev type='pci'> only");
    scene_assert_empty(&scene);
}

/* Then the list of the function is empty, or no line of it names a type. */
TEST(a_full_card_and_a_chattering_one)
{
    starts(1, VF0, "L40S-48Q");
    refuses(2, VF1, "L40S-48Q",
            "cannot be on 0000:3d:00.5: its GPU 0000:3d:00.0 is full (1 of "
            "1); no other virtual function could take it now; see 'vgpuctl explain guest2'");
    refuses(2, VF1, "L40S-1B", "its GPU 0000:3d:00.0 holds nvidia-1156 (1 in use)");
    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " vf vfs 3 rule size list garbage board \"NVIDIA L40S\"\n");
    starts(1, VF0, "L40S-48Q");
    scene_assert_type(&scene, VF0, "nvidia-1156");
}

/* NVIDIA's table says how many such a card takes, if its driver does not. */
TEST(a_full_card_of_the_table)
{
    static const char table[] =
        "<vgpuconfig><vgpuType id='1156' name='NVIDIA L40S-48Q' class='Quadro'>"
        "<profileSize>0xc00000000</profileSize></vgpuType>"
        "<pgpu><devId vendorId='0x10de' deviceId='0x26B9' subsystemId='0'/>"
        "<supportedVgpu vgpuId='1156'><maxVgpus>1</maxVgpus></supportedVgpu></pgpu></vgpuconfig>";

    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " vf vfs 3 rule size device 26b9 board \"NVIDIA L40S\"\n");
    fake_write(&scene.kernel, NVIDIA_TABLE_PATH, table);
    starts(1, VF0, "L40S-48Q");
    refuses(2, VF1, "L40S-48Q", "its GPU 0000:3d:00.0 is full (1 of 1)");
}

TEST(a_clone_is_refused_and_changes_nothing)
{
    starts(1, VF0, "L40S-16Q");
    refuses(2, VF0, "L40S-16Q",
            "guest2: ua-gpu1: the vGPU 0000:3d:00.4 belongs to the guest guest1 (held)");
    scene_assert_said(&scene, "; ua-gpu1 could be on 0000:3d:00.5, 0000:3d:00.6\n");
    assert_int_equal(scene_release_at(&scene, 2, VF0), 0);
    scene_assert_type(&scene, VF0, "nvidia-1154");
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

/* --- failures --------------------------------------------------------------------------------- */

#define THREE                                                                                      \
    "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-8Q\"/>"                                            \
    "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-8Q\"/>"                                            \
    "<vgpu:device alias=\"ua-gpu3\" type=\"mtty-2\"/>"

/* For every n: the n-th write fails, and afterwards all is as before. Drivers often return only
 * EIO, for any reason. So after EIO the hook asks again for a place that the XML names, and the
 * guest starts. */
TEST(any_failing_write_is_undone)
{
    static const int errors[] = {EIO, EPERM, EBUSY, EINVAL, ENODEV, ENOENT, EAGAIN, ENOMEM};
    AUTO_FREE char *xml =
        scene_xml_of(1, THREE, (const char *const[]){VF0, VF1, scene_device(1), NULL});
    struct fake_faults *faults = scene.kernel.faults;

    scene_configure(&scene, "release_timeout = \"1s\";");
    for (size_t e = 0; e < COUNT(errors); e++) {
        faults->fail_with = errors[e];
        for (unsigned n = 1; n <= 3; n++) {
            bool again = errors[e] == EIO && n < 3;

            faults->writes = 0;
            faults->fail_at = n;
            assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), again ? 0 : 1);
            if (!again)
                scene_assert_said(&scene, strerror(errors[e]));
            faults->fail_at = 0;
            if (again)
                assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
            scene_assert_empty(&scene);
        }
        /* All three vGPUs are made, and the n-th removal fails. A later call removes this vGPU. */
        for (unsigned n = 1; n <= 3; n++) {
            faults->writes = 0;
            faults->fail_at = 0;
            assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
            faults->fail_at = 3 + n;
            assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
            faults->fail_at = 0;
            assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
            scene_assert_empty(&scene);
        }
    }
}

/* The driver has one error for all reasons. A driver that has just been loaded refuses at first. */
TEST(an_io_error_is_asked_again)
{
    struct fake_faults *faults = scene.kernel.faults;
    uint64_t began = fake_now();

    faults->refuse = 3;
    starts(1, VF0, "L40S-16Q");
    assert_true(fake_now() - began >= 1500);
    assert_int_equal(faults->writes, 4);
    faults->refuse = 4;
    assert_int_equal(scene_prepare_at(&scene, 2, VF1, "L40S-16Q"), 1);
    scene_assert_said(
        &scene, "ua-gpu1 (L40S-16Q) cannot be on 0000:3d:00.5: its GPU 0000:3d:00.0 refused it "
                "(Input/output error); ua-gpu1 could be on 0000:3d:00.6; see ");
    assert_int_equal(faults->refuse, 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* The hook asks no more when the driver's list confirms the refusal. */
TEST(what_is_not_offered_any_more_is_not_asked_for)
{
    struct fake_faults *faults = scene.kernel.faults;
    pid_t hook;
    int status;

    faults->refuse = 1;
    hook = fork();
    if (hook == 0) {
        status = scene_prepare_at(&scene, 1, VF0, "L40S-48Q");
        _exit(status == 1 && strstr(scene.said, "holds nvidia-1145 (1 in use)") ? 0 : 1);
    }
    while (*(volatile unsigned *)&faults->refuse)
        fake_sleep(1);
    assert_int_equal(fake_make(&scene.kernel, VF2, "nvidia-1145", NULL), 0);
    scene_assert_ends_well(hook);
    assert_int_equal(faults->writes, 1);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* A mediated device may be made on any function. So after a refusal the hook asks the next
 * function, and not the same one again. */
TEST(a_free_one_goes_elsewhere_at_once)
{
    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " vfs 3 rule size board \"NVIDIA A40\"\n");
    scene.kernel.faults->refuse = 2;
    assert_int_equal(scene_prepare(&scene, 1, 1, "A40-8Q"), 0);
    assert_int_equal(scene.kernel.faults->writes, 3);
    assert_true(host_exists(&scene.kernel.host, "sys/devices/" VF2 "/%s", scene_device(1)));
}

/* --- functions and vGPUs of others ------------------------------------------------------------ */

TEST(a_foreign_type_is_used_and_left)
{
    assert_int_equal(fake_make(&scene.kernel, VF0, "nvidia-1154", NULL), 0);
    refuses(1, VF0, "L40S-8Q",
            "ua-gpu1: a vGPU 0000:3d:00.4 is there already, of type nvidia-1154 (NVIDIA L40S-16Q) "
            "on 0000:3d:00.0 and not L40S-8Q; remove it, or give this guest another virtual "
            "function");
    starts(1, VF0, "L40S-16Q");
    assert_int_equal(scene_leases(&scene, "found"), 1);
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    scene_assert_type(&scene, VF0, "nvidia-1154");
    assert_int_equal(scene.kernel.faults->writes, 0);
}

/* Another program gave the function another type, without our hook. Then the vGPU belongs to that
 * program. */
TEST(a_type_that_was_changed_is_left)
{
    static const char *const types[] = {"nvidia-1145", ""};
    AUTO_FREE char *xml = scene_xml_at(1, VF0, "type=\"L40S-16Q\"");

    for (size_t i = 0; i < COUNT(types); i++) {
        unsigned writes;

        starts(1, VF0, "L40S-16Q");
        assert_int_equal(fake_remove(&scene.kernel, VF0), 0);
        if (*types[i])
            assert_int_equal(fake_make(&scene.kernel, VF0, types[i], NULL), 0);
        writes = scene.kernel.faults->writes;
        assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 1);
        scene_assert_said(
            &scene, "the vGPU 0000:3d:00.4 (nvidia-1154) was made on 0000:3d:00.4, and is not");
        assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
        assert_int_equal(scene_leases(&scene, ""), 0);
        assert_int_equal(scene.kernel.faults->writes, writes);
        scene_assert_type(&scene, VF0, types[i]);
        if (*types[i])
            assert_int_equal(fake_remove(&scene.kernel, VF0), 0);
    }
}

/* The guest lost its function without notice, and another guest got this function, with the same
 * type. */
TEST(a_repeated_release_finds_the_next_owner)
{
    static const char *const types[][2] = {{"L40S-16Q", "nvidia-1154"}, {"L40S-1B", "nvidia-1145"}};

    for (size_t i = 0; i < COUNT(types); i++) {
        unsigned writes;

        starts(1, VF0, "L40S-16Q");
        assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
        starts(2, VF0, types[i][0]);
        writes = scene.kernel.faults->writes;
        assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
        assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
        assert_int_equal(scene.kernel.faults->writes, writes);
        scene_assert_type(&scene, VF0, types[i][1]);
        assert_int_equal(scene_leases(&scene, "held"), 1);
        assert_int_equal(scene_release_at(&scene, 2, VF0), 0);
        scene_assert_empty(&scene);
    }
}

/* A release was given up, and its writer still works. Nobody gets the function before this writer
 * is done. Afterwards the writer changes nothing more. */
TEST(an_old_writer_is_waited_for)
{
    scene_configure(&scene, "release_timeout = \"1s\"; prepare_timeout = \"5s\";");
    starts(1, VF0, "L40S-16Q");
    scene.kernel.faults->remove_delay = 3000;
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    assert_int_equal(scene_leases(&scene, "removing"), 1);
    refuses(2, VF0, "L40S-16Q",
            "the vGPU 0000:3d:00.4 is still being given back by the guest guest1 (removing); try "
            "again; ua-gpu1 could be on 0000:3d:00.5, 0000:3d:00.6\n");
    scene.kernel.faults->remove_delay = 0;
    while (scene_prepare_at(&scene, 2, VF0, "L40S-16Q") != 0)
        fake_sleep(10);
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    fake_sleep(100);
    scene_assert_type(&scene, VF0, "nvidia-1154");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* The same with a start: a type that the writer sets late does not reach the next guest. */
TEST(a_create_that_comes_late)
{
    scene_configure(&scene, "prepare_timeout = \"500ms\"; release_timeout = \"500ms\";");
    scene.kernel.faults->unseen = true;
    assert_int_equal(scene_prepare_at(&scene, 1, VF0, "L40S-16Q"), 1);
    scene_assert_said(
        &scene, "the driver of 0000:3d:00.4 has not made the vGPU 0000:3d:00.4 (nvidia-1154)");
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    refuses(2, VF0, "L40S-1B", "is still being given back by the guest guest1 (leaving)");
    scene.kernel.faults->unseen = false;
    while (!*fake_type_of(&scene.kernel, VF0))
        fake_sleep(1);
    scene_configure(&scene, "");
    while (scene_prepare_at(&scene, 2, VF0, "L40S-1B") != 0)
        fake_sleep(10);
    scene_assert_type(&scene, VF0, "nvidia-1145");
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* --- slow drivers ----------------------------------------------------------------------------- */

/* While QEMU has the function open, the driver answers EPERM. For a while after that it answers
 * EBUSY. Neither error makes us forget the vGPU. */
TEST(one_that_is_still_left_is_freed_later)
{
    struct fake_guest qemu;

    scene_configure(&scene, "release_timeout = \"500ms\"; prepare_timeout = \"5s\";");
    starts(1, VF0, "L40S-16Q");
    qemu = fake_open(&scene.kernel, VF0);
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    scene.kernel.faults->exiting = 100000;
    fake_close(&qemu);
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    assert_int_equal(scene_leases(&scene, "removing"), 1);
    scene_assert_type(&scene, VF0, "nvidia-1154");
    starts(2, VF1, "L40S-16Q");
    scene_reconcile(&scene);
    scene_assert_type(&scene, VF0, "nvidia-1154");
    assert_int_equal(scene_leases(&scene, ""), 2);
    scene.kernel.faults->exiting = 0;
    /* The last release's writer may work for a moment longer. */
    for (int i = 0; i < 100 && *fake_type_of(&scene.kernel, VF0); i++) {
        fake_sleep(20);
        scene_reconcile(&scene);
    }
    scene_assert_type(&scene, VF0, "");
    scene_assert_type(&scene, VF1, "nvidia-1154");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* The guest itself starts again, or another guest names this function. The start waits for the
 * function. */
TEST(who_comes_next_waits_for_it)
{
    for (unsigned next = 1; next <= 2; next++) {
        struct fake_guest qemu;

        scene_configure(&scene, "release_timeout = \"100ms\";");
        scene.kernel.faults->exiting = 0;
        starts(1, VF0, "L40S-16Q");
        qemu = fake_open(&scene.kernel, VF0);
        scene.kernel.faults->exiting = 600;
        fake_close(&qemu);
        assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
        assert_int_equal(scene_leases(&scene, ""), 1);
        scene_configure(&scene, "");
        /* The release's writer may work for a moment longer. */
        fake_sleep(200);
        starts(next, VF0, "L40S-8Q");
        scene_assert_type(&scene, VF0, "nvidia-1152");
        assert_int_equal(scene_leases(&scene, ""), 1);
        assert_int_equal(scene_release_at(&scene, next, VF0), 0);
        scene_assert_empty(&scene);
    }
}

/* Runs a hook whose daemon ends right after it. */
TEST(a_function_of_the_dead_is_free)
{
    pid_t daemon = fork();
    int status;

    if (daemon == 0) {
        pid_t hook = fork();

        if (hook == 0)
            _exit(scene_prepare_at(&scene, 1, VF0, "L40S-16Q"));
        _exit(waitpid(hook, &status, 0) != hook || status != 0);
    }
    scene_assert_ends_well(daemon);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    starts(2, VF0, "L40S-8Q");
    scene_assert_type(&scene, VF0, "nvidia-1152");
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* --- release = "keep" ------------------------------------------------------------------------- */

/* A kept vGPU moves to a guest that names its function. It is removed if its size keeps the guest
 * from starting. Otherwise it stays. */
TEST(a_kept_one_makes_way)
{
    scene_configure(&scene, "release = \"keep\";");
    starts(1, VF0, "L40S-16Q");
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    starts(2, VF0, "L40S-16Q");
    assert_int_equal(scene.kernel.faults->writes, 1);
    assert_int_equal(scene_release_at(&scene, 2, VF0), 0);
    starts(3, VF1, "L40S-16Q");
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_int_equal(scene_release_at(&scene, 3, VF1), 0);
    /* The guest asks for another size on a third function. Both kept vGPUs are removed. */
    starts(4, VF2, "L40S-8Q");
    scene_assert_type(&scene, VF0, "");
    scene_assert_type(&scene, VF1, "");
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_release_at(&scene, 4, VF2), 0);
    /* The same when it asks on its own function. */
    starts(5, VF2, "L40S-48Q");
    scene_assert_type(&scene, VF2, "nvidia-1156");
    assert_int_equal(scene_leases(&scene, ""), 1);
    /* A held vGPU stays. */
    refuses(6, VF1, "L40S-8Q", "0000:3d:00.0 holds nvidia-1156 (1 in use)");
}

/* --- limits of the administrator, and parameters of the request ------------------------------- */

/* The driver does not tell how many vGPUs a card takes. The administrator may say it. */
TEST(no_more_than_max_instances)
{
    scene_configure(&scene,
                    "max_instances = ( { types = [ \"L40S-16Q\" ]; max = 3; },\n"
                    "                  { types = [ \"L40S-16Q\", \"L40S-24Q\" ]; max = 2; } );");
    starts(1, VF0, "L40S-16Q");
    starts(2, VF1, "L40S-16Q");
    refuses(3, VF2, "L40S-16Q", "its GPU 0000:3d:00.0 is full (2 of 2); no other virtual");
    scene_configure(&scene, "max_instances = ( { types = [ \"L40S-8Q\" ]; max = 2; } );");
    starts(3, VF2, "L40S-16Q");
    assert_int_equal(scene_release_at(&scene, 1, VF0), 0);
    assert_int_equal(scene_release_at(&scene, 2, VF1), 0);
    assert_int_equal(scene_release_at(&scene, 3, VF2), 0);
    scene_assert_empty(&scene);
}

static void
assert_params(const char *function, const char *expected)
{
    char params[64];

    assert_true(host_read(&scene.kernel.host, params, sizeof(params),
                          "sys/bus/pci/devices/%s/nvidia/vgpu_params", function) >= 0);
    assert_string_equal(params, expected);
}

/* The next guest on the function has none of these parameters, even if the driver leaves them in
 * the attribute. */
TEST(parameters_are_for_one_guest)
{
    static const char *const modes[] = {"release = \"reap\";", "release = \"keep\";"};
    static const char device[] = "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-16Q\">"
                                 "<vgpu:param name=\"vgpu-placement-id\" value=\"3\"/>"
                                 "</vgpu:device>";
    AUTO_FREE char *xml = scene_xml_of(1, device, (const char *const[]){VF0, NULL});

    for (size_t i = 0; i < COUNT(modes); i++) {
        scene_configure(&scene, modes[i]);
        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_params(VF0, "vgpu-placement-id=3");
        assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        fake_write(&scene.kernel, "sys/devices/" VF0 "/nvidia/vgpu_params",
                   "vgpu-placement-id=3\n");
        starts(2, VF0, "L40S-16Q");
        assert_params(VF0, " ");
        assert_int_equal(scene_release_at(&scene, 2, VF0), 0);
    }
}

/* The attribute becomes this parameter, in front of the other parameters. A guest that may not set
 * the parameter may not use the attribute either. */
TEST(a_placement_id)
{
    static const char device[] = "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-16Q\" "
                                 "placement-id=\"3\">"
                                 "<vgpu:param name=\"disable_vnc\" value=\"1\"/>"
                                 "</vgpu:device>";
    AUTO_FREE char *xml = scene_xml_of(1, device, (const char *const[]){VF0, NULL});

    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_params(VF0, "vgpu-placement-id=3, disable_vnc=1");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_configure(&scene, "params = [ \"disable_vnc\" ];");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "ua-gpu1 sets the driver parameter \"vgpu-placement-id\", and "
                              "vgpu.conf (params) does not let a request set it");
    scene_assert_empty(&scene);
}

/* Types of GPU instances: as many vGPUs fit as there are instances. Other vGPUs on the card do not
 * count. */
TEST(instances_of_a_partitioned_card)
{
    AUTO_FREE char *xml = NULL;

    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " vf vfs 4 rule size mig\n"
                        "type nvidia-689 \"NVIDIA A30-1-6C\" framebuffer 6144 max 4 instances 2\n"
                        "type nvidia-690 \"NVIDIA A30-2-12C\" framebuffer 12288 max 2 instances 1\n"
                        "type nvidia-684 \"NVIDIA A30-4C\" framebuffer 4096 max 6\n");
    starts(1, VF0, "A30-1-6C");
    starts(2, VF1, "A30-2-12C");
    starts(3, VF2, "A30-1-6C");
    refuses(4, "0000:3d:00.7", "A30-1-6C", "its GPU 0000:3d:00.0 is full (3 in use)");
    refuses(4, "0000:3d:00.7", "A30-4C", "its GPU 0000:3d:00.0 does not offer it while it holds");
    assert_int_equal(scene_release_at(&scene, 3, VF2), 0);
    starts(4, "0000:3d:00.7", "A30-1-6C");
    assert_int_equal(fake_count(&scene.kernel), 3);
    for (unsigned guest = 1; guest <= 4; guest++)
        assert_int_equal(scene_release_at(&scene, guest, VF0), 0);
    /* Two sizes at once: each vGPU has an instance of its own. */
    xml = scene_xml_of(5,
                       "<vgpu:device alias=\"ua-gpu1\" type=\"A30-1-6C\"/>"
                       "<vgpu:device alias=\"ua-gpu2\" type=\"A30-2-12C\"/>",
                       (const char *const[]){VF0, VF1, NULL});
    if (scene_hook(&scene, xml, "prepare", "begin") != 0)
        fail_msg("%s", scene.said);
    assert_int_equal(fake_count(&scene.kernel), 2);
}

TEST(sizes_of_a_mixed_card)
{
    AUTO_FREE char *xml = NULL;

    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " vf vfs 4 rule mixed memory 24576 board \"NVIDIA L40S\"\n");
    starts(1, VF0, "L40S-16Q");
    starts(2, VF1, "L40S-4Q");
    refuses(3, VF2, "L40S-8Q", "its GPU 0000:3d:00.0 ");
    assert_int_equal(scene_release_at(&scene, 2, VF1), 0);
    /* Two sizes at once, beside a vGPU that shows that the card may have several sizes. */
    xml = scene_xml_of(3,
                       "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-4Q\"/>"
                       "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-1Q\"/>",
                       (const char *const[]){VF1, VF2, NULL});
    if (scene_hook(&scene, xml, "prepare", "begin") != 0)
        fail_msg("%s", scene.said);
    scene_assert_type(&scene, VF1, "nvidia-1150");
    scene_assert_type(&scene, VF2, "nvidia-1147");
}
