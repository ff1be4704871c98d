/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * odd-files READY NODE...: opens files, as a user without rights, that look as if the user held
 * these nodes of /dev, or that might keep somebody waiting who looks at them. It makes READY, an
 * absolute path, once all are open. Then it waits until it is killed.
 * tests/vm/scenarios/odd-files.sh runs it.
 *
 * It begins as root, which mounts file systems of FUSE as fusermount(1) does. Each has a file that
 * the user opens. Then its server is stopped for ever.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define NAME   "long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long"

/* Ends the program with a line if something is not so. */
#define EXPECT(is_so) expect(is_so, #is_so, __LINE__)

static void
expect(int is_so, const char *what, int line)
{
    if (is_so)
        return;
    fprintf(stderr, "odd-files.c:%d: %s: %s\n", line, what, strerror(errno));
    exit(1);
}

/* --- a file system of FUSE -------------------------------------------------------------------- */

#define FILE_ID 2

/* Its root is a directory, and each name in it is a file. The second time that it is asked for the
 * file, a spoilt one says that the file is a directory. Then the kernel gives no status of it. */
static struct fuse_attr
attributes_of(uint64_t id, int is_spoilt)
{
    return (struct fuse_attr){.ino = id,
                              .nlink = 1,
                              .mode =
                                  id == FILE_ID && !is_spoilt ? S_IFREG | 0666 : S_IFDIR | 0777};
}

union answer {
    struct fuse_init_out init;
    struct fuse_attr_out attributes;
    struct fuse_entry_out entry;
    struct fuse_open_out open;
};

/* Answers a question: the length of the answer, or -errno. */
static int
answer(const struct fuse_in_header *question, int is_spoilt, union answer *ret)
{
    switch (question->opcode) {
    case FUSE_INIT:
        ret->init =
            (struct fuse_init_out){.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096};
        return sizeof(ret->init);
    case FUSE_GETATTR:
        ret->attributes.attr = attributes_of(question->nodeid, is_spoilt);
        return sizeof(ret->attributes);
    case FUSE_LOOKUP:
        ret->entry = (struct fuse_entry_out){
            .nodeid = FILE_ID, .generation = 1, .attr = attributes_of(FILE_ID, 0)};
        return sizeof(ret->entry);
    case FUSE_OPEN:
        return sizeof(ret->open);
    default:
        return -ENOSYS;
    }
}

static void
serve(int fuse, int is_spoilt)
{
    static _Alignas(struct fuse_in_header) char question[1 << 17];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read(fuse, question, sizeof(question)) > 0) {
        const struct fuse_in_header *head = (const void *)question;
        struct {
            struct fuse_out_header head;
            union answer answer;
        } reply = {.head.unique = head->unique};
        int length = answer(head, is_spoilt, &reply.answer);

        if (head->opcode == FUSE_FORGET || head->opcode == FUSE_BATCH_FORGET)
            continue;
        reply.head.error = length < 0 ? length : 0;
        reply.head.len = (uint32_t)sizeof(reply.head) + (uint32_t)(length < 0 ? 0 : length);
        (void)!write(fuse, &reply, reply.head.len);
    }
    _exit(0);
}

/* Mounts a file system in a directory: the process that serves it. */
static pid_t
mount_fuse(const char *directory, const char *option, int is_spoilt)
{
    int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    char options[128];
    pid_t server;

    EXPECT(fuse >= 0);
    EXPECT(mkdir(directory, 0755) == 0);
    snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d%s", fuse,
             NOBODY, NOBODY, option);
    EXPECT(mount("odd-files", directory, "fuse", MS_NOSUID | MS_NODEV, options) == 0);
    server = fork();
    EXPECT(server >= 0);
    if (server == 0)
        serve(fuse, is_spoilt);
    close(fuse);
    return server;
}

/* --- the other files -------------------------------------------------------------------------- */

