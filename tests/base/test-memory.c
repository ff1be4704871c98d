/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests for memory that succeed, and how a process ends if a request is refused. */

#include "base/array.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define TOO_MUCH ((size_t)1 << 60) /* no machine has so much */

UNIT_TEST(copies)
{
    AUTO_FREE char *copy = memory_copy("all of it"), *empty = memory_copy("");
    AUTO_FREE char *part = memory_copy_bytes("all of it", 3), *none = memory_copy_bytes("x", 0);
    AUTO_FREE char *text = memory_format("%d of %s", 3, "it");

    assert_string_equal(copy, "all of it");
    assert_string_equal(empty, "");
    assert_string_equal(part, "all");
    assert_string_equal(none, "");
    assert_string_equal(text, "3 of it");
}

UNIT_TEST(streams)
{
    AUTO_FREE char *text = NULL;
    size_t length;
    FILE *stream = memory_stream(&text, &length);

    for (unsigned i = 0; i < 10000; i++)
        fprintf(stream, "%u", i % 10);
    memory_stream_end(stream, &text);
    assert_int_equal(length, 10000);
    assert_int_equal(strlen(text), 10000);
}

UNIT_TEST(arrays)
{
    AUTO_FREE int *zeroed = memory_zeroed(5, sizeof(*zeroed)), *grown = NULL;
    AUTO_FREE void *none = memory_zeroed(0, 8);
    void *resized = memory_resized(NULL, 0, 8);
    size_t count = 0;

    for (size_t i = 0; i < 5; i++)
        assert_int_equal(zeroed[i], 0);
    assert_non_null(none);
    assert_non_null(resized);
    resized = memory_resized(resized, 2, 8);
    assert_non_null(resized);
    free(resized);
    for (int i = 0; i < 100; i++)
        ARRAY_ADD(grown, count, i);
    assert_int_equal(count, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(grown[i], i);
}

static void
zero_too_many(void)
{
    free(memory_zeroed(TOO_MUCH, 1));
}

static void
resize_too_much(void)
{
    free(memory_resized(NULL, TOO_MUCH, 1));
}

static void
copy_too_much(void)
{
    free(memory_copy_bytes("", TOO_MUCH));
}

static void
end_with_nothing(void)
{
    memory_end_with(0);
    memory_fail();
}

static void
end_with_three(void)
{
    memory_end_with(3);
    zero_too_many();
}

/* The message goes to *said, which has `size` bytes. Returns the exit status. */
static int
run(void (*act)(void), char *said, size_t size)
{
    AUTO_CLOSE int out = memfd_create("stderr", MFD_CLOEXEC);
    ssize_t length;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        dup2(out, STDERR_FILENO);
        act();
        _exit(100);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    length = pread(out, said, size - 1, 0);
    assert_true(length >= 0);
    said[length] = '\0';
    return WEXITSTATUS(status);
}

UNIT_TEST(refused)
{
    static const struct {
        void (*act)(void);
        int status;
    } rows[] = {
        {memory_fail, 1},   {zero_too_many, 1},    {resize_too_much, 1},
        {copy_too_much, 1}, {end_with_nothing, 0}, {end_with_three, 3},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char said[512], *end;

        assert_int_equal(run(rows[i].act, said, sizeof(said)), rows[i].status);
        /* One line, for a person. A sanitizer may have printed its own line before. */
        end = strstr(said, "vgpu: ");
        assert_non_null(end);
        assert_ptr_equal(strchr(end, '\n'), said + strlen(said) - 1);
    }
}

/* These functions do not end the process: they return an error, and their array stays. */
UNIT_TEST(tried)
{
    struct large {
        char bytes[TOO_MUCH];
    } *large = NULL;
    AUTO_FREE int *small = NULL;
    size_t count = 0;

    assert_int_equal(ARRAY_TRY_ADD(small, count, 7), 0);
    assert_int_equal(small[0], 7);
    assert_null(array_try_to_grow(large, 1, sizeof(*large)));
    assert_int_equal(count, 1);
}
