/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/attachment.h"
#include "attach/clone.h"
#include "attach/hotplug.h"
#include "attach/trial.h"
#include "attach/vf-selection.h"
#include "attach/what-if.h"
#include "base/memory.h"
#include "base/shell-word.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "domain/request-parser.h"
#include "libvirt/definition.h"
#include "placement/demand.h"

static enum command_status
wrong(struct error *error, const char *words)
{
    error_refuse(error, ERROR_USAGE, "%s", words);
    error_advise_command(error, "see", "vgpuctl attach --help");
    return COMMAND_USAGE;
}

/* What does not go together. */
static enum command_status
check_options(const struct options *options, struct error *error)
{
    bool shown = option_given(options, OPTION_PRINT_XML),
         dry = option_given(options, OPTION_DRY_RUN);

    if (option_given(options, OPTION_START) && (option_given(options, OPTION_LIVE) || shown || dry))
        return wrong(error, "--start is for a domain that does not run yet: it takes no --live, "
                            "no --print-xml and no --dry-run");
    if (shown && option_given(options, OPTION_JSON))
        return wrong(error, "--print-xml prints XML: it takes no --json");
    if (shown && dry)
        return wrong(error, "--print-xml changes nothing anyway: it takes no --dry-run");
    if (option_given(options, OPTION_EXACTLY) &&
        (shown || option_given(options, OPTION_START) || option_given(options, OPTION_RENEW) ||
         option_given(options, OPTION_ALIAS) || option_given(options, OPTION_UUID) ||
         option_given(options, OPTION_DISPLAY)))
        return wrong(error, "--exactly takes no --start, --renew, --print-xml, --alias, --uuid or "
                            "--display");
    if (option_given(options, OPTION_EXACTLY) && option_given(options, OPTION_CONFIG) &&
        option_given(options, OPTION_LIVE))
        return wrong(error, "--exactly is for one definition: either --config or --live, please");
    for (size_t i = 0; option_given(options, OPTION_RENEW) && i < OPTIONS; i++) {
        if (options->values[i] && (OPTION_BIT(i) & WISH_BITS_NEW))
            return wrong(error,
                         "--renew is for the vGPUs that a domain has: it takes no option that "
                         "says what a new one is to be");
    }
    return COMMAND_DONE;
}

static enum command_status
read_wish(const struct command_call *call, struct wish *ret, struct error *error)
{
    const struct options *options = &call->options;
    int rc;

    if (check_options(options, error) != COMMAND_DONE)
        return COMMAND_USAGE;
    rc = wish_read(call, ret, error);
    if (rc < 0)
        return command_ended(rc, error);
    return ret->count || option_given(options, OPTION_RENEW)
               ? COMMAND_DONE
               : wrong(error, "either --type or --class, please");
}

/* --- a clone's ------------------------------------------------------------------------------- */

/* Tells for each vGPU which one the clone has now. A clone keeps a vGPU that no other domain had.
 * A hostdev that is a vGPU only because of vgpu.conf is skipped: --renew does not change it. */
static int
say_renewed(const struct domain_source *source, const struct document *old,
            const struct document *text, struct changes *changes, struct error *error)
{
    static const char *const verbs[2][2] = {{"has", "keeps"}, {"would have", "would keep"}};
    AUTO(request_clear) struct request before = {0};
    AUTO(request_clear) struct request request = {0};
    int rc = request_parse(old, &before, error);
    bool is_any = false;

    if (rc == 0)
        rc = request_parse(text, &request, error);
    for (size_t i = 0; rc == 0 && i < request.hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request.hostdevs[i];
        bool is_kept = name_equal(&hostdev->source, &before.hostdevs[i].source);

        if (!demand_is_explicit(hostdev))
            continue;
        is_any = true;
        source_edit_tell(source, is_kept ? "kept" : "renewed", &hostdev->source,
                         hostdev->alias ? hostdev->alias : "", changes);
        say_line(source->call->out, "%s: %s %s the %s %s", source->domain.name,
                 hostdev->alias ? hostdev->alias : "its vGPU", verbs[changes->is_dry_run][is_kept],
                 hostdev->kind == REQUEST_PCI ? "virtual function" : "UUID", hostdev->source.text);
    }
    if (rc == 0 && !is_any) {
        rc = error_set(error, -ENOENT,
                       "%s has no <hostdev> that its XML asks a vGPU for, by a <vgpu:device> or a "
                       "ua-vgpu- alias: nothing is renewed",
                       source->domain.name);
        error_advise_command(error, "see", "virsh edit %s", shell_word(source->domain.name).text);
    }
    return rc;
}

/* Finds the virtual functions that other domains name. libvirt is asked only if this domain has a
 * virtual function. */
static int
find_named(const struct domain_source *source, const struct document *text, struct names *ret,
           struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    AUTO(domains_clear) struct domains domains = {0};
    struct error failure;
    int rc = request_parse(text, &request, error);
    bool needed = false;

    for (size_t i = 0; i < request.hostdev_count; i++)
        needed |=
            request.hostdevs[i].kind == REQUEST_PCI && demand_is_explicit(&request.hostdevs[i]);
    if (needed && rc == 0 && domain_source_all(source, &domains, &failure) < 0)
        reply_warn(source->call, failure.class,
                   "it is not known whether other domains have the virtual functions of %s as "
                   "well: %s",
                   request.name, failure.text);
    vf_selection_add_named(&domains, &request.domain, ret);
    return rc;
}

