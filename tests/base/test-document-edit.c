/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* document: bytes change at some places and nowhere else. A document is written completely or not
 * at all. */

#include "base/document.h"
#include "base/host.h"
#include "fake/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096 /* bytes that the smallest pipe holds */

static struct document
document_of(const char *text)
{
    return (struct document){(char *)(uintptr_t)text, strlen(text)};
}

UNIT_TEST(edits)
{
    static const struct {
        const char *before;
        struct document_edit edits[2];
        size_t count;
        const char *after;
    } rows[] = {
        {"abcdef", {{{0, 0}, ""}}, 0, "abcdef"},
        {"abcdef", {{{0, 2}, "XYZ"}}, 1, "XYZcdef"},
        {"abcdef", {{{4, 2}, ""}}, 1, "abcd"},
        {"abcdef", {{{3, 0}, "-"}}, 1, "abc-def"},
        {"abcdef", {{{1, 1}, "12"}, {{4, 1}, ""}}, 2, "a12cdf"},
        {"abcdef", {{{0, 3}, "1"}, {{3, 3}, "2"}}, 2, "12"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct document before = document_of(rows[i].before);
        AUTO(document_clear) struct document after = {0};

        document_edit(&before, rows[i].edits, rows[i].count, &after);
        assert_int_equal(after.length, strlen(rows[i].after));
        assert_memory_equal(after.text, rows[i].after, after.length);
    }
}

UNIT_TEST(differences)
{
    static const struct {
        const char *a, *b;
        struct document_span a_spans[2], b_spans[2];
        size_t count;
        bool only_there;
    } rows[] = {
        {"abc", "abc", {{0, 0}}, {{0, 0}}, 0, true},
        {"abc", "abd", {{0, 0}}, {{0, 0}}, 0, false},
        {"abc", "abcd", {{0, 0}}, {{0, 0}}, 0, false},
        {"abcd", "xxcd", {{0, 2}}, {{0, 2}}, 1, true},
        {"abcd", "xcd", {{0, 2}}, {{0, 1}}, 1, true},
        {"abcd", "xxCd", {{0, 2}}, {{0, 2}}, 1, false},
        {"abcd", "abyyy", {{2, 2}}, {{2, 3}}, 1, true},
        {"abcd", "aByyy", {{2, 2}}, {{2, 3}}, 1, false},
        {"abcd", "ab", {{2, 2}}, {{2, 0}}, 1, true},
        {"1a2", "345a6", {{0, 1}, {2, 1}}, {{0, 3}, {4, 1}}, 2, true},
        {"1a2", "345b6", {{0, 1}, {2, 1}}, {{0, 3}, {4, 1}}, 2, false},
        {"1a2", "345a67", {{0, 1}, {2, 1}}, {{0, 3}, {4, 1}}, 2, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct document a = document_of(rows[i].a), b = document_of(rows[i].b);
        bool only_there =
            document_differs_only_at(&a, rows[i].a_spans, &b, rows[i].b_spans, rows[i].count);

        if (only_there != rows[i].only_there)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
    }
}

UNIT_TEST(is_written_to_the_end)
{
    const struct document document = document_of("all of it");
    AUTO_CLOSE int file = memfd_create("document", MFD_CLOEXEC);
    AUTO_CLOSE int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    char text[32] = "";

    assert_int_equal(document_write(&document, file), 0);
    assert_int_equal(pread(file, text, sizeof(text), 0), document.length);
    assert_string_equal(text, "all of it");
    assert_int_equal(document_write(&document, full), -ENOSPC);
    assert_int_equal(document_write(&document, -1), -EBADF);
    assert_int_equal(document_write(&(const struct document){0}, -1), 0);
}

/* Interrupts the writer as soon as the pipe is full, and copies what comes. */
static void __attribute__((noreturn)) interrupt_and_copy(int pipe, int copy)
{
    char part[PAGE];
    ssize_t length;
    int there = 0;

    while (there < PAGE && ioctl(pipe, FIONREAD, &there) == 0)
        usleep(1000);
    kill(getppid(), SIGUSR1);
    while ((length = read(pipe, part, sizeof(part))) > 0)
        (void)!write(copy, part, (size_t)length);
    _exit(0);
}

static void
do_nothing(int number)
{
    (void)number;
}

/* A signal ends a write halfway. */
UNIT_TEST(the_rest_is_written_after_a_signal)
{
    static const struct sigaction action = {.sa_handler = do_nothing};
    AUTO_CLOSE int file = memfd_create("copy", MFD_CLOEXEC);
    char text[3 * PAGE], copy[sizeof(text) + 1];
    const struct document document = {text, sizeof(text)};
    int ends[2];
    pid_t child;

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)('a' + i % 23);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, PAGE), PAGE);
    child = fork();
    if (child == 0) {
        close(ends[1]);
        interrupt_and_copy(ends[0], file);
    }
    assert_int_equal(document_write(&document, ends[1]), 0);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(pread(file, copy, sizeof(copy), 0), sizeof(text));
    assert_memory_equal(copy, text, sizeof(text));
}

UNIT_TEST(what_cannot_be_read)
{
    const struct host host = {.root = -1, .ops = &host_kernel};
    AUTO_CLOSE int empty = memfd_create("empty", MFD_CLOEXEC);
    AUTO_CLOSE int directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(document_clear) struct document document = {0};
    struct error error;

    assert_int_equal(document_read(&host, empty, &document, &error), -EINVAL);
    assert_string_equal(error.text, "cannot read the domain XML: it is empty");
    document_clear(&document);
    assert_int_equal(document_read(&host, directory, &document, &error), -EISDIR);
    assert_string_equal(error.text, "cannot read the domain XML: Is a directory");
}
