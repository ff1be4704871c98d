/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Starting and ending guests through the hook, on a kernel that reacts. */

#include "device/vgpu.h"
#include "domain/request.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"                                      \
    "type nvidia-230 \"GRID T4-2Q\" framebuffer 2048 max 2\n"                                      \
    "gpu mtty rule pool 4\n"                                                                       \
    "type mtty-1 \"Single port serial\" uses 1 nameless\n"                                         \
    "type mtty-2 \"Dual port serial\" uses 2\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
#define T4                                                                                         \
    " rule size\ntype nvidia-233 \"GRID T4-8Q\" framebuffer 8192 max 2\n"                          \
    "type nvidia-234 \"GRID T4-16Q\" framebuffer 16384 max 1\n"
static const struct scene_case two_cards = {.scene = &scene,
                                            .machine = "gpu 0000:18:00.0" T4 "gpu 0000:3b:00.0" T4};

static void
start_and_end(void **state)
{
    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_string_equal(scene.said, "");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "nvidia-222");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

static void
type_by_any_word(void **state)
{
    static const struct {
        const char *word, *type;
    } table[] = {
        {"nvidia-230", "nvidia-230"},   {"GRID T4-2Q", "nvidia-230"}, {"T4-2Q", "nvidia-230"},
        {"Dual port serial", "mtty-2"}, {"mtty-1", "mtty-1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        assert_int_equal(scene_prepare(&scene, 1, 1, table[i].word), 0);
        assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), table[i].type);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
    }
    scene_assert_empty(&scene);
}

static void
full_says_why(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= 3; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-1B"), 1);
    scene_assert_said(
        &scene, "guest4: no GPU can take ua-gpu4 (T4-1B): 0000:18:00.0 is full (3 of 3), mtty has "
                "no such type");
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-2Q"), 1);
    scene_assert_said(&scene, "0000:18:00.0 holds nvidia-222 (3 in use)");
    assert_int_equal(fake_count(&scene.kernel), 3);
    assert_int_equal(scene_leases(&scene, "held"), 3);
    for (unsigned i = 1; i <= 4; i++)
        assert_int_equal(scene_release(&scene, i, i), 0);
    scene_assert_empty(&scene);
}

static void
unknown_type_lists_the_known(void **state)
{
    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-9Q"), 1);
    scene_assert_said(
        &scene, "guest1: ua-gpu1 wants T4-9Q, which no GPU here has (did you mean T4-2Q?); there "
                "are: nvidia-222 (GRID T4-1B)");
    assert_int_equal(scene_prepare(&scene, 1, 1, "nothing like it"), 1);
    scene_assert_said(&scene, "which no GPU here has; there are: nvidia-222");
    scene_assert_empty(&scene);
}

static const char class_conf[] = "classes = { small = { types = [ \"T4-2Q\", \"mtty-2\" ]; }; };";

static void
class_falls_to_its_second_type(void **state)
{
    const char *device = "<vgpu:device class=\"small\"/>";
    static const char *const expected[] = {"nvidia-230", "nvidia-230", "mtty-2"};

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", class_conf);
    for (unsigned i = 1; i <= 3; i++) {
        AUTO_FREE char *xml = scene_xml(i, device, (const unsigned[]){i, 0});

        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_string_equal(fake_type_of(&scene.kernel, scene_device(i)), expected[i - 1]);
    }
}

static void
all_devices_or_none(void **state)
{
    const char *devices = "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\"/>"
                          "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\"/>"
                          "<vgpu:device alias=\"ua-gpu3\" type=\"mtty-2\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 3, 0});

    (void)state;
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "not for all together");
    scene_assert_empty(&scene);
}

static void
two_devices_on_two_gpus(void **state)
{
    const char *devices = "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\"/>"
                          "<vgpu:device alias=\"ua-gpu2\" type=\"T4-1B\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 0});

    (void)state;
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "nvidia-222");
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 1);
    scene_assert_said(&scene, "was made on 0000:18:00.0, and is not there any more");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);
}

static void
clone_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 1, "mtty-2"), 1);
    scene_assert_said(
        &scene, "guest2: ua-gpu1: the vGPU dddddddd-0000-4000-8000-000000000001 belongs to the "
                "guest guest1 (held)");
    assert_int_equal(scene_release(&scene, 2, 1), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

static void
foreign_device_is_used_and_left(void **state)
{
    (void)state;
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 1);
    scene_assert_said(&scene,
                      "is there already, of type mtty-2 (Dual port serial) on mtty and not mtty-1");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
}

