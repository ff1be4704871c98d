/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "check/definitions-check.h"
#include "libvirt/connection.h"

#include <string.h>

struct checker {
    struct domain_check check; /* with the domains */
    unsigned libvirt;          /* version */
    struct definitions_check *sum;
};

static void
check_text(struct checker *checker, const struct domain_text *text, const char *xml)
{
    struct domain_check check = checker->check;
    const struct document document = {(char *)xml, strlen(xml)};
    struct error error;
    int count;

    check.file = text->name;
    /* A guest that runs has what it has. */
    check.libvirt = text->is_persistent ? checker->libvirt : 0;
    count = domain_check(&check, &document, &error);
    if (count < 0)
        findings_at(check.found, FINDING_ERROR, "bad-xml", text->name, 0, "%s", error.text);
    else
        checker->sum->vgpus += (size_t)count;
}

static int
check_one(void *data, const struct domain_text *text)
{
    struct checker *checker = data;
    struct findings *found = checker->check.found;
    const char *xml = text->is_persistent ? text->config : text->live;
    size_t first = found->count;

    if (xml && *xml)
        check_text(checker, text, xml);
    else
        findings_at(found, FINDING_ERROR, "unreadable", text->name, 0, "its XML cannot be read: %s",
                    text->failure ? text->failure : "libvirt gave none");
    checker->sum->count++;
    checker->sum->faulty += findings_count(found, first, FINDING_ERROR) > 0;
    return 0;
}

int
definitions_check_all(const struct domain_check *check, struct definitions_check *ret,
                      struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    AUTO(domains_clear) struct domains domains = {0};
    AUTO(domain_check_sight_clear) struct domain_check_sight sight = {0};
    struct checker checker = {*check, 0, ret};
    struct error failure;
    int rc = connection_open(check->host, check->uri, CONNECTION_READ, &connection, error);

    *ret = (struct definitions_check){0};
    if (rc < 0)
        return rc;
    checker.check.sight = &sight;
    checker.libvirt = connection_version(connection);
    if (!check->domains) {
        checker.check.domains = &domains;
        /* A definition that could not be read is reported below, with its name. */
        if (connection_domains(connection, &domains, &failure) < 0 && domains.complete)
            return error_set(error, -EIO, "%s", failure.text);
    }
    return connection_each_domain(connection, check_one, &checker, error);
}
