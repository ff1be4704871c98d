/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/drain.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "migrate/relocation.h"
#include "view/gpu-view.h"
#include "view/vgpu-walk.h"

#include <stdio.h>
#include <string.h>

/* --- what is there ---------------------------------------------------------------------------- */

/* A guest, or a vGPU that no guest has. */
struct occupant {
    struct name domain;    /* UUID; "": no guest's */
    char name[256];        /* of the guest, or what it is */
    unsigned framebuffer;  /* MiB, of its vGPUs on the GPUs */
    bool stays;            /* it cannot move, or may not */
    const char *result;    /* a word of relocation_words; "": nothing was tried */
    struct names from, to; /* GPUs */
    struct error why;      /* why it stays, or is where it is */
};

struct evacuation {
    const struct command_call *call;
    struct names gpus;
    struct occupant *items;
    size_t count;
    struct snapshot snapshot; /* its ledger gets the places that are foreseen */
    bool is_signalled;        /* nothing more is begun */
};

static void
evacuation_clear(struct evacuation *evacuation)
{
    for (size_t i = 0; i < evacuation->count; i++) {
        names_clear(&evacuation->items[i].from);
        names_clear(&evacuation->items[i].to);
    }
    free(evacuation->items);
    names_clear(&evacuation->gpus);
    snapshot_clear(&evacuation->snapshot);
}

static struct occupant *
find(struct evacuation *evacuation, const struct lease *lease)
{
    return lease ? ARRAY_FIND(evacuation->items, evacuation->count, item,
                              *item->domain.text && name_equal(&item->domain, &lease->domain))
                 : NULL;
}

/* Only a guest that has its vGPU can move. What else there is goes by 'vgpuctl reap'. */
static void
add(struct evacuation *evacuation, const struct vgpu_walk *walk)
{
    const struct lease *lease = walk->lease;
    const bool is_held = lease && lease->state == LEASE_HELD;
    struct occupant *item = is_held ? find(evacuation, lease) : NULL;

    if (!item) {
        struct occupant added = {.stays = !is_held, .result = ""};

        if (is_held)
            added.domain = lease->domain;
        snprintf(added.name, sizeof(added.name), "%s",
                 lease && !lease_is_nobodys(lease) ? lease->domain_name : "");
        if (!is_held)
            error_set(&added.why, 0, "%s is %s", walk->device->text,
                      lease ? lease_state_name(lease->state) : "none of ours");
        ARRAY_ADD(evacuation->items, evacuation->count, added);
        item = &evacuation->items[evacuation->count - 1];
    }
    item->framebuffer += lease ? lease->framebuffer : 0;
    names_append_new(&item->from, walk->gpu);
}

/* The largest first: it is the hardest to place. */
static int
by_size(const void *a, const void *b)
{
    const struct occupant *left = a, *right = b;

    if (left->framebuffer != right->framebuffer)
        return left->framebuffer < right->framebuffer ? 1 : -1;
    return strcmp(left->name, right->name);
}

static int
look(struct evacuation *evacuation, struct error *error)
{
    struct snapshot *snapshot = &evacuation->snapshot;
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};
    int rc = snapshot_take_to_show(snapshot, evacuation->call->host, &inventory_all_types, error);

    if (rc < 0)
        return rc;
    while (vgpu_walk_next(&walk)) {
        if (names_has(&evacuation->gpus, walk.gpu))
            add(evacuation, &walk);
    }
    if (evacuation->count)
        qsort(evacuation->items, evacuation->count, sizeof(*evacuation->items), by_size);
    return 0;
}

static int
find_gpus(struct evacuation *evacuation, struct error *error)
{
    const struct command_call *call = evacuation->call;
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take_to_show(&snapshot, call->host, &inventory_no_types, error);

    for (size_t i = 0; i < call->count && rc == 0; i++) {
        const struct inventory_gpu *gpu;

        rc = gpu_view_find(&snapshot, call->host, call->arguments[i], &gpu, error);
        if (rc == 0)
            names_append(&evacuation->gpus, &gpu->name);
    }
    return rc;
}

/* --- one guest -------------------------------------------------------------------------------- */

/* Where its vGPUs are now, or would be: by the leases from `first` on. NULL: whoever has them. */
static void
add_places(struct occupant *item, const struct ledger *ledger, size_t first,
           const struct name *domain)
{
    for (size_t i = first; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (!domain || name_equal(&lease->domain, domain))
            names_append_new(&item->to, &lease->gpu);
    }
}

static void
foresee(struct evacuation *evacuation, struct occupant *item, struct domain_source *source)
{
    const struct names any = {0};
    const struct relocation relocation = {
        .call = source->call, .source = source, .left = &evacuation->gpus, .only = &any};
    const size_t count = evacuation->snapshot.ledger.count;

    if (relocation_foresee(&relocation, &evacuation->snapshot, &item->why) < 0)
        item->stays = true;
    else
        add_places(item, &evacuation->snapshot.ledger, count, NULL);
}

