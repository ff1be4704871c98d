/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/reason.h"

const char *
reason_of_rule(enum reason reason)
{
    /* The reasons that need no figures. */
    static const char *const words[] = {
        [REASON_NO_TYPE] = "has no such type",
        [REASON_OTHER_KIND] = "makes vGPUs of the other kind (see vgpuctl gpus)",
        [REASON_OTHER_VF] = "is not where its hostdev says",
        [REASON_MANAGED] = "makes vGPUs for managed='no' only: libvirt would unbind its driver",
        [REASON_OTHER_PARENT] = "is not the parent asked for",
        [REASON_NOT_PROMISED] = "is not where a place is promised to this guest",
        [REASON_LEFT] = "is not one that it is to move to",
        [REASON_OWN_CARD] = "is this guest's own: it takes the whole card",
        [REASON_DISABLED] = "is disabled in vgpu.conf",
        [REASON_NOT_ALLOWED] = "may not have that type (see its types in vgpu.conf)",
        [REASON_LACKS_TRAIT] = "lacks a trait asked for",
        [REASON_HAS_TRAIT] = "has a trait that is forbidden",
        [REASON_UNBOUND] = "is on a NUMA node, and the guest is bound to none (numatune)",
        [REASON_OTHER_NODE] = "is not on the guest's NUMA nodes",
        [REASON_UNLIKE] = "may not be given beside the guest's others (see unlike_vgpus)",
        [REASON_DRAINED] = "is drained (see vgpuctl undrain)",
        [REASON_PROVED] = "is being proved or set up by vgpuctl just now",
        [REASON_WHOLE] = "is given to another guest as a whole card",
        [REASON_QUOTA] = "is over the quota",
        [REASON_UNREADABLE] = "does not tell its room",
        [REASON_UNLISTED] = "does not offer it now",
        [REASON_FULL] = "is full",
        [REASON_IN_USE] = "is in use by a process",
        [REASON_RESERVED] = "has only reserved places left (see reserve in vgpu.conf)",
        [REASON_OTHER_SIZE] = "is being given a vGPU of another size",
        [REASON_REJECTED] = "refused it",
        [REASON_NONE] = "has room",
    };

    return words[reason];
}

const char *
reason_word(enum reason reason)
{
    static const char *const words[] = {
        [REASON_NO_TYPE] = "no-type",
        [REASON_OTHER_KIND] = "other-kind",
        [REASON_OTHER_VF] = "other-function",
        [REASON_MANAGED] = "managed",
        [REASON_OTHER_PARENT] = "parent",
        [REASON_NOT_PROMISED] = "not-promised",
        [REASON_LEFT] = "left",
        [REASON_OWN_CARD] = "own-card",
        [REASON_DISABLED] = "disabled",
        [REASON_NOT_ALLOWED] = "not-allowed",
        [REASON_LACKS_TRAIT] = "trait",
        [REASON_HAS_TRAIT] = "forbidden-trait",
        [REASON_UNBOUND] = "not-bound",
        [REASON_OTHER_NODE] = "numa",
        [REASON_UNLIKE] = "unlike",
        [REASON_DRAINED] = "drained",
        [REASON_PROVED] = "in-setup",
        [REASON_WHOLE] = "whole-card",
        [REASON_QUOTA] = "quota",
        [REASON_UNREADABLE] = "not-readable",
        [REASON_UNLISTED] = "not-offered",
        [REASON_FULL] = "full",
        [REASON_IN_USE] = "in-use",
        [REASON_RESERVED] = "reserve",
        [REASON_OTHER_SIZE] = "size",
        [REASON_REJECTED] = "refused",
        [REASON_NONE] = "",
    };

    return words[reason];
}

bool
reason_may_pass(enum reason reason)
{
    return reason >= REASON_DRAINED && reason < REASON_NONE;
}
