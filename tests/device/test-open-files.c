/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * open-files: which processes hold a device, with the real /proc. The device is /dev/zero. The
 * processes are children of the test, and belong to nobody if the test is root's. Files of FUSE and
 * names in mount name spaces are in tests/vm/scenarios/stray-holder.sh.
 */

#include "device/open-files.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE "/dev/zero"

static struct scene scene;
static struct node zero;
static struct host_ops ops;
static struct host host;
static pid_t child;
static unsigned looks, refusals;
static bool is_confined;    /* by AppArmor */
static const char *failing; /* what fails, as "fd/3" of the child, or its end */
static int failure;

/* Of all processes, the child alone is seen. */
static int
list(const struct host *place, const char *path, struct words *ret)
{
    char process[32];

    if (*failing && strstr(path, failing))
        return failure;
    if (strcmp(path, "proc"))
        return host_kernel.list(place, path, ret);
    looks++;
    snprintf(process, sizeof(process), "%d", (int)child);
    words_add(ret, process);
    return 0;
}

/* AppArmor refuses to tell of a file that has a very long path, and logs that. */
static int
device(const struct host *place, const char *path, dev_t *ret)
{
    char target[PATH_MAX];

    if (*failing && strstr(path, failing))
        return failure;
    if (is_confined && host_kernel.link(place, path, target, sizeof(target)) == -ENAMETOOLONG) {
        refusals++;
        return -ENAMETOOLONG;
    }
    return host_kernel.device(place, path, ret);
}

static ssize_t
read_file(const struct host *place, const char *path, char *buffer, size_t size)
{
    return *failing && strstr(path, failing) ? failure
                                             : host_kernel.read(place, path, buffer, size);
}

static void
begin(void)
{
    ops = host_kernel;
    ops.list = list;
    ops.device = device;
    ops.read = read_file;
    failing = "";
    failure = -EACCES;
    looks = refusals = 0;
    is_confined = false;
    zero = (struct node){.number = makedev(1, 5)};
    host = (struct host){.root = scene.kernel.real_root, .ops = &ops};
    assert_int_equal(chmod(scene.kernel.path, 0777), 0);
}

static const struct scene_case here = {.scene = &scene, .machine = "", .begin = begin};
#define TEST(function) SCENE_TEST(function, here)

/* --- the child -------------------------------------------------------------------------------- */

/* Starts a child in the tree, as nobody. The function opens files, and returns whether it could. */
static void
start_child(bool (*open_files)(void))
{
    int told[2];
    char word = 'n';

    assert_int_equal(pipe(told), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(told[0]);
        if (chdir(scene.kernel.path) == 0 && (getuid() || setreuid(65534, 65534) == 0) &&
            prctl(PR_SET_DUMPABLE, 1) == 0 && open_files())
            word = 'y';
        (void)!write(told[1], &word, 1);
        for (;;)
            pause();
    }
    close(told[1]);
    assert_int_equal(read(told[0], &word, 1), 1);
    close(told[0]);
    assert_int_equal(word, 'y');
}

static int
look(void)
{
    AUTO(open_files_clear) struct open_files files = {0};
    int pid = open_files_find(&host, &files, &zero);

    return pid > 0 && pid == (int)child ? 1 : pid;
}

static void
end_child(void)
{
    fake_end(child);
    child = 0;
}

/* What a look says of a child that has these files open: 1: it is the holder. */
static void
expect(bool (*open_files)(void), int answer)
{
    start_child(open_files);
    assert_int_equal(look(), answer);
    end_child();
}

/* --- what holds ------------------------------------------------------------------------------- */

static bool
open_to_read(void)
{
    return open(NODE, O_RDONLY | O_CLOEXEC) >= 0;
}

static bool
open_to_write(void)
{
    return open(NODE, O_WRONLY | O_CLOEXEC) >= 0;
}

/* Such a descriptor is only for ioctl(2). */
static bool
open_for_neither(void)
{
    return open(NODE, O_ACCMODE | O_CLOEXEC) >= 0;
}

TEST(each_mode)
{
    expect(open_to_read, 1);
    expect(open_to_write, 1);
    expect(open_for_neither, 1);
}

static void *
wait_for_ever(void *ignored)
{
    for (;;)
        pause();
    return ignored;
}

static void *
open_and_tell(void *told)
{
    open_to_read();
    (void)!write(*(int *)told, "y", 1);
    return wait_for_ever(NULL);
}

/* The first thread ends. The kernel then shows no descriptors in /proc/PID/fd. */
TEST(first_thread_has_ended)
{
    char path[64], line[256] = "";
    int told[2];

    assert_int_equal(pipe(told), 0);
    child = fork();
    if (child == 0) {
        pthread_t thread;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_create(&thread, NULL, open_and_tell, &told[1]);
        pthread_create(&thread, NULL, wait_for_ever, NULL);
        pthread_exit(NULL);
    }
    assert_int_equal(read(told[0], line, 1), 1);
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
    while (!strstr(line, ") Z ")) {
        FILE *file = fopen(path, "re");

        assert_non_null(file);
        assert_non_null(fgets(line, sizeof(line), file));
        fclose(file);
        sched_yield();
    }
    assert_int_equal(look(), 1);
    failing = "/task";
    assert_int_equal(look(), -EACCES);
    end_child();
    close(told[0]);
    close(told[1]);
}

