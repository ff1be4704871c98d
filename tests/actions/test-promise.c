/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A place on another GPU of this host waits for one guest while the guest is saved. Its next start
 * takes this place, and nobody else gets it. */

#include "actions/drain.h"
#include "actions/promise.h"
#include "actions/reconcile.h"
#include "domain/request-parser.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST  "0000:18:00.0"
#define SECOND "0000:3b:00.0"
#define MACHINE                                                                                    \
    "gpu " FIRST " rule size\n"                                                                    \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 4\n"                                      \
    "type nvidia-230 \"GRID T4-2Q\" framebuffer 2048 max 2\n"                                      \
    "gpu " SECOND " rule size\n"                                                                   \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 4\n"                                      \
    "type nvidia-230 \"GRID T4-2Q\" framebuffer 2048 max 2\n"
#define FUNCTIONS                                                                                  \
    "gpu 0000:3d:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:5e:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n"
#define CLASS "classes = { any = { types = [ \"T4-1B\", \"T4-2Q\" ]; }; };\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
#define TEST(name) SCENE_TEST(name, here)

/* The guest as it runs, and what waits for it. */
static struct guest {
    char *xml;
    struct request request;
    struct promise promise;
} guest;

static void
must(const char *operation, const char *sub)
{
    if (scene_hook(&scene, guest.xml, operation, sub) != 0)
        fail_msg("%s: %s", operation, scene.said);
}

/* The caller frees the XML with forget. */
static void
take(char *xml)
{
    const struct document document = {xml, strlen(xml)};
    struct error error;

    guest = (struct guest){.xml = xml, .promise = PROMISE_NONE};
    if (request_parse(&document, &guest.request, &error) < 0)
        fail_msg("%s", error.text);
}

static void
forget(void)
{
    promise_close(&guest.promise);
    request_clear(&guest.request);
    free(guest.xml);
    guest = (struct guest){0};
}

/* Guest 1 runs with a vGPU of this type. */
static void
runs(const char *attributes)
{
    char device[128];

    snprintf(device, sizeof(device), "<vgpu:device alias=\"ua-gpu1\" %s/>", attributes);
    take(scene_xml(1, device, (const unsigned[]){1, 0}));
    must("prepare", "begin");
    must("started", "begin");
}

static int
hold(const char *left, const char *only, struct error *error)
{
    AUTO(names_clear) struct names gpus = {0}, wanted = {0};
    struct name gpu;

    assert_int_equal(name_parse(&gpu, left), 0);
    names_append(&gpus, &gpu);
    if (only) {
        assert_int_equal(name_parse(&gpu, only), 0);
        names_append(&wanted, &gpu);
    }
    return promise_hold(&scene.kernel.host, &guest.request, &gpus, &wanted, &guest.promise, error);
}

static void
must_hold(const char *left)
{
    struct error error;

    if (hold(left, NULL, &error) < 0)
        fail_msg("%s", error.text);
}

static void
must_give(void)
{
    struct error error;

    if (promise_give(&guest.promise, &error) < 0)
        fail_msg("%s", error.text);
}

static void
is_on(const char *gpu)
{
    if (!host_exists(&scene.kernel.host, "sys/class/mdev_bus/%s/%s", gpu, scene_device(1)))
        fail_msg("it is not on %s", gpu);
}

/* Which places other guests get. Each is given back. */
static unsigned
count_others(const char *type)
{
    unsigned started = 0;

    for (unsigned i = 2; i < 12; i++) {
        if (scene_prepare(&scene, i, i, type) == 0)
            started++;
    }
    for (unsigned i = 2; i < 12; i++)
        assert_int_equal(scene_release(&scene, i, i), 0);
    return started;
}

/* The guest ends, starts at the place that is held, and ends again. */
static void
moves(void)
{
    must("release", "end");
    must_give();
    must("prepare", "begin");
    is_on(SECOND);
    must("release", "end");
    forget();
}

TEST(the_place_waits)
{
    runs("type=\"T4-1B\"");
    is_on(FIRST);
    must_hold(FIRST);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    /* Three beside it, and three on the other GPU. */
    assert_int_equal(count_others("T4-1B"), 6);
    must("release", "end");
    assert_int_equal(count_others("T4-1B"), 7);
    must_give();
    assert_int_equal(scene_leases(&scene, "reserved"), 1);
    assert_int_equal(scene_leases(&scene, "pending"), 0);
    assert_int_equal(count_others("T4-1B"), 7);
    must("restore", "begin");
    assert_string_equal(scene.printed, "");
    assert_int_equal(count_others("T4-1B"), 7);
    must("prepare", "begin");
    is_on(SECOND);
    assert_int_equal(scene_leases(&scene, ""), 1);
    must("release", "end");
    /* The next start is as free as any. */
    must("prepare", "begin");
    is_on(FIRST);
    must("release", "end");
    forget();
    scene_assert_empty(&scene);
}

