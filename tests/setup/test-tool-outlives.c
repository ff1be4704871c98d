/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A tool of NVIDIA's that is still at work while its vgpuctl has ended: nobody gets a vGPU on that
 * card, and no second tool runs on the host. The tools here are real processes.
 */

#include "cli/command.h"
#include "fake/nvidia-tools.h"
#include "fake/typed.h"
#include "program/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>

#define CARD  "0000:3d:00.0"
#define OTHER "0000:5e:00.0"
#define FIRST "0000:3d:00.4"
#define L40S  "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
#define HERE  "test:///default"

static struct scene scene;
static struct typed typed;

/* A tool that waits. It writes to the first pipe when it begins, and goes on when it can read from
 * the second one. As long as it lives, it has the third one open. */
static int began[2], go[2], lives[2];
static unsigned *tools_run; /* how many have begun; shared by all processes */
static const char *script;

static int
run_tool(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    const struct host real = {.root = -1, .ops = &host_kernel};
    char shell[] = "/bin/sh", option[] = "-c", text[512];
    char *const line[] = {shell, option, text, NULL};
    int rc;

    if (!script || nvidia_tools_is_question(argv))
        return nvidia_tools_run(host, argv, out, milliseconds);
    (*tools_run)++;
    snprintf(text, sizeof(text), "began=/proc/self/fd/%d go=/proc/self/fd/%d; %s", began[1], go[0],
             script);
    rc = program_run(&real, line, out, milliseconds);
    return rc ? rc : nvidia_tools_run(host, argv, out, milliseconds);
}

/* A shell need not know descriptors above 9. */
#define WAITS "echo >$began; read line <$go"

static void
begin(void)
{
    nvidia_tools_install(&scene.kernel, CARD, 4);
    scene.kernel.host.run = run_tool;
    tools_run = fake_clock_take_flags(sizeof(*tools_run));
    script = NULL;
}

static void
end(void)
{
    fake_clock_return_flags(tools_run);
}

static const struct typed_case here = {
    {.scene = &scene,
     .machine = "gpu " CARD " vf vfs 4 rule size\n" L40S "gpu " OTHER " vf vfs 4 rule size\n" L40S,
     .configuration = "gpus = ( { address = \"" CARD "\"; setup = { sizes = \"mixed\"; }; } );",
     .begin = begin,
     .end = end},
    &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
run(const char *line, int status, const char *words)
{
    typed_expect(&scene, HERE, line, status, words, &typed);
}

static void
wait_for(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    char byte;

    assert_int_equal(poll(&ready, 1, 600000), 1);
    assert_true(read(fd, &byte, 1) >= 0);
}

/* Runs a line as a process of its own, up to the moment at which its tool is at work. */
static pid_t
start(const char *line, const char *tool)
{
    pid_t pid;

    assert_int_equal(pipe(began), 0);
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(lives), 0);
    script = tool;
    pid = fork();
    if (pid == 0) {
        /* Whoever runs the tests behind a shell's "&" ignores some. */
        for (int number = SIGHUP; number < SIGRTMIN; number++)
            signal(number, SIG_DFL);
        close(lives[0]);
        close(go[1]);
        _exit(typed_run(&scene, HERE, line, &typed));
    }
    close(lives[1]);
    wait_for(began[0]);
    return pid;
}

/* Waits until nobody is left of the tool. */
static void
wait_for_end(void)
{
    wait_for(lives[0]);
    for (int i = 0; i < 2; i++) {
        close(began[i]);
        close(go[i]);
    }
    close(lives[0]);
    script = NULL;
}

/* The tool goes on, and ends. */
static void
let_go(void)
{
    assert_int_equal(write(go[1], "\n", 1), 1);
    wait_for_end();
}

