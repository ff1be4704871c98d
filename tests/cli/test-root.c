/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl --root DIR, if DIR is malicious: its links lead outside, or it has pipes in the place of
 * files. vgpuctl reads, writes, makes and removes nothing outside, and waits for nothing.
 */

#include "base/safe-open.h"
#include "cli/command.h"
#include "fake/typed.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
#define GPU      "0000:18:00.0"
#define STATE    "run/libvirt-vgpu"
#define DRAINED  "var/lib/libvirt-vgpu/drained"
#define SECRET   "gpus = ( { address = \"0000:99:00.0\"; } ); # SECRET\n"
#define PATIENCE 20 /* seconds until a test that hangs is killed */

static struct scene scene;
static struct typed typed;
static struct fake_kernel outside; /* this tree is beside the scene's tree */
static int root;

static void
begin(void)
{
    fake_start(&outside, "");
    fake_write(&outside, "victim", SECRET);
    fake_write(&outside, "vgpu.conf", SECRET);
    root = scene.kernel.host.root;
    alarm(PATIENCE);
}

static void
end(void)
{
    alarm(0);
    fake_stop(&outside);
}

static const struct typed_case here = {
    {.scene = &scene, .machine = MACHINE, .begin = begin, .end = end}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* A line with --root in it. */
static int
run(const char *words)
{
    char line[512];

    snprintf(line, sizeof(line), "vgpuctl --root %s %s", scene.kernel.path, words);
    return typed_run(&scene, "test:///default", line, &typed);
}

static void
fake_directory(const char *path)
{
    char file[256];

    snprintf(file, sizeof(file), "%s/.keep", path);
    fake_write(&scene.kernel, file, "");
    assert_int_equal(unlinkat(root, file, 0), 0);
}

/* A link in the root to something outside of it. */
static void
link_out(const char *path, const char *target)
{
    char text[512];

    snprintf(text, sizeof(text), "%s/%s", outside.path, target);
    unlinkat(root, path, 0);
    assert_int_equal(symlinkat(text, root, path), 0);
}

static void
put_pipe(const char *path)
{
    unlinkat(root, path, 0);
    assert_int_equal(mkfifoat(root, path, 0644), 0);
}

static bool
is_there(int directory, const char *path)
{
    return faccessat(directory, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void
assert_untouched(const char *path)
{
    const struct host host = {.root = outside.host.root, .ops = &host_kernel};
    char text[256];

    assert_true(host_read(&host, text, sizeof(text), "%s", path) > 0);
    assert_memory_equal(text, SECRET, strlen(text));
    assert_int_equal(strlen(text), strlen(SECRET) - 1);
}

/* The command stores a new ledger. The old ledger's new name has the time in seconds. A file of
 * this name may exist already. */
static int
rebuild(void)
{
    AUTO(names_clear) struct names names = {0};

    assert_int_equal(host_list(&scene.kernel.host, &names, STATE), 0);
    for (size_t i = 0; i < names.count; i++) {
        struct path path;

        if (!strncmp(names.items[i].text, "ledger.broken", strlen("ledger.broken")) &&
            path_format(&path, STATE "/%s", names.items[i].text) == 0)
            assert_int_equal(unlinkat(root, path.text, 0), 0);
    }
    if (!is_there(root, STATE "/ledger"))
        fake_write(&scene.kernel, STATE "/ledger", "rubbish\n");
    return run("reconcile --rebuild");
}

TEST(a_new_ledger_is_a_new_file)
{
    fake_directory(STATE);
    link_out(STATE "/ledger.new", "victim");
    assert_int_equal(rebuild(), COMMAND_DONE);
    assert_untouched("victim");
    assert_false(is_there(root, STATE "/ledger.new"));
    /* Another name of the outside file does not lead to it either. */
    assert_int_equal(unlinkat(root, STATE "/ledger", 0), 0);
    assert_int_equal(linkat(outside.host.root, "victim", root, STATE "/ledger.new", 0), 0);
    assert_int_equal(rebuild(), COMMAND_DONE);
    assert_untouched("victim");
    assert_int_equal(unlinkat(root, STATE "/ledger", 0), 0);
    put_pipe(STATE "/ledger.new");
    assert_int_equal(rebuild(), COMMAND_DONE);
    assert_int_equal(run("reconcile"), COMMAND_DONE);
}

TEST(the_lock_is_a_file)
{
    fake_directory(STATE);
    link_out(STATE "/lock", "made");
    assert_int_equal(rebuild(), COMMAND_FAILED);
    typed_assert_has(typed.faults, "cannot open /" STATE "/lock");
    assert_false(is_there(outside.host.root, "made"));
    put_pipe(STATE "/lock");
    assert_int_equal(rebuild(), COMMAND_DONE);
}

/* A link in place of the ledger is not followed, not even to a file of the root. The message says
 * what to do, and that works. */
TEST(the_ledger_is_a_file)
{
    fake_directory(STATE);
    for (int i = 0; i < 2; i++) {
        if (i)
            put_pipe(STATE "/ledger");
        else
            link_out(STATE "/ledger", "victim");
        assert_int_equal(run("list"), COMMAND_FAILED);
        typed_assert_has(typed.faults, "/" STATE "/ledger: it is no regular file; 'vgpuctl ");
        assert_int_equal(run("reconcile"), COMMAND_FAILED);
        typed_assert_has(typed.faults, "/" STATE "/ledger: it is no regular file; 'vgpuctl ");
        assert_int_equal(rebuild(), COMMAND_DONE);
        assert_int_equal(run("list"), COMMAND_DONE);
        assert_untouched("victim");
    }
}

TEST(claims_and_counters_stay_inside)
{
    fake_directory(STATE);
    link_out(STATE "/claims", "claims");
    link_out(STATE "/counters", "");
    run("reconcile");
    assert_false(is_there(outside.host.root, "claims"));
    assert_false(is_there(outside.host.root, "reconcile.ok"));
    assert_false(is_there(outside.host.root, "reconcile.other"));
    assert_int_equal(unlinkat(root, STATE "/claims", 0), 0);
    put_pipe(STATE "/claims");
    run("reconcile");
    run("list");
}

/* The directory itself is a link, or a directory above it is one. */
TEST(the_state_directory_stays_inside)
{
    link_out(STATE, "state");
    run("reconcile --rebuild");
    assert_false(is_there(outside.host.root, "state"));
    assert_int_equal(mkdirat(outside.host.root, "state", 0755), 0);
    assert_int_equal(mkdirat(outside.host.root, "libvirt-vgpu", 0755), 0);
    run("reconcile --rebuild");
    assert_false(is_there(outside.host.root, "state/claims"));
    assert_int_equal(unlinkat(root, STATE, 0), 0);
    assert_int_equal(unlinkat(root, "run", AT_REMOVEDIR), 0);
    link_out("run", "");
    run("reconcile --rebuild");
    assert_false(is_there(outside.host.root, "libvirt-vgpu/claims"));
    run("list");
}

TEST(drain_stays_inside)
{
    fake_directory("var/lib/libvirt-vgpu");
    link_out(DRAINED, "");
    run("drain " GPU);
    assert_false(is_there(outside.host.root, GPU));
    fake_write(&outside, GPU, "");
    run("undrain " GPU);
    assert_true(is_there(outside.host.root, GPU));
    assert_int_equal(unlinkat(root, DRAINED, 0), 0);
    fake_directory(DRAINED);
    put_pipe(DRAINED "/" GPU);
    run("drain " GPU);
    assert_int_equal(run("undrain " GPU), COMMAND_DONE);
    assert_int_equal(run("drain " GPU), COMMAND_DONE);
}

/* An absolute link in the configuration leads below the root, as it would on that machine. */
TEST(the_configuration_stays_inside)
{
    fake_directory("etc");
    link_out("etc/libvirt-vgpu", "");
    assert_int_equal(run("check"), COMMAND_DONE);
    assert_null(strstr(typed.faults, "0000:99:00.0"));
    assert_int_equal(unlinkat(root, "etc/libvirt-vgpu", 0), 0);
    fake_write(&scene.kernel, "srv/conf/vgpu.conf",
               "gpus = ( { address = \"0000:77:00.0\"; } );\n");
    assert_int_equal(symlinkat("/srv/../../../srv/./conf/", root, "etc/libvirt-vgpu"), 0);
    assert_int_equal(run("check"), COMMAND_DONE);
    typed_assert_has(typed.faults, "0000:77:00.0");
    assert_int_equal(unlinkat(root, "srv/conf/vgpu.conf", 0), 0);
    put_pipe("srv/conf/vgpu.conf");
    assert_int_equal(run("check"), COMMAND_FAILED);
    /* A link to itself. */
    assert_int_equal(unlinkat(root, "etc/libvirt-vgpu", 0), 0);
    assert_int_equal(symlinkat("../etc/libvirt-vgpu", root, "etc/libvirt-vgpu"), 0);
    assert_int_equal(run("check"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "Too many levels of symbolic links");
}

/* Commands that read /sys follow the links in it, and find the same as without --root. */
TEST(sys_is_read_as_before)
{
    AUTO_FREE char *before = NULL;

    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl types", &typed), COMMAND_DONE);
    before = strdup(typed.printed);
    typed_assert_has(before, "GRID T4-1B");
    assert_int_equal(run("types"), COMMAND_DONE);
    assert_string_equal(typed.printed, before);
}

/* Calls the host's operations on paths that lead outside, in every possible way. */
TEST(each_operation_stays_inside)
{
    static const char *const paths[] = {"out/victim", "file", "chain", "up/../file"};
    const struct host host = {.root = root, .ops = &host_kernel, .is_confined = true};
    char text[512];
    struct stat status;

    link_out("out", "");
    link_out("file", "victim");
    assert_int_equal(symlinkat("file", root, "chain"), 0);
    fake_directory("up");
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct names names;

        assert_int_equal(host_kernel.read(&host, paths[i], text, sizeof(text)), -ENOENT);
        assert_int_equal(host_kernel.write(&host, paths[i], "x"), -ENOENT);
        assert_int_equal(host_kernel.probe(&host, paths[i]), -ENOENT);
        assert_int_equal(host_list(&host, &names, "%s", paths[i]), -ENOENT);
    }
    assert_int_equal(host_kernel.status(&host, "out/victim", &status), -ENOENT);
    assert_int_equal(host_kernel.link(&host, "out/victim", text, sizeof(text)), -ENOENT);
    assert_int_equal(host_make_directory(&host, "out/made"), -1);
    assert_int_equal(host_remove(&host, "out/victim"), -ENOENT);
    /* The links themselves are there, and their targets can be read. */
    assert_int_equal(host_kernel.status(&host, "file", &status), 0);
    assert_int_equal(host_status(&host, "out", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_true(host_kernel.link(&host, "chain", text, sizeof(text)) > 0);
    assert_string_equal(text, "file");
    assert_int_equal(host_kernel.link(&host, "up", text, sizeof(text)), -EINVAL);
    assert_untouched("victim");
}

/* A path may end with "..", or a link may end with it. From the root ".." leads to the root. */
TEST(dots_lead_up_to_the_root)
{
    static const char *const rows[][2] = {
        {"up/./..", "."},
        {"up/further/./..", "up"},
        {"..", "."},
        {"../", "."},
        {"../..", "."},
        {"up/..", "."},
        {"up/further/..", "up"},
        {"up/further/../..", "."},
        {"up/.", "up"},
        {"up/../up", "up"},
        {"dots", "."},
        {"dots/dots", "."},
        {"back", "up"},
        {"back/..", "."},
        {"up/further/../../..", "."},
        {"", "."},
    };
    struct stat found, wanted;

    fake_directory("up/further");
    assert_int_equal(symlinkat("../../..", root, "dots"), 0);
    assert_int_equal(symlinkat("/up/further/..", root, "back"), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_CLOSE int fd = safe_open_in_root(root, rows[i][0], O_RDONLY | O_DIRECTORY, 0);

        if (fd < 0)
            fail_msg("%s: %m", rows[i][0]);
        assert_int_equal(fstat(fd, &found), 0);
        assert_int_equal(fstatat(root, rows[i][1], &wanted, 0), 0);
        if (found.st_ino != wanted.st_ino || found.st_dev != wanted.st_dev)
            fail_msg("%s does not lead to %s", rows[i][0], rows[i][1]);
    }
}

/* The target of a link goes in front of the rest of the path, as long as both have room. */
TEST(a_link_and_the_rest_have_room)
{
    char target[3001], path[1200] = "long/";
    int fd;

    for (size_t i = 0; i < sizeof(target); i++)
        target[i] = "./"[i % 2];
    target[sizeof(target) - 1] = '\0';
    assert_int_equal(symlinkat(target, root, "long"), 0);
    while (strlen(target) + strlen(path) - strlen("long") < PATH_MAX - 1)
        strcat(path, path[strlen(path) - 1] == '/' ? "." : "/");
    fd = safe_open_in_root(root, path, O_RDONLY | O_DIRECTORY, 0);
    assert_true(fd >= 0);
    close(fd);
    strcat(path, "/");
    assert_int_equal(safe_open_in_root(root, path, O_RDONLY | O_DIRECTORY, 0), -1);
    assert_int_equal(errno, ENAMETOOLONG);
}

/* Nobody opens a pipe or a socket, or waits for one. */
TEST(only_files_are_opened)
{
    const struct host host = {.root = root, .ops = &host_kernel, .is_confined = true};
    char text[16];

    put_pipe("pipe");
    assert_int_equal(host_kernel.read(&host, "pipe", text, sizeof(text)), -EOPNOTSUPP);
    assert_int_equal(host_kernel.write(&host, "pipe", "x"), -ENXIO);
    assert_int_equal(host_open(&host, "pipe", O_RDWR, 0), -1);
    assert_int_equal(errno, EOPNOTSUPP);
    assert_int_equal(host_kernel.read(&host, "pipe/x", text, sizeof(text)), -ENOTDIR);
    assert_int_equal(host_kernel.read(&host, "/", text, sizeof(text)), -EISDIR);
}