/* Guests that arrive get new UUIDs by vgpu.conf. A promise is found by the UUID that the guest had,
 * because its hostdev may have no alias of the user's. */
TEST(new_uuids_for_arrivals)
{
    char *xml = scene_xml(1, "", (const unsigned[]){1, 0}), *alias = strstr(xml, "ua-gpu1");

    scene_configure(&scene, "migrate_uuid = \"new\"; default_class = \"small\";\n"
                            "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    memcpy(alias, "hostdev", strlen("hostdev"));
    take(xml);
    must("prepare", "begin");
    is_on(FIRST);
    must_hold(FIRST);
    must("release", "end");
    must_give();
    must("restore", "begin");
    assert_string_equal(scene.printed, "");
    must("prepare", "begin");
    is_on(SECOND);
    must("release", "end");
    forget();
    scene_assert_empty(&scene);
}

/* A plain start takes the place, too: libvirt restores by itself if there is an image. */
TEST(without_restore)
{
    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    moves();
}

/* The type is what the guest had. A class would give the first GPU's other type. */
TEST(its_type_stays)
{
    scene_configure(&scene, CLASS);
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-230", scene_device(9)), 0);
    assert_int_equal(fake_make(&scene.kernel, SECOND, "nvidia-230", scene_device(8)), 0);
    runs("class=\"any\"");
    is_on(FIRST);
    must_hold(FIRST);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(9)), 0);
    must("release", "end");
    assert_int_equal(fake_remove(&scene.kernel, scene_device(8)), 0);
    must_give();
    must("prepare", "begin");
    is_on(SECOND);
    scene_assert_type(&scene, scene_device(1), "nvidia-230");
    must("release", "end");
    forget();
}

static void
must_drain(const char *word)
{
    struct name gpu;
    struct error error;

    assert_int_equal(name_parse(&gpu, word), 0);
    if (drain_gpu(&scene.kernel.host, &gpu, &(struct drained_note){0}, &error) < 0)
        fail_msg("%s", error.text);
}

/* A drained GPU takes who was promised a place there before, and nobody else. */
TEST(a_drained_gpu)
{
    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    must("release", "end");
    must_give();
    must_drain(FIRST);
    must_drain(SECOND);
    assert_int_equal(count_others("T4-1B"), 0);
    must("prepare", "begin");
    is_on(SECOND);
    must("release", "end");
    assert_int_not_equal(scene_hook(&scene, guest.xml, "prepare", "begin"), 0);
    forget();
}

/* If the place will not do any more, the start says so, and takes no other. */
TEST(the_place_is_lost)
{
    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    must("release", "end");
    must_give();
    assert_int_equal(fake_make(&scene.kernel, SECOND, "nvidia-230", scene_device(9)), 0);
    assert_int_not_equal(scene_hook(&scene, guest.xml, "prepare", "begin"), 0);
    scene_assert_said(&scene, FIRST " is not where a place is promised to this guest, " SECOND
                                    " holds nvidia-230");
    /* libvirt then calls release, which ends the promise. */
    must("release", "end");
    assert_int_equal(scene_leases(&scene, ""), 0);
    must("prepare", "begin");
    is_on(FIRST);
    must("release", "end");
    forget();
}

TEST(no_room)
{
    struct error error;

    runs("type=\"T4-1B\"");
    assert_int_equal(fake_make(&scene.kernel, SECOND, "nvidia-230", scene_device(9)), 0);
    assert_int_equal(hold(FIRST, NULL, &error), REFUSED);
    assert_non_null(strstr(error.text, FIRST " is not one that it is to move to"));
    assert_int_equal(scene_leases(&scene, ""), 1);
    promise_close(&guest.promise);
    assert_int_equal(hold("mtty", FIRST, &error), 0);
    promise_close(&guest.promise);
    assert_int_equal(scene_leases(&scene, ""), 1);
    must("release", "end");
    forget();
}

/* What the guest has now counts once for a quota. */
TEST(a_quota)
{
    scene_configure(&scene,
                    CLASS "quotas = ( { domains = [ \"*\" ]; class = \"any\"; max = 1; } );\n");
    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    assert_int_equal(count_others("T4-1B"), 0);
    moves();
}

/* The new GPU does not take the guest, so the guest goes back where it was, though that GPU is
 * drained by now. */