static enum command_status
renew(const struct domain_source *source, struct changes *changes, struct definition_change *made,
      struct error *error)
{
    AUTO(document_clear) struct document new = {0};
    AUTO(names_clear) struct names named = {0};
    bool shown = option_given(&source->call->options, OPTION_PRINT_XML);
    const struct document *old = &made->before, *text;
    int rc;

    if (source->connection && (source->domain.is_running || !source->domain.is_persistent)) {
        error_set(error, -EBUSY, "%s runs: its vGPUs can have other UUIDs when it is shut down",
                  source->domain.name);
        return COMMAND_BUSY;
    }
    rc = domain_source_text(source, CONNECTION_CONFIG, !shown, &made->before, error);
    if (rc == 0)
        rc = find_named(source, old, &named, error);
    if (rc == 0)
        rc = clone_renew(source->call->host, old, &named, &new, error);
    text = new.text ? &new : old;
    if (rc == 0 && shown)
        fwrite(text->text, 1, text->length, source->call->out);
    if (rc == 0 && !shown && !changes->is_dry_run && new.text)
        rc = definition_replace(source->connection, &source->domain.uuid, old, &new, &made->after,
                                error);
    if (rc == -ESTALE)
        error_wrap(error, "the definition of %s", source->domain.name);
    if (rc == 0 && !shown)
        rc = say_renewed(source, old, text, changes, error);
    return command_ended(rc, error);
}

/* Returns a command that explains why the changed domain does not start. The caller frees it. */
static char *
explain_command(const struct domain_source *source)
{
    const struct options *options = &source->call->options;
    bool renewed = option_given(options, OPTION_RENEW);
    /* explain takes none of these: it then reads the XML that attach prints. */
    bool wants_xml = renewed || option_given(options, OPTION_ALIAS) ||
                     option_given(options, OPTION_UUID) || option_given(options, OPTION_DISPLAY);
    char *text = NULL;
    size_t length;
    FILE *out = memory_stream(&text, &length);

    say_part(out, "vgpuctl %s %s%s", wants_xml ? "attach" : "explain",
             shell_word(source->domain.name).text, renewed ? " --renew" : "");
    wish_print(options, out);
    if (wants_xml)
        say_part(out, " --print-xml | vgpuctl explain -");
    memory_stream_end(out, &text);
    return text;
}

/* A definition takes a vGPU whether there is room now or not. A running guest does not. */
static int
foresee_plugging(struct domain_source *source, const struct wish *wish, struct error *error)
{
    AUTO(what_if_clear) struct what_if what_if = {0};
    AUTO(dry_run_sight_clear) struct dry_run_sight sight = DRY_RUN_UNSEEN;
    AUTO(dry_run_clear) struct dry_run dry_run = {0};
    int rc = domain_source_request(source, error);

    if (rc == 0)
        rc = what_if_add(source, wish, &what_if, error);
    if (rc == 0)
        rc = dry_run_look(source->call->host, &source->request, false, &sight, error);
    if (rc == 0)
        rc = what_if_run(&what_if, source, &sight, &dry_run, error);
    if (rc < 0 || dry_run.outcome != DRY_RUN_REFUSED)
        return rc;
    *error = dry_run.refusal;
    error_wrap(error, "%s", source->domain.name);
    return REFUSED;
}

/* Says what attach would do, and does nothing. */
static enum command_status
foresee(struct domain_source *source, const struct wish *wish, struct changes *changes,
        struct error *error)
{
    int rc = attachments_foresee(source, wish, changes, error);

    if (rc == 0 && source->meant[CONNECTION_LIVE])
        rc = foresee_plugging(source, wish, error);
    if (rc < 0)
        changes_clear(changes);
    for (size_t i = 0; i < changes->count; i++)
        say_line(source->call->out, "%s: would add %s (%s), %s", source->domain.name,
                 changes->items[i].alias, changes->items[i].device.text,
                 domain_source_sides(source));
    return command_ended(rc, error);
}

/* Attach and renew both change the definition before the start. */
static enum command_status
change_and_start(const struct domain_source *source, const struct wish *wish,
                 struct definitions_lock *lock, struct changes *changes, struct error *error)
{
    bool renewed = option_given(&source->call->options, OPTION_RENEW);
    AUTO(definition_change_clear) struct definition_change made = {0};
    AUTO_FREE char *explain = explain_command(source);
    enum command_status status;
    int rc = trial_check(source, error);

