/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * list-text: which names of a directory a capture keeps, and with which stand-ins.
 */

#pragma once

#include "capture/answers.h"
#include "capture/stand-ins.h"

/* Returns what is left of a list, which the caller frees. `answers` are all of the host's. */
typedef char *
list_text(struct stand_ins *stand_ins, const struct answers *answers, const struct answer *list);

list_text list_text_names;     /* all of them */
list_text list_text_guests;    /* status files, "NAME.xml" */
list_text list_text_numbers;   /* processes */
list_text list_text_functions; /* a card's links to its functions, "virtfn3" */
list_text list_text_open;      /* descriptors of VFIO's, and those that could not be looked at */

/* Returns VFIO's node in the path of a descriptor: "/dev/vfio/12". NULL: there is none. The caller
 * frees it. */
char *list_text_node(const char *target) CHECKED NONNULL;
