/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * ledger: which vGPU belongs to which domain. All leases, as a value; and as text.
 *
 * The file (statedir.h) is one header line and one line per lease, fields parted by one blank:
 *
 *     libvirt-vgpu-ledger 1 BOOT-ID NEXT-CLAIM
 *     kind device type framebuffer parent gpu domain name alias
 *         state origin daemon claim release time                    (all on one line)
 *
 * Text that people chose (name, alias) is percent-encoded; "-" stands for nothing. A ledger of
 * another boot holds no leases: no vGPU outlives a boot. This module touches no file.
 */

#pragma once

#include "base/process.h"
#include "device/vgpu.h"

enum lease_state {
    LEASE_PENDING,  /* claimed, being made */
    LEASE_HELD,     /* the domain's */
    LEASE_KEPT,     /* free, left in place for the domain's next start */
    LEASE_LEAVING,  /* to be removed, nothing written yet */
    LEASE_REMOVING, /* written, the kernel is at it */
    LEASE_RESERVED, /* promised to an incoming migration */
};

enum lease_origin {
    LEASE_MADE,  /* ours to remove */
    LEASE_FOUND, /* somebody else's: never removed */
};

enum lease_release {
    LEASE_REAP, /* remove it at release */
    LEASE_KEEP, /* leave it for the domain's next start */
};

struct lease {
    struct vgpu vgpu;
    unsigned framebuffer; /* MiB; 0: not told */
    struct name gpu;
    struct name domain; /* UUID: the key, as names change; LEASE_NOBODY */
    char domain_name[256];
    char alias[128]; /* of the hostdev; "" if it has none */
    enum lease_state state;
    enum lease_origin origin;
    struct process daemon; /* owes us a release while it lives */
    uint64_t claim;        /* byte of the claims file that whoever acts on it has locked */
    enum lease_release release;
    uint64_t time; /* of its last change, seconds of CLOCK_BOOTTIME */
};

struct ledger {
    uint64_t next_claim;
    struct lease *leases;
    size_t count;
};

/*
 * Parses a file's text (which it cuts up), as of the boot with this id. -EBADMSG with the line and
 * the remedy in error if a line is bad, -EPROTONOSUPPORT if another version wrote it; ret is left
 * as it was then. The caller clears ret.
 */
int ledger_parse(char *text, const char *boot_id, struct ledger *ret,
                 struct error *error) CHECKED NONNULL;

/* The text of a ledger; the caller frees it. NULL: no memory. */
char *ledger_format(const struct ledger *ledger, const char *boot_id) CHECKED NONNULL;

void ledger_clear(struct ledger *ledger) NONNULL;

/* The lease of a device, or NULL. A device has one lease at most. */
struct lease *ledger_find(const struct ledger *ledger, const struct name *device) NONNULL;

/* Whether the domain has any lease. */
bool ledger_has_domain(const struct ledger *ledger, const struct name *domain) CHECKED NONNULL;

/* Whether a lease is not the same as it was in an earlier ledger, or was not there. */
bool ledger_has_changed(const struct ledger *before, const struct lease *lease) CHECKED NONNULL;

/* Copies one more; -ENOMEM. The device must have none yet. */
int ledger_add(struct ledger *ledger, const struct lease *lease) CHECKED NONNULL;

/* Forgets one of its own leases; those behind it move up by one. */
void ledger_remove(struct ledger *ledger, struct lease *lease) NONNULL;

/* The domain of a lease that is none's: reap.h's, while it removes what was never ours. */
#define LEASE_NOBODY "00000000-0000-0000-0000-000000000000"
bool lease_is_nobodys(const struct lease *lease) CHECKED NONNULL;

/* The ledger's word for a state ("held"). */
const char *lease_state_name(enum lease_state state);
