/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * traced-host: the fake kernel's host, for a process into which faults are injected.
 *
 * To answer, the fake kernel makes system calls of its own, which the product does not make. So
 * each operation first makes the system calls of the real operation (host_kernel's), on files that
 * exist for this purpose. These calls can be counted, can fail, or can be the last ones. If none
 * failed, the fake kernel answers, and its calls are not counted. A write takes effect after its
 * system calls, and before the next call.
 */

#pragma once

#include "fake/fake-kernel.h"

/* Puts the files into the tree. Call it before any process begins. */
void traced_host_start(struct fake_kernel *fake);

/* From now on these are the operations of this process. The process sees only itself and the
 * process that stands for QEMU. So its calls are always the same. */
void traced_host_take(struct fake_kernel *fake, pid_t the_qemu);
