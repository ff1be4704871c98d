/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * log: what an administrator finds in the journal, through syslog(3).
 *
 * One line per event, of key=value words: "domain=web01 event=prepare device=... result=ok". The
 * XML of a domain is never logged: at migrate it contains passwords.
 */

#pragma once

#include "lease/ledger.h"

/* Something was done with a lease: event is "prepare" or the like, result "ok" or the like. */
void log_lease(const char *event, const struct lease *lease, const char *result) NONNULL;

/* A domain that arrives by migration gets a vGPU with another UUID than its XML said. */
void log_renamed(const char *domain_name, const struct name *domain, const struct name *old,
                 const struct name *new) NONNULL;

/* A failure that is told nowhere else, because the hook must not fail for it. */
void log_failure(const char *event, const char *domain, const struct error *error) NONNULL;
