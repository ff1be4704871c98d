/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/moved-definition.h"
#include "domain/request-parser.h"
#include "libvirt/definition.h"
#include "placement/demand.h"
#include "xml/domain-edit.h"

/* Gives each vGPU of the definition the source that it has now. Returns 1 if a source has
 * changed. */
static int
follow(const struct request *now, struct domain_edit *edit, struct error *error)
{
    bool changed = false;
    int rc = 0;

    for (size_t i = 0; i < now->hostdev_count && rc == 0; i++) {
        const struct request_hostdev *has = &now->hostdevs[i];
        const struct request_hostdev *said =
            demand_is_explicit(has) && has->alias ? domain_edit_find(edit, has->alias) : NULL;
        const struct rewrite_source source = {
            .kind = has->kind, .source = has->source, .is_managed = has->is_managed};

        if (!said || (said->kind == has->kind && name_equal(&said->source, &has->source)))
            continue;
        rc = domain_edit_set_source(edit, has->alias, &source, error);
        changed = true;
    }
    return rc < 0 ? rc : changed;
}

int
moved_definition_follow(struct connection *there, const struct name *domain,
                        const struct request *now, struct error *error)
{
    AUTO(domain_edit_end) struct domain_edit edit = {0};
    AUTO(document_clear) struct document config = {0};
    AUTO(document_clear) struct document text = {0};
    AUTO(document_clear) struct document written = {0};
    int rc = connection_xml(there, domain, CONNECTION_CONFIG, true, &config, error);

    if (rc == 0)
        rc = domain_edit_start(&config, &edit, error);
    if (rc == 0)
        rc = follow(now, &edit, error);
    if (rc <= 0)
        return rc;
    rc = domain_edit_text(&edit, &text, error);
    if (rc == 0)
        rc = definition_replace(there, domain, &config, &text, &written, error);
    return rc < 0 ? rc : 1;
}

int
moved_definition_update(struct connection *there, const struct name *domain, struct error *error)
{
    AUTO(document_clear) struct document live = {0};
    AUTO(request_clear) struct request now = {0};
    struct connection_domain known;
    int rc = connection_find(there, domain->text, &known, error);

    if (rc < 0 || !known.is_running || !known.is_persistent)
        return rc;
    rc = connection_xml(there, domain, CONNECTION_LIVE, false, &live, error);
    if (rc == 0)
        rc = request_parse(&live, &now, error);
    return rc < 0 ? rc : moved_definition_follow(there, domain, &now, error);
}
