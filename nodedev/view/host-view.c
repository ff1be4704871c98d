/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/host-view.h"
#include "base/array.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "device/vgpu.h"
#include "libvirt/remote.h"
#include "placement/resolution.h"
#include "view/gpu-view.h"
#include "view/vgpu-walk.h"

#include <string.h>

static const char *
known(const char *text)
{
    return text && *text ? text : NULL;
}

static void
set_lease(struct host_view_vgpu *vgpu, const struct lease *lease)
{
    vgpu->lease = lease;
    vgpu->state = lease_state_name(lease->state);
    if (lease_is_nobodys(lease))
        return;
    vgpu->domain = lease->domain_name;
    vgpu->domain_uuid = lease->domain.text;
    vgpu->alias = known(lease->alias);
}

/* For a vGPU without a lease, libvirt may know which domain uses it. */
static void
set_user(const struct host_view *view, struct host_view_vgpu *vgpu)
{
    const struct domain *domain = domains_next_user(&view->references.domains, vgpu->device, NULL);

    /* The ledger of a remote host is not known, so a vGPU there may have a lease. */
    if (!view->is_remote)
        vgpu->state = "foreign";
    if (!domain)
        return;
    vgpu->domain = domain->name;
    vgpu->domain_uuid = domain->uuid.text;
    vgpu->alias = known(domain_alias(domain, vgpu->device));
}

static void
add_walked(struct host_view *view, const struct vgpu_walk *walk)
{
    struct host_view_vgpu vgpu = {
        .device = walk->device,
        .type = walk->type,
        .parent = walk->parent,
        .gpu = walk->gpu,
        .interface = walk->interface,
        .type_name = gpu_view_type_name(&view->snapshot, walk->gpu, walk->type),
    };

    if (walk->lease)
        set_lease(&vgpu, walk->lease);
    else
        set_user(view, &vgpu);
    if (walk->vgpu && references_is_orphan(&view->references, walk->vgpu, walk->lease))
        vgpu.state = "orphan";
    ARRAY_ADD(view->vgpus, view->vgpu_count, vgpu);
}

/* Adds a virtual function of a remote host that makes no mediated devices, if a running guest has
 * it. The function then has a type, because QEMU would not have got it without one. */
static void
add_function(struct host_view *view, const struct name *device)
{
    static const struct name untold;
    const struct inventory_parent *function =
        inventory_find_parent(&view->snapshot.inventory, device);
    struct host_view_vgpu vgpu = {.device = device, .type = &untold, .parent = device};

    if (!function || function->interface->hostdev != REQUEST_PCI)
        return;
    vgpu.gpu = &function->gpu->name;
    set_user(view, &vgpu);
    ARRAY_ADD(view->vgpus, view->vgpu_count, vgpu);
}

static void
list_vgpus(struct host_view *view)
{
    const struct domains *domains = &view->references.domains;
    struct vgpu_walk walk = {.ledger = &view->snapshot.ledger,
                             .inventory = &view->snapshot.inventory};

    while (vgpu_walk_next(&walk))
        add_walked(view, &walk);
    for (size_t i = 0; view->is_remote && i < domains->count; i++) {
        const struct request *live = &domains->items[i].live;

        for (size_t k = 0; k < live->hostdev_count; k++)
            add_function(view, &live->hostdevs[k].source);
    }
}

/* If several hosts were asked, each failure is printed on a line of its own. If one host was asked,
 * its failure is the failure of the command. */
static int
tell_failures(const struct command_call *call, const struct remote_hosts *hosts,
              struct error *error)
{
    size_t failures = 0;

    for (size_t i = 0; i < hosts->count; i++) {
        const struct error *failure = &hosts->items[i].failure;

        if (!*failure->text)
            continue;
        if (hosts->count == 1)
            return error_set(error, -EHOSTUNREACH, "%s", failure->text);
        failures++;
        say_line(call->faults, "vgpuctl: %s", failure->text);
        reply_fail(call, failure);
    }
    return failures ? error_set(error, -EHOSTUNREACH, "%zu of %zu hosts gave no answer", failures,
                                hosts->count)
                    : 0;
}

/* The view borrows everything from the answer. */
static int
show_remote(const struct host_views *views, const struct command_call *call,
            const struct remote_host *host, void *data, struct error *error)
{
    struct host_view view = {
        .call = call,
        .label = host->label,
        .is_remote = true,
        .snapshot = {.inventory = host->inventory},
        .references = {.domains = host->domains,
                       .known = host->domains.complete,
                       .statedir = STATEDIR_CLOSED},
    };
    int rc;

    list_vgpus(&view);
    rc = views->show(data, &view, error);
    free(view.vgpus);
    return rc;
}

