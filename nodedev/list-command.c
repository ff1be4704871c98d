/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command.h"
#include "remote-table.h"
#include "survey.h"
#include "table.h"

enum column { DEVICE, TYPE, NAME, PARENT, GPU, STATE, DOMAIN, DOMAIN_UUID, ALIAS };

static const struct table_column columns[] = {
    [DEVICE] = {.name = "DEVICE"},
    [TYPE] = {.name = "TYPE"},
    [NAME] = {.name = "NAME"},
    [PARENT] = {.name = "PARENT"},
    [GPU] = {.name = "GPU"},
    [STATE] = {.name = "STATE"},
    [DOMAIN] = {.name = "DOMAIN"},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID"},
    [ALIAS] = {.name = "ALIAS", .extra = true},
};

static void
add_place(struct table *table, const struct survey *survey, const struct name *type,
          const struct name *parent, const struct name *gpu)
{
    const struct inventory *inventory = &survey->inventory;

    if (*type->text)
        table_set(table, TYPE, "%s", type->text);
    table_set(table, PARENT, "%s", parent->text);
    table_set(table, GPU, "%s", gpu->text);
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_type *known = inventory_find_type(&inventory->gpus[i], type);

        if (known && name_equal(&inventory->gpus[i].name, gpu))
            table_set(table, NAME, "%s", known->name);
    }
}

static void
add_owner(struct table *table, const struct lease *lease)
{
    table_set(table, STATE, "%s", lease ? lease_state_name(lease->state) : "foreign");
    if (!lease)
        return;
    table_set(table, DOMAIN, "%s", lease->domain_name);
    table_set(table, DOMAIN_UUID, "%s", lease->domain.text);
    if (*lease->alias)
        table_set(table, ALIAS, "%s", lease->alias);
}

/* What is there, then what the ledger alone knows: claims that nothing is to be seen of yet. */
static void
add_all(struct table *table, const struct survey *survey)
{
    const struct inventory *inventory = &survey->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct inventory_parent *parent = &inventory->parents[vgpu->parent];

        table_line(table);
        table_set(table, DEVICE, "%s", vgpu->device.text);
        add_place(table, survey, &vgpu->type, &parent->name, &inventory->gpus[parent->gpu].name);
        add_owner(table, ledger_find(&survey->ledger, &vgpu->device));
    }
    for (size_t i = 0; i < survey->ledger.count; i++) {
        const struct lease *lease = &survey->ledger.leases[i];

        if (inventory_find_vgpu(inventory, &lease->vgpu.device))
            continue;
        table_line(table);
        table_set(table, DEVICE, "%s", lease->vgpu.device.text);
        add_place(table, survey, &lease->vgpu.type, &lease->vgpu.parent, &lease->gpu);
        add_owner(table, lease);
    }
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(survey_clear) struct survey survey = {0};
    AUTO(table_end) struct table table = {0};

    if (call->options.uri_count)
        return remote_list(call, error);
    if (table_start(&table, "vgpus", columns, COUNT(columns), &call->options, error) < 0)
        return COMMAND_USAGE;
    if (survey_take(call->host, SURVEY_VGPUS, &survey, error) < 0)
        return COMMAND_FAILED;
    add_all(&table, &survey);
    return table_print(&table, call->out, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_list = {
    .name = "list",
    .arguments = "",
    .help = "show the vGPUs, and whose they are",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE,
    .run = run,
};