TEST(and_back)
{
    struct promise back;
    struct error error;

    runs("type=\"T4-1B\"");
    must_drain(FIRST);
    must_hold(FIRST);
    must("release", "end");
    must_give();
    must("release", "end");
    if (promise_hold_former(&guest.promise, &back, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    if (promise_give(&back, &error) < 0)
        fail_msg("%s", error.text);
    promise_close(&back);
    must("restore", "begin");
    must("prepare", "begin");
    is_on(FIRST);
    must("release", "end");
    forget();
    scene_assert_empty(&scene);
}

/* libvirt refuses the start before it calls any hook: the promise is replaced. */
TEST(back_without_release)
{
    static const bool ways[] = {false, true};

    for (size_t i = 0; i < COUNT(ways); i++) {
        struct promise back;
        struct error error;

        if (ways[i]) {
            scene_stop(&scene);
            scene_start(&scene, FUNCTIONS);
            take(scene_xml_at(1, "0000:3d:00.4", "type=\"L40S-8Q\""));
            must("prepare", "begin");
            must_hold("0000:3d:00.0");
        } else {
            runs("type=\"T4-1B\"");
            must_hold(FIRST);
        }
        must("release", "end");
        must_give();
        if (promise_hold_former(&guest.promise, &back, &error) < 0)
            fail_msg("%s", error.text);
        if (promise_give(&back, &error) < 0)
            fail_msg("%s", error.text);
        promise_close(&back);
        assert_int_equal(scene_leases(&scene, "reserved"), 1);
        must("restore", "begin");
        assert_string_equal(scene.printed, "");
        must("prepare", "begin");
        if (!ways[i])
            is_on(FIRST);
        must("release", "end");
        forget();
        scene_assert_empty(&scene);
    }
}

static void
runs_with_function(void)
{
    scene_stop(&scene);
    scene_start(&scene, FUNCTIONS);
    take(scene_xml_at(1, "0000:3d:00.4", "type=\"L40S-8Q\""));
    must("prepare", "begin");
    must_hold("0000:3d:00.0");
}

/* A virtual function has another name than the former one, which has to be gone as well. */
TEST(a_former_function)
{
    struct error error;

    runs_with_function();
    assert_int_equal(promise_give(&guest.promise, &error), -EBUSY);
    assert_non_null(strstr(error.text, "0000:3d:00.4 is not gone yet (held)"));
    must("release", "end");
    must_give();
    must("release", "end");
    forget();
    scene_assert_empty(&scene);
}

/* The place is promised when this process locks for the first time: after a look. */
static struct host_ops ops;
static bool is_given;

static int
give_and_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    if (!is_given) {
        pid_t other;

        is_given = true;
        other = fork();
        if (other == 0) {
            must_give();
            _exit(0);
        }
        scene_assert_ends_well(other);
    }
    return fake_clock_lock(host, fd, nanoseconds);
}

/* Somebody else starts the guest. Its restore looks, and then the place is promised. */
TEST(promised_after_a_look)
{
    runs_with_function();
    must("release", "end");
    ops = *scene.kernel.host.ops;
    ops.lock = give_and_lock;
    scene.kernel.host.ops = &ops;
    is_given = false;
    must("restore", "begin");
    assert_true(is_given);
    assert_non_null(strstr(scene.printed, "bus='0x5e'"));
    assert_int_equal(scene_leases(&scene, "reserved"), 1);
    must("release", "end");
    guest.promise.count = 0; /* the other process has given it */
    forget();
}

/* After a minute the promise counts no more. */
TEST(late)
{
    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    must("release", "end");
    must_give();
    fake_sleep(61000);
    must("prepare", "begin");
    is_on(FIRST);
    must("release", "end");
    forget();
}

/* A restore on drained GPUs keeps the promise for the prepare that follows. */
TEST(restored_on_a_drained_gpu)
{
    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    must("release", "end");
    must_give();
    must_drain(FIRST);
    must_drain(SECOND);
    must("restore", "begin");
    must("prepare", "begin");
    is_on(SECOND);
    must("release", "end");
    forget();
}

static int
foresee(struct snapshot *snapshot, const struct names *left, const struct names *only,
        struct ledger *former, struct error *error)
{
    ledger_clear(former);
    return promise_foresee(snapshot, &scene.kernel.host, &guest.request, left, only, former, error);
}

/* Two calls at once hold two places. What is foreseen takes its place, too. */
TEST(several_at_once)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(ledger_clear) struct ledger former = {0};
    const struct names any = {0};
    struct guest other;
    struct error error;
    struct name gpu;
    AUTO(names_clear) struct names gpus = {0};

    scene_stop(&scene);
    scene_start(&scene, FUNCTIONS);
    take(scene_xml_at(1, "0000:3d:00.4", "type=\"L40S-8Q\""));
    must("prepare", "begin");
    other = guest;
    take(scene_xml_at(2, "0000:3d:00.5", "type=\"L40S-8Q\""));
    must("prepare", "begin");
    assert_int_equal(name_parse(&gpu, "0000:3d:00.0"), 0);
    names_append(&gpus, &gpu);
    assert_int_equal(
        snapshot_take_to_show(&snapshot, &scene.kernel.host, &inventory_all_types, &error), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(foresee(&snapshot, &gpus, &any, &former, &error), 0);
        assert_int_equal(snapshot.ledger.count, 2 + i + 1);
    }
    assert_int_equal(foresee(&snapshot, &gpus, &any, &former, &error), REFUSED);
    assert_int_equal(snapshot.ledger.count, 2 + 4);
    assert_int_equal(scene_leases(&scene, ""), 2);

    must_hold("0000:3d:00.0");
    assert_int_equal(
        promise_hold(&scene.kernel.host, &other.request, &gpus, &any, &other.promise, &error), 0);
    assert_int_equal(scene_leases(&scene, "pending"), 2);
    assert_string_not_equal(guest.promise.devices[0].text, other.promise.devices[0].text);
    must("release", "end");
    must_give();
    must("release", "end");
    forget();
    guest = other;
    must("release", "end");
    forget();
    scene_assert_empty(&scene);
}

