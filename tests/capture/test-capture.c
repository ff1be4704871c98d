/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A capture is played back: vgpuctl prints the same of the capture as of the host itself. */

#include "capture/archive.h"
#include "capture/playback.h"
#include "cli/command.h"
#include "device/nvidia-table.h"
#include "program/program.h"
#include "fake/chance.h"
#include "fake/typed.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define L40S "gpu 0000:3d:00.0 vf vfs 4 rule size numa 1 board \"NVIDIA L40S\"\n"
#define T4                                                                                         \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-234 \"GRID T4-16Q\" framebuffer 16384 max 1\n"
#define FILE_NAME "capture.tar.gz"

static struct scene scene;
static struct typed live, played;

/* tar needs real time. So the real clock measures the wait for it. */
static int
run_program(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    const struct host real = {.root = host->root, .ops = &host_kernel};

    return program_run(&real, argv, out, milliseconds);
}

static void
begin(void)
{
    scene.kernel.host.run = run_program;
}

static void
end(void)
{
    typed_clear(&live);
    typed_clear(&played);
}

static const struct scene_case here = {
    .scene = &scene, .machine = T4, .inside = true, .begin = begin, .end = end};
static const struct scene_case unmade = {.scene = &scene, .begin = begin, .end = end};

/* Runs a command on the host itself and on the capture. Both outputs must be the same. */
static void
compare(const char *line)
{
    AUTO_FREE char *elsewhere = NULL;

    assert_true(asprintf(&elsewhere, "%s --root " FILE_NAME, line) > 0);
    typed_run(&scene, NULL, line, &live);
    typed_run(&scene, NULL, elsewhere, &played);
    if (live.status != played.status || strcmp(live.printed, played.printed) ||
        strcmp(live.faults, played.faults))
        fail_msg("%s:\n%s%s(%d)\n-- but played back:\n%s%s(%d)", line, live.printed, live.faults,
                 live.status, played.printed, played.faults, played.status);
}

static void
capture(void)
{
    if (typed_run(&scene, NULL, "vgpuctl capture --names " FILE_NAME, &live) != COMMAND_DONE)
        fail_msg("%s", live.faults);
}

/* The manifest of a capture that these words make. The caller frees it. */
static char *
manifest_of(const char *words)
{
    AUTO_FREE char *line = NULL;
    char *manifest = NULL;
    struct error error;

    assert_true(asprintf(&line, "vgpuctl capture " FILE_NAME "%s%s", *words ? " " : "", words) > 0);
    if (typed_run(&scene, NULL, line, &live) != COMMAND_DONE)
        fail_msg("%s: %s", line, live.faults);
    assert_int_equal(archive_read(&scene.kernel.host, FILE_NAME, &manifest, &error), 1);
    return manifest;
}

static void
compare_all(void)
{
    static const char *const lines[] = {
        "vgpuctl gpus",   "vgpuctl gpus --json",   "vgpuctl types",  "vgpuctl types --json",
        "vgpuctl status", "vgpuctl status --json", "vgpuctl list",   "vgpuctl list --json",
        "vgpuctl doctor", "vgpuctl doctor --json", "vgpuctl metrics"};

    capture();
    for (size_t i = 0; i < COUNT(lines); i++)
        compare(lines[i]);
}

/* Compares what explain says of a guest with one vGPU. The guest is a file. */
static void
explain(const char *xml)
{
    fake_write(&scene.kernel, "guest.xml", xml);
    compare("vgpuctl explain ./guest.xml");
    compare("vgpuctl explain ./guest.xml --json");
}

static void
explain_type(const char *type)
{
    AUTO_FREE char *devices = NULL, *xml = NULL;

    assert_true(asprintf(&devices, "<vgpu:device alias='ua-gpu77' type='%s'/>", type) > 0);
    xml = scene_xml(77, devices, (const unsigned[]){77, 0});
    explain(xml);
}

static void
explain_function(const char *address, const char *type)
{
    AUTO_FREE char *devices = NULL, *xml = NULL;

    assert_true(asprintf(&devices, "<vgpu:device alias='ua-gpu1' type='%s'/>", type) > 0);
    xml = scene_xml_of(77, devices, (const char *const[]){address, NULL});
    explain(xml);
}

