/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * callout: what mdevctl(8) asks us before it makes a device, and tells us after it has removed one.
 * We do not use mdevctl ourselves. So a call always comes from others: from an administrator, or
 * from libvirt for virsh nodedev-create.
 *
 * mdevctl runs us as "-t TYPE -e EVENT -a ACTION -s STATE -u UUID -p PARENT", with the device's
 * JSON on stdin. The JSON has nothing that we need. mdevctl takes the first script's answer that is
 * not CALLOUT_NOT_MINE. So nearly all calls are answered with CALLOUT_NOT_MINE. 0 is never the
 * answer, because mdevctl would then not ask a vendor's script.
 *
 * The call-out never calls libvirt, which may be waiting for it. It waits for two seconds at most.
 */

#pragma once

#include "base/host.h"

enum callout_status {
    CALLOUT_REFUSED = 1,
    CALLOUT_NOT_MINE = 2,
};

/*
 * Handles a call. It refuses the start of a device if the UUID is that of our vGPU, if the GPU is
 * drained, or if the room is promised to another vGPU. The reason is one line on faults. It forgets
 * the lease of a device that was stopped, if nobody needs the lease. All other calls are not ours,
 * understood or not.
 */
enum callout_status callout_run(const struct host *host, int argc, char *const argv[], int input,
                                int faults) CHECKED NONNULL;
