/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "log/event.h"
#include "log/journal.h"
#include "log/moment.h"
#include "log/syslog.h"

#include <stdio.h>
#include <string.h>

#define LONGEST (64 << 10) /* bytes of a line */

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

/* The numbers of files: of all, and of those that could not be read. */
struct tally {
    size_t files, failed;
};

/* What the user asks for. */
struct question {
    const char *domain;  /* NULL: any */
    const time_t *since; /* NULL: from the beginning */
    bool is_screen;      /* the answer is shown on a terminal */
};

/* For programs each time has the form of RFC 3339. On a terminal it is short, in local time, so
 * that there is room for the result. Elsewhere people read the log's own words. */
static void
add_time(const struct event *event, const struct question *question, time_t latest,
         struct table *table)
{
    char text[32];
    struct tm parts;
    time_t time;

    if (!table->json && !question->is_screen)
        return table_set_text(table, TIME, event->time);
    if (moment_of_line(event->time, latest, &time) < 0)
        return table_set_text(table, TIME, table->json ? "" : event->time);
    if (strftime(text, sizeof(text), table->json ? "%Y-%m-%dT%H:%M:%SZ" : "%b %e %H:%M:%S",
                 table->json ? gmtime_r(&time, &parts) : localtime_r(&time, &parts)))
        table_set_text(table, TIME, text);
}

/* A line says what there is: what is not said, is none. */
static const char *
said(const char *text)
{
    return text ? text : "";
}

static void
add_event(const struct event *event, const struct question *question, time_t latest,
          struct table *table)
{
    table_line(table);
    add_time(event, question, latest, table);
    table_set_text(table, DOMAIN, said(event->domain));
    table_set_text(table, DOMAIN_UUID, said(event->uuid));
    table_set_text(table, EVENT, said(event->name));
    table_set_text(table, DEVICE, said(event->device));
    table_set_text(table, TYPE, said(event->type));
    table_set_text(table, GPU, said(event->gpu));
    table_set(table, RESULT, "%s%s", event->is_refused ? "refused: " : "", event->result);
}

/* A line without a time that can be read is shown, because it may be recent. */
static bool
is_asked_for(const struct event *event, const struct question *question, time_t latest)
{
    time_t time;

    if (question->domain && !event_is_about(event, question->domain))
        return false;
    return !question->since || moment_of_line(event->time, latest, &time) < 0 ||
           time >= *question->since;
}

/* Reads a line without its line feed. What is longer than any line of ours is cut off. Returns
 * false at the end. */
static bool
read_line(FILE *log, char *line, size_t size)
{
    size_t length = 0;
    int c;

    while ((c = getc_unlocked(log)) != EOF && c != '\n') {
        if (length < size - 1)
            line[length++] = (char)c;
    }
    line[length] = '\0';
    return c != EOF || length > 0;
}

/* Adds the lines of one file. `latest` is when the file was written last. The function closes
 * fd. */
static int
add_lines(int fd, const struct question *question, time_t latest, struct table *table,
          struct error *error)
{
    FILE *log = fdopen(fd, "r");
    AUTO_FREE char *line = memory_zeroed(LONGEST, 1);
    int rc = 0;

    if (!log) {
        rc = error_set(error, -errno, "cannot read the log: %m");
        close(fd);
        return rc;
    }
    while (read_line(log, line, LONGEST)) {
        struct event event;

        if (event_read(line, &event) && is_asked_for(&event, question, latest))
            add_event(&event, question, latest, table);
    }
    if (ferror(log))
        rc = error_set(error, -EIO, "cannot read the log: %s", strerror(EIO));
    fclose(log);
    return rc;
}

static int
add_journal(const struct host *host, const struct question *question, struct table *table,
            struct error *error)
{
    int fd = journal_open(host, question->since, error);

    return fd < 0 ? fd : add_lines(fd, question, time(NULL), table, error);
}

/* A file that cannot be read does not stop the command, because other files may have what is asked
 * for. The failure is told and counted. */
static int
add_files(const struct command_call *call, const struct question *question, struct table *table,
          struct tally *ret, struct error *error)
{
    AUTO(syslog_clear) struct syslog syslog = {0};
    int rc = syslog_find(call->host, question->since, &syslog, error);

    *ret = (struct tally){.files = syslog.count};
    for (size_t i = 0; rc == 0 && i < syslog.count; i++) {
        const struct syslog_file *file = &syslog.files[i];
        struct error failure;
        int fd = syslog_open(call->host, file, &failure);

        if (fd >= 0 && add_lines(fd, question, file->changed, table, &failure) == 0)
            continue;
        say_line(call->faults, "vgpuctl: log: %s", failure.text);
        reply_fail(call, &failure);
        ret->failed++;
    }
    return rc;
}

static int
show(const struct command_call *call, const struct question *question, struct table *table,
     struct error *error)
{
    bool has_journal = call->uri && journal_exists(call->host);
    struct tally tally = {0};
    int rc = has_journal ? add_journal(call->host, question, table, error)
                         : add_files(call, question, table, &tally, error);

    if (rc < 0)
        return rc;
    if (tally.failed == 0)
        table_say_empty(table, "the log, as far as you may read it, says nothing of vGPUs of %s",
                        question->domain ? question->domain : "any guest");
    rc = table_print(table, error);
    if (rc < 0 || tally.failed == 0)
        return rc;
    return error_set(error, -EIO, "%zu of %zu files of the log could not be read", tally.failed,
                     tally.files);
}

static enum command_status
run_log(const struct command_call *call, struct error *error)
{
    const char *since = call->options.values[OPTION_SINCE];
    AUTO(table_end) struct table table = {0};
    time_t moment = 0;
    const struct question question = {.is_screen = call->terminal->is_screen,
                                      .domain = call->count ? call->arguments[0] : NULL,
                                      .since = since ? &moment : NULL};

    if (table_start(&table, "events", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    if (since && moment_parse(since, time(NULL), &moment) < 0) {
        error_refuse(error, ERROR_USAGE,
                     "--since %s: that is no time; say for example \"2026-11-24 06:00\", "
                     "\"today\" or \"2h ago\"",
                     since);
        return COMMAND_USAGE;
    }
    return show(call, &question, &table, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_log = {
    .name = "log",
    .arguments = "[DOMAIN]",
    .help = "show what the log says of vGPUs, or of the vGPUs of one domain",
    .example = "vgpuctl log web01 --since yesterday",
    .page = "vgpuctl-repair",
    .most = 1,
    .options =
        OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_SINCE) | OPTION_BITS_TABLE | OPTION_BITS_WATCH,
    .run = run_log,
};
