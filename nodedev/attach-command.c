/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "intent.h"
#include "placement.h"
#include "plug.h"

#include <string.h>

#define MOST_DEVICES 64 /* of an annotation */

struct wish {
    const char *type, *class; /* one of them */
    const char *alias;        /* NULL: the first that is free */
    unsigned count;
    unsigned timeout; /* ms */
};

static enum command_status
wrong(struct error *error, const char *words)
{
    error_set(error, -EINVAL, "%s; see 'vgpuctl attach --help'", words);
    return COMMAND_USAGE;
}

static enum command_status
read_wish(const struct options *options, struct wish *ret, struct error *error)
{
    unsigned seconds;

    *ret = (struct wish){
        .type = options->values[OPTION_TYPE],
        .class = options->values[OPTION_CLASS],
        .alias = options->values[OPTION_ALIAS],
    };
    if (options_number(options, OPTION_COUNT, 1, MOST_DEVICES, 1, &ret->count, error) < 0 ||
        options_number(options, OPTION_TIMEOUT, 1, 3600, 10, &seconds, error) < 0)
        return COMMAND_USAGE;
    ret->timeout = seconds * 1000;
    if (option_given(options, OPTION_RENEW))
        return ret->type || ret->class || ret->alias || option_given(options, OPTION_COUNT)
                   ? wrong(error, "--renew takes no --type, --class, --alias or --count")
                   : COMMAND_DONE;
    if (!ret->type == !ret->class)
        return wrong(error, "either --type or --class, please");
    if (ret->alias && ret->count > 1)
        return wrong(error, "one --alias is the name of one device: it takes no --count");
    return COMMAND_DONE;
}

/* --- what is asked for, before anything is changed ------------------------------------------- */

/* Whether this host has such a class or type, and could ever give it. */
static int
check_words(const struct host *host, const struct edit *edit, const char *alias,
            struct error *error)
{
    AUTO(intent_clear) struct intent intent = {0};
    AUTO(inventory_clear) struct inventory inventory = {0};
    const struct ledger ledger = {0};
    const struct placement_question question = {
        .request = &edit->request,
        .demands = &intent.demands,
        .policy = &intent.policy,
        .inventory = &inventory,
        .ledger = &ledger,
    };
    struct placement_choice ignored;
    struct name device;
    int rc = intent_read(&intent, host, &edit->request, "attach", error);

    if (rc < 0)
        return rc;
    if (rc == 0)
        return error_set(error, -EOPNOTSUPP,
                         "vgpu.conf says enabled = false: no guest gets a vGPU here");
    edit_uuid(&edit->request.domain, alias, &device);
    demands_keep_only(&intent.demands, &device);
    rc = inventory_scan(host, &intent.filter, &inventory, error);
    return rc < 0 ? rc : placement_check(&question, &ignored, error);
}

/* The edits of the sides that are meant: an alias that is free in both. */
struct sides {
    struct edit edits[2];
    char alias[128];
};

static void
sides_clear(struct sides *sides)
{
    edit_end(&sides->edits[CONNECTION_CONFIG]);
    edit_end(&sides->edits[CONNECTION_LIVE]);
}

static bool
is_taken(const struct sides *sides, const bool meant[2], const char *alias)
{
    return (meant[CONNECTION_CONFIG] && edit_has_alias(&sides->edits[CONNECTION_CONFIG], alias)) ||
           (meant[CONNECTION_LIVE] && edit_has_alias(&sides->edits[CONNECTION_LIVE], alias));
}

/* Adds one device to the sides that are meant. */
static int
add(struct sides *sides, const bool meant[2], const struct wish *wish, struct error *error)
{
    const struct edit_device device = {wish->alias ? wish->alias : sides->alias, wish->type,
                                       wish->class};
    int rc = 0;

    snprintf(sides->alias, sizeof(sides->alias), "%s", wish->alias ? wish->alias : "ua-gpu0");
    for (unsigned i = 1; !wish->alias && is_taken(sides, meant, sides->alias); i++)
        snprintf(sides->alias, sizeof(sides->alias), "ua-gpu%u", i);
    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (meant[side])
            rc = edit_add(&sides->edits[side], &device, error);
    }
    return rc;
}

/* --- printed only ---------------------------------------------------------------------------- */

static enum command_status
print(const struct command_call *call, const struct target *target, const struct wish *wish,
      struct error *error)
{
    AUTO(sides_clear) struct sides sides = {0};
    enum connection_side side = target_side_shown(call, target);
    const bool meant[2] = {[CONNECTION_CONFIG] = side == CONNECTION_CONFIG,
                           [CONNECTION_LIVE] = side == CONNECTION_LIVE};
    int rc = target_edit(target, side, false, &sides.edits[side], error);

