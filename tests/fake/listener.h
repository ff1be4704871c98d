/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * listener: hears what the programs of a test log.
 */

#pragma once

#include "fake/fake-kernel.h"

/* From now on the programs on this kernel have a log, until listener_end. */
void listener_begin(struct fake_kernel *kernel);
void listener_end(struct fake_kernel *kernel);

/* The lines that were logged since the last call, each with its newline. Static memory. */
char *listener_heard(void);
