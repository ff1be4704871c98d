/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* hook: which events it acts on, their exit status, their messages, and what is counted. */

#include "hook.h"
#include "actions/reconcile.h"
#include "base/memory.h"
#include "fake/listener.h"
#include "fake/repeat.h"
#include "fake/scene.h"
#include "lease/ledger.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
#define DEVICE(type) "<vgpu:device alias=\"ua-gpu1\" type=\"" type "\"/>"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
#define TEST(function) SCENE_TEST(function, here)
static const char *name = "guest"; /* what the caller says of the domain's name */

/* Calls the hook as a person or a session daemon would. The arguments are the words of argv, and
 * the caller. */
static int
call_with(bool privileged, int argc, const char *operation, const char *sub, int input)
{
    const char *argv[] = {"hook", name, operation, sub, "-", NULL};
    AUTO_CLOSE int faults = memfd_create("faults", MFD_CLOEXEC);
    AUTO_CLOSE int output = memfd_create("output", MFD_CLOEXEC);
    ssize_t length;
    int status;

    status =
        hook_run(&scene.kernel.host, privileged, argc, (char *const *)argv, input, output, faults);
    length = pread(faults, scene.said, sizeof(scene.said) - 1, 0);
    scene.said[length > 0 ? length : 0] = '\0';
    assert_int_equal(lseek(output, 0, SEEK_END), 0);
    return status;
}

/* The same with this text. */
static int
call(bool privileged, int argc, const char *operation, const char *sub, const char *xml)
{
    AUTO_CLOSE int input = memfd_create("input", MFD_CLOEXEC);

    assert_int_equal(write(input, xml, strlen(xml)), strlen(xml));
    lseek(input, 0, SEEK_SET);
    return call_with(privileged, argc, operation, sub, input);
}

/* If somebody runs the hook by hand, the hook explains itself. An event that must not fail does not
 * fail. */
