/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/trial.h"
#include "actions/dry-run.h"
#include "base/shell-word.h"
#include "domain/request-parser.h"
#include "libvirt/definition.h"

#include <string.h>

int
trial_begin(struct trial *trial, const struct domain_source *source, struct error *error)
{
    const struct connection_domain *domain = &source->domain;

    *trial = (struct trial){.source = source};
    if (domain->is_running)
        return error_set(error, -EBUSY, "%s runs already: leave --start out", domain->name);
    if (domain->is_saved)
        return error_set(error, -EBUSY,
                         "%s has a saved state, which libvirt would restore without the vGPU; "
                         "restore it first (virsh start %s), or drop it (virsh managedsave-remove "
                         "%s)",
                         domain->name, shell_word(domain->name).text,
                         shell_word(domain->name).text);
    return domain_source_text(source, CONNECTION_CONFIG, true, &trial->before, error);
}

void
trial_clear(struct trial *trial)
{
    document_clear(&trial->before);
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

/* Restores the definition, unless somebody else has changed it since `after`. */
static void
put_back(struct trial *trial, const struct document *after, const char *explain,
         struct error *error)
{
    const struct domain_source *source = trial->source;
    AUTO(definitions_lock_end) struct definitions_lock lock = DEFINITIONS_UNLOCKED;
    AUTO(document_clear) struct document written = {0};
    struct error failure;
    int rc = definitions_lock_take(source->call->host, &lock, &failure);

    if (rc == 0)
        rc = definition_replace(source->connection, &source->domain.uuid, after, &trial->before,
                                &written, &failure);
    trial->is_undone = rc == 0;
    if (rc < 0) {
        error_add(error, "its definition is left as it is: %s", failure.text);
        return;
    }
    replace_advice(explain, error);
    error_add(error, "its definition is again as it was, without the vGPU");
}

/* libvirt hands on the hook's words, and not the kind of its refusal. A start would be refused
 * again now, so what it would come to tells the kind. */
static void
find_class(const struct trial *trial, const struct document *after, struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    AUTO(dry_run_sight_clear) struct dry_run_sight sight = DRY_RUN_UNSEEN;
    AUTO(dry_run_clear) struct dry_run dry_run = {0};
    struct error ignored;

    if (request_parse(after, &request, &ignored) < 0 ||
        dry_run_look(trial->source->call->host, &request, false, &sight, &ignored) < 0 ||
        dry_run_make(&dry_run, &sight, &request, &dry_run_unchanged, &ignored) < 0 ||
        dry_run.outcome != DRY_RUN_REFUSED)
        return;
    error->class = dry_run.refusal.class;
}

int
trial_start(struct trial *trial, const char *explain, struct error *error)
{
    const struct domain_source *source = trial->source;
    AUTO(document_clear) struct document after = {0};
    int rc = domain_source_text(source, CONNECTION_CONFIG, true, &after, error);

    if (rc < 0)
        return rc;
    rc = connection_start(source->connection, &source->domain.uuid, error);
    if (rc == 0)
        return 0;
    find_class(trial, &after, error);
    put_back(trial, &after, explain, error);
    return rc;
}
