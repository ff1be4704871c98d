/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A process has given up its rights: which calls it may not make, and which it still may. */

#include "base/rights.h"
#include "base/cleanup.h"
#include "fake/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 65534

/* The processors for which there is a filter. */
#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_FILTER 1
#else
#define HAS_FILTER 0
#endif

/* A call for which an older C library has no name. */
#define OPEN_TREE_ATTR 467

/* --- one call each ---------------------------------------------------------------------------- */

/* All these calls do no harm, even without our filter. */
struct call {
    const char *name;
    int wanted; /* the expected errno; 0 for success */
    long number;
    long arguments[3];
    int (*act)(void); /* this other result is allowed, too: 0 or an errno */
};

/* A 32-bit program calls the kernel in this way, with these numbers. */
static int
call_as_32_bit(void)
{
#ifdef __x86_64__
    long answer = 20; /* getpid */

    __asm__ volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
    return answer < 0 ? (int)-answer : 0;
#else
    return EPERM;
#endif
}

static int
call_as_x32(void)
{
#ifdef __x86_64__
    return syscall(0x40000000 | SYS_getpid) < 0 ? errno : 0;
#else
    return EPERM;
#endif
}

static int
wait_for(pid_t pid)
{
    int status;

    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : waitpid(pid, &status, 0) == pid && status == 0 ? 0 : ECHILD;
}

/* On all processors the first argument has the same position. The other arguments are 0. */
static int
clone_name_space(void)
{
    return wait_for((pid_t)syscall(SYS_clone, CLONE_NEWUTS | SIGCHLD, 0L, 0L, 0L, 0L));
}

static int
fork_child(void)
{
    return wait_for(fork());
}

static int
kill_child(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        pause();
        _exit(1);
    }
    kill(pid, SIGKILL);
    return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) ? 0 : ECHILD;
}

static int
make_timer(void)
{
    timer_t timer;

    return timer_create(CLOCK_BOOTTIME, NULL, &timer) < 0 ? errno : 0;
}

static int
make_pair(void)
{
    int sockets[2];

    return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) < 0 ? errno : 0;
}

#define CALL(name, wanted, number, ...)                                                            \
    {                                                                                              \
        name, wanted, number, {__VA_ARGS__}, NULL                                                  \
    }
#define ACT(name, wanted, function)                                                                \
    {                                                                                              \
        name, wanted, 0, {0}, function                                                             \
    }

static const struct call calls[] = {
    CALL("execve", EPERM, SYS_execve, 0),
    CALL("execveat", EPERM, SYS_execveat, -1),
    CALL("ptrace", EPERM, SYS_ptrace, PTRACE_TRACEME),
    CALL("process_vm_readv", EPERM, SYS_process_vm_readv, 0),
    CALL("process_vm_writev", EPERM, SYS_process_vm_writev, 0),
    CALL("pidfd_getfd", EPERM, SYS_pidfd_getfd, -1, -1),
    CALL("mount", EPERM, SYS_mount, 0),
    CALL("umount2", EPERM, SYS_umount2, 0),
    CALL("pivot_root", EPERM, SYS_pivot_root, 0),
    CALL("mount_setattr", EPERM, SYS_mount_setattr, -1),
    CALL("move_mount", EPERM, SYS_move_mount, -1, 0, -1),
    CALL("open_tree", EPERM, SYS_open_tree, -1),
    CALL("open_tree_attr", EPERM, OPEN_TREE_ATTR, -1),
    CALL("fsopen", EPERM, SYS_fsopen, 0),
    CALL("fsconfig", EPERM, SYS_fsconfig, -1),
    CALL("fsmount", EPERM, SYS_fsmount, -1),
    CALL("fspick", EPERM, SYS_fspick, -1),
    CALL("init_module", EPERM, SYS_init_module, 0),
    CALL("finit_module", EPERM, SYS_finit_module, -1),
    CALL("delete_module", EPERM, SYS_delete_module, 0),
    CALL("bpf", EPERM, SYS_bpf, -1),
    CALL("add_key", EPERM, SYS_add_key, 0),
    CALL("request_key", EPERM, SYS_request_key, 0),
    CALL("keyctl", EPERM, SYS_keyctl, -1),
    CALL("io_uring_setup", EPERM, SYS_io_uring_setup, 0),
    CALL("unshare", EPERM, SYS_unshare, CLONE_NEWUTS),
    CALL("setns", EPERM, SYS_setns, -1),
    ACT("clone of a name space", EPERM, clone_name_space),
    CALL("clone3", ENOSYS, SYS_clone3, 0),
    CALL("a socket of the network", EPERM, SYS_socket, AF_INET, SOCK_STREAM),
    CALL("a socket of netlink", EPERM, SYS_socket, AF_NETLINK, SOCK_RAW),
    CALL("a socket of packets", EPERM, SYS_socket, AF_PACKET, SOCK_RAW),
    CALL("a pair of the network", EPERM, SYS_socketpair, AF_INET, SOCK_STREAM),
    ACT("a call of 32 bits", EPERM, call_as_32_bit),
    ACT("a call of x32", EPERM, call_as_x32),
    /* Calls that the hook makes. */
    CALL("a socket of this machine", 0, SYS_socket, AF_UNIX, SOCK_DGRAM),
    ACT("a pair of this machine", 0, make_pair),
    ACT("fork", 0, fork_child),
    ACT("kill", 0, kill_child),
    ACT("timer_create", 0, make_timer),
    CALL("close_range", 0, SYS_close_range, 100, 200),
};

