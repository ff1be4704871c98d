/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/move.h"
#include "base/shell-word.h"
#include "cli/reply.h"
#include "libvirt/long-call.h"
#include "migrate/moved-definition.h"

#include <string.h>

/* What the child says after a success. It says MOVED at once. Then it says SETTLED when all is
 * right there, or else what is wrong. If it says nothing after MOVED, it has ended too early.
 * Without success, the child says why the domain was not moved. */
#define MOVED     "moved"
#define SETTLED   "."
#define UNSETTLED "its definition there may name what it had here"

/* --- the child -------------------------------------------------------------------------------- */

/* Makes the XML with which the domain is to run there. It stays empty if nothing is to change. */
static int
make_xml(const struct move *move, struct connection *connection, struct document *ret,
         struct error *error)
{
    AUTO(document_clear) struct document live = {0};
    int rc;

    *ret = (struct document){0};
    if (!move->types || move->types->count == 0)
        return 0;
    rc = connection_xml(connection, move->domain, CONNECTION_LIVE, true, &live, error);
    return rc < 0 ? rc : moved_types_say(move->types, &live, ret, error);
}

static int
migrate(const struct move *move, struct connection *connection, struct error *error)
{
    AUTO(document_clear) struct document xml = {0};
    struct connection_domain domain;
    int rc = connection_find(connection, move->domain->text, &domain, error);

    if (rc < 0)
        return rc;
    if (!domain.is_running && domain.is_saved)
        return error_set(error, -EBUSY,
                         "it has a saved state, which would stay here: start it, or remove that "
                         "with 'virsh managedsave-remove %s'",
                         shell_word(move->name).text);
    if (domain.is_running)
        rc = make_xml(move, connection, &xml, error);
    return rc < 0 ? rc : connection_migrate(connection, move->domain, move->to, xml.text, error);
}

/* The domain has moved, so a failure here is only told. */
static void
settle(const struct move *move, struct error *error)
{
    AUTO(connection_close) struct connection *there = NULL;
    int rc = connection_open(move->call->host, move->to, CONNECTION_WRITE, &there, error);

    if (rc == 0)
        rc = moved_definition_update(there, move->domain, error);
    if (rc < 0)
        error_wrap(error, UNSETTLED);
    else
        error_set(error, 0, SETTLED);
}

static int
work(const void *data, struct connection *connection, FILE *out, struct error *error)
{
    const struct move *move = data;
    int rc = migrate(move, connection, error);

    if (rc < 0)
        return rc;
    fwrite(MOVED, 1, strlen(MOVED), out);
    fflush(out);
    settle(move, error);
    fwrite(error->text, 1, strlen(error->text), out);
    return 0;
}

/* --- who watches it --------------------------------------------------------------------------- */

/* Tells what the child has said, and what became of the domain. */
static int
conclude(const struct move *move, const struct long_call_end *end, struct error *error)
{
    const char *place = move->place ? move->place : "here";
    struct connection_domain domain;
    struct error ignored;

    if (!strncmp(end->said, MOVED, strlen(MOVED))) {
        const char *rest = end->said + strlen(MOVED);

        if (strcmp(rest, SETTLED) != 0)
            reply_warn(move->call, ERROR_FAILED, "%s: %s", move->name, *rest ? rest : UNSETTLED);
        return 0;
    }
    error_set(error, -EIO, "%s is not moved: %s", move->name,
              *end->said ? end->said
                         : "the process that asked libvirt for it has ended without a word");
    if (!end->connection ||
        connection_find(end->connection, move->domain->text, &domain, &ignored) < 0)
        error_add(error, "and whether it is still %s is not known: see 'virsh list --all'", place);
    else
        error_add(error, "it %s %s", domain.is_running ? "still runs" : "is shut off", place);
    return -EIO;
}

int
move_run(const struct move *move, struct error *error)
{
    const struct long_call call = {
        .call = move->call,
        .domain = move->domain,
        .name = move->name,
        .doing = "there",
        .can_stop = true,
        .work = work,
        .data = move,
    };
    AUTO(long_call_clear) struct long_call_end end;
    int rc = long_call_make(&call, &end, error);

    if (rc < 0) {
        error_wrap(error, "%s is not moved", move->name);
        return rc;
    }
    if (move->is_signalled)
        *move->is_signalled |= end.is_signalled;
    return conclude(move, &end, error);
}
