/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl log: it selects the lines about a guest's vGPUs, from the journal or from a log file. */

#include "program/program.h"
#include "fake/typed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HERE   "test:///default"
#define SYSLOG "var/log/syslog"
#define WEB01  "aaaaaaaa-0000-4000-8000-000000000001"
#define WEB02  "aaaaaaaa-0000-4000-8000-000000000002"
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

/* The messages about two guests, and other lines. `at` is the text that a log has before the name
 * of the program. */
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
    char asked[1024]; /* the words after the program's name */
    const char *text;
} journal;

static int
run_journalctl(const struct host *host, char *const argv[], int in, int out, unsigned milliseconds)
{
    assert_int_equal(in, -1);
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
    typed_golden(&scene, HERE, "log/none-here", "vgpuctl log");
    fake_write(&scene.kernel, SYSLOG, LINES("Nov 23 12:00:01 host "));
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

/* Real lines, as Debian's rsyslog writes them: the times are long, and so is a refusal. On each
 * terminal the text gets what is left. */
static void
it_fits_each_terminal(void **state)
{
    static const struct {
        unsigned width, most; /* lines of the longest refusal */
    } screens[] = {{60, 14}, {80, 9}, {100, 6}, {120, 4}, {200, 2}};

#define AT "2026-11-23T12:00:01.345678+00:00 host "
    fake_write(&scene.kernel, SYSLOG,
               LINES(AT) AT
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
static void
a_name_that_is_written_otherwise(void **state)
{
    fake_write(&scene.kernel, "var/log/messages",
               "Nov 23 12:00:01 host libvirt-vgpu-hook[1]: domain=a_b event=release result=ok\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log a=b", &typed), 0);
    typed_assert_has(typed.printed, " a_b ");
}

/* libvirt quotes a name as a shell would. The quoted text is one name, with any characters in
 * it. */
static void
a_refused_name_of_any_kind(void **state)
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

        assert_true(asprintf(&line, "Nov 23 12:00:01 host libvirtd[90]: " REFUSED_AS("%s", "%s"),
                             names[i][1], names[i][0]) > 0);
        assert_true(asprintf(&told, "\"domain\": \"%s\",", names[i][0]) > 0);
        fake_write(&scene.kernel, SYSLOG, line);
        assert_int_equal(typed_run(&scene, HERE, "vgpuctl log --json", &typed), 0);
        typed_assert_has(typed.printed, told);
        typed_assert_has(typed.printed, "\"event\": \"prepare\"");
        typed_assert_has(typed.printed, "\"result\": \"refused: no GPU can take ua-gpu0 (T4-1B)");
        /* The guest's name as a person types it. Another guest's name may begin with it. */
        assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web02 -n", &typed), 0);
        assert_string_equal(typed.printed, "");
    }
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web -n", &typed), 0);
    assert_string_equal(typed.printed, "");
}

/* Only lines that root has written, since the boot. */
static void
what_is_in_the_journal(void **state)
{
    start_journal(LINES("2026-11-23T12:00:01+0000 "));
    typed_golden(&scene, HERE, "log/journal", "vgpuctl log web01");
    assert_string_equal(journal.asked, " --quiet --no-hostname --output=short-iso --boot "
                                       "SYSLOG_IDENTIFIER=libvirt-vgpu-hook _UID=0 + "
                                       "SYSLOG_IDENTIFIER=vgpuctl _UID=0 + "
                                       "_COMM=libvirtd _UID=0 + "
                                       "_COMM=virtqemud _UID=0");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log web01 --since @1795496400", &typed), 0);
    typed_assert_has(journal.asked, " --quiet --no-hostname --output=short-iso --since=@1795496400 "
                                    "SYSLOG_IDENTIFIER=");
    /* The disk of another machine has no running journal. */
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

    start_journal("");
    for (size_t i = 0; i < COUNT(rows); i++) {
        journal.answer = rows[i].answer;
        typed_golden(&scene, HERE, rows[i].golden, "vgpuctl log web01");
    }
}

