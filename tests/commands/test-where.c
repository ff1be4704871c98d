/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl where: which hosts would take a guest. libvirt's test driver stands for the hosts. A slow
 * host reads its answer from a pipe. A dead host is a socket that nobody serves. A host that
 * refuses is a socket on which nobody listens. */

#include "cli/command.h"
#include "fake/typed.h"
#include "libvirt/warm-up.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
        {"where/type", "vgpuctl where --type T4-1B -c " NONE " -c " A40 " -c " L40S " -c " T4},
        {"where/type-json", "vgpuctl where --type T4-1B --json -c " A40 " -c " T4},
        {"where/columns", "vgpuctl where --type T4-1B -n -o uri,ANSWER -c " NONE " -c " T4},
        {"where/file", "vgpuctl where tests/data/new-guest.xml -c " A40 " -c " T4},
        {"where/taken", "vgpuctl where tests/data/clone.xml -c " T4},
        {"where/nobody", "vgpuctl where --type T4-9Z -c " A40 " -c " T4},
        {"where/perhaps", "vgpuctl where --type A40-1B -c " A40 " -c " T4},
        {"where/nothing-asked", "vgpuctl where tests/data/plain.xml -c " T4},
        {"where/unknown-domain", "vgpuctl where web02 -c " T4},
        {"where/no-guest", "vgpuctl where -c " T4},
        {"where/two-guests", "vgpuctl where web01 --type T4-1B -c " T4},
        {"where/no-host", "vgpuctl where web01"},
        {"where/timeout", "vgpuctl where web01 -c " T4 " --timeout never"},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        typed_golden(&scene, HERE, rows[i].name, rows[i].line);
    /* There is no golden file here, because the words are libvirt's. */
    assert_int_equal(run("vgpuctl where --type T4-1B --json -c " GONE " -c " T4), COMMAND_DONE);
    typed_assert_has(typed.printed, "\"errors\": [\n      {\n         \"word\": \"no-libvirt\",\n");
    assert_string_equal(typed.faults, "");
    typed_golden_on(&scene, HERE, &typed_screen, "where/screen",
                    "vgpuctl where --type T4-1B -c " L40S " -c " T4);
}

/* A T4 with room for this many vGPUs. */
#define WITH_ROOM(left)                                                                            \
    "<node><device><name>computer</name><capability type='system'><hardware>"                      \
    "<uuid>bbbbbbbb-0000-4000-8000-0000000000b" left "</uuid></hardware></capability></device>"    \
    "<device><name>pci_0000_18_00_0</name><path>/sys/devices/0000:18:00.0</path>"                  \
    "<parent>computer</parent><capability type='pci'><domain>0</domain><bus>24</bus>"              \
    "<slot>0</slot><function>0</function><product id='0x1eb8'/><vendor id='0x10de'/>"              \
    "<capability type='mdev_types'><type id='nvidia-222'><name>GRID T4-1B</name>"                  \
    "<deviceAPI>vfio-pci</deviceAPI><availableInstances>" left "</availableInstances></type>"      \
    "</capability></capability></device></node>"

/* Reads "URI ROOM" for each host, with the last part of its path in place of the URI. */
static void
read_order(char *ret, size_t size)
{
    *ret = '\0';
    for (char *rest = typed.printed, *line; (line = strsep(&rest, "\n")) && *line;) {
        size_t at = strlen(ret);

        snprintf(ret + at, size - at, "%s%s", at ? ", " : "", strrchr(line, '/') + 1);
    }
}

/* Hosts are ordered by room. Equal hosts stay in the order in which they were named. Hosts without
 * an answer come last. */
