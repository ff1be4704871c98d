/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/drain.h"
#include "lease/statedir.h"

#define LONGEST 10000 /* ms to wait for the ledger's lock */

/* Without a state directory nobody has decided anything since this host was booted. */
static int
await_decisions(const struct host *host, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    int rc = statedir_open(host, false, &statedir, error);

    if (rc == 0)
        rc = statedir_lock(&statedir, deadline_in(host, LONGEST), error);
    return rc == -ENOENT ? 0 : rc;
}

int
drain_gpu(const struct host *host, const struct name *gpu, const struct drained_note *note,
          struct error *error)
{
    int rc = drained_add(host, gpu, note, error);

    if (rc < 0)
        return rc;
    rc = await_decisions(host, error);
    if (rc < 0)
        error_wrap(error, "%s is drained, but a guest that is starting may still get a vGPU there",
                   gpu->text);
    return rc;
}
