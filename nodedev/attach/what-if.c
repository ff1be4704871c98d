/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/what-if.h"
#include "attach/vf-selection.h"
#include "domain/request-parser.h"

static int
add_all(struct attachment *attachment, const struct domain_edit *edit, unsigned count,
        struct names *ret, struct error *error)
{
    int rc = attachment_start(attachment, false, error);

    for (unsigned i = 0; i < count && rc == 0; i++) {
        rc = attachment_make(attachment, error);
        if (rc == 0)
            names_append(ret, &domain_edit_find(edit, attachment->alias)->source);
    }
    return rc;
}

int
what_if_add(struct domain_source *source, const struct wish *wish, struct what_if *ret,
            struct error *error)
{
    enum connection_side side = source->domain.is_running ? CONNECTION_LIVE : CONNECTION_CONFIG;
    AUTO(attachment_clear) struct attachment all = {.source = source, .wanted = wish->device};
    struct document changed = {0};
    int rc;

    all.meant[side] = true;
    rc = add_all(&all, &all.edits[side], wish->count, &ret->added, error);
    if (rc == 0)
        rc = domain_edit_text(&all.edits[side], &changed, error);
    if (rc < 0)
        return rc;
    ret->freedom = attachment_freedom(&wish->device);
    ret->avoided = all.named;
    all.named = (struct names){0};
    vf_selection_add_own(&source->request, &ret->avoided);
    document_clear(&source->text);
    request_clear(&source->request);
    source->text = changed;
    source->request = (struct request){0};
    return request_parse_draft(&source->text, &source->request, error);
}

void
what_if_clear(struct what_if *what_if)
{
    names_clear(&what_if->added);
    names_clear(&what_if->avoided);
}

int
what_if_run(const struct what_if *what_if, const struct domain_source *source,
            const struct dry_run_sight *sight, struct dry_run *ret, struct error *error)
{
    const struct dry_run_change change = {
        .sources = &what_if->added,
        .freedom = what_if->freedom,
        .avoided = &what_if->avoided,
        .alone = source->domain.is_running,
    };

    return dry_run_make(ret, sight, &source->request, &change, error);
}
