/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * ledger: all leases, and their text. A lease says which domain a vGPU belongs to.
 *
 * The file (statedir.h) has a header line and one line per lease, with one blank between fields:
 *
 *     libvirt-vgpu-ledger 1 BOOT-ID NEXT-CLAIM
 *     kind device type framebuffer parent gpu domain name alias
 *         state origin daemon claim release time                    (all on one line)
 *
 * Text that people chose (name, alias) is percent-encoded; "-" is an empty field. A ledger of
 * another boot has no leases, because no vGPU survives a boot. Nothing here reads or writes a file.
 */

#pragma once

#include "base/process.h"
#include "base/words.h"
#include "device/vgpu.h"
#include "lease/whole-card.h"

enum lease_state {
    LEASE_PENDING,  /* claimed; the vGPU is being made */
    LEASE_HELD,     /* the domain has it */
    LEASE_KEPT,     /* the domain has ended; the vGPU stays for its next start */
    LEASE_LEAVING,  /* to be removed; nothing was written to the kernel yet */
    LEASE_REMOVING, /* the kernel was told to remove it */
    LEASE_RESERVED, /* for a guest that arrives, or that is promised the place */
};

enum lease_origin {
    LEASE_MADE,  /* by us, so we may remove it */
    LEASE_FOUND, /* made by somebody else: never removed */
};

enum lease_release {
    LEASE_REAP, /* remove it at release */
    LEASE_KEEP, /* leave it for the domain's next start */
};

struct lease {
    struct vgpu vgpu;
    struct name kind; /* the ledger's word for an interface that this program does not know; then
                         the vGPU's row is vgpu_unknown */
    unsigned framebuffer; /* MiB; 0: not told */
    struct name gpu;
    struct name domain; /* its UUID, because names change; or LEASE_NOBODY */
    char domain_name[256];
    char alias[257]; /* of the hostdev, as long as annotation.c takes it; "" if it has none */
    enum lease_state state;
    enum lease_origin origin;
    struct process daemon; /* libvirt's; while it lives, it will call "release" for the domain */
    uint64_t claim; /* its number, above all earlier ones: the byte of the claims file that is
                       locked while somebody acts on the lease. 0: it has none */
    enum lease_release release;
    uint64_t time; /* since when it is in its state, in seconds of CLOCK_BOOTTIME; leaving and
                      removing count as one */
};

struct ledger {
    uint64_t next_claim; /* above the numbers of all leases */
    struct lease *leases;
    size_t count;
    /* These are not in the file. They are read from links and lists when the file is read, because
     * whoever decides under the lock must know them, too. */
    struct names proved;      /* GPUs that a vgpuctl has for itself (proving.h) */
    struct whole_cards cards; /* GPUs that guests have taken themselves (whole-card.h) */
    struct names drained;     /* GPUs that an administrator has drained (drained.h) */
    int drained_rc;           /* -errno: that list cannot be read, and any GPU may be drained */
    struct words released;    /* names of marks, for whoever judges leases (marks.h) */
    struct words ran;
};

/*
 * Parses the text of the file, and changes the text. `rows`: the interfaces that the host has. A
 * lease of another interface is kept as it is (vgpu_unknown). boot_id is that of the running
 * kernel. -EBADMSG with the line in error: a line is wrong. -EPROTONOSUPPORT: another version wrote
 * the file. -ENOMEM: see memory.h. On an error ret stays as it was. The caller clears ret.
 */
int ledger_parse(char *text, const char *boot_id, const struct vgpu_interface *const *rows,
                 struct ledger *ret, struct error *error) CHECKED NONNULL;

/* The first lease of an interface that this program does not know, or NULL. */
struct lease *ledger_find_unknown(const struct ledger *ledger) NONNULL;

/* The text of a ledger; the caller frees it. */
char *ledger_format(const struct ledger *ledger, const char *boot_id) CHECKED NONNULL;

void ledger_clear(struct ledger *ledger) NONNULL;

/* The lease of a device, or NULL. A device has at most one. */
struct lease *ledger_find(const struct ledger *ledger, const struct name *device) NONNULL;

/* The link of a card that another domain than this one has taken itself; NULL: none has. A domain
 * that is "" has taken none. */
const struct whole_card *ledger_find_card(const struct ledger *ledger, const struct name *card,
                                          const struct name *but_of) NONNULL;

/* Whether the domain has any lease. */
bool ledger_has_domain(const struct ledger *ledger, const struct name *domain) CHECKED NONNULL;

/* The first lease of a domain that is no promise; NULL: there is none. */
const struct lease *ledger_find_of(const struct ledger *ledger, const struct name *domain) NONNULL;

/* The GPUs of the vGPUs that a domain has, or that its start makes just now. The caller clears ret.
 */
void
ledger_find_gpus(const struct ledger *ledger, const struct name *domain, struct names *ret) NONNULL;

/* Whether a lease has changed since an earlier ledger, where it was `old`; NULL: it was not there.
 */
bool lease_has_changed(const struct lease *old, const struct lease *lease) CHECKED
    __attribute__((nonnull(2)));

/* The leases of a ledger by their devices, for whoever looks for many of them. The order holds
 * until the ledger changes. The caller clears it. */
struct ledger_order {
    const struct lease **leases;
    size_t count;
};
void ledger_order_make(const struct ledger *ledger, struct ledger_order *ret) NONNULL;
void ledger_order_clear(struct ledger_order *order) NONNULL;
const struct lease *
ledger_order_find(const struct ledger_order *order, const struct name *device) NONNULL;

/* Adds a copy of a lease. Its device must have none yet. */
void ledger_add(struct ledger *ledger, const struct lease *lease) NONNULL;

/* Adds copies of all leases of another ledger, and of what it says of GPUs. */
void ledger_copy(const struct ledger *from, struct ledger *to) NONNULL;

/* Removes a lease, which points into the ledger. The leases behind it move up by one. */
void ledger_remove(struct ledger *ledger, struct lease *lease) NONNULL;

/* The domain of a lease that belongs to no domain. reap.h adds such leases while it removes vGPUs
 * that we have not made. */
#define LEASE_NOBODY "00000000-0000-0000-0000-000000000000"
bool lease_is_nobodys(const struct lease *lease) CHECKED NONNULL;

/* The lease itself if a domain has it, for whoever shows that domain. Else NULL; so is NULL. */
const struct lease *lease_of_domain(const struct lease *lease) CHECKED;

/* Whether a guest has the lease's device, or may have it soon. */
bool lease_is_in_use(const struct lease *lease) CHECKED NONNULL;

/* Whether a lease promises a place to a domain: the domain's next start takes that place, and no
 * other (actions/promise.h). The daemon of such a lease is LEASE_PROMISED, which no process is.
 * Other reservations name the daemon of the hook that made them, or none. */
#define LEASE_PROMISED ((struct process){0, 1})
bool lease_is_promise(const struct lease *lease) CHECKED NONNULL;

/* Whether a place has been reserved for longer than a guest takes to come. `now`: seconds of
 * CLOCK_BOOTTIME. */
bool lease_is_late(const struct lease *lease, uint64_t now) CHECKED NONNULL;

/* Whether a lease promises a place to this domain, and is not late. */
bool
lease_binds(const struct lease *lease, const struct name *domain, uint64_t now) CHECKED NONNULL;

/* Whether the removal of a vGPU was decided, by the state of its lease. Another process has tried
 * the removal then, or tries it now. */
bool lease_state_is_going(enum lease_state state) CHECKED;

/* The ledger's word for a state ("held"). */
const char *lease_state_name(enum lease_state state);
