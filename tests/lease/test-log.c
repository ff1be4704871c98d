/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* log: lines go to the log's socket, but not while the ledger is locked. A log that accepts no line
 * stops no process. */

#include "lease/log.h"
#include "base/cleanup.h"
#include "fake/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static struct log program_log;
static const struct host host = {.root = -1, .log = &program_log, .caller = -1};
static int reader;

static int
setup(void **state)
{
    snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/test-log.%d", (int)getpid());
    unlink(address.sun_path);
    reader = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(reader, (const struct sockaddr *)&address, sizeof(address)), 0);
    log_open(&program_log, "test-log", address.sun_path);
    return 0;
}

static int
teardown(void **state)
{
    cleanup_close(&program_log.socket);
    close(reader);
    return unlink(address.sun_path);
}

static void
say(const char *text)
{
    struct error error;

    error_set(&error, -EINVAL, "%s", text);
    log_failure(&host, "release", "web 01", &error);
}

/* The next line, without its time; "" if there is none. */
static const char *
heard(void)
{
    static char line[2048];
    char copy[2048];
    ssize_t length = recv(reader, copy, sizeof(copy) - 1, 0);
    int priority, process, begin = 0;

    if (length < 0)
        return "";
    copy[length] = '\0';
    assert_int_equal(
        sscanf(copy, "<%d>%*3s %*2d %*8s test-log[%d]: %n", &priority, &process, &begin), 2);
    assert_true(begin > 0);
    assert_int_equal(process, getpid());
    snprintf(line, sizeof(line), "<%d>%s", priority, copy + begin);
    return line;
}

#define TEST(function) UNIT_TEST_IN(function, setup, teardown, NULL)

TEST(a_line_is_sent_at_once)
{
    say("it is broken");
    assert_string_equal(heard(), "<28>domain=web_01 event=release result=failed: it is broken");
    assert_string_equal(heard(), "");
    assert_int_equal(program_log.lost, 0);
}

TEST(collected_lines_are_sent_in_their_order)
{
    log_collect(&host);
    say("first");
    say("second");
    assert_string_equal(heard(), "");
    log_send(&host);
    assert_non_null(strstr(heard(), "failed: first"));
    say("third");
    assert_non_null(strstr(heard(), "failed: second"));
    assert_non_null(strstr(heard(), "failed: third"));
}

TEST(a_long_line_is_cut)
{
    char text[3000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    say(text);
    assert_non_null(strstr(heard(), "failed: xxxx"));
    say("after it");
    assert_non_null(strstr(heard(), "failed: after it"));
}

/* The line is well-formed, for any guest's name and any error. */
TEST(a_name_is_one_word_of_one_line)
{
    static const struct {
        const char *name, *word;
    } rows[] = {
        {"web01", "web01"},
        {"web 01 event=prepare", "web_01_event_prepare"},
        {"web\nJul 1 host sshd: root", "web?Jul_1_host_sshd:_root"},
        {"web\x1b[2J\xc2\x9b"
         "2J\xe2\x80\xae\x80",
         "web?[2J??2J????"},
        {"K\xc3\xb6ln", "K\xc3\xb6ln"},
    };
    struct error error;

    error_set(&error, -1, "no room for \x1b[2J%s", "a\nb");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char wanted[256];

        log_failure(&host, "release", rows[i].name, &error);
        snprintf(wanted, sizeof(wanted),
                 "<28>domain=%s event=release result=failed: no room for ?[2Ja?b", rows[i].word);
        assert_string_equal(heard(), wanted);
    }
}

/* A text that is too long is cut, but not within a character. This holds for the name and for the
 * line. */
TEST(a_cut_leaves_no_half_character)
{
    struct error error = {0};
    char name[300];

    for (size_t i = 0; i < sizeof(name) - 1; i++)
        name[i] = i % 2 ? '\xb6' : '\xc3';
    name[sizeof(name) - 1] = '\0';
    log_failure(&host, "release", name, &error);
    assert_non_null(strstr(heard(), "\xb6? event=release "));
    for (size_t shift = 0; shift < 2; shift++) {
        const char *line;

        for (size_t i = 0; i < sizeof(error.text) - 1; i++)
            error.text[i] = (i + shift) % 2 ? '\xb6' : '\xc3';
        log_failure(&host, "release", "web01", &error);
        line = heard();
        assert_int_not_equal(line[strlen(line) - 1] & 0xff, 0xc3);
    }
}

/* syslog(3) would wait here until somebody reads from the socket. */
TEST(a_full_log_loses_lines_and_stops_nobody)
{
    AUTO_CLOSE int writer = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(writer, (const struct sockaddr *)&address, sizeof(address)), 0);
    while (send(writer, "x", 1, 0) == 1)
        ;
    assert_int_equal(errno, EAGAIN);
    alarm(600);
    for (unsigned i = 1; i <= 1000; i++) {
        say("lost");
        assert_int_equal(program_log.lost, i);
    }
    alarm(0);
    while (recv(reader, (char[1]){0}, 1, 0) >= 0)
        ;
    say("taken again");
    assert_non_null(strstr(heard(), "failed: taken again"));
    assert_int_equal(program_log.lost, 1000);
}

TEST(more_than_fits_is_counted)
{
    unsigned lines = 0;

    log_collect(&host);
    for (unsigned i = 0; i < 1000; i++)
        say("many");
    for (log_send(&host); *heard(); lines++)
        ;
    assert_true(lines > 0);
    assert_int_equal(lines + program_log.lost, 1000);
}

/* Who typed what. Nobody's words look like another part of the line. */
TEST(a_command_is_told)
{
    log_command(&host, "attach", "web 01", "alice", true, "vgpuctl attach 'web 01' --type T4-1B");
    assert_string_equal(heard(), "<30>domain=web_01 event=attach result=by alice: vgpuctl attach "
                                 "'web 01' --type T4-1B");
    log_command(&host, "drain", "-", "bob event=release", false, "vgpuctl drain \x1b[2J");
    assert_string_equal(heard(), "<30>domain=- event=drain result=by bob_event_release (failed): "
                                 "vgpuctl drain ?[2J");
}

TEST(a_host_without_a_log_loses_nothing)
{
    log_open(&program_log, "test-log", "/tmp/there is no such file");
    say("to nobody");
    assert_int_equal(program_log.lost, 0);
}
