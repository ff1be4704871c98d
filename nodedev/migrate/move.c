/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/move.h"
#include "base/shell-word.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "libvirt/child.h"
#include "migrate/moved-definition.h"

#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PAUSE  UINT64_C(500000000) /* nanoseconds between two looks at the progress */
#define ENDING 5000 /* milliseconds that the child may take to end after its last word */

/* What the child says after a success. It says MOVED at once. Then it says SETTLED when all is
 * right there, or else what is wrong. If it says nothing after MOVED, it has ended too early.
 * Without success, the child says why the domain was not moved. */
#define MOVED     "moved"
#define SETTLED   "."
#define UNSETTLED "its definition there may name what it had here"

/* --- the child -------------------------------------------------------------------------------- */

/* Makes the XML with which the domain is to run there. It stays empty if nothing is to change. */
static int
make_xml(const struct move *move, struct connection *connection, struct document *ret,
         struct error *error)
{
    AUTO(document_clear) struct document live = {0};
    int rc;

    *ret = (struct document){0};
    if (!move->types || move->types->count == 0)
        return 0;
    rc = connection_xml(connection, move->domain, CONNECTION_LIVE, true, &live, error);
    return rc < 0 ? rc : moved_types_say(move->types, &live, ret, error);
}

static int
migrate(const struct move *move, struct connection *connection, struct error *error)
{
    AUTO(document_clear) struct document xml = {0};
    struct connection_domain domain;
    int rc = connection_find(connection, move->domain->text, &domain, error);

    if (rc < 0)
        return rc;
    if (!domain.is_running && domain.is_saved)
        return error_set(error, -EBUSY,
                         "it has a saved state, which would stay here: start it, or remove that "
                         "with 'virsh managedsave-remove %s'",
                         shell_word(move->name).text);
    if (domain.is_running)
        rc = make_xml(move, connection, &xml, error);
    return rc < 0 ? rc : connection_migrate(connection, move->domain, move->to, xml.text, error);
}

/* The domain has moved, so a failure here is only told. */
static void
settle(const struct move *move, struct error *error)
{
    AUTO(connection_close) struct connection *there = NULL;
    int rc = connection_open(move->call->host, move->to, CONNECTION_WRITE, &there, error);

    if (rc == 0)
        rc = moved_definition_update(there, move->domain, error);
    if (rc < 0)
        error_wrap(error, UNSETTLED);
    else
        error_set(error, 0, SETTLED);
}

static void
work(const void *data, FILE *out)
{
    const struct move *move = data;
    struct connection *connection = NULL;
    struct error error = {0};
    int rc =
        connection_open(move->call->host, move->call->uri, CONNECTION_WRITE, &connection, &error);

    if (rc == 0)
        rc = migrate(move, connection, &error);
    if (rc == 0) {
        fwrite(MOVED, 1, strlen(MOVED), out);
        fflush(out);
        settle(move, &error);
    }
    fwrite(error.text, 1, strlen(error.text), out);
    fclose(out);
    connection_close(&connection);
}

/* --- who watches it --------------------------------------------------------------------------- */

struct watch {
    const struct move *move;
    struct connection *connection; /* NULL: the domain is moved, but cannot be watched */
    struct child child;
    int signals;     /* a signalfd of the signals that would end this program; -1: they end it */
    sigset_t before; /* the signals that were blocked before */
    char said[2048]; /* the words of the child */
    size_t size;
};

static void
block_signals(struct watch *watch)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t blocked;

    sigemptyset(&blocked);
    for (size_t i = 0; i < COUNT(ends); i++)
        sigaddset(&blocked, ends[i]);
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

/* Asks libvirt to stop the migration. The migration may be over, or may not have begun; a second
 * signal asks again. */
static void
stop(struct watch *watch)
{
    const struct move *move = watch->move;
    struct signalfd_siginfo info;
    struct error failure;

    if (read(watch->signals, &info, sizeof(info)) != (ssize_t)sizeof(info) || !watch->connection)
        return;
    if (connection_abort(watch->connection, move->domain, &failure) < 0) {
        terminal_rewind(move->call->terminal, move->call->out);
        say_line(move->call->out, "%s: %s", move->name, failure.text);
    }
}

static void
show(const struct watch *watch)
{
    const struct move *move = watch->move;
    struct connection_progress progress;
    struct error ignored;

    if (!move->call->terminal->is_screen || !watch->connection ||
        connection_progress(watch->connection, move->domain, &progress, &ignored) < 0 ||
        progress.total == 0 || progress.remaining > progress.total)
        return;
    terminal_rewind(move->call->terminal, move->call->out);
    say_part(move->call->out, "%s: %u %% is there, %llu MiB to go", move->name,
             (unsigned)((progress.total - progress.remaining) * 100 / progress.total),
             (unsigned long long)(progress.remaining >> 20));
    fflush(move->call->out);
}

/* Waits until the child has said all. */
static void
wait_for_end(struct watch *watch)
{
    const struct host *host = watch->move->call->host;

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
            watch->size += child_hear(&watch->child, watch->said + watch->size,
                                      sizeof(watch->said) - 1 - watch->size);
    }
    terminal_rewind(watch->move->call->terminal, watch->move->call->out);
}

/* Tells what the child has said, and what became of the domain. */
static int
conclude(const struct watch *watch, struct error *error)
{
    const struct move *move = watch->move;
    struct connection_domain domain;
    struct error ignored;

    if (!strncmp(watch->said, MOVED, strlen(MOVED))) {
        const char *rest = watch->said + strlen(MOVED);

        if (strcmp(rest, SETTLED) != 0)
            reply_warn(move->call, ERROR_FAILED, "%s: %s", move->name, *rest ? rest : UNSETTLED);
        return 0;
    }
    error_set(error, -EIO, "%s is not moved: %s", move->name,
              *watch->said ? watch->said
                           : "the process that asked libvirt for it has ended without a word");
    if (!watch->connection ||
        connection_find(watch->connection, move->domain->text, &domain, &ignored) < 0)
        error_add(error, "and whether it is still here is not known: see 'virsh list --all'");
    else
        error_add(error, "it %s here", domain.is_running ? "still runs" : "is shut off");
    return -EIO;
}

int
move_run(const struct move *move, struct error *error)
{
    struct watch watch = {.move = move};
    struct error ignored;
    int rc = connection_load(move->call->host, error);

    if (rc < 0)
        return rc;
    rc = child_start(&watch.child, work, move);
    if (rc < 0)
        return error_set(error, rc, "%s cannot be moved: no process for it: %s", move->name,
                         strerror(-rc));
    block_signals(&watch);
    /* The connection is opened after the child was started, because the two must not share one. */
    if (connection_open(move->call->host, move->call->uri, CONNECTION_WRITE, &watch.connection,
                        &ignored) < 0)
        connection_close(&watch.connection);
    wait_for_end(&watch);
    child_end(&watch.child, deadline_in(move->call->host, ENDING));
    rc = conclude(&watch, error);
    connection_close(&watch.connection);
    unblock_signals(&watch);
    return rc;
}
