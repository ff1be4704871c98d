/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * alternatives: the virtual functions that a demand could be on instead of the one that it names.
 * Pure.
 */

#pragma once

#include "placement/rooms.h"

/* Those of a GPU, or of all (SIZE_MAX), which could take it now: how many there are; as text at
 * most so many. A demand that names none has no others. */
size_t alternatives_list(const struct rooms *rooms, const struct demand *demand, size_t gpu,
                         size_t most, char *text, size_t size) CHECKED NONNULL;

/* Adds them to what stands against the one that is named. */
void alternatives_add(const struct rooms *rooms, const struct demand *demand,
                      struct error *error) NONNULL;
