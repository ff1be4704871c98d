/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/log.h"
#include "base/array.h"
#include "base/printable.h"
#include "cli/table.h"
#include "commands/commands.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define JOURNAL    "run/systemd/journal"
#define JOURNALCTL "/usr/bin/journalctl"
#define LONGEST    60000 /* ms that it may take */

enum column { TIME, DOMAIN, UUID, EVENT, DEVICE, TYPE, GPU, RESULT, COLUMNS };

static const struct table_column columns[] = {
    [TIME] = {.name = "TIME", .drop = 3},     [DOMAIN] = {.name = "DOMAIN", .wraps = true},
    [UUID] = {.name = "UUID", .extra = true}, [EVENT] = {.name = "EVENT"},
    [DEVICE] = {.name = "DEVICE", .drop = 2}, [TYPE] = {.name = "TYPE", .drop = 4},
    [GPU] = {.name = "GPU", .drop = 1},       [RESULT] = {.name = "RESULT", .wraps = true},
};

/* --- lines ------------------------------------------------------------------------------------ */

/* What a line says, as parts of it. NULL: nothing of that. */
struct event {
    const char *values[COLUMNS];
};

/* "domain=web01 event=prepare device=... result=ok": the last has blanks (lease/log.h). */
static bool
read_ours(char *message, struct event *ret)
{
    static const char *const keys[COLUMNS] = {
        [DOMAIN] = "domain=", [UUID] = "uuid=", [EVENT] = "event=",   [DEVICE] = "device=",
        [TYPE] = "type=",     [GPU] = "gpu=",   [RESULT] = "result=",
    };
    char *word = message;

    while (word && !ret->values[RESULT]) {
        char *end = strncmp(word, keys[RESULT], strlen(keys[RESULT])) ? strchr(word, ' ') : NULL;

        if (end)
            *end++ = '\0';
        for (size_t i = 0; i < COLUMNS; i++) {
            if (keys[i] && !strncmp(word, keys[i], strlen(keys[i])))
                ret->values[i] = word + strlen(keys[i]);
        }
        word = end;
    }
    return ret->values[DOMAIN] && ret->values[EVENT] && ret->values[RESULT];
}

/* What the hook says when it refuses libvirt tells at the end of a line of its own: "Hook script
 * execution failed: ... /50-vgpu web01 prepare begin -) unexpected exit status 1: vgpu: web01:
 * ...". Both have the domain's name. */
static bool
read_refusal(char *message, struct event *ret)
{
    static const char begin[] = "vgpu: ";
    static const char *const events[] = {"prepare", "start", "migrate", "restore"};
    char *said = strstr(message, "ook script execution failed"), *end;

    said = said ? strstr(said, begin) : NULL;
    end = said ? strstr(said + strlen(begin), ": ") : NULL;
    if (!end)
        return false;
    *said = *end = '\0';
    ret->values[DOMAIN] = said + strlen(begin);
    ret->values[RESULT] = end + strlen(": ");
    ret->values[EVENT] = "refused";
    for (size_t i = 0; i < COUNT(events); i++) {
        char words[32];

        snprintf(words, sizeof(words), " %s begin ", events[i]);
        if (strstr(message, words))
            ret->values[EVENT] = events[i];
    }
    return true;
}

static const struct source {
    const char *program; /* as the log calls it */
    const char *field;   /* of the journal, which says so: libvirt writes no identifier there */
    bool (*read)(char *message, struct event *ret);
    const char *before; /* what it says */
} sources[] = {
    {"libvirt-vgpu-hook", "SYSLOG_IDENTIFIER", read_ours, ""},
    {"vgpuctl", "SYSLOG_IDENTIFIER", read_ours, ""},
    {"libvirtd", "_COMM", read_refusal, "refused: "},
    {"virtqemud", "_COMM", read_refusal, "refused: "},
};

/* "2026-11-23T12:00:01+0000" or "Nov 23 12:00:01". */
static size_t
time_length(const char *line)
{
    size_t length = strlen(line);

    if (isdigit((unsigned char)*line))
        return strcspn(line, " ");
    return length < 15 ? length : 15;
}

/* "TIME [HOST] PROGRAM[PID]: MESSAGE": who says it; NULL: nobody who concerns us, or nothing that
 * does. */
static const struct source *
read_line(char *line, struct event *ret)
{
    char *end = strstr(line, "]: "), *pid = end, *program;

    *ret = (struct event){0};
    while (pid && pid > line && *pid != '[')
        pid--;
    program = pid;
    while (program && program > line && program[-1] != ' ')
        program--;
    for (size_t i = 0; program && i < COUNT(sources); i++) {
        size_t length = strlen(sources[i].program);

        if (length != (size_t)(pid - program) || strncmp(program, sources[i].program, length))
            continue;
        if (!sources[i].read(end + strlen("]: "), ret))
            return NULL;
        ret->values[TIME] = line;
        line[time_length(line)] = '\0';
        return &sources[i];
    }
    return NULL;
}

