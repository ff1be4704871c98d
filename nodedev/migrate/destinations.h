/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * destinations: which of several hosts would take a guest, the best first.
 *
 * First come the hosts that would take the guest; the host with room for the most such guests
 * leads. Then come the hosts for which this is not known. Hosts that would not take the guest come
 * next, and hosts that did not answer come last. Equally good hosts stay in the order in which they
 * were asked.
 */

#pragma once

#include "migrate/migrate-question.h"

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