static int
show_remotes(const struct host_views *views, const struct command_call *call, unsigned seconds,
             void *data, struct error *error)
{
    const struct options *options = &call->options;
    AUTO(remote_clear) struct remote_hosts hosts = {0};
    size_t shown = 0, without = 0;
    const struct remote_question question = {
        options->uris, options->uri_count,
        views->passes_users ? CONNECTION_DEVICES : CONNECTION_ALL, seconds};
    int rc = remote_ask(call->host, &question, &hosts, error);

    for (size_t i = 0; rc == 0 && i < hosts.count; i++) {
        if (*hosts.items[i].failure.text)
            continue;
        rc = show_remote(views, call, &hosts.items[i], data, error);
        shown += rc == 0;
        without += rc == -ENOENT;
        rc = rc == -ENOENT ? 0 : rc;
    }
    if (rc == 0 && views->end && shown)
        rc = views->end(data, error);
    if (rc == 0 && without == hosts.count)
        return -ENOENT; /* as the last host said */
    return rc < 0 ? rc : tell_failures(call, &hosts, error);
}

void
host_view_clear(struct host_view *view)
{
    free(view->vgpus);
    availability_clear(&view->availability);
    references_clear(&view->references);
    snapshot_clear(&view->snapshot);
}

void
host_view_warn_of_policy(const struct command_call *call, const struct snapshot *snapshot)
{
    if (*snapshot->policy_fault.text)
        reply_warn(call, snapshot->policy_fault.class, "%s", snapshot->policy_fault.text);
}

void
host_view_warn(const struct command_call *call, const struct inventory *inventory, bool unsure)
{
    if (unsure)
        reply_warn(call, ERROR_DENIED,
                   "whether somebody is at work on a vGPU that is being made or removed is not "
                   "known: only root can read /run/libvirt-vgpu/claims");
    if (inventory->hides_users)
        reply_warn(call, ERROR_DENIED,
                   "whether a process has a free virtual function open is not known: only root "
                   "can read /proc/PID/fd of all processes");
}

/* Fills in everything but the vGPUs. */
static int
look(struct host_view *view, const struct command_call *call, bool wants_types, struct error *error)
{
    const struct inventory_filter *filter =
        wants_types ? &inventory_all_types : &inventory_no_types;
    int rc;

    *view = (struct host_view){.call = call, .references = {.statedir = STATEDIR_CLOSED}};
    rc = snapshot_take_to_show(&view->snapshot, call->host, filter, error);
    host_view_warn_of_policy(call, &view->snapshot);
    view->knows_policy = !*view->snapshot.policy_fault.text;
    if (rc < 0 || !wants_types)
        return rc;
    availability_init(&view->availability, call->host, &view->snapshot);
    host_view_warn(call, &view->snapshot.inventory, view->availability.is_unsure);
    return 0;
}

int
host_view_take(struct host_view *view, const struct command_call *call, struct error *error)
{
    int rc = look(view, call, true, error);

    if (rc == 0)
        list_vgpus(view);
    return rc;
}

/* With --root there is no libvirt: then the status files tell which guests run. */
static int
find_users(const struct host_views *views, const struct command_call *call, struct host_view *view,
           struct error *error)
{
    if (!call->uri)
        return views->wants_domains ? references_look(call->host, &view->references, error) : 0;
    if (views->wants_domains)
        return references_ask(call->host, call->uri, &view->references, error);
    if (views->wants_users)
        return vgpu_walk_users(call->host, call->uri, &view->snapshot, &view->references, error);
    return 0;
}

/* Without libvirt, orphans cannot be told from others, and domains cannot be shown. One domain that
 * cannot be read does not hide the others. */
static int
ask_users(const struct host_views *views, const struct command_call *call, struct host_view *view,
          struct error *error)
{
    struct error failure;
    int rc = find_users(views, call, view, &failure);

    if (rc == 0)
        return 0;
    if (!views->shows_domains)
        error_add(&failure, "so no vGPU is shown as an orphan");
    else if (!*view->references.domains.failure.text) {
        *error = failure;
        return rc;
    }
    reply_warn(call, ERROR_NO_LIBVIRT, "%s", failure.text);
    return 0;
}

static int
show_own(const struct host_views *views, const struct command_call *call, void *data,
         struct error *error)
{
    AUTO(host_view_clear) struct host_view view;
    int rc = look(&view, call, views->wants_types, error);

    if (rc == 0)
        rc = ask_users(views, call, &view, error);
    if (rc == 0) {
        list_vgpus(&view);
        rc = views->show(data, &view, error);
    }
    return rc < 0 || !views->end ? rc : views->end(data, error);
}

