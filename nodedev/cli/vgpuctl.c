/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/vgpuctl.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "capture/playback.h"
#include "cli/reply.h"
#include "cli/hosts-file.h"
#include "cli/say.h"
#include "cli/wrap.h"

#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#define ALWAYS (OPTION_BIT(OPTION_HELP))

#define COLUMNS 32 /* width of a command with its arguments */

/* Without a screen the width has no limit, because programs such as the completion read the
 * text. */
static unsigned
help_width(const struct command_call *call)
{
    return call->terminal->is_screen ? terminal_width(call->terminal) : INT_MAX;
}

static void
print_help(const struct command *const *commands, const struct command_call *call)
{
    FILE *out = call->out;

    fprintf(out, "Usage: vgpuctl COMMAND [ARGUMENT]... [OPTION]...\n\nCommands:\n");
    for (; *commands; commands++) {
        char head[64];

        snprintf(head, sizeof(head), "  %s %s", (*commands)->name, (*commands)->arguments);
        wrap_beside(out, head, COLUMNS, (*commands)->help, help_width(call));
    }
    fprintf(out, "\nOptions:\n");
    options_help(UINT64_MAX, help_width(call), out);
    fprintf(out, "\n'vgpuctl COMMAND --help' says which of them a command takes; "
                 "'vgpuctl help COMMAND' opens its manual page.\n"
                 "Exit status: 0 done, 1 failed, 2 usage, 3 no capacity, 4 busy. "
                 "See vgpuctl(1).\n");
}

static void
print_usage(const struct command *command, const struct command_call *call)
{
    FILE *out = call->out;

    fprintf(out, "Usage: vgpuctl %s%s%s [OPTION]...\n\n%c%s.\n\nOptions:\n", command->name,
            *command->arguments ? " " : "", command->arguments, (char)(*command->help - 'a' + 'A'),
            command->help + 1);
    options_help(command->options | ALWAYS, help_width(call), out);
    fprintf(out, "\nSee %s(1).\n", command->page);
}

/* Words of other tools for what a command does. */
static const struct {
    const char *said, *meant;
} synonyms[] = {
    {"add", "attach"},   {"remove", "detach"}, {"delete", "detach"},
    {"migrate", "move"}, {"show", "status"},
};

static const struct command *
find_command(const struct command *const *commands, const char *name, struct error *error)
{
    struct suggest suggest = SUGGEST(name);

    for (; *commands; commands++) {
        if (!strcmp((*commands)->name, name))
            return *commands;
        suggest_offer(&suggest, (*commands)->name);
    }
    for (size_t i = 0; i < COUNT(synonyms); i++) {
        if (!strcmp(synonyms[i].said, name))
            suggest.best = synonyms[i].meant;
    }
    error_refuse(error, ERROR_USAGE, "there is no command \"%s\"%s", name,
                 suggest_text(&suggest).text);
    error_advise(error, "see 'vgpuctl --help'");
    return NULL;
}

/* With --root the host is another machine's file system, or a capture. This machine's libvirt is
 * not its libvirt. Links are confined to that tree. This machine's own "/" needs no confinement,
 * because no link leads out of it. */
static int
change_root(struct host *host, struct playback *playback, struct command_call *call,
            struct error *error)
{
    const char *root = call->options.values[OPTION_ROOT];
    int rc;

    if (!root)
        return 0;
    call->uri = NULL;
    rc = playback_open(playback, host, root, error);
    if (rc > 0)
        call->host = &playback->host;
    if (rc != 0)
        return rc;
    host->is_confined = strcmp(root, "/") != 0;
    host->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return host->root < 0 ? error_set(error, -errno, "--root %s: %m", root) : 0;
}

/* Returns the n-th word of a command's list of arguments. */
static const char *
argument_name(const struct command *command, size_t n, size_t *length)
{
    const char *word = command->arguments;

    while (n-- && strchr(word, ' '))
        word = strchr(word, ' ') + 1;
    *length = strcspn(word, " ");
    return word;
}

static int
check_arguments(const struct command *command, const struct command_call *call, struct error *error)
{
    size_t length;
    const char *name = argument_name(command, call->count, &length);

    if (call->count < command->least)
        error_refuse(error, ERROR_USAGE, "its %.*s is missing", (int)length, name);
    else if (call->count > command->most)
        error_refuse(error, ERROR_USAGE, "what is \"%s\" for?", call->arguments[command->most]);
    else
        return 0;
    error_advise(error, "usage: vgpuctl %s%s%s [OPTION]...", command->name,
                 *command->arguments ? " " : "", command->arguments);
    return REFUSED;
}

/* Tells which questions the capture does not answer. The results may be wrong without these
 * answers. */
static void
tell_misses(const struct command_call *call, const struct playback *playback)
{
    if (playback->miss_count)
        reply_warn(call, ERROR_UNKNOWN, "not recorded in %s: /%s%s",
                   call->options.values[OPTION_ROOT], playback->first_miss,
                   playback->miss_count > 1 ? ", and others: what is said of them is not known"
                                            : "");
}

/* With --json only the document is printed, so the command's lines for people are dropped. A watch
 * prints its documents itself. */
static enum command_status
run_apart(const struct command *command, const struct command_call *call, struct error *error)
{
    struct command_call aside = *call;
    AUTO_FREE char *dropped = NULL;
    enum command_status status;
    size_t size;

    if (!reply_is_wanted(call) || option_given(&call->options, OPTION_WATCH))
        return command->run(call, error);
    aside.out = memory_stream(&dropped, &size);
    status = command->run(&aside, error);
    memory_stream_end(aside.out, &dropped);
    return status;
}

