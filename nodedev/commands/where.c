/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/reply.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "libvirt/domain-source.h"
#include "migrate/migrate-question.h"

enum column { ANSWER, ROOM, REASON, URI };

static const struct table_column columns[] = {
    [ANSWER] = {.name = "ANSWER"},
    [ROOM] = {.name = "ROOM", .kind = TABLE_NUMBER},
    [REASON] = {.name = "REASON", .wraps = true},
    [URI] = {.name = "URI", .extra = true},
};

static int
check_usage(const struct command_call *call, struct error *error)
{
    const char *type = call->options.values[OPTION_TYPE];

    if ((call->count > 0) == (type != NULL) || (type && !*type))
        return error_refuse(error, ERROR_USAGE,
                            "what is to be there: a DOMAIN, a FILE of its XML, or --type TYPE?");
    if (call->options.uri_count == 0)
        return error_refuse(error, ERROR_USAGE,
                            "on which hosts? Name them, by --connect URI or --hosts FILE");
    return 0;
}

static int
check_demands(const struct migrating_guest *guest, struct error *error)
{
    return guest->demands.count
               ? 0
               : error_refuse(error, ERROR_USAGE, "%s asks for no vGPU", guest->label);
}

/* Reads all that needs no other host first, so that an error is told before any host is asked. */
static int
read_guest(const struct command_call *call, struct migrate_question *question, struct error *error)
{
    struct migrating_guest *guest = &question->guest;
    int rc;

    if (call->count == 0)
        migrating_guest_of_type(guest, call->options.values[OPTION_TYPE]);
    if (call->count == 0 || !domain_source_is_file(call->arguments[0]))
        return 0;
    rc = migrating_guest_read(guest, call->host, call->arguments[0], &question->snapshot.policy,
                              error);
    return rc < 0 ? rc : check_demands(guest, error);
}

static int
find_guest(const struct command_call *call, struct migrate_question *question, struct error *error)
{
    int rc;

    if (question->guest.is_new)
        return 0;
    rc = migrate_question_find_guest(question, call->arguments[0], error);
    return rc < 0 ? rc : check_demands(&question->guest, error);
}

static void
add_line(struct table *table, const struct destination *destination)
{
    static const char *const words[] = {
        [MIGRATE_YES] = "yes",
        [MIGRATE_UNKNOWN] = "unknown",
        [MIGRATE_NO] = "no",
    };
    const struct migrate_verdict *verdict = &destination->verdict;

    table->host = destination->host->label;
    table_line(table);
    table_set(table, URI, "%s", destination->host->uri);
    if (!destination_has_answered(destination)) {
        table_set(table, REASON, "%s", destination->host->failure.text);
        reply_fail(table->call, &destination->host->failure);
        return;
    }
    table_set(table, ANSWER, "%s", words[verdict->answer]);
    if (verdict->answer == MIGRATE_YES)
        table_set(table, ROOM, "%zu", verdict->room);
    else
        table_set_none(table, ROOM);
    table_set(table, REASON, "%s", verdict->why);
}

static enum command_status
run_where(const struct command_call *call, struct error *error)
{
    AUTO(migrate_question_clear) struct migrate_question question = {0};
    AUTO(destinations_clear) struct destinations destinations = {0};
    AUTO(table_end) struct table table = {0};
    int rc;

    if (table_start(&table, "where", columns, COUNT(columns), call, error) < 0 ||
        check_usage(call, error) < 0)
        return COMMAND_USAGE;
    rc = migrate_question_start(&question, call->host, error);
    if (rc == 0)
        rc = read_guest(call, &question, error);
    if (rc == 0)
        rc = migrate_question_ask(&question, call, call->options.uris, call->options.uri_count,
                                  error);
    if (rc == 0)
        rc = find_guest(call, &question, error);
    if (rc < 0)
        return command_ended(rc, error);
    destinations_judge(&question, &destinations);
    for (size_t i = 0; i < destinations.count; i++)
        add_line(&table, &destinations.items[i]);
    if (table_print(&table, error) < 0)
        return COMMAND_FAILED;
    return destinations_conclude(&destinations, question.guest.label, error);
}

const struct command command_where = {
    .name = "where",
    .arguments = "[DOMAIN|FILE]",
    .help = "ask hosts whether they would take a domain or a type, and list the best first",
    .example = "vgpuctl where web01 --hosts ~/gpu-hosts",
    .page = "vgpuctl-migrate",
    .most = 1,
    .options = OPTION_BIT(OPTION_TYPE) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE,
    .run = run_where,
};
