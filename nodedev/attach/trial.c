/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/trial.h"
#include "actions/dry-run.h"
#include "base/shell-word.h"
#include "domain/request-parser.h"

#include <string.h>

int
trial_check(const struct domain_source *source, struct error *error)
{
    const struct connection_domain *domain = &source->domain;

    if (domain->is_running)
        return error_set(error, -EBUSY, "%s runs already: leave --start out", domain->name);
    if (domain->is_saved)
        return error_set(error, -EBUSY,
                         "%s has a saved state, which libvirt would restore without the vGPU; "
                         "restore it first (virsh start %s), or drop it (virsh managedsave-remove "
                         "%s)",
                         domain->name, shell_word(domain->name).text,
                         shell_word(domain->name).text);
    return 0;
}

/* The hook's line ends with "see 'vgpuctl explain NAME'". That would explain the old definition. */
static void
replace_advice(const char *explain, struct error *error)
{
    char *advice = strstr(error->text, "; see 'vgpuctl explain ");

    if (!advice)
        return;
    *advice = '\0';
    error_add(error, "see '%s'", explain);
}

/* Restores the definition, unless somebody else has changed it since. */
static void
put_back(const struct domain_source *source, struct definition_change *made, const char *explain,
         struct error *error)
{
    AUTO(definitions_lock_end) struct definitions_lock lock = DEFINITIONS_UNLOCKED;
    AUTO(document_clear) struct document written = {0};
    struct error failure;
    int rc = definitions_lock_take(source->call->host, &lock, &failure);

    if (rc == 0)
        rc = definition_replace(source->connection, &source->domain.uuid, &made->after,
                                &made->before, &written, &failure);
    if (rc < 0) {
        error_add(error, "its definition is left as it is: %s", failure.text);
        return;
    }
    definition_change_clear(made);
    replace_advice(explain, error);
    error_add(error, "its definition is again as it was");
}

/* libvirt hands on the hook's words, and not the kind of its refusal. A start would be refused
 * again now, so what it would come to tells the kind. */
static void
find_class(const struct host *host, const struct document *text, struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    AUTO(dry_run_sight_clear) struct dry_run_sight sight = DRY_RUN_UNSEEN;
    AUTO(dry_run_clear) struct dry_run dry_run = {0};
    struct error ignored;

    if (request_parse(text, &request, &ignored) < 0 ||
        dry_run_look(host, &request, false, &sight, &ignored) < 0 ||
        dry_run_make(&dry_run, &sight, &request, &dry_run_unchanged, &ignored) < 0 ||
        dry_run.outcome != DRY_RUN_REFUSED)
        return;
    error->class = dry_run.refusal.class;
}

/* libvirt tells a running definition only of a domain that runs. */
static bool
is_running(const struct domain_source *source)
{
    AUTO(document_clear) struct document text = {0};
    struct error ignored;

    return domain_source_text(source, CONNECTION_LIVE, false, &text, &ignored) == 0;
}

int
trial_start(const struct domain_source *source, struct definition_change *made, const char *explain,
            struct error *error)
{
    int rc = connection_start(source->connection, &source->domain.uuid, error);

    if (rc == 0)
        return 0;
    if (is_running(source)) {
        rc = error_set(error, -EBUSY,
                       "somebody else has started %s meanwhile; its definition is left as it is",
                       source->domain.name);
        error_advise_command(error, "see", "vgpuctl guests %s",
                             shell_word(source->domain.name).text);
        return rc;
    }
    find_class(source->call->host, made->after.text ? &made->after : &made->before, error);
    if (made->after.text)
        put_back(source, made, explain, error);
    return rc;
}
