/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl log: it selects the lines about a guest's vGPUs from the journal. */

#include "fake/typed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HERE  "test:///default"
#define WEB01 "aaaaaaaa-0000-4000-8000-000000000001"
#define WEB02 "aaaaaaaa-0000-4000-8000-000000000002"
#define LEASE(name, uuid, event, result)                                                           \
    "domain=" name " uuid=" uuid " event=" event                                                   \
    " device=dddddddd-0000-4000-8000-000000000001 type=nvidia-222 parent=0000:18:00.0 "            \
    "gpu=0000:18:00.0 origin=made result=" result "\n"
#define REFUSED_AS(word, name)                                                                     \
    "internal error: Hook script execution failed: internal error: Child process (LC_ALL=C "       \
    "/etc/libvirt/hooks/qemu.d/50-vgpu " word                                                      \
    " prepare begin -) unexpected exit status 1: vgpu: " name                                      \
    ": no GPU can take ua-gpu0 (T4-1B): 0000:18:00.0 is full (16 of 16)\n"
#define FULL(name) REFUSED_AS(name, name)

/* The time of all lines, as journalctl prints it before the name of a program: 2026-11-23 12:00:01
 * in UTC. */
#define AT "1795435201.345678 "

/* The messages about two guests, and other lines. */
#define LINES                                                                                      \
    AT "libvirt-vgpu-hook[101]: " LEASE("web01", WEB01, "prepare", "ok") AT                        \
        "libvirt-vgpu-hook[102]: " LEASE("web02", WEB02, "prepare", "ok") AT                       \
        "libvirtd[90]: " FULL("web01") AT "libvirtd[90]: " FULL("web012") AT                       \
        "libvirtd[90]: internal error: socket is closed; vgpu: web01: no hook's\n" AT              \
        "vgpuctl[103]: " LEASE("web01", WEB01, "reap", "removed") AT                               \
        "libvirt-vgpu-hook[104]: domain=web01 event=release result=failed: it is in use\n" AT      \
        "libvirt-vgpu-hook[105]: domain=web0 event=release result=failed: \xc2\x9b!\n" AT          \
        "libvirt-vgpu-hooked[106]: " LEASE("web01", WEB01, "prepare", "ok") AT                     \
        "somebody[107]: libvirt-vgpu-hook[108]: " LEASE("web01", WEB01, "prepare", "ok") AT        \
        "kernel: vgpu: web01: neither\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = ""}, &typed};
#define TEST(name) TYPED_TEST(name, here)

/* A log shows local times. */
static int
live_in_utc(void **state)
{
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}
UNIT_PROGRAM(live_in_utc, NULL)

static struct {
    int answer;
    char asked[1024]; /* the words after the program's name */
    const char *text;
} journal;

static int
run_journalctl(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
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

TEST(what_is_told)
{
    start_journal(LINES);
    typed_golden(&scene, HERE, "log/domain", "vgpuctl log web01");
    typed_golden(&scene, HERE, "log/uuid", "vgpuctl log " WEB02);
    typed_golden(&scene, HERE, "log/all", "vgpuctl log");
    typed_golden(&scene, HERE, "log/nothing", "vgpuctl log web03");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web", &typed), 0);
    assert_string_equal(typed.printed, "");
    typed_golden_on(&scene, HERE, &typed_screen, "log/screen", "vgpuctl log");
    typed_golden_on(&scene, HERE, &typed_page, "log/page", "vgpuctl log web01");
    typed_golden(&scene, HERE, "log/json", "vgpuctl log web02 --json");
}

/* A refusal is long. On each terminal the text gets what is left. */
TEST(it_fits_each_terminal)
{
    static const struct {
        unsigned width, most; /* lines of the longest refusal */
    } screens[] = {{60, 14}, {80, 9}, {100, 6}, {120, 4}, {200, 2}};

    start_journal(
        LINES AT
        "libvirtd[90]: internal error: Hook script execution failed: internal error: Child "
        "process (LC_ALL=C /etc/libvirt/hooks/qemu.d/50-vgpu web01 prepare begin -) "
        "unexpected exit status 1: vgpu: web01: no GPU can take ua-gpu0 (T4-1B): "
        "0000:18:00.0 is full (16 of 16); 0000:3b:00.0 holds nvidia-234, and takes one size "
        "at a time; 0000:86:00.0 is drained (see vgpuctl undrain); see 'vgpuctl explain "
        "web01'\n");
    for (size_t i = 0; i < COUNT(screens); i++) {
        struct terminal terminal = typed_screen;
        char golden[32];
        unsigned lines = 0, longest = 0;

        terminal.width = screens[i].width;
        snprintf(golden, sizeof(golden), "log/screen-%u", terminal.width);
        typed_golden_on(&scene, HERE, &terminal, golden, "vgpuctl log");
        typed_run_on(&scene, HERE, &terminal, "vgpuctl log", &typed);
        for (const char *c = typed.printed; (c = strchr(c, '\n')) && c[1]; c++) {
            lines = c[1] == ' ' ? lines + 1 : 1;
            longest = lines > longest ? lines : longest;
        }
        if (longest > screens[i].most)
            fail_msg("%u columns: %u lines\n%s", terminal.width, longest, typed.printed);
    }
}

/* The line as the hook writes it. The hook prints a guest's name so that no part of it looks like
 * another word. */
TEST(a_name_that_is_written_otherwise)
{
    start_journal(AT "libvirt-vgpu-hook[1]: domain=a_b event=release result=ok\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log a=b", &typed), 0);
    typed_assert_has(typed.printed, " a_b ");
}

