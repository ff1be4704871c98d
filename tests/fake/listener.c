/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/listener.h"
#include "fake/unit.h"
#include "lease/log.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static struct log program_log;
static int ear;

void
listener_begin(struct fake_kernel *kernel)
{
    snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/log", kernel->path);
    ear = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(ear, (const struct sockaddr *)&address, sizeof(address)), 0);
    log_open(&program_log, "program", address.sun_path);
    kernel->host.log = &program_log;
}

void
listener_end(struct fake_kernel *kernel)
{
    kernel->host.log = NULL;
    cleanup_close(&program_log.socket);
    close(ear);
    unlink(address.sun_path);
}

char *
listener_heard(void)
{
    static char lines[8192];
    size_t length = 0;
    ssize_t more;

    while ((more = recv(ear, lines + length, sizeof(lines) - length - 1, 0)) > 0) {
        length += (size_t)more;
        lines[length++] = '\n';
    }
    lines[length] = '\0';
    return lines;
}