TEST(too_few_words)
{
    static const struct {
        int argc;
        const char *operation;
        int status;
    } rows[] = {
        {1, "prepare", 1}, {2, "prepare", 1},   {3, "prepare", 1},
        {3, "migrate", 1}, {3, "restore", 1},   {3, "start", 0},
        {3, "release", 0}, {3, "reconnect", 0}, {3, "any other", 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(call(true, rows[i].argc, rows[i].operation, "begin", ""), rows[i].status);
        scene_assert_said(&scene, "vgpu: usage: NAME OPERATION SUB-OPERATION EXTRA");
    }
}

TEST(what_is_not_ours)
{
    static const char *const rows[][2] = {
        {"prepare", "end"}, {"prepare", ""},     {"release", "begin"}, {"stopped", "end"},
        {"started", "end"}, {"attach", "begin"}, {"", "begin"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(call(true, 5, rows[i][0], rows[i][1], "this is no XML"), 0);
        assert_string_equal(scene.said, "");
    }
    assert_int_equal(call(true, 4, "prepare", "begin", "this is no XML"), 1);
}

/* The exit status of each event that cannot be carried out, and whether people get a message. */
static const struct {
    const char *operation, *sub;
    bool unreadable_fails, unprivileged_fails;
} events[] = {
    {"prepare", "begin", true, true},     {"migrate", "begin", true, true},
    {"restore", "begin", true, true},     {"start", "begin", false, false},
    {"reconnect", "begin", false, false}, {"release", "end", false, false},
};

TEST(unreadable_xml)
{
    for (size_t i = 0; i < COUNT(events); i++) {
        int status = call(true, 5, events[i].operation, events[i].sub, "this is no XML");

        assert_int_equal(status, events[i].unreadable_fails);
        if (events[i].unreadable_fails)
            scene_assert_said(&scene, "vgpu: guest: ");
        else
            assert_string_equal(scene.said, "");
    }
}

/* The text with the first `old` replaced. The caller frees it. */
static char *
with(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    char *ret;

    assert_non_null(at);
    assert_true(asprintf(&ret, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old)) > 0);
    return ret;
}

/* Every event is told such input. Nothing is made, and one line says so where people read it. */
static void
assert_nothing_comes_of(const char *what, const char *xml)
{
    for (size_t i = 0; i < COUNT(events); i++) {
        int status = call(true, 5, events[i].operation, events[i].sub, xml);

        /* What can be read asks for a vGPU that was not made. */
        if (!strcmp(events[i].operation, "start") && status == 1)
            scene_assert_said(&scene, " that it asks for was not made: ");
        else if (status != events[i].unreadable_fails)
            fail_msg("%s, %s: status %d: %s", what, events[i].operation, status, scene.said);
        if (events[i].unreadable_fails)
            scene_assert_said(&scene, "vgpu: ");
        else if (status == 0)
            assert_string_equal(scene.said, "");
        scene_assert_empty(&scene);
    }
    assert_int_equal(scene.kernel.faults->writes, 0);
}

TEST(what_no_libvirt_sends)
{
    AUTO_FREE char *good = scene_xml(7, DEVICE("nvidia-222"), (const unsigned[]){1, 0});
    AUTO_FREE char *truncated = strndup(good, strlen(good) - 20);
    AUTO_FREE char *nobody = with(good, "<uuid>", "<id>"),
                   *no_uuid = with(nobody, "</uuid>", "</id>");
    AUTO_FREE char *entities = with(good, "<domain", "<!DOCTYPE d [<!ENTITY a 'a'>]><domain");
    AUTO_FREE char *large = repeat(good, "<a/>", 9000000 / 4, "");
    AUTO_FREE char *newer = with(good, "domain:1", "domain:2");
    AUTO_FREE char *slash = with(good, "nvidia-222", "../nvidia-222");
    AUTO_CLOSE int endless = open("/dev/zero", O_RDONLY | O_CLOEXEC);

    assert_nothing_comes_of("empty", "");
    assert_nothing_comes_of("truncated", truncated);
    assert_nothing_comes_of("no UUID", no_uuid);
    assert_nothing_comes_of("entities", entities);
    assert_nothing_comes_of("large", large);
    assert_nothing_comes_of("newer", newer);
    assert_nothing_comes_of("slash", slash);
    for (size_t i = 0; i < COUNT(events); i++)
        assert_int_equal(call_with(true, 5, events[i].operation, events[i].sub, endless),
                         events[i].unreadable_fails);
}

/* Whoever runs the hook says the domain's name. It is no option, and stays one line. */
TEST(any_name)
{
    static const char *const rows[][2] = {
        {"-rf", "vgpu: -rf: "},
        {"two\nlines and \033[1m", "vgpu: two?lines and ?[1m: "},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        name = rows[i][0];
        assert_int_equal(call(true, 5, "prepare", "begin", "<domain"), 1);
        scene_assert_said(&scene, rows[i][1]);
    }
    name = "guest";
}

/* An event that may not fail does not fail by the encoding. A release that cannot read the UUID
 * does nothing: the name of a domain is no proof of whose vGPU it is. */
TEST(another_encoding)
{
    AUTO_FREE char *xml = scene_xml(1, DEVICE("nvidia-222"), (const unsigned[]){1, 0});
    AUTO_FREE char *other = NULL;

    assert_true(asprintf(&other, "<?xml version='1.0' encoding='EUC-JP'?>%s", xml) > 0);
    for (size_t i = 0; i < COUNT(events); i++) {
        assert_int_equal(call(true, 5, events[i].operation, events[i].sub, other),
                         events[i].unreadable_fails);
        assert_string_equal(scene.said,
                            events[i].unreadable_fails
                                ? "vgpu: guest: cannot read the domain XML: line 1: it declares "
                                  "encoding 'EUC-JP', and only UTF-8 is read: convert it with "
                                  "iconv(1)\n"
                                : "");
    }
    scene_assert_empty(&scene);
    assert_int_equal(call(true, 5, "prepare", "begin", xml), 0);
    assert_int_equal(call(true, 5, "release", "end", other), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(call(true, 5, "release", "end", xml), 0);
    scene_assert_empty(&scene);
}

/* A hook without memory ends at once. It must not kill a running guest. */
TEST(without_memory)
{
    static const struct {
        const char *operation, *sub;
        int status;
    } rows[] = {
        {"prepare", "begin", 1}, {"start", "begin", 1},   {"started", "begin", 0},
        {"migrate", "begin", 1}, {"restore", "begin", 1}, {"reconnect", "begin", 0},
        {"release", "end", 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            (void)!call(true, 5, rows[i].operation, rows[i].sub, "this is no XML");
            memory_fail();
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), rows[i].status);
    }
}

/* The guests of a session daemon are not refused if they ask for no vGPU. */
TEST(a_session_daemon)
{
    AUTO_FREE char *with = scene_xml(7, DEVICE("nvidia-222"), (const unsigned[]){1, 0});
    AUTO_FREE char *without = scene_xml(8, "", (const unsigned[]){0});
    AUTO_FREE char *wrong = scene_xml(7, "<vgpu:nonsense/>", (const unsigned[]){1, 0});

    for (size_t i = 0; i < COUNT(events); i++) {
        bool fails = events[i].unprivileged_fails;

        assert_int_equal(call(false, 5, events[i].operation, events[i].sub, with), fails);
        if (fails)
            scene_assert_said(&scene, "vgpu: guest7: it asks for a vGPU, and only qemu:///system");
        assert_int_equal(call(false, 5, events[i].operation, events[i].sub, without), 0);
        assert_string_equal(scene.said, "");
        assert_int_equal(call(false, 5, events[i].operation, events[i].sub, wrong), fails);
        if (fails)
            scene_assert_said(&scene, "nonsense");
    }
    scene_assert_empty(&scene);
}

/* --- nobody's UUID -----------------------------------------------------------------------------
 */

/* Puts nobody's UUID into a domain's XML. */
static char *
nobodys(char *xml)
{
    char *start = strstr(xml, "<uuid>");

    assert_non_null(start);
    memcpy(start + strlen("<uuid>"), LEASE_NOBODY, strlen(LEASE_NOBODY));
    return xml;
}

/* In the ledger this UUID means nobody. So a guest of this UUID would be in no quota, and nobody's
 * lease is forgotten. It gets no vGPU, and is left alone in all else. */
TEST(a_guest_that_is_nobody)
{
    AUTO_FREE char *xml = nobodys(scene_xml(7, DEVICE("nvidia-222"), (const unsigned[]){1, 0}));
    AUTO_FREE char *plain = nobodys(scene_xml(8, "", (const unsigned[]){0}));
    AUTO_FREE char *unasked = nobodys(scene_xml(9, "", (const unsigned[]){1, 0}));

    for (size_t i = 0; i < COUNT(events); i++) {
        bool fails = events[i].unreadable_fails;

        assert_int_equal(call(true, 5, events[i].operation, events[i].sub, plain), 0);
        assert_string_equal(scene.said, "");
        assert_int_equal(call(true, 5, events[i].operation, events[i].sub, unasked), 0);
        assert_string_equal(scene.said, "");
        if (!strcmp(events[i].operation, "start"))
            continue;
        assert_int_equal(call(true, 5, events[i].operation, events[i].sub, xml), fails);
        if (fails)
            scene_assert_said(&scene, "vgpu: guest7: its <uuid> is " LEASE_NOBODY);
        else
            assert_string_equal(scene.said, "");
    }
    scene_assert_empty(&scene);
}

/* --- the log ---------------------------------------------------------------------------------- */

/* How many lines were logged since the last call. Each must have these words. */
static unsigned
logged(const char *words)
{
    char *rest = listener_heard(), *line;
    unsigned lines = 0;

    for (; (line = strsep(&rest, "\n")) && *line; lines++) {
        if (!strstr(line, words))
            fail_msg("no \"%s\" in: %s", words, line);
    }
    return lines;
}

#define DEVICE_1 "dddddddd-0000-4000-8000-000000000001"

/* A release that fails, and that somebody else does later, is one story: the vGPU, and how it went
 * on. */
static void
one_story(const char *xml)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    struct fake_guest stray;
    struct error error;

    assert_int_equal(call(true, 5, "prepare", "begin", xml), 0);
    assert_int_equal(logged("event=prepare "), 1);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(call(true, 5, "release", "end", xml), 0);
    assert_int_equal(logged("event=release result=failed: the vGPU " DEVICE_1), 1);
    fake_close(&stray);
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    assert_int_equal(logged("result=removed, which had failed before"), 1);
}