static void
refused_create_goes_elsewhere_or_says_so(void **state)
{
    const char *device = "<vgpu:device class=\"small\"/>";
    AUTO_FREE char *xml = scene_xml(1, device, (const unsigned[]){1, 0});

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", class_conf);
    scene.kernel.faults->refuse = 1;
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene.kernel.faults->refuse = 2;
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(
        &scene,
        "0000:18:00.0 refused it (Input/output error), mtty refused it (Input/output error)");
    scene_assert_empty(&scene);
}

/* For every n: the n-th write fails, and afterwards all is as before. */
static void
any_failing_write_is_undone(void **state)
{
    const char *devices = "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>"
                          "<vgpu:device alias=\"ua-gpu2\" type=\"T4-1B\"/>"
                          "<vgpu:device alias=\"ua-gpu3\" type=\"mtty-1\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 3, 0});
    static const int errors[] = {EIO, ENOSPC, EUSERS, ENODEV, ENOENT, EAGAIN, EBUSY, ENOMEM};

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "release_timeout = \"1s\";");
    for (size_t e = 0; e < sizeof(errors) / sizeof(*errors); e++) {
        for (unsigned n = 1; n <= 3; n++) {
            scene.kernel.faults->writes = 0;
            scene.kernel.faults->fail_at = n;
            scene.kernel.faults->fail_with = errors[e];
            assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
            scene_assert_said(&scene, strerror(errors[e]));
            scene_assert_empty(&scene);
        }
        /* The three creates pass, the n-th of the removes fails: a later call finishes it. */
        for (unsigned n = 1; n <= 3; n++) {
            scene.kernel.faults->writes = 0;
            scene.kernel.faults->fail_at = 0;
            assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
            scene.kernel.faults->fail_at = 3 + n;
            assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
            scene.kernel.faults->fail_at = 0;
            assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
            scene_assert_empty(&scene);
        }
    }
}

/* The driver registers after libvirt started its guests: one absolute moment, and only for a GPU
 * that the configuration names. */
static void
a_gpu_that_comes_up_late(void **state)
{
    static const char late[] = "boot_wait = \"100s\"; prepare_timeout = \"200ms\";\n"
                               "gpus = ({ address = \"mtty\"; }, { address = \"nothing\"; });\n";
    int status;
    pid_t hook;

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", late);
    /* Up for longer than that, or nothing else to come: refused at once. */
    fake_set_uptime(100010);
    assert_int_equal(scene_prepare(&scene, 1, 1, "no-such"), 1);
    fake_set_uptime(99000);
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "boot_wait = \"100s\"; gpus = ({ address = \"mtty\"; });");
    assert_int_equal(scene_prepare(&scene, 1, 1, "no-such"), 1);
    scene_assert_said(&scene, "no-such, which no GPU here has");
    /* Something is to come: its place is free half a second later. */
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", late);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(7)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(8)), 0);
    hook = fork();
    if (hook == 0)
        _exit(scene_prepare(&scene, 1, 1, "mtty-2"));
    fake_sleep(700);
    assert_int_equal(waitpid(hook, NULL, WNOHANG), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(7)), 0);
    assert_int_equal(waitpid(hook, &status, 0), hook);
    assert_int_equal(status, 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    /* In vain. */
    fake_set_uptime(99900);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 1);
    assert_in_range(fake_now(), 100000, 101000);
}

/* Its daemon was restarted while a hook waited (systemd leaves hooks running), and the new one has
 * started the same guest by the time there is a GPU: the old hook keeps its hands off. */
