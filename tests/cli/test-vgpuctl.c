/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command line of vgpuctl: the output, stdout or stderr, and the exit status. */

#include "base/reader.h"
#include "commands/commands.h"
#include "cli/vgpuctl.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MACHINE "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n"

#define HERE "test:///default"

static struct scene scene;
static struct typed typed;

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(function) TYPED_TEST(function, here)

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

TEST(help_and_version)
{
    assert_int_equal(run("vgpuctl --help"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    for (size_t i = 0; commands[i]; i++) {
        typed_assert_has(typed.printed, commands[i]->name);
        typed_assert_has(typed.printed, commands[i]->help);
    }
    typed_expect(&scene, HERE, "vgpuctl --version", COMMAND_DONE, "vgpuctl (libvirt-vgpu) ",
                 &typed);
}

TEST(help_of_each_command)
{
    char line[64], usage[64];

    for (size_t i = 0; commands[i]; i++) {
        const struct command *command = commands[i];

        snprintf(line, sizeof(line), "vgpuctl %s --help", command->name);
        snprintf(usage, sizeof(usage), "Usage: vgpuctl %s%s%s [OPTION]...\n\n", command->name,
                 *command->arguments ? " " : "", command->arguments);
        assert_int_equal(run(line), COMMAND_DONE);
        assert_string_equal(typed.faults, "");
        assert_memory_equal(typed.printed, usage, strlen(usage));
        assert_int_equal(typed.printed[strlen(usage)], command->help[0] - 'a' + 'A');
        typed_assert_has(typed.printed, command->help + 1);
        typed_assert_has(typed.printed, ".\n\nOptions:\n");
        typed_assert_has(typed.printed, "--help");
        assert_int_equal(strstr(typed.printed, "--rebuild") != NULL,
                         !strcmp(command->name, "reconcile"));
    }
}

/* The example in a command's help is a line that this command takes, and fits a terminal. */
TEST(an_example_of_each_command)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct command *command = commands[i];
        AUTO_FREE char *copy = strdup(command->example), *line = NULL;
        char *rest = copy, *argv[16] = {NULL}, again[64];
        struct options options;
        struct error error;
        int argc = 0, first;

        assert_true(asprintf(&line, "\n\nExample:\n  %s\n\nSee ", command->example) > 0);
        assert_true(strlen(command->example) <= 78);
        while (argc < 15 && (argv[argc] = strsep(&rest, " ")))
            argc++;
        assert_string_equal(argv[0], "vgpuctl");
        assert_string_equal(argv[1], command->name);
        assert_int_equal(options_read(argc, argv, &options, &first, &error), 0);
        assert_int_equal(options_check(&options, command->options, &error), 0);
        assert_in_range(argc - first - 1, command->least, command->most);
        options_clear(&options);
        snprintf(again, sizeof(again), "vgpuctl %s --help", command->name);
        assert_int_equal(run(again), COMMAND_DONE);
        typed_assert_has(typed.printed, line);
    }
}

/* What an option of several commands is for, in the help of each. */
TEST(options_of_several_commands)
{
    static const char *const rows[][2] = {
        {"guests", "--all                  show domains without vGPUs, too"},
        {"check", "--all                  check every domain, too"},
        {"detach", "--all                  take every vGPU from the domain"},
        {"prove", "--all                  try every type, not one of each size"},
        {"check",
         "--print                print each value of the configuration, with file and line"},
        {"setup", "--print                print how the GPUs are set up now, for vgpu.conf"},
        {"attach", "--count N              how many vGPUs; the default is 1"},
        {"explain", "--count N              how many vGPUs; the default is 1"},
        {"sriov", "--count N              how many functions; the default is all"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[64];

        snprintf(line, sizeof(line), "vgpuctl %s --help", rows[i][0]);
        typed_expect(&scene, HERE, line, COMMAND_DONE, rows[i][1], &typed);
    }
    for (size_t i = 0; commands[i]; i++) {
        for (size_t k = 0; commands[k]; k++) {
            char line[64], other[64];

            snprintf(line, sizeof(line), "vgpuctl %s --help", commands[i]->name);
            snprintf(other, sizeof(other), "of %s,", commands[k]->name);
            assert_int_equal(run(line), COMMAND_DONE);
            assert_null(strstr(typed.printed, other));
        }
    }
}

/* The exit status, and the message, if nothing can be written to its output. */
static int
run_into_the_void(const char *words, char *text, size_t size)
{
    static const struct terminal pipe;
    struct reader reader = READER_IDLE;
    AUTO_FREE char *copy = strdup(words);
    char *argv[5] = {(char[]){"vgpuctl"}}, *rest = copy;
    int argc = 1;
    FILE *full = fopen("/dev/full", "we"), *faults = fmemopen(text, size, "w");
    int status;

    while (argc < 4 && (argv[argc] = strsep(&rest, " ")))
        argc++;
    scene.kernel.host.reader = &reader;
    status = vgpuctl_run(&scene.kernel.host, commands, HERE, &pipe, argc, argv, full, faults);
    scene.kernel.host.reader = NULL;
    reader_stop(&reader);
    fclose(full);
    fclose(faults);
    return status;
}

/* If output cannot be printed, this is a failure. A command that has failed for another reason says
 * that reason. */
TEST(nowhere_to_print)
{
    static const char *const rows[][2] = {
        {"metrics", "metrics: "},
        {"gpus", "gpus: "},
        {"gpus --help", "gpus: "},
        {"status --watch --json", "status: "},
        {"--help", ""},
        {"--version", ""},
        {"help", ""},
        {"help gpus", ""},
    };
    struct fake_guest stray;
    char text[1024], wanted[128];

    alarm(20);
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(wanted, sizeof(wanted), "vgpuctl: %swriting the result: ", rows[i][1]);
        *text = '\0';
        if (run_into_the_void(rows[i][0], text, sizeof(text)) != COMMAND_FAILED ||
            strncmp(text, wanted, strlen(wanted)) != 0)
            fail_msg("%s: %s", rows[i][0], text);
    }
    alarm(0);
    assert_int_equal(run_into_the_void("metrics", text, sizeof(text)), COMMAND_FAILED);
    assert_string_equal(text, "vgpuctl: metrics: writing the result: No space left on device\n");
    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(run_into_the_void("reconcile", text, sizeof(text)), COMMAND_BUSY);
    typed_assert_has(text, "vgpuctl: reconcile: 1 of 1 vGPUs could not be given back yet");
    assert_int_equal(run("vgpuctl reconcile --json"), COMMAND_BUSY);
    typed_assert_has(typed.printed, "\"outcome\": \"left alone\",\n");
    typed_assert_has(typed.printed,
                     "\"word\": \"in-use\",\n         \"text\": \"1 of 1 vGPUs could "
                     "not be given back yet\",\n         \"remedy\": \"\",\n"
                     "         \"advice\": \"run it again later\"\n");
    fake_close(&stray);
}

