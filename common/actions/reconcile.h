/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reconcile: compares the ledger, /sys and libvirt's status files. It finishes or undoes what a
 * hook, a daemon or a driver left half done.
 *
 * If fate.h says that a vGPU is nobody's, it is removed, under the proof that nobody has it open.
 * If a running guest holds a device that no lease names, the device gets a lease. If a lease cannot
 * be judged, it is left alone, and named. reconcile may run at any time, beside any hook: only the
 * holder of a lease's claim acts on it.
 */

#pragma once

#include "actions/lease-outcomes.h"

/* The use case of `vgpuctl reconcile`. The caller clears ret in every case. */
int reconcile_host(const struct host *host, struct lease_outcomes *ret,
                   struct error *error) CHECKED NONNULL;

/* The use case of `vgpuctl reconcile --dry-run`: the same look and the same rules, without the
 * lock. ret says what would become of each lease. No lease and no vGPU changes. The state directory
 * is made if it is not there. Only a fault of vgpu.conf is logged. */
int reconcile_foresee(const struct host *host, struct lease_outcomes *ret,
                      struct error *error) CHECKED NONNULL;

/*
 * The use case of `vgpuctl reconcile --rebuild`. A ledger that cannot be read (broken, or another
 * version's) is set aside. A new one takes its place, with what running guests ask for and hold. A
 * vGPU that no running guest holds gets no lease. So it counts as one that others made from then
 * on, and is removed only if somebody names it. A readable ledger stays as it is, and ret has no
 * outcomes.
 */
int reconcile_rebuild(const struct host *host, struct lease_outcomes *ret,
                      struct error *error) CHECKED NONNULL;
