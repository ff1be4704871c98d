/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-host: a fake host without faults that other programs can use, so that they see what they
 * change. The tests of the page in Cockpit start it.
 *
 *     fake-host serve SOCKET MACHINE URI
 *
 * MACHINE is a file that describes the machine (fake/fake-kernel.h), and URI is its libvirt. It
 * prints the directory of the machine's root, and then carries out what others ask for:
 *
 *     fake-host ask SOCKET vgpuctl ARGUMENT...
 *     fake-host ask SOCKET hook DOMAIN OPERATION SUB-OPERATION EXTRA
 *     fake-host ask SOCKET make PARENT TYPE DEVICE
 *     fake-host ask SOCKET remove DEVICE
 *
 * The server works with the rights, stdin, stdout and stderr of the process that asks, and gives it
 * the exit status. If that process ends, its work ends as well. The process cannot do the work
 * itself: only descendants of one process share the state of the fake kernel.
 */

#include "base/reader.h"
#include "cli/vgpuctl.h"
#include "commands/commands.h"
#include "doctor/planted.h"
#include "hook.h"
#include "libvirt/connection.h"

#include <err.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define MOST_WORDS 64
#define MOST_BYTES 16384
#define STREAMS    3 /* stdin, stdout, stderr */

/* A request: its words, each with its 0, and the streams beside them. */
struct message {
    char bytes[MOST_BYTES];
    struct iovec part;
    _Alignas(struct cmsghdr) char beside[CMSG_SPACE(STREAMS * sizeof(int))];
    struct msghdr head;
};

static struct message *
message_prepare(struct message *message, size_t length)
{
    message->part = (struct iovec){message->bytes, length};
    message->head = (struct msghdr){.msg_iov = &message->part,
                                    .msg_iovlen = 1,
                                    .msg_control = message->beside,
                                    .msg_controllen = sizeof(message->beside)};
    return message;
}

static struct sockaddr_un
address_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof(address.sun_path))
        errx(EXIT_FAILURE, "%s: the path is too long for a socket", path);
    strcpy(address.sun_path, path);
    return address;
}

/* --- who asks --------------------------------------------------------------------------------- */

static int
ask(const char *path, char *const words[])
{
    static struct message message;
    const int streams[STREAMS] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    const struct sockaddr_un address = address_of(path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    unsigned char status;
    struct cmsghdr *control;
    size_t length = 0;

    for (; *words; words++) {
        size_t size = strlen(*words) + 1;

        if (size > sizeof(message.bytes) - length)
            errx(EXIT_FAILURE, "these words are too long");
        memcpy(message.bytes + length, *words, size);
        length += size;
    }
    message_prepare(&message, length);
    control = CMSG_FIRSTHDR(&message.head);
    *control = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(streams))};
    memcpy(CMSG_DATA(control), streams, sizeof(streams));
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        sendmsg(fd, &message.head, MSG_NOSIGNAL) < 0)
        err(EXIT_FAILURE, "%s", path);
    if (recv(fd, &status, sizeof(status), 0) != sizeof(status))
        errx(EXIT_FAILURE, "the fake host gave no answer");
    return status;
}

/* --- who carries it out ----------------------------------------------------------------------- */

static int
run_vgpuctl(const char *uri, int count, char *words[])
{
    static const struct terminal terminal;
    struct reader reader = READER_IDLE;
    int status;

    scene.kernel.host.reader = &reader;
    status =
        vgpuctl_run(&scene.kernel.host, commands, uri, &terminal, count, words, stdout, stderr);
    reader_stop(&reader);
    return status;
}

static int
run_hook(int count, char *words[])
{
    struct reader reader = READER_IDLE;
    int status;

    scene.kernel.host.reader = &reader;
    status = hook_run(&scene.kernel.host, true, count, words, STDIN_FILENO, STDOUT_FILENO,
                      STDERR_FILENO);
    reader_stop(&reader);
    return status;
}

