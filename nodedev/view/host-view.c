/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/host-view.h"
#include "base/array.h"
#include "cli/say.h"
#include "device/vgpu.h"
#include "libvirt/remote.h"
#include "view/host-snapshot.h"
#include "view/vgpu-walk.h"

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

/* Not in a ledger: then libvirt may know who uses it. */
static void
set_user(const struct host_view *view, struct host_view_vgpu *vgpu)
{
    const struct domain *domain = domains_next_user(&view->references.domains, vgpu->device, NULL);

    /* That it is not in the ledger of its own host is not known of a remote one. */
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
        .type_name = host_snapshot_type_name(&view->snapshot, walk->gpu, walk->type),
    };

    if (walk->lease)
        set_lease(&vgpu, walk->lease);
    else
        set_user(view, &vgpu);
    if (walk->vgpu && references_is_orphan(&view->references, walk->vgpu, walk->lease))
        vgpu.state = "orphan";
    ARRAY_ADD(view->vgpus, view->vgpu_count, vgpu);
}

/* A remote host's virtual function that makes no mediated devices, if a running guest has it: it
 * has a type, or QEMU would not have got it. */
static void
add_function(struct host_view *view, const struct name *device)
{
    static const struct name untold;
    const struct inventory *inventory = &view->snapshot.inventory;
    struct host_view_vgpu vgpu = {.device = device, .type = &untold, .parent = device};
    size_t index;

    if (!inventory_find_parent(inventory, device, &index) || inventory->parents[index].interface)
        return;
    vgpu.gpu = &inventory->gpus[inventory->parents[index].gpu].name;
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

/* Of several hosts without an answer each has its line; of one alone it is the command's. */
static int
tell_failures(const struct command_call *call, const struct remote_hosts *hosts,
              struct error *error)
{
    size_t failures = remote_failures(hosts);

    if (failures == 0)
        return 0;
    if (hosts->count == 1)
        return error_set(error, -EIO, "%s", hosts->items[0].failure.text);
    for (size_t i = 0; i < hosts->count; i++) {
        if (*hosts->items[i].failure.text)
            say_line(call->faults, "vgpuctl: %s", hosts->items[i].failure.text);
    }
    return error_set(error, -EIO, "%zu of %zu hosts gave no answer", failures, hosts->count);
}

/* Everything here is the answer's own; the view borrows it. */
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
    size_t without = 0;
    const struct remote_question question = {
        options->uris, options->uri_count,
        views->passes_users ? CONNECTION_DEVICES : CONNECTION_ALL, seconds};
    int rc = remote_ask(call->host, &question, &hosts, error);

    for (size_t i = 0; rc == 0 && i < hosts.count; i++) {
        if (!*hosts.items[i].failure.text)
            rc = show_remote(views, call, &hosts.items[i], data, error);
        without += rc == -ENOENT;
        rc = rc == -ENOENT ? 0 : rc;
    }
    if (rc == 0)
        rc = views->end(data, error);
    if (rc == 0 && without == hosts.count)
        return error_set(error, -ENOENT, "no host has a GPU \"%s\" whose types libvirt tells",
                         call->arguments[0]);
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

/* All but its vGPUs. */
static int
look(struct host_view *view, const struct command_call *call, const struct inventory_filter *filter,
     bool wants_availability, struct error *error)
{
    int rc;

    *view = (struct host_view){.call = call, .references = {.statedir = STATEDIR_CLOSED}};
    rc = snapshot_take(&view->snapshot, call->host, filter, error);
    if (rc == 0 && wants_availability)
        availability_init(&view->availability, call->host, &view->snapshot);
    return rc;
}

int
host_view_take(struct host_view *view, const struct command_call *call,
               const struct inventory_filter *filter, bool wants_availability, struct error *error)
{
    int rc = look(view, call, filter, wants_availability, error);

    if (rc == 0)
        list_vgpus(view);
    return rc;
}

static int
show_own(const struct host_views *views, const struct command_call *call, void *data,
         struct error *error)
{
    AUTO(host_view_clear) struct host_view view;
    struct error failure;
    int rc = look(&view, call, views->filter, views->wants_availability, error);

    if (rc < 0)
        return rc;
    /* All but orphans can be shown without libvirt. */
    if (views->wants_references && call->uri &&
        references_ask(call->host, call->uri, &view.references, &failure) < 0)
        say_line(call->faults, "vgpuctl: %s: %s; so orphans are not told from others", call->name,
                 failure.text);
    list_vgpus(&view);
    rc = views->show(data, &view, error);
    return rc < 0 ? rc : views->end(data, error);
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
host_view_available(const struct host_view *view, size_t gpu, size_t type, int *at_most)
{
    *at_most = inventory_at_most(&view->snapshot.inventory, gpu, type);
    /* How many more the others' rules would leave is not known of a remote host. */
    return view->is_remote ? -ENODATA : availability_of(&view->availability, gpu, type, at_most);
}
