/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/watch.h"
#include "base/memory.h"
#include "cli/reply.h"
#include "cli/json.h"
#include "cli/say.h"
#include "cli/wrap.h"

#include <poll.h>
#include <string.h>

#define SECOND   UINT64_C(1000000000) /* in nanoseconds */
#define SHORTEST SECOND               /* pause between two looks */
#define LONGEST  (30 * SECOND)
#define SHARE    9 /* within these limits a pause is so many times as long as its look */

/* Returns a copy of the line, and sets *text to the next one. The caller frees the copy. */
static char *
take_line(const char **text)
{
    size_t length = strcspn(*text, "\n");
    char *line = memory_copy_bytes(*text, length);

    *text += length + ((*text)[length] == '\n');
    return line;
}

/* Wraps lines of any length. */
static void
put_faults(const char *text, const struct terminal *terminal, FILE *out)
{
    while (*text) {
        AUTO_FREE char *line = take_line(&text);

        for (const char *at = line, *next; *at; at = next) {
            size_t length = wrap_line(at, terminal_width(terminal), &next);

            say_line(out, "%.*s", (int)length, at);
        }
    }
}

/* Puts the complaints below the output, and says how to end the watch. */
static void
put_end(const char *faults, const struct terminal *terminal, FILE *out)
{
    if (*faults) {
        say_end(out);
        put_faults(faults, terminal, out);
    }
    say_paragraph(out, "(q ends this)");
}

/* What one look has found. The caller clears it. */
struct frame {
    char *text;    /* what is shown: for people the whole screen, for programs the document */
    char *faults;  /* the lines of its complaints, "" if there are none */
    uint64_t took; /* nanoseconds */
};

static void
frame_clear(struct frame *frame)
{
    free(frame->text);
    free(frame->faults);
}

/* Returns COMMAND_USAGE if the command makes no sense, and COMMAND_DONE in all other cases. */
static enum command_status
frame_take(struct frame *frame, const struct command_call *call, watch_look *run,
           struct error *error)
{
    AUTO(reply_clear) struct reply reply = {0};
    struct command_call aside = *call;
    uint64_t began = call->host->ops->now(call->host);
    enum command_status status;
    bool has_failed;
    size_t size;

    aside.reply = &reply;
    aside.out = reply.out = memory_stream(&frame->text, &size);
    aside.faults = memory_stream(&frame->faults, &size);
    status = run(&aside, error);
    has_failed = status != COMMAND_DONE && *error->text;
    if (has_failed)
        say_line(aside.faults, "vgpuctl: %s: %s", call->name, error->text);
    frame->took = call->host->ops->now(call->host) - began;
    memory_stream_end(aside.faults, &frame->faults);
    if (reply_is_wanted(call))
        reply_print(&aside, has_failed ? error : NULL);
    else
        put_end(frame->faults, call->terminal, aside.out);
    memory_stream_end(aside.out, &frame->text);
    return status == COMMAND_USAGE ? status : COMMAND_DONE;
}

/* Returns how long to wait after a look that took so long, in nanoseconds: so many seconds, or if
 * nobody has said that (0), a share of it. libvirt is asked for each domain, which takes long if
 * there are many. */
static uint64_t
pause_after(uint64_t took, unsigned seconds)
{
    uint64_t pause = SHARE * took;

    if (seconds)
        return seconds * SECOND;
    if (pause < SHORTEST)
        return SHORTEST;
    return pause < LONGEST ? pause : LONGEST;
}

/* --- for people --------------------------------------------------------------------------------
 */

/* Waits until there is something to look at again. Meanwhile the user may scroll. */
static enum terminal_event
wait_and_scroll(struct terminal_screen *screen, const struct host *host, const char *text,
                uint64_t pause)
{
    uint64_t end = host->ops->now(host) + pause;
    enum terminal_event event;

    do {
        uint64_t now = host->ops->now(host);

        event = terminal_wait(screen, host, now < end ? end - now : 0);
        if (event == TERMINAL_SCROLLED)
            terminal_show(screen, text);
    } while (event == TERMINAL_SCROLLED);
    return event;
}

static enum command_status
watch_screen(const struct command_call *call, watch_look *run, unsigned seconds,
             struct error *error)
{
    struct terminal terminal = *call->terminal;
    struct command_call here = *call;
    AUTO(terminal_release) struct terminal_screen screen = TERMINAL_SCREEN_NONE;
    enum terminal_event event = TERMINAL_ANEW;
    AUTO(frame_clear) struct frame before = {memory_copy(""), memory_copy(""), 0};
    enum command_status status = COMMAND_DONE;

    if (terminal_take(&screen, &terminal, call->out, error) < 0)
        return command_ended(REFUSED, error);
    here.terminal = &terminal;
    while (status == COMMAND_DONE && event != TERMINAL_END) {
        struct frame frame = {0};

        status = frame_take(&frame, &here, run, error);
        if (status == COMMAND_DONE &&
            (event == TERMINAL_ANEW || strcmp(before.text, frame.text) != 0))
            terminal_show(&screen, frame.text);
        frame_clear(&before);
        before = frame;
        if (status == COMMAND_DONE)
            event =
                wait_and_scroll(&screen, call->host, frame.text, pause_after(frame.took, seconds));
    }
    return status;
}

/* --- for programs ------------------------------------------------------------------------------
 */

/* 1: it goes on; 0: nobody reads the output any more; or -errno with a line in error. */
static int
wait_a_moment(const struct command_call *call, uint64_t nanoseconds, struct error *error)
{
    struct pollfd end = {.fd = fileno(call->out)};

    if (fflush(call->out) != 0)
        return error_set(error, -errno, "writing the result: %m");
    return call->host->ops->wait(call->host, &end, 1, nanoseconds) <= 0;
}

static enum command_status
watch_lines(const struct command_call *call, watch_look *run, unsigned seconds, struct error *error)
{
    AUTO(frame_clear) struct frame before = {memory_copy(""), memory_copy(""), 0};
    int rc;

    do {
        struct frame frame = {0};

        if (frame_take(&frame, call, run, error) != COMMAND_DONE) {
            frame_clear(&frame);
            return COMMAND_USAGE;
        }
        call->reply->is_printed = true;
        if (strcmp(frame.text, before.text) != 0)
            json_print_line(frame.text, call->out);
        frame_clear(&before);
        before = frame;
        rc = wait_a_moment(call, pause_after(frame.took, seconds), error);
    } while (rc > 0);
    return command_ended(rc, error);
}

enum command_status
watch_run(const struct command_call *call, watch_look *look, struct error *error)
{
    unsigned seconds;

    if (options_number(&call->options, OPTION_INTERVAL, 1, 3600, 0, &seconds, error) < 0)
        return COMMAND_USAGE;
    return reply_is_wanted(call) ? watch_lines(call, look, seconds, error)
                                 : watch_screen(call, look, seconds, error);
}