static void
a_hook_whose_daemon_is_gone(void **state)
{
    struct fake_guest qemu;
    int ends[2], status;
    pid_t daemon;

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "boot_wait = \"100s\"; release_timeout = \"100ms\";\n"
               "gpus = ({ address = \"mtty\"; }, { address = \"nothing\"; });\n");
    fake_set_uptime(99000);
    scene.kernel.faults->refuse = 1;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    daemon = fork();
    if (daemon == 0) {
        if (fork() == 0)
            _exit(scene_prepare(&scene, 1, 1, "mtty-2"));
        fake_sleep(300);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(waitpid(daemon, &status, 0), daemon);
    assert_int_equal(scene.kernel.faults->refuse, 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    qemu = fake_open(&scene.kernel, scene_device(1));
    /* Until the old hook has ended. */
    assert_int_equal(read(ends[0], &status, 1), 0);
    close(ends[0]);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    fake_close(&qemu);
}

static void
busy_at_release_is_left_and_taken_back(void **state)
{
    struct fake_guest stray;

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "release_timeout = \"200ms\"; prepare_timeout = \"2s\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene.kernel.faults->writes, 1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "in use");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    fake_close(&stray);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene.kernel.faults->writes, 2);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    scene_assert_empty(&scene);
}

/* A leftover of another guest is room when there is no other. */
static void
recovery_of_others_make_room(void **state)
{
    struct fake_guest stray;

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 1);
    scene_assert_said(&scene, "in use");
    fake_close(&stray);
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "");
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "");
    assert_int_equal(scene_leases(&scene, ""), 2);
}

/* What a start could not take out of its way is its owner's again, although that start waits on. */
static void
what_was_in_the_way_is_let_go(void **state)
{
    struct fake_guest stray;
    int status;
    pid_t hook;

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "boot_wait = \"100s\"; prepare_timeout = \"2s\"; release_timeout = \"50ms\";\n"
               "gpus = ({ address = \"mtty\"; }, { address = \"nothing\"; });\n");
    fake_set_uptime(90000);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    hook = fork();
    if (hook == 0) {
        close(stray.group);
        close(stray.device);
        _exit(scene_prepare(&scene, 3, 3, "mtty-2"));
    }
    fake_sleep(700);
    fake_close(&stray);
    if (scene_prepare(&scene, 1, 1, "mtty-2") != 0)
        fail_msg("%s", scene.said);
    assert_true(fake_now() < 92000);
    assert_int_equal(waitpid(hook, &status, 0), hook);
    assert_true(fake_now() >= 100000);
    assert_int_not_equal(status, 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_leases(&scene, ""), 2);
}

/* The driver sits on a create: prepare gives up, and nobody touches it until it is done. */
static void
stuck_create_is_left_to_its_writer(void **state)
{
    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "prepare_timeout = \"50ms\"; release_timeout = \"50ms\";");
    scene.kernel.faults->stuck = true;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "has not made the vGPU");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "00000001 (mtty-2, leaving) on mtty is still being worked on");
    scene.kernel.faults->stuck = false;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

/* Nothing of it is in /sys yet, and it will come: its lease must not be forgotten before. */
static void
stuck_create_that_shows_nothing(void **state)
{
    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "prepare_timeout = \"50ms\"; release_timeout = \"50ms\";");
    scene.kernel.faults->unseen = true;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    assert_int_equal(fake_count(&scene.kernel), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    scene.kernel.faults->unseen = false;
    while (!*fake_type_of(&scene.kernel, scene_device(1)))
        fake_sleep(1);
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

static void
changed_request_replaces_what_is_left(void **state)
{
    struct fake_guest stray;

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    fake_close(&stray);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-1");
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_prepare(&scene, 1, 5, "mtty-1"), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* A guest that asks for nothing any more: what its last run lost is no reason not to start. */
static void
start_looks_at_what_the_guest_has(void **state)
{
    AUTO_FREE char *xml = scene_xml(1, "", (const unsigned[]){2, 0});

    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    if (scene_hook(&scene, xml, "start", "begin") != 0)
        fail_msg("%s", scene.said);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

static void
broken_ledger_stops_prepare_only(void **state)
{
    (void)state;
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "libvirt-vgpu-ledger 99 x 1\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "/run/libvirt-vgpu/ledger: line 1: version 99");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(fake_count(&scene.kernel), 0);
}

/* A guest's XML with this so many times at the beginning of its metadata: its UUID comes first. */
static char *
swollen_xml(unsigned guest, unsigned number, const char *item, size_t count)
{
    AUTO_FREE char *xml =
        scene_xml(guest, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){number, 0});
    char *place = strstr(xml, "<metadata>") + strlen("<metadata>");
    char *large = malloc(strlen(xml) + count * strlen(item) + 1), *at = large;

    assert_non_null(large);
    at = mempcpy(at, xml, (size_t)(place - xml));
    while (count--)
        at = stpcpy(at, item);
    strcpy(at, place);
    return large;
}

/* libvirt will not call again for what its owner wrote into a running guest. */
static void
unreadable_release_gives_back(void **state)
{
    AUTO_FREE char *xml = swollen_xml(1, 1, " ", 9 << 20);
    static const char cut[] = "<domain><name>guest2</name>"
                              "<uuid>aaaaaaaa-0000-4000-8000-000000000002</uuid><metadata><a>";

    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "larger than 8 MiB");
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_hook(&scene, cut, "reconnect", "begin"), 0);
    assert_int_equal(scene_hook(&scene, cut, "release", "end"), 0);
    scene_assert_empty(&scene);
    assert_int_equal(scene_hook(&scene, "<domain><uuid>no", "release", "end"), 0);
}