static enum command_status
run(const struct command *command, struct host *host, struct command_call *call,
    struct error *error)
{
    AUTO(playback_clear) struct playback playback = {0};
    enum command_status status;
    int rc;

    if (options_check(&call->options, command->options | ALWAYS, error) < 0) {
        error_advise(error, "see 'vgpuctl %s --help'", command->name);
        return COMMAND_USAGE;
    }
    if (option_given(&call->options, OPTION_HELP)) {
        print_usage(command, call);
        return COMMAND_DONE;
    }
    if (check_arguments(command, call, error) < 0)
        return COMMAND_USAGE;
    rc = hosts_file_read(&call->options, error);
    if (rc < 0)
        return command_ended(rc, error);
    if (change_root(host, &playback, call, error) < 0)
        return COMMAND_FAILED;
    status = run_apart(command, call, error);
    tell_misses(call, &playback);
    return status;
}

/* --- help ------------------------------------------------------------------------------------- */

#define MAN         "/usr/bin/man"
#define MAN_TIMEOUT 10000 /* ms until it says whether it has a page */

/* Becomes man(1), if there is such a page. man waits for a person as long as that takes. */
static void
open_page(const struct command_call *call, const char *page)
{
    char *const ask[] = {(char *)MAN, (char *)"-w", (char *)"1", (char *)page, NULL};
    char *const become[] = {(char *)MAN, (char *)"1", (char *)page, NULL};
    AUTO_CLOSE int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (!call->host->run || nowhere < 0 ||
        call->host->run(call->host, ask, -1, nowhere, MAN_TIMEOUT) != 0)
        return;
    fflush(call->out);
    execv(MAN, become);
}

/* 'vgpuctl help', of one command or of all. */
static enum command_status
run_help(const struct command *const *commands, const struct command_call *call,
         struct error *error)
{
    const struct command *command;

    if (call->count > 1)
        return command_ended(
            error_refuse(error, ERROR_USAGE, "help: of one command, please, not of several"),
            error);
    if (call->count == 0) {
        print_help(commands, call);
        return COMMAND_DONE;
    }
    command = find_command(commands, call->arguments[0], error);
    if (!command)
        return COMMAND_USAGE;
    open_page(call, command->page);
    print_usage(command, call);
    return COMMAND_DONE;
}

/* Runs vgpuctl without a command. */
static enum command_status
run_bare(const struct command *const *commands, const struct command_call *call,
         struct error *error)
{
    if (option_given(&call->options, OPTION_HELP)) {
        print_help(commands, call);
        return COMMAND_DONE;
    }
    if (option_given(&call->options, OPTION_VERSION)) {
        fprintf(call->out, "vgpuctl (libvirt-vgpu) " VGPU_VERSION "\n");
        return COMMAND_DONE;
    }
    error_refuse(error, ERROR_USAGE, "its COMMAND is missing");
    error_advise(error, "see 'vgpuctl --help'");
    return COMMAND_USAGE;
}

static enum command_status
choose(struct host *host, const struct command *const *commands, int argc, char *argv[],
       struct command_call *call, struct error *error)
{
    const struct command *command;
    int rest;

    if (options_read(argc, argv, &call->options, &rest, error) < 0) {
        error_advise(error, "see 'vgpuctl --help'");
        return COMMAND_USAGE;
    }
    if (rest == argc)
        return run_bare(commands, call, error);
    call->arguments = argv + rest + 1;
    call->count = (size_t)(argc - rest - 1);
    if (!strcmp(argv[rest], "help"))
        return run_help(commands, call, error);
    command = find_command(commands, argv[rest], error);
    if (!command)
        return COMMAND_USAGE;
    call->name = command->name;
    return run(command, host, call, error);
}

/* What could not be written makes a command fail, unless it has failed already. An earlier write
 * may have failed; nobody knows its reason any more. */
static enum command_status
end_output(const struct command_call *call, enum command_status status, struct error *error)
{
    const char *why = fflush(call->out) != 0 ? strerror(errno)
                      : ferror(call->out)    ? "some of it is missing"
                                             : NULL;

    if (!why || status != COMMAND_DONE)
        return status;
    error_set(error, -EIO, "writing the result: %s", why);
    return COMMAND_FAILED;
}

/* Prints the document of --json, also if the command has failed. Help and version have none. */
static void
print_reply(const struct command_call *call, enum command_status status, const struct error *error)
{
    bool has_failed = status != COMMAND_DONE && *error->text;

    if (reply_is_wanted(call) && !call->reply->is_printed &&
        !option_given(&call->options, OPTION_HELP) && (call->name || has_failed))
        reply_print(call, has_failed ? error : NULL, call->out);
}

int
vgpuctl_run(struct host *host, const struct command *const *commands, const char *uri,
            const struct terminal *terminal, int argc, char *argv[], FILE *out, FILE *faults)
{
    AUTO(reply_clear) struct reply reply = {0};
    struct command_call call = {.host = host,
                                .machine = host,
                                .uri = uri,
                                .terminal = terminal,
                                .out = out,
                                .faults = faults,
                                .reply = &reply};
    struct error error = {0};
    enum command_status status;

    /* Text is always UTF-8 here, whatever the terminal's locale is, because libsmartcols needs
     * this. */
    (void)!setlocale(LC_CTYPE, "C.UTF-8");
    status = choose(host, commands, argc, argv, &call, &error);
    if (status != COMMAND_DONE && error.class == ERROR_DENIED && geteuid() != 0)
        error_advise(&error, "run it as root");
    print_reply(&call, status, &error);
    status = end_output(&call, status, &error);
    options_clear(&call.options);
    if (*error.text && status != COMMAND_DONE)
        say_line(faults, "vgpuctl: %s%s%s", call.name ? call.name : "", call.name ? ": " : "",
                 error.text);
    return (int)status;
}
