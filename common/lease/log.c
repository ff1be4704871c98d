/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/log.h"
#include "base/printable.h"
#include "base/text.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>

#define LONGEST_WAIT 100 /* ms, for all lines of a program */

void
log_open(struct log *log, const char *program, const char *socket)
{
    log->program = program;
    log->path = socket;
    log->socket = -1;
    log->waited = log->lost = log->count = 0;
    log->collects = false;
}

static int
connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
        return -1;
    strcpy(address.sun_path, path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return -1;
    return TAKE_FD(fd);
}

static unsigned
milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned)now.tv_sec * 1000 + (unsigned)(now.tv_nsec / 1000000);
}

/* Whether the log takes more within the rest of LONGEST_WAIT. */
static bool
wait_for_log(struct log *log)
{
    struct pollfd poll_log = {.fd = log->socket, .events = POLLOUT};
    unsigned began = milliseconds();
    int ready = poll(&poll_log, 1, LONGEST_WAIT - (int)log->waited);

    log->waited += milliseconds() - began;
    if (log->waited > LONGEST_WAIT || ready <= 0)
        log->waited = LONGEST_WAIT;
    return ready > 0;
}

/* On a host without a log no line counts as lost, because nobody wants it. */
static void
send_line(struct log *log, const char *line)
{
    const size_t length = strlen(line);

    if (log->socket < 0 && (log->socket = connect_to(log->path)) < 0)
        return;
    while (send(log->socket, line, length, MSG_NOSIGNAL) < 0) {
        if ((errno != EAGAIN && errno != EINTR) || !wait_for_log(log)) {
            log->lost++;
            return;
        }
    }
}

void
log_collect(const struct host *host)
{
    if (host->log)
        host->log->collects = true;
}

static void
send_all(struct log *log)
{
    for (unsigned i = 0; i < log->count; i++)
        send_line(log, log->lines[i]);
    log->count = 0;
}

void
log_send(const struct host *host)
{
    if (!host->log)
        return;
    send_all(host->log);
    host->log->collects = false;
}

/* As syslog(3) writes it: priority, local time, program. */
static size_t
begin_line(const struct log *log, int priority, char *line, size_t size)
{
    time_t now = time(NULL);
    struct tm local;
    size_t length = (size_t)snprintf(line, size, "<%d>", LOG_DAEMON | priority);

    length += strftime(line + length, size - length, "%b %e %T ", localtime_r(&now, &local));
    return length +
           (size_t)snprintf(line + length, size - length, "%s[%d]: ", log->program, (int)getpid());
}

/* A longer line is cut. printable_make sees that no name begins a new line. */
static void FORMAT(3, 4) add_line(const struct host *host, int priority, const char *format, ...)
{
    const size_t size = sizeof(host->log->lines[0]);
    struct log *log = host->log;
    size_t length;
    va_list args;

    if (!log)
        return;
    if (log->count == LOG_LINES) {
        log->lost++;
        return;
    }
    length = begin_line(log, priority, log->lines[log->count], size);
    va_start(args, format);
    vsnprintf(log->lines[log->count] + length, size - length, format, args);
    va_end(args);
    printable_make(log->lines[log->count] + length);
    log->count++;
    if (!log->collects)
        send_all(log);
}

/* Makes one word of a name. People choose names, so no part of one may look like another word.
 * add_line makes it printable. */
const char *
log_word(const char *text, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", text);
    for (char *c = buffer; *c; c++) {
        if (*c == ' ' || *c == '=')
            *c = '_';
    }
    return buffer;
}

static void FORMAT(5, 6) add_lease(const struct host *host, int priority, const char *event,
                                   const struct lease *lease, const char *format, ...)
{
    char domain[256], result[sizeof(((struct error *)0)->text) + 16];
    struct text text = text_on(result, sizeof(result));
    va_list args;

    va_start(args, format);
    text_vadd(&text, format, args);
    va_end(args);
    add_line(host, priority,
             "domain=%s uuid=%s event=%s device=%s type=%s parent=%s gpu=%s origin=%s result=%s",
             log_word(lease->domain_name, domain, sizeof(domain)), lease->domain.text, event,
             lease->vgpu.device.text, lease->vgpu.type.text, lease->vgpu.parent.text,
             lease->gpu.text, lease->origin == LEASE_MADE ? "made" : "found", result);
}

void
log_lease(const struct host *host, const char *event, const struct lease *lease, const char *result)
{
    add_lease(host, LOG_INFO, event, lease, "%s", result);
}

void
log_lease_failure(const struct host *host, const char *event, const struct lease *lease,
                  const struct error *error)
{
    add_lease(host, LOG_WARNING, event, lease, "failed: %s", error->text);
}

void
log_renamed(const struct host *host, const char *domain_name, const struct name *domain,
            const struct name *old, const struct name *new)
{
    char word[256];

    add_line(host, LOG_INFO, "domain=%s uuid=%s event=incoming device=%s result=renamed to %s",
             log_word(domain_name, word, sizeof(word)), domain->text, old->text, new->text);
}

void
log_failure(const struct host *host, const char *event, const char *domain,
            const struct error *error)
{
    char word[256];

    add_line(host, LOG_WARNING, "domain=%s event=%s result=failed: %s",
             log_word(domain, word, sizeof(word)), event, error->text);
}

void
log_command(const struct host *host, const char *event, const char *domain, const char *who,
            bool is_done, const char *line)
{
    char word[256], name[64];

    add_line(host, LOG_INFO, "domain=%s event=%s result=by %s%s: %s",
             log_word(domain, word, sizeof(word)), event, log_word(who, name, sizeof(name)),
             is_done ? "" : " (failed)", line);
}