    if (rc < 0)
        return command_ended(rc, error);
    status = renewed ? renew(source, changes, &made, error)
                     : command_ended(attachments_run(source, wish, changes, &made, error), error);
    definitions_lock_end(lock);
    if (status != COMMAND_DONE)
        return status;
    rc = trial_start(source, &made, explain, error);
    if (rc < 0 && !made.after.text)
        changes_clear(changes);
    for (size_t i = 0; i < changes->count; i++) {
        struct change *change = &changes->items[i];
        struct error ignored;

        change_look(change, source->call->host);
        change->live = rc == 0;
        /* Somebody else may have started the guest, before the change or after it. */
        if (rc == -EBUSY)
            (void)!hotplug_has_device(source, &change->device, &change->live, &ignored);
    }
    if (rc < 0)
        return command_ended(rc, error);
    if (reply_is_wanted(source->call))
        json_flag(reply_json(source->call), "started", true);
    say_line(source->call->out, "%s: started", source->domain.name);
    return COMMAND_DONE;
}

static enum command_status
change(struct domain_source *source, const struct wish *wish, struct definitions_lock *lock,
       struct changes *changes, struct error *error)
{
    AUTO(definition_change_clear) struct definition_change made = {0};
    const struct options *options = &source->call->options;

    if (wish->display && source->connection && source->meant[CONNECTION_LIVE])
        return wrong(error,
                     "nothing with a display is plugged into a guest that runs: say --config");
    if (option_given(options, OPTION_START))
        return change_and_start(source, wish, lock, changes, error);
    if (option_given(options, OPTION_RENEW))
        return renew(source, changes, &made, error);
    if (changes->is_dry_run)
        return foresee(source, wish, changes, error);
    if (option_given(options, OPTION_PRINT_XML))
        return command_ended(attachments_print(source, wish, error), error);
    return command_ended(attachments_run(source, wish, changes, &made, error), error);
}

/* Adds what is missing, or says what would be added. */
static enum command_status
add(struct domain_source *source, const struct wish *wish, struct changes *changes,
    struct error *error)
{
    AUTO(definition_change_clear) struct definition_change made = {0};

    return changes->is_dry_run
               ? foresee(source, wish, changes, error)
               : command_ended(attachments_run(source, wish, changes, &made, error), error);
}

/* Lets the domain have exactly the vGPUs of the wish. What is missing comes first: if this host can
 * never give it, nothing has gone. */
static enum command_status
make_exact(struct domain_source *source, const struct wish *wish, struct changes *changes,
           struct error *error)
{
    AUTO(wish_difference_clear) struct wish_difference difference = {0};
    enum command_status status = COMMAND_DONE;
    struct wish missing = *wish;
    int rc = wish_compare(source, wish, &difference, error);

    missing.count = difference.missing;
    if (rc == 0 && missing.count)
        status = add(source, &missing, changes, error);
    if (rc == 0 && status == COMMAND_DONE)
        rc = detachments_run(source, &difference.too_many, wish->timeout, changes, error);
    if (rc == 0 && status == COMMAND_DONE && !missing.count && !difference.too_many.count)
        say_line(source->call->out, "%s: has exactly these vGPUs already, %s", source->domain.name,
                 domain_source_sides(source));
    return rc < 0 ? command_ended(rc, error) : status;
}

static enum command_status
run_attach(const struct command_call *call, struct error *error)
{
    AUTO(definitions_lock_end) struct definitions_lock lock = DEFINITIONS_UNLOCKED;
    AUTO(domain_source_close) struct domain_source source = {0};
    AUTO(changes_clear)
    struct changes changes = {.is_dry_run = option_given(&call->options, OPTION_DRY_RUN)};
    struct wish wish;
    enum command_status status = read_wish(call, &wish, error);
    int rc = 0;

    if (status != COMMAND_DONE)
        return status;
    if (!changes.is_dry_run && !option_given(&call->options, OPTION_PRINT_XML))
        rc = definitions_lock_take(call->host, &lock, error);
    if (rc == 0)
        rc = domain_source_open(call, CONNECTION_WRITE, &source, error);
    if (rc < 0)
        return command_ended(rc, error);
    status = option_given(&call->options, OPTION_EXACTLY)
                 ? make_exact(&source, &wish, &changes, error)
                 : change(&source, &wish, &lock, &changes, error);
    if (!changes.is_dry_run)
        definitions_lock_put(&lock, call);
    changes_put(&changes, call);
    return status;
}

const struct command command_attach = {
    .name = "attach",
    .arguments = "DOMAIN|FILE",
    .help = "give a domain a vGPU: at once if the domain runs, else at its next start",
    .example = "vgpuctl attach web01 --type T4-1B --config",
    .page = "vgpuctl-guest",
    .least = 1,
    .most = 1,
    .changes = COMMAND_CHANGES_DOMAIN,
    .options = OPTION_BIT(OPTION_ROOT) | WISH_BITS_NEW | OPTION_BIT(OPTION_CONFIG) |
               OPTION_BIT(OPTION_LIVE) | OPTION_BIT(OPTION_START) | OPTION_BIT(OPTION_PRINT_XML) |
               OPTION_BIT(OPTION_RENEW) | OPTION_BIT(OPTION_EXACTLY) | OPTION_BIT(OPTION_DRY_RUN) |
               OPTION_BIT(OPTION_TIMEOUT) | OPTION_BIT(OPTION_JSON),
    .option_help = {[OPTION_COUNT] = "how many vGPUs; the default is 1"},
    .run = run_attach,
};