/* --- hosts ------------------------------------------------------------------------------------ */

/* Each machine is recorded while idle. Three commands show all of its facts. */
SCENE_TEST(every_machine, unmade)
{
    static const char *const lines[] = {"vgpuctl gpus --json", "vgpuctl types --json",
                                        "vgpuctl doctor"};
    AUTO(words_clear) struct words machines = {0};

    scene_list_machines(&machines);
    for (size_t i = 0; i < machines.count; i++) {
        if (i > 0) {
            assert_int_equal(chdir("/"), 0);
            scene_stop(&scene);
        }
        scene_start_machine(&scene, machines.items[i]);
        scene.kernel.host.run = run_program;
        assert_int_equal(chdir(scene.kernel.path), 0);
        capture();
        for (size_t line = 0; line < COUNT(lines); line++)
            compare(lines[line]);
    }
    assert_int_equal(chdir("/"), 0);
}

/* A host with running, waiting and ended guests, a quota, and a drained GPU. */
SCENE_TEST(mediated_devices, here)
{
    scene_configure(&scene,
                    "# who may have how many\n"
                    "classes = { small = { types = [ \"T4-1B\" ]; }; };\n"
                    "quotas = ( { domains = [ \"guest*\" ]; class = \"small\"; max = 3; } );\n"
                    "release = \"keep\";\n");
    for (unsigned i = 1; i <= 3; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 3, 3), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(9)), 0);
    compare_all();
    explain_type("T4-1B");
    explain_type("T4-16Q");
    explain_type("no-such");
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl drain 18:00.0", &live), COMMAND_DONE);
    compare_all();
    explain_type("T4-1B");
}

