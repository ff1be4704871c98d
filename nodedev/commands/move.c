/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "lease/statedir.h"
#include "migrate/migrate-question.h"
#include "migrate/move.h"
#include "migrate/relocation.h"
#include "view/change.h"
#include "view/gpu-view.h"

/* --- to another host -------------------------------------------------------------------------- */

static int
check_usage(const struct command_call *call, struct error *error)
{
    const struct options *options = &call->options;
    bool best = option_given(options, OPTION_BEST), named = call->count > 1;

    if (best == named)
        return error_refuse(error, ERROR_USAGE, "where to? Name one URI, or say --best");
    if (named && options->uri_count)
        return error_refuse(error, ERROR_USAGE,
                            "--connect and --hosts name the hosts of which --best takes one");
    if (best && options->uri_count == 0)
        return error_refuse(error, ERROR_USAGE,
                            "the best of which hosts? Name them, by --connect URI or --hosts FILE");
    return 0;
}

/* A host that the user named is tried unless it is sure to refuse: its libvirt and its hook decide.
 * With --best the chosen host must be sure to take the guest. */
static enum command_status
choose(const struct command_call *call, const struct migrate_question *question,
       const struct destinations *destinations, struct error *error)
{
    const struct destination *first = &destinations->items[0];
    const char *label = question->guest.label, *why = first->verdict.why;

    if (option_given(&call->options, OPTION_BEST))
        return destinations_conclude(destinations, label, error);
    if (!destination_has_answered(first)) {
        error_set(error, -EHOSTUNREACH, "%s", first->host->failure.text);
        return COMMAND_FAILED;
    }
    if (first->verdict.answer == MIGRATE_NO) {
        error_refuse(error, ERROR_NO_HOST, "%s would not take %s: %s", first->host->label, label,
                     why);
        error_advise_command(error, "see", "vgpuctl migrate-check");
        return command_ended(REFUSED, error);
    }
    if (first->verdict.answer == MIGRATE_UNKNOWN)
        reply_warn(call, ERROR_UNKNOWN, "whether %s takes %s is not known: %s", first->host->label,
                   label, why);
    return COMMAND_DONE;
}

static void
add(struct changes *changes, const struct domain *domain, const struct request_hostdev *hostdev)
{
    struct change *change = changes_add(changes, NULL, "moved", &hostdev->source);

    snprintf(change->domain, sizeof(change->domain), "%s", domain->name);
    snprintf(change->alias, sizeof(change->alias), "%s", hostdev->alias ? hostdev->alias : "");
    change->domain_uuid = domain->uuid;
}

/* Shows the guest's vGPUs on the new host. The guest is known to be there, so a question that fails
 * now is no failure. */
static void
show(const struct command_call *call, const struct remote_host *there, const struct name *uuid)
{
    AUTO(changes_clear) struct changes changes = {.host = there->label};
    AUTO(remote_clear) struct remote_hosts hosts = {0};
    struct remote_question asked = {&there->uri, 1, CONNECTION_ALL, 0};
    const struct domain *domain = NULL;
    const struct request *request = NULL;
    struct error ignored;

    if (options_timeout(&call->options, &asked.seconds, &ignored) == 0 &&
        remote_ask(call->host, &asked, &hosts, &ignored) == 0)
        domain = domains_find(&hosts.items[0].domains, uuid->text);
    if (domain)
        request = domain->is_running ? &domain->live : &domain->config;
    for (size_t i = 0; request && i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (!demand_is_explicit(hostdev))
            continue;
        add(&changes, domain, hostdev);
        say_line(call->out, "%s: %s has the %s %s there", domain->name,
                 hostdev->alias ? hostdev->alias : "its vGPU",
                 hostdev->kind == REQUEST_PCI ? "virtual function" : "UUID", hostdev->source.text);
    }
    changes_put(&changes, call);
}

static enum command_status
move(const struct command_call *call, const struct migrate_question *question,
     const struct remote_host *there, struct error *error)
{
    AUTO(moved_types_clear) struct moved_types types;
    const struct move move = {
        .call = call,
        .to = there->uri,
        .domain = &question->guest.domain->uuid,
        .name = question->guest.domain->name,
        .types = &types,
    };
    int rc;

    moved_types_find(&question->guest, &question->snapshot.inventory, &question->snapshot.policy,
                     &types);
    rc = move_run(&move, error);
    if (rc < 0)
        return command_ended(rc, error);
    say_line(call->out, "%s: moved to %s", move.name, there->label);
    show(call, there, move.domain);
    return COMMAND_DONE;
}

