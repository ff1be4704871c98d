/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * intent: what a domain is to get on this host: its request and the host's policy, met.
 *
 *     rc = intent_read(&intent, host, request, "prepare", error);
 *     if (rc > 0) ...it is to get intent.demands...
 */

#pragma once

#include "placement/demand.h"

struct intent {
    struct policy policy;
    struct demands demands;         /* they borrow from the policy and the request */
    struct inventory_filter filter; /* the types that are demanded; it borrows from the demands */
};

/*
 * 1: there are demands; 0: none, as nothing is asked of us, or we are switched off; else -errno. A
 * broken configuration stops only a domain whose XML asks us; for another it is logged, under the
 * name of the event. The intent must stay where it is, and is to be cleared in every case.
 */
int intent_read(struct intent *intent, const struct host *host, const struct request *request,
                const char *event, struct error *error) CHECKED NONNULL;
/* The same for one that has been given its policy already, and nothing else. */
int intent_resolve(struct intent *intent, const struct host *host, const struct request *request,
                   struct error *error) CHECKED NONNULL;
void intent_clear(struct intent *intent) NONNULL;

/* Whether the XML itself asks us for something, in words that we understand or not. */
bool intent_is_asked(const struct request *request) CHECKED NONNULL;
