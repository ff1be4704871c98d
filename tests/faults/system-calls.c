/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults/system-calls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#define CALL(name, ...)                                                                            \
    {                                                                                              \
        SYS_##name, #name, false,                                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* sysfs and procfs return the errors of drivers, so read and write can fail in more ways than on a
 * disk. */
static const struct system_call calls[] = {
    {SYS_openat, "openat(O_CREAT)", true, {ENOMEM, ENOSPC, EIO, EMFILE, EACCES, EINTR}},
    CALL(openat, ENOMEM, EIO, EMFILE, EACCES, EINTR),
    CALL(openat2, ENOMEM, EIO, EMFILE, EACCES, EINTR),
    CALL(read, ENOMEM, EIO, EINTR),
    CALL(write, ENOMEM, ENOSPC, EIO, EINTR),
    CALL(close, ENOSPC, EIO, EINTR),
#ifdef SYS_close_range
    CALL(close_range, ENOMEM, ENOSYS),
#endif
    CALL(getdents64, ENOMEM, EIO),
    CALL(newfstatat, ENOMEM, EIO, EACCES),
    CALL(fstat, ENOMEM, EIO),
    CALL(statx, ENOMEM, EIO, EACCES),
    CALL(faccessat, ENOMEM, EIO, EACCES),
    CALL(faccessat2, ENOMEM, EIO, EACCES),
    CALL(readlinkat, ENOMEM, EIO, EACCES),
    CALL(mkdirat, ENOMEM, ENOSPC, EIO, EACCES),
    CALL(symlinkat, ENOMEM, ENOSPC, EIO, EACCES),
    CALL(linkat, ENOMEM, ENOSPC, EIO, EACCES),
    CALL(renameat, ENOMEM, ENOSPC, EIO, EACCES),
    CALL(unlinkat, ENOMEM, EIO, EACCES),
    CALL(fchmod, ENOMEM, EIO),
    CALL(fsync, ENOMEM, ENOSPC, EIO, EINTR),
    CALL(flock, ENOMEM, EINTR),
    CALL(fcntl, ENOMEM, EACCES, EINTR),
    CALL(lseek, 0),
    CALL(getuid, 0),
    CALL(ftruncate, ENOMEM, ENOSPC, EIO, EINTR),
    CALL(memfd_create, ENOMEM, EMFILE),
    CALL(pipe2, EMFILE),
#ifdef SYS_dup2 /* newer processors have dup3 only */
    CALL(dup2, EINTR),
#endif
    CALL(socket, ENOMEM, EMFILE, EACCES),
    CALL(socketpair, ENOMEM, EMFILE, EACCES),
    CALL(connect, ENOMEM, EACCES, EINTR),
    CALL(sendto, ENOMEM, EINTR),
    CALL(recvfrom, ENOMEM, EINTR),
#ifdef SYS_poll /* newer processors have ppoll only */
    CALL(poll, ENOMEM, EINTR),
#endif
    CALL(ppoll, ENOMEM, EINTR),
    CALL(clone, ENOMEM),
    CALL(wait4, EINTR),
    CALL(getrandom, EINTR),
    CALL(kill, 0),
    CALL(setsid, 0),
    CALL(prctl, 0),
    CALL(ioctl, 0),
    CALL(exit_group, 0),
};

const struct system_call *
system_call_find(long number, long flags)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        if (calls[i].number == number && (!calls[i].creates || flags & O_CREAT))
            return &calls[i];
    }
    return NULL;
}

size_t
system_call_index(const struct system_call *call)
{
    return (size_t)(call - calls);
}

const struct system_call *
system_call_at(size_t index)
{
    return &calls[index];
}

static const struct {
    int error;
    const char *name;
} names[] = {
    {ENOMEM, "ENOMEM"}, {ENOSPC, "ENOSPC"}, {EIO, "EIO"},
    {EMFILE, "EMFILE"}, {EACCES, "EACCES"}, {EINTR, "EINTR"},
};

const char *
system_call_error_name(int error)
{
    size_t i = 0;

    while (names[i].error != error)
        i++;
    return names[i].name;
}

int
system_call_error(const char *name)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strcmp(names[i].name, name))
            return names[i].error;
    }
    return 0;
}