static enum command_status
run_there(const struct command_call *call, struct error *error)
{
    AUTO(migrate_question_clear) struct migrate_question question = {0};
    AUTO(destinations_clear) struct destinations destinations = {0};
    const struct options *options = &call->options;
    const char *const typed[] = {call->arguments[1]};
    enum command_status status;
    int rc;

    if (check_usage(call, error) < 0)
        return COMMAND_USAGE;
    rc = migrate_question_start(&question, call->host, error);
    if (rc == 0)
        rc = option_given(options, OPTION_BEST)
                 ? migrate_question_ask(&question, call, options->uris, options->uri_count, error)
                 : migrate_question_ask(&question, call, typed, COUNT(typed), error);
    if (rc == 0)
        rc = migrate_question_find_guest(&question, call->arguments[0], error);
    if (rc < 0)
        return command_ended(rc, error);
    destinations_judge(&question, &destinations);
    status = choose(call, &question, &destinations, error);
    return status == COMMAND_DONE ? move(call, &question, destinations.items[0].host, error)
                                  : status;
}

/* --- to another GPU of this host -------------------------------------------------------------- */

static int
check_usage_here(const struct command_call *call, struct error *error)
{
    const struct options *options = &call->options;

    if (call->count > 1 || option_given(options, OPTION_BEST) || options->uri_count)
        return error_refuse(error, ERROR_USAGE, "--here is this host: name no other");
    return 0;
}

/* The GPUs where the guest is. It leaves them all. */
static int
find_present(const struct domain_source *source, struct names *ret, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc = statedir_peek(source->call->host, &ledger, error);

    if (rc == 0)
        ledger_find_gpus(&ledger, &source->domain.uuid, ret);
    return rc;
}

static int
find_only(const struct command_call *call, struct names *ret, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    const struct inventory_gpu *gpu;
    int rc = snapshot_take_to_show(&snapshot, call->host, &inventory_no_types, error);

    if (rc == 0)
        rc = gpu_view_find(&snapshot, call->host, call->options.values[OPTION_PARENT], &gpu, error);
    if (rc == 0)
        names_append(ret, &gpu->name);
    return rc;
}

/* What the guest has now, by the ledger. */
static void
show_here(const struct domain_source *source)
{
    AUTO(changes_clear) struct changes changes = {0};
    AUTO(ledger_clear) struct ledger ledger = {0};
    const struct command_call *call = source->call;
    struct error ignored;

    if (statedir_peek(call->host, &ledger, &ignored) < 0)
        return;
    for (size_t i = 0; i < ledger.count; i++) {
        const struct lease *lease = &ledger.leases[i];
        struct change *change;

        if (!name_equal(&lease->domain, &source->domain.uuid))
            continue;
        change = changes_add(&changes, call->host, "moved", &lease->vgpu.device);
        snprintf(change->domain, sizeof(change->domain), "%s", source->domain.name);
        snprintf(change->alias, sizeof(change->alias), "%s", lease->alias);
        change->domain_uuid = source->domain.uuid;
        say_line(call->out, "%s: %s is on %s now", source->domain.name,
                 *lease->alias ? lease->alias : lease->vgpu.device.text, lease->gpu.text);
    }
    changes_put(&changes, call);
}

static enum command_status
run_here(const struct command_call *call, struct error *error)
{
    AUTO(domain_source_close) struct domain_source source = {0};
    AUTO(names_clear) struct names left = {0}, only = {0};
    bool is_signalled = false;
    const struct relocation relocation = {.call = call,
                                          .source = &source,
                                          .left = &left,
                                          .only = &only,
                                          .is_signalled = &is_signalled};
    enum relocation_end end;
    int rc = check_usage_here(call, error);

    if (rc == 0)
        rc = domain_source_open(call, CONNECTION_WRITE, &source, error);
    if (rc == 0)
        rc = domain_source_request(&source, error);
    if (rc == 0)
        rc = find_present(&source, &left, error);
    if (rc == 0 && option_given(&call->options, OPTION_PARENT))
        rc = find_only(call, &only, error);
    if (rc == 0)
        rc = relocation_run(&relocation, &end, error);
    if (rc < 0)
        return command_ended(rc, error);
    show_here(&source);
    return COMMAND_DONE;
}

static enum command_status
run_move(const struct command_call *call, struct error *error)
{
    if (option_given(&call->options, OPTION_HERE))
        return run_here(call, error);
    if (option_given(&call->options, OPTION_PARENT))
        return command_ended(
            error_refuse(error, ERROR_USAGE, "--parent is a GPU of this host: say --here"), error);
    return run_there(call, error);
}

const struct command command_move = {
    .name = "move",
    .arguments = "DOMAIN [URI]",
    .help = "move a domain with its vGPUs to another host, or to another GPU of this host",
    .example = "vgpuctl move web01 --best --hosts ~/gpu-hosts",
    .page = "vgpuctl-migrate",
    .least = 1,
    .most = 2,
    .changes = COMMAND_CHANGES_DOMAIN,
    .options = OPTION_BIT(OPTION_BEST) | OPTION_BIT(OPTION_HERE) | OPTION_BIT(OPTION_PARENT) |
               OPTION_BITS_REMOTE | OPTION_BIT(OPTION_JSON),
    .run = run_move,
};
