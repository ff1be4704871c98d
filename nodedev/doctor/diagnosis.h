/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * diagnosis: what is wrong with this host, as far as its vGPUs are concerned.
 *
 * A diagnosis has everything that the checks look at, read once. The checks look at it and at
 * files, and add their findings. A check is a row: its name, the severity of its findings, and a
 * function. Each subject has a table of checks, in a file of its own. No check changes anything.
 *
 *     static void
 *     check_link(struct diagnosis *diagnosis)
 *     {
 *         ...
 *         diagnosis_add(diagnosis, "there is no /%s", path);          what is wrong
 *         diagnosis_advise(diagnosis, "make it:");                    and what to do
 *         diagnosis_command(diagnosis, "ln -s ...");
 *     }
 */

#pragma once

#include "cli/finding.h"
#include "lease/ledger.h"
#include "libvirt/references.h"
#include "policy/policy.h"

struct diagnosis;
struct sriov_gpu;

struct diagnosis_check {
    const char *name; /* one word that stays the same in all versions */
    enum finding_severity severity;
    /* A check has one of these functions. They are called for the host, for each GPU of the
     * inventory, for each host device of each domain, or for some cards that can have virtual
     * functions. */
    void (*look)(struct diagnosis *diagnosis);
    void (*look_at_gpu)(struct diagnosis *diagnosis, const struct inventory_gpu *gpu);
    void (*look_at_hostdev)(struct diagnosis *diagnosis, const struct domain *domain,
                            const struct request_hostdev *hostdev);
    void (*look_at_card)(struct diagnosis *diagnosis, const struct sriov_gpu *card);
    /* Which of these cards it is called for; NULL: all. */
    bool (*concerns)(const struct host *host, const struct sriov_gpu *card);
};

struct diagnosis {
    const struct host *host;
    const char *uri; /* of the host's libvirt; NULL: the host has none */
    struct policy policy;
    struct ledger ledger;
    struct inventory inventory;
    struct references references;
    /* Why one of these is empty or incomplete; "": it is complete. */
    struct error policy_fault, ledger_fault, libvirt_fault;

    const struct diagnosis_check *check; /* the check that runs now */
    struct findings found;
};

/* An empty diagnosis. diagnosis_clear does nothing to it. */
#define DIAGNOSIS_NONE ((struct diagnosis){.references = {.statedir = STATEDIR_CLOSED}})
void diagnosis_clear(struct diagnosis *diagnosis) NONNULL;

/* Reads everything, and runs all checks. A part that cannot be read is itself a finding. `uri` is
 * this host's libvirt, or NULL. Returns the errors of scan_host. The caller clears ret in every
 * case. */
int diagnosis_make(const struct host *host, const char *uri, struct diagnosis *ret,
                   struct error *error) __attribute__((nonnull(1, 3, 4))) CHECKED;

/* The tables of checks. A row without a name ends each table. */
extern const struct diagnosis_check hook_checks[];
extern const struct diagnosis_check security_checks[];
extern const struct diagnosis_check card_checks[];
extern const struct diagnosis_check kernel_checks[];
extern const struct diagnosis_check setup_checks[];
extern const struct diagnosis_check function_checks[];
extern const struct diagnosis_check nvidia_checks[];
extern const struct diagnosis_check xe_checks[];
extern const struct diagnosis_check pool_checks[];
extern const struct diagnosis_check emulated_checks[];
extern const struct diagnosis_check state_checks[];
extern const struct diagnosis_check domain_checks[];

/* For checks: adds a finding. */
void diagnosis_add(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;

/* For checks: libvirt's name for a PCI device, such as "pci_0000_3d_00_4". */
struct name diagnosis_node_name(const struct name *device) CHECKED NONNULL;

/* For checks: the last finding is only a note. */
void diagnosis_make_note(struct diagnosis *diagnosis) NONNULL;

/* For checks: says what to do about the last finding, in prose or by a command to type. */
void diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;
void diagnosis_command(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;

/* For checks: whether card_checks, or "setup", names the next step of a card. Then no vaguer
 * finding is added. address: of this card; NULL: of any. diagnosis-card.c defines it. */
bool diagnosis_card_has_step(struct diagnosis *diagnosis, const struct name *address)
    __attribute__((nonnull(1))) CHECKED;
