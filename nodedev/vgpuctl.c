/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "vgpuctl.h"
#include "command.h"
#include "guess.h"

#include <fcntl.h>
#include <getopt.h>
#include <string.h>

const struct command *const commands[] = {
    &command_reconcile,
};
const size_t command_count = COUNT(commands);

static void
print_help(FILE *out)
{
    fprintf(out, "Usage: vgpuctl [OPTION]... COMMAND [ARGUMENT]...\n\nCommands:\n");
    for (size_t i = 0; i < command_count; i++)
        fprintf(out, "  %s%s%-*s %s\n", commands[i]->name, *commands[i]->arguments ? " " : "",
                (int)(24 - strlen(commands[i]->name)), commands[i]->arguments, commands[i]->help);
    fprintf(out, "\nOptions:\n"
                 "  --root DIR                another machine's file system, recorded or made\n"
                 "  --help, --version\n\n"
                 "Exit status: 0 done, 1 failed, 2 usage, 3 no capacity, 4 busy. "
                 "See vgpuctl(1).\n");
}

static const struct command *
find_command(const char *name, FILE *faults)
{
    struct guess guess = GUESS(name);

    for (size_t i = 0; i < command_count; i++) {
        if (!strcmp(commands[i]->name, name))
            return commands[i];
        guess_offer(&guess, commands[i]->name);
    }
    fprintf(faults, "vgpuctl: there is no command \"%s\"%s%s%s; see 'vgpuctl --help'\n", name,
            guess.best ? " (did you mean " : "", guess.best ? guess.best : "",
            guess.best ? "?)" : "");
    return NULL;
}

/* -1: go on with the command; else the exit status. */
static int
read_options(struct host *host, int argc, char *argv[], FILE *out, FILE *faults)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"root", required_argument, NULL, 'r'},
        {"version", no_argument, NULL, 'v'},
        {NULL, 0, NULL, 0},
    };
    int option;

    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, "+h", options, NULL)) >= 0) {
        switch (option) {
        case 'h':
            print_help(out);
            return COMMAND_DONE;
        case 'v':
            fprintf(out, "vgpuctl (libvirt-vgpu) " VGPU_VERSION "\n");
            return COMMAND_DONE;
        case 'r':
            host->root = open(optarg, O_PATH | O_DIRECTORY | O_CLOEXEC);
            if (host->root >= 0)
                break;
            fprintf(faults, "vgpuctl: --root %s: %m\n", optarg);
            return COMMAND_FAILED;
        default:
            fprintf(faults, "vgpuctl: what is %s? See 'vgpuctl --help'\n", argv[optind - 1]);
            return COMMAND_USAGE;
        }
    }
    if (optind < argc)
        return -1;
    fprintf(faults, "vgpuctl: a command, please; see 'vgpuctl --help'\n");
    return COMMAND_USAGE;
}

int
vgpuctl_run(struct host *host, int argc, char *argv[], FILE *out, FILE *faults)
{
    int status = read_options(host, argc, argv, out, faults);
    const struct command *command;
    struct command_call call = {.host = host, .out = out};
    struct error error = {0};

    if (status >= 0)
        return status;
    command = find_command(argv[optind], faults);
    if (!command)
        return COMMAND_USAGE;
    call.arguments = argv + optind + 1;
    call.count = (size_t)(argc - optind - 1);
    if (call.count > command->most) {
        fprintf(faults, "vgpuctl: usage: vgpuctl %s%s%s\n", command->name,
                *command->arguments ? " " : "", command->arguments);
        return COMMAND_USAGE;
    }
    status = command->run(&call, &error);
    if (fflush(out) != 0 && status == COMMAND_DONE)
        status = (error_set(&error, -EIO, "writing the result: %m"), COMMAND_FAILED);
    if (status != COMMAND_DONE)
        fprintf(faults, "vgpuctl: %s: %s\n", command->name, error.text);
    return status;
}