/* --- what does not ---------------------------------------------------------------------------- */

static bool
open_nothing(void)
{
    return true;
}

static bool
open_another(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC) >= 0;
}

static bool
open_path(void)
{
    return open(NODE, O_PATH | O_CLOEXEC) >= 0;
}

static bool
open_names(void)
{
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC;
    int sockets[2];

    return chdir("x") == 0 && mkdir("dev", 0755) == 0 && chdir("dev") == 0 &&
           open("zero", flags, 0600) >= 0 && open("12 (deleted)", flags, 0600) >= 0 &&
           mkfifo("full", 0600) == 0 && open("full", O_RDWR | O_CLOEXEC) >= 0 &&
           open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 &&
           socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0;
}

/* The path of a file is longer than any buffer for paths, and than AppArmor's. */
static bool
open_deep(void)
{
    static const char name[] =
        "long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-"
        "long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long";

    bool is_there = chdir("x") == 0;

    for (size_t i = 0; is_there && i < 10000 / sizeof(name); i++)
        is_there = (mkdir(name, 0777) == 0 || errno == EEXIST) && chdir(name) == 0;
    return is_there && open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600) >= 0 &&
           open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0;
}

static bool
open_deep_and_node(void)
{
    return open_deep() && open_to_read();
}

/* Removes what is in a directory. A path to it may be too long. */
static void
remove_below(int above)
{
    AUTO(words_clear) struct words names = {0};
    int copy = openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(words_read_directory(copy, &names), 0);
    for (size_t i = 0; i < names.count; i++) {
        AUTO_CLOSE int below = -1;

        below = openat(above, names.items[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (below >= 0)
            remove_below(below);
        unlinkat(above, names.items[i], below >= 0 ? AT_REMOVEDIR : 0);
    }
}

TEST(no_holders)
{
    AUTO_CLOSE int x = -1;

    assert_true(mkdirat(scene.kernel.host.root, "x", 0) == 0 &&
                fchmodat(scene.kernel.host.root, "x", 0777, 0) == 0);
    expect(open_nothing, 0);
    expect(open_another, 0);
    expect(open_path, 0);
    expect(open_names, 0);
    expect(open_deep, 0);
    expect(open_deep_and_node, 1);
    is_confined = true;
    expect(open_deep, 0);
    assert_int_equal(refusals, 1);
    expect(open_deep_and_node, 1);
    x = openat(scene.kernel.host.root, "x", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    remove_below(x);
}

/* --- what is not known ------------------------------------------------------------------------ */

static bool
open_first(void)
{
    return close(0) == 0 && open(NODE, O_ACCMODE | O_CLOEXEC) == 0;
}

/* Only what keeps us from looking makes the look unsure. A file system says anything of its
 * files. */
TEST(errors)
{
    static const struct {
        const char *failing;
        int failure, answer;
    } rows[] = {
        {"/fd", -EACCES, -EACCES},   {"/fd", -ENOENT, 0},
        {"/fd/0", -EACCES, -EACCES}, {"/fd/0", -EPERM, -EACCES},
        {"/fd/0", -ENOMEM, -EACCES}, {"/fd/0", -ENOENT, 0},
        {"/fd/0", -EIO, 0},          {"/fd/0", -ESTALE, 0},
        {"/fd/0", -ENAMETOOLONG, 0}, {"/fdinfo/0", -EACCES, -EACCES},
        {"/fdinfo/0", -ENOENT, 0},   {"none", -EACCES, 1},
    };

    start_child(open_first);
    for (size_t i = 0; i < COUNT(rows); i++) {
        failing = rows[i].failing;
        failure = rows[i].failure;
        if (look() != rows[i].answer)
            fail_msg("%s, %s", failing, strerror(-failure));
    }
    end_child();
}

/* One look answers for all devices. */
TEST(one_look)
{
    AUTO(open_files_clear) struct open_files files = {0};
    const struct node null = {.number = makedev(1, 3)}, full = {.number = makedev(1, 7)};
    size_t at = 0;

    start_child(open_another);
    assert_int_equal(open_files_find(&host, &files, &full), 0);
    assert_int_equal(open_files_find(&host, &files, &zero), 0);
    assert_int_equal(open_files_find(&host, &files, &null), child);
    assert_int_equal(looks, 1);
    /* A process that has the node several times comes once. */
    assert_int_equal(open_files_next(&host, &files, &null, &at), child);
    assert_int_equal(open_files_next(&host, &files, &null, &at), 0);
    end_child();
}
