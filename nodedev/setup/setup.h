/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup: makes a card as vgpu.conf declares it, or says what would be done.
 *
 * A card is changed only if nobody uses it. This process takes the card first (prove/workbench.h),
 * so no guest gets a vGPU there meanwhile. After each step the card is read again: what a tool
 * claims does not count. If a step fails, the steps before it stay. A process that is killed leaves
 * a card that the next one finishes, because each process begins with what the card shows.
 *
 * A part that an older driver's tool does not know is not made. The other parts are, and the card
 * has not failed.
 */

#pragma once

#include "setup/setup-part.h"

enum setup_result {
    SETUP_AS_SAID, /* the part is as declared; there is nothing to do */
    SETUP_TO_DO,   /* of a dry run, or of a step after one that failed */
    SETUP_DONE,    /* the step was taken, and the card shows it */
    SETUP_FAILED,  /* error says why */
    SETUP_IN_USE,  /* somebody uses the card; error names them */
    SETUP_CANNOT,  /* the part differs, and this driver and its tool cannot make it: see cannot */
    SETUP_RESULTS,
};
extern const char *const setup_result_words[SETUP_RESULTS];

struct setup_line {
    const char *part; /* NULL: the line is about the whole card */
    const char *step; /* NULL: none */
    char said[256], now[256];
    enum setup_result result;
};

struct setup_report {
    struct setup_line lines[3 * SETUP_PARTS + 1];
    size_t count;
    struct error error;  /* of the line that failed */
    struct error cannot; /* of the parts that cannot be made; "": there are none */
};

/* Is told which step begins. A step may take a minute. */
struct setup_listener {
    void (*begins)(void *data, const struct policy_gpu *said, const char *part, const char *step);
    void *data;
};

/* Makes a card so. Returns 0 if the card is as declared, or would be, but for what its driver
 * cannot do; else -errno with a line in ret->error: -EBUSY if somebody uses the card. */
int setup_run(const struct host *host, const struct policy_gpu *said, bool dry_run,
              const struct setup_listener *listener, struct setup_report *ret) CHECKED NONNULL;

/* Refuses a declaration that the card, or the tools for it, cannot obey, as far as the kernel
 * tells: no tool is run, and nothing is changed. Returns -errno with a line in error. */
int setup_check(const struct host *host, const struct policy_gpu *said,
                struct error *error) CHECKED NONNULL;

/* Whether a failure may go away while the host still comes up: the card or its driver was not ready
 * yet. */
bool setup_may_come(int rc) CHECKED;

/* Whether a guest, or a tool that does not answer, keeps the card from being set up. Nobody knows
 * for how long. So the boot tries the card again, and libvirt does not wait for it. */
bool setup_is_held_up(int rc) CHECKED;
