/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A running guest gets one more vGPU, or loses one, and other events come in between. */

#include "actions/assign.h"
#include "actions/reconcile.h"
#include "actions/release.h"
#include "domain/request-parser.h"
#include "fake/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define MACHINE "gpu mtty rule pool 6\ntype mtty-2 \"Dual port serial\" uses 2\n"

static struct scene scene;
static struct error error;
static int qemu; /* the process that stands for guest 1's QEMU */

static const unsigned one[] = {1, 0}, both[] = {1, 2, 0};

/* Writes libvirt's status file of guest 1, with the devices with which it runs. */
static void
runs_with(const unsigned *numbers)
{
    AUTO_FREE char *xml = scene_xml(1, "", numbers);

    scene_put_status(&scene, 1, qemu, xml);
}

/* Guest 1 runs with device 1. */
static void
begin(void)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    qemu = getpid();
    runs_with(one);
    error = (struct error){0};
}

static const struct scene_case here = {.scene = &scene, .machine = MACHINE, .begin = begin};

/* No other program touches the leases: there are still `count` of them. */
static void
assert_all_left_alone(size_t count)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};

    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    assert_int_equal(outcomes.count, count);
    for (size_t i = 0; i < count; i++) {
        if (outcomes.items[i].outcome != OUTCOME_LEFT)
            fail_msg("%s: %s", outcome_name(outcomes.items[i].outcome), outcomes.items[i].why.text);
    }
}

static struct request
request_of(const char *devices, const unsigned *numbers)
{
    AUTO_FREE char *xml = scene_xml(1, devices, numbers);
    const struct document document = {xml, strlen(xml)};
    struct request request;

    if (request_parse(&document, &request, &error) < 0 || request_check(&request, &error) < 0)
        fail_msg("%s", error.text);
    return request;
}

/* Plugs device 2 into guest 1. */
static int
plug(int (*run)(void *data, struct error *why))
{
    AUTO(request_clear)
    struct request request = request_of("<vgpu:device alias='ua-gpu1' type='mtty-2'/>"
                                        "<vgpu:device alias='ua-gpu2' type='mtty-2'/>",
                                        both);
    const struct assign_handover handover = {run, NULL};
    struct name device;

    assert_int_equal(name_parse_uuid(&device, scene_device(2)), 0);
    return assign_device(&scene.kernel.host, &request, &device, &handover, &error);
}

static int
unplug(unsigned number)
{
    struct name domain, device;

    assert_int_equal(name_parse_uuid(&domain, "aaaaaaaa-0000-4000-8000-000000000001"), 0);
    assert_int_equal(name_parse_uuid(&device, scene_device(number)), 0);
    return release_device(&scene.kernel.host, &domain, &device, &error);
}

/* While libvirt plugs the device, all other programs run. */
static int
libvirt_takes_it(void *data, struct error *why)
{
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "mtty-2");
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    assert_all_left_alone(2);
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 1);
    assert_int_equal(scene_release(&scene, 3, 3), 0);
    runs_with(both);
    return 0;
}

static int
libvirt_plugs_it(void *data, struct error *why)
{
    runs_with(both);
    return 0;
}

static int
libvirt_refuses(void *data, struct error *why)
{
    assert_int_equal(fake_count(&scene.kernel), 2);
    return error_set(why, -EIO, "no free slot");
}

static int
not_asked(void *data, struct error *why)
{
    fail_msg("nothing was made to be handed over");
    return 0;
}

/* A field of a device's line in the ledger, counted from 0. The caller frees it. */
static char *
field_of(unsigned number, unsigned field)
{
    static char text[16384];
    struct host host = {.root = scene.kernel.host.root, .ops = &host_kernel};
    char *line, *word;

    assert_true(host_read(&host, text, sizeof(text), "run/libvirt-vgpu/ledger") > 0);
    line = strstr(text, scene_device(number));
    assert_non_null(line);
    line[strcspn(line, "\n")] = '\0';
    for (field--; (word = strsep(&line, " ")) && field > 0;)
        field--;
    return strdup(word);
}

#define TEST(function) SCENE_TEST(function, here)