TEST(best_first)
{
    static const char *const names[] = {"full", "none", "two", "gone", "seven", "pair"};
    AUTO_FREE char *line = NULL;
    char order[512];
    size_t size;
    FILE *out = open_memstream(&line, &size);

    fake_write(&scene.kernel, "full", WITH_ROOM("0"));
    fake_write(&scene.kernel, "none", "<node/>");
    fake_write(&scene.kernel, "two", WITH_ROOM("2"));
    fake_write(&scene.kernel, "pair", WITH_ROOM("2"));
    fake_write(&scene.kernel, "seven", WITH_ROOM("7"));
    fprintf(out, "vgpuctl where --type T4-1B -rn -o URI,ROOM");
    for (size_t i = 0; i < COUNT(names); i++)
        fprintf(out, " -c test://%s/%s", scene.kernel.path, names[i]);
    fclose(out);
    assert_int_equal(run(line), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    read_order(order, sizeof(order));
    assert_string_equal(order, "seven 7, two 2, pair 2, full -, none -, gone -");
}

/* For a guest that would move, migrate-check decides. libvirt's test driver is no QEMU. */
TEST(one_judge)
{
    static const char line[] = "vgpuctl migrate-check web01 " T4;
    AUTO_FREE char *reason = NULL;
    char *end;

    assert_int_equal(typed_run(&scene, T4, line, &typed), COMMAND_NO_CAPACITY);
    reason = strdup(strstr(typed.printed, "NO       ") + strlen("NO       "));
    end = strchr(reason, '\n');
    *end = '\0';
    assert_int_equal(typed_run(&scene, T4, "vgpuctl where web01 -n -o REASON -c " T4, &typed),
                     COMMAND_NO_CAPACITY);
    assert_string_equal(reason, T4 " is this host");
    *end = '\n';
    assert_memory_equal(typed.printed, reason, (size_t)(end + 1 - reason));
    assert_string_equal(
        typed.faults,
        "vgpuctl: where: no host is sure to take web01: 1 would not, 0 may, 0 gave no answer\n");
}

/* Only this host has to know the domain. */
TEST(nobody_knows_it)
{
    assert_int_equal(typed_run(&scene, GONE, "vgpuctl where web01 -c " T4, &typed), COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: where: cannot connect to " GONE ": ");
    assert_string_equal(typed.printed, "");
    /* A new guest is not checked for migration. */
    assert_int_equal(typed_run(&scene, GONE, "vgpuctl where --type T4-1B -c " T4, &typed),
                     COMMAND_DONE);
    assert_string_equal(typed.faults, "");
}

/* Below /tmp, because a socket's name must be short. */
static int
make_socket(char *path, size_t size, const char *name, bool listens)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(path, size, "/tmp/vgpu-test-where.%s.%d", name, (int)getpid());
    unlink(path);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (bind(server, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        (listens && listen(server, 16) < 0))
        fail_msg("%s: %s", path, strerror(errno));
    return server;
}

/* A slow host answers after this time: its libvirt waits for the other end of the pipe. */
static int
tell_slowly(const char *path, unsigned milliseconds)
{
    int pid = fork();

    if (pid == 0) {
        int fd;

        fake_sleep(milliseconds);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        _exit(write(fd, WITH_ROOM("2"), strlen(WITH_ROOM("2"))) < 0);
    }
    return pid;
}

/* Runs a command with these hosts. Checks its rows, and the time that it took. */
static uint64_t
ask_slow_host(const char *hosts)
{
    AUTO_FREE char *slow = NULL, *line = NULL;
    uint64_t began = fake_now();
    int pid;

    assert_true(asprintf(&slow, "%s/slow", scene.kernel.path) > 0);
    assert_true(asprintf(&line,
                         "vgpuctl where --type T4-1B --timeout 2 -n -o ANSWER,REASON "
                         "-c test://%s%s -c " T4,
                         slow, hosts) > 0);
    unlink(slow);
    assert_int_equal(mkfifo(slow, 0600), 0);
    pid = tell_slowly(slow, 300);
    assert_int_equal(run(line), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    typed_assert_has(typed.printed, " there is room for T4-1B on 0000:3b:00.0\n");
    typed_assert_has(typed.printed, " there is room for T4-1B on 0000:18:00.0\n");
    scene_assert_ends_well(pid);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    return fake_now() - began;
}

/* When the program waits for the end of a child, it may pause for a millisecond. */
static void
assert_about(uint64_t took, uint64_t milliseconds)
{
    assert_in_range(took, milliseconds, milliseconds + 10);
}

/* The command takes as long as the slowest host that answers, or as long as the timeout. Each host
 * that does not answer has a row with the reason. */
TEST(hosts_that_fail)
{
    char dead[64], refusing[64];
    int servers[] = {make_socket(dead, sizeof(dead), "dead", true),
                     make_socket(refusing, sizeof(refusing), "refusing", false)};
    AUTO_FREE char *hosts = NULL, *more = NULL;

    assert_about(ask_slow_host(""), 300);

    assert_true(asprintf(&hosts, " -c qemu+unix:///system?socket=%s -c " GONE, refusing) > 0);
    assert_about(ask_slow_host(hosts), 300);
    typed_assert_has(typed.printed, " cannot connect to qemu+unix:///system?socket=");
    typed_assert_has(typed.printed, ": Connection refused\n");
    typed_assert_has(typed.printed, " cannot connect to " GONE ": ");

    assert_true(asprintf(&more, " -c qemu+unix:///system?socket=%s%s", dead, hosts) > 0);
    assert_int_equal(ask_slow_host(more), 2000);
    typed_assert_has(typed.printed, " qemu+unix:///system?socket=");
    typed_assert_has(typed.printed, ": no answer within 2 s");
    typed_assert_has(typed.printed, ": Connection refused\n");
    for (size_t i = 0; i < COUNT(servers); i++)
        close(servers[i]);
    unlink(dead);
    unlink(refusing);
}

/* It is sure that no host would take the guest only if all hosts have answered. */
TEST(not_all_answer)
{
    assert_int_equal(run("vgpuctl where --type T4-1B -c " GONE " -c " A40), COMMAND_FAILED);
    typed_assert_has(typed.faults, "T4-1B: 1 would not, 0 may, 1 gave no answer\n");
}
