/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/attachment.h"
#include "attach/clone.h"
#include "attach/hotplug.h"
#include "domain/request-parser.h"
#include "placement/demand.h"

#define MOST_DEVICES 64 /* of an annotation */
#define MOST_TRIES   3  /* to have a virtual function that others may be faster to take */

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

/* --- printed only ---------------------------------------------------------------------------- */

static enum command_status
print(const struct command_call *call, const struct target *target, const struct wish *wish,
      struct error *error)
{
    enum connection_side side = target_side_shown(call, target);
    AUTO(attachment_clear)
    struct attachment attachment = {
        .call = call,
        .target = target,
        .wanted_alias = wish->alias,
        .type = wish->type,
        .class = wish->class,
        .meant = {[CONNECTION_CONFIG] = side == CONNECTION_CONFIG,
                  [CONNECTION_LIVE] = side == CONNECTION_LIVE},
    };
    struct error fault = {0};
    int rc = attachment_start(&attachment, false, error);

    for (unsigned i = 0; i < wish->count && rc == 0; i++) {
        rc = attachment_make(&attachment, error);
        if (rc == 0 && attachment_place(&attachment, &fault) < 0 && target->connection) {
            *error = fault;
            return COMMAND_FAILED;
        }
    }
    if (rc < 0)
        return COMMAND_FAILED;
    /* A file may be for another host. */
    if (*fault.text)
        fprintf(call->faults, "vgpuctl: attach: this host could not do it: %s\n", fault.text);
    return target_print(call, &attachment.edits[side], error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

/* --- done ------------------------------------------------------------------------------------ */

/* Defines it, and plugs it in where it says. */
static int
try(const struct attachment *attachment, unsigned timeout, struct error *error)
{
    const struct target *target = attachment->target;
    int rc = 0;

    if (attachment->meant[CONNECTION_CONFIG])
        rc = target_define(target, &attachment->edits[CONNECTION_CONFIG], error);
    if (rc < 0 || !attachment->meant[CONNECTION_LIVE])
        return rc;
    return hotplug_in(attachment->call->host, target, &attachment->edits[CONNECTION_LIVE],
                      attachment->alias, timeout, error);
}

/* The definition first: to define the old one again undoes it for certain. */
static int
change(struct attachment *attachment, unsigned timeout, struct error *error)
{
    AUTO(document_clear) struct document old = {0};
    const struct target *target = attachment->target;
    struct error failure;
    int rc = 0, again = 1;

    if (attachment->meant[CONNECTION_CONFIG])
        rc = target_text(target, CONNECTION_CONFIG, true, &old, error);
    if (rc < 0)
        return rc;
    for (unsigned tries = 0; tries < MOST_TRIES && again > 0; tries++) {
        rc = try(attachment, timeout, error);
        again = rc == REFUSED && (error->class == ERROR_NO_ROOM || error->class == ERROR_TAKEN)
                    ? attachment_place_again(attachment)
                    : 0;
    }
    if (rc < 0 && attachment->meant[CONNECTION_CONFIG] && attachment->meant[CONNECTION_LIVE] &&
        connection_define(target->connection, &old, &failure) < 0)
        error_add(error, "and its definition has %s now: %s", attachment->alias, failure.text);
    return rc;
}

static int
attach_one(const struct command_call *call, const struct target *target, const struct wish *wish,
           struct error *error)
{
    const struct connection_domain *domain = &target->domain;
    AUTO(attachment_clear)
    struct attachment attachment = {
        .call = call,
        .target = target,
        .wanted_alias = wish->alias,
        .type = wish->type,
        .class = wish->class,
        .meant = {target->meant[0], target->meant[1]},
    };
    int rc = attachment_start(&attachment, true, error);

    if (rc == 0)
        rc = attachment_make(&attachment, error);
    if (rc < 0)
        return rc;
    rc = attachment_place(&attachment, error);
    if (rc < 0) {
        error_wrap(error, "%s", domain->name);
        return rc;
    }
    rc = change(&attachment, wish->timeout, error);
    if (rc < 0)
        return rc;
    fprintf(call->out, "%s: added %s (%s), %s\n", domain->name, attachment.alias,
            attachment.source.source.text, target_sides(target));
    return 0;
}

/* Several are attached all or none, so whether this host could ever give them all is asked before
 * the first. */
static int
try_all(const struct command_call *call, const struct target *target, const struct wish *wish,
        struct error *error)
{
    AUTO(attachment_clear)
    struct attachment attachment = {
        .call = call,
        .target = target,
        .wanted_alias = wish->alias,
        .type = wish->type,
        .class = wish->class,
        .meant = {target->meant[0], target->meant[1]},
    };
    int rc = attachment_start(&attachment, false, error);

    for (unsigned i = 0; i < wish->count && rc == 0; i++) {
        rc = attachment_make(&attachment, error);
        if (rc == 0)
            rc = attachment_place(&attachment, error);
    }
    if (rc < 0)
        error_wrap(error, "%s", target->domain.name);
    else if (*attachment.doubt.text)
        fprintf(call->faults,
                "vgpuctl: attach: %s: whether this host can give it all is not known: %s\n",
                target->domain.name, attachment.doubt.text);
    return rc;
}

static enum command_status
attach(const struct command_call *call, const struct target *target, const struct wish *wish,
       struct error *error)
{
    int rc = target->meant[CONNECTION_LIVE] ? hotplug_check(call->host, error) : 0;

    if (rc == 0)
        rc = try_all(call, target, wish, error);
    for (unsigned i = 0; i < wish->count && rc == 0; i++)
        rc = attach_one(call, target, wish, error);
    /* Nothing that is wrong by now is wrong with the command line. */
    return rc == 0 ? COMMAND_DONE : rc == -EINVAL ? COMMAND_FAILED : command_failed(rc, error);
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
            fprintf(call->out, "%s: %s has the %s %s\n", target->domain.name,
                    hostdev->alias ? hostdev->alias : "its vGPU",
                    hostdev->kind == REQUEST_PCI ? "virtual function" : "UUID",
                    hostdev->source.text);
    }
    return rc;
}

/* What others have, if it has any that they could have as well. */
static int
find_named(const struct command_call *call, const struct target *target,
           const struct document *text, struct names *ret, struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    struct error failure;
    int rc = request_parse(text, &request, error);
    bool needed = false;

    for (size_t i = 0; i < request.hostdev_count; i++)
        needed |=
            request.hostdevs[i].kind == REQUEST_PCI && demand_is_explicit(&request.hostdevs[i]);
    if (needed && rc == 0 && target_add_named(call, target, &request.domain, ret, &failure) < 0)
        fprintf(call->faults,
                "vgpuctl: attach: it is not known whether other domains have the virtual functions "
                "of %s as well: %s\n",
                request.name, failure.text);
    return rc;
}

static enum command_status
renew(const struct command_call *call, const struct target *target, struct error *error)
{
    AUTO(document_clear) struct document old = {0};
    AUTO(document_clear) struct document new = {0};
    AUTO(names_clear) struct names named = {0};
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
        rc = find_named(call, target, &old, &named, error);
    if (rc == 0)
        rc = clone_renew(call->host, &old, &named, &new, error);
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
        return command_failed(rc, error);
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