TEST(one_more)
{
    AUTO_FREE char *first = NULL, *second = NULL;

    if (plug(libvirt_takes_it) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    /* The second lease waits for a release by the same daemon as the first lease does. */
    first = field_of(1, 11);
    second = field_of(2, 11);
    assert_string_equal(first, second);
    assert_int_not_equal(atoi(second), 0);
    assert_all_left_alone(2);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

TEST(one_less)
{
    struct fake_guest guest;

    scene_configure(&scene, "release = \"keep\"; release_timeout = \"50ms\";");
    assert_int_equal(plug(libvirt_plugs_it), 0);
    guest = fake_open(&scene.kernel, scene_device(2));
    assert_int_equal(unplug(2), -EBUSY);
    assert_non_null(strstr(error.text, scene_device(2)));
    assert_int_equal(fake_count(&scene.kernel), 2);
    fake_close(&guest);
    scene_configure(&scene, "");
    /* One vGPU belongs to somebody else, and one to nobody. */
    assert_int_equal(unplug(7), 0);
    if (unplug(2) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
}

TEST(refused_by_libvirt)
{
    assert_int_equal(plug(libvirt_refuses), -EIO);
    assert_string_equal(error.text, "no free slot");
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

/* Somebody else made a vGPU. A guest used it, and lost it while another daemon ran the guest. This
 * vGPU makes room for nobody, not even for more vGPUs of that guest. */
TEST(a_found_one_that_was_unplugged_stays)
{
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias='ua-gpu1' type='mtty-2'/>"
                                    "<vgpu:device alias='ua-gpu3' type='mtty-2'/>",
                                    (const unsigned[]){1, 3, 0});
    int status;
    pid_t daemon;

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(3)), 0);
    daemon = fork();
    if (daemon == 0) {
        pid_t hook = fork();

        if (hook == 0)
            status = scene_hook(&scene, xml, "prepare", "begin");
        else if (waitpid(hook, &status, 0) != hook)
            status = 1;
        free(xml);
        _exit(status != 0);
    }
    scene_assert_ends_well(daemon);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    runs_with(one);
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 0);
    assert_int_equal(plug(not_asked), REFUSED);
    scene_assert_type(&scene, scene_device(3), "mtty-2");
}

TEST(refused_by_ourselves)
{
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 0);
    assert_int_equal(plug(not_asked), REFUSED);
    assert_non_null(strstr(error.text, "ua-gpu2 (mtty-2): mtty is full (3 in use)"));
    assert_int_equal(scene_release(&scene, 4, 4), 0);
    /* vGPUs that the guest already has count. */
    scene_configure(&scene, "classes = { c = { types = [ \"mtty-2\" ]; }; };"
                            "quotas = ( { domains = [ \"guest1\" ]; class = \"c\"; max = 1; } );");
    assert_int_equal(plug(not_asked), REFUSED);
    assert_non_null(strstr(error.text, "the quota of 1 for class c is used up (1"));
    scene_configure(&scene, "enabled = false;");
    assert_int_equal(plug(not_asked), -EOPNOTSUPP);
    assert_int_equal(fake_count(&scene.kernel), 2);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

static int
the_guest_ends(void *data, struct error *why)
{
    assert_int_equal(libvirt_plugs_it(data, why), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    return 0;
}

/* The guest ends before the ledger says that it has the vGPU. So nobody is told that it has it. */
TEST(a_guest_that_ends_just_then)
{
    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(plug(the_guest_ends), -ESRCH);
    assert_null(strstr(error.text, "the guest has "));
    assert_non_null(strstr(error.text, "its guest has ended; 'vgpuctl reconcile' removes it"));
    assert_int_equal(host_remove(&scene.kernel.host, "run/libvirt/qemu/guest1.xml"), 0);
    scene_reconcile(&scene);
    scene_assert_empty(&scene);
}

/* vgpuctl is killed before libvirt has the device, or after that. */
static int
killed_before(void *data, struct error *why)
{
    _exit(0);
}

static int
killed_after(void *data, struct error *why)
{
    runs_with(both);
    _exit(0);
}

static void
hotplug_in_a_child(int (*run)(void *data, struct error *why))
{
    pid_t pid;
    int status;

    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(plug(run) < 0 ? 2 : 1);
    scene_assert_ends_well(pid);
    /* The writer ends soon after vgpuctl, and holds its claim until then. */
    while (waitpid(-1, &status, 0) > 0)
        ;
}

TEST(killed)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};

    hotplug_in_a_child(killed_before);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    /* The second attach reuses the parts that the first one left. */
    hotplug_in_a_child(killed_after);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    assert_all_left_alone(2);
    assert_int_equal(fake_count(&scene.kernel), 2);
    /* The guest does not have the device any more. */
    runs_with(one);
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

TEST(any_failing_write_is_undone)
{
    unsigned failures = 0;

    for (unsigned n = 1; n < 8; n++) {
        int rc;

        scene.kernel.faults->writes = 0;
        scene.kernel.faults->fail_at = n;
        scene.kernel.faults->fail_with = ENOMEM;
        rc = plug(libvirt_refuses);
        assert_true(rc < 0);
        failures += rc != -EIO;
        scene.kernel.faults->fail_at = 0;
        assert_int_equal(unplug(2), 0);
        assert_int_equal(fake_count(&scene.kernel), 1);
        assert_int_equal(scene_leases(&scene, ""), 1);
    }
    assert_true(failures > 0);
}

/* --- virtual functions ------------------------------------------------------------------------ */

#define CARD                                                                                       \
    "gpu 0000:3d:00.0 vf vfs 4 rule size\n"                                                        \
    "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 3\n"                                 \
    "type nvidia-1146 \"NVIDIA L40S-2B\" framebuffer 2048 max 2\n"

/* Guest 1 runs with the first function. */
static void
begin_on_card(void)
{
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.4", "L40S-1B"), 0);
    error = (struct error){0};
}

