/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/watch.h"
#include "base/memory.h"
#include "cli/json.h"
#include "cli/reply.h"
#include "cli/say.h"

#include <poll.h>
#include <string.h>

#define SECOND   UINT64_C(1000000000) /* in nanoseconds */
#define SHORTEST SECOND               /* pause between two looks */
#define LONGEST  (30 * SECOND)
#define SHARE    9 /* within these limits a pause is so many times as long as its look */

/* What one look has found. The caller clears it. */
struct frame {
    char *text;    /* for people all lines, for programs the document */
    uint64_t took; /* nanoseconds */
};

static void
frame_clear(struct frame *frame)
{
    free(frame->text);
}

/* Returns COMMAND_USAGE if the command makes no sense, and COMMAND_DONE in all other cases. */
static enum command_status
frame_take(struct frame *frame, const struct command_call *call, watch_look *run,
           struct error *error)
{
    AUTO(reply_clear) struct reply reply = {0};
    AUTO_FREE char *lines = NULL;
    struct command_call aside = *call;
    uint64_t began = call->host->ops->now(call->host);
    enum command_status status;
    bool has_failed;
    size_t size;

    aside.reply = &reply;
    aside.out = aside.faults = memory_stream(&lines, &size);
    status = run(&aside, error);
    has_failed = status != COMMAND_DONE && *error->text;
    if (has_failed)
        say_line(aside.faults, "vgpuctl: %s: %s", call->name, error->text);
    frame->took = call->host->ops->now(call->host) - began;
    memory_stream_end(aside.out, &lines);
    if (reply_is_wanted(call)) {
        reply.out = memory_stream(&frame->text, &size);
        reply_print(&aside, has_failed ? error : NULL);
        memory_stream_end(reply.out, &frame->text);
    } else {
        frame->text = lines;
        lines = NULL;
    }
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

/* 1: it goes on; 0: nobody reads the output any more; or -errno with a line in error. */
static int
wait_a_moment(const struct command_call *call, uint64_t nanoseconds, struct error *error)
{
    struct pollfd end = {.fd = fileno(call->out)};

    if (fflush(call->out) != 0)
        return error_set(error, -errno, "writing the result: %m");
    return call->host->ops->wait(call->host, &end, 1, nanoseconds) <= 0;
}

static void
show(const struct command_call *call, const char *text)
{
    if (reply_is_wanted(call))
        json_print_line(text, call->out);
    else
        terminal_show(text, call->out);
}

enum command_status
watch_run(const struct command_call *call, watch_look *look, struct error *error)
{
    AUTO(frame_clear) struct frame before = {.text = memory_copy("")};
    unsigned seconds;
    int rc;

    if (options_number(&call->options, OPTION_INTERVAL, 1, 3600, 0, &seconds, error) < 0)
        return COMMAND_USAGE;
    if (!reply_is_wanted(call) && !call->terminal->is_screen) {
        error_refuse(error, ERROR_USAGE, "--watch needs a terminal to draw on, or --json");
        return COMMAND_USAGE;
    }
    do {
        struct frame frame = {0};

        if (frame_take(&frame, call, look, error) != COMMAND_DONE) {
            frame_clear(&frame);
            return COMMAND_USAGE;
        }
        call->reply->is_printed = true;
        if (strcmp(frame.text, before.text) != 0)
            show(call, frame.text);
        frame_clear(&before);
        before = frame;
        rc = wait_a_moment(call, pause_after(frame.took, seconds), error);
    } while (rc > 0);
    return command_ended(rc, error);
}
