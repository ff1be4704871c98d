/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/definition.h"
#include "fake/unit.h"

#include <string.h>

struct connection *
definition_begin(const struct host *host, const char *uri, const char *xml)
{
    struct connection *libvirt = NULL;
    struct error error = {0};

    if (connection_open(host, uri, CONNECTION_WRITE, &libvirt, &error) < 0)
        fail_msg("%s", error.text);
    definition_write(libvirt, xml);
    return libvirt;
}

void
definition_write(struct connection *libvirt, const char *xml)
{
    const struct document document = {(char *)xml, strlen(xml)};
    struct error error = {0};

    if (connection_define(libvirt, &document, &error) < 0)
        fail_msg("%s", error.text);
}

char *
definition_read(struct connection *libvirt, const char *name)
{
    struct connection_domain domain;
    struct document document;
    struct error error = {0};

    if (connection_find(libvirt, name, &domain, &error) < 0 ||
        connection_xml(libvirt, &domain.uuid, CONNECTION_CONFIG, true, &document, &error) < 0)
        fail_msg("%s", error.text);
    return document.text;
}