TEST(wrong_usage)
{
    static const struct {
        const char *line, *words;
    } rows[] = {
        {"vgpuctl help reconsile", "no command \"reconsile\" (did you mean reconcile?)"},
        {"vgpuctl help gpus list", "help: of one command, please, not of several"},
        {"vgpuctl reconsile", "no command \"reconsile\" (did you mean reconcile?)"},
        {"vgpuctl --rott /", "there is no option --rott (did you mean --root?)"},
        {"vgpuctl --root", "--root needs a value"},
        {"vgpuctl reconcile now",
         "reconcile: what is \"now\" for?; usage: vgpuctl reconcile [OPTION]...\n"},
        {"vgpuctl drain", "drain: its GPU is missing; usage: vgpuctl drain GPU [OPTION]...\n"},
        {"vgpuctl drain 0000:18:00.0 18:00.1", "what is \"18:00.1\" for?; usage: "},
        {"vgpuctl detach", "its DOMAIN|FILE is missing"},
        {"vgpuctl migrate-check web01",
         "migrate-check: its URI is missing; usage: vgpuctl migrate-check DOMAIN "},
        {"vgpuctl gpus --rebuild", "it takes no --rebuild"},
        {"vgpuctl gpus -o GPU,NAEM,NUMA",
         "there is no column \"NAEM\" (did you mean NAME?); there"},
        {"vgpuctl gpus -o GPU,SPEED", "there is no column \"SPEED\"; there are:"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        typed_expect(&scene, HERE, rows[i].line, COMMAND_USAGE, rows[i].words, &typed);
        assert_string_equal(typed.printed, "");
        assert_ptr_equal(strchr(typed.faults, '\n'), typed.faults + strlen(typed.faults) - 1);
    }
    typed_expect(&scene, HERE, "vgpuctl --root /no/such reconcile", COMMAND_FAILED,
                 "--root /no/such: No such file or directory", &typed);
}

/* With --json there is a document, wherever on the line the option is. */
TEST(wrong_usage_for_programs)
{
    static const struct {
        const char *line, *text, *remedy, *advice;
    } rows[] = {
        {"vgpuctl reconsile --json",
         "there is no command \\\"reconsile\\\" (did you mean reconcile?)", "vgpuctl --help", ""},
        {"vgpuctl gpus --rott / --json", "there is no option --rott (did you mean --root?)",
         "vgpuctl --help", ""},
        {"vgpuctl remove web01 --json", "there is no command \\\"remove\\\" (did you mean detach?)",
         "vgpuctl --help", ""},
        {"vgpuctl migrate web01 --json", "there is no command \\\"migrate\\\" (did you mean move?)",
         "vgpuctl --help", ""},
        {"vgpuctl --json", "its COMMAND is missing", "vgpuctl --help", ""},
        {"vgpuctl ready --json", "it takes no --json", "vgpuctl ready --help", ""},
        {"vgpuctl drain -J", "its GPU is missing", "", "usage: vgpuctl drain GPU [OPTION]..."},
        {"vgpuctl gpus --json --raw", "--json and --raw are two ways to print a table: one of them",
         "", ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *wanted = NULL;

        assert_int_equal(run(rows[i].line), COMMAND_USAGE);
        if (asprintf(&wanted,
                     "{\n   \"format\": 2,\n   \"memory-unit\": \"MiB\",\n   \"errors\": [\n"
                     "      {\n         \"word\": \"bad-usage\",\n"
                     "         \"text\": \"%s\",\n         \"remedy\": \"%s\",\n"
                     "         \"advice\": \"%s\"\n      }\n   ],\n"
                     "   \"warnings\": []\n}\n",
                     rows[i].text, rows[i].remedy, rows[i].advice) < 0)
            fail_msg("no memory");
        assert_string_equal(typed.printed, wanted);
        typed_assert_has(typed.faults, *rows[i].remedy ? rows[i].remedy : rows[i].advice);
    }
    assert_int_equal(run("vgpuctl gpus --json --help"), COMMAND_DONE);
    assert_null(strstr(typed.printed, "\"errors\""));
}

/* If a user lacks the right, the message says who has it. Other messages do not. */
TEST(unprivileged)
{
    static const char *const lines[] = {"drain mtty", "reconcile", "metrics --output ./file"};
    AUTO_FREE char *before = getcwd(NULL, 0);
    bool is_root = geteuid() == 0;

    /* Without another user in its name space, root cannot become another user. */
    if (is_root && (seteuid(65534) < 0 || seteuid(0) < 0))
        skip();
    fake_write(&scene.kernel, "var/lib/keep", "");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(chmod(scene.kernel.path, 0755), 0);
    assert_int_equal(chdir(scene.kernel.path), 0);
    for (size_t i = 0; i < COUNT(lines); i++) {
        char line[64];

        assert_int_equal(chmod(".", 0555) | chmod("var", 0555) | chmod("var/lib", 0555), 0);
        assert_int_equal(chmod("run/libvirt-vgpu", 0555), 0);
        if (is_root)
            assert_int_equal(seteuid(65534), 0);
        snprintf(line, sizeof(line), "vgpuctl %s", lines[i]);
        run(line);
        if (is_root)
            assert_int_equal(seteuid(0), 0);
        if (typed.status != COMMAND_FAILED)
            fail_msg("%s: %s%s", line, typed.printed, typed.faults);
        typed_assert_has(typed.faults, "Permission denied");
        if (is_root || geteuid() != 0)
            typed_assert_has(typed.faults, "; run it as root\n");
    }
    assert_int_equal(chmod(".", 0755) | chmod("var", 0755) | chmod("var/lib", 0755), 0);
    assert_int_equal(chmod("run/libvirt-vgpu", 0755), 0);
    run("vgpuctl drain no-such-gpu");
    assert_null(strstr(typed.faults, "root"));
    assert_int_equal(chdir(before), 0);
}

TEST(reconcile)
{
    struct fake_guest stray;

    assert_int_equal(run("vgpuctl reconcile"), COMMAND_DONE);
    assert_string_equal(typed.printed, "");
    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(run("vgpuctl reconcile"), COMMAND_BUSY);
    typed_assert_has(typed.printed,
                     "dddddddd-0000-4000-8000-000000000001 guest1 left alone: the vGPU ");
    typed_assert_has(typed.faults, "vgpuctl: reconcile: 1 of 1 vGPUs could not be given back yet");
    fake_close(&stray);
    scene_configure(&scene, "");
    assert_int_equal(run("vgpuctl reconcile --dry-run --rebuild"), COMMAND_USAGE);
    typed_expect(&scene, HERE, "vgpuctl reconcile --dry-run", COMMAND_DONE,
                 " guest1 would be removed: its removal was not finished\n", &typed);
    typed_expect(&scene, HERE, "vgpuctl reconcile --dry-run --json", COMMAND_DONE,
                 "\"outcome\": \"removed\",\n", &typed);
    typed_assert_has(typed.printed, "\"dry-run\": true\n");
    typed_expect(&scene, HERE, "vgpuctl reconcile", COMMAND_DONE,
                 " guest1 removed: its removal was not finished\n", &typed);
    assert_string_equal(typed.faults, "");
    scene_assert_empty(&scene);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "rubbish\n");
    typed_expect(&scene, HERE, "vgpuctl reconcile", COMMAND_FAILED,
                 "vgpuctl: reconcile: /run/libvirt-vgpu/ledger: line 1: ", &typed);
    typed_assert_has(typed.faults, "; 'vgpuctl reconcile --rebuild' makes another from what ");
    fake_write(&scene.kernel, "run/libvirt/qemu/guest1.xml", "<domst");
    typed_expect(&scene, HERE, "vgpuctl reconcile --rebuild", COMMAND_FAILED,
                 "; nothing was changed\n", &typed);
    unlinkat(scene.kernel.host.root, "run/libvirt/qemu/guest1.xml", 0);
    typed_expect(&scene, HERE, "vgpuctl reconcile --rebuild", COMMAND_DONE,
                 "the ledger could not be read, and is now "
                 "/run/libvirt-vgpu/ledger.broken-2",
                 &typed);
    assert_int_equal(run("vgpuctl reconcile --rebuild"), COMMAND_DONE);
    assert_string_equal(typed.printed, "the ledger is sound; nothing was changed\n");
    assert_string_equal(typed.faults, "");
}
