/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl attach and detach beside others: our own calls wait for each other, and what somebody
 * else changes meanwhile is not lost.
 */

#include "attach/definition.h"
#include "cli/command.h"
#include "fake/typed.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libvirt/libvirt.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"

/* As long as one connection of this process to the test driver is open, all of them see the same
 * domains. */
#define HERE "test:///default"
#define START                                                                                      \
    "<domain type='test'><name>web09</name><uuid>aaaaaaaa-0000-4000-8000-000000000009</uuid>"
#define END   "<memory>65536</memory><os><type>hvm</type></os></domain>"
#define PLAIN START END
#define OTHER START "<title>other</title>" END

static struct scene scene;
static struct typed typed;
static struct connection *libvirt;

static void
begin(void)
{
    /* So the linker knows that libvirt's library comes behind this program. */
    assert_int_equal(virInitialize(), 0);
    libvirt = definition_begin(&scene.kernel.host, HERE, PLAIN);
}

static void
end(void)
{
    connection_close(&libvirt);
}

static const struct typed_case here = {
    {.scene = &scene, .machine = MACHINE, .begin = begin, .end = end}, &typed};
#define TEST(function) TYPED_TEST(function, here)

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

static void
expect(const char *line, int status, const char *words)
{
    typed_expect(&scene, HERE, line, status, words, &typed);
}

/* Somebody else defines the domain: after so many of our looks at it, or at all domains, or right
 * after our own definition; -1: never. */
static int meddle_after_looks = -1, meddle_after_lists = -1, meddle_after_writes = -1;

/* Or when we have seen that our own definition is there. */
static bool meddles_when_done;

static void
meddle(int *left)
{
    if (*left < 0 || (*left)-- > 0)
        return;
    definition_write(libvirt, OTHER);
}

/* Somebody else changes the memory after each of our looks, and nothing else. */
static bool never_rests;

#define MEMORY "<memory unit='KiB'>"

static void
change_memory(virDomainPtr domain, const char *xml)
{
    static unsigned changes;
    AUTO_FREE char *copy = strdup(xml);
    char *memory = strstr(copy, MEMORY);

    assert_non_null(memory);
    memory[strlen(MEMORY)] = "123456789"[changes++ % 9];
    virDomainFree(virDomainDefineXML(virDomainGetConnect(domain), copy));
}

char *
virDomainGetXMLDesc(virDomainPtr domain, unsigned flags)
{
    char *(*own)(virDomainPtr, unsigned) =
        (char *(*)(virDomainPtr, unsigned))dlsym(RTLD_NEXT, "virDomainGetXMLDesc");
    char *ret = own(domain, flags);

    if (flags & VIR_DOMAIN_XML_INACTIVE)
        meddle(&meddle_after_looks);
    if (flags & VIR_DOMAIN_XML_INACTIVE && never_rests)
        change_memory(domain, ret);
    return ret;
}

int
virConnectListAllDomains(virConnectPtr connection, virDomainPtr **ret, unsigned flags)
{
    int (*own)(virConnectPtr, virDomainPtr **, unsigned) =
        (int (*)(virConnectPtr, virDomainPtr **, unsigned))dlsym(RTLD_NEXT,
                                                                 "virConnectListAllDomains");

    meddle(&meddle_after_lists);
    return own(connection, ret, flags);
}

/* Somebody else adds a device to what was just written. */
static bool adds_after_write;

#define ADDED                                                                                      \
    "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"                              \
    "<address uuid='dddddddd-0000-4000-8000-000000000001'/></source></hostdev></devices>"

static void
add_device(virConnectPtr connection, const char *xml,
           virDomainPtr (*own)(virConnectPtr, const char *))
{
    const char *end = strstr(xml, "</devices>");
    AUTO_FREE char *text = NULL;

    assert_non_null(end);
    assert_true(
        asprintf(&text, "%.*s" ADDED "%s", (int)(end - xml), xml, end + strlen("</devices>")) > 0);
    adds_after_write = false;
    virDomainFree(own(connection, text));
}

virDomainPtr
virDomainDefineXML(virConnectPtr connection, const char *xml)
{
    virDomainPtr (*own)(virConnectPtr, const char *) =
        (virDomainPtr(*)(virConnectPtr, const char *))dlsym(RTLD_NEXT, "virDomainDefineXML");
    virDomainPtr ret = own(connection, xml);

    if (!strstr(xml, "<title>other</title>")) {
        meddle(&meddle_after_writes);
        if (meddles_when_done)
            meddle_after_looks = 0;
    }
    if (adds_after_write)
        add_device(connection, xml, own);
    return ret;
}

