/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/source-edit.h"
#include "base/array.h"
#include "domain/request-parser.h"

int
source_edit_start(const struct domain_source *source, enum connection_side side, bool secrets,
                  struct domain_edit *ret, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = domain_source_text(source, side, secrets, &text, error);

    *ret = (struct domain_edit){0};
    if (rc < 0)
        return rc;
    rc = domain_edit_start(&text, ret, error);
    if (rc < 0)
        error_wrap(error, "%s", source->word);
    return rc;
}

int
source_edit_define(const struct domain_source *source, const struct domain_edit *edit,
                   struct document *written, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = domain_edit_text(edit, &text, error);

    *written = (struct document){0};
    return rc < 0 ? rc
                  : definition_replace(source->connection, &source->domain.uuid, &edit->before,
                                       &text, written, error);
}

static bool
has_display(const struct request *request)
{
    return ARRAY_HAS(request->hostdevs, request->hostdev_count, hostdev, hostdev->has_display);
}

/* An older libvirt takes a definition in which a virtual function has a display, but drops the
 * display. */
int
source_edit_check_display(const struct domain_source *source, const struct document *old,
                          const struct document *written, struct error *error)
{
    AUTO(document_clear) struct document again = {0};
    AUTO(request_clear) struct request request = {0};
    struct error failure;
    int rc = request_parse(written, &request, error);

    if (rc < 0 || has_display(&request))
        return rc;
    rc = error_set(error, -EOPNOTSUPP,
                   "%s: this libvirt drops the display of a virtual function, which it takes from "
                   "11.3 on: leave --display out",
                   source->domain.name);
    if (definition_replace(source->connection, &source->domain.uuid, written, old, &again,
                           &failure) < 0)
        error_add(error, "its definition has the vGPU now: %s", failure.text);
    return rc;
}

int
source_edit_print(const struct domain_source *source, const struct domain_edit *edit,
                  struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = domain_edit_text(edit, &text, error);

    if (rc == 0)
        fwrite(text.text, 1, text.length, source->call->out);
    return rc;
}

struct change *
source_edit_tell(const struct domain_source *source, const char *outcome, const struct name *device,
                 const char *alias, struct changes *ret)
{
    struct change *change = changes_add(ret, source->call->host, outcome, device);

    snprintf(change->domain, sizeof(change->domain), "%s", source->domain.name);
    snprintf(change->alias, sizeof(change->alias), "%s", alias);
    change->domain_uuid = source->domain.uuid;
    change->has_sides = true;
    change->live = source->meant[CONNECTION_LIVE];
    change->config = source->meant[CONNECTION_CONFIG];
    return change;
}
