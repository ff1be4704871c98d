/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * usage: answers --version and --help of a program that people do not run by hand.
 *
 * libvirt and mdevctl run the hook and the call-out with more words than one. So a call with one
 * word is always a person's.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

struct usage {
    const char *program;
    const char *arguments; /* what follows its name */
    const char *caller;    /* the program that runs it */
};

/* Whether --version or --help is the only word; then `output` gets the answer. */
bool
usage_answer(const struct usage *usage, int argc, char *const argv[], int output) CHECKED NONNULL;