/* A start without room asks each card whether it had a vGPU a moment ago. The second one had. */
SCENE_TEST(two_cards_without_room, unmade)
{
    static const char *const cards[] = {"0000:18:00.0", "0000:3b:00.0"};
    AUTO_FREE char *xml =
        scene_xml_at(1, scene_device(9), "type=\"T4-1B\" parent=\"0000:3b:00.0\"");

    scene_start(&scene, "gpu 0000:18:00.0 rule size board \"GRID T4\"\n"
                        "gpu 0000:3b:00.0 rule size board \"GRID T4\"\n");
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    for (unsigned i = 0; i < COUNT(cards); i++)
        assert_int_equal(fake_make(&scene.kernel, cards[i], "nvidia-222", scene_device(i + 1)), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    capture();
    explain_type("T4-16Q");
    assert_int_equal(chdir("/"), 0);
}

SCENE_TEST(functions, unmade)
{
    AUTO_FREE char *public = NULL;

    scene_start(&scene, L40S "pci 0000:00:1f.2 driver ahci\n");
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    scene_must_start_at(&scene, 1, scene_function("0000:3d:00.0", 0), "L40S-8Q");
    compare_all();
    explain_function(scene_function("0000:3d:00.0", 0), "L40S-8Q");
    explain_function(scene_function("0000:3d:00.0", 1), "L40S-8Q");
    explain_function(scene_function("0000:3d:00.0", 2), "L40S-48Q");
    explain_function("0000:00:1f.2", "L40S-48Q");
    explain_function("0000:77:00.1", "L40S-48Q");
    public = manifest_of("");
    typed_assert_has(public, "read run/libvirt-vgpu/types = 0000:3d:00.0 10de:");
    assert_int_equal(chdir("/"), 0);
}

/* Of NVIDIA's table a capture has the cards that are here. A function lists no types while the card
 * is full, so only the table tells them. */
SCENE_TEST(a_table, unmade)
{
    static const char table[] =
        "<vgpuconfig><vgpuType id='1156' name=\"NVIDIA L40S-48Q\" class='Quadro'/>"
        "<vgpuType id='1145' name=\"NVIDIA L40S-1B\" class='NVS'/>"
        "<vgpuType id='9' name=\"GRID M60-1Q\" class='Quadro'/>"
        "<pgpu><devId vendorId='0x10de' deviceId='0x26B9' subsystemId='0'/>"
        "<supportedVgpu vgpuId='1156'><maxVgpus>1</maxVgpus></supportedVgpu>"
        "<supportedVgpu vgpuId='1145'><maxVgpus>32</maxVgpus></supportedVgpu></pgpu>"
        "<pgpu><devId vendorId='0x10de' deviceId='0x13F2' subsystemId='0'/>"
        "<supportedVgpu vgpuId='9'><maxVgpus>16</maxVgpus></supportedVgpu></pgpu></vgpuconfig>";

    AUTO_FREE char *public = NULL;

    scene_start(&scene, L40S);
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    fake_write(&scene.kernel, NVIDIA_TABLE_PATH, table);
    scene_configure(&scene, "max_instances = ( { types = [ \"L40S-1B\" ]; max = 30; } );\n");
    assert_int_equal(
        fake_make(&scene.kernel, scene_function("0000:3d:00.0", 0), "nvidia-1156", NULL), 0);
    compare_all();
    compare("vgpuctl types --raw --columns=NAME,MAX,MAX-FROM");
    assert_non_null(strstr(played.printed, "L40S-1B 30 vgpu.conf\n"));
    assert_non_null(strstr(played.printed, "L40S-48Q 1 table\n"));
    assert_null(strstr(played.printed, "M60"));
    public = manifest_of("");
    assert_null(strstr(public, "M60"));
    compare("vgpuctl types --raw --columns=NAME,MAX,MAX-FROM");
    assert_int_equal(chdir("/"), 0);
}

/* What check says of a declared GPU needs files that a capture has not. It says so, and no more. */
SCENE_TEST(a_declared_gpu, unmade)
{
    scene_start(&scene, L40S);
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    scene_configure(&scene, "gpus = ( { address = \"0000:3d:00.0\"; setup = { functions = 4; "
                            "sizes = \"mixed\"; }; } );\n");
    capture();
    typed_run(&scene, NULL, "vgpuctl check", &live);
    typed_run(&scene, NULL, "vgpuctl check --root " FILE_NAME, &played);
    assert_string_equal(played.printed, live.printed);
    assert_string_equal(live.faults, "");
    assert_non_null(strstr(played.faults, "not recorded in " FILE_NAME ": /proc/driver/nvidia/"));
    compare("vgpuctl list -o all");
    assert_int_equal(chdir("/"), 0);
}

SCENE_TEST(profiles, unmade)
{
    scene_start(&scene, "gpu 0000:03:00.0 xe vfs 4 memory 14096 vendor 8086 device e212\n");
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    scene_configure(&scene,
                    "profiles = { small = { vram = \"2G\"; }; big = { vram = \"8G\"; }; };\n");
    scene_must_start_at(&scene, 1, scene_function("0000:03:00.0", 0), "small");
    compare_all();
    explain_function(scene_function("0000:03:00.0", 0), "small");
    explain_function(scene_function("0000:03:00.0", 1), "big");
    assert_int_equal(chdir("/"), 0);
}

/* Another program has a function open. Of all that processes have open, a public capture has only
 * this, and of the process its number. */
static void
another_has(const char *function)
{
    AUTO_FREE char *manifest = NULL, *xml = NULL, *words = NULL;
    struct fake_guest guest = fake_open(&scene.kernel, function);
    pid_t qemu = fake_hand_over(&guest);
    struct error error;
    char *rest, *line;
    size_t count = 0;

    compare_all();
    explain_function(function, "mi300");
    assert_non_null(strstr(live.printed, "in use by process"));
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl capture " FILE_NAME, &live), COMMAND_DONE);
    assert_int_equal(archive_read(&scene.kernel.host, FILE_NAME, &manifest, &error), 1);
    assert_null(strstr(manifest, "/comm = "));
    assert_null(strstr(manifest, "/stat "));
    xml = scene_xml_of(77, "<vgpu:device alias='ua-gpu1' type='pool-1'/>",
                       (const char *const[]){function, NULL});
    fake_write(&scene.kernel, "guest.xml", xml);
    typed_run(&scene, NULL, "vgpuctl explain ./guest.xml --root " FILE_NAME, &played);
    assert_true(asprintf(&words, "in use by process %d", (int)qemu) > 0);
    typed_assert_has(played.printed, words);
    typed_run(&scene, NULL, "vgpuctl gpus --root " FILE_NAME, &played);
    assert_string_equal(played.faults, "");
    for (rest = manifest; (line = strsep(&rest, "\n"));)
        count += !strncmp(line, "device ", 7) && strstr(line, " = ");
    assert_int_equal(count, 1);
    fake_end(qemu);
}

SCENE_TEST(pools, unmade)
{
    scene_start(&scene, "pci 0000:03:00.0 driver gim vendor 1002 device 74b5\n"
                        "pci 0000:03:02.0 driver vfio-pci physfn 0000:03:00.0\n"
                        "pci 0000:03:02.1 driver vfio-pci physfn 0000:03:00.0\n");
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    scene_configure(&scene, "pools = { mi300 = { functions = [ \"0000:03:02.0\", "
                            "\"0000:03:02.1\" ]; framebuffer = \"24G\"; }; };\n");
    scene_must_start_at(&scene, 1, "0000:03:02.0", "mi300");
    compare_all();
    explain_function("0000:03:02.0", "mi300");
    explain_function("0000:03:02.1", "mi300");
    another_has("0000:03:02.1");
    assert_int_equal(chdir("/"), 0);
}

/* The seconds of processor time of this process, and of its children that have ended. */
static double
processor_time(void)
{
    double seconds = 0;

    for (unsigned i = 0; i < 2; i++) {
        struct rusage usage;

        assert_int_equal(getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage), 0);
        seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    }
    return seconds;
}

