/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The mdevctl call-out: its answers to correct and to wrong calls. */

#include "callout/callout.h"
#include "fake/scene.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size vfs 2\n"                                                           \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 2\n"                                      \
    "type nvidia-230 \"GRID T4-2Q\" framebuffer 2048 max 1\n"                                      \
    "gpu mtty rule pool 4\n"                                                                       \
    "type mtty-2 \"Dual port serial\" uses 2\n"
#define LEDGER  "run/libvirt-vgpu/ledger"
#define DRAINED "var/lib/libvirt-vgpu/drained"
#define JSON    "{\"mdev_type\":\"mtty-2\",\"start\":\"manual\",\"attrs\":[]}"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
#define TEST(function) SCENE_TEST(function, here)
static char said[1024];

/* Calls the call-out as mdevctl does. Its words are separated by blanks ("''" is an empty word),
 * and this text is its stdin. Its message is in `said`. */
static int
call(const char *line, const char *json)
{
    AUTO_FREE char *copy = strdup(line);
    AUTO_CLOSE int input = memfd_create("input", MFD_CLOEXEC);
    AUTO_CLOSE int faults = memfd_create("faults", MFD_CLOEXEC);
    char *argv[32] = {(char[]){"50-libvirt-vgpu"}}, *rest = copy, *word;
    ssize_t length;
    int argc = 1, status;

    while ((word = strsep(&rest, " ")) && argc < 31)
        argv[argc++] = strcmp(word, "''") ? word : word + 2;
    assert_int_equal(write(input, json, strlen(json)), strlen(json));
    lseek(input, 0, SEEK_SET);
    status = (int)callout_run(&scene.kernel.host, argc, argv, input, faults);
    length = pread(faults, said, sizeof(said) - 1, 0);
    said[length > 0 ? length : 0] = '\0';
    return status;
}

static int
start(const char *type, unsigned device, const char *parent)
{
    char line[256];

    snprintf(line, sizeof(line), "-t %s -e pre -a start -s none -u %s -p %s", type,
             scene_device(device), parent);
    return call(line, JSON);
}

static void
allowed(const char *type, unsigned device, const char *parent)
{
    if (start(type, device, parent) != CALLOUT_NOT_MINE)
        fail_msg("%s", said);
    assert_string_equal(said, "");
}

