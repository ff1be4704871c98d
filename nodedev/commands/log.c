/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"
#include "base/printable.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "lease/log.h"
#include "program/program.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DIRECTORY  "run/systemd/journal"
#define JOURNALCTL "/usr/bin/journalctl"

/*
 * The journal of systemd tells of guests' vGPUs, as far as journalctl(1) shows it to this user.
 * There are two kinds of such lines: ours (lease/log.h), and libvirt's lines about a start that the
 * hook has refused.
 */

/* --- a line of the journal -------------------------------------------------------------------- */

/* Parts of a line. NULL: the line does not have that part. */
struct event {
    time_t time;
    const char *domain, *uuid, *name, *device, *type, *gpu, *result;
    bool is_refused; /* libvirt tells of a refusal, and the result is its reason */
};

/* Reads a message such as "domain=web01 event=prepare device=... result=ok". Only the last value
 * has blanks (lease/log.h). */
static bool
read_ours(char *message, struct event *ret)
{
    const struct {
        const char *key;
        const char **value;
    } keys[] = {
        {"domain=", &ret->domain}, {"uuid=", &ret->uuid}, {"event=", &ret->name},
        {"device=", &ret->device}, {"type=", &ret->type}, {"gpu=", &ret->gpu},
        {"result=", &ret->result},
    };
    char *word = message;

    while (word && !ret->result) {
        char *end = strncmp(word, "result=", strlen("result=")) ? strchr(word, ' ') : NULL;

        if (end)
            *end++ = '\0';
        for (size_t i = 0; i < COUNT(keys); i++) {
            if (!strncmp(word, keys[i].key, strlen(keys[i].key)))
                *keys[i].value = word + strlen(keys[i].key);
        }
        word = end;
    }
    return ret->domain && ret->name && ret->result;
}

/* Takes the next word of the command that libvirt has run. libvirt quotes words as for a shell.
 * `end` is the character that ends the word: a blank, or the parenthesis after the last word. */
static char *
take_word(char **rest, char *end)
{
    char *word = *rest, *from = word, *to = word;
    bool is_quoted = false;

    for (; *from && (is_quoted || (*from != ' ' && *from != ')')); from++) {
        if (*from == '\'') {
            is_quoted = !is_quoted;
            continue;
        }
        if (*from == '\\' && !is_quoted && from[1])
            from++;
        *to++ = *from;
    }
    *end = *from;
    *rest = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

/* Returns the text behind "NAME: ", with which the hook begins a line. The domain's name may
 * contain ": ". So its length is taken from the command, where nothing was made printable yet. */
static char *
skip_name(char *line, char *word)
{
    size_t length = strlen(word);
    char *end;

    printable_make(word);
    end = !strncmp(line, word, length) && !strncmp(line + length, ": ", 2) ? line + length
                                                                           : strstr(line, ": ");
    if (!end)
        return NULL;
    *end = '\0';
    return end + 2;
}

/* If the hook refuses a start, libvirt logs the hook's message: "Hook script execution failed: ...
 * (LC_ALL=C /etc/libvirt/hooks/qemu.d/50-vgpu web01 prepare begin -) unexpected exit status 1:
 * vgpu: web01: ...". */
static bool
read_refusal(char *message, struct event *ret)
{
    static const char begin[] = "vgpu: ";
    char *rest = strstr(message, "ook script execution failed"), *name = NULL, end = ' ';

    rest = rest ? strchr(rest, '(') : NULL;
    if (!rest)
        return false;
    rest++;
    while (end == ' ' && *take_word(&rest, &end) != '/')
        ;
    if (end == ' ')
        name = take_word(&rest, &end);
    if (end == ' ')
        ret->name = take_word(&rest, &end);
    while (end == ' ')
        (void)take_word(&rest, &end);
    rest = strstr(rest, begin);
    if (!ret->name || !rest)
        return false;
    ret->domain = rest + strlen(begin);
    ret->result = skip_name(rest + strlen(begin), name);
    ret->is_refused = true;
    return ret->result != NULL;
}

/* A program that writes such lines. `program` is its name in the journal's lines. `field` is the
 * journal's field that has this name; libvirt writes no identifier there. `read` reads its
 * messages. */
static const struct source {
    const char *program, *field;
    bool (*read)(char *message, struct event *ret);
} sources[] = {
    {"libvirt-vgpu-hook", "SYSLOG_IDENTIFIER", read_ours},
    {"vgpuctl", "SYSLOG_IDENTIFIER", read_ours},
    {"libvirtd", "_COMM", read_refusal},
    {"virtqemud", "_COMM", read_refusal},
};

/* Reads a line "SECONDS PROGRAM[PID]: MESSAGE" without its line feed, and cuts it into parts. The
 * seconds count from 1970. Returns whether the line tells of a vGPU. */
static bool
journal_read(char *line, struct event *ret)
{
    char *end = strstr(line, "]: "), *pid = end, *program;

    *ret = (struct event){0};
    while (pid && pid > line && *pid != '[')
        pid--;
    program = pid;
    while (program && program > line && program[-1] != ' ')
        program--;
    for (size_t i = 0; program && i < COUNT(sources); i++) {
        const struct source *source = &sources[i];
        size_t length = strlen(source->program);

        if (length != (size_t)(pid - program) || strncmp(program, source->program, length))
            continue;
        if (!source->read(end + strlen("]: "), ret))
            return false;
        ret->time = (time_t)strtoull(line, NULL, 10);
        return true;
    }
    return false;
}

/* Whether an event is about a domain. `domain` is its UUID, or its name as typed or as in the
 * log. */
static bool
journal_is_about(const struct event *event, const char *domain)
{
    char word[256];
    struct name uuid;

    if (!strcmp(event->domain, domain))
        return true;
    log_word(domain, word, sizeof(word));
    printable_make(word);
    return !strcmp(event->domain, word) ||
           (event->uuid && name_parse_uuid(&uuid, domain) == 0 && !strcmp(event->uuid, uuid.text));
}

/* --- all lines of the journal ----------------------------------------------------------------- */

/* Opens the lines that root's programs have written, because any user can write lines under our
 * program's name. `since` is a time that journalctl reads; NULL: the boot. The caller closes the
 * stream. Returns NULL with a line in error. */
static FILE *
journal_open(const struct host *host, const char *since, struct error *error)
{
    AUTO_FREE char *start = since ? memory_format("--since=%s", since) : memory_copy("--boot");
    char programs[COUNT(sources)][64];
    const char *argv[6 + 3 * COUNT(sources)] = {JOURNALCTL, "--quiet", "--no-hostname",
                                                "--output=short-unix", start};
    size_t count = 5;
    FILE *journal;
    int fd;

    if (!host_exists(host, DIRECTORY)) {
        error_set(error, -ENOENT, "systemd's journal does not run on this host");
        error_advise(error, "search the files of its syslog for libvirt-vgpu-hook and vgpuctl");
        return NULL;
    }
    for (size_t i = 0; i < COUNT(sources); i++) {
        snprintf(programs[i], sizeof(programs[i]), "%s=%s", sources[i].field, sources[i].program);
        if (i)
            argv[count++] = "+";
        argv[count++] = programs[i];
        argv[count++] = "_UID=0";
    }
    fd = program_read(host, (char *const *)argv, error);
    if (fd < 0)
        return NULL;
    journal = fdopen(fd, "r");
    if (!journal) {
        error_set(error, -errno, "cannot read the journal: %m");
        close(fd);
    }
    return journal;
}

/* --- the table -------------------------------------------------------------------------------- */

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
