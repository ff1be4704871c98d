/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl log: which lines of the journal, or of a log in a file, are about a guest's vGPUs. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HERE   "test:///default"
#define SYSLOG "var/log/syslog"
#define WEB01  "aaaaaaaa-0000-4000-8000-000000000001"
#define WEB02  "aaaaaaaa-0000-4000-8000-000000000002"
#define LEASE(name, uuid, event, result)                                                           \
    "domain=" name " uuid=" uuid " event=" event                                                   \
    " device=dddddddd-0000-4000-8000-000000000001 type=nvidia-222 parent=0000:18:00.0 "            \
    "gpu=0000:18:00.0 origin=made result=" result "\n"
#define FULL(name)                                                                                 \
    "internal error: Hook script execution failed: internal error: Child process (LC_ALL=C "       \
    "/etc/libvirt/hooks/qemu.d/50-vgpu " name                                                      \
    " prepare begin -) unexpected exit status 1: vgpu: " name                                      \
    ": no GPU can take ua-gpu0 (T4-1B): 0000:18:00.0 is full (16 of 16)\n"

/* What two guests went through, and others' lines. `at` is what a log has before the program. */
#define LINES(at)                                                                                  \
    at "libvirt-vgpu-hook[101]: " LEASE("web01", WEB01, "prepare", "ok") at                        \
        "libvirt-vgpu-hook[102]: " LEASE("web02", WEB02, "prepare", "ok") at                       \
        "libvirtd[90]: " FULL("web01") at "libvirtd[90]: " FULL("web012") at                       \
        "libvirtd[90]: internal error: socket is closed; vgpu: web01: no hook's\n" at              \
        "vgpuctl[103]: " LEASE("web01", WEB01, "reap", "removed") at                               \
        "libvirt-vgpu-hook[104]: domain=web01 event=release result=failed: it is in use\n" at      \
        "libvirt-vgpu-hook[105]: domain=web0 event=release result=failed: \xc2\x9b!\n" at          \
        "libvirt-vgpu-hooked[106]: " LEASE("web01", WEB01, "prepare", "ok") at                     \
        "somebody[107]: libvirt-vgpu-hook[108]: " LEASE("web01", WEB01, "prepare", "ok") at        \
        "kernel: vgpu: web01: neither\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = ""}, &typed};

static struct {
    int answer;
    char asked[1024]; /* the words behind its name */
    const char *text;
} journal;

static int
run_journalctl(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    (void)host;
    assert_true(milliseconds >= 10000);
    assert_string_equal(argv[0], "/usr/bin/journalctl");
    *journal.asked = '\0';
    for (size_t i = 1, at = 0; argv[i]; i++, at = strlen(journal.asked))
        snprintf(journal.asked + at, sizeof(journal.asked) - at, " %s", argv[i]);
    assert_int_equal(write(out, journal.text, strlen(journal.text)), strlen(journal.text));
    return journal.answer;
}

static void
start_journal(const char *text)
{
    memset(&journal, 0, sizeof(journal));
    journal.text = text;
    scene.kernel.host.run = run_journalctl;
    fake_write(&scene.kernel, "run/systemd/journal/socket", "");
}

static void
what_is_in_a_file(void **state)
{
    (void)state;
    typed_golden(&scene, HERE, "log/none-here", "vgpuctl log");
    fake_write(&scene.kernel, SYSLOG, LINES("Nov 23 12:00:01 host "));
    typed_golden(&scene, HERE, "log/domain", "vgpuctl log web01");
    typed_golden(&scene, HERE, "log/uuid", "vgpuctl log " WEB02);
    typed_golden(&scene, HERE, "log/all", "vgpuctl log");
    typed_golden(&scene, HERE, "log/nothing", "vgpuctl log web03");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web", &typed), 0);
    assert_string_equal(typed.printed, "");
    typed_golden_on(&scene, HERE, &typed_screen, "log/screen", "vgpuctl log");
    typed_golden(&scene, HERE, "log/json", "vgpuctl log web02 --json");
}

/* As the hook writes it, which lets nothing in a name look like another word. */
static void
a_name_that_is_written_otherwise(void **state)
{
    (void)state;
    fake_write(&scene.kernel, "var/log/messages",
               "Nov 23 12:00:01 host libvirt-vgpu-hook[1]: domain=a_b event=release result=ok\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log a=b", &typed), 0);
    typed_assert_has(typed.printed, " a_b ");
}

/* Only what root has written, since the boot. */
static void
what_is_in_the_journal(void **state)
{
    (void)state;
    start_journal(LINES("2026-11-23T12:00:01+0000 "));
    typed_golden(&scene, HERE, "log/journal", "vgpuctl log web01");
    assert_string_equal(journal.asked, " --quiet --no-hostname --boot --output=short-iso "
                                       "SYSLOG_IDENTIFIER=libvirt-vgpu-hook _UID=0 + "
                                       "SYSLOG_IDENTIFIER=vgpuctl _UID=0 + "
                                       "_COMM=libvirtd _UID=0 + "
                                       "_COMM=virtqemud _UID=0");
    /* Another machine's disk has none that runs. */
    *journal.asked = '\0';
    fake_write(&scene.kernel, SYSLOG, "");
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl log web01", &typed), 0);
    assert_string_equal(journal.asked, "");
}

static void
a_journal_that_says_nothing(void **state)
{
    static const struct {
        int answer;
        const char *golden;
    } rows[] = {
        {0, "log/journal-nothing"},
        {1, "log/journal-fails"},
        {-ENOENT, "log/journal-missing"},
        {-ETIMEDOUT, "log/journal-hangs"},
    };

    (void)state;
    start_journal("");
    for (size_t i = 0; i < COUNT(rows); i++) {
        journal.answer = rows[i].answer;
        typed_golden(&scene, HERE, rows[i].golden, "vgpuctl log web01");
    }
}

#define TEST(name) TYPED_TEST(name, here)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_in_a_file),
        TEST(a_name_that_is_written_otherwise),
        TEST(what_is_in_the_journal),
        TEST(a_journal_that_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