int
host_views_show(const struct host_views *views, const struct command_call *call, void *data,
                struct error *error)
{
    const struct options *options = &call->options;
    unsigned seconds;
    int rc = options_timeout(options, &seconds, error);

    if (rc == 0 && options->uri_count && option_given(options, OPTION_ROOT))
        rc = error_refuse(error, ERROR_USAGE,
                          "--root is this machine's, --connect another's: one of them");
    if (rc < 0)
        return rc;
    return options->uri_count ? show_remotes(views, call, seconds, data, error)
                              : show_own(views, call, data, error);
}

int
host_view_lacks_gpu(const struct host_view *view, struct error *error)
{
    return error_set(error, -ENOENT, "no host has a GPU \"%s\" whose types libvirt tells",
                     view->call->arguments[0]);
}

int
host_view_gpus(const struct host_view *view, size_t *first, size_t *end, struct error *error)
{
    const struct inventory_gpu *gpu;
    int rc;

    *first = 0;
    *end = view->snapshot.inventory.gpu_count;
    if (view->call->count == 0)
        return 0;
    rc = gpu_view_find(&view->snapshot, view->is_remote ? NULL : view->call->host,
                       view->call->arguments[0], &gpu, error);
    if (rc == -ENOENT && view->is_remote)
        return host_view_lacks_gpu(view, error);
    if (rc == 0) {
        *first = gpu->index;
        *end = gpu->index + 1;
    }
    return rc;
}

int
host_view_choose(const struct host_view *view, struct host_view_choice *ret, struct error *error)
{
    int rc;

    *ret = (struct host_view_choice){.word = view->call->count ? view->call->arguments[0] : NULL};
    if (!ret->word)
        return 0;
    rc = gpu_view_find(&view->snapshot, NULL, ret->word, &ret->gpu, error);
    if (rc != -ENOENT)
        return rc;
    *error = (struct error){0}; /* the word means a domain, and that is no failure */
    return 0;
}

bool
host_view_choice_has(const struct host_view_choice *choice, const char *gpu, const char *domain,
                     const char *uuid)
{
    if (!choice->word)
        return true;
    if (choice->gpu)
        return gpu && !strcmp(gpu, choice->gpu->name.text);
    return (domain && !strcmp(domain, choice->word)) || (uuid && !strcasecmp(uuid, choice->word));
}

int
host_view_choice_miss(const struct host_view_choice *choice, struct error *error)
{
    if (!choice->word || choice->gpu)
        return 0;
    return error_set(
        error, -ENOENT,
        "no GPU and no domain with a vGPU is called \"%s\"; 'vgpuctl gpus' and 'vgpuctl "
        "guests' list them",
        choice->word);
}

/* Returns what the parents of a GPU offer. A remote libvirt tells no more, and without its policy a
 * host may give less. */
static struct bounds
left_at_most(const struct inventory_type *type)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    struct bounds left;

    gpu_load_init(&load, type->gpu, LOAD_NOW);
    left = gpu_room_left(&load, type, NULL);
    return (struct bounds){0, left.why == ROOM_UNREADABLE ? BOUNDS_ANY : left.most, ROOM_UNTOLD, 0};
}

struct bounds
host_view_left(const struct host_view *view, const struct inventory_type *type)
{
    return view->knows_policy ? availability_of(&view->availability, type) : left_at_most(type);
}

void
host_view_demands(const struct host_view *view, const struct request *request, struct demands *ret)
{
    struct error ignored;

    *ret = (struct demands){0};
    if (!view->knows_policy || request_check(request, &ignored) < 0 ||
        resolution_make(request, &view->snapshot.policy, ret, &ignored) < 0)
        demands_clear(ret);
}

int64_t
host_view_figure(const struct host_view *view, const struct bounds *left)
{
    return view->knows_policy ? bounds_figure(left) : -1;
}

enum terminal_colour
host_view_colour(const char *state)
{
    static const struct {
        const char *state;
        enum terminal_colour colour;
    } rows[] = {
        {"held", TERMINAL_GREEN},     {"kept", TERMINAL_BLUE},       {"foreign", TERMINAL_MAGENTA},
        {"orphan", TERMINAL_RED},     {"pending", TERMINAL_YELLOW},  {"reserved", TERMINAL_YELLOW},
        {"leaving", TERMINAL_YELLOW}, {"removing", TERMINAL_YELLOW},
    };

    for (size_t i = 0; state && i < COUNT(rows); i++) {
        if (!strcmp(rows[i].state, state))
            return rows[i].colour;
    }
    return TERMINAL_GREEN;
}
