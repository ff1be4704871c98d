/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * relocation: moves a guest with its vGPUs to other GPUs of this host.
 *
 * libvirt refuses to migrate a guest to its own host. So libvirt saves the guest (managed save) and
 * restores it, and meanwhile a place on another GPU waits for the guest (actions/promise.h). The
 * guest's clock stands still as long.
 *
 * A guest that cannot be saved may be shut down and started again in the same way.
 *
 * A signal that would end this process stops a save, and the guest goes on where it was. Once the
 * guest is saved, a signal waits until the guest runs again. If this process is killed then, the
 * guest is off, and its next start restores it. No lock is held while the guest is saved or
 * restored.
 */

#pragma once

#include "actions/promise.h"
#include "libvirt/domain-source.h"

enum relocation_way { RELOCATION_SAVE, RELOCATION_SHUT_DOWN };

/* A guest that runs, and where its vGPUs may go. All is borrowed. */
struct relocation {
    const struct command_call *call;
    enum relocation_way way;
    unsigned patience;            /* seconds that the guest may take to shut down */
    struct domain_source *source; /* with a connection that may write, and its request */
    const struct names *left;     /* GPUs that the guest leaves */
    const struct names *only;     /* the only GPUs that will do; none: any other */
    bool *is_signalled;           /* is set if a signal came that would have ended this process */
};

enum relocation_end {
    RELOCATION_STAYED, /* it runs where it was */
    RELOCATION_MOVED,
    RELOCATION_RETURNED, /* it did not start at the new place, and runs elsewhere */
    RELOCATION_SAVED,    /* it is off, and its next start restores it */
    RELOCATION_OFF,      /* it is off, and has no saved state */
    RELOCATION_UNKNOWN,  /* libvirt does not tell */
};
extern const char *const relocation_words[]; /* by these; for programs */

/* Says where the guest would go, and does nothing. The snapshot is as for promise_foresee. Returns
 * REFUSED, or -errno, with the line that relocation_run would have; then it has no new place. */
int relocation_foresee(const struct relocation *relocation, struct snapshot *snapshot,
                       struct error *error) CHECKED NONNULL;

/* Moves the guest. Returns -errno with a line in error unless it has moved; REFUSED: nothing was
 * done, because there is no place, or the guest cannot be saved. *ret says where the guest is. */
int relocation_run(const struct relocation *relocation, enum relocation_end *ret,
                   struct error *error) CHECKED NONNULL;

/* Starts a guest that is off and saved, at the place that its start finds. Of the relocation it
 * uses the call, the source's domain and is_signalled. The same results. */
int relocation_restore(const struct relocation *relocation, enum relocation_end *ret,
                       struct error *error) CHECKED NONNULL;

/* Lets the definition of a running guest name the virtual functions that the guest has, as
 * relocation_run does in the end. A failure is a warning. Of the relocation it uses the call and
 * the source's domain and connection. */
void relocation_update_definition(const struct relocation *relocation) NONNULL;
