/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Other hosts: what vgpuctl --connect shows of them, and of hosts that do not answer. libvirt's own
 * test driver stands for the hosts. A socket that nobody serves stands for a dead host. */

#include "base/deadline.h"
#include "cli/command.h"
#include "device/vgpu.h"
#include "fake/typed.h"

#include "libvirt/node-device.h"
#include "libvirt/remote.h"
#include "placement/gpu-room.h"
#include "libvirt/warm-up.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define HERE "test:///default"
#define T4   "test:///proc/self/cwd/tests/data/t4-host.xml"
#define A40  "test:///proc/self/cwd/tests/data/a40-host.xml"
#define L40S "test:///proc/self/cwd/tests/data/l40s-host.xml"
#define NONE "test:///proc/self/cwd/tests/data/no-gpu-host.xml"
#define GONE "test:///no/such/host.xml"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = ""}, &typed};
#define TEST(function) TYPED_TEST(function, here)

UNIT_PROGRAM(warm_up_connection, NULL)

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

TEST(shown)
{
    static const struct {
        const char *name, *line;
    } rows[] = {
        {"gpus/remote", "vgpuctl gpus --connect " T4 " --connect " A40 " --connect " NONE},
        {"types/remote", "vgpuctl types -c " T4 " -c " A40},
        {"list/remote", "vgpuctl list -c " T4 " -c " A40},
        {"gpus/remote-functions", "vgpuctl gpus -c " T4 " -c " L40S},
        {"types/remote-functions", "vgpuctl types -c " L40S " --json"},
        {"types/remote-functions-gpu", "vgpuctl types 0000:3d:00.0 -c " L40S},
        {"status/remote", "vgpuctl status -c " T4 " -c " L40S " -c " NONE},
        {"status/remote-unknown", "vgpuctl status 0000:aa:00.0 -c " T4},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        typed_golden(&scene, HERE, rows[i].name, rows[i].line);
}

/* null is what libvirt does not tell. */
TEST(facts)
{
    static const struct {
        const char *line, *facts;
    } rows[] = {
        {"vgpuctl gpus --json -c " T4 " -c " A40,
         "\"host\": \"" A40
         "\", \"gpu\": \"0000:e2:00.0\", \"name\": \"NVIDIA A40\", \"numa\": null, "
         "\"interface\": \"mdev\", \"made\": 1, \"size\": 1024, \"total\": null, "
         "\"free\": null, "
         "\"enabled\": null, \"drained\": null, \"driver\": null, \"parents\": 2, \"used\": null, "
         "\"free-at-most\": null, \"setup\": null"},
        {"vgpuctl gpus -o GPU,DRIVER,PARENTS -c " T4 " -c " A40,
         "0000:18:00.0 - 1 0000:3b:00.0 - 1 0000:e2:00.0 - 2"},
        {"vgpuctl gpus --json -c " L40S,
         "\"name\": null, \"numa\": 1, \"interface\": null, \"made\": null,\n\"parents\": 3,"},
        {"vgpuctl types --json 0000:E2:00.0 -c " T4 " -c " A40,
         "\"name\": \"NVIDIA A40-1B\", \"framebuffer\": 1024, \"heads\": null, "
         "\"resolution\": null, "
         "\"max\": null, \"available\": null, \"available-at-most\": 1, \"classes\": null, "
         "\"max-from\": \"\"\n\"name\": \"nvidia-559\", \"framebuffer\": null,"},
        {"vgpuctl list --json -c " T4,
         "\"state\": null, \"domain\": \"web01\",\n"
         "\"alias\": \"ua-gpu0\", \"interface\": \"mdev\"\n"
         "\"state\": \"orphan\", \"domain\": null, \"domain-uuid\": null, \"alias\": null,"},
        {"vgpuctl list -r -n -o DEVICE,ALIAS -c " T4 " -c " A40,
         "dddddddd-0000-4000-8000-000000000001 ua-gpu0\n"
         "dddddddd-0000-4000-8000-000000000002 -\ndddddddd-0000-4000-8000-000000000007 -"},
        {"vgpuctl list --json -c " L40S,
         "\"device\": \"0000:3d:00.4\", \"type\": null, \"name\": null,\n"
         "\"state\": null, \"domain\": \"cad02\",\n\"interface\": null"},
        {"vgpuctl list --json -c " NONE, "\"vgpus\": [], \"errors\": [],"},
        {"vgpuctl guests --json -c " T4,
         "\"host\": \"" T4 "\", \"domain\": \"web01\",\n\"running\": true, \"alias\": \"ua-gpu0\", "
         "\"wanted\": \"T4-1B\",\n\"state\": null, \"live\": true, \"config\": true"},
        {"vgpuctl status --json -c " A40,
         "\"driver\": null, \"enabled\": null, \"drained\": null, \"unit\": \"vGPU\", "
         "\"total\": null, "
         "\"used\": 1, \"free\": null, \"free-at-most\": 1,\n"
         "\"share\": 1, \"state\": null, \"domain\": \"cad01\",\n\"since\": null\n"
         "\"asked\": 0, \"available\": null, \"available-at-most\": 1"},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        typed_facts(&scene, HERE, rows[i].line, 0, rows[i].facts);
}

/* What no host has is named by the word that was typed. */
TEST(nowhere)
{
    static const struct {
        const char *line, *fault;
    } rows[] = {
        {"vgpuctl types 0000:aa:00.0 -c " T4 " -c " NONE,
         "types: no host has a GPU \"0000:aa:00.0\" whose types libvirt tells"},
        {"vgpuctl types --type T4-9Z -c " T4 " -c " A40, "types: no GPU has the type \"T4-9Z\""},
        {"vgpuctl list web09 -c " T4 " -c " A40,
         "list: no GPU and no domain with a vGPU is called \"web09\""},
        {"vgpuctl guests web09 -c " T4,
         "guests: no GPU and no domain with a vGPU is called \"web09\""},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        typed_expect(&scene, HERE, rows[i].line, COMMAND_FAILED, rows[i].fault, &typed);
}

/* One host makes mediated devices, and one makes functions. */
TEST(both_kinds_on_one_host)
{
    static const char node[] = "<device><name>pci_0000_%02x_00_0</name>"
                               "<path>/sys/devices/0000:%02x:00.0</path><parent>computer</parent>"
                               "<driver><name>nvidia</name></driver><capability type='pci'>"
                               "<domain>0</domain><bus>%u</bus><slot>0</slot>"
                               "<function>0</function><product id='0x1eb8'>A GPU</product>"
                               "<vendor id='0x10de'>NVIDIA Corporation</vendor>%s"
                               "</capability></device>";
    char line[1024];
    FILE *out;
    AUTO_FREE char *devices = NULL;
    size_t size;

    out = open_memstream(&devices, &size);
    fprintf(out, node, 0x18, 0x18, 0x18,
            "<capability type='mdev_types'><type id='nvidia-222'><name>GRID T4-1B</name>"
            "<deviceAPI>vfio-pci</deviceAPI><availableInstances>14</availableInstances>"
            "</type></capability>");
    fprintf(out, node, 0x3d, 0x3d, 0x3d,
            "<capability type='virt_functions' maxCount='2'>"
            "<address domain='0' bus='0x3d' slot='0' function='4'/></capability>");
    fprintf(out,
            "<device><name>computer</name><capability type='system'><hardware>"
            "<uuid>bbbbbbbb-0000-4000-8000-0000000000a4</uuid></hardware></capability></device>");
    fclose(out);
    snprintf(line, sizeof(line), "vgpuctl gpus -r -n -o GPU -c %s", typed_libvirt(&scene, devices));
    if (run(line) != COMMAND_DONE)
        fail_msg("%s", typed.faults);
    assert_string_equal(typed.printed, "0000:18:00.0\n0000:3d:00.0\n");
}

/* There are no golden files here, because libvirt may change its words. */
TEST(gone)
{
    assert_int_equal(run("vgpuctl list -r -o DOMAIN -c " GONE " -c " T4), COMMAND_FAILED);
    assert_string_equal(typed.printed, "DOMAIN\nweb01\n-\n");
    typed_assert_has(typed.faults, "vgpuctl: cannot connect to " GONE ": ");
    typed_assert_has(typed.faults, "\nvgpuctl: list: 1 of 2 hosts gave no answer\n");
    assert_int_equal(run("vgpuctl list -c " GONE), COMMAND_FAILED);
    assert_string_equal(typed.printed, "");
    typed_assert_has(typed.faults, "vgpuctl: list: cannot connect to " GONE ": ");
    assert_ptr_equal(strchr(typed.faults, '\n'), typed.faults + strlen(typed.faults) - 1);
}

TEST(wrong_usage)
{
    static const struct {
        const char *line, *words;
    } rows[] = {
        {"vgpuctl gpus -c " T4 " --root /", "--root is this machine's, --connect another's"},
        {"vgpuctl gpus -c " T4 " --timeout 0", "--timeout 0: not a number from 1 to"},
        {"vgpuctl types -c " T4 " -o SPEED", "there is no column \"SPEED\""},
        {"vgpuctl reconcile -c " T4, "it takes no --connect"},
        {"vgpuctl reconcile --hosts /dev/null", "it takes no --hosts"},
        {"vgpuctl gpus --hosts /dev/null", "/dev/null names no host; write the URI of a libvirt"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(run(rows[i].line), COMMAND_USAGE);
        typed_assert_has(typed.faults, rows[i].words);
        assert_string_equal(typed.printed, "");
    }
}

/* The hosts of a file are treated like those of --connect, and come after them. */
TEST(hosts_of_a_file)
{
    AUTO_FREE char *line = NULL, *typed_out = NULL;

    assert_int_equal(run("vgpuctl gpus -c " NONE " -c " T4 " -c " A40), COMMAND_DONE);
    typed_out = strdup(typed.printed);
    fake_write(&scene.kernel, "hosts", "# ours\n\n" T4 "\n \t" A40 "  \n  # not " GONE "\n");
    if (asprintf(&line, "vgpuctl gpus --hosts %s/hosts -c " NONE, scene.kernel.path) < 0)
        fail_msg("no memory");
    assert_int_equal(run(line), COMMAND_DONE);
    assert_string_equal(typed.printed, typed_out);

    fake_write(&scene.kernel, "hosts", T4 "\n" A40 " and " T4);
    assert_int_equal(run(line), COMMAND_USAGE);
    typed_assert_has(typed.faults, "/hosts:2: one URI in a line; what is \"and " T4 "\"?");
    fake_write(&scene.kernel, "hosts", "");
    assert_int_equal(run(line), COMMAND_USAGE);
    typed_assert_has(typed.faults, "/hosts names no host; ");
    assert_int_equal(run("vgpuctl gpus --hosts /no/such/file"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "gpus: --hosts: /no/such/file: No such file or directory\n");
    assert_int_equal(run("vgpuctl gpus --hosts /"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "gpus: --hosts: /: Is a directory\n");
}

/* This host accepts connections, and never answers. It is below /tmp, because a socket's name must
 * be short. */
static int
listen_only(char *path, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(path, size, "/tmp/vgpu-test-remote.%d", (int)getpid());
    unlink(path);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (bind(server, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(server, 16) < 0)
        fail_msg("%s: %s", path, strerror(errno));
    return server;
}

/* Ten hosts, and one of them is dead. The others are shown. The command takes as long as the
 * timeout of the dead host. */
TEST(one_of_ten_is_dead)
{
    char path[64], line[2048];
    int server = listen_only(path, sizeof(path));
    uint64_t began = fake_now();
    int length = snprintf(line, sizeof(line),
                          "vgpuctl list -r -n -o DOMAIN --timeout 2 "
                          "-c qemu+unix:///system?socket=%s",
                          path);

    for (int i = 0; i < 9; i++)
        length +=
            snprintf(line + length, sizeof(line) - (size_t)length, " -c %s", i % 2 ? T4 : A40);
    assert_int_equal(run(line), COMMAND_FAILED);
    assert_int_equal(fake_now() - began, 2000);
    for (const char *at = typed.printed, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        assert_true(!strncmp(at, "cad01\n", 6) || !strncmp(at, "web01\n", 6) ||
                    !strncmp(at, "-\n", 2));
    }
    typed_assert_has(typed.printed, "cad01\n");
    typed_assert_has(typed.printed, "web01\n");
    typed_assert_has(typed.faults, path);
    typed_assert_has(typed.faults, ": no answer within 2 s\n");
    typed_assert_has(typed.faults, "vgpuctl: list: 1 of 10 hosts gave no answer\n");
    close(server);
    unlink(path);
}

/* Many hosts are asked in waves, so they do not need a process and a descriptor each at once. */
TEST(many)
{
    struct rlimit usual, few = {0};
    const char *uris[200];
    struct remote_question question = {.uris = uris, .count = COUNT(uris), .seconds = 60};
    AUTO(remote_clear) struct remote_hosts hosts = {0};
    struct error error = {0};

    for (size_t i = 0; i < COUNT(uris); i++)
        uris[i] = i % 2 ? T4 : A40;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = (struct rlimit){.rlim_cur = 150, .rlim_max = usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_int_equal(remote_ask(&scene.kernel.host, &question, &hosts, &error), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_int_equal(hosts.count, COUNT(uris));
    for (size_t i = 0; i < hosts.count; i++) {
        assert_string_equal(hosts.items[i].failure.text, "");
        assert_string_equal(hosts.items[i].uri, uris[i]);
        assert_int_equal(hosts.items[i].inventory.gpu_count, i % 2 ? 2 : 1);
    }
}

/* Afterwards there is no child, and no message of libxml2 or ssh on the terminal. */
TEST(nothing_is_left)
{
    AUTO_CLOSE int terminal = memfd_create("terminal", MFD_CLOEXEC);
    AUTO_CLOSE int saved = dup(STDERR_FILENO);

    assert_true(dup2(terminal, STDERR_FILENO) >= 0);
    run("vgpuctl gpus -c " T4 " -c " GONE);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    assert_int_equal(lseek(terminal, 0, SEEK_END), 0);
    assert_int_equal(typed.status, COMMAND_FAILED);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

#define DEVICE(path, more)  "<device><path>" path "</path>" more "</device>"
#define TYPES(types)        "<capability type='mdev_types'>" types "</capability>"
#define TYPE(id, api, rest) "<type id='" id "'><deviceAPI>" api "</deviceAPI>" rest "</type>"

/* A parent that is no PCI device, as libvirt shows the kernel's sample. */
TEST(devices)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    AUTO(node_devices_clear) struct node_devices found = {0};
    AUTO(inventory_clear) struct inventory inventory = {0};
    static const char *const texts[] = {
        /* Its vGPU comes first, because libvirt has no particular order. */
        DEVICE("/sys/devices/virtual/mtty/mtty/dddddddd-0000-4000-8000-000000000009",
               "<capability type='mdev'><type id='mtty-2'/></capability>"),
        DEVICE("/sys/devices/virtual/mtty/mtty",
               TYPES(TYPES(TYPE("mtty-2", "vfio-pci", "<availableInstances>11</availableInstances>")
                               TYPE("mtty-1", "vfio-pci",
                                    "<availableInstances>many</availableInstances>")))),
        /* No GPUs. */
        DEVICE("/sys/devices/css0/0.0.0072", "<capability type='css'>" TYPES(TYPE(
                                                 "vfio_ccw-io", "vfio-ccw", "")) "</capability>"),
        DEVICE("/sys/devices/css0/0.0.0072/dddddddd-0000-4000-8000-000000000008",
               "<capability type='mdev'><type id='vfio_ccw-io'/></capability>"),
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(node_devices_add(&found, texts[i]), 0);
    node_devices_survey(&found, &inventory);
    assert_int_equal(inventory.gpu_count, 1);
    assert_string_equal(inventory.gpus[0]->name.text, "mtty");
    assert_int_equal(inventory.gpus[0]->numa, -1);
    assert_int_equal(inventory.gpus[0]->type_count, 2);
    gpu_load_init(&load, inventory.gpus[0], LOAD_NOW);
    assert_int_equal(gpu_room_left(&load, &inventory.gpus[0]->types[0], NULL).most, 11);
    assert_int_equal(gpu_room_left(&load, &inventory.gpus[0]->types[1], NULL).error, ENODATA);
    assert_int_equal(inventory.vgpu_count, 1);
    assert_string_equal(inventory.vgpus[0]->device.text, "dddddddd-0000-4000-8000-000000000009");
}

#define SRIOV(path, vendor, driver, capability, address)                                           \
    DEVICE(path, "<driver><name>" driver "</name></driver><capability type='pci'>"                 \
                 "<vendor id='" vendor "'/><capability type='" capability "'>" address             \
                 "</capability></capability>")
#define ADDRESS(function)                                                                          \
    "<address domain='0x0000' bus='0x3d' slot='0x00' function='" function "'/>"

/* NVIDIA's virtual functions are distinguished from functions that make mediated devices, and from
 * other devices. */
TEST(functions)
{
    static const char *const texts[] = {
        SRIOV("/sys/devices/0000:3d:00.0", "0x10de", "nvidia", "virt_functions",
              ADDRESS("0x4") ADDRESS("0x5")),
        SRIOV("/sys/devices/0000:3d:00.4", "0x10de", "nvidia", "phys_function", ADDRESS("0x0")),
        /* No function is enabled; or the device is no GPU; or it has another driver. */
        SRIOV("/sys/devices/0000:3e:00.0", "0x10de", "nvidia", "virt_functions", ""),
        SRIOV("/sys/devices/0000:3f:00.0", "0x8086", "ixgbe", "virt_functions", ADDRESS("0x6")),
        SRIOV("/sys/devices/0000:40:00.0", "0x10de", "nouveau", "virt_functions", ADDRESS("0x7")),
    };
#define MAKES TYPES(TYPE("nvidia-558", "vfio-pci", "<availableInstances>1</availableInstances>"))
    static const char parent[] =
        DEVICE("/sys/devices/0000:3d:00.5",
               "<capability type='pci'><capability type='phys_function'>" ADDRESS(
                   "0x0") "</capability>" MAKES "</capability>");

    for (int makes_mdevs = 0; makes_mdevs <= 1; makes_mdevs++) {
        AUTO(node_devices_clear) struct node_devices found = {0};
        AUTO(inventory_clear) struct inventory inventory = {0};

        for (size_t i = 0; i < COUNT(texts); i++)
            assert_int_equal(node_devices_add(&found, texts[i]), 0);
        if (makes_mdevs)
            assert_int_equal(node_devices_add(&found, parent), 0);
        node_devices_survey(&found, &inventory);
        assert_int_equal(inventory.gpu_count, 1);
        assert_string_equal(inventory.gpus[0]->name.text, "0000:3d:00.0");
        assert_string_equal(inventory.gpus[0]->driver.text, makes_mdevs ? "" : "nvidia");
        assert_int_equal(inventory.gpus[0]->is_partial, !makes_mdevs);
        assert_int_equal(inventory.gpus[0]->type_count, makes_mdevs);
        assert_int_equal(inventory.parent_count, makes_mdevs ? 1 : 2);
        assert_string_equal(inventory.parents[0]->name.text,
                            makes_mdevs ? "0000:3d:00.5" : "0000:3d:00.4");
        assert_int_equal(inventory.parents[0]->interface->hostdev,
                         makes_mdevs ? REQUEST_MDEV : REQUEST_PCI);
    }
}

TEST(bad_devices)
{
    static const char *const texts[] = {
        "",
        "no XML",
        "<device>",
        "<domain/>",
        "<device/>",
        DEVICE("", ""),
        DEVICE("relative", ""),
        DEVICE("/sys/..", ""),
        DEVICE("/sys/a b", ""),
        DEVICE("/sys/p/no-uuid", "<capability type='mdev'><type id='t'/></capability>"),
        DEVICE("/dddddddd-0000-4000-8000-000000000009",
               "<capability type='mdev'><type id='t'/></capability>"),
        DEVICE("/sys/p/dddddddd-0000-4000-8000-000000000009", "<capability type='mdev'/>"),
        DEVICE("/sys/0000:18:00.4", "<capability type='phys_function'><address bus='1'/>"
                                    "</capability>"),
        SRIOV("/sys/0000:3d:00.0", "0x10de", "nvidia", "virt_functions", "<address bus='1'/>"),
        "<!DOCTYPE device [<!ENTITY e '/sys/x'>]><device><path>&e;</path></device>",
        "<?xml version='1.0' encoding='EUC-JP'?>" DEVICE("/sys/0000:18:00.4", ""),
        DEVICE("/sys/0000:18:00.4", "<!-- \xff -->"),
    };
    AUTO(node_devices_clear) struct node_devices found = {0};
    struct name host;

    for (size_t i = 0; i < COUNT(texts); i++) {
        if (node_devices_add(&found, texts[i]) != -EBADMSG)
            fail_msg("taken for a device: %s", texts[i]);
        assert_int_equal(node_device_host(texts[i], &host), -ENODATA);
    }
    assert_int_equal(found.count, 0);
}

#define PORTS "/sys/devices/virtual/mtty/mtty"
#define GUEST "aaaaaaaa-0000-4000-8000-000000000001"

static const char answer[] =
    "host\0QEMU\0"
    "11003000\0"
    "10000003\0<device><capability type='system'><hardware><uuid>" GUEST
    "</uuid></hardware></capability></device>\0"
    "device\0" DEVICE(
        PORTS, TYPES(TYPE("mtty-2", "vfio-pci", ""))) "\0"
                                                      "domain\0" GUEST
                                                      "\0web01\0running\0\0<domain><uuid>" GUEST
                                                      "</uuid><name>web01</name></domain>\0\0"
                                                      "end";

/* An answer counts only if it is complete. */
TEST(answers)
{
    for (size_t size = 0; size <= sizeof(answer); size++) {
        struct remote_hosts hosts = {.items = calloc(1, sizeof(*hosts.items)), .count = 1};
        AUTO_FREE char *words = malloc(size ? size : 1);

        hosts.items[0].uri = "qemu://gpu1/system";
        memcpy(words, answer, size);
        remote_read(&hosts.items[0], words, size);
        if (size == sizeof(answer)) {
            assert_string_equal(hosts.items[0].failure.text, "");
            assert_int_equal(hosts.items[0].libvirt_version, 11003000);
            assert_int_equal(hosts.items[0].inventory.gpu_count, 1);
            assert_true(hosts.items[0].domains.items[0].is_running);
            assert_false(hosts.items[0].domains.items[0].is_persistent);
            assert_true(hosts.items[0].domains.complete);
        } else {
            typed_assert_has(hosts.items[0].failure.text, "qemu://gpu1/system: the answer ");
            assert_int_equal(hosts.items[0].inventory.gpu_count, 0);
            assert_int_equal(hosts.items[0].domains.count, 0);
        }
        remote_clear(&hosts);
    }
}

/* If a domain cannot be read, nobody knows its devices. Then no vGPU is called an orphan. */
TEST(unreadable_domain)
{
    static const char words[] = "host\0QEMU\0"
                                "0\0"
                                "0\0\0domain\0" GUEST "\0web01\0\0defined\0\0<domain/>\0end";
    struct remote_hosts hosts = {.items = calloc(1, sizeof(*hosts.items)), .count = 1};

    hosts.items[0].uri = "qemu://gpu1/system";
    remote_read(&hosts.items[0], words, sizeof(words));
    assert_string_equal(hosts.items[0].failure.text, "");
    assert_false(hosts.items[0].domains.items[0].is_running);
    assert_false(hosts.items[0].domains.complete);
    remote_clear(&hosts);
}
