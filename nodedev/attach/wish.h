/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * wish: the vGPUs that the options of attach and explain ask for.
 *
 * The options say what a <vgpu:device> can say (vgpu-request(7)). They are read here to the end, so
 * that a wrong word is told as the option that was typed, and not as XML that nobody wrote.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/domain-source.h"
#include "xml/domain-edit.h"

#define WISH_MOST 64 /* an annotation has no more devices */

/* What a vGPU is to be, how many of them, and where they may be. */
#define WISH_BITS                                                                                  \
    (OPTION_BIT(OPTION_TYPE) | OPTION_BIT(OPTION_CLASS) | OPTION_BIT(OPTION_PARENT) |              \
     OPTION_BIT(OPTION_PLACEMENT) | OPTION_BIT(OPTION_NUMA) | OPTION_BIT(OPTION_TRAITS) |          \
     OPTION_BIT(OPTION_PARAM) | OPTION_BIT(OPTION_COUNT))
/* The same, and what only a vGPU that is really added can have. */
#define WISH_BITS_NEW                                                                              \
    (WISH_BITS | OPTION_BIT(OPTION_ALIAS) | OPTION_BIT(OPTION_UUID) | OPTION_BIT(OPTION_DISPLAY))

struct wish {
    struct domain_edit_device device; /* what each vGPU is to be */
    struct name parent; /* the text that the device says, if it says one: no copy of a wish may
                           outlive the wish */
    unsigned count;     /* 0: nothing is asked for */
    bool display;       /* the guest's screen is to show the vGPU; only with one */
    unsigned timeout;   /* milliseconds that a guest may take to release a vGPU */
};

/* Reads the options. Texts are borrowed from the command line. Returns 0, also if none of them was
 * typed; REFUSED (ERROR_USAGE); or the errors of a scan, for a GPU that was named in short. */
int
wish_read(const struct command_call *call, struct wish *ret, struct error *error) CHECKED NONNULL;

/* Writes the options of the wish as somebody types them, each with a blank before it. */
void wish_print(const struct options *options, FILE *out) NONNULL;

/* What has to change so that a domain asks for exactly the vGPUs of a wish. */
struct wish_difference {
    unsigned missing;      /* how many are to be added */
    struct words too_many; /* those that are to go: an alias each, or a source */
};

/*
 * Compares a wish with the one definition that is meant. A vGPU is as wished if its <vgpu:device>
 * says just what the options say. Its alias and its device may be any. All other vGPUs that the XML
 * asks for are too many; a vGPU that only vgpu.conf makes one is none of them. Returns -errno with
 * a line in error. The caller clears ret.
 */
int wish_compare(const struct domain_source *source, const struct wish *wish,
                 struct wish_difference *ret, struct error *error) CHECKED NONNULL;
void wish_difference_clear(struct wish_difference *difference) NONNULL;
