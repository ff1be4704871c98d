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

/* --- which of the hosts would take the guest, the best first ---------------------------------- */

/*
 * First come the hosts that would take the guest; the host with room for the most such guests
 * leads. Then come the hosts for which this is not known. Hosts that would not take the guest come
 * next, and hosts that did not answer come last. Equally good hosts stay in the order in which they
 * were asked.
 */

struct destination {
    const struct remote_host *host; /* borrowed */
    struct migrate_verdict verdict; /* only if the host has answered */
};

struct destinations {
    struct destination *items;
    size_t count;
};

/* Judges each host that was asked about the guest, except this host. ret borrows from the question.
 * The caller clears ret. */
void destinations_judge(const struct migrate_question *question, struct destinations *ret) NONNULL;
void destinations_clear(struct destinations *destinations) NONNULL;

/* Returns COMMAND_DONE if a host is sure to take the guest, which `label` names. Returns
 * COMMAND_NO_CAPACITY if all hosts are sure not to take it, else COMMAND_FAILED; both with a line
 * in error. */
enum command_status destinations_conclude(const struct destinations *destinations,
                                          const char *label, struct error *error) CHECKED NONNULL;

static inline bool
destination_has_answered(const struct destination *destination)
{
    return !*destination->host->failure.text;
}
