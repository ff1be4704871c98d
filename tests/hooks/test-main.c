/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The built programs: they have given up their rights before they begin to read the input of
 * others. The test traces the programs, and kills them at this point. */

#include "base/cleanup.h"
#include "fake/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UUID "aaaaaaaa-0000-4000-8000-000000000001"

/* CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE; CAP_SYS_ADMIN: the numbers of Linux. */
#define LOOK  (UINT64_C(1) << 1 | UINT64_C(1) << 2 | UINT64_C(1) << 19)
#define ADMIN (UINT64_C(1) << 21)

/* The processors for which there is a filter. */
#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_FILTER 1
#else
#define HAS_FILTER 0
#endif

static const struct program {
    const char *name;
    const char *arguments[13];
    uint64_t capabilities; /* capabilities that the program may have */
} programs[] = {
    {"libvirt-vgpu-hook", {"guest", "prepare", "begin", "-"}, LOOK | ADMIN},
    {"libvirt-vgpu-callout",
     {"-t", "mtty-2", "-e", "pre", "-a", "start", "-s", "none", "-u", UUID, "-p", "mtty"},
     LOOK},
};

static _Noreturn void
become(const struct program *program)
{
    const char *build = getenv("top_builddir");
    const char *argv[COUNT(program->arguments) + 1] = {program->name};
    char path[512];
    size_t count = 1;

    for (size_t i = 0; program->arguments[i]; i++)
        argv[count++] = program->arguments[i];
    snprintf(path, sizeof(path), "%s/%s", build ? build : ".", program->name);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
        execv(path, (char *const *)argv);
    _exit(127);
}

/* Is the program just before its first read of standard input? */
static bool
is_about_to_read(pid_t pid)
{
    struct __ptrace_syscall_info call;

    return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(call), &call) > 0 &&
           call.op == PTRACE_SYSCALL_INFO_ENTRY && call.entry.nr == SYS_read &&
           call.entry.args[0] == STDIN_FILENO;
}

/* Stops the program at its execve. */
static void
stop(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(
        ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD), 0);
}

/* Runs the program up to its next such read. */
static void
run_until_it_reads(pid_t pid)
{
    int status;

    do {
        assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSTOPPED(status)); /* the program ends without reading */
    } while (WSTOPSIG(status) != (SIGTRAP | 0x80) || !is_about_to_read(pid));
}

static uint64_t
status_of(pid_t pid, const char *key, int base)
{
    uint64_t value = UINT64_MAX;
    char line[256];
    FILE *file;

    snprintf(line, sizeof(line), "/proc/%d/status", (int)pid);
    file = fopen(line, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
            value = strtoull(line + strlen(key) + 1, NULL, base);
    }
    fclose(file);
    return value;
}

UNIT_TEST(rights_are_given_up_before_anything_is_read)
{
    for (size_t i = 0; i < COUNT(programs); i++) {
        pid_t pid = fork();

        if (pid == 0) {
            dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
            become(&programs[i]);
        }
        stop(pid);
        run_until_it_reads(pid);
        assert_int_equal(status_of(pid, "NoNewPrivs", 10), 1);
        assert_int_equal(status_of(pid, "CapPrm", 16) & ~programs[i].capabilities, 0);
        assert_int_equal(status_of(pid, "CapInh", 16), 0);
        if (HAS_FILTER)
            assert_int_equal(status_of(pid, "Seccomp", 10), 2);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
}

/* What a descriptor of the program leads to; "": it is closed. */
static void
descriptor_of(pid_t pid, int fd, char *ret, size_t size)
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
    length = readlink(link, ret, size - 1);
    ret[length > 0 ? length : 0] = '\0';
}

/* If a standard descriptor is closed, no file of ours gets its number: what is printed would get
 * into that file. Others of the caller's stay open in vgpuctl only, as in "explain <(...)". */
UNIT_TEST(closed_descriptors_are_settled)
{
    static const struct program explain = {"vgpuctl", {"explain", "-", "--root", "/"}, 0};
    static const struct program *const rows[] = {&programs[0], &programs[1], &explain};
    char found[256];

    for (size_t i = 0; i < COUNT(rows); i++) {
        pid_t pid = fork();

        if (pid == 0) {
            dup2(open("/dev/zero", O_RDONLY | O_CLOEXEC), 20);
            for (int fd = 0; fd <= STDERR_FILENO; fd++)
                close(fd);
            become(rows[i]);
        }
        stop(pid);
        do { /* the loader reads libraries */
            run_until_it_reads(pid);
            descriptor_of(pid, STDIN_FILENO, found, sizeof(found));
        } while (strstr(found, ".so"));
        for (int fd = 0; fd <= STDERR_FILENO; fd++) {
            descriptor_of(pid, fd, found, sizeof(found));
            if (strcmp(found, "/dev/null"))
                fail_msg("%s: %d is %s", rows[i]->name, fd, found);
        }
        descriptor_of(pid, 20, found, sizeof(found));
        assert_string_equal(found, rows[i] == &explain ? "/dev/zero" : "");
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
}

/* Nobody can get what is printed, so that is a failure. */
UNIT_TEST(a_closed_output_is_no_success)
{
    const char *build = getenv("top_builddir");
    char path[512];
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        snprintf(path, sizeof(path), "%s/vgpuctl", build ? build : ".");
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        execl(path, "vgpuctl", "--version", NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}
