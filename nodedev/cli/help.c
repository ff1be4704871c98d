/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/help.h"
#include "cli/say.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 32 /* width of a command with its arguments */

const struct command help_command = {
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

void
help_print(const struct command *const *commands, const struct command_call *call)
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

void
help_print_usage(const struct command *command, const struct command_call *call)
{
    FILE *out = call->out;

    fprintf(out, "Usage: vgpuctl %s%s%s [OPTION]...\n\n%c%s.\n\nOptions:\n", command->name,
            *command->arguments ? " " : "", command->arguments, (char)(*command->help - 'a' + 'A'),
            command->help + 1);
    options_help(command->options | OPTION_BITS_ALWAYS, command->option_help, width_of(call), out);
    fprintf(out, "\nExample:\n  %s\n\nSee %s(1).\n", command->example, command->page);
}

/* --- the manual ------------------------------------------------------------------------------- */

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

/* Becomes man(1): it waits for a person as long as that takes. */
void
help_open_page(const struct command *command, const struct command_call *call)
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
