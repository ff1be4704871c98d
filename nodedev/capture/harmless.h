/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * harmless: words and forms of which everybody may know that a host has them.
 *
 * The words are those of the formats that vgpuctl reads: files of the kernel, of libvirt and of our
 * own, programs, drivers, and settings of vgpu.conf. A name that is in a path, and is missing here,
 * is not found when a capture is played back. Pure.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

extern const char *const harmless_words[]; /* NULL ends them */

/* Whether a text is numbers, in decimal or as "0x10de", with ',' or '-' between them. */
bool harmless_is_number(const char *text) CHECKED NONNULL;

/* Whether a text is one decimal number without a sign. */
bool harmless_is_digits(const char *text) CHECKED NONNULL;

/* Whether a text is the number of a device, "240:12". */
bool harmless_is_device(const char *text) CHECKED NONNULL;

/* Whether a text is a number with a unit of vgpu.conf: "30s", "8G". */
bool harmless_is_quantity(const char *text) CHECKED NONNULL;

/* Whether a text is a pattern of PCI addresses, such as "0000:c1:02.[01]" or "*". */
bool harmless_is_address_pattern(const char *text) CHECKED NONNULL;

/* Whether a text has only characters that drivers use in names of types. */
bool harmless_is_type_name(const char *text) CHECKED NONNULL;
