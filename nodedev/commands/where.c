/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/snapshot.h"
#include "cli/table.h"
#include "libvirt/domain-source.h"
#include "migrate/destinations.h"

enum column { ANSWER, ROOM, REASON, URI };

static const struct table_column columns[] = {
    [ANSWER] = {.name = "ANSWER"},
    [ROOM] = {.name = "ROOM", .kind = TABLE_NUMBER},
    [REASON] = {.name = "REASON", .wraps = true},
    [URI] = {.name = "URI", .extra = true},
};

/* What is asked, and who was asked: this host first, as it may know the domain, and what no libvirt
 * tells of GPUs like its own. */
struct question {
    struct snapshot snapshot;
    struct migrating_guest guest;
    struct remote_hosts hosts;
};

static void
question_clear(struct question *question)
{
    migrating_guest_clear(&question->guest);
    remote_clear(&question->hosts);
    snapshot_clear(&question->snapshot);
}

static int
check_usage(const struct command_call *call, struct error *error)
{
    const char *type = call->options.values[OPTION_TYPE];

    if ((call->count > 0) == (type != NULL) || (type && !*type))
        return error_set(error, -EINVAL,
                         "what is to be there: a DOMAIN, a FILE of its XML, or --type TYPE?");
    if (call->options.uri_count == 0)
        return error_set(error, -EINVAL,
                         "on which hosts? Name them, by --connect URI or --hosts FILE");
    return 0;
}

static int
check_demands(const struct migrating_guest *guest, struct error *error)
{
    return guest->demands.count ? 0
                                : error_set(error, -EINVAL, "%s asks for no vGPU", guest->label);
}

/* What needs no host is read before any is asked. */
static int
read_guest(const struct command_call *call, struct question *question, struct error *error)
{
    struct migrating_guest *guest = &question->guest;
    int rc;

    if (call->count == 0)
        return migrating_guest_of_type(guest, call->options.values[OPTION_TYPE], error);
    if (!domain_source_is_file(call->arguments[0]))
        return 0;
    rc = migrating_guest_read(guest, call->host, call->arguments[0], &question->snapshot.policy,
                              error);
    return rc < 0 ? rc : check_demands(guest, error);
}

static int
ask_hosts(const struct command_call *call, struct question *question, struct error *error)
{
    const struct options *options = &call->options;
    AUTO_FREE const char **uris = calloc(options->uri_count + 1, sizeof(*uris));
    struct remote_question asked = {uris, options->uri_count + 1, CONNECTION_ALL, 0};

    if (!uris)
        return error_set(error, -ENOMEM, "no memory");
    uris[0] = call->uri;
    for (size_t i = 0; i < options->uri_count; i++)
        uris[i + 1] = options->uris[i];
    if (options_timeout(options, &asked.seconds, error) < 0)
        return -EINVAL;
    return remote_ask(call->host, &asked, &question->hosts, error);
}

static int
find_guest(const struct command_call *call, struct question *question, struct error *error)
{
    const struct remote_host *here = &question->hosts.items[0];
    int rc;

    if (question->guest.is_new)
        return 0;
    if (*here->failure.text)
        return error_set(error, -ENOTCONN, "%s", here->failure.text);
    rc = migrating_guest_find(&question->guest, here, call->arguments[0],
                              &question->snapshot.policy, error);
    return rc < 0 ? rc : check_demands(&question->guest, error);
}

static int
judge(const struct command_call *call, const struct question *question, struct destinations *ret,
      struct error *error)
{
    const struct remote_hosts *hosts = &question->hosts;
    char kernel[256] = "";
    const struct migrate_check check = {
        .from = *hosts->items[0].failure.text ? NULL : &hosts->items[0],
        .guest = &question->guest,
        .here = &question->snapshot.inventory,
        .kernel = kernel,
    };

    if (host_read(call->host, kernel, sizeof(kernel), "proc/sys/kernel/osrelease") < 0)
        *kernel = '\0';
    return destinations_judge(&check, hosts->items + 1, hosts->count - 1, ret, error);
}

static void
add_line(struct table *table, const struct destination *destination)
{
    static const char *const words[] = {
        [REMOTE_CAPACITY_YES] = "yes",
        [REMOTE_CAPACITY_UNKNOWN] = "unknown",
        [REMOTE_CAPACITY_NO] = "no",
    };
    const struct migrate_verdict *verdict = &destination->verdict;

    table->host = destination->host->label;
    table_line(table);
    table_set(table, URI, "%s", destination->host->uri);
    if (!destination_has_answered(destination)) {
        table_set(table, REASON, "%s", destination->host->failure.text);
        return;
    }
    table_set(table, ANSWER, "%s", words[verdict->answer]);
    if (verdict->answer == REMOTE_CAPACITY_YES)
        table_set(table, ROOM, "%zu", verdict->room);
    table_set(table, REASON, "%s", verdict->why);
}

static enum command_status
conclude(const struct question *question, const struct destinations *destinations,
         struct error *error)
{
    size_t counts[REMOTE_CAPACITY_NO + 1] = {0}, silent = 0;

    for (size_t i = 0; i < destinations->count; i++) {
        if (destination_has_answered(&destinations->items[i]))
            counts[destinations->items[i].verdict.answer]++;
        else
            silent++;
    }
    if (counts[REMOTE_CAPACITY_YES])
        return COMMAND_DONE;
    error_set(error, 0, "no host is sure to take %s: %zu would not, %zu may, %zu gave no answer",
              question->guest.label, counts[REMOTE_CAPACITY_NO], counts[REMOTE_CAPACITY_UNKNOWN],
              silent);
    return silent || counts[REMOTE_CAPACITY_UNKNOWN] ? COMMAND_FAILED : COMMAND_NO_CAPACITY;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(question_clear) struct question question = {0};
    AUTO(destinations_clear) struct destinations destinations = {0};
    AUTO(table_end) struct table table = {0};
    int rc;

    if (table_start(&table, "where", columns, COUNT(columns), call, error) < 0 ||
        check_usage(call, error) < 0)
        return COMMAND_USAGE;
    if (snapshot_take(&question.snapshot, call->host, &inventory_all_types, error) < 0 ||
        read_guest(call, &question, error) < 0)
        return COMMAND_FAILED;
    rc = ask_hosts(call, &question, error);
    if (rc < 0)
        return rc == -EINVAL ? COMMAND_USAGE : COMMAND_FAILED;
    if (find_guest(call, &question, error) < 0 || judge(call, &question, &destinations, error) < 0)
        return COMMAND_FAILED;
    for (size_t i = 0; i < destinations.count; i++)
        add_line(&table, &destinations.items[i]);
    if (table_print(&table, call->out, error) < 0)
        return COMMAND_FAILED;
    return conclude(&question, &destinations, error);
}

const struct command command_where = {
    .name = "where",
    .arguments = "[DOMAIN|FILE]",
    .help = "say which of several hosts would take a domain, or a type, the best first",
    .most = 1,
    .options = OPTION_BIT(OPTION_TYPE) | OPTION_BITS_REMOTE | OPTION_BITS_TABLE,
    .run = run,
};
