/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * moved-types: what a running guest is to ask for while it moves to another host.
 *
 * The state of a vGPU loads only into the type that the vGPU has. If the guest asks for a class,
 * the other host would choose any type of that class. So the XML that goes along says the type in
 * place of the class. The definition of the guest goes along unchanged, so its next start asks for
 * the class again.
 *
 * Only a <vgpu:device> can say a type. A class by alias, or the default class, stays.
 */

#pragma once

#include "migrate/migrating-guest.h"
#include "policy/policy.h"

struct moved_type {
    struct name device; /* the source of the hostdev */
    const char *word;   /* the type: its name, or its id if the name is not known; borrowed */
};

struct moved_types {
    struct moved_type *items;
    size_t count;
};

/* Finds the vGPUs whose class has several types. There are none if vgpu.conf (allow) lets no
 * request say a type here, because the other host's then probably says the same. `here` is this
 * host, as /sys tells it. The caller clears ret. */
void moved_types_find(const struct migrating_guest *guest, const struct inventory *here,
                      const struct policy *policy, struct moved_types *ret) NONNULL;
void moved_types_clear(struct moved_types *types) NONNULL;

/* Puts the types into the XML with which the guest runs. 1: ret is the new XML, which the caller
 * clears; 0: there is nothing to change; else -errno with a line in error. */
int moved_types_say(const struct moved_types *types, const struct document *live,
                    struct document *ret, struct error *error) CHECKED NONNULL;
