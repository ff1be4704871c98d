/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/long-call.h"
#include "cli/end-signals.h"
#include "cli/say.h"

#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PAUSE  UINT64_C(500000000) /* nanoseconds between two looks at the progress */
#define ENDING 5000 /* milliseconds that the child may take to end after its last word */

static void
work(const void *data, FILE *out)
{
    const struct long_call *call = data;
    struct connection *connection = NULL;
    struct error error = {0};
    int rc =
        connection_open(call->call->host, call->call->uri, CONNECTION_WRITE, &connection, &error);

    if (rc == 0)
        rc = call->work(call->data, connection, out, &error);
    if (rc < 0)
        fwrite(error.text, 1, strlen(error.text), out);
    fclose(out);
    connection_close(&connection);
}

/* --- who watches it --------------------------------------------------------------------------- */

struct watch {
    const struct long_call *call;
    struct long_call_end *end;
    struct child child;
    int signals;     /* a signalfd of the signals that would end this program; -1: they end it */
    sigset_t before; /* the signals that were blocked before */
    size_t size;
};

static void
block_signals(struct watch *watch)
{
    sigset_t blocked;

    end_signals_fill(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &watch->before);
    watch->signals = signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK);
    if (watch->signals < 0)
        sigprocmask(SIG_SETMASK, &watch->before, NULL);
}

static void
unblock_signals(struct watch *watch)
{
    if (watch->signals < 0)
        return;
    close(watch->signals);
    sigprocmask(SIG_SETMASK, &watch->before, NULL);
}

/* Asks libvirt to stop the work. The work may be over, or may not have begun; a second signal asks
 * again. */
static void
stop(struct watch *watch)
{
    const struct long_call *call = watch->call;
    struct signalfd_siginfo info;
    struct error failure;

    if (read(watch->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return;
    watch->end->is_signalled = true;
    if (!call->can_stop || !watch->end->connection)
        return;
    if (connection_abort(watch->end->connection, call->domain, &failure) < 0) {
        terminal_rewind(call->call->terminal, call->call->out);
        say_line(call->call->out, "%s: %s", call->name, failure.text);
    }
}

static void
show(const struct watch *watch)
{
    const struct long_call *call = watch->call;
    struct connection_progress progress;
    struct error ignored;

    if (!call->call->terminal->is_screen || !watch->end->connection ||
        connection_progress(watch->end->connection, call->domain, &progress, &ignored) < 0 ||
        progress.total == 0 || progress.remaining > progress.total)
        return;
    terminal_rewind(call->call->terminal, call->call->out);
    say_part(call->call->out, "%s: %u %% is %s, %llu MiB to go", call->name,
             (unsigned)((progress.total - progress.remaining) * 100 / progress.total), call->doing,
             (unsigned long long)(progress.remaining >> 20));
    fflush(call->call->out);
}

/* Waits until the child has said all. */
static void
wait_for_end(struct watch *watch)
{
    const struct host *host = watch->call->call->host;
    char *said = watch->end->said;

    while (watch->child.pipe >= 0) {
        struct pollfd polls[] = {
            {.fd = watch->child.pipe, .events = POLLIN},
            {.fd = watch->signals, .events = POLLIN}, /* poll(2) skips a negative one */
        };

        if (host->ops->wait(host, polls, COUNT(polls), PAUSE) <= 0) {
            show(watch);
            continue;
        }
        if (polls[1].revents)
            stop(watch);
        if (polls[0].revents)
            watch->size += child_hear(&watch->child, said + watch->size,
                                      sizeof(watch->end->said) - 1 - watch->size);
    }
    terminal_rewind(watch->call->call->terminal, watch->call->call->out);
}

int
long_call_make(const struct long_call *call, struct long_call_end *ret, struct error *error)
{
    struct watch watch = {.call = call, .end = ret};
    struct error ignored;
    int rc;

    *ret = (struct long_call_end){0};
    rc = connection_load(call->call->host, error);
    if (rc < 0)
        return rc;
    rc = child_start(&watch.child, work, call);
    if (rc < 0)
        return error_set(error, rc, "no process can be started to ask libvirt: %s", strerror(-rc));
    block_signals(&watch);
    /* The connection is opened after the child was started, because the two must not share one. */
    if (connection_open(call->call->host, call->call->uri, CONNECTION_WRITE, &ret->connection,
                        &ignored) < 0)
        connection_close(&ret->connection);
    wait_for_end(&watch);
    child_end(&watch.child, deadline_in(call->call->host, ENDING));
    unblock_signals(&watch);
    return 0;
}

void
long_call_clear(struct long_call_end *end)
{
    connection_close(&end->connection);
}
