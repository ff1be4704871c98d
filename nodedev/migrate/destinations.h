/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * destinations: which of several hosts would take a guest, the best first.
 *
 * First come those that would, and of these the one with room for the most such guests; then those
 * of which it is not known, those that would not, and those that gave no answer. Hosts that are
 * equally good stay in the order in which they were asked.
 */

#pragma once

#include "migrate/migrate-question.h"

struct destination {
    const struct remote_host *host; /* borrowed */
    struct migrate_verdict verdict; /* of one that has answered */
};

struct destinations {
    struct destination *items;
    size_t count;
};

/* Judges each host that is asked about the guest, but not this one. The caller clears ret,
 * which borrows from the question. */
void destinations_judge(const struct migrate_question *question, struct destinations *ret) NONNULL;
void destinations_clear(struct destinations *destinations) NONNULL;

/* COMMAND_DONE if any is sure to take the guest, which `label` names; COMMAND_NO_CAPACITY if all
 * are sure not to; else COMMAND_FAILED. With a line in error if it is not done. */
enum command_status destinations_conclude(const struct destinations *destinations,
                                          const char *label, struct error *error) CHECKED NONNULL;

static inline bool
destination_has_answered(const struct destination *destination)
{
    return !*destination->host->failure.text;
}