/* The call-out refuses with one line, which has these words. */
static void
refused(const char *type, unsigned device, const char *parent, const char *words)
{
    assert_int_equal(start(type, device, parent), CALLOUT_REFUSED);
    if (!strstr(said, words))
        fail_msg("no \"%s\" in: %s", words, said);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

static void
stopped(unsigned device, const char *state)
{
    char line[256];

    snprintf(line, sizeof(line), "-t mtty-2 -e notify -a stop -s %s -u %s -p mtty", state,
             scene_device(device));
    assert_int_equal(call(line, ""), CALLOUT_NOT_MINE);
    assert_string_equal(said, "");
}

/* Writes a lease of now by hand. Its vGPU is not visible. */
static void
write_lease(unsigned device, const char *type, const char *parent, const char *gpu,
            const char *state)
{
    char text[1024], boot_id[64];

    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    snprintf(text, sizeof(text),
             "libvirt-vgpu-ledger 1 %s 2\nmdev %s %s %d %s %s "
             "aaaaaaaa-0000-4000-8000-000000000001 guest1 ua-gpu1 %s made 1:1 0 reap %" PRIu64 "\n",
             boot_id, scene_device(device), type, strcmp(gpu, "mtty") ? 1024 : 0, parent, gpu,
             state, host_seconds(&scene.kernel.host));
    fake_write(&scene.kernel, LEDGER, text);
}

/* A start of an unknown device is allowed, and so is any event that is no start. */
TEST(not_ours)
{
    static const char *const lines[] = {
        "",
        "-e",
        "--help",
        "-t",
        "-t mtty-2 -e pre -a start -s none -u dddddddd-0000-4000-8000-000000000001",
        "-t mtty-2 -e pre -a start -s none -p mtty",
        "-t mtty-2 -e pre -a start -s none -u nonsense -p mtty",
        "-t mtty-2 -e pre -a start -s none -u '' -p mtty",
        "-t mtty-2 -e pre -a start -s none -u dddddddd-0000-4000-8000-000000000001 -p ../..",
        "-t ../x -e pre -a start -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e pre -a start -s none -uu dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e pre -a start -s success -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e pre -a stop -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e pre -a define -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e pre -a modify -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e live -a modify -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e post -a start -s success -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e get -a attributes -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e get -a capabilities -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e notify -a start -s success -u dddddddd-0000-4000-8000-000000000001 -p mtty",
        "-t mtty-2 -e unheard -a of -s none -u dddddddd-0000-4000-8000-000000000001 -p mtty",
    };

    /* If these were starts, all of them would be refused. */
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    fake_write(&scene.kernel, DRAINED "/mtty", "");
    refused("mtty-2", 1, "mtty", "guest1");
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (call(lines[i], JSON) != CALLOUT_NOT_MINE)
            fail_msg("%s: %s", lines[i], said);
        assert_string_equal(said, "");
    }
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

TEST(a_free_uuid_and_place)
{
    allowed("mtty-2", 1, "mtty");
    allowed("nvidia-222", 1, "0000:18:00.4");
    allowed("nvidia-999", 1, "0000:18:00.4");
    allowed("mtty-2", 1, "nowhere");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    allowed("mtty-2", 2, "mtty");
    /* Only the kernel says that a GPU is full. */
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    allowed("mtty-2", 3, "mtty");
}

/* Promises on virtual functions, and drained GPUs, do not matter to mdevctl. A lease without a UUID
 * does not confuse the call-out. */
TEST(virtual_functions)
{
    char text[2048], boot_id[64];

    scene_stop(&scene);
    scene_start(&scene, MACHINE "gpu 0000:3d:00.0 vf vfs 4 rule size\n"
                                "type nvidia-222 \"NVIDIA L40S-8Q\" framebuffer 8192 max 1\n");
    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    snprintf(text, sizeof(text),
             "libvirt-vgpu-ledger 1 %s 2\n"
             "vf 0000:3d:00.4 nvidia-222 8192 0000:3d:00.4 0000:3d:00.0 "
             "aaaaaaaa-0000-4000-8000-000000000001 guest1 ua-gpu1 pending made 1:1 0 reap 1\n"
             "vf 0000:3d:00.5 nvidia-222 8192 0000:3d:00.5 0000:3d:00.0 "
             "aaaaaaaa-0000-4000-8000-000000000002 guest2 ua-gpu1 reserved made 0:0 0 reap 1\n",
             boot_id);
    fake_write(&scene.kernel, LEDGER, text);
    fake_write(&scene.kernel, DRAINED "/0000:3d:00.0", "");
    allowed("mtty-2", 1, "mtty");
    allowed("nvidia-222", 1, "0000:18:00.4");
    allowed("nvidia-230", 2, "0000:18:00.5");
    stopped(1, "success");
    assert_int_equal(scene_leases(&scene, ""), 2);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    assert_int_equal(scene_leases(&scene, "reserved"), 1);
}

TEST(a_uuid_of_ours)
{
    static const char *const states[] = {"pending", "held",     "kept",
                                         "leaving", "removing", "reserved"};
    char words[64];

    for (size_t i = 0; i < COUNT(states); i++) {
        write_lease(1, "mtty-2", "mtty", "mtty", states[i]);
        snprintf(words, sizeof(words), "vGPU of the guest guest1 (%s); take another", states[i]);
        refused("nvidia-222", 1, "0000:18:00.4", words);
    }
    assert_int_equal(call("-t mtty-2 -e pre -a start -s none -p mtty "
                          "-u DDDDDDDD-0000-4000-8000-000000000001",
                          JSON),
                     CALLOUT_REFUSED);
    assert_int_equal(call("-x 1 -t mtty-2 -e pre -a start --more -s none -p mtty "
                          "-u dddddddd-0000-4000-8000-000000000001 -z",
                          JSON),
                     CALLOUT_REFUSED);
}

/* A vGPU that we found, and did not make, belongs to its maker. */
TEST(a_uuid_that_we_found)
{
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    allowed("mtty-2", 1, "mtty");
}

TEST(a_drained_gpu)
{
    fake_write(&scene.kernel, DRAINED "/0000:18:00.0", "");
    refused("nvidia-222", 1, "0000:18:00.4",
            "the GPU 0000:18:00.0 is drained; 'vgpuctl undrain 0000:18:00.0' ends that\n");
    allowed("mtty-2", 1, "mtty");
    /* The name of a function in the list of drained GPUs means nothing, because a function is no
     * GPU. */
    unlinkat(scene.kernel.host.root, DRAINED "/0000:18:00.0", 0);
    fake_write(&scene.kernel, DRAINED "/0000:18:00.4", "");
    allowed("nvidia-222", 1, "0000:18:00.4");
}

TEST(a_promised_place)
{
    /* One of two places is promised. Then the other place is taken. */
    write_lease(1, "mtty-2", "mtty", "mtty", "pending");
    allowed("mtty-2", 2, "mtty");
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(3)), 0);
    refused("mtty-2", 2, "mtty",
            "the room for it on mtty is promised to the guest guest1 (pending)");
    /* The vGPU is visible now. No place is promised any more, and the kernel refuses, because it is
     * full. */
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    allowed("mtty-2", 2, "mtty");
}

