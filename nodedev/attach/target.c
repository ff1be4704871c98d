/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/target.h"
#include "attach/vf-selection.h"
#include "libvirt/domain-source.h"

/* Which definitions are meant. */
static int
choose_sides(const struct options *options, struct target *target, struct error *error)
{
    const struct connection_domain *domain = &target->domain;
    bool config = option_given(options, OPTION_CONFIG), live = option_given(options, OPTION_LIVE);

    if (live && !domain->is_running)
        return error_set(error, -ESRCH, "%s does not run: leave --live out", domain->name);
    if (config && !domain->is_persistent)
        return error_set(error, -ENOENT,
                         "%s is transient: it has no definition that a next start would use",
                         domain->name);
    target->meant[CONNECTION_CONFIG] = config || (!live && !domain->is_running);
    target->meant[CONNECTION_LIVE] = live || (!config && domain->is_running);
    return 0;
}

int
target_open(const struct command_call *call, struct target *ret, struct error *error)
{
    const struct options *options = &call->options;
    int rc;

    *ret = (struct target){.host = call->host, .word = call->arguments[0]};
    if (subject_is_file(ret->word)) {
        ret->meant[CONNECTION_CONFIG] = true;
        if (option_given(options, OPTION_CONFIG) || option_given(options, OPTION_LIVE))
            return error_set(error, -EINVAL, "%s is a file: it takes no --config and no --live",
                             ret->word);
        return 0;
    }
    if (!call->uri)
        return error_set(error, -EINVAL,
                         "%s is no file, and with --root there is no libvirt that knows domains",
                         ret->word);
    rc = connection_open(call->uri, CONNECTION_WRITE, &ret->connection, error);
    if (rc == 0)
        rc = connection_find(ret->connection, ret->word, &ret->domain, error);
    return rc < 0 ? rc : choose_sides(options, ret, error);
}

void
target_close(struct target *target)
{
    connection_close(&target->connection);
}

int
target_text(const struct target *target, enum connection_side side, bool secrets,
            struct document *ret, struct error *error)
{
    *ret = (struct document){0};
    if (!target->connection)
        return subject_read(target->host, target->word, ret, error);
    return connection_xml(target->connection, &target->domain.uuid, side, secrets, ret, error);
}

int
target_edit(const struct target *target, enum connection_side side, bool secrets,
            struct domain_edit *ret, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = target_text(target, side, secrets, &text, error);

    *ret = (struct domain_edit){0};
    if (rc < 0)
        return rc;
    rc = domain_edit_start(&text, ret, error);
    if (rc < 0)
        error_wrap(error, "%s", target->word);
    return rc;
}

int
target_add_named(const struct command_call *call, const struct target *target,
                 const struct name *domain, struct names *ret, struct error *error)
{
    AUTO(connection_close) struct connection *own = NULL;
    AUTO(domains_clear) struct domains domains = {0};
    int rc = 0;

    if (!target->connection && !call->uri)
        return error_set(error, -ENOTCONN, "with --root there is no libvirt that knows domains");
    if (!target->connection)
        rc = connection_open(call->uri, CONNECTION_READ, &own, error);
    if (rc == 0)
        rc = connection_domains(own ? own : target->connection, &domains, error);
    if (rc < 0)
        return rc;
    if (vf_selection_add_named(&domains, domain, ret) < 0)
        return error_set(error, -ENOMEM, "no memory for the domains");
    return domains.complete ? 0 : error_set(error, -EIO, "%s", domains.failure.text);
}

int
target_define(const struct target *target, const struct domain_edit *edit, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = domain_edit_text(edit, &text, error);

    return rc < 0 ? rc : connection_define(target->connection, &text, error);
}

int
target_print(const struct command_call *call, const struct domain_edit *edit, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = domain_edit_text(edit, &text, error);

    if (rc == 0)
        fwrite(text.text, 1, text.length, call->out);
    return rc;
}

enum connection_side
target_side_shown(const struct command_call *call, const struct target *target)
{
    if (!target->connection || option_given(&call->options, OPTION_CONFIG))
        return CONNECTION_CONFIG;
    return option_given(&call->options, OPTION_LIVE) || !target->domain.is_persistent
               ? CONNECTION_LIVE
               : CONNECTION_CONFIG;
}

const char *
target_sides(const struct target *target)
{
    if (!target->meant[CONNECTION_LIVE])
        return "for its next start";
    return target->meant[CONNECTION_CONFIG] ? "as it runs and for its next start" : "as it runs";
}