/* A host with this many GPUs, and 16 functions on each. A quarter of the functions have a vGPU. */
static void
start_large(unsigned gpus, const char *words, const char *type)
{
    AUTO_FREE char *machine = NULL;
    size_t length;
    FILE *out = open_memstream(&machine, &length);

    for (unsigned i = 0; i < gpus; i++)
        fprintf(out, "gpu 0000:%02x:00.0 vfs 16 rule size numa %u %s\n", 0x10 + i, i / 8, words);
    fclose(out);
    scene_start(&scene, machine);
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    for (unsigned i = 0; i < gpus * 4; i++) {
        char gpu[16];

        snprintf(gpu, sizeof(gpu), "0000:%02x:00.0", 0x10 + i % gpus);
        assert_int_equal(
            fake_make(&scene.kernel, scene_function(gpu, i / gpus), type, scene_device(i + 1)), 0);
    }
}

/* A capture of 16 GPUs with 256 functions is less than 5 MB, packed and unpacked. The number of
 * questions to the host grows only as the number of functions does. The time depends on the
 * machine, so it is printed and not judged. */
static void
measure(unsigned gpus, unsigned most_asked, const char *words, const char *type)
{
    AUTO_FREE char *manifest = NULL;
    const unsigned functions = gpus * 16;
    unsigned asked;
    double seconds;
    struct stat status;
    struct error error;

    start_large(gpus, words, type);
    asked = scene.kernel.faults->opens;
    seconds = processor_time();
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl capture " FILE_NAME, &live), COMMAND_DONE);
    seconds = processor_time() - seconds;
    asked = scene.kernel.faults->opens - asked;
    assert_int_equal(stat(FILE_NAME, &status), 0);
    assert_int_equal(archive_read(&scene.kernel.host, FILE_NAME, &manifest, &error), 1);
    print_message("%s: %u functions: the host is asked %u times, %zu bytes, %lld packed, %.2f s of "
                  "processor time\n",
                  type, functions, asked, strlen(manifest), (long long)status.st_size, seconds);
    if (asked / functions > most_asked)
        fail_msg("%s: the host is asked %u times for %u functions", type, asked, functions);
    assert_true(status.st_size < 5 << 20 && strlen(manifest) < 5 << 20);
    compare("vgpuctl gpus");
    assert_int_equal(chdir("/"), 0);
}

/* Under valgrind the host is smaller. */
SCENE_TEST(a_large_host, unmade)
{
    const unsigned gpus = (unsigned)chance_rounds(16);

    measure(gpus, 60, "vf board \"NVIDIA L40S\"", "nvidia-1153");
    scene_stop(&scene);
    measure(gpus, 300, "board \"NVIDIA A40\"", "nvidia-563");
}

/* A capture may list as many devices as PCI has addresses. Its playback looks at each of them once.
 * The time depends on the machine, so it is printed and not judged. */
