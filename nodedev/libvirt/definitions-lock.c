/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/definitions-lock.h"
#include "base/deadline.h"
#include "base/lock-holder.h"
#include "cli/json.h"
#include "cli/reply.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCK    "run/libvirt-vgpu/definitions"
#define LONGEST 120000 /* ms; a guest may take its time to let go of a vGPU */

static int
tell_holder(const struct host *host, int rc, struct error *error)
{
    struct lock_holder holder;

    if (lock_holder_find(host, LOCK, &holder))
        return error_set(error, rc,
                         "process %s changes definitions, and has not ended within %u seconds; "
                         "wait for its end, and try again",
                         holder.name, LONGEST / 1000);
    return error_set(error, rc,
                     "another vgpuctl changes definitions, and has not ended within %u seconds; "
                     "wait for its end, and try again",
                     LONGEST / 1000);
}

int
definitions_lock_take(const struct host *host, struct definitions_lock *ret, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    struct error ignored;
    int rc;

    *ret = DEFINITIONS_UNLOCKED;
    if (statedir_open(host, true, &statedir, &ignored) < 0)
        return 0;
    ret->fd = host_open(host, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (ret->fd < 0)
        return 0;
    rc = deadline_lock(deadline_in(host, LONGEST), ret->fd);
    ret->is_guarded = rc == 0;
    if (rc == 0)
        return 0;
    definitions_lock_end(ret);
    return tell_holder(host, rc, error);
}

void
definitions_lock_end(struct definitions_lock *lock)
{
    if (lock->fd < 0)
        return;
    /* A writer that was left behind with a driver may have the open file, too. */
    (void)flock(lock->fd, LOCK_UN);
    close(lock->fd);
    lock->fd = -1;
}

void
definitions_lock_put(const struct definitions_lock *lock, const struct command_call *call)
{
    if (reply_is_wanted(call))
        json_flag(reply_json(call), "guarded", lock->is_guarded);
}