static int
make_call(const struct call *call)
{
    const long *arguments = call->arguments;

    if (call->act)
        return call->act();
    return syscall(call->number, arguments[0], arguments[1], arguments[2], 0L, 0L) < 0 ? errno : 0;
}

/* Makes the call in a child, with the child's rights or without them. -1: the call has killed the
 * child. */
static int
answer_to(const struct call *call, bool gives_up)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        if (gives_up)
            rights_keep(RIGHTS_TO_CHANGE);
        _exit(make_call(call));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

UNIT_TEST(calls_that_nobody_needs_are_refused)
{
    bool failed = false;

    if (!HAS_FILTER)
        skip();
    for (size_t i = 0; i < COUNT(calls); i++) {
        /* A kernel without 32-bit calls kills a process that makes one. */
        int before = answer_to(&calls[i], false), after = answer_to(&calls[i], true);

        if (before < 0 || after == calls[i].wanted)
            continue;
        print_error("%s: %d (%s), before %d\n", calls[i].name, after, strerror(after), before);
        failed = true;
    }
    assert_false(failed);
}

/* --- capabilities ----------------------------------------------------------------------------- */

/* A number in /proc/self/status, which is written with digits of this base. */
static uint64_t
status_of(const char *key, int base)
{
    FILE *file = fopen("/proc/self/status", "r");
    uint64_t value = UINT64_MAX;
    char line[256];

    while (file && fgets(line, sizeof(line), file)) {
        if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
            value = strtoull(line + strlen(key) + 1, NULL, base);
    }
    if (file)
        fclose(file);
    return value;
}

/* CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYS_ADMIN: the numbers of Linux. */
#define LOOK   (UINT64_C(1) << 1 | UINT64_C(1) << 2 | UINT64_C(1) << 19)
#define CHANGE (LOOK | UINT64_C(1) << 21)

UNIT_TEST(capabilities_are_those_in_use)
{
    static const uint64_t kept[] = {[RIGHTS_TO_LOOK] = LOOK, [RIGHTS_TO_CHANGE] = CHANGE};
    const uint64_t had = status_of("CapPrm", 16), bound = status_of("CapBnd", 16);

    for (size_t i = 0; i < COUNT(kept); i++) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
            rights_keep((enum rights)i);
            _exit(status_of("CapPrm", 16) != (had & kept[i]) ||
                  status_of("CapEff", 16) != (had & kept[i]) || status_of("CapInh", 16) != 0 ||
                  status_of("CapBnd", 16) != bound || status_of("NoNewPrivs", 10) != 1 ||
                  fork_child() != 0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

/* Asks where a process of another user has its standard input open. Returns 0 or errno. */
static int
read_link_of(pid_t pid)
{
    char path[64], target[256];

    snprintf(path, sizeof(path), "/proc/%d/fd/0", (int)pid);
    return readlink(path, target, sizeof(target)) < 0 ? errno : 0;
}

/* Opens a file. Returns 0 or errno. */
static int
open_file(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);

    return fd < 0 ? errno : 0;
}

/* Makes a directory with a file in it, which only another user may read. False: that is not
 * permitted. */
static bool
make_file_of_others(char *directory, const char *path)
{
    AUTO_CLOSE int fd = -1;

    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd >= 0 && fchown(fd, NOBODY, NOBODY) == 0 && chown(directory, NOBODY, NOBODY) == 0;
}

/* A child without rights tries to see another user's file and process. Returns the child's status:
 * 0 if it sees both. */
static int
look_at_others(const char *path)
{
    pid_t other = fork(), looker;
    int status;

    if (other == 0) {
        if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
            pause();
        _exit(1);
    }
    looker = fork();
    if (looker == 0) {
        rights_keep(RIGHTS_TO_LOOK);
        _exit(read_link_of(other) || open_file(path));
    }
    assert_int_equal(waitpid(looker, &status, 0), looker);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    return status;
}

/* The hook opens files that libvirt gave to QEMU's user, and sees which files QEMU has open. This
 * test does the same. */
UNIT_TEST(root_still_sees_what_is_others)
{
    char directory[] = "/tmp/vgpu-rights-XXXXXX";
    bool made = make_file_of_others(directory, "file");
    int status = made ? look_at_others("file") : 0;

    unlink("file");
    rmdir(directory);
    if (!made)
        skip();
    assert_int_equal(status, 0);
}
