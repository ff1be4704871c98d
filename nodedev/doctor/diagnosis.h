/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * diagnosis: what is wrong with this host, as far as its vGPUs go.
 *
 * It knows what there is to look at, read once; the checks, a table per subject, look at it and at
 * files, and add what they find. A check is a row: its name, how bad what it finds is, and a
 * function. Nothing is changed by any of them.
 *
 *     static void
 *     check_link(struct diagnosis *diagnosis)
 *     {
 *         ...
 *         diagnosis_add(diagnosis, "there is no /%s", path);          what it is
 *         diagnosis_advise(diagnosis, "make it: ln -s ...");          and what to do
 *     }
 */

#pragma once

#include "lease/ledger.h"
#include "libvirt/references.h"
#include "policy/policy.h"

enum diagnosis_severity {
    DIAGNOSIS_NOTE,    /* good to know; no fault */
    DIAGNOSIS_WARNING, /* something will go wrong one day */
    DIAGNOSIS_ERROR,   /* guests get no vGPU, or anybody may become root */
};

struct diagnosis;
struct card;

struct diagnosis_check {
    const char *name; /* one word, that does not change from version to version */
    enum diagnosis_severity severity;
    /* One of these: called once; for each host device of each domain; or for each card that can
     * have virtual functions (diagnosis-functions.c). */
    void (*look)(struct diagnosis *diagnosis);
    void (*look_at_hostdev)(struct diagnosis *diagnosis, const struct domain *domain,
                            const struct request_hostdev *hostdev);
    void (*look_at_card)(struct diagnosis *diagnosis, const struct card *card);
    bool of_nova; /* it looks at the cards that nova-core drives; others look at all but those */
};

struct diagnosis_finding {
    const struct diagnosis_check *check;
    struct error text, remedy; /* a line each */
};

struct diagnosis {
    const struct host *host;
    const char *uri; /* of its libvirt; NULL: it has none */
    struct policy policy;
    struct ledger ledger;
    struct inventory inventory;
    struct references references;
    /* Why a part of that is empty, or not all; "": it is all. */
    struct error policy_fault, ledger_fault, libvirt_fault;

    const struct diagnosis_check *check; /* the one at work */
    struct diagnosis_finding *findings;
    size_t count, faults; /* findings; those of them that are more than a note */
};

/* What diagnosis_clear does nothing to. */
#define DIAGNOSIS_NONE ((struct diagnosis){.references = {.statedir = STATEDIR_CLOSED}})

/* The tables; a row without a name ends each. */
extern const struct diagnosis_check hook_checks[];
extern const struct diagnosis_check security_checks[];
extern const struct diagnosis_check kernel_checks[];
extern const struct diagnosis_check boot_checks[];
extern const struct diagnosis_check function_checks[];
extern const struct diagnosis_check xe_checks[];
extern const struct diagnosis_check state_checks[];
extern const struct diagnosis_check domain_checks[];

/* Reads all, and runs all checks. A part that cannot be read is itself a finding. `uri` is this
 * host's libvirt, or NULL. An error is what scan_host returns. The caller clears ret in every
 * case. */
int diagnosis_make(const struct host *host, const char *uri, struct diagnosis *ret,
                   struct error *error) __attribute__((nonnull(1, 3, 4))) CHECKED;
void diagnosis_clear(struct diagnosis *diagnosis) NONNULL;

/* Calls the look_at_card of the row at work for each of its cards. */
void
diagnosis_visit_cards(struct diagnosis *diagnosis,
                      void (*visit)(struct diagnosis *diagnosis, const struct card *card)) NONNULL;

/* The libvirt daemon that runs QEMU's guests, by the files in which it tells its pid, and its name.
 * {0}: none is found. */
struct process
diagnosis_find_daemon(const struct host *host, char *name, size_t size) CHECKED NONNULL;

/* For checks: one more finding, and what to do about the last one. */
void diagnosis_add(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;
void diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;

/* "error" or the like. */
const char *diagnosis_severity_name(enum diagnosis_severity severity);