SCENE_TEST(a_long_list, here)
{
    static const char *const lines[] = {"vgpuctl types --root d", "vgpuctl doctor --root d"};
    const unsigned count = (unsigned)chance_rounds(65536);
    FILE *out;

    assert_int_equal(mkdir("d", 0755), 0);
    out = fopen("d/manifest", "we");
    assert_non_null(out);
    fprintf(out, "libvirt-vgpu capture 1\n"
                 "host now = 3600000000000\nhost booted = 1\nstatus . ! 2 x\n"
                 "status etc ! 2 x\nstatus run ! 2 x\nstatus var ! 2 x\nstatus proc ! 2 x\n"
                 "list sys = bus/class\nlist sys/bus = pci\nlist sys/class = mdev_bus\n");
    for (unsigned list = 0; list < 2; list++) {
        fprintf(out, "list sys/%s =", list ? "class/mdev_bus" : "bus/pci/devices");
        for (unsigned i = 0; i < count; i++)
            fprintf(out, "%s0000:%02x:%02x.%x", i ? "/" : " ", i >> 8 & 0xff, i >> 3 & 0x1f, i & 7);
        fprintf(out, "\n");
    }
    fclose(out);
    for (size_t i = 0; i < COUNT(lines); i++) {
        double seconds = processor_time();

        typed_run(&scene, NULL, lines[i], &played);
        typed_assert_has(played.faults, "not recorded in d: /sys/");
        print_message("%s: %u devices: %.2f s of processor time\n", lines[i], count,
                      processor_time() - seconds);
    }
}

/* --- faults of the host ----------------------------------------------------------------------- */

SCENE_TEST(errors, here)
{
    scene.kernel.faults->unreadable = 1;
    compare_all();
    scene.kernel.faults->unreadable = 0;
    scene_configure(&scene, "quotas = (\n");
    compare_all();
    scene_configure(&scene, "");
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "nonsense\n");
    compare_all();
}

/* A card's driver does not answer. The capture says this of the same card. */
SCENE_TEST(silence, here)
{
    snprintf(scene.kernel.faults->slow, sizeof(scene.kernel.faults->slow), "0000:18:00");
    scene.kernel.faults->mute = true;
    compare_all();
    explain_type("T4-1B");
}

/* A process works on a lease: it has locked the lease's claim. */
SCENE_TEST(claims, here)
{
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    AUTO_CLOSE int fd = -1;

    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    fd = openat(scene.kernel.host.root, "run/libvirt-vgpu/claims", O_RDWR | O_CLOEXEC);
    byte.l_start = (off_t)scene_number(&scene, scene_device(1));
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &byte), 0);
    compare_all();
    explain_type("T4-16Q");
}

/* --- public captures -------------------------------------------------------------------------- */

#define FIRST_UUID     "5ec2e700-1111-4000-8000-0000000000a1"
#define SECOND_UUID    "5ec2e700-2222-4000-8000-0000000000b2"
#define DEVICE_UUID(n) "dddddddd-0000-4000-8000-00000000000" #n
#define OTHER_UUID     "dddddddd-0000-4000-8000-000000000009"

/* What a public capture has not. */
static const char *const secrets[] = {
    "payroll",      "zanzibar",      "Pa55w0rd-of-vnc", "iqn.2001-04.com.secret",
    "hunter2",      "10.99.88.77",   "mallory",         "SERIAL-0815",
    "other-host-3", "tok3n-in-hook", "acme-comment",    "second-comment",
    "secret-image", "6a7f1e0c",      "5ec2e700",        "small",
    "backup-key",   "ticket-4711",   "nightly.sh-key",  "52:54:00:aa:bb:cc",
    "run/libvirt/", "boot_id",       "etc/libvirt/",    "/comm = ",
    "/stat ",       "locked ",       "label ",          "hook",
};

static char *
with_names(const char *xml, const char *name, const char *uuid)
{
    AUTO_FREE char *copy = strdup(xml);
    char *ret = NULL, *at = strstr(copy, "<name>"), *end = strstr(copy, "</uuid>");

    assert_non_null(at);
    assert_non_null(end);
    *at = '\0';
    assert_true(asprintf(&ret, "%s<name>%s</name>\n<uuid>%s%s", copy, name, uuid, end) > 0);
    return ret;
}