static void
start(void)
{
    struct connection_domain domain;
    struct error error;

    assert_int_equal(connection_find(libvirt, "web09", &domain, &error), 0);
    assert_int_equal(connection_start(libvirt, &domain.uuid, &error), 0);
}

static void
assert_both_changes(int vgpus)
{
    AUTO_FREE char *xml = definition_read(libvirt, "web09");
    int count = 0;

    typed_assert_has(xml, "<title>other</title>");
    for (const char *at = xml; (at = strstr(at, "<hostdev ")); at++)
        count++;
    assert_int_equal(count, vgpus);
}

/* Somebody else changes the definition meanwhile, and does not know our lock. Both changes are
 * there. */
TEST(somebody_else)
{
    for (int looks = 0; looks < 2; looks++) {
        definition_write(libvirt, PLAIN);
        meddle_after_looks = looks;
        expect("vgpuctl attach web09 --type T4-1B --count 2", COMMAND_DONE, "added ua-gpu1 (");
        assert_true(looks > 0 || meddle_after_looks < 0);
        if (meddle_after_looks < 0)
            assert_both_changes(2);
        meddle_after_looks = -1;
    }
    definition_write(libvirt, PLAIN);
    meddle_after_writes = 0;
    expect("vgpuctl attach web09 --type T4-1B", COMMAND_DONE, "added ua-gpu0 (");
    assert_int_equal(meddle_after_writes, -1);
    assert_both_changes(1);
    assert_int_equal(run("vgpuctl attach web09 --type T4-1B"), COMMAND_DONE);
    meddle_after_writes = -1;
    expect("vgpuctl detach web09 ua-gpu1", COMMAND_DONE, "removed ua-gpu1");
    assert_both_changes(1);
}

static bool
has_other_title(void)
{
    AUTO_FREE char *xml = definition_read(libvirt, "web09");

    return strstr(xml, "<title>other</title>");
}

/* What the definition has while libvirt is asked to plug a vGPU in. The test driver plugs nothing
 * in, so all is undone afterwards. */
static bool has_title_at_plug;

int
virDomainAttachDeviceFlags(virDomainPtr domain, const char *xml, unsigned flags)
{
    int (*own)(virDomainPtr, const char *, unsigned) =
        (int (*)(virDomainPtr, const char *, unsigned))dlsym(RTLD_NEXT,
                                                             "virDomainAttachDeviceFlags");

    has_title_at_plug = has_other_title();
    return own(domain, xml, flags);
}

/* The guest runs, and both of its definitions are to have the vGPU. Whenever somebody else changes
 * the definition meanwhile, that change is never lost. */
TEST(somebody_else_beside_a_plug)
{
    start();
    for (int lists = 0; meddle_after_lists < 0; lists++) {
        definition_write(libvirt, PLAIN);
        meddle_after_lists = lists;
        has_title_at_plug = true;
        assert_int_equal(run("vgpuctl attach web09 --type T4-1B --live --config"), COMMAND_FAILED);
        assert_true(lists > 0 || meddle_after_lists < 0);
        if (meddle_after_lists < 0 && (!has_title_at_plug || !has_other_title()))
            fail_msg("at look %d: %s", lists, typed.faults);
    }
    meddle_after_lists = -1;
}

/* The test driver starts every domain. */
static bool refuses_start;

int
virDomainCreate(virDomainPtr domain)
{
    int (*own)(virDomainPtr) = (int (*)(virDomainPtr))dlsym(RTLD_NEXT, "virDomainCreate");

    /* libvirt refuses to suspend a domain that does not run, and says why. */
    return refuses_start ? virDomainSuspend(domain) : own(domain);
}

/* The domain does not start, so the old definition is restored. What somebody else has defined just
 * before our change, or just after it, is not lost. */
TEST(somebody_else_beside_a_start)
{
    static const char *const lines[] = {"vgpuctl attach web09 --type T4-1B --start",
                                        "vgpuctl attach web09 --renew --start"};

    for (size_t i = 0; i < COUNT(lines) * 2; i++) {
        const char *line = lines[i / 2];

        definition_write(libvirt, PLAIN);
        assert_int_equal(run("vgpuctl attach web09 --type T4-1B "
                             "--uuid dddddddd-0000-4000-8000-000000000001"),
                         COMMAND_DONE);
        refuses_start = true;
        meddles_when_done = i % 2;
        meddle_after_looks = meddles_when_done ? -1 : 0;
        assert_int_equal(run(line), COMMAND_FAILED);
        refuses_start = meddles_when_done = false;
        assert_int_equal(meddle_after_looks, -1);
        if (!has_other_title())
            fail_msg("%s: %s", line, typed.faults);
    }
}