/* Files as logrotate makes them. Each has a line for each of these guests, written at noon of one
 * day. Each file was last written an hour later. */
static void
write_log(const char *name, const char *day, const char *const *guests)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    struct tm changed = {0};
    char *text, when[64];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (; *guests; guests++)
        fprintf(out, "%s 12:00:00 host libvirt-vgpu-hook[1]: domain=%s event=release result=ok\n",
                day, *guests);
    fclose(out);
    fake_write(&scene.kernel, name, text);
    free(text);
    snprintf(when, sizeof(when), "%s 13 2026", day);
    assert_non_null(strptime(when, "%b %d %H %Y", &changed));
    times[1].tv_sec = mktime(&changed);
    assert_int_equal(utimensat(scene.kernel.host.root, name, times, 0), 0);
}

static void
pack(const char *name)
{
    AUTO_FREE char *command = NULL;

    assert_true(asprintf(&command, "gzip -q '%s/%s'", scene.kernel.path, name) > 0);
    assert_int_equal(system(command), 0);
}

#define GUESTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Six log files of two kinds, and other files. */
static void
write_logs(void)
{
    scene.kernel.host.run = program_run;
    write_log("var/log/syslog-20261101", "Nov 01", GUESTS("d1"));
    pack("var/log/syslog-20261101");
    write_log("var/log/syslog-20261102", "Nov 02", GUESTS("d2"));
    write_log("var/log/syslog.10", "Nov 10", GUESTS("n10"));
    pack("var/log/syslog.10");
    write_log("var/log/syslog.2", "Nov 18", GUESTS("n2"));
    pack("var/log/syslog.2");
    write_log("var/log/syslog.1", "Nov 19", GUESTS("n1", "n1b"));
    write_log(SYSLOG, "Nov 20", GUESTS("now"));
    write_log("var/log/syslog.old", "Nov 18", GUESTS("other"));
    write_log("var/log/syslog.1.xz", "Nov 18", GUESTS("other"));
    write_log("var/log/syslog-ng", "Nov 18", GUESTS("other"));
    write_log("var/log/messages", "Nov 18", GUESTS("other"));
}

/* The lines in the order in which they were written. */
static void
rotated_files(void **state)
{
    write_logs();
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log -rn -o DOMAIN", &typed), 0);
    assert_string_equal(typed.printed, "d1\nd2\nn10\nn2\nn1\nn1b\nnow\n");
    assert_string_equal(typed.faults, "");
    /* The same with the files below another machine's root. Links there do not lead outside. */
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log n2 -rn -o TIME", &typed), 0);
    assert_string_equal(typed.printed, "Nov\\x2018\\x2012:00:00\n");
}

/* Older lines are left out. A packed file that is older is not even unpacked. */
static void
since_a_moment(void **state)
{
    static const struct {
        const char *since, *printed;
    } rows[] = {
        {"2026-11-18", "n2\nn1\nn1b\nnow\n"},
        {"2026-11-18T12:00:00", "n2\nn1\nn1b\nnow\n"},
        {"2026-11-18T12:00:01", "n1\nn1b\nnow\n"},
        {"2026-11-20", "now\n"},
        {"2026-11-21", ""},
        {"2025-11-01", "d1\nd2\nn10\nn2\nn1\nn1b\nnow\n"},
    };

    write_logs();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[128];

        snprintf(line, sizeof(line), "vgpuctl log -rn -o DOMAIN --since %s", rows[i].since);
        assert_int_equal(typed_run(&scene, HERE, line, &typed), 0);
        assert_string_equal(typed.printed, rows[i].printed);
        if (i == 2)
            scene.kernel.host.run = NULL;
        if (i == 4)
            scene.kernel.host.run = program_run;
    }
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log --since noon", &typed), 2);
    typed_assert_has(typed.faults, "vgpuctl: log: --since noon: that is no time; say for example ");
}