static void
start_guest(unsigned device, const char *name, const char *uuid)
{
    AUTO_FREE char *xml =
        scene_xml(1, "<vgpu:device type='T4-1B'/>", (const unsigned[]){device, 0});
    AUTO_FREE char *guest = with_names(xml, name, uuid);
    AUTO_FREE char *status = NULL, *path = NULL;

    assert_int_equal(scene_hook(&scene, guest, "prepare", "begin"), 0);
    assert_true(
        asprintf(&status,
                 "<domstatus state='running' pid='%d'><monitor path='/var/lib/zanzibar'/>"
                 "<domain type='kvm'>\n<name>%s</name>\n<uuid>%s</uuid>\n"
                 "<description>ticket-4711</description><devices>"
                 "<disk><source file='/srv/secret-image'/><serial>SERIAL-0815</serial></disk>"
                 "<graphics passwd='Pa55w0rd-of-vnc' listen='10.99.88.77'/>"
                 "<interface><mac address='52:54:00:aa:bb:cc'/></interface>"
                 "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
                 "<address uuid='%s'/></source></hostdev></devices>"
                 "<seclabel>iqn.2001-04.com.secret</seclabel></domain></domstatus>\n",
                 (int)getpid(), name, uuid, scene_device(device)) > 0);
    assert_true(asprintf(&path, "run/libvirt/qemu/%s.xml", name) > 0);
    fake_write(&scene.kernel, path, status);
}

static void
plant(void)
{
    scene_configure(&scene, "# acme-comment\n"
                            "classes = { small = { types = [ \"T4-1B\" ]; }; }; // second-comment\n"
                            "quotas = ( { domains = [ \"payroll-*\", \"" FIRST_UUID "\" ];"
                            " /* hunter2 */ class = \"small\"; max = 2; } );\n"
                            "domains = ( { name = \"other-host-3\"; devices = ( { alias ="
                            " \"ua-gpu0\"; class = \"small\"; } ); } );\n");
    start_guest(1, "payroll-db01", FIRST_UUID);
    start_guest(2, "payroll-web02", SECOND_UUID);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", OTHER_UUID), 0);
    fake_write(&scene.kernel, "home/mallory/hook.sh", "#!/bin/sh\n# tok3n-in-hook\n");
    fake_write(&scene.kernel, "etc/libvirt/hooks/qemu.d/10-nightly",
               "#!/bin/sh\nexport KEY=nightly.sh-key\nexec libvirt-vgpu-hook --key backup-key\n");
    assert_int_equal(
        fchmodat(scene.kernel.host.root, "etc/libvirt/hooks/qemu.d/10-nightly", 0755, 0), 0);
    assert_int_equal(fchmodat(scene.kernel.host.root, "home/mallory/hook.sh", 0755, 0), 0);
    assert_int_equal(symlinkat("/home/mallory/hook.sh", scene.kernel.host.root,
                               "etc/libvirt/hooks/qemu.d/20-own"),
                     0);
}

/* The capture tells versions to its readers. */
SCENE_TEST(it_tells_versions, here)
{
    AUTO_FREE char *manifest = NULL;
    struct error error;

    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl capture " FILE_NAME, &live),
                     COMMAND_DONE);
    assert_int_equal(archive_read(&scene.kernel.host, FILE_NAME, &manifest, &error), 1);
    typed_assert_has(manifest, "\n# vgpuctl " VGPU_VERSION ", libvirt ");
    typed_assert_has(manifest, ", its hypervisor ");
}

/* The start that it tries restores nothing, so it reads nothing of saved guests. */
SCENE_TEST(it_asks_of_no_saved_guest, here)
{
    AUTO_FREE char *manifest = manifest_of("--names");

    assert_null(strstr(manifest, "libvirt-vgpu/saved"));
}

