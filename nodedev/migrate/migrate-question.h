/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-question: which of several hosts would take a guest. It has what is known of this host,
 * of the guest, and of those hosts.
 *
 *     rc = migrate_question_start(&question, call->host, error);
 *     ...a new guest is read into question.guest...
 *     rc = migrate_question_ask(&question, call, uris, count, error);
 *     rc = migrate_question_find_guest(&question, word, error);
 *     check = migrate_question_check(&question, 1);
 *
 * It borrows the host and the URIs. The caller calls migrate_question_clear in every case.
 */

#pragma once

#include "actions/snapshot.h"
#include "cli/command.h"
#include "migrate/migrate-check.h"

struct migrate_question {
    const struct host *host;
    struct snapshot snapshot;
    struct migrating_guest guest;
    struct departure departure; /* of a guest that would leave this host */
    struct remote_hosts
        hosts; /* this host first, then the others in the order in which they are asked */
};

/* Reads what this host tells. Returns -errno with a line in error. */
int migrate_question_start(struct migrate_question *question, const struct host *host,
                           struct error *error) CHECKED NONNULL;
void migrate_question_clear(struct migrate_question *question) NONNULL;

/* Asks the call's own libvirt and the given ones. Returns ERROR_USAGE if --timeout is not valid,
 * else the errors of remote_ask. A host that does not answer is no error. */
int
migrate_question_ask(struct migrate_question *question, const struct command_call *call,
                     const char *const *uris, size_t count, struct error *error) CHECKED NONNULL;

/* Makes a domain of this host the guest, in place of the one before. Returns the errors of
 * migrating_guest_find, and -ENOTCONN if this host's libvirt has not answered. */
int migrate_question_find_guest(struct migrate_question *question, const char *word,
                                struct error *error) CHECKED NONNULL;

/* Returns the check of the host with this number in question->hosts. The check borrows from the
 * question. */
struct migrate_check
migrate_question_check(const struct migrate_question *question, size_t host) CHECKED NONNULL;
