/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/vgpuctl.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "capture/playback.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "cli/typed-line.h"
#include "cli/watch.h"
#include "lease/log.h"

#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

/* --- what vgpuctl says of its commands -------------------------------------------------------- */

/* The commands are grouped as the manual groups them: a group for each page. The completions read
 * this text, and a check compares the manual with it. */

#define COLUMNS 32 /* width of a command with its arguments */

/* The command 'help' itself, for lists. It has no `run`, because it needs all commands. */
static const struct command help_command = {
    .name = "help",
    .arguments = "[COMMAND]",
    .help = "list all commands, or open the manual page of one",
    .example = "vgpuctl help attach",
    .page = "vgpuctl",
    .most = 1,
};

/* Without a screen the width has no limit, because programs such as the completion read the
 * text. */
static unsigned
width_of(const struct command_call *call)
{
    return call->terminal->is_screen ? terminal_width(call->terminal) : INT_MAX;
}

static const struct {
    const char *page, *title;
} groups[] = {
    {"vgpuctl-show", "What there is"},
    {"vgpuctl-guest", "What a guest asks for and gets"},
    {"vgpuctl-gpu", "GPUs"},
    {"vgpuctl-migrate", "Another host for a guest"},
    {"vgpuctl-repair", "What is wrong, and how it is cleaned up"},
};

static void
print_command(const struct command *command, const struct command_call *call)
{
    char head[64];

    snprintf(head, sizeof(head), "  %s %s", command->name, command->arguments);
    say_beside(call->out, head, COLUMNS, command->help, width_of(call));
}

/* Prints all commands and options. */
static void
print_commands(const struct command *const *commands, const struct command_call *call)
{
    FILE *out = call->out;

    fprintf(out, "Usage: vgpuctl COMMAND [ARGUMENT]... [OPTION]...\n");
    for (size_t i = 0; i < COUNT(groups); i++) {
        fprintf(out, "\n%s (%s(1)):\n", groups[i].title, groups[i].page);
        for (const struct command *const *command = commands; *command; command++) {
            if (!strcmp((*command)->page, groups[i].page))
                print_command(*command, call);
        }
    }
    fprintf(out, "\nHelp (vgpuctl(1)):\n");
    print_command(&help_command, call);
    fprintf(out, "\nOptions:\n");
    options_help(UINT64_MAX, help_command.option_help, width_of(call), out);
    fprintf(out, "\n'vgpuctl COMMAND --help' says which of them a command takes.\n"
                 "Exit status: 0 done, 1 failed, 2 usage, 3 no capacity, 4 busy.\n");
}

/* Prints what one command takes. */
static void
print_usage(const struct command *command, const struct command_call *call)
{
    FILE *out = call->out;

    fprintf(out, "Usage: vgpuctl %s%s%s [OPTION]...\n\n%c%s.\n\nOptions:\n", command->name,
            *command->arguments ? " " : "", command->arguments, (char)(*command->help - 'a' + 'A'),
            command->help + 1);
    options_help(command->options | OPTION_BITS_ALWAYS, command->option_help, width_of(call), out);
    fprintf(out, "\nExample:\n  %s\n\nSee %s(1).\n", command->example, command->page);
}

#define MAN         "/usr/bin/man"
#define MAN_TIMEOUT 10000 /* ms until it says whether it has a page */

/* man(1) hands these words to less(1), unless the user has words of his own. */
static void
begin_at(const char *name)
{
    char less[64];

    snprintf(less, sizeof(less), "-R +/^ *%s [A-Z[]", name);
    setenv("MANLESS", less, 0);
}

/* Opens the manual page of a command, at the command. Does not return if there is such a page: the
 * process becomes man(1), which waits for a person as long as that takes. */
static void
open_page(const struct command *command, const struct command_call *call)
{
    char *const ask[] = {(char *)MAN, (char *)"-w", (char *)"1", (char *)command->page, NULL};
    char *const become[] = {(char *)MAN, (char *)"1", (char *)command->page, NULL};
    AUTO_CLOSE int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (!call->host->run || nowhere < 0 ||
        call->host->run(call->host, ask, nowhere, MAN_TIMEOUT) != 0)
        return;
    fflush(call->out);
    begin_at(command->name);
    execv(MAN, become);
}

/* --- one command ------------------------------------------------------------------------------ */

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
    if (!strcmp(help_command.name, name))
        return &help_command;
    suggest_offer(&suggest, help_command.name);
    for (size_t i = 0; i < COUNT(synonyms); i++) {
        if (!strcmp(synonyms[i].said, name))
            suggest.best = synonyms[i].meant;
    }
    error_refuse(error, ERROR_USAGE, "there is no command \"%s\"%s", name,
                 suggest_text(&suggest).text);
    error_advise_command(error, "see", "vgpuctl --help");
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
    const struct answers *misses = &playback->misses;

    if (misses->count)
        reply_warn(call, ERROR_UNKNOWN, "not recorded in %s: /%s%s",
                   call->options.values[OPTION_ROOT], misses->items[0]->path,
                   misses->count > 1 ? ", and others: what is said of them is not known" : "");
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

    if (option_given(&call->options, OPTION_WATCH))
        return watch_run(call, command->run, error);
    if (!reply_is_wanted(call))
        return command->run(call, error);
    aside.out = memory_stream(&dropped, &size);
    status = command->run(&aside, error);
    memory_stream_end(aside.out, &dropped);
    return status;
}