    for (unsigned i = 0; i < wish->count && rc == 0; i++)
        rc = add(&sides, meant, wish, error);
    if (rc < 0)
        return COMMAND_FAILED;
    if (check_words(call->host, &sides.edits[side], sides.alias, error) < 0) {
        /* A file may be for another host. */
        if (target->connection)
            return COMMAND_FAILED;
        fprintf(call->faults, "vgpuctl: attach: this host could not do it: %s\n", error->text);
    }
    return target_print(call, &sides.edits[side], error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

/* --- done ------------------------------------------------------------------------------------ */

/* The definition first: to define the old one again undoes it for certain. */
static int
change(const struct command_call *call, const struct target *target, const struct wish *wish,
       struct sides *sides, struct error *error)
{
    AUTO(document_clear) struct document old = {0};
    const bool *meant = target->meant;
    struct error problem;
    int rc = 0;

    if (meant[CONNECTION_CONFIG]) {
        rc = target_text(target, CONNECTION_CONFIG, true, &old, error);
        if (rc == 0)
            rc = target_define(target, &sides->edits[CONNECTION_CONFIG], error);
    }
    if (rc < 0 || !meant[CONNECTION_LIVE])
        return rc;
    rc = plug_in(call->host, target, &sides->edits[CONNECTION_LIVE], sides->alias, wish->timeout,
                 error);
    if (rc < 0 && meant[CONNECTION_CONFIG] &&
        connection_define(target->connection, &old, &problem) < 0)
        error_add(error, "and its definition has %s now: %s", sides->alias, problem.text);
    return rc;
}

static int
attach_one(const struct command_call *call, const struct target *target, const struct wish *wish,
           struct error *error)
{
    AUTO(sides_clear) struct sides sides = {0};
    const struct connection_domain *domain = &target->domain;
    struct name device;
    int rc = 0;

    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (target->meant[side])
            rc = target_edit(target, side, side == CONNECTION_CONFIG, &sides.edits[side], error);
    }
    if (rc == 0)
        rc = add(&sides, target->meant, wish, error);
    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (!target->meant[side])
            continue;
        rc = check_words(call->host, &sides.edits[side], sides.alias, error);
        if (rc < 0)
            error_wrap(error, "%s", domain->name);
    }
    if (rc == 0)
        rc = change(call, target, wish, &sides, error);
    if (rc < 0)
        return rc;
    edit_uuid(&domain->uuid, sides.alias, &device);
    fprintf(call->out, "%s: added %s (%s), %s\n", domain->name, sides.alias, device.text,
            target_sides(target));
    return 0;
}

static enum command_status
attach(const struct command_call *call, const struct target *target, const struct wish *wish,
       struct error *error)
{
    int rc = target->meant[CONNECTION_LIVE] ? plug_check(call->host, error) : 0;

    for (unsigned i = 0; i < wish->count && rc == 0; i++)
        rc = attach_one(call, target, wish, error);
    /* Nothing that is wrong by now is wrong with the command line. */
    return rc == 0 ? COMMAND_DONE : rc == -EINVAL ? COMMAND_FAILED : command_failed(rc);
}

/* --- a clone's ------------------------------------------------------------------------------- */

static int
say_renewed(const struct command_call *call, const struct target *target,
            const struct document *text, struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    int rc = request_parse(text, &request, error);

    for (size_t i = 0; rc == 0 && i < request.hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request.hostdevs[i];

        if (demand_is_explicit(hostdev))
            fprintf(call->out, "%s: %s has the UUID %s\n", target->domain.name,
                    hostdev->alias ? hostdev->alias : "its vGPU", hostdev->source.text);
    }
    return rc;
}

static enum command_status
renew(const struct command_call *call, const struct target *target, struct error *error)
{
    AUTO(document_clear) struct document old = {0};
    AUTO(document_clear) struct document new = {0};
    bool shown = option_given(&call->options, OPTION_PRINT_XML);
    const struct document *text;
    int rc;

    if (target->connection && (target->domain.is_running || !target->domain.is_persistent)) {
        error_set(error, -EBUSY, "%s runs: its vGPUs can have other UUIDs when it is shut down",
                  target->domain.name);
        return COMMAND_FAILED;
    }
    rc = target_text(target, CONNECTION_CONFIG, !shown, &old, error);
    if (rc == 0)
        rc = edit_renew(&old, &new, error);
    text = new.text ? &new : &old;
    if (rc == 0 && shown)
        fwrite(text->text, 1, text->length, call->out);
    if (rc == 0 && !shown && new.text)
        rc = connection_define(target->connection, &new, error);
    if (rc == 0 && !shown)
        rc = say_renewed(call, target, text, error);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(target_close) struct target target = {0};
    struct wish wish;
    bool shown = option_given(&call->options, OPTION_PRINT_XML);
    enum command_status status = read_wish(&call->options, &wish, error);
    int rc;

    if (status != COMMAND_DONE)
        return status;
    rc = target_open(call, &target, error);
    if (rc < 0)
        return command_failed(rc);
    if (!target.connection && !shown)
        return wrong(error, "a file is not written: say --print-xml");
    if (option_given(&call->options, OPTION_RENEW))
        return renew(call, &target, error);
    return shown ? print(call, &target, &wish, error) : attach(call, &target, &wish, error);
}

const struct command command_attach = {
    .name = "attach",
    .arguments = "DOMAIN|FILE",
    .help = "give a domain a vGPU, in its XML and if it runs at once",
    .least = 1,
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_TYPE) | OPTION_BIT(OPTION_CLASS) |
               OPTION_BIT(OPTION_ALIAS) | OPTION_BIT(OPTION_COUNT) | OPTION_BIT(OPTION_CONFIG) |
               OPTION_BIT(OPTION_LIVE) | OPTION_BIT(OPTION_PRINT_XML) | OPTION_BIT(OPTION_RENEW) |
               OPTION_BIT(OPTION_TIMEOUT),
    .run = run,
};
