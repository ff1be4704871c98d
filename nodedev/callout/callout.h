/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * callout: what mdevctl(8) asks us before it makes a device, and tells us after it has removed one.
 * We do not use mdevctl ourselves, so this is always somebody else's doing: an administrator's, or
 * libvirt's for virsh nodedev-create.
 *
 * mdevctl runs us as "-t TYPE -e EVENT -a ACTION -s STATE -u UUID -p PARENT" with the device's JSON
 * on stdin, which says nothing that we need. It takes the first script's answer that is not
 * CALLOUT_NOT_MINE, so that is what nearly all is answered with, and 0 never: it would keep a
 * vendor's script from being asked. Never calls libvirt (which may be waiting for us), and waits
 * for two seconds at most.
 */

#pragma once

#include "base/host.h"

enum callout_status {
    CALLOUT_REFUSED = 1,
    CALLOUT_NOT_MINE = 2,
};

/*
 * Refuses the start of a device whose UUID is a vGPU of ours, or that would go to a drained GPU or
 * take the room that is promised to one: one line on faults. Forgets the lease of a device that was
 * stopped, if nobody needs it. Anything else, understood or not, is not ours.
 */
enum callout_status callout_run(const struct host *host, int argc, char *const argv[], int input,
                                int faults) CHECKED NONNULL;
