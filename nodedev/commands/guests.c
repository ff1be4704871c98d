/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/array.h"
#include "commands/commands.h"
#include "commands/host-table.h"

#include <string.h>

enum column { DOMAIN, DOMAIN_UUID, RUNNING, ALIAS, WANTED, DEVICE, NAME, GPU, STATE, LIVE, CONFIG };

static const struct table_column columns[] = {
    [DOMAIN] = {.name = "DOMAIN", .cuts = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .extra = true},
    [RUNNING] = {.name = "RUNNING", .kind = TABLE_FLAG},
    [ALIAS] = {.name = "ALIAS", .drop = 3},
    [WANTED] = {.name = "WANTED"},
    [DEVICE] = {.name = "DEVICE", .drop = 1},
    [NAME] = {.name = "NAME", .drop = 4, .cuts = true},
    [GPU] = {.name = "GPU", .drop = 5},
    [STATE] = {.name = "STATE", .colour = host_view_colour, .drop = 2},
    [LIVE] = {.name = "LIVE", .kind = TABLE_FLAG, .extra = true},
    [CONFIG] = {.name = "CONFIG", .kind = TABLE_FLAG, .extra = true},
};

/* The lines of one domain. */
struct guest {
    struct table *table;
    const struct host_view *view;
    const struct host_view_choice *choice;
    const struct domain *domain;
    size_t lines;
};

static void
begin_line(struct guest *guest)
{
    const struct domain *domain = guest->domain;

    table_line(guest->table);
    table_set_text(guest->table, DOMAIN, domain->name);
    table_set(guest->table, DOMAIN_UUID, "%s", domain->uuid.text);
    table_set_flag(guest->table, RUNNING, domain->is_running);
    guest->lines++;
}

/* What the domain has now of a host device, or NULL. */
static const struct host_view_vgpu *
find_vgpu(const struct guest *guest, const struct name *device)
{
    return ARRAY_FIND(guest->view->vgpus, guest->view->vgpu_count, vgpu,
                      name_equal(vgpu->device, device) && vgpu->domain_uuid &&
                          !strcmp(vgpu->domain_uuid, guest->domain->uuid.text));
}

/* What a host device is to be, as far as the XML and the configuration say it; else NULL. */
static const char *
find_wanted(const struct request *request, const struct demands *demands,
            const struct request_hostdev *hostdev)
{
    const struct demand *demand =
        ARRAY_FIND(demands->items, demands->count, each, each->hostdev == hostdev);
    char *const *said =
        hostdev->device == SIZE_MAX ? NULL : request->devices[hostdev->device].attributes.said;

    if (demand)
        return demand->wanted;
    return !said ? NULL : said[ATTRIBUTE_TYPE] ? said[ATTRIBUTE_TYPE] : said[ATTRIBUTE_CLASS];
}

static void
add_hostdev(struct guest *guest, const struct request *request, const struct demands *demands,
            const struct request_hostdev *hostdev)
{
    const struct domain *domain = guest->domain;
    const struct host_view_vgpu *vgpu = find_vgpu(guest, &hostdev->source);
    const char *wanted = find_wanted(request, demands, hostdev);
    struct table *table = guest->table;

    if ((!wanted && !vgpu && hostdev->kind != REQUEST_MDEV) ||
        !host_view_choice_has(guest->choice, vgpu ? vgpu->gpu->text : NULL, domain->name,
                              domain->uuid.text))
        return;
    begin_line(guest);
    table_set_text(table, ALIAS, hostdev->alias ? hostdev->alias : "");
    table_set_text(table, WANTED, wanted ? wanted : "");
    table_set_text(table, DEVICE, hostdev->source.text);
    table_set_flag(table, LIVE, request_find_hostdev(&domain->live, &hostdev->source) != NULL);
    table_set_flag(table, CONFIG, request_find_hostdev(&domain->config, &hostdev->source) != NULL);
    table_set_text(table, NAME, vgpu ? vgpu->type_name : "");
    table_set_text(table, GPU, vgpu ? vgpu->gpu->text : "");
    table_set_text(table, STATE, vgpu ? vgpu->state : "");
}

/* Adds a domain that has no vGPU. */
static void
add_nothing(struct guest *guest)
{
    begin_line(guest);
    for (enum column column = ALIAS; column <= CONFIG; column++)
        table_set_none(guest->table, column);
}

/* Adds the host devices of one definition, without those that `other` has as well. */
static void
add_definition(struct guest *guest, const struct request *request, const struct request *other)
{
    AUTO(demands_clear) struct demands demands = {0};

    host_view_demands(guest->view, request, &demands);
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (hostdev->is_gpu && !(other && request_find_hostdev(other, &hostdev->source)))
            add_hostdev(guest, request, &demands, hostdev);
    }
}

static int
add_to_guests(struct table *table, const struct host_view *view, struct error *error)
{
    const struct domains *domains = &view->references.domains;
    struct host_view_choice choice;
    size_t count = 0;
    int rc = host_view_choose(view, &choice, error);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->items[i];
        struct guest guest = {table, view, &choice, domain, 0};

        add_definition(&guest, &domain->live, NULL);
        add_definition(&guest, &domain->config, &domain->live);
        if (guest.lines == 0 && !domain->is_unread &&
            option_given(&view->call->options, OPTION_ALL) &&
            host_view_choice_has(&choice, NULL, domain->name, domain->uuid.text))
            add_nothing(&guest);
        count += guest.lines;
    }
    return count ? 0 : host_view_choice_miss(&choice, error);
}

static enum command_status
run_guests(const struct command_call *call, struct error *error)
{
    const struct host_table rows = {
        .name = "guests",
        .columns = columns,
        .count = COUNT(columns),
        .empty = call->count ? "no domain has or asks for a vGPU there"
                             : "no domain on this host has or asks for a vGPU",
        .empty_remote = "no domain has or asks for a vGPU, as far as libvirt tells",
        .views = {.wants_domains = true, .shows_domains = true},
        .add = add_to_guests};

    return host_table_show(&rows, call, error);
}

const struct command command_guests = {
    .name = "guests",
    .arguments = "[GPU|DOMAIN]",
    .help = "show the domains that have or ask for vGPUs",
    .example = "vgpuctl guests 3b:00.0",
    .page = "vgpuctl-show",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE |
               OPTION_BITS_WATCH | OPTION_BIT(OPTION_COLOR) | OPTION_BIT(OPTION_ALL),
    .option_help = {[OPTION_ALL] = "show domains without vGPUs, too"},
    .run = run_guests,
};
