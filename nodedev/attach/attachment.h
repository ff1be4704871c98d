/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * attachment: one more vGPU for a domain, in the XML of each chosen definition.
 */

#pragma once

#include "attach/source-edit.h"

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

/* Changes the vGPU to the best device for it on this host (vf-selection.h). For a running domain
 * this is the best that can be had now. Then sets the display if one is wanted. Returns the errors
 * of vf_selection_find, with the XML unchanged; or those of domain_edit_set_display. */
int attachment_place(struct attachment *attachment, struct error *error) CHECKED NONNULL;

/* For the case that another start took the virtual function. Returns true if the vGPU is another
 * virtual function now, and false if there is no other. */
bool attachment_place_again(struct attachment *attachment) CHECKED NONNULL;
