/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * facts: what the host says of a lease, gathered once, for fate.h to judge.
 */

#pragma once

#include "lease/fate.h"
#include "lease/look.h"

/* The facts that every occasion shares. They borrow from the look. */
struct fate_facts facts_gather(const struct statedir *statedir, const struct look *look,
                               const struct lease *lease) CHECKED NONNULL;

/* The fact that is what was seen of a lease's device. */
unsigned
facts_of_device(const struct look_device *device, const struct lease *lease) CHECKED NONNULL;
