/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/array.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/host-table.h"
#include "device/maxima.h"
#include "device/type-name.h"
#include "placement/demand.h"

#include <string.h>

enum column {
    GPU,
    TYPE,
    NAME,
    FRAMEBUFFER,
    HEADS,
    RESOLUTION,
    MAX,
    AVAILABLE,
    AT_MOST,
    SLICES,
    CLASSES,
    MAX_FROM
};

static const struct table_column columns[] = {
    [GPU] = {.name = "GPU"},
    [TYPE] = {.name = "TYPE", .drop = 3, .same_as = "NAME"},
    [NAME] = {.name = "NAME"},
    [FRAMEBUFFER] = {.name = "FRAMEBUFFER", .kind = TABLE_NUMBER, .drop = 7},
    [HEADS] = {.name = "HEADS", .kind = TABLE_NUMBER, .drop = 2},
    [RESOLUTION] = {.name = "RESOLUTION", .drop = 1},
    [MAX] = {.name = "MAX", .kind = TABLE_NUMBER, .drop = 6},
    [AVAILABLE] = {.name = "AVAILABLE", .kind = TABLE_NUMBER, .drop = 9},
    [AT_MOST] = {.name = "AVAILABLE-AT-MOST",
                 .kind = TABLE_NUMBER,
                 .drop = 5,
                 .same_as = "AVAILABLE"},
    [SLICES] = {.name = "SLICES", .kind = TABLE_NUMBER, .drop = 4},
    [CLASSES] = {.name = "CLASSES", .kind = TABLE_LIST, .extra = true},
    [MAX_FROM] = {.name = "MAX-FROM", .extra = true},
};

/* Adds the names of all classes that the type satisfies, separated by commas. */
static void
add_classes(struct table *table, const struct policy *policy, const struct inventory_type *type)
{
    char names[512];
    struct text list = text_on(names, sizeof(names));

    for (size_t i = 0; table_shows(table, CLASSES) && i < policy->class_count; i++) {
        if (demand_class_has(&policy->classes[i], type))
            text_join(&list, ",", "%s", policy->classes[i].name);
    }
    table_set_text(table, CLASSES, names);
}

static void
add_type(struct table *table, const struct host_view *view, const struct inventory_type *type,
         const struct bounds *left)
{
    table_line(table);
    table_set(table, GPU, "%s", type->gpu->name.text);
    table_set(table, TYPE, "%s", type->id.text);
    table_set(table, NAME, "%s", type->name);
    table_set_known(table, FRAMEBUFFER, type->framebuffer);
    table_set_known(table, HEADS, type->heads);
    table_set_text(table, RESOLUTION, *type->resolution ? type->resolution : NULL);
    table_set_known(table, MAX, type->max);
    table_set_figure(table, AVAILABLE, host_view_figure(view, left));
    if (type->slices)
        table_set(table, SLICES, "%u", type->slices);
    else
        table_set_none(table, SLICES);
    table_set_figure(table, AT_MOST, bounds_most(left));
    if (view->knows_policy)
        add_classes(table, &view->snapshot.policy, type);
    table_set_text(table, MAX_FROM, type->max ? maxima_sources[type->max_source] : "");
}

/* Whether a type is one that --type means, and whether there may be room, if --available wants
 * that. */
static bool
is_wanted(const struct options *options, const struct inventory_type *type,
          const struct bounds *left)
{
    const char *word = options->values[OPTION_TYPE];

    return (!word || type_name_matches(type, word)) &&
           (!option_given(options, OPTION_AVAILABLE) || left->most != 0);
}

static int
by_id(const void *a, const void *b)
{
    const struct inventory_type *const *left = a, *const *right = b;

    return strverscmp((*left)->id.text, (*right)->id.text);
}

/* Sorts the types by their numbers. The inventory has them in the order in which they were
 * found. */
static void
add_types(struct table *table, const struct host_view *view, const struct inventory_gpu *gpu)
{
    AUTO_FREE const struct inventory_type **order =
        memory_zeroed(gpu->type_count, sizeof(const void *));

    for (size_t i = 0; i < gpu->type_count; i++)
        order[i] = &gpu->types[i];
    qsort(order, gpu->type_count, sizeof(const void *), by_id);
    for (size_t i = 0; i < gpu->type_count; i++) {
        struct bounds left = host_view_left(view, order[i]);

        if (is_wanted(&view->call->options, order[i], &left))
            add_type(table, view, order[i], &left);
    }
}

/* Refuses a type that none of the GPUs has. */
static int
check_type(const struct host_view *view, size_t first, size_t end, struct error *error)
{
    const char *word = view->call->options.values[OPTION_TYPE];

    if (!word)
        return 0;
    for (size_t i = first; i < end; i++) {
        const struct inventory_gpu *gpu = view->snapshot.inventory.gpus[i];

        if (ARRAY_HAS(gpu->types, gpu->type_count, type, type_name_matches(type, word)))
            return 0;
    }
    return error_set(error, -ENOENT,
                     "no GPU has the type \"%s\"; without --type, all types are listed", word);
}

static int
add_to_types(struct table *table, const struct host_view *view, struct error *error)
{
    const struct inventory *inventory = &view->snapshot.inventory;
    size_t first, end;
    int rc = host_view_gpus(view, &first, &end, error);

    /* libvirt may show a GPU but none of its types. */
    if (rc == 0 && view->call->count && view->is_remote && inventory->gpus[first]->type_count == 0)
        return host_view_lacks_gpu(view, error);
    for (size_t gpu = first; rc == 0 && gpu < end; gpu++)
        add_types(table, view, inventory->gpus[gpu]);
    return rc < 0 ? rc : check_type(view, first, end, error);
}

static enum command_status
run_types(const struct command_call *call, struct error *error)
{
    bool only_some =
        option_given(&call->options, OPTION_TYPE) || option_given(&call->options, OPTION_AVAILABLE);
    const struct host_table rows = {
        .name = "types",
        .columns = columns,
        .count = COUNT(columns),
        .empty = only_some ? "there is room for none of these types"
                           : "no GPU on this host offers vGPUs; see 'vgpuctl doctor'",
        .empty_remote = only_some ? "there is room for none of these types, as far as libvirt tells"
                                  : "no GPU there offers vGPUs, as far as libvirt tells",
        .views = {.wants_types = true, .passes_users = true},
        .add = add_to_types};

    return host_table_show(&rows, call, error);
}

const struct command command_types = {
    .name = "types",
    .arguments = "[GPU]",
    .help = "show the types of vGPUs, and how many more there is room for",
    .example = "vgpuctl types --available --sort -FRAMEBUFFER",
    .page = "vgpuctl-show",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_TYPE) | OPTION_BIT(OPTION_AVAILABLE) |
               OPTION_BIT(OPTION_SORT) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE | OPTION_BITS_WATCH,
    .run = run_types,
};
