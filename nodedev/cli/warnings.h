/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * warnings: what a command tells beside its answer, if the answer may lack something.
 *
 * Each warning is a line on stderr. With --json it is also an item of the document's list
 * "warnings": a word that stays the same in all versions, for programs, and the text of the line.
 */

#pragma once

#include "cli/command.h"
#include "cli/json.h"

#define WARNING_BAD_CONFIGURATION "bad-configuration" /* vgpu.conf has a fault */
#define WARNING_NO_LIBVIRT        "no-libvirt"        /* libvirt did not answer */
#define WARNING_NO_PERMISSION     "no-permission"     /* only root can know */
#define WARNING_WHOLE_CARD        "whole-card" /* a running guest took a card, and no start of it */

struct warning {
    const char *word;
    char *text;
};

struct warnings {
    struct warning *items;
    size_t count;
};

/* Prints a warning, and remembers it for the call's document. */
void warnings_add(const struct command_call *call, const char *word, const char *format, ...)
    FORMAT(3, 4) NONNULL;

/* Whether there is any. */
bool warnings_are_there(const struct command_call *call) CHECKED NONNULL;

/* Adds the list to a document's outermost object. Without a warning nothing is added. */
void warnings_put(const struct command_call *call, struct json *json) NONNULL;

void warnings_clear(struct warnings *warnings) NONNULL;
