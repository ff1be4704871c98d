/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * cleanup: frees or closes what a local variable owns, when the variable goes out of scope.
 *
 *     AUTO_FREE char *copy = strdup(name);
 *     AUTO_CLOSE int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
 *     return TAKE_FD(fd);                     // hands it to the caller instead
 *
 * None of these functions changes errno.
 */

#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define AUTO(function) __attribute__((cleanup(function)))
#define AUTO_FREE      AUTO(cleanup_free)
#define AUTO_CLOSE     AUTO(cleanup_close)

#define CHECKED          __attribute__((warn_unused_result))
#define NONNULL          __attribute__((nonnull))
#define FORMAT(f, first) __attribute__((format(printf, f, first)))

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void
cleanup_free(void *pointer)
{
    int saved = errno;

    free(*(void **)pointer);
    errno = saved;
}

static inline void
cleanup_close(int *fd)
{
    int saved = errno;

    if (*fd >= 0)
        close(*fd);
    errno = saved;
}

static inline int
cleanup_take_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

static inline void *
cleanup_take_pointer(void **pointer)
{
    void *taken = *pointer;

    *pointer = NULL;
    return taken;
}

#define TAKE_FD(fd)   cleanup_take_fd(&(fd))
#define TAKE(pointer) ((__typeof__(pointer))cleanup_take_pointer((void **)&(pointer)))