/* The vGPU of the same UUID has to be gone first. */
TEST(too_early)
{
    struct error error;

    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    assert_int_equal(promise_give(&guest.promise, &error), -EBUSY);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    must("release", "end");
    must_give();
    must("release", "end");
    forget();
    scene_assert_empty(&scene);
}

/* Two commands move the guest at once: the second holds nothing, and the first goes on. */
TEST(moved_twice)
{
    struct promise first;
    struct error error;

    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    first = guest.promise;
    assert_int_equal(hold(FIRST, NULL, &error), -EBUSY);
    if (!strstr(error.text, "another vgpuctl moves guest1: it holds a place on " SECOND))
        fail_msg("%s", error.text);
    promise_close(&guest.promise);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    guest.promise = first;
    moves();
    scene_assert_empty(&scene);
}

static int
end_and_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    if (!is_given) {
        is_given = true;
        must("release", "end");
    }
    return fake_clock_lock(host, fd, nanoseconds);
}

/* The guest ends between the look and the lock. */
TEST(ended_since_the_look)
{
    struct error error;

    runs("type=\"T4-1B\"");
    ops = *scene.kernel.host.ops;
    ops.lock = end_and_lock;
    scene.kernel.host.ops = &ops;
    is_given = false;
    assert_int_equal(hold(FIRST, NULL, &error), -EBUSY);
    if (!strstr(error.text, " of guest1 has changed meanwhile; try again") ||
        !strstr(error.text, scene_device(1)))
        fail_msg("%s", error.text);
    forget();
    scene_assert_empty(&scene);
}

/* An administrator has removed the ledger. */
TEST(not_held_any_more)
{
    struct error error;

    runs("type=\"T4-1B\"");
    must_hold(FIRST);
    must("release", "end");
    assert_int_equal(host_remove(&scene.kernel.host, "run/libvirt-vgpu/ledger"), 0);
    assert_int_equal(promise_give(&guest.promise, &error), -ESTALE);
    assert_int_equal(scene_leases(&scene, ""), 0);
    forget();
    scene_assert_empty(&scene);
}

/* Whoever comes next sweeps what a killed process held. */
TEST(killed)
{
    pid_t child;

    runs("type=\"T4-1B\"");
    child = fork();
    if (child == 0) {
        must_hold(FIRST);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    /* It keeps nobody from moving the guest. */
    must_hold(FIRST);
    promise_close(&guest.promise);
    scene_reconcile(&scene);
    assert_int_equal(scene_leases(&scene, ""), 1);
    must("release", "end");
    forget();
    scene_assert_empty(&scene);
}

/* A virtual function is in the XML, so the restore gives the guest the new one. */
TEST(a_function)
{
    char *printed;

    scene_stop(&scene);
    scene_start(&scene, FUNCTIONS);
    take(scene_xml_at(1, "0000:3d:00.4", "type=\"L40S-8Q\""));
    must("prepare", "begin");
    must_hold("0000:3d:00.0");
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    must("release", "end");
    must_give();
    must("restore", "begin");
    assert_non_null(strstr(scene.printed, "bus='0x5e'"));
    printed = strdup(scene.printed);
    assert_int_equal(scene_hook(&scene, printed, "prepare", "begin"), 0);
    scene_assert_type(&scene, "0000:5e:00.4", "nvidia-1152");
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_hook(&scene, printed, "release", "end"), 0);
    free(printed);
    forget();
    scene_assert_empty(&scene);
}
