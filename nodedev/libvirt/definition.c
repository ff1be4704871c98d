/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/definition.h"
#include "domain/request-parser.h"

#include <string.h>

static bool
is_same(const struct document *a, const struct document *b)
{
    return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

static int
refuse(struct error *error)
{
    return error_set(error, -ESTALE, "somebody else has changed it meanwhile");
}

/* libvirt writes the XML in its own words. So only the devices are compared. */
static int
has_devices_of(const struct document *written, const struct document *after, bool *ret,
               struct error *error)
{
    AUTO(request_clear) struct request wanted = {0};
    AUTO(request_clear) struct request there = {0};
    int rc = request_parse_draft(after, &wanted, error);

    if (rc == 0)
        rc = request_parse_draft(written, &there, error);
    *ret = wanted.hostdev_count == there.hostdev_count;
    for (size_t i = 0; *ret && i < there.hostdev_count; i++)
        *ret = name_equal(&wanted.hostdevs[i].source, &there.hostdevs[i].source);
    return rc;
}

int
definition_replace(struct connection *connection, const struct name *domain,
                   const struct document *before, const struct document *after,
                   struct document *written, struct error *error)
{
    AUTO(document_clear) struct document now = {0};
    bool has = false;
    int rc = connection_xml(connection, domain, CONNECTION_CONFIG, true, &now, error);

    *written = (struct document){0};
    if (rc == 0 && !is_same(&now, before))
        rc = refuse(error);
    if (rc == 0)
        rc = connection_define(connection, after, error);
    if (rc == 0)
        rc = connection_xml(connection, domain, CONNECTION_CONFIG, true, written, error);
    if (rc == 0)
        rc = has_devices_of(written, after, &has, error);
    return rc == 0 && !has ? refuse(error) : rc;
}
