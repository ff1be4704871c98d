/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/writer.h"
#include "base/reader.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define LONGEST_PROOF 10000 /* ms; a proof only opens and looks, but the machine may be busy */

enum order { ORDER_MAKE, ORDER_CONFIGURE, ORDER_PROVE, ORDER_REMOVE };

struct message {
    enum order order;
    struct vgpu vgpu;
    char params[VGPU_PARAMS];
};

/* A proof belongs to the order that follows it. Any other order drops it. */
static int
obey(const struct host *host, const struct message *message, int *proof)
{
    const struct vgpu *vgpu = &message->vgpu;
    int rc = -EINVAL, fresh = -1;

    switch (message->order) {
    case ORDER_MAKE:
        rc = vgpu->interface->make(host, vgpu);
        break;
    case ORDER_CONFIGURE:
        rc = vgpu_configure(host, vgpu, message->params);
        break;
    case ORDER_PROVE:
        cleanup_close(proof);
        rc = vgpu_prove(host, vgpu, &fresh);
        *proof = fresh;
        return rc;
    case ORDER_REMOVE:
        rc = vgpu->interface->remove(host, vgpu);
        break;
    }
    cleanup_close(proof);
    *proof = -1;
    return rc;
}

static void
serve(const struct host *host, int socket)
{
    int proof = -1;

    reader_turn_off(host->reader);
    for (int standard = 0; standard <= 2; standard++) {
        if (standard != socket && standard != host->root)
            close(standard);
    }
    for (;;) {
        struct message message;
        int rc;

        if (recv(socket, &message, sizeof(message), 0) != (ssize_t)sizeof(message))
            _exit(0);
        rc = obey(host, &message, &proof);
        if (send(socket, &rc, sizeof(rc), MSG_NOSIGNAL) != (ssize_t)sizeof(rc))
            _exit(0);
    }
}

static int
start(struct writer *writer)
{
    int sockets[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
        return -errno;
    writer->pid = fork();
    if (writer->pid < 0) {
        int rc = -errno;

        close(sockets[0]);
        close(sockets[1]);
        return rc;
    }
    if (writer->pid == 0) {
        close(sockets[0]);
        serve(writer->host, sockets[1]);
    }
    close(sockets[1]);
    writer->socket = sockets[0];
    return 0;
}

static int
leave(struct writer *writer, int why)
{
    cleanup_close(&writer->socket);
    writer->socket = -1;
    writer->left = true;
    return why;
}

static int
ask(struct writer *writer, enum order order, const struct vgpu *vgpu, const char *params,
    struct deadline deadline)
{
    struct message message;
    struct pollfd answer;
    int rc;

    /* Clear the padding as well: it goes to another process. */
    memset(&message, 0, sizeof(message));
    message.order = order;
    message.vgpu = *vgpu;
    snprintf(message.params, sizeof(message.params), "%s", params);
    if (writer->left)
        return -ETIMEDOUT;
    if (writer->socket < 0) {
        if (start(writer) < 0)
            return -ECHILD;
    }
    writer->device = vgpu->device;
    if (send(writer->socket, &message, sizeof(message), MSG_NOSIGNAL) != (ssize_t)sizeof(message))
        return leave(writer, -ECHILD);
    answer = (struct pollfd){.fd = writer->socket, .events = POLLIN};
    if (deadline_wait(deadline, &answer, 1) <= 0)
        return leave(writer, -ETIMEDOUT);
    if (recv(writer->socket, &rc, sizeof(rc), 0) != (ssize_t)sizeof(rc))
        return leave(writer, -ECHILD);
    /* -ETIMEDOUT means that no answer came. If the kernel says it, that is a refusal. */
    return rc == -ETIMEDOUT ? -EIO : rc;
}

int
writer_make(struct writer *writer, const struct vgpu *vgpu, struct deadline deadline)
{
    return ask(writer, ORDER_MAKE, vgpu, "", deadline);
}

int
writer_configure(struct writer *writer, const struct vgpu *vgpu, const char *params,
                 struct deadline deadline)
{
    return ask(writer, ORDER_CONFIGURE, vgpu, params, deadline);
}

int
writer_prove(struct writer *writer, const struct vgpu *vgpu)
{
    return ask(writer, ORDER_PROVE, vgpu, "", deadline_in(writer->host, LONGEST_PROOF));
}

int
writer_remove(struct writer *writer, const struct vgpu *vgpu, struct deadline deadline)
{
    return ask(writer, ORDER_REMOVE, vgpu, "", deadline);
}

void
writer_stop(struct writer *writer)
{
    if (writer->socket < 0)
        return;
    cleanup_close(&writer->socket);
    writer->socket = -1;
    while (waitpid(writer->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
