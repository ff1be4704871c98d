/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * move: migrates a domain by libvirt, and watches the migration until it is over
 * (libvirt/long-call.h). When a signal would end this process, libvirt is asked to stop the
 * migration, and the domain stays here.
 *
 * The state of a vGPU loads only into the type that the vGPU has. If the guest asks for a class,
 * the other host would choose any type of that class. So the XML that goes along says the type in
 * place of the class. The definition of the guest goes along unchanged, so its next start asks for
 * the class again. Only a <vgpu:device> can say a type. A class by alias, or the default class,
 * stays.
 *
 * The hook there changes what the domain runs with: it gets other UUIDs or other virtual functions.
 * But libvirt copies the definition unchanged (virsh migrate --persistent). So the next start would
 * want virtual functions of the old host. Therefore the definition there is changed after the move.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/connection.h"
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

struct move {
    const struct command_call *call; /* its libvirt has the domain */
    const char *to;                  /* the URI of the other libvirt */
    const struct name *domain;       /* UUID of the domain */
    const char *name;                /* name of the domain */
    const struct moved_types *types; /* what it asks for there in place of classes; NULL: nothing */
    const char *place;               /* where it runs until then, for messages; NULL: "here" */
    bool *is_signalled; /* is set if a signal came that would have ended this process; NULL: nobody
                           asks */
};

/* Returns -errno with a line in error, which also says whether the domain still runs here. Returns
 * -EBUSY, and does nothing, if the domain has a saved state: libvirt would leave that state
 * behind. */
int move_run(const struct move *move, struct error *error) CHECKED NONNULL;

/* Changes the definition so that it names the devices with which the domain runs. The aliases show
 * which vGPU is which. Returns 1 if the definition was changed. Returns 0 if there was nothing to
 * change, for example if the domain does not run or has no definition. Returns -errno with a line
 * in error. */
int move_update_definition(struct connection *there, const struct name *domain,
                           struct error *error) CHECKED NONNULL;

/* The same for a domain that need not run: its definition is to name the devices of a request. */
int move_follow_definition(struct connection *there, const struct name *domain,
                           const struct request *now, struct error *error) CHECKED NONNULL;