SCENE_TEST(no_secret_leaves_the_host, here)
{
    AUTO_FREE char *manifest = NULL;

    plant();
    manifest = manifest_of("");
    for (size_t i = 0; i < COUNT(secrets); i++) {
        if (strstr(manifest, secrets[i]))
            fail_msg("%s is in the capture", secrets[i]);
    }
    assert_int_equal(strncmp(manifest, "libvirt-vgpu capture 1\n", 23), 0);
    typed_assert_has(manifest, DEVICE_UUID(1));
    typed_assert_has(manifest, OTHER_UUID);
    typed_assert_has(manifest,
                     "\nstatus sys/bus/mdev = 40755 root 0 0.000000000 0.000000000 0:0\n");
    assert_string_equal(live.faults, "");
    compare("vgpuctl gpus");
    compare("vgpuctl gpus --json");
    compare("vgpuctl types --json -o " TYPED_FIGURES);
}

/* With names it has everything, says so, and gives a public capture on any machine. */
SCENE_TEST(it_has_everything_with_names, here)
{
    AUTO_FREE char *manifest = NULL, *public = NULL, *taken = NULL;

    plant();
    public = manifest_of("");
    manifest = manifest_of("--names");
    assert_int_equal(strncmp(manifest, "libvirt-vgpu capture 1 with names\n", 34), 0);
    typed_assert_has(live.faults,
                     FILE_NAME " has all that was read, with names of guests, users and "
                               "files: do not publish it");
    typed_assert_has(manifest, "ticket-4711");
    typed_assert_has(manifest, "second-comment");
    typed_assert_has(manifest, "tok3n-in-hook");
    assert_int_equal(rename(FILE_NAME, "named.tar.gz"), 0);
    taken = manifest_of("--root named.tar.gz");
    assert_string_equal(taken, public);
}

/* --- archives from strangers ------------------------------------------------------------------ */

static void
refuse_archive(const char *command, const char *words)
{
    assert_int_equal(system(command), 0);
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl gpus --root " FILE_NAME, &played),
                     COMMAND_FAILED);
    typed_assert_has(played.faults, words);
}

/* tar must not write any file of the archive to the disk. */
SCENE_TEST(archives_of_strangers, here)
{
    refuse_archive("echo nonsense >" FILE_NAME,
                   "it is no archive of 'vgpuctl capture': it is not packed by gzip");
    refuse_archive("mkdir -p d && echo x >d/other && tar -C d -czf " FILE_NAME " other",
                   "/usr/bin/tar failed (exit status 2)");
    assert_int_not_equal(access("other", F_OK), 0);
    refuse_archive("rm -f d/manifest; ln -s /etc/passwd d/manifest && tar -C d -czf " FILE_NAME
                   " manifest",
                   "it is no capture of vgpuctl's");
    refuse_archive("rm -f d/manifest; mkfifo d/manifest && tar -C d -czf " FILE_NAME " manifest",
                   "it is no capture of vgpuctl's");
    refuse_archive("rm -f d/manifest; truncate -s 80M d/manifest && tar -C d -czf " FILE_NAME
                   " manifest",
                   "what /usr/bin/tar has written is larger than 64 MiB");
    refuse_archive(
        "rm -f d/manifest; echo libvirt-vgpu capture 2 >d/manifest && tar -C d -czf " FILE_NAME
        " manifest",
        "it is a capture in format 2");
    refuse_archive(
        "printf 'libvirt-vgpu capture 1\\nread x\\n' >d/manifest && tar -C d -czf " FILE_NAME
        " manifest",
        "line 2 is no answer");
}

/* A capture of a build with other directories is read at those directories. */
SCENE_TEST(another_build, here)
{
    scene_configure(&scene, "gpus = ( { address = \"0000:18:00.0\"; enabled = false; } );\n");
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl capture " FILE_NAME, &live), COMMAND_DONE);
    typed_run(&scene, NULL, "vgpuctl gpus", &live);
    scene.kernel.host.config = "usr/local/etc/libvirt-vgpu";
    typed_run(&scene, NULL, "vgpuctl gpus --root " FILE_NAME, &played);
    assert_string_equal(played.printed, live.printed);
    assert_string_equal(played.faults, "");
}

/* A directory is a capture if its manifest is one. If something was not recorded, vgpuctl says that
 * it is missing. */