/* Plugs another function into guest 1. */
static int
hotplug_function(const char *address, const char *type, int (*run)(void *data, struct error *why))
{
    AUTO(request_clear) struct request request = {0};
    AUTO_FREE char *devices = NULL, *xml = NULL;
    const struct assign_handover handover = {run, NULL};
    struct document document;
    struct name device;

    assert_true(asprintf(&devices,
                         "<vgpu:device alias='ua-gpu1' type='L40S-1B'/>"
                         "<vgpu:device alias='ua-gpu2' type='%s'/>",
                         type) > 0);
    xml = scene_xml_of(1, devices, (const char *const[]){"0000:3d:00.4", address, NULL});
    document = (struct document){xml, strlen(xml)};
    assert_int_equal(request_parse(&document, &request, &error), 0);
    assert_int_equal(name_parse_pci(&device, address), 0);
    return assign_device(&scene.kernel.host, &request, &device, &handover, &error);
}

static int
unplug_function(const char *address)
{
    struct name domain, device;

    assert_int_equal(name_parse_uuid(&domain, "aaaaaaaa-0000-4000-8000-000000000001"), 0);
    assert_int_equal(name_parse_pci(&device, address), 0);
    return release_device(&scene.kernel.host, &domain, &device, &error);
}

static int
it_has_its_type(void *data, struct error *why)
{
    assert_string_equal(fake_type_of(&scene.kernel, "0000:3d:00.5"), "nvidia-1145");
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    assert_int_equal(scene_prepare_at(&scene, 3, "0000:3d:00.5", "L40S-1B"), 1);
    return 0;
}

static const struct scene_case on_card = {.scene = &scene, .machine = CARD, .begin = begin_on_card};

SCENE_TEST(a_function, on_card)
{
    struct fake_guest guest;

    if (hotplug_function("0000:3d:00.5", "L40S-1B", it_has_its_type) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    scene_configure(&scene, "release_timeout = \"50ms\";");
    guest = fake_open(&scene.kernel, "0000:3d:00.5");
    assert_int_equal(unplug_function("0000:3d:00.5"), -EBUSY);
    assert_int_equal(fake_count(&scene.kernel), 2);
    fake_close(&guest);
    scene_configure(&scene, "");
    if (unplug_function("0000:3d:00.5") < 0)
        fail_msg("%s", error.text);
    assert_string_equal(fake_type_of(&scene.kernel, "0000:3d:00.5"), "");
    assert_string_equal(fake_type_of(&scene.kernel, "0000:3d:00.4"), "nvidia-1145");
    /* The function belongs to the next guest, even if the last guest's event comes once more. */
    assert_int_equal(scene_prepare_at(&scene, 3, "0000:3d:00.5", "L40S-1B"), 0);
    assert_int_equal(unplug_function("0000:3d:00.5"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, "0000:3d:00.5"), "nvidia-1145");
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

SCENE_TEST(a_function_that_is_refused, on_card)
{
    assert_int_equal(hotplug_function("0000:3d:00.5", "L40S-1B", libvirt_refuses), -EIO);
    assert_string_equal(fake_type_of(&scene.kernel, "0000:3d:00.5"), "");
    assert_int_equal(hotplug_function("0000:3d:00.5", "L40S-2B", not_asked), REFUSED);
    assert_non_null(strstr(error.text, "ua-gpu2 (L40S-2B) cannot be on 0000:3d:00.5: its GPU "));
    assert_int_equal(scene_prepare_at(&scene, 3, "0000:3d:00.5", "L40S-1B"), 0);
    assert_int_equal(hotplug_function("0000:3d:00.5", "L40S-1B", not_asked), REFUSED);
    assert_non_null(strstr(error.text, "0000:3d:00.5 belongs to the guest guest3 (held)"));
    assert_non_null(strstr(error.text, "ua-gpu2 could be on 0000:3d:00.6, 0000:3d:00.7"));
    assert_int_equal(fake_count(&scene.kernel), 2);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* libvirt plugs the device in. */
static int
plug_in(void *data, struct error *why)
{
    (void)data, (void)why;
    runs_with(both);
    return 0;
}

/* The place of a kept vGPU that had to go is reserved for the guest, and promises no type. */
TEST(an_evicted_place_is_no_promise)
{
    AUTO(request_clear) struct request request = {0};
    const struct assign_handover handover = {plug_in, NULL};
    struct name device;

    scene_stop(&scene);
    scene_start(&scene, SCENE_T4_AND_MTTY);
    scene_configure(&scene, "release = \"keep\";");
    begin();
    assert_int_equal(scene_prepare(&scene, 5, 5, "T4-2Q"), 0);
    assert_int_equal(scene_release(&scene, 5, 5), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    request = request_of("<vgpu:device alias='ua-gpu1' type='mtty-2'/>"
                         "<vgpu:device alias='ua-gpu2' type='T4-1B'/>",
                         both);
    assert_int_equal(name_parse_uuid(&device, scene_device(2)), 0);
    if (assign_device(&scene.kernel.host, &request, &device, &handover, &error) < 0)
        fail_msg("%s", error.text);
    scene_assert_type(&scene, scene_device(2), "nvidia-222");
}
