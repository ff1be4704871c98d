/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

/* The only variable of the program that is no argument. As one, every function would hand it on. */
static int end_status = 1;

void
memory_end_with(int status)
{
    end_status = status;
}

/* This function must not ask for memory itself: there is none, and the request would lead back
 * here. */
_Noreturn void
memory_fail(void)
{
    static const char line[] =
        "vgpu: this host has no memory left: make some free, and try again; the next start, or "
        "'vgpuctl reconcile', puts right what was left half done\n";

    (void)!write(STDERR_FILENO, line, sizeof(line) - 1);
    _exit(end_status);
}

void *
memory_zeroed(size_t count, size_t size)
{
    void *ret = calloc(count ? count : 1, size);

    if (!ret)
        memory_fail();
    return ret;
}

void *
memory_resized(void *items, size_t count, size_t size)
{
    void *ret = reallocarray(items, count ? count : 1, size);

    if (!ret)
        memory_fail();
    return ret;
}

char *
memory_copy(const char *text)
{
    return memory_copy_bytes(text, strlen(text));
}

char *
memory_copy_bytes(const char *bytes, size_t length)
{
    char *ret = memory_zeroed(length + 1, 1);

    memcpy(ret, bytes, length);
    return ret;
}

char *
memory_vformat(const char *format, va_list args)
{
    char *ret;

    if (vasprintf(&ret, format, args) < 0)
        memory_fail();
    return ret;
}

char *
memory_format(const char *format, ...)
{
    va_list args;
    char *ret;

    va_start(args, format);
    ret = memory_vformat(format, args);
    va_end(args);
    return ret;
}

FILE *
memory_stream(char **text, size_t *length)
{
    FILE *stream = open_memstream(text, length);

    if (!stream)
        memory_fail();
    return stream;
}

/* If glibc has no memory for the last step, fclose succeeds, but there is no text. */
void
memory_stream_end(FILE *stream, char *const *text)
{
    bool failed = ferror(stream);

    if (fclose(stream) != 0 || failed || !*text)
        memory_fail();
}