SCENE_TEST(what_is_not_recorded, here)
{
    assert_int_equal(system("mkdir d && echo 'libvirt-vgpu capture 1' >d/manifest"), 0);
    typed_run(&scene, NULL, "vgpuctl list --root d", &played);
    typed_assert_has(played.faults, "not recorded in d: /");
    assert_int_equal(system("echo 'something else' >d/manifest"), 0);
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl list --root d", &played), COMMAND_DONE);
    assert_string_equal(played.printed, "");
}

/* A capture without the subsystems. This is told once. In tests/captures such a file does not
 * exist: then vendor and device tell models apart. */
SCENE_TEST(an_earlier_version, here)
{
    AUTO_FREE char *manifest = manifest_of("");
    char *line, *rest;
    FILE *old;

    assert_non_null(strstr(manifest, "/subsystem_vendor = 0x10de"));
    assert_int_equal(system("mkdir old"), 0);
    old = fopen("old/manifest", "we");
    assert_non_null(old);
    for (rest = manifest; (line = strsep(&rest, "\n")) && *line;) {
        if (!strstr(line, "/subsystem_"))
            fprintf(old, "%s\n", line);
    }
    typed_run(&scene, NULL, "vgpuctl types", &live);
    fflush(old);
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl types --root old", &played), COMMAND_DONE);
    assert_string_equal(played.printed, live.printed);
    assert_string_equal(
        played.faults,
        "vgpuctl: types: not recorded in old: "
        "/sys/class/mdev_bus/0000:18:00.0/subsystem_vendor, and others: what is said "
        "of them is not known\n");
    fprintf(old, "host unrecorded = absent\n");
    fclose(old);
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl types --root old", &played), COMMAND_DONE);
    assert_string_equal(played.printed, live.printed);
    assert_string_equal(played.faults, "");
}

/* A later vgpuctl may look for a file that this version does not know. */
SCENE_TEST(a_later_version, here)
{
    AUTO(playback_clear) struct playback playback = {0};
    const struct host *host = &playback.host;
    struct error error;
    struct stat status;

    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl capture --names " FILE_NAME, &live),
                     COMMAND_DONE);
    assert_int_equal(playback_open(&playback, &scene.kernel.host, FILE_NAME, &error), 1);
    assert_int_equal(host->ops->status(host, "run/libvirt-vgpu/ledger", &status), 0);
    assert_int_equal(host->ops->status(host, "run/libvirt-vgpu/later/file", &status), -ENOENT);
    assert_int_equal(playback.misses.count, 0);
}

/* Whoever plays a capture is told whose a file is: root's, his own, or somebody else's. */
UNIT_TEST(owners)
{
    const uid_t owners[] = {0, geteuid(), geteuid() + 1};

    for (size_t i = 0; i < COUNT(owners); i++) {
        const struct stat status = {.st_mode = S_IFREG, .st_uid = owners[i]};
        struct stat told;

        assert_true(answer_status_parse(answer_status_of(&status).text, &told));
        assert_int_equal(told.st_uid == 0, owners[i] == 0);
        assert_int_equal(told.st_uid == geteuid(), owners[i] == geteuid());
    }
}

/* Who has waited in vain has taken the time. Who got an answer has not. */
SCENE_TEST(time_passes_for_those_who_wait, here)
{
    AUTO(playback_clear) struct playback playback = {0};
    const struct host *host = &playback.host;
    char manifest[] = "libvirt-vgpu capture 1\nhost now = 5\n";
    int ends[2];
    struct pollfd answer = {.events = POLLIN};
    struct error error;

    assert_int_equal(playback_start(&playback, &scene.kernel.host, manifest, &error), 0);
    assert_int_equal(pipe(ends), 0);
    answer.fd = ends[0];
    close(ends[1]);
    assert_int_equal(host->ops->wait(host, &answer, 1, 10), 1);
    assert_int_equal(host->ops->now(host), 5);
    assert_int_equal(host->ops->wait(host, NULL, 0, 10), 0);
    assert_int_equal(host->ops->now(host), 15);
    close(ends[0]);
}

SCENE_TEST(nothing_is_changed, here)
{
    compare_all();
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl drain 18:00.0 --root " FILE_NAME, &played),
                     COMMAND_FAILED);
    typed_assert_has(played.faults, "Read-only file system");
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl reconcile --root " FILE_NAME, &played),
                     COMMAND_DONE);
}
