/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * descriptors: which files a process of ours has open.
 *
 * A process that is left behind, because the kernel does not let go of it, keeps all of its files
 * open. Whoever waits for their end, or for a lock on one, waits for it then.
 */

#pragma once

#include "base/cleanup.h"

/* Closes all from this one on. */
void descriptors_close_from(int first);

/* Closes all but these two. */
void descriptors_close_but(int a, int b);