static void
end_by(pid_t pid, int number)
{
    int status;

    assert_int_equal(kill(pid, number), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

/* While the tool lives. */
static void
assert_card_is_kept(void)
{
    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", FIRST), 1);
    scene_assert_said(&scene, CARD " is being proved or set up by vgpuctl just now");
    run("vgpuctl sriov disable " CARD, COMMAND_BUSY, CARD " is being proved");
    typed_assert_has(typed.faults, "another vgpuctl: process ");
    typed_assert_has(typed.faults, " (sh)");
    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, " (sh) was left behind by a vgpuctl that has ended");
}

static void
assert_card_is_free(void)
{
    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", FIRST), 0);
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    assert_null(strstr(typed.printed, "was left behind"));
}

TEST(whatever_ends_vgpuctl)
{
    static const char *const lines[] = {"vgpuctl sriov disable " CARD, "vgpuctl setup " CARD};
    static const int signals[] = {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGPIPE};

    for (size_t i = 0; i < COUNT(lines); i++) {
        for (size_t k = 0; k < COUNT(signals); k++) {
            end_by(start(lines[i], WAITS), signals[k]);
            assert_card_is_kept();
            let_go();
            assert_card_is_free();
        }
    }
    /* The tool has done nothing, and the next setup sees that. */
    run("vgpuctl setup", COMMAND_DONE, "done");
}

/* The clock's own function asks each millisecond. */
static int
lock_or_give_up(const struct host *host, int fd, uint64_t nanoseconds)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    fake_sleep((unsigned)(nanoseconds / 1000000));
    return -ETIMEDOUT;
}

/* From now on, each process that is started. */
static void
give_up_locks(void)
{
    static struct host_ops ops;

    ops = *scene.kernel.host.ops;
    ops.lock = lock_or_give_up;
    scene.kernel.host.ops = &ops;
}

/* Not on another card either. */
TEST(no_second_tool)
{
    pid_t vgpuctl = start("vgpuctl sriov disable " CARD, WAITS);

    /* While its vgpuctl lives, nothing was left behind. */
    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    assert_null(strstr(typed.printed, "was left behind"));
    end_by(vgpuctl, SIGINT);
    give_up_locks();
    run("vgpuctl sriov disable " OTHER, COMMAND_FAILED,
        " (sh) has the lock of NVIDIA's tools, /run/libvirt-vgpu/tools, and has not ended within "
        "100 seconds: one tool runs at a time");
    assert_int_equal(*tools_run, 1);
    assert_int_equal(fake_enabled(&scene.kernel, OTHER), 4);
    let_go();
    run("vgpuctl sriov disable " CARD, COMMAND_DONE, "no virtual functions");
}

/* The tool ends well, and leaves a process behind. No tool can tell how the card is then. */
TEST(what_a_tool_leaves_behind)
{
    pid_t vgpuctl;
    int status;

    give_up_locks();
    vgpuctl =
        start("vgpuctl setup " CARD, "setsid sh -c \"echo >$began; read line <$go\" & exit 0");
    assert_int_equal(waitpid(vgpuctl, &status, 0), vgpuctl);
    assert_int_equal(WEXITSTATUS(status), COMMAND_FAILED);
    assert_true(nvidia_tools->is_mixed);
    assert_card_is_kept();
    let_go();
    assert_card_is_free();
}

/* The kernel does not let go of a tool that was killed. */
static int
hang(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    pid_t pid;

    if (nvidia_tools_is_question(argv))
        return nvidia_tools_run(host, argv, out, milliseconds);
    pid = fork();
    while (pid == 0)
        pause();
    assert_true(pid > 0 && write(began[1], &pid, sizeof(pid)) == sizeof(pid));
    return -ETIMEDOUT;
}

TEST(what_sigkill_does_not_end)
{
    static const char *const lines[] = {"vgpuctl sriov disable " CARD, "vgpuctl setup " CARD};

    assert_int_equal(pipe(began), 0);
    scene.kernel.host.run = hang;
    for (size_t i = 0; i < COUNT(lines); i++) {
        char words[80];
        pid_t pid;

        run(lines[i], COMMAND_FAILED, " did not end within 100 seconds; ");
        assert_int_equal(read(began[0], &pid, sizeof(pid)), sizeof(pid));
        snprintf(words, sizeof(words), "; SIGKILL has not ended process %d (", (int)pid);
        typed_assert_has(typed.faults, words);
        assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", FIRST), 1);
        scene_assert_said(&scene, CARD " is being proved or set up by vgpuctl just now");
        snprintf(words, sizeof(words), " by another vgpuctl: process %d (", (int)pid);
        run("vgpuctl sriov disable " CARD, COMMAND_BUSY, words);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_card_is_free();
    }
    close(began[0]);
    close(began[1]);
}