/* The same of what is small, and would cost the parser more than anybody is to wait. */
static void
what_costs_too_much_is_given_back(void **state)
{
    static const char *const refusing[] = {"prepare", "migrate", "restore"};
    AUTO_FREE char *xml = swollen_xml(1, 1, "<a xmlns='urn:x'/>", 20001);

    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    for (size_t i = 0; i < COUNT(refusing); i++) {
        assert_int_equal(scene_hook(&scene, xml, refusing[i], "begin"), 1);
        scene_assert_said(&scene, "guest1: cannot read the domain XML: up to line ");
        scene_assert_said(&scene, " it has 20001 namespace declarations, and at most 20000 are "
                                  "read: make its <metadata> smaller");
        assert_string_equal(scene.printed, "");
    }
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);
}

/* A guest of a fleet whose other hosts know more: nothing is made, or rewritten, of what is only
 * understood in part; and what it has already is given back. */
static void
a_request_of_another_version(void **state)
{
    static const char *const refusing[] = {"prepare", "migrate", "restore"};
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});
    char *version = strstr(xml, REQUEST_NAMESPACE) + strlen(REQUEST_NAMESPACE) - 1;

    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    *version = '2';
    for (size_t i = 0; i < COUNT(refusing); i++) {
        assert_int_equal(scene_hook(&scene, xml, refusing[i], "begin"), 1);
        scene_assert_said(&scene, "guest1: <vgpu:request> is of the namespace "
                                  "urn:libvirt-vgpu:domain:2, and this program knows only "
                                  "urn:libvirt-vgpu:domain:1: upgrade libvirt-vgpu");
        assert_string_equal(scene.printed, "");
        assert_int_equal(scene_leases(&scene, "held"), 1);
    }
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);
}

static void
lost_ledger_is_made_anew_by_reconnect(void **state)
{
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});
    AUTO_FREE char *other =
        scene_xml(2, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){2, 0});

    (void)state;
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    fake_write(&scene.kernel, "etc/mdevctl.d/mtty/dddddddd-0000-4000-8000-000000000002", "{}");
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_hook(&scene, other, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_hook(&scene, other, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "mtty-2");
}

static int
write_nothing(const struct host *host, const char *path, const char *text)
{
    (void)host;
    (void)path;
    (void)text;
    return 0;
}

/* It takes every order, and does nothing. */
static void
a_driver_that_lies(void **state)
{
    static struct host_ops ops;

    (void)state;
    ops = *scene.kernel.host.ops;
    ops.write = write_nothing;
    scene.kernel.host.ops = &ops;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "No such device");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* While we are switched off, what a guest has was made by somebody else. */
static void
switched_off_we_have_made_nothing(void **state)
{
    static const struct {
        const char *configuration;
        size_t found;
    } rows[] = {{"enabled = false;", 1}, {"enabled = true;", 0}, {"this is { none", 0}};
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene_configure(&scene, rows[i].configuration);
        assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
        assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
        assert_int_equal(scene_leases(&scene, "held"), 1);
        assert_int_equal(scene_leases(&scene, "found"), rows[i].found);
        assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        assert_int_equal(fake_count(&scene.kernel), rows[i].found);
        if (rows[i].found)
            assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    }
}

static void
plain_guest_touches_nothing(void **state)
{
    AUTO_FREE char *xml = scene_xml(1, "", (const unsigned[]){0});
    static const char *const events[][2] = {
        {"prepare", "begin"}, {"start", "begin"},     {"started", "begin"}, {"stopped", "end"},
        {"release", "end"},   {"reconnect", "begin"}, {"migrate", "begin"}, {"restore", "begin"},
        {"attach", "begin"},  {"invented", "later"},
    };

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "this is { no configuration");
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
        scene.kernel.faults->opens = 0;
        assert_int_equal(scene_hook(&scene, xml, events[i][0], events[i][1]), 0);
        assert_string_equal(scene.said, "");
        assert_int_equal(scene.kernel.faults->opens, 0);
    }
}

