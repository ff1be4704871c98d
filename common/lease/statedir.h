/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * statedir: the directory /run/libvirt-vgpu, where the ledger lies, and its two kinds of lock.
 *
 * `lock` is held while somebody looks, decides and records, never while a driver works. `claims`
 * says who is at work on a lease: one byte per claim, locked (open file description lock) for as
 * long as the process that acts, or the writer it left behind, is there. Both end with their
 * processes, so nothing is ever cleaned up and no pid is guessed at.
 */

#pragma once

#include "base/deadline.h"
#include "lease/ledger.h"

struct statedir {
    const struct host *host;
    int dir;
    int claims;
    int lock;       /* -1 while not held */
    uint64_t claim; /* mine; 0: none yet */
};

#define STATEDIR_CLOSED ((struct statedir){.dir = -1, .claims = -1, .lock = -1})

/*
 * Opens it, and makes what is missing. -ENOENT without a word in error if it is missing and make is
 * false. The caller closes ret; closing gives up lock and claim.
 */
int statedir_open(const struct host *host, bool make, struct statedir *ret,
                  struct error *error) CHECKED NONNULL;
void statedir_close(struct statedir *statedir) NONNULL;

/* The same for those who only look: it makes nothing and needs no right. What is missing, or may
 * not be opened, stays closed; every claim then counts as held. */
void statedir_open_to_look(const struct host *host, struct statedir *ret) NONNULL;

/* Waits for the lock: -ETIMEDOUT after the deadline. It must not be held yet. */
int statedir_lock(struct statedir *statedir, struct deadline deadline,
                  struct error *error) CHECKED NONNULL;
void statedir_unlock(struct statedir *statedir) NONNULL;

/* Reads the ledger; no lock is needed for that. No file: an empty ledger. The caller clears ret.
 * Errors as ledger_parse, with the remedy. */
int statedir_load(const struct statedir *statedir, struct ledger *ret,
                  struct error *error) CHECKED NONNULL;

/* Opens it for those who only look, and makes nothing; it may be missing. Without the right to see
 * the claims, every one of them counts as somebody's. The caller closes ret in every case. */
int
statedir_look(const struct host *host, struct statedir *ret, struct error *error) CHECKED NONNULL;

/* The same as statedir_load for them: needs no right to anything but the file. */
int statedir_peek(const struct host *host, struct ledger *ret, struct error *error) CHECKED NONNULL;

/* Replaces the ledger, under the lock: written aside and renamed. */
int statedir_store(const struct statedir *statedir, const struct ledger *ledger,
                   struct error *error) CHECKED NONNULL;

/* Whether what statedir_load failed with is the ledger's own fault, so that another one is needed.
 */
bool statedir_is_broken(int rc) CHECKED;

/* Gives the ledger a second name, ledger.broken-TIME, under the lock: ret is that path. The ledger
 * stays what it is until another one is stored in its place. */
int statedir_set_aside(const struct statedir *statedir, struct path *ret,
                       struct error *error) CHECKED NONNULL;

/* Takes a claim of one's own, if there is none yet, out of the ledger's counter, under the lock. */
int statedir_claim(struct statedir *statedir, struct ledger *ledger,
                   struct error *error) CHECKED NONNULL;

/* Gives it up. For a writer that was left behind at work it must not be called: it still acts. */
void statedir_unclaim(struct statedir *statedir) NONNULL;

/* Whether somebody else is at work under this claim. */
bool statedir_is_claimed(const struct statedir *statedir, uint64_t claim) CHECKED NONNULL;
