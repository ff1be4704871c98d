/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * traced-host: the fake kernel's host, for a process into which faults are injected.
 *
 * What the fake kernel does to answer are its own system calls, which the product does not make. So
 * each operation first makes those of the real one (host_kernel's), on files that are there for
 * that, where they can be counted, fail or be the last; and if none failed, the fake kernel answers
 * unseen. A write takes effect between its system calls and whatever follows.
 */

#pragma once

#include "fake/fake-kernel.h"

/* Puts the files into the tree; before any process begins. */
void traced_host_start(struct fake_kernel *fake);

/* In such a process: from now on its operations are these. Of the machine's processes it sees only
 * the one that plays QEMU and its own, so that its calls are always the same. */
void traced_host_take(struct fake_kernel *fake, pid_t the_qemu);
