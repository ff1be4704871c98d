/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * statedir: the directory /run/libvirt-vgpu, with the ledger and two kinds of lock.
 *
 * `lock` is held while a process looks, decides and records, and never while a driver works.
 * `claims` says who is at work on a lease: each claim is one byte of it, locked (open file
 * description lock) while the process that acts, or the writer that it left behind, is there. Both
 * locks end with their processes, so nobody has to clean up or to guess whether a pid is still the
 * same process.
 */

#pragma once

#include "base/deadline.h"
#include "lease/ledger.h"

struct statedir {
    const struct host *host;
    int dir;
    int claims;
    int lock;       /* -1 while not held */
    uint64_t claim; /* of this process; 0: none yet */
};

#define STATEDIR_CLOSED ((struct statedir){.dir = -1, .claims = -1, .lock = -1})

/*
 * Opens it for those who change something. If make is true, a missing directory is made; if it is
 * false, that is -ENOENT, and nothing is written to error. The caller closes ret, which gives up
 * lock and claim.
 */
int statedir_open(const struct host *host, bool make, struct statedir *ret,
                  struct error *error) CHECKED NONNULL;
void statedir_close(struct statedir *statedir) NONNULL;

/* Opens it for those who only look: nothing is made, and no right is needed. What is missing, or
 * may not be opened, stays closed; without the claims file every claim counts as held. */
void statedir_open_to_look(const struct host *host, struct statedir *ret) NONNULL;

/* Waits for the lock, which this process must not hold yet: first come, first served. -ETIMEDOUT
 * after the deadline. */
int statedir_lock(struct statedir *statedir, struct deadline deadline,
                  struct error *error) CHECKED NONNULL;
void statedir_unlock(struct statedir *statedir) NONNULL;

/* Reads the ledger, for which no lock is needed. Without a file it is empty. The caller clears ret.
 * Errors are those of ledger_parse, and error says what to do. */
int statedir_load(const struct statedir *statedir, struct ledger *ret,
                  struct error *error) CHECKED NONNULL;

/* The same as statedir_open_to_look, but -errno if the directory is there and cannot be opened. The
 * caller closes ret in every case. */
int
statedir_look(const struct host *host, struct statedir *ret, struct error *error) CHECKED NONNULL;

/* Reads the ledger for those who only look: as statedir_load, but only the file must be readable.
 */
int statedir_peek(const struct host *host, struct ledger *ret, struct error *error) CHECKED NONNULL;

/* Replaces the ledger, under the lock: it is written to a new file, which is renamed. -ESTALE if
 * the lock's file was removed meanwhile, so that somebody else may have the lock as well. */
int statedir_store(const struct statedir *statedir, const struct ledger *ledger,
                   struct error *error) CHECKED NONNULL;

/* Whether statedir_load failed because the ledger itself is wrong, so that it must be replaced. */
bool statedir_is_broken(int rc) CHECKED;

/* Gives the ledger a second name, ledger.broken-TIME, under the lock; ret is that path. The ledger
 * also keeps its name until another one is stored. */
int statedir_set_aside(const struct statedir *statedir, struct path *ret,
                       struct error *error) CHECKED NONNULL;

/* The number that nothing given until now can have: microseconds since the kernel booted. */
uint64_t statedir_number_now(const struct host *host) CHECKED NONNULL;

/* Takes the ledger's next number, higher than all before, also than those of a ledger that was
 * lost. Under the lock. */
uint64_t statedir_take_number(const struct statedir *statedir, struct ledger *ledger) NONNULL;

/* Takes a number as this process's claim, unless it has one. Under the lock. */
int statedir_claim(struct statedir *statedir, struct ledger *ledger,
                   struct error *error) CHECKED NONNULL;

/* Gives it up. Not to be called if a writer was left behind at work: it still acts under the claim.
 */
void statedir_unclaim(struct statedir *statedir) NONNULL;

/* Whether another process is at work under this claim. */
bool statedir_is_claimed(const struct statedir *statedir, uint64_t claim) CHECKED NONNULL;