static void
make_directories(const char *path)
{
    char copy[256];

    snprintf(copy, sizeof(copy), "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        EXPECT(mkdir(copy, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

/* Opens a file of this name, which is no device. */
static void
open_regular(const char *path)
{
    make_directories(path);
    EXPECT(open(path, O_RDWR | O_CREAT, 0600) >= 0);
}

static void
put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    EXPECT(fd >= 0 && write(fd, text, strlen(text)) > 0);
    close(fd);
}

/* A file with the exact path of a node, of a user who is root there. */
static void
open_in_name_space(char *const nodes[])
{
    EXPECT(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0);
    put("/proc/self/setgroups", "deny");
    put("/proc/self/uid_map", "0 65534 1");
    put("/proc/self/gid_map", "0 65534 1");
    EXPECT(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    EXPECT(mount("odd-files", "/dev", "tmpfs", 0, NULL) == 0);
    for (size_t i = 0; nodes[i]; i++)
        open_regular(nodes[i]);
}

/* The path of this file is too long for readlink(2). AppArmor would log more than 8192 bytes. */
static void
open_deep(void)
{
    for (size_t i = 0; i < 6000 / sizeof(NAME); i++) {
        EXPECT(mkdir(NAME, 0755) == 0);
        EXPECT(chdir(NAME) == 0);
    }
    open_regular("file");
}

static void
open_names(char *const nodes[])
{
    char path[256];

    for (size_t i = 0; nodes[i]; i++) {
        /* A process of no rights can have any node so. */
        EXPECT(open(nodes[i], O_PATH) >= 0);
        snprintf(path, sizeof(path), "names%s", nodes[i]);
        open_regular(path);
    }
    EXPECT(mkfifo("names/dev/nvidia0", 0600) == 0);
    EXPECT(open("names/dev/nvidia0", O_RDWR) >= 0);
}

static void
open_on_fuse(char *const ignored[])
{
    struct stat status;

    (void)ignored;
    EXPECT(open("private/file", O_RDWR) >= 0);
    EXPECT(open("shared/file", O_RDWR) >= 0);
    EXPECT(open("spoilt/file", O_RDWR) >= 0);
    EXPECT(stat("spoilt/file", &status) < 0 && errno == EIO);
}

static void
open_deeply(char *const ignored[])
{
    (void)ignored;
    open_deep();
}

/* Starts a process of the user that opens files. It takes the name of a daemon of NVIDIA's. */
static void
start(void (*open_files)(char *const nodes[]), char *const nodes[])
{
    int told[2];
    char word;

    EXPECT(pipe(told) == 0);
    if (fork() == 0) {
        EXPECT(setregid(NOBODY, NOBODY) == 0 && setreuid(NOBODY, NOBODY) == 0);
        EXPECT(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0);
        EXPECT(prctl(PR_SET_NAME, "nvidia-vgpu-mgr") == 0);
        close(told[0]);
        open_files(nodes);
        EXPECT(write(told[1], "y", 1) == 1);
        for (;;)
            pause();
    }
    close(told[1]);
    EXPECT(read(told[0], &word, 1) == 1);
    close(told[0]);
}

/* The file systems are shut to all paths at the end, so that nothing else on this host waits for
 * them. The files stay open. */
int
main(int argc, char *argv[])
{
    static const struct {
        const char *directory, *option;
        int is_spoilt;
    } rows[] = {{"private", "", 0}, {"shared", ",allow_other", 0}, {"spoilt", ",allow_other", 1}};
    char directory[] = "/tmp/odd-files-XXXXXX";
    char *const *nodes = argv + 2;
    pid_t servers[3];

    EXPECT(argc > 2 && mkdtemp(directory) && chmod(directory, 0777) == 0);
    EXPECT(chdir(directory) == 0);
    umask(0);
    for (size_t i = 0; i < 3; i++)
        servers[i] = mount_fuse(rows[i].directory, rows[i].option, rows[i].is_spoilt);
    start(open_names, nodes);
    start(open_in_name_space, nodes);
    start(open_deeply, nodes);
    start(open_on_fuse, nodes);
    for (size_t i = 0; i < 3; i++) {
        EXPECT(kill(servers[i], SIGSTOP) == 0);
        EXPECT(umount2(rows[i].directory, MNT_DETACH) == 0);
    }
    EXPECT(close(open(argv[1], O_CREAT | O_WRONLY | O_CLOEXEC, 0644)) == 0);
    for (;;)
        pause();
}
