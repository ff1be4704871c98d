/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * statedir: the directory /run/libvirt-vgpu, with the ledger and two kinds of lock.
 *
 * `lock` is held while a process decides and records, and never while a driver works. `claims` says
 * who is at work on a lease. Each claim is one byte of that file. The process that acts, or the
 * writer or the tool that it left behind, keeps the byte locked (open file description lock). Both
 * locks end with the last process that has the open file. So nobody has to clean up, or to guess
 * whether a pid is still the same process.
 */

#pragma once

#include "base/deadline.h"
#include "lease/ledger.h"

struct statedir {
    const struct host *host;
    int dir;
    int claims;
    bool is_hidden; /* the claims file is there, and only root may read it */
    int lock;       /* -1 while not held */
    uint64_t claim; /* of this process; 0: none yet */
};

#define STATEDIR_CLOSED ((struct statedir){.dir = -1, .claims = -1, .lock = -1})

/*
 * Opens the directory for a process that changes something. If make is true, a missing directory is
 * made. If make is false, a missing directory is -ENOENT, and nothing is written to error. The
 * caller closes ret, which gives up lock and claim.
 */
int statedir_open(const struct host *host, bool make, struct statedir *ret,
                  struct error *error) CHECKED NONNULL;
void statedir_close(struct statedir *statedir) NONNULL;

/* Opens it for a process that only looks: nothing is made, and no right is needed. A file that is
 * missing or may not be opened stays closed. */
void statedir_open_to_look(const struct host *host, struct statedir *ret) NONNULL;

/* Waits for the lock: first come, first served. This process must not hold it yet. -ETIMEDOUT after
 * the deadline. */
int statedir_lock(struct statedir *statedir, struct deadline deadline,
                  struct error *error) CHECKED NONNULL;
void statedir_unlock(struct statedir *statedir) NONNULL;

/* Reads the ledger, and which GPUs are being proved, are drained, or were taken by guests. No lock
 * is needed. Without a file the ledger is empty. Errors are those of ledger_parse, or of reading
 * the file; error says what to do. What is known of GPUs is in ret even then. The caller clears
 * ret. */
int statedir_load(const struct statedir *statedir, struct ledger *ret,
                  struct error *error) CHECKED NONNULL;

/* The same, but only the leases: enough for a domain without a GPU of its own. */
int statedir_load_leases(const struct statedir *statedir, struct ledger *ret,
                         struct error *error) CHECKED NONNULL;

/* The same as statedir_open_to_look, but -errno if the directory is there and cannot be opened. The
 * caller closes ret in every case. */
int
statedir_look(const struct host *host, struct statedir *ret, struct error *error) CHECKED NONNULL;

/* Reads the ledger for a process that only looks. As statedir_load, but needs only the right to
 * read the file. */
int statedir_peek(const struct host *host, struct ledger *ret, struct error *error) CHECKED NONNULL;

/* Replaces the ledger, under the lock. A new file is written, and then renamed. -ESTALE: the lock's
 * file was removed meanwhile, so another process may have the lock as well. */
int statedir_store(const struct statedir *statedir, const struct ledger *ledger,
                   struct error *error) CHECKED NONNULL;

/* Whether this error of statedir_load means that the ledger itself is wrong and must be
 * replaced. */
bool statedir_is_broken(int rc) CHECKED;

/* Gives the ledger a second name, ledger.broken-TIME, under the lock. ret is that path. The ledger
 * keeps its own name until another one is stored. */
int statedir_set_aside(const struct statedir *statedir, struct path *ret,
                       struct error *error) CHECKED NONNULL;

/* A number above those of all leases given until now. The caller passes {0} for a ledger that could
 * not be read. */
uint64_t
statedir_number_above(const struct host *host, const struct ledger *ledger) CHECKED NONNULL;

/* Takes the ledger's next number, under the lock. It is higher than all before, even those of a
 * ledger that was lost. */
uint64_t statedir_take_number(const struct statedir *statedir, struct ledger *ledger) NONNULL;

/* Takes a number as this process's claim, unless it has one. Under the lock. */
int statedir_claim(struct statedir *statedir, struct ledger *ledger,
                   struct error *error) CHECKED NONNULL;

/* Whether another process is at work on a lease. Only root may read the claims file, because
 * whoever may read the file may also lock it. For other users the lease's state decides: whether it
 * says that the vGPU is being made or removed. That answer may be wrong, because the process may
 * have been killed. */
bool
statedir_is_claimed(const struct statedir *statedir, const struct lease *lease) CHECKED NONNULL;

/* Whether that answer may be wrong for a lease of this ledger. */
bool
statedir_is_unsure(const struct statedir *statedir, const struct ledger *ledger) CHECKED NONNULL;
