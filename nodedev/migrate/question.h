/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * question: which of several hosts would take a guest; what is known of this host, of the guest and
 * of those hosts.
 *
 *     rc = question_start(&question, call->host, error);
 *     ...a guest that is new there is read into question.guest...
 *     rc = question_ask(&question, call, uris, count, error);
 *     rc = question_find_guest(&question, word, error);
 *     check = question_check(&question, 1);
 *
 * It borrows the host and the URIs. The caller calls question_clear in every case.
 */

#pragma once

#include "actions/snapshot.h"
#include "cli/command.h"
#include "migrate/migrate-check.h"

struct question {
    struct snapshot snapshot;
    char kernel[256]; /* this host's; "": not known */
    struct migrating_guest guest;
    struct remote_hosts hosts; /* this one first; then those that are asked, in their order */
};

/* Looks at this host. -errno with a line in error. */
int question_start(struct question *question, const struct host *host,
                   struct error *error) CHECKED NONNULL;
void question_clear(struct question *question) NONNULL;

/* Asks the call's own libvirt and these others. -EINVAL if its --timeout is none, else the errors
 * of remote_ask; a host that does not answer is no error. */
int question_ask(struct question *question, const struct command_call *call,
                 const char *const *uris, size_t count, struct error *error) CHECKED NONNULL;

/* A domain of this host is the guest. The errors of migrating_guest_find; -ENOTCONN if this host's
 * libvirt has not answered. */
int question_find_guest(struct question *question, const char *word,
                        struct error *error) CHECKED NONNULL;

/* What is to be checked of a host, by its number in question->hosts; borrows from the question. */
struct migrate_check question_check(const struct question *question, size_t host) CHECKED NONNULL;