/* If one packed file is damaged, the others are still shown. */
static void
a_damaged_file(void **state)
{
    write_logs();
    fake_write(&scene.kernel, "var/log/syslog.2.gz", "no gzip");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log -rn -o DOMAIN", &typed), 1);
    assert_string_equal(typed.printed, "d1\nd2\nn10\nn1\nn1b\nnow\n");
    assert_string_equal(typed.faults,
                        "vgpuctl: log: /var/log/syslog.2.gz: /usr/bin/gzip failed (exit status 1); "
                        "it says why above\n"
                        "vgpuctl: log: 1 of 6 files of the log could not be read\n");
}

/* Files that cannot be opened, and some that are none. Nobody waits for a writer. */
static void
what_is_no_file(void **state)
{
    const int root = scene.kernel.host.root;

    write_logs();
    assert_int_equal(symlinkat("syslog.3", root, "var/log/syslog.3"), 0);
    assert_int_equal(mkfifoat(root, "var/log/syslog.4", 0600), 0);
    assert_int_equal(mkdirat(root, "var/log/syslog.5", 0700), 0);
    assert_int_equal(mkfifoat(root, "var/log/syslog.6.gz", 0600), 0);
    assert_int_equal(symlinkat("there-is-none", root, "var/log/syslog.7"), 0);
    alarm(20);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log -rn -o DOMAIN", &typed), 1);
    assert_string_equal(typed.printed, "d1\nd2\nn10\nn2\nn1\nn1b\nnow\n");
    assert_string_equal(typed.faults,
                        "vgpuctl: log: /var/log/syslog.6.gz: it is no regular file\n"
                        "vgpuctl: log: /var/log/syslog.5: it is no regular file\n"
                        "vgpuctl: log: /var/log/syslog.4: it is no regular file\n"
                        "vgpuctl: log: /var/log/syslog.3: Too many levels of symbolic links\n"
                        "vgpuctl: log: 4 of 10 files of the log could not be read\n");
    /* Nobody knows whether they are older than the moment. */
    assert_int_equal(
        typed_run(&scene, HERE, "vgpuctl log -rn -o DOMAIN --since 2026-11-20", &typed), 1);
    assert_string_equal(typed.printed, "now\n");
    typed_assert_has(typed.faults, ": 4 of 5 files of the log could not be read\n");
    alarm(0);
}

/* A line is read up to a length that none of ours has. What follows it is read all the same. */
static void
a_line_without_an_end(void **state)
{
    static const char start[] =
        "Nov 19 12:00:01 host libvirt-vgpu-hook[1]: domain=long event=release result=";
    static const char other[] =
        "\nNov 19 12:00:02 host libvirt-vgpu-hook[1]: domain=next event=release result=ok";
    const size_t length = 3 << 20;
    AUTO_FREE char *text = malloc(sizeof(start) + length + sizeof(other));

    assert_non_null(text);
    memset(stpcpy(text, start), 'x', length);
    strcpy(text + strlen(start) + length, other);
    fake_write(&scene.kernel, SYSLOG, text);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log -rn -o DOMAIN", &typed), 0);
    assert_string_equal(typed.printed, "long\nnext\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log long -rn -o RESULT", &typed), 0);
    assert_int_equal(strspn(typed.printed, "x"), (64 << 10) - 1 - strlen(start));
    fake_write(&scene.kernel, SYSLOG, text + strlen(start));
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl log -rn -o DOMAIN", &typed), 0);
    assert_string_equal(typed.printed, "next\n");
}

#define TEST(name) TYPED_TEST(name, here)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_in_a_file),
        TEST(it_fits_each_terminal),
        TEST(a_name_that_is_written_otherwise),
        TEST(a_refused_name_of_any_kind),
        TEST(what_is_in_the_journal),
        TEST(a_journal_that_says_nothing),
        TEST(rotated_files),
        TEST(since_a_moment),
        TEST(a_damaged_file),
        TEST(what_is_no_file),
        TEST(a_line_without_an_end),
    };

    /* A log has local times. */
    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
