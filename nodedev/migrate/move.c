/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/move.h"
#include "base/array.h"
#include "base/shell-word.h"
#include "cli/reply.h"
#include "domain/request-parser.h"
#include "libvirt/definition.h"
#include "libvirt/long-call.h"
#include "placement/demand.h"
#include "xml/domain-edit.h"

#include <string.h>

/* --- the types that it asks for on the way ---------------------------------------------------- */

static bool
is_wide(const struct policy_class *class)
{
    return class && (class->types.count > 1 || class->framebuffer);
}

void
moved_types_find(const struct migrating_guest *guest, const struct inventory *here,
                 const struct policy *policy, struct moved_types *ret)
{
    *ret = (struct moved_types){0};
    for (size_t i = 0; policy_allows(policy, ATTRIBUTE_TYPE) && i < guest->demands.count; i++) {
        const struct demand *demand = &guest->demands.items[i];
        const struct inventory_type *type = migrating_guest_type(guest, here, demand);
        struct moved_type moved = {.device = demand->hostdev->source};

        if (!type || !demand->device || !is_wide(demand->terms.class))
            continue;
        moved.word = inventory_type_has_name(type) ? type->name : type->id.text;
        ARRAY_ADD(ret->items, ret->count, moved);
    }
}

void
moved_types_clear(struct moved_types *types)
{
    free(types->items);
    *types = (struct moved_types){0};
}

/* Puts the types into the XML with which the guest runs. ret is the new XML, which the caller
 * clears. */
static int
say_types(const struct moved_types *types, const struct document *live, struct document *ret,
          struct error *error)
{
    AUTO(domain_edit_end) struct domain_edit edit = {0};
    int rc = domain_edit_start(live, &edit, error);

    for (size_t i = 0; rc == 0 && i < types->count; i++)
        rc = domain_edit_set_type(&edit, types->items[i].device.text, types->items[i].word, error);
    return rc < 0 ? rc : domain_edit_text(&edit, ret, error);
}

/* --- its definition there --------------------------------------------------------------------- */

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

static int
follow_once(struct connection *there, const struct name *domain, const struct request *now,
            struct error *error)
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
move_follow_definition(struct connection *there, const struct name *domain,
                       const struct request *now, struct error *error)
{
    int rc = -ESTALE;

    for (unsigned tries = 0; tries < DEFINITION_TRIES && rc == -ESTALE; tries++)
        rc = follow_once(there, domain, now, error);
    return rc;
}

int
move_update_definition(struct connection *there, const struct name *domain, struct error *error)
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
    return rc < 0 ? rc : move_follow_definition(there, domain, &now, error);
}

/* --- the child -------------------------------------------------------------------------------- */

/* What the child says after a success. It says MOVED at once. Then it says SETTLED when all is
 * right there, or else what is wrong. If it says nothing after MOVED, it has ended too early.
 * Without success, the child says why the domain was not moved. */
#define MOVED     "moved"
#define SETTLED   "."
#define UNSETTLED "its definition there may name what it had here"

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
    return rc < 0 ? rc : say_types(move->types, &live, ret, error);
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
        rc = move_update_definition(there, move->domain, error);
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
