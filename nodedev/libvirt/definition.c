/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/definition.h"
#include "base/array.h"
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

/* Whether a definition has, or has not, the devices that `some` has and `others` has not. */
static bool
agrees(const struct request *there, const struct request *some, const struct request *others,
       bool has)
{
    return !ARRAY_HAS(some->hostdevs, some->hostdev_count, hostdev,
                      !request_find_hostdev(others, &hostdev->source) &&
                          !request_find_hostdev(there, &hostdev->source) == has);
}

/* libvirt writes the XML in its own words, and somebody may have added to it. So only this change
 * is looked for. */
static int
is_changed_so(const struct document *before, const struct document *after,
              const struct document *written, bool *ret, struct error *error)
{
    AUTO(request_clear) struct request old = {0};
    AUTO(request_clear) struct request new = {0};
    AUTO(request_clear) struct request there = {0};
    int rc = request_parse_draft(before, &old, error);

    if (rc == 0)
        rc = request_parse_draft(after, &new, error);
    if (rc == 0)
        rc = request_parse_draft(written, &there, error);
    *ret = agrees(&there, &new, &old, true) && agrees(&there, &old, &new, false);
    return rc;
}

int
definition_replace(struct connection *connection, const struct name *domain,
                   const struct document *before, const struct document *after,
                   struct document *written, struct error *error)
{
    AUTO(document_clear) struct document now = {0};
    bool is_so = false;
    int rc = connection_xml(connection, domain, CONNECTION_CONFIG, true, &now, error);

    *written = (struct document){0};
    if (rc == 0 && !is_same(&now, before))
        rc = refuse(error);
    if (rc == 0)
        rc = connection_define(connection, after, error);
    if (rc == 0)
        rc = connection_xml(connection, domain, CONNECTION_CONFIG, true, written, error);
    if (rc == 0)
        rc = is_changed_so(before, after, written, &is_so, error);
    return rc == 0 && !is_so ? refuse(error) : rc;
}