/* A guest without a place, or that cannot be saved, stays where it was. */
static void
move(struct evacuation *evacuation, struct occupant *item, struct domain_source *source)
{
    const struct names any = {0};
    const struct relocation relocation = {.call = source->call,
                                          .source = source,
                                          .left = &evacuation->gpus,
                                          .only = &any,
                                          .is_signalled = &evacuation->is_signalled};
    AUTO(ledger_clear) struct ledger ledger = {0};
    enum relocation_end end;
    struct error ignored;
    int rc = relocation_run(&relocation, &end, &item->why);

    item->result = rc == REFUSED ? "stayed" : relocation_words[end];
    if (rc == REFUSED)
        item->stays = true;
    if (statedir_peek(evacuation->call->host, &ledger, &ignored) == 0)
        add_places(item, &ledger, 0, &item->domain);
}

/* A plan needs no right to change a domain. */
static void
go_on(struct evacuation *evacuation, struct occupant *item)
{
    const struct command_call *call = evacuation->call;
    const bool is_dry_run = option_given(&call->options, OPTION_DRY_RUN);
    char *name[] = {item->domain.text, NULL};
    struct command_call one = *call;
    AUTO(domain_source_close) struct domain_source source = {0};
    int rc;

    one.arguments = name;
    one.count = 1;
    rc = domain_source_open(&one, is_dry_run ? CONNECTION_READ : CONNECTION_WRITE, &source,
                            &item->why);
    if (rc == 0)
        rc = domain_source_request(&source, &item->why);
    if (rc < 0) {
        item->stays = true;
        item->result = is_dry_run ? "" : "stayed";
    } else if (is_dry_run) {
        foresee(evacuation, item, &source);
    } else {
        move(evacuation, item, &source);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

enum column { DOMAIN, DOMAIN_UUID, FROM, HOW, TO, MEMORY, RESULT, REASON };

static const struct table_column columns[] = {
    [DOMAIN] = {.name = "DOMAIN", .cuts = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .extra = true},
    [FROM] = {.name = "FROM", .drop = 2},
    [HOW] = {.name = "HOW"},
    [TO] = {.name = "TO", .drop = 3},
    [MEMORY] = {.name = "FRAMEBUFFER", .kind = TABLE_NUMBER, .drop = 1},
    [RESULT] = {.name = "RESULT"},
    [REASON] = {.name = "REASON", .wraps = true},
};

static void
set_names(struct table *table, enum column column, const struct names *names)
{
    char bytes[256];
    struct text text = text_on(bytes, sizeof(bytes));

    for (size_t i = 0; i < names->count; i++)
        text_join(&text, ",", "%s", names->items[i].text);
    table_set_text(table, column, bytes);
}

static void
add_line(struct table *table, const struct occupant *item)
{
    table_line(table);
    table_set_text(table, DOMAIN, item->name);
    table_set_text(table, DOMAIN_UUID, item->domain.text);
    set_names(table, FROM, &item->from);
    table_set(table, HOW, "%s", item->stays ? "stays" : "here");
    set_names(table, TO, &item->to);
    table_set_figure(table, MEMORY, item->framebuffer);
    table_set_text(table, RESULT, item->result);
    table_set_text(table, REASON, item->why.text);
}

static enum command_status
conclude(const struct evacuation *evacuation, struct error *error)
{
    size_t failed = 0, stayed = 0;

    for (size_t i = 0; i < evacuation->count; i++) {
        const struct occupant *item = &evacuation->items[i];

        stayed += item->stays;
        failed += !item->stays && *item->result &&
                  strcmp(item->result, relocation_words[RELOCATION_MOVED]) != 0;
    }
    if (failed) {
        error_set(error, -EIO, "guests that could not be moved: %zu of %zu", failed,
                  evacuation->count);
        return COMMAND_FAILED;
    }
    if (!stayed)
        return COMMAND_DONE;
    error_set(error, -EBUSY, "what stays: %zu of %zu", stayed, evacuation->count);
    return COMMAND_BUSY;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(evacuation_clear) struct evacuation evacuation = {.call = call};
    AUTO(table_end) struct table table = {0};
    const bool is_dry_run = option_given(&call->options, OPTION_DRY_RUN);
    int rc;

    if (table_start(&table, "evacuation", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    rc = find_gpus(&evacuation, error);
    for (size_t i = 0; i < evacuation.gpus.count && rc == 0 && !is_dry_run; i++)
        rc = drain_gpu(call->host, &evacuation.gpus.items[i], error);
    if (rc == 0)
        rc = look(&evacuation, error);
    if (rc < 0)
        return command_ended(rc, error);
    for (size_t i = 0; i < evacuation.count; i++) {
        struct occupant *item = &evacuation.items[i];

        if (*item->domain.text && !evacuation.is_signalled) {
            go_on(&evacuation, item);
        } else if (*item->domain.text) {
            item->stays = true;
            error_set(&item->why, 0, "a signal has ended the evacuation before");
        }
        add_line(&table, item);
    }
    if (evacuation.count == 0)
        table_say(&table, "nothing is there");
    if (table_print(&table, error) < 0)
        return COMMAND_FAILED;
    return conclude(&evacuation, error);
}

const struct command command_evacuate = {
    .name = "evacuate",
    .arguments = "GPU...",
    .help = "drain GPUs, and move their running guests to other GPUs of this host",
    .example = "vgpuctl evacuate 3b:00.0 --dry-run",
    .page = "vgpuctl-migrate",
    .least = 1,
    .most = 64,
    .changes = COMMAND_CHANGES_GPUS,
    .options = OPTION_BIT(OPTION_DRY_RUN) | OPTION_BITS_TABLE | OPTION_BIT(OPTION_COLOR),
    .run = run,
};