static void
broken_configuration_stops_vgpu_guests_only(void **state)
{
    (void)state;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "\n\nenabled = 1;\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 1);
    scene_assert_said(&scene,
                      "guest2: /etc/libvirt-vgpu/vgpu.conf:3: enabled must be true or false");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "enabled = false;");
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    scene_assert_empty(&scene);
}

/* A UUID may stay taken for a moment after its device went; that moment begins when it is seen, and
 * not with a start that has waited for something else before. */
static void
a_uuid_that_is_not_quite_gone(void **state)
{
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\"/>"
                                    "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\"/>",
                                    (const unsigned[]){1, 2, 0});
    struct fake_faults *faults = scene.kernel.faults;

    (void)state;
    faults->create_delay = 4000;
    faults->fail_at = faults->writes + 2;
    faults->fail_with = EEXIST;
    if (scene_hook(&scene, xml, "prepare", "begin") != 0)
        fail_msg("%s", scene.said);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* Nothing but the lease tells the size of a type that nobody asks for, on every card. */
static void
quota_of_a_size_holds_on_every_card(void **state)
{
    static const char *const cards[] = {"0000:18:00.0", "0000:3b:00.0"};

    (void)state;
    scene_configure(&scene,
                    "classes = { large = { framebuffer = \"8G\"; }; };\n"
                    "quotas = ( { domains = [ \"guest*\" ]; class = \"large\"; max = 1; } );\n");
    for (size_t i = 0; i < COUNT(cards); i++) {
        AUTO_FREE char *devices = NULL, *xml = NULL;

        assert_true(asprintf(&devices,
                             "<vgpu:device alias=\"ua-gpu1\" type=\"T4-16Q\" parent=\"%s\"/>",
                             cards[i]) > 0);
        xml = scene_xml(1, devices, (const unsigned[]){1, 0});
        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_int_equal(scene_prepare(&scene, 2, 2, "T4-8Q"), 1);
        scene_assert_said(&scene, "the quota of 1 for class large is used up (1; ");
        assert_int_equal(scene_release(&scene, 1, 1), 0);
    }
}

static void
quota_holds_for_any_words(void **state)
{
    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "classes = { small = { types = [ \"mtty-2\", \"T4-1B\" ]; }; };\n"
               "quotas = ( { domains = [ \"guest*\" ]; class = \"small\"; max = 2; } );\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "Dual port serial"), 1);
    scene_assert_said(
        &scene, "the quota of 2 for class small is used up (2; /etc/libvirt-vgpu/vgpu.conf:2)");
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-1"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 0);
}

static void
one_alias_is_one_device(void **state)
{
    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "domains = ( { name = \"*\"; devices = (\n"
               "{ alias = \"ua-a\"; type = \"mtty-1\"; },\n"
               "{ alias = \"ua-a\"; type = \"mtty-2\"; } ); } );\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 1);
    scene_assert_said(&scene,
                      "/etc/libvirt-vgpu/vgpu.conf:3: the alias \"ua-a\" is listed already, at "
                      "/etc/libvirt-vgpu/vgpu.conf:2");
}

static void
parameters_reach_the_driver(void **state)
{
    static const char with_param[] = "<vgpu:device type=\"%s\">"
                                     "<vgpu:param name=\"frame_rate_limiter\" value=\"0\"/>"
                                     "</vgpu:device>";
    char text[256], params[64];
    char *xml;

    (void)state;
    snprintf(text, sizeof(text), with_param, "T4-1B");
    xml = scene_xml(1, text, (const unsigned[]){1, 0});
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_true(host_read(&scene.kernel.host, params, sizeof(params),
                          "sys/bus/mdev/devices/%s/nvidia/vgpu_params", scene_device(1)) > 0);
    assert_string_equal(params, "frame_rate_limiter=0");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    free(xml);
    snprintf(text, sizeof(text), with_param, "mtty-1");
    xml = scene_xml(1, text, (const unsigned[]){1, 0});
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "the driver of mtty takes no parameters");
    free(xml);
    scene_assert_empty(&scene);
}

