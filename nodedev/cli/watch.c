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
struct look {
    char *text;    /* what is shown: for people the whole screen, for programs the document */
    char *faults;  /* the lines of its complaints, "" if there are none */
    uint64_t took; /* nanoseconds */
};

static void
look_clear(struct look *look)
{
    free(look->text);
    free(look->faults);
}

/* Fails only if the command makes no sense. */
static int
look_take(struct look *look, const struct command_call *call, watch_show *show, struct error *error)
{
    AUTO(reply_clear) struct reply reply = {0};
    struct command_call aside = *call;
    uint64_t began = call->host->ops->now(call->host);
    size_t size;
    int rc;

    aside.reply = &reply;
    aside.out = memory_stream(&look->text, &size);
    aside.faults = memory_stream(&look->faults, &size);
    rc = show(&aside, error);
    if (rc < 0)
        say_line(aside.faults, "vgpuctl: %s: %s", call->name, error->text);
    look->took = call->host->ops->now(call->host) - began;
    memory_stream_end(aside.faults, &look->faults);
    if (reply_is_wanted(call))
        reply_print(&aside, rc < 0 ? error : NULL, aside.out);
    else
        put_end(look->faults, call->terminal, aside.out);
    memory_stream_end(aside.out, &look->text);
    return rc == REFUSED && error->class == ERROR_USAGE ? rc : 0;
}

/* Returns how long to wait after a look that took so long, in nanoseconds. libvirt is asked for
 * each domain, which takes long if there are many. */
static uint64_t
pause_after(uint64_t took)
{
    uint64_t pause = SHARE * took;

    if (pause < SHORTEST)
        return SHORTEST;
    return pause < LONGEST ? pause : LONGEST;
}

/* --- for people --------------------------------------------------------------------------------
 */

static int
watch_screen(const struct command_call *call, watch_show *show, struct error *error)
{
    struct terminal terminal = *call->terminal;
    struct command_call here = *call;
    AUTO(terminal_release) struct terminal_screen screen = TERMINAL_SCREEN_NONE;
    enum terminal_event event = TERMINAL_ANEW;
    AUTO(look_clear) struct look before = {memory_copy(""), memory_copy(""), 0};
    int rc = terminal_take(&screen, &terminal, call->out, error);

    here.terminal = &terminal;
    while (rc == 0 && event != TERMINAL_END) {
        struct look look = {0};

        rc = look_take(&look, &here, show, error);
        if (rc == 0 && (event == TERMINAL_ANEW || strcmp(before.text, look.text) != 0))
            terminal_show(&screen, look.text);
        look_clear(&before);
        before = look;
        if (rc == 0)
            event = terminal_wait(&screen, call->host, pause_after(look.took));
    }
    return rc;
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

static int
watch_lines(const struct command_call *call, watch_show *show, struct error *error)
{
    AUTO(look_clear) struct look before = {memory_copy(""), memory_copy(""), 0};
    struct look look;
    int rc;

    do {
        look = (struct look){0};
        rc = look_take(&look, call, show, error);
        call->reply->is_printed |= rc == 0;
        if (rc == 0 && strcmp(look.text, before.text) != 0)
            json_print_line(look.text, call->out);
        look_clear(&before);
        before = look;
        if (rc == 0)
            rc = wait_a_moment(call, pause_after(look.took), error);
    } while (rc > 0);
    return rc;
}

int
watch_run(const struct command_call *call, watch_show *show, struct error *error)
{
    if (!option_given(&call->options, OPTION_WATCH))
        return show(call, error);
    return reply_is_wanted(call) ? watch_lines(call, show, error) : watch_screen(call, show, error);
}