/* A start takes a place that was reserved an hour ago. So may mdevctl. */
TEST(a_reservation_that_is_over)
{
    write_lease(1, "mtty-2", "mtty", "mtty", "reserved");
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(3)), 0);
    refused("mtty-2", 2, "mtty",
            "the room for it on mtty is promised to the guest guest1 (reserved)");
    fake_sleep(3600 * 1000);
    allowed("mtty-2", 2, "mtty");
    assert_int_equal(scene_prepare(&scene, 5, 5, "mtty-2"), 0);
}

/* The promise may be any of the leases. The leases before it are on another GPU, or are held. */
TEST(one_promise_of_several_leases)
{
    char text[2048], boot_id[64];

    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    snprintf(text, sizeof(text),
             "libvirt-vgpu-ledger 1 %s 9\n"
             "mdev %s nvidia-222 1024 0000:18:00.4 0000:18:00.0 aaaaaaaa-0000-4000-8000-"
             "000000000001 guest1 ua-gpu1 pending made 1:1 0 reap 1\n"
             "mdev %s mtty-2 0 mtty mtty aaaaaaaa-0000-4000-8000-000000000002 guest2 ua-gpu1 held "
             "made 1:1 0 reap 1\n"
             "mdev %s mtty-2 0 mtty mtty aaaaaaaa-0000-4000-8000-000000000003 guest3 ua-gpu1 "
             "pending made 1:1 0 reap 1\n",
             boot_id, scene_device(1), scene_device(2), scene_device(3));
    fake_write(&scene.kernel, LEDGER, text);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    refused("mtty-2", 4, "mtty",
            "the room for it on mtty is promised to the guest guest3 (pending)");
}

TEST(a_promised_function)
{
    write_lease(1, "nvidia-222", "0000:18:00.4", "0000:18:00.0", "reserved");
    refused("nvidia-222", 2, "0000:18:00.4", "is promised to the guest guest1 (reserved)");
    allowed("nvidia-222", 2, "0000:18:00.5");
    /* A vGPU of the other size would take the whole GPU. */
    refused("nvidia-230", 2, "0000:18:00.5", "promised");
    write_lease(1, "nvidia-222", "0000:18:00.4", "0000:18:00.0", "held");
    allowed("nvidia-222", 2, "0000:18:00.4");
}

/* Our files are broken. Even then the call-out does not stop starts of other devices. */
TEST(what_cannot_be_read)
{
    fake_write(&scene.kernel, LEDGER, "rubbish\n");
    allowed("mtty-2", 1, "mtty");
    fake_write(&scene.kernel, DRAINED "/mtty", "");
    refused("mtty-2", 1, "mtty", "drained");
    unlinkat(scene.kernel.host.root, DRAINED "/mtty", 0);
    unlinkat(scene.kernel.host.root, DRAINED, AT_REMOVEDIR);
    fake_write(&scene.kernel, DRAINED, "no directory");
    allowed("mtty-2", 1, "mtty");
    scene_configure(&scene, "nonsense");
    allowed("mtty-2", 1, "mtty");
    stopped(1, "success");
}