static int
carry_out(const char *uri, int count, char *words[])
{
    int rc = -EINVAL;

    if (!strcmp(words[0], "vgpuctl"))
        return run_vgpuctl(uri, count, words);
    if (!strcmp(words[0], "hook"))
        return run_hook(count, words);
    if (!strcmp(words[0], "make") && count == 4)
        rc = fake_make(&scene.kernel, words[1], words[2], words[3]);
    if (!strcmp(words[0], "remove") && count == 2)
        rc = fake_remove(&scene.kernel, words[1]);
    if (rc < 0)
        warnx("%s: %s", words[0], strerror(-rc));
    return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Receives the words and the streams. Returns the number of words, 0 if there are none. */
static int
receive(int fd, struct message *message, char *words[])
{
    ssize_t length =
        recvmsg(fd, &message_prepare(message, sizeof(message->bytes))->head, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *control = CMSG_FIRSTHDR(&message->head);
    int streams[STREAMS], count = 0;

    if (length <= 0 || message->bytes[length - 1] || !control ||
        control->cmsg_len != CMSG_LEN(sizeof(streams)))
        return 0;
    memcpy(streams, CMSG_DATA(control), sizeof(streams));
    for (int i = 0; i < STREAMS; i++) {
        if (dup2(streams[i], i) < 0)
            return 0;
        close(streams[i]);
    }
    for (char *word = message->bytes, *end = word + length; word < end && count < MOST_WORDS;
         word += strlen(word) + 1)
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static bool
take_rights_of(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return false;
    return peer.uid == geteuid() ||
           (setgroups(0, NULL) == 0 && setgid(peer.gid) == 0 && setuid(peer.uid) == 0);
}

/* A child of the server serves one request. SIGIO ends it when the socket breaks, because who asked
 * has ended. */
static void
answer(int fd, const char *uri)
{
    static struct message message;
    char *words[MOST_WORDS + 1];
    int count = receive(fd, &message, words);
    unsigned char status = EXIT_FAILURE;

    signal(SIGCHLD, SIG_DFL);
    if (fcntl(fd, F_SETOWN, getpid()) < 0 || fcntl(fd, F_SETFL, O_ASYNC) < 0 || !take_rights_of(fd))
        warn("cannot serve");
    else if (count > 0)
        status = (unsigned char)carry_out(uri, count, words);
    fflush(stdout);
    fflush(stderr);
    signal(SIGIO, SIG_IGN);
    (void)!send(fd, &status, sizeof(status), MSG_NOSIGNAL);
    _exit(0);
}

/* --- the server ------------------------------------------------------------------------------- */

static volatile sig_atomic_t ended;

static void
end(int number)
{
    ended = 1;
}

static char *
read_file(const char *path)
{
    static char text[MOST_BYTES];
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (length < 0)
        err(EXIT_FAILURE, "%s", path);
    text[length] = '\0';
    return text;
}

/* Every user may look at the machine, as at a real one, and take the fake kernel's lock. */
static void
open_to_all(void)
{
    AUTO_CLOSE int lock = openat(scene.kernel.host.root, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0);

    if (chmod(scene.kernel.path, 0755) < 0 || lock < 0 || fchmod(lock, 0666) < 0)
        err(EXIT_FAILURE, "%s", scene.kernel.path);
}

static int
serve(const char *path, const char *machine, const char *uri)
{
    const struct sockaddr_un address = address_of(path);
    const struct sigaction action = {.sa_handler = end}; /* it interrupts accept */
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct error error;

    fake_clock_use_real();
    start(read_file(machine));
    open_to_all();
    /* Who asks may have no right to read it in the build directory. */
    if (connection_load(&scene.kernel.host, &error) < 0)
        errx(EXIT_FAILURE, "%s", error.text);
    signal(SIGCHLD, SIG_IGN); /* nobody waits for the children */
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    if (listener < 0 || bind(listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        chmod(path, 0666) < 0 || listen(listener, 64) < 0)
        err(EXIT_FAILURE, "%s", path);
    printf("%s\n", scene.kernel.path);
    fflush(stdout);
    while (!ended) {
        AUTO_CLOSE int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        if (fd >= 0 && fork() == 0)
            answer(fd, uri);
    }
    scene_stop(&scene);
    return EXIT_SUCCESS;
}

int
main(int argc, char *argv[])
{
    if (argc == 5 && !strcmp(argv[1], "serve"))
        return serve(argv[2], argv[3], argv[4]);
    if (argc > 3 && !strcmp(argv[1], "ask"))
        return ask(argv[2], argv + 3);
    errx(EXIT_FAILURE,
         "usage: fake-host serve SOCKET MACHINE URI, or fake-host ask SOCKET WORD...");
}
