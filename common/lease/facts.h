/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * facts: what the host says of a lease. It is gathered once, and fate.h judges it.
 */

#pragma once

#include "lease/fate.h"
#include "lease/look.h"

/* Gathers the facts that do not depend on the occasion. The ledger is the one that is decided
 * about. The facts borrow from the look. */
struct fate_facts
facts_gather(const struct statedir *statedir, const struct look *look, const struct ledger *ledger,
             const struct lease *lease) CHECKED NONNULL;

/* The bit for what was seen of a lease's device; 0: it is there, and of another type. */
unsigned
facts_of_device(const struct look_device *device, const struct lease *lease) CHECKED NONNULL;