/* stdin has any text or no text, or is a pipe that never ends. */
TEST(whatever_is_on_stdin)
{
    static const char *const texts[] = {"", "{", "\xff\xfe", "null", "[[[[[[[[[[[[[[[[[[[[[[[["};
    AUTO_FREE char *large = malloc((1 << 20) + 1);
    char line[256], *argv[16], *rest = line;
    int ends[2], argc = 0, faults = memfd_create("faults", MFD_CLOEXEC);
    uint64_t before = fake_now();

    write_lease(1, "mtty-2", "mtty", "mtty", "held");
    snprintf(line, sizeof(line), "x -t mtty-2 -e pre -a start -s none -u %s -p mtty",
             scene_device(1));
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(call(line + 2, texts[i]), CALLOUT_REFUSED);
    memset(large, '[', 1 << 20);
    large[1 << 20] = '\0';
    assert_int_equal(call(line + 2, large), CALLOUT_REFUSED);
    while ((argv[argc] = strsep(&rest, " ")))
        argc++;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(callout_run(&scene.kernel.host, argc, argv, ends[0], faults), CALLOUT_REFUSED);
    assert_int_equal(callout_run(&scene.kernel.host, argc, argv, -1, faults), CALLOUT_REFUSED);
    assert_in_range(fake_now() - before, 1000, 5999);
    close(ends[0]);
    close(ends[1]);
    close(faults);
}

/* mdevctl 1.2 fails if the script ends while mdevctl is still writing to it. */
TEST(all_of_stdin_is_read)
{
    char text[] = "x -t mtty-2 -e pre -a start -s none -u dddddddd-0000-4000-8000-000000000001 "
                  "-p mtty",
         *argv[16], *rest = text;
    int ends[2], argc = 0, faults = memfd_create("faults", MFD_CLOEXEC);
    pid_t writer;

    write_lease(1, "mtty-2", "mtty", "mtty", "held");
    while ((argv[argc] = strsep(&rest, " ")))
        argc++;
    assert_int_equal(pipe(ends), 0);
    writer = fork();
    if (writer == 0) {
        close(ends[0]);
        fake_sleep(100);
        _exit(write(ends[1], JSON, strlen(JSON)) != (ssize_t)strlen(JSON));
    }
    close(ends[1]);
    assert_int_equal(callout_run(&scene.kernel.host, argc, argv, ends[0], faults), CALLOUT_REFUSED);
    close(ends[0]);
    close(faults);
    scene_assert_ends_well(writer);
}

TEST(one_of_ours_is_stopped)
{
    scene_configure(&scene, "release = \"keep\";");
    stopped(1, "success");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    /* The device still exists, or another call-out has stopped its removal. */
    stopped(1, "success");
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    stopped(1, "failure");
    stopped(2, "success");
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    stopped(1, "success");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* The device's guest is just starting. The event `start` will decide about the lease, and libvirt
 * will call release. */
TEST(one_that_is_needed)
{
    AUTO_FREE char *xml = NULL;

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    stopped(1, "success");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    xml = scene_xml_at(1, scene_device(1), "type=\"mtty-2\"");
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 1);
    assert_non_null(strstr(scene.said, "something else removed it"));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* A process that holds the claim works on this device. The call-out waits for the lock, but only
 * for a short time. */
TEST(one_that_somebody_works_on)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error;
    uint64_t before;

    write_lease(1, "mtty-2", "mtty", "mtty", "removing");
    assert_int_equal(statedir_open(&scene.kernel.host, false, &statedir, &error), 0);
    assert_int_equal(statedir_lock(&statedir, deadline_in(&scene.kernel.host, 1000), &error), 0);
    assert_int_equal(statedir_load(&statedir, &ledger, &error), 0);
    assert_int_equal(statedir_claim(&statedir, &ledger, &error), 0);
    ledger.leases[0].claim = statedir.claim;
    assert_int_equal(statedir_store(&statedir, &ledger, &error), 0);
    before = fake_now();
    stopped(1, "success");
    assert_in_range(fake_now() - before, 1000, 4999);
    statedir_unlock(&statedir);
    stopped(1, "success");
    assert_int_equal(scene_leases(&scene, "removing"), 1);
    statedir_close(&statedir);
    stopped(1, "success");
    assert_int_equal(scene_leases(&scene, ""), 0);
}
