/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "log/journal.h"

#include <stdio.h>
#include <string.h>

enum column { TIME, DOMAIN, DOMAIN_UUID, EVENT, DEVICE, TYPE, GPU, RESULT };

static const struct table_column columns[] = {
    [TIME] = {.name = "TIME", .drop = 3},
    [DOMAIN] = {.name = "DOMAIN", .cuts = true},
    [DOMAIN_UUID] = {.name = "DOMAIN-UUID", .extra = true},
    [EVENT] = {.name = "EVENT"},
    [DEVICE] = {.name = "DEVICE", .drop = 2, .yields = true},
    [TYPE] = {.name = "TYPE", .drop = 4},
    [GPU] = {.name = "GPU", .drop = 1, .yields = true},
    [RESULT] = {.name = "RESULT", .wraps = true},
};

/* For programs each time is RFC 3339 in UTC. For people it is local time. On a terminal it is
 * short, so that there is room for the result. */
static void
add_time(const struct event *event, bool is_screen, struct table *table)
{
    struct tm buffer;
    const struct tm *parts =
        table->json ? gmtime_r(&event->time, &buffer) : localtime_r(&event->time, &buffer);
    char text[32];

    if (strftime(text, sizeof(text),
                 table->json ? "%Y-%m-%dT%H:%M:%SZ"
                 : is_screen ? "%b %e %H:%M:%S"
                             : "%Y-%m-%dT%H:%M:%S%z",
                 parts))
        table_set_text(table, TIME, text);
}

/* A line says what there is: what is not said, is none. */
static const char *
said(const char *text)
{
    return text ? text : "";
}

static void
add_event(const struct event *event, bool is_screen, struct table *table)
{
    table_line(table);
    add_time(event, is_screen, table);
    table_set_text(table, DOMAIN, said(event->domain));
    table_set_text(table, DOMAIN_UUID, said(event->uuid));
    table_set_text(table, EVENT, said(event->name));
    table_set_text(table, DEVICE, said(event->device));
    table_set_text(table, TYPE, said(event->type));
    table_set_text(table, GPU, said(event->gpu));
    table_set(table, RESULT, "%s%s", event->is_refused ? "refused: " : "", event->result);
}

/* Adds the lines about a domain, or about all (NULL). */
static int
add_lines(FILE *journal, const char *domain, bool is_screen, struct table *table,
          struct error *error)
{
    AUTO_FREE char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, journal) >= 0) {
        struct event event;

        line[strcspn(line, "\n")] = '\0';
        if (journal_read(line, &event) && (!domain || journal_is_about(&event, domain)))
            add_event(&event, is_screen, table);
    }
    return feof(journal) ? 0 : error_set(error, -errno, "cannot read the journal: %m");
}

static int
show(const struct command_call *call, struct table *table, struct error *error)
{
    const char *domain = call->count ? call->arguments[0] : NULL;
    FILE *journal = journal_open(call->host, call->options.values[OPTION_SINCE], error);
    int rc;

    if (!journal)
        return -EIO;
    rc = add_lines(journal, domain, call->terminal->is_screen, table, error);
    fclose(journal);
    if (rc < 0)
        return rc;
    table_say_empty(table, "the journal, as far as you may read it, says nothing of vGPUs of %s",
                    domain ? domain : "any guest");
    return table_print(table, error);
}

static enum command_status
run_log(const struct command_call *call, struct error *error)
{
    AUTO(table_end) struct table table = {0};

    if (table_start(&table, "events", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    return show(call, &table, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_log = {
    .name = "log",
    .arguments = "[DOMAIN]",
    .help = "show what the journal says of vGPUs, or of the vGPUs of one domain",
    .example = "vgpuctl log web01 --since yesterday",
    .page = "vgpuctl-repair",
    .most = 1,
    .options = OPTION_BIT(OPTION_SINCE) | OPTION_BITS_TABLE | OPTION_BITS_WATCH,
    .run = run_log,
};
