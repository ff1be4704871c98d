/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/definition.h"
#include "base/array.h"
#include "base/deadline.h"
#include "base/lock-holder.h"
#include "cli/json.h"
#include "cli/reply.h"
#include "domain/request-parser.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool
is_same(const struct document *a, const struct document *b)
{
    return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

static int
refuse(struct error *error)
{
    return error_set(error, -ESTALE, "somebody else has changed it meanwhile");
}

/* Whether a definition has, or has not, the devices that `some` has and `others` has not. */
static bool
agrees(const struct request *there, const struct request *some, const struct request *others,
       bool has)
{
    return !ARRAY_HAS(some->hostdevs, some->hostdev_count, hostdev,
                      !request_find_hostdev(others, &hostdev->source) &&
                          !request_find_hostdev(there, &hostdev->source) == has);
}

/* libvirt writes the XML in its own words, and somebody may have added to it. So only this change
 * is looked for. */
static int
is_changed_so(const struct document *before, const struct document *after,
              const struct document *written, bool *ret, struct error *error)
{
    AUTO(request_clear) struct request old = {0};
    AUTO(request_clear) struct request new = {0};
    AUTO(request_clear) struct request there = {0};
    int rc = request_parse_draft(before, &old, error);

    if (rc == 0)
        rc = request_parse_draft(after, &new, error);
    if (rc == 0)
        rc = request_parse_draft(written, &there, error);
    *ret = agrees(&there, &new, &old, true) && agrees(&there, &old, &new, false);
    return rc;
}

int
definition_replace(struct connection *connection, const struct name *domain,
                   const struct document *before, const struct document *after,
                   struct document *written, struct error *error)
{
    AUTO(document_clear) struct document now = {0};
    bool is_so = false;
    int rc = connection_xml(connection, domain, CONNECTION_CONFIG, true, &now, error);

    *written = (struct document){0};
    if (rc == 0 && !is_same(&now, before))
        rc = refuse(error);
    if (rc == 0)
        rc = connection_define(connection, after, error);
    if (rc == 0)
        rc = connection_xml(connection, domain, CONNECTION_CONFIG, true, written, error);
    if (rc == 0)
        rc = is_changed_so(before, after, written, &is_so, error);
    return rc == 0 && !is_so ? refuse(error) : rc;
}

void
definition_change_clear(struct definition_change *change)
{
    document_clear(&change->before);
    document_clear(&change->after);
}

/* --- the lock --------------------------------------------------------------------------------- */

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
