/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * diagnosis: what is wrong with this host, as far as its vGPUs go.
 *
 * It knows what there is to look at, read once; the checks (checks.h) look at it and at files, and
 * add what they find. A check is a row: its name, how bad what it finds is, and a function. Nothing
 * is changed by any of them.
 *
 *     static void
 *     check_link(struct diagnosis *diagnosis)
 *     {
 *         ...
 *         diagnosis_add(diagnosis, "there is no /%s", path);          what it is
 *         diagnosis_advise(diagnosis, "make it:");                    and what to do
 *         diagnosis_command(diagnosis, "ln -s ...");
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

enum diagnosis_cards {
    CARDS_OF_NVIDIA, /* those of NVIDIA's that nova-core does not drive */
    CARDS_OF_NOVA,   /* those that it drives */
    CARDS_OF_ALL,    /* whoever has made them */
};

struct diagnosis;
struct sriov_gpu;

struct diagnosis_check {
    const char *name; /* one word, that does not change from version to version */
    enum diagnosis_severity severity;
    /* One of these: called once; for each GPU of the inventory; for each host device of each
     * domain; or for each of some cards that can have virtual functions. */
    void (*look)(struct diagnosis *diagnosis);
    void (*look_at_gpu)(struct diagnosis *diagnosis, size_t gpu);
    void (*look_at_hostdev)(struct diagnosis *diagnosis, const struct domain *domain,
                            const struct request_hostdev *hostdev);
    void (*look_at_card)(struct diagnosis *diagnosis, const struct sriov_gpu *card);
    enum diagnosis_cards cards;
};

/* A part of a remedy's text. */
struct diagnosis_part {
    bool is_command; /* to be typed as it is; else it is prose */
    size_t begin, end;
};

struct diagnosis_finding {
    const struct diagnosis_check *check;
    struct error text, remedy; /* a line each */
    struct diagnosis_part parts[8];
    size_t part_count;
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

/* Reads all that there is to look at; what cannot be read is said in a fault. `uri` is this host's
 * libvirt, or NULL. An
 * error is what scan_host returns. The caller clears ret in every case. */
int diagnosis_read(const struct host *host, const char *uri, struct diagnosis *ret,
                   struct error *error) __attribute__((nonnull(1, 3, 4))) CHECKED;
void diagnosis_clear(struct diagnosis *diagnosis) NONNULL;

/* For checks: one more finding. */
void diagnosis_add(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;

/* What to do about the last finding, part by part: advice in prose, and a command to type. Prose
 * before a command ends in ':'. */
void diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;
void diagnosis_command(struct diagnosis *diagnosis, const char *format, ...) FORMAT(2, 3) NONNULL;

/* "error" or the like. */
const char *diagnosis_severity_name(enum diagnosis_severity severity);
