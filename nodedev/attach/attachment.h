/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * attachment: one vGPU more for a domain, in the XML of whichever definitions are to have it.
 */

#pragma once

#include "attach/source-edit.h"

struct attachment {
    const struct domain_source *source;
    struct domain_edit_device wanted; /* without an alias: the first free one of ua-gpu0, ... */
    bool display;                     /* it is to be seen on the guest's screen */
    bool meant[2];               /* per enum connection_side: the definitions that are to have it */
    struct domain_edit edits[2]; /* these, with it in them */
    char alias[128];             /* what it is called */
    struct rewrite_source chosen; /* what it had best be on this host */
    struct names named;           /* virtual functions that other domains name */
    struct names added;           /* what those have that this call has added so far */
    struct error doubt; /* what is not known of whether this host could ever give it; "": nothing */
    struct error others;  /* why it can never give what the domain asked for before; "": it can */
    struct names refused; /* virtual functions that it could not be after all */
};

/* Adds the virtual functions (any PCI devices) that other domains of this host's libvirt name.
 * -errno with a line in error if it cannot be asked, or does not tell them all. */
int attachment_add_named(const struct domain_source *source, const struct name *domain,
                         struct names *ret, struct error *error) CHECKED NONNULL;

/* Reads the definitions that are meant; with passwords if one is to be defined again. The caller
 * has filled in what is above them, and calls attachment_clear in every case. */
int
attachment_start(struct attachment *attachment, bool secrets, struct error *error) CHECKED NONNULL;
void attachment_clear(struct attachment *attachment) NONNULL;

/* Adds it, as a mediated device. The errors of domain_edit_add. */
int attachment_make(struct attachment *attachment, struct error *error) CHECKED NONNULL;

/* Makes it what it had best be on this host (vf-selection.h), which for a running domain is what it
 * can be now; then gives it a display, if it is to have one. The errors of vf_selection_find, and
 * nothing is changed; or those of domain_edit_set_display. */
int attachment_place(struct attachment *attachment, struct error *error) CHECKED NONNULL;

/* Somebody was faster: true, it is another virtual function now; false: there is no other. */
bool attachment_place_again(struct attachment *attachment) CHECKED NONNULL;