/* It is given up after a while, and the definition stays as somebody else wants it. */
TEST(somebody_never_rests)
{
    static const char *const lines[] = {"vgpuctl detach web09 ua-gpu0",
                                        "vgpuctl attach web09 --type T4-1B"};

    assert_int_equal(run("vgpuctl attach web09 --type T4-1B"), COMMAND_DONE);
    never_rests = true;
    for (size_t i = 0; i < COUNT(lines); i++)
        expect(lines[i], COMMAND_FAILED,
               "the definition of web09: somebody else has changed it meanwhile");
    never_rests = false;
}

/* Somebody else adds to our change, which is not made twice then. */
TEST(somebody_adds)
{
    AUTO_FREE char *xml = NULL;

    adds_after_write = true;
    expect("vgpuctl attach web09 --type T4-1B", COMMAND_DONE, "added ua-gpu0 (");
    assert_false(adds_after_write);
    xml = definition_read(libvirt, "web09");
    typed_assert_has(xml, "dddddddd-0000-4000-8000-000000000001");
    assert_null(strstr(xml, "ua-gpu1"));
}

/* Has the lock of all calls that change definitions, for so many milliseconds. */
static pid_t
hold_definitions(unsigned milliseconds)
{
    int has_lock[2];
    char byte;
    pid_t pid;

    fake_write(&scene.kernel, "run/libvirt-vgpu/definitions", "");
    assert_int_equal(pipe(has_lock), 0);
    pid = fork();
    if (pid == 0) {
        int fd = openat(scene.kernel.host.root, "run/libvirt-vgpu/definitions", O_RDWR | O_CLOEXEC);

        if (flock(fd, LOCK_EX) < 0 || write(has_lock[1], "", 1) != 1)
            _exit(1);
        fake_sleep(milliseconds);
        _exit(0);
    }
    assert_int_equal(read(has_lock[0], &byte, 1), 1);
    close(has_lock[0]);
    close(has_lock[1]);
    return pid;
}

static int
lock_in_vain(const struct host *host, int fd, uint64_t nanoseconds)
{
    (void)host;
    (void)fd;
    (void)nanoseconds;
    return -ETIMEDOUT;
}

/* Calls that change a definition wait for each other. What changes nothing does not wait. */
TEST(one_after_the_other)
{
    static const char *const free_of_it[] = {"vgpuctl attach web09 --type T4-1B --print-xml",
                                             "vgpuctl attach web09 --type T4-1B --dry-run",
                                             "vgpuctl detach web09 ua-gpu0 --print-xml"};
    static const char *const lines[] = {"vgpuctl detach web09 ua-gpu0",
                                        "vgpuctl attach web09 --type T4-1B",
                                        "vgpuctl attach web09 --renew"};
    static struct host_ops ops;
    int root = scene.kernel.host.root;

    assert_int_equal(run("vgpuctl attach web09 --type T4-1B"), COMMAND_DONE);
    for (size_t i = 0; i < COUNT(lines); i++) {
        uint64_t before = fake_now();
        pid_t pid = hold_definitions(3000);

        expect(free_of_it[i], COMMAND_DONE, "");
        assert_in_range(fake_now() - before, 0, 1000);
        expect(lines[i], COMMAND_DONE, "");
        assert_in_range(fake_now() - before, 3000, 3100);
        scene_assert_ends_well(pid);
        if (i == 0) /* detach with nothing left is another matter */
            assert_int_equal(run("vgpuctl attach web09 --type T4-1B"), COMMAND_DONE);
    }
    expect("vgpuctl attach web09 --type T4-1B --json", COMMAND_DONE, "\"guarded\": true");
    expect("vgpuctl detach web09 ua-gpu1 --json", COMMAND_DONE, "\"guarded\": true");
    /* Not every user may open the file. */
    assert_int_equal(unlinkat(root, "run/libvirt-vgpu/definitions", 0), 0);
    assert_int_equal(mkdirat(root, "run/libvirt-vgpu/definitions", 0755), 0);
    expect("vgpuctl attach web09 --type T4-1B --json", COMMAND_DONE, "\"guarded\": false");
    expect("vgpuctl attach web09 --type T4-1B --dry-run --json", COMMAND_DONE, "\"dry-run\": true");
    assert_null(strstr(typed.printed, "guarded"));
    assert_int_equal(unlinkat(root, "run/libvirt-vgpu/definitions", AT_REMOVEDIR), 0);
    ops = *scene.kernel.host.ops;
    ops.lock = lock_in_vain;
    scene.kernel.host.ops = &ops;
    expect("vgpuctl attach web09 --type T4-1B", COMMAND_FAILED,
           "changes definitions, and has not ended within 120 seconds");
}
