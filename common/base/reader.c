/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/reader.h"
#include "base/array.h"
#include "base/deadline.h"
#include "base/descriptors.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct reader_answer {
    ssize_t length; /* or -errno */
    char text[READER_LONGEST];
};

/* As recv(2), which answers 0 or less if nothing more comes. Questions and answers follow each
 * other within microseconds. To wake a processor that sleeps takes ten times as long. So for a
 * moment neither side sleeps. */
static ssize_t
receive(int socket, unsigned yields, void *buffer, size_t size, bool wait)
{
    for (unsigned i = 0; i < yields; i++) {
        ssize_t length = recv(socket, buffer, size, MSG_DONTWAIT);

        if (length >= 0 || errno != EAGAIN)
            return length;
        sched_yield();
    }
    return wait ? recv(socket, buffer, size, 0) : -1;
}

/* --- the child -------------------------------------------------------------------------------- */

static void
serve(const struct host *host, int socket)
{
    struct reader_answer answer;

    /* What it has open, it may have open for long: libvirt's pipes and our claims are not to be
     * among it. */
    descriptors_close_but(socket, host->root < 0 ? socket : host->root);
    for (;;) {
        struct path path = {""};
        ssize_t length = receive(socket, host->reader->yields, path.text, sizeof(path.text), true);

        if (length <= 0 || path.text[length - 1] != '\0')
            _exit(0);
        answer.length = host->ops->read(host, path.text, answer.text, sizeof(answer.text));
        length = answer.length > 0 ? answer.length : 0;
        length += (ssize_t)offsetof(struct reader_answer, text);
        if (send(socket, &answer, (size_t)length, MSG_NOSIGNAL) != length)
            _exit(0);
    }
}

static int
start(struct reader *reader, const struct host *host)
{
    int sockets[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
        return -ECHILD;
    reader->pid = fork();
    if (reader->pid == 0)
        serve(host, sockets[1]);
    close(sockets[1]);
    if (reader->pid < 0) {
        close(sockets[0]);
        return -ECHILD;
    }
    reader->socket = sockets[0];
    return 0;
}

/* A child may still be in a read, so it is not waited for. */
static void
leave(struct reader *reader)
{
    cleanup_close(&reader->socket);
    reader->socket = -1;
    kill(reader->pid, SIGKILL);
}

void
reader_stop(struct reader *reader)
{
    free(reader->cards);
    reader->cards = NULL;
    reader->count = 0;
    if (reader->socket < 0)
        return;
    leave(reader);
    while (waitpid(reader->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* --- who asks --------------------------------------------------------------------------------- */

void
reader_begin(struct reader *reader, unsigned patience)
{
    if (!reader)
        return;
    reader->patience = patience;
    for (size_t i = 0; i < reader->count; i++)
        reader->cards[i].left = patience;
}

void
reader_turn_off(struct reader *reader)
{
    if (!reader)
        return;
    cleanup_close(&reader->socket);
    reader->is_off = true;
}

static struct reader_card *
find(const struct reader *reader, const struct name *card)
{
    return ARRAY_FIND(reader->cards, reader->count, known, name_equal(&known->name, card));
}

bool
reader_is_silent(const struct reader *reader, const struct name *card)
{
    const struct reader_card *known = reader ? find(reader, card) : NULL;

    return known && known->left == 0;
}

/* Asks for a path, and waits for the answer as long as the card may take. */
static ssize_t
ask(struct reader *reader, const struct host *host, struct reader_card *card, const char *path,
    struct reader_answer *answer)
{
    struct pollfd ready = {.fd = reader->socket, .events = POLLIN};
    struct deadline deadline = deadline_in(host, card->left);
    ssize_t length;

    if (send(reader->socket, path, strlen(path) + 1, MSG_NOSIGNAL) < 0)
        return -ECHILD;
    length = receive(reader->socket, reader->yields, answer, sizeof(*answer), false);
    if (length < 0 && deadline_wait(deadline, &ready, 1) <= 0) {
        card->left = 0;
        return -ETIMEDOUT;
    }
    card->left = deadline_left(deadline);
    if (length < 0)
        length = recv(reader->socket, answer, sizeof(*answer), 0);
    /* Its last answer was in time, so it is not silent. */
    if (card->left == 0)
        card->left = 1;
    return length < (ssize_t)offsetof(struct reader_answer, text) ? -ECHILD : 0;
}

/* Waits until the child that was left behind at a card has ended, for as long as the card may take.
 * Then the card answers again. */
static bool
is_free_again(const struct host *host, struct reader_card *card)
{
    struct deadline deadline = deadline_in(host, card->left);
    unsigned pause = 1;

    while (card->stuck && waitpid(card->stuck, NULL, WNOHANG) == 0) {
        if (!deadline_pause(deadline, &pause)) {
            card->left = 0;
            return false;
        }
    }
    card->stuck = 0;
    return true;
}

/* The card's entry. It is new if the card had none. */
static struct reader_card *
card_of(struct reader *reader, const struct name *name)
{
    const struct reader_card fresh = {*name, reader->patience, 0};
    struct reader_card *known = find(reader, name);

    if (known)
        return known;
    ARRAY_ADD(reader->cards, reader->count, fresh);
    return &reader->cards[reader->count - 1];
}

/* What a card's driver answers, or why it does not. */
static void
ask_card(struct reader *reader, const struct host *host, struct reader_card *card, const char *path,
         struct reader_answer *answer)
{
    ssize_t rc;

    answer->length = -ETIMEDOUT;
    if (card->left == 0 || !is_free_again(host, card))
        return;
    rc = reader->socket < 0 ? start(reader, host) : 0;
    if (rc == 0 && (rc = ask(reader, host, card, path, answer)) < 0) {
        card->stuck = reader->pid;
        leave(reader);
    }
    if (rc < 0)
        answer->length = rc;
    /* The driver itself may have given up, and a recording says it of a card that was silent. */
    if (answer->length == -ETIMEDOUT || answer->length == -ECHILD)
        card->left = 0;
}

/* As host_ops.read. */
static ssize_t
read_through(struct reader *reader, const struct host *host, const struct name *name,
             const char *path, char *buffer, size_t size)
{
    struct reader_answer answer;

    ask_card(reader, host, card_of(reader, name), path, &answer);
    if (host->ops->heard)
        host->ops->heard(host, path, answer.text, answer.length);
    if (answer.length <= 0)
        return answer.length;
    if ((size_t)answer.length > size)
        answer.length = (ssize_t)size;
    memcpy(buffer, answer.text, (size_t)answer.length);
    return answer.length;
}

static ssize_t
read_text(const struct host *host, const struct name *card, char *buffer, size_t size,
          const char *path)
{
    bool is_asked = host->reader && !host->reader->is_off;
    ssize_t length = is_asked ? read_through(host->reader, host, card, path, buffer, size)
                              : host->ops->read(host, path, buffer, size);

    return host_end_text(buffer, size, length);
}

ssize_t
reader_read(const struct host *host, const struct name *card, char *buffer, size_t size,
            const char *format, ...)
{
    struct path path;

    PATH_OR_RETURN(path, format);
    return read_text(host, card, buffer, size, path.text);
}

int
reader_read_number(const struct host *host, const struct name *card, uint64_t *ret,
                   const char *format, ...)
{
    char text[HOST_NUMBER];
    struct path path;
    ssize_t length;

    PATH_OR_RETURN(path, format);
    length = read_text(host, card, text, sizeof(text), path.text);
    return length < 0 ? (int)length : host_parse_number(text, ret);
}
