/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host-view: one host as commands show it: this one, or one that --connect names.
 *
 * The same code shows either. Of another host there is only what its libvirt tells; what that does
 * not tell is left unset, not guessed.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/references.h"
#include "view/availability.h"

/* A vGPU, and whose it is. Borrowed from the view's other parts; strings are NULL if it is not
 * known. */
struct host_view_vgpu {
    const struct name *device, *type, *parent, *gpu;
    const char *type_name;
    const char *state; /* of its lease, or "foreign" or "orphan" */
    const char *domain, *domain_uuid, *alias;
    const struct lease *lease; /* NULL: the ledger does not know it */
};

struct host_view {
    const struct command_call *call;
    const char *label;            /* what a remote host is called; NULL: it is this one */
    bool is_remote;               /* then its policy and its ledger are empty: they are not known */
    struct snapshot snapshot;     /* with the types that were wanted */
    struct references references; /* if they were wanted; else nothing is known of domains */
    struct availability availability; /* of this host, if it was wanted */
    struct host_view_vgpu *vgpus; /* those that are there, then those that only the ledger knows, or
                                     only the guests of a remote host show */
    size_t vgpu_count;
};

/* Looks at this host, without asking libvirt. The view must stay where it is, and is cleared in
 * every case. -errno with a line in error. */
int host_view_take(struct host_view *view, const struct command_call *call,
                   const struct inventory_filter *filter, bool wants_availability,
                   struct error *error) CHECKED NONNULL;
void host_view_clear(struct host_view *view) NONNULL;

/* What is to be known of each host, and who shows it. */
struct host_views {
    const struct inventory_filter *filter; /* the types that are read in full */
    bool wants_users;                      /* whose the vGPUs are, as vgpu-users.h finds it */
    bool wants_domains;      /* all domains: what those ask for that do not run counts, too */
    bool wants_availability; /* with inventory_all_types */
    bool passes_users;       /* whose a vGPU is need not be asked of a remote host */
    /* Shows one host. -errno with a line in error; a remote host's -ENOENT, for what is to be shown
     * is not there, is a failure only if all hosts say it. */
    int (*show)(void *data, const struct host_view *view, struct error *error);
    /* When all were shown, and before failures are told; or NULL. */
    int (*end)(void *data, struct error *error);
};

/*
 * Shows this host, or those of --connect, in their order. Hosts that do not answer are told on the
 * call's faults, a line each, and the others are shown all the same; then it is -EIO with a line in
 * error. REFUSED (ERROR_USAGE) if the options make no sense.
 */
int host_views_show(const struct host_views *views, const struct command_call *call, void *data,
                    struct error *error) CHECKED NONNULL;

/* Which of its GPUs the call is about, from *first up to *end: the one that it names, or all.
 * -errno with a line in error. */
int host_view_gpus(const struct host_view *view, size_t *first, size_t *end,
                   struct error *error) CHECKED NONNULL;

/* How many more of a type a GPU would take, as availability_of says it. How many the rules of
 * another host would leave is not known: of such a host there is only the most. */
struct bounds host_view_left(const struct host_view *view, size_t gpu, size_t type) CHECKED NONNULL;

/* How many that are, for who prints it; -1: not known, as of another host. */
int64_t host_view_figure(const struct host_view *view, const struct bounds *left) CHECKED NONNULL;