static int
check_watch(const struct options *options, struct error *error)
{
    if (!option_given(options, OPTION_INTERVAL) || option_given(options, OPTION_WATCH))
        return 0;
    return error_refuse(error, ERROR_USAGE, "--interval is for --watch");
}

static enum command_status
run(const struct command *command, struct host *host, struct terminal *terminal,
    struct command_call *call, struct error *error)
{
    AUTO(playback_clear) struct playback playback = {0};
    enum command_status status;
    int rc;

    if (options_check(&call->options, command->options | OPTION_BITS_ALWAYS, error) < 0) {
        error_advise_command(error, "see", "vgpuctl %s --help", command->name);
        return COMMAND_USAGE;
    }
    if (option_given(&call->options, OPTION_HELP)) {
        print_usage(command, call);
        return COMMAND_DONE;
    }
    if (check_arguments(command, call, error) < 0)
        return COMMAND_USAGE;
    if (check_watch(&call->options, error) < 0 ||
        terminal_choose_colour(terminal, call->options.values[OPTION_COLOR], error) < 0)
        return COMMAND_USAGE;
    rc = options_read_hosts(&call->options, error);
    if (rc < 0)
        return command_ended(rc, error);
    if (change_root(host, &playback, call, error) < 0)
        return COMMAND_FAILED;
    status = run_apart(command, call, error);
    tell_misses(call, &playback);
    return status;
}

/* The log tells who has changed what. A command that failed may have changed a part before. A
 * command that was not understood has changed nothing; nor has a command that only looked, or that
 * looked at another machine's files. */
static void
log_change(const struct command *command, const struct host *host, const struct command_call *call,
           enum command_status status, const char *line)
{
    static const enum option_key looks[] = {OPTION_DRY_RUN, OPTION_PRINT, OPTION_PRINT_XML,
                                            OPTION_HELP, OPTION_ROOT};
    char user[64];

    if (status == COMMAND_USAGE || command->changes == COMMAND_CHANGES_NOTHING ||
        (command->changes == COMMAND_CHANGES_NAMED_GPU && call->count == 0))
        return;
    for (size_t i = 0; i < COUNT(looks); i++) {
        if (option_given(&call->options, looks[i]))
            return;
    }
    log_command(host, command->name,
                command->changes == COMMAND_CHANGES_DOMAIN ? call->arguments[0] : "-",
                typed_line_user(host, user, sizeof(user)), status == COMMAND_DONE, line);
}

/* --- help ------------------------------------------------------------------------------------- */

/* 'vgpuctl help', of one command or of all. */
static enum command_status
run_help(const struct command *const *commands, const struct command_call *call,
         struct error *error)
{
    const struct command *command;

    if (option_given(&call->options, OPTION_HELP)) {
        print_usage(&help_command, call);
        return COMMAND_DONE;
    }
    if (call->count > 1)
        return command_ended(
            error_refuse(error, ERROR_USAGE, "help: of one command, please, not of several"),
            error);
    if (call->count == 0) {
        print_commands(commands, call);
        return COMMAND_DONE;
    }
    command = find_command(commands, call->arguments[0], error);
    if (!command)
        return COMMAND_USAGE;
    open_page(command, call);
    print_usage(command, call);
    return COMMAND_DONE;
}

/* Runs vgpuctl without a command. */
static enum command_status
run_bare(const struct command *const *commands, const struct command_call *call,
         struct error *error)
{
    if (option_given(&call->options, OPTION_HELP)) {
        print_commands(commands, call);
        return COMMAND_DONE;
    }
    if (option_given(&call->options, OPTION_VERSION)) {
        fprintf(call->out, "vgpuctl (libvirt-vgpu) " VGPU_VERSION "\n");
        return COMMAND_DONE;
    }
    error_refuse(error, ERROR_USAGE, "its COMMAND is missing");
    error_advise_command(error, "see", "vgpuctl --help");
    return COMMAND_USAGE;
}

static enum command_status
choose(struct host *host, const struct command *const *commands, struct terminal *terminal,
       int argc, char *argv[], struct command_call *call, struct error *error)
{
    AUTO_FREE char *line = typed_line_make(argc, argv);
    const struct command *command;
    enum command_status status;
    int rest;

    if (options_read(argc, argv, &call->options, &rest, error) < 0) {
        error_advise_command(error, "see", "vgpuctl --help");
        return COMMAND_USAGE;
    }
    if (rest == argc)
        return run_bare(commands, call, error);
    call->arguments = argv + rest + 1;
    call->count = (size_t)(argc - rest - 1);
    command = find_command(commands, argv[rest], error);
    if (!command)
        return COMMAND_USAGE;
    if (command == &help_command)
        return run_help(commands, call, error);
    call->name = command->name;
    status = run(command, host, terminal, call, error);
    log_change(command, host, call, status, line);
    return status;
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
        reply_print(call, has_failed ? error : NULL);
}

int
vgpuctl_run(struct host *host, const struct command *const *commands, const char *uri,
            const struct terminal *terminal, int argc, char *argv[], FILE *out, FILE *faults)
{
    AUTO(reply_clear) struct reply reply = {.out = out};
    struct terminal own = *terminal;
    struct command_call call = {.host = host,
                                .machine = host,
                                .uri = uri,
                                .terminal = &own,
                                .out = out,
                                .faults = faults,
                                .reply = &reply};
    struct error error = {0};
    enum command_status status;

    /* Text is always UTF-8 here, whatever the terminal's locale is, because libsmartcols needs
     * this. */
    (void)!setlocale(LC_CTYPE, "C.UTF-8");
    status = choose(host, commands, &own, argc, argv, &call, &error);
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