/* Whatever a release meets, its lines name the guest as all other lines do. */
TEST(a_release_names_its_guest_in_the_log)
{
    AUTO_FREE char *xml = scene_xml(7, DEVICE("nvidia-222"), (const unsigned[]){1, 0});

    listener_begin(&scene.kernel);
    assert_int_equal(call(true, 5, "prepare", "begin", xml), 0);
    assert_int_equal(call(true, 5, "started", "begin", xml), 0);
    assert_int_equal(logged("event=prepare "), 1);
    scene_configure(&scene, "nonsense");
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt-vgpu/released", AT_REMOVEDIR),
                     0);
    fake_write(&scene.kernel, "run/libvirt-vgpu/released", "no directory");
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/saved", "no directory");
    assert_int_equal(call(true, 5, "release", "end", xml), 0);
    /* The mark, the types, the configuration, and the vGPU. */
    assert_int_equal(logged("domain=guest7 "), 4);
    listener_end(&scene.kernel);
    scene_assert_empty(&scene);
}

/* A success logs one line for each vGPU. A failure of which people are not told logs one line. A
 * failure of which they are told logs none. */
TEST(what_the_log_says)
{
    AUTO_FREE char *xml = scene_xml(7, DEVICE("nvidia-222"), (const unsigned[]){1, 0});
    AUTO_FREE char *plain = scene_xml(8, "", (const unsigned[]){0});

    listener_begin(&scene.kernel);
    assert_int_equal(call(true, 5, "prepare", "begin", xml), 0);
    assert_int_equal(logged("event=prepare "), 1);
    assert_int_equal(call(true, 5, "start", "begin", xml), 0);
    assert_int_equal(call(true, 5, "prepare", "begin", plain), 0);
    assert_int_equal(call(true, 5, "release", "end", plain), 0);
    assert_int_equal(call(true, 5, "prepare", "begin", "this is no XML"), 1);
    assert_int_equal(logged("nothing at all"), 0);
    assert_int_equal(call(true, 5, "release", "end", "this is no XML"), 0);
    assert_int_equal(logged("event=release result=failed: "), 1);
    assert_int_equal(call(true, 5, "release", "end", xml), 0);
    assert_int_equal(logged("event=release "), 1);
    one_story(xml);
    listener_end(&scene.kernel);
    scene_assert_empty(&scene);
}
