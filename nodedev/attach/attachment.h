/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * attachment: one more vGPU for a domain, in the XML of each chosen definition; or several: all of
 * them, or none.
 */

#pragma once

#include "attach/source-edit.h"
#include "attach/wish.h"

struct attachment {
    const struct domain_source *source;
    struct domain_edit_device
        wanted;    /* without an alias: the first free one of ua-gpu0, ua-gpu1, ... */
    bool display;  /* the guest's screen is to show the vGPU */
    bool meant[2]; /* per enum connection_side: whether that definition gets the vGPU */
    struct domain_edit edits[2];  /* these definitions with the vGPU */
    char alias[257];              /* of the vGPU */
    struct rewrite_source chosen; /* the best device for it on this host */
    struct names named;           /* virtual functions that other domains name */
    struct names added;           /* devices of the vGPUs that this call has added so far */
    struct error
        doubt; /* why it is not known whether this host could ever give the vGPU; "": it is known */
    struct error others;  /* why this host can never give the domain's former vGPUs; "": it can */
    struct error single;  /* why QEMU may not start with all the vGPUs; "": nothing is known */
    struct names refused; /* virtual functions that were chosen and then refused */
};

/* Whether a new vGPU may be of either kind. One with a UUID of its own is a mediated device. */
enum demand_freedom attachment_freedom(const struct domain_edit_device *device) CHECKED NONNULL;

/* Reads the chosen definitions. Set `secrets` if one is to be defined again: then the XML contains
 * the passwords. The caller has set the members above `edits`, and calls attachment_clear in every
 * case. */
int
attachment_start(struct attachment *attachment, bool secrets, struct error *error) CHECKED NONNULL;
void attachment_clear(struct attachment *attachment) NONNULL;

/* Adds the vGPU, as a mediated device. Returns the errors of domain_edit_add. */
int attachment_make(struct attachment *attachment, struct error *error) CHECKED NONNULL;

/*
 * Adds the vGPUs of a wish to the chosen definitions, and prints a line for each at the end. Before
 * the first one, it checks whether this host could ever give them all, together with the domain's
 * other vGPUs. A domain that does not run is defined once. A running guest gets one vGPU after the
 * other. If one fails, the guest is asked to release those before it, each within the timeout
 * (milliseconds). Returns the errors of a search for places, and of hotplug_in; error also names
 * the vGPUs that the guest keeps. ret gets the vGPUs that were added and stay, also on failure.
 * made gets the change of the definition of a domain that does not run. The caller clears both in
 * every case.
 */
int
attachments_run(const struct domain_source *source, const struct wish *wish, struct changes *ret,
                struct definition_change *made, struct error *error) CHECKED NONNULL;

/* Plans the same, and changes nothing. ret gets what would be added. Whether a guest that runs
 * could have it now is another question (what-if.h). */
int attachments_foresee(const struct domain_source *source, const struct wish *wish,
                        struct changes *ret, struct error *error) CHECKED NONNULL;

/* Prints the XML with the vGPUs, without passwords, and changes nothing. A file may be for another
 * host. What this host could not do is then a warning on stderr, and no error. */
int attachments_print(const struct domain_source *source, const struct wish *wish,
                      struct error *error) CHECKED NONNULL;