/* libvirt quotes a name as a shell would. The quoted text is one name, with any characters in
 * it. */
TEST(a_refused_name_of_any_kind)
{
    static const char *const names[][2] = {
        {"web: 01", "'web: 01'"},
        {"web01: ", "'web01: '"},
        {"it's: so", "'it'\\''s: so'"},
        {"vgpu: web02", "'vgpu: web02'"},
        {"a) unexpected exit status 1: vgpu: web02: b",
         "'a) unexpected exit status 1: vgpu: web02: b'"},
        {"/x web02 prepare begin -", "'/x web02 prepare begin -'"},
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        AUTO_FREE char *line = NULL, *told = NULL;

        assert_true(asprintf(&line, AT "libvirtd[90]: " REFUSED_AS("%s", "%s"), names[i][1],
                             names[i][0]) > 0);
        assert_true(asprintf(&told, "\"domain\": \"%s\",", names[i][0]) > 0);
        start_journal(line);
        assert_int_equal(typed_run(&scene, HERE, "vgpuctl log --json", &typed), 0);
        typed_assert_has(typed.printed, told);
        typed_assert_has(typed.printed, "\"event\": \"prepare\"");
        typed_assert_has(typed.printed, "\"result\": \"refused: no GPU can take ua-gpu0 (T4-1B)");
        /* The guest's name as a person types it. Another guest's name may begin with it. */
        assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web02 -n", &typed), 0);
        assert_string_equal(typed.printed, "");
        assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web -n", &typed), 0);
        assert_string_equal(typed.printed, "");
    }
}

/* Only lines that root has written, since the boot. journalctl knows what times people type. */
TEST(what_is_asked)
{
    start_journal(LINES);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web01", &typed), 0);
    assert_string_equal(journal.asked, " --quiet --no-hostname --output=short-unix --boot "
                                       "SYSLOG_IDENTIFIER=libvirt-vgpu-hook _UID=0 + "
                                       "SYSLOG_IDENTIFIER=vgpuctl _UID=0 + "
                                       "_COMM=libvirtd _UID=0 + "
                                       "_COMM=virtqemud _UID=0");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web01 --since yesterday", &typed), 0);
    typed_assert_has(journal.asked, " --quiet --no-hostname --output=short-unix --since=yesterday "
                                    "SYSLOG_IDENTIFIER=");
}

TEST(no_journal)
{
    static const struct {
        int answer;
        const char *golden;
    } rows[] = {
        {1, "log/journal-fails"},
        {-ENOENT, "log/journal-missing"},
        {-ETIMEDOUT, "log/journal-hangs"},
    };

    typed_golden(&scene, HERE, "log/none-here", "vgpuctl log");
    start_journal("");
    for (size_t i = 0; i < COUNT(rows); i++) {
        journal.answer = rows[i].answer;
        typed_golden(&scene, HERE, rows[i].golden, "vgpuctl log web01");
    }
}
