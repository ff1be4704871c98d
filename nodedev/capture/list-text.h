/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * list-text: which names of a directory a capture keeps, and with which stand-ins.
 */

#pragma once

#include "capture/answers.h"
#include "capture/stand-ins.h"

/* Whether a name is left in a list. `answers` are all of the host's. */
typedef bool list_text(const struct answers *answers, const struct answer *list, const char *name);

list_text list_text_guests;    /* status files, "NAME.xml" */
list_text list_text_numbers;   /* processes */
list_text list_text_functions; /* a card's links to its functions, "virtfn3" */
list_text list_text_open;      /* descriptors of VFIO's, and those that could not be looked at */

/* Returns what is left of a list, which the caller frees. With `keeps` NULL, each name is left. */
char *list_text_copy(struct stand_ins *stand_ins, const struct answers *answers,
                     const struct answer *list, list_text *keeps)
    __attribute__((nonnull(1, 2, 3))) CHECKED;

/* Whether a number is that of a device of which a directory of /sys has told the number. */
bool list_text_is_device(const struct answers *answers, const char *number) CHECKED NONNULL;

/* Returns VFIO's node in the path of a descriptor: "/dev/vfio/12". NULL: there is none. The caller
 * frees it. */
char *list_text_node(const char *target) CHECKED NONNULL;