/* By its name, as a person writes it or as the log does, or by its UUID. */
static bool
is_about(const struct event *event, const char *domain)
{
    char word[256];
    struct name uuid;

    if (!domain || !strcmp(event->values[DOMAIN], domain))
        return true;
    log_word(domain, word, sizeof(word));
    printable_make(word);
    return !strcmp(event->values[DOMAIN], word) ||
           (event->values[UUID] && name_parse_uuid(&uuid, domain) == 0 &&
            !strcmp(event->values[UUID], uuid.text));
}

/* --- the log ---------------------------------------------------------------------------------- */

/* Only root's own lines: anybody may call himself what we are called. */
static int
ask_journal(const struct host *host, struct error *error)
{
    AUTO_CLOSE int out = memfd_create("journal", MFD_CLOEXEC);
    char programs[COUNT(sources)][64];
    const char *argv[6 + 3 * COUNT(sources)] = {JOURNALCTL, "--quiet", "--no-hostname", "--boot",
                                                "--output=short-iso"};
    size_t count = 5;
    int rc;

    if (out < 0)
        return error_set(error, -errno, "no memory for the log: %m");
    for (size_t i = 0; i < COUNT(sources); i++) {
        snprintf(programs[i], sizeof(programs[i]), "%s=%s", sources[i].field, sources[i].program);
        if (i)
            argv[count++] = "+";
        argv[count++] = programs[i];
        argv[count++] = "_UID=0";
    }
    rc = host->run ? host->run(host, (char *const *)argv, out, LONGEST) : -EOPNOTSUPP;
    if (rc == -ETIMEDOUT)
        return error_set(error, rc, JOURNALCTL " did not end within %u seconds", LONGEST / 1000);
    if (rc < 0)
        return error_set(error, rc, "cannot run " JOURNALCTL ": %s", strerror(-rc));
    if (rc > 0)
        return error_set(error, -EIO, JOURNALCTL " failed (exit status %d); it says why above", rc);
    if (lseek(out, 0, SEEK_SET) < 0)
        return error_set(error, -errno, "cannot read the log: %m");
    return TAKE_FD(out);
}

/* Where there is no journal, or on another machine's disk. */
static int
open_file(const struct host *host, struct error *error)
{
    static const char *const files[] = {"var/log/syslog", "var/log/messages", "var/log/daemon.log"};

    for (size_t i = 0; i < COUNT(files); i++) {
        int fd = host_open(host, files[i], O_RDONLY, 0);

        if (fd >= 0)
            return fd;
        if (errno != ENOENT)
            return error_set(error, -errno, "/%s: %m", files[i]);
    }
    return error_set(error, -ENOENT,
                     "there is no log here: no journal, and none of /%s, /%s and /%s", files[0],
                     files[1], files[2]);
}

static int
add_lines(FILE *log, const char *domain, struct table *table)
{
    AUTO_FREE char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, log) > 0) {
        struct event event;
        const struct source *source;

        line[strcspn(line, "\n")] = '\0';
        source = read_line(line, &event);
        if (!source || !is_about(&event, domain))
            continue;
        table_line(table);
        for (size_t i = 0; i < RESULT; i++)
            table_set_text(table, i, event.values[i]);
        table_set(table, RESULT, "%s%s", source->before, event.values[RESULT]);
    }
    return ferror(log) ? -EIO : 0;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    const char *domain = call->count ? call->arguments[0] : NULL;
    bool has_journal = call->uri && host_exists(call->host, JOURNAL);
    AUTO(table_end) struct table table = {0};
    FILE *log;
    int fd, rc;

    if (table_start(&table, "events", columns, COUNT(columns), call, error) < 0)
        return COMMAND_USAGE;
    fd = has_journal ? ask_journal(call->host, error) : open_file(call->host, error);
    if (fd < 0)
        return COMMAND_FAILED;
    log = fdopen(fd, "r");
    rc = log ? add_lines(log, domain, &table) : -errno;
    if (log)
        fclose(log);
    else
        close(fd);
    if (rc < 0) {
        error_set(error, rc, "cannot read the log: %s", strerror(-rc));
        return COMMAND_FAILED;
    }
    table_say_empty(&table, call, "the log, as far as you may read it, says nothing of vGPUs of %s",
                    domain ? domain : "any guest");
    return table_print(&table, call->out, error) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_log = {
    .name = "log",
    .arguments = "[DOMAIN]",
    .help = "show what the log says of the vGPUs of a domain, or of all",
    .least = 0,
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_TABLE,
    .run = run,
};