/* A device that is taken back has those of its last run. */
static void
parameters_of_the_last_run_are_cleared(void **state)
{
    static const char with_param[] = "<vgpu:device type=\"T4-1B\">"
                                     "<vgpu:param name=\"frame_rate_limiter\" value=\"0\"/>"
                                     "</vgpu:device>";
    AUTO_FREE char *xml = scene_xml(1, with_param, (const unsigned[]){1, 0});
    char params[64];

    (void)state;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "release = \"keep\";");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene.kernel.faults->writes, 2);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
        assert_true(host_read(&scene.kernel.host, params, sizeof(params),
                              "sys/bus/mdev/devices/%s/nvidia/vgpu_params", scene_device(1)) >= 0);
        assert_string_equal(params, " ");
        assert_int_equal(scene.kernel.faults->writes, 3);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
    }
}

static void
near_the_guests_node(void **state)
{
    static const char xml[] =
        "<domain><name>guest1</name><uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>"
        "<metadata><r:request xmlns:r='urn:libvirt-vgpu:domain:1'>"
        "<r:device type='T4-1B' numa='require'/></r:request></metadata>"
        "<vcpu cpuset='4-5'>2</vcpu><devices><hostdev mode='subsystem' type='mdev' "
        "model='vfio-pci'><source><address uuid='dddddddd-0000-4000-8000-000000000001'/></source>"
        "</hostdev></devices></domain>";
    struct vgpu found;
    struct name uuid, gpu;

    (void)state;
    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
                        "gpu 0000:19:00.0 rule size numa 1\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 1\n");
    fake_write(&scene.kernel, "sys/devices/system/node/node0/cpulist", "0-3\n");
    fake_write(&scene.kernel, "sys/devices/system/node/node1/cpulist", "4-7\n");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(name_parse_uuid(&uuid, scene_device(1)), 0);
    assert_int_equal(vgpu_find(&scene.kernel.host, &uuid, &found, &gpu), 0);
    assert_string_equal(gpu.text, "0000:19:00.0");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:19:00.0", "nvidia-222", scene_device(3)), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(
        &scene, "0000:18:00.0 is not on the guest's NUMA nodes, 0000:19:00.0 is full (1 of 1)");
}

/* A parent goes, and attributes cannot be read: the rest goes on. */
static void
sick_parents_are_passed_over(void **state)
{
    (void)state;
    fake_vanish(&scene.kernel, "0000:18:00.0");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene.kernel.faults->unreadable = 1;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "mtty does not tell its room (Input/output error)");
    scene_assert_empty(&scene);
}

int
main(void)
{
#define TEST(name) SCENE_TEST(name, here)
    const struct CMUnitTest tests[] = {
        TEST(start_and_end),
        TEST(type_by_any_word),
        TEST(full_says_why),
        TEST(unknown_type_lists_the_known),
        TEST(class_falls_to_its_second_type),
        TEST(all_devices_or_none),
        TEST(two_devices_on_two_gpus),
        TEST(clone_is_refused_and_changes_nothing),
        TEST(foreign_device_is_used_and_left),
        TEST(refused_create_goes_elsewhere_or_says_so),
        TEST(any_failing_write_is_undone),
        TEST(a_gpu_that_comes_up_late),
        TEST(a_hook_whose_daemon_is_gone),
        TEST(busy_at_release_is_left_and_taken_back),
        TEST(recovery_of_others_make_room),
        TEST(what_was_in_the_way_is_let_go),
        TEST(stuck_create_is_left_to_its_writer),
        TEST(stuck_create_that_shows_nothing),
        TEST(changed_request_replaces_what_is_left),
        TEST(start_looks_at_what_the_guest_has),
        TEST(broken_ledger_stops_prepare_only),
        TEST(unreadable_release_gives_back),
        TEST(what_costs_too_much_is_given_back),
        TEST(a_request_of_another_version),
        TEST(lost_ledger_is_made_anew_by_reconnect),
        TEST(switched_off_we_have_made_nothing),
        TEST(a_driver_that_lies),
        TEST(plain_guest_touches_nothing),
        TEST(broken_configuration_stops_vgpu_guests_only),
        TEST(a_uuid_that_is_not_quite_gone),
        TEST(quota_holds_for_any_words),
        SCENE_TEST(quota_of_a_size_holds_on_every_card, two_cards),
        TEST(one_alias_is_one_device),
        TEST(parameters_reach_the_driver),
        TEST(parameters_of_the_last_run_are_cleared),
        TEST(near_the_guests_node),
        TEST(sick_parents_are_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
