/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * log: what an administrator finds in the journal or the system log.
 *
 * One line per event, of key=value words: "domain=web01 event=prepare device=... result=ok". The
 * XML of a domain is never logged, because it contains passwords at `migrate`.
 *
 * A line goes to the log of a host, where syslog(3) would send it, with one difference. If the log
 * takes no more, syslog(3) waits without end, and libvirt waits for us. Here all lines of a program
 * together wait for 100 ms at most. Lines that the log does not take by then are lost, and counted.
 * While the ledger is locked (statedir.h), lines are only collected, so that nobody waits for the
 * log with the lock held.
 */

#pragma once

#include "lease/ledger.h"

#define LOG_LINES 64 /* that can be collected; further ones are lost */

struct log {
    const char *program, *path;
    int socket; /* -1: not open yet, or there is no log */
    bool collects;
    unsigned waited; /* ms, so far */
    unsigned lost;   /* lines, so far */
    unsigned count;  /* of collected lines */
    char lines[LOG_LINES][1024];
};

/* program is its name in the log, socket is the log's ("/dev/log"). Both are borrowed. */
void log_open(struct log *log, const char *program, const char *socket) NONNULL;

/* Collects the host's lines from now on. log_send sends them, and later lines are sent at once. */
void log_collect(const struct host *host) NONNULL;
void log_send(const struct host *host) NONNULL;

/* The word that the log uses for a domain's name. It is written to buffer, which is returned. */
const char *log_word(const char *name, char *buffer, size_t size) NONNULL;

/* Something was done with a lease: event is "prepare" or the like, result "ok" or the like. */
void log_lease(const struct host *host, const char *event, const struct lease *lease,
               const char *result) NONNULL;

/* The same of a failure. Later lines of the same device tell what became of it. */
void log_lease_failure(const struct host *host, const char *event, const struct lease *lease,
                       const struct error *error) NONNULL;

/* A domain that arrives by migration gets a vGPU with another UUID than its XML had. */
void log_renamed(const struct host *host, const char *domain_name, const struct name *domain,
                 const struct name *old, const struct name *new) NONNULL;

/* A person has changed something by a command. event is the command's name, and line the command as
 * it was typed. domain is "-" if the command is about none, and who is the person's login. If the
 * command failed, nobody knows here how much it changed. */
void log_command(const struct host *host, const char *event, const char *domain, const char *who,
                 bool is_done, const char *line) NONNULL;

/* A failure that only the log is told, because the hook must not fail for it. */
void log_failure(const struct host *host, const char *event, const char *domain,
                 const struct error *error) NONNULL;
