/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host-view: one host as commands show it: this host, or a host that --connect names.
 *
 * The same code shows both kinds. A remote host's libvirt tells only some of the facts. The others
 * are left unset, not guessed.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/references.h"
#include "view/availability.h"

/* A vGPU and its user. It borrows from the other parts of the view. A string is NULL if it is not
 * known. */
struct host_view_vgpu {
    const struct name *device, *type, *parent, *gpu;
    const char *type_name;
    const char *state; /* of its lease, or "foreign" or "orphan" */
    const char *domain, *domain_uuid, *alias;
    const struct vgpu_interface *interface;
    const struct lease *lease; /* NULL: the vGPU is not in the ledger */
};

struct host_view {
    const struct command_call *call;
    const char *label; /* the name of a remote host; NULL: this host */
    bool is_remote;    /* then the policy and the ledger are empty, because they are not known */
    bool
        knows_policy; /* false: a remote host, or vgpu.conf has a fault; then the policy is empty */
    struct snapshot snapshot;     /* with all types, if the caller wanted them */
    struct references references; /* if the caller wanted them; else nothing is known of domains */
    struct availability availability; /* of this host's types, if the caller wanted them */
    struct host_view_vgpu *vgpus; /* first those that exist; then those only in the ledger, or only
                                     in a remote host's guests */
    size_t vgpu_count;
};

/* Reads this host without libvirt: all types, and their availability. The view must not be moved,
 * and the caller clears it in every case. Returns -errno with a line in error. */
int host_view_take(struct host_view *view, const struct command_call *call,
                   struct error *error) CHECKED NONNULL;
void host_view_clear(struct host_view *view) NONNULL;

/* Tells that the configuration has a fault, if it has one. */
void
host_view_warn_of_policy(const struct command_call *call, const struct snapshot *snapshot) NONNULL;

/* Tells what only root can know, if the answer may depend on it. `unsure` is from statedir.h. */
void host_view_warn(const struct command_call *call, const struct inventory *inventory,
                    bool unsure) NONNULL;

/* What is to be read of each host, and the functions that show it. */
struct host_views {
    bool wants_types;   /* all types in full, and their availability */
    bool wants_users;   /* the users of the vGPUs, as vgpu_walk_users finds them */
    bool wants_domains; /* all domains, also the demands of those that do not run */
    bool shows_domains; /* it fails if the libvirt of this host does not answer */
    bool passes_users;  /* users need not be asked of a remote host */
    /* Shows one host. Returns -errno with a line in error. -ENOENT means that the host does not
     * have what is to be shown. For remote hosts this is a failure only if all of them return
     * it. So the line says it of all of them. */
    int (*show)(void *data, const struct host_view *view, struct error *error);
    /* Called after all hosts were shown and before failures are printed; not if none was
     * shown. May be NULL. */
    int (*end)(void *data, struct error *error);
};

/*
 * Shows this host, or the hosts of --connect in their order. A host that does not answer gets a
 * line on the call's faults. The other hosts are shown all the same, and the function returns -EIO
 * with a line in error. It returns REFUSED (ERROR_USAGE) if the options make no sense.
 */
int host_views_show(const struct host_views *views, const struct command_call *call, void *data,
                    struct error *error) CHECKED NONNULL;

/* Finds the GPUs that the call is about, from *first up to *end: the GPU that the call names, or
 * all. Returns -errno with a line in error. */
int host_view_gpus(const struct host_view *view, size_t *first, size_t *end,
                   struct error *error) CHECKED NONNULL;

/* A remote host does not show the GPU that the call names, or none of its types. Returns -ENOENT
 * with a line in error. */
int host_view_lacks_gpu(const struct host_view *view, struct error *error) CHECKED NONNULL;

/* Which vGPUs or domains of a host a person wants to see: those of a GPU, or those of a domain. */
struct host_view_choice {
    const char *word;                /* that was typed; NULL: everything is shown */
    const struct inventory_gpu *gpu; /* that it means; NULL: it means a domain */
};

/* Reads the first argument of the call. Returns -ENOTUNIQ with a line in error if it may mean
 * several GPUs. */
int host_view_choose(const struct host_view *view, struct host_view_choice *ret,
                     struct error *error) CHECKED NONNULL;

/* Whether something on a GPU, of a domain, is wanted. Each may be NULL: it is not known. */
bool host_view_choice_has(const struct host_view_choice *choice, const char *gpu,
                          const char *domain, const char *uuid) CHECKED __attribute__((nonnull(1)));

/* Nothing was found. Returns 0 if that is the answer: everything is wanted, or the vGPUs of a GPU
 * that is there. Else -ENOENT with a line in error. */
int
host_view_choice_miss(const struct host_view_choice *choice, struct error *error) CHECKED NONNULL;

/* Returns how many more vGPUs of a type its GPU would take, as availability_of does. Without the
 * policy only the maximum is known. */
struct bounds
host_view_left(const struct host_view *view, const struct inventory_type *type) CHECKED NONNULL;

/* Makes the demands of a definition. There are none without the policy, or if the request has a
 * fault: then only the XML says what the definition asks for. The caller clears ret. */
void host_view_demands(const struct host_view *view, const struct request *request,
                       struct demands *ret) NONNULL;

/* Returns the number to print. Returns -1 if the number is not known, for example without the
 * policy. */
int64_t host_view_figure(const struct host_view *view, const struct bounds *left) CHECKED NONNULL;

/* Returns the colour of a vGPU's state, the same in pictures and in tables. NULL: the state is not
 * known. */
enum terminal_colour host_view_colour(const char *state) CHECKED;
