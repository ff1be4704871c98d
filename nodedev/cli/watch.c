/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/watch.h"
#include "base/memory.h"
#include "cli/json.h"
#include "cli/say.h"
#include "cli/wrap.h"

#include <poll.h>
#include <string.h>

#define PAUSE UINT64_C(1000000000) /* nanoseconds between two looks, at least */
#define SHARE 9                    /* a pause is at least so many times as long as the look */

/* Shows the command's output once in `out`. Returns the lines of its complaints, "" if there are
 * none. The caller frees them. */
static char *
look(const struct command_call *call, watch_show *show, FILE *out)
{
    struct command_call aside = *call;
    struct error error = {0};
    char *faults = NULL;
    size_t size;

    aside.out = out;
    aside.faults = memory_stream(&faults, &size);
    if (show(&aside, &error) < 0)
        say_line(aside.faults, "vgpuctl: %s: %s", call->name, error.text);
    memory_stream_end(aside.faults, &faults);
    return faults;
}

/* Returns how long to wait after a look, in nanoseconds. libvirt is asked for each domain, which
 * takes long if there are many. */
static uint64_t
pause_after(const struct host *host, uint64_t began)
{
    uint64_t took = host->ops->now(host) - began;

    return SHARE * took > PAUSE ? SHARE * took : PAUSE;
}

/* Returns a copy of the line, and sets *text to the next one. The caller frees the copy. */
static char *
take_line(const char **text)
{
    size_t length = strcspn(*text, "\n");
    char *line = memory_copy_bytes(*text, length);

    *text += length + ((*text)[length] == '\n');
    return line;
}

/* --- for people --------------------------------------------------------------------------------
 */

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

/* Returns the text of the whole screen. The caller frees it. */
static char *
draw(const struct command_call *call, watch_show *show)
{
    AUTO_FREE char *faults = NULL;
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);

    faults = look(call, show, out);
    if (*faults) {
        say_end(out);
        put_faults(faults, call->terminal, out);
    }
    say_paragraph(out, "(q ends this)");
    memory_stream_end(out, &text);
    return text;
}

static int
watch_screen(const struct command_call *call, watch_show *show, struct error *error)
{
    struct terminal terminal = *call->terminal;
    struct command_call here = *call;
    AUTO(terminal_release) struct terminal_screen screen = TERMINAL_SCREEN_NONE;
    enum terminal_event event = TERMINAL_ANEW;
    AUTO_FREE char *before = NULL;
    int rc = terminal_take(&screen, &terminal, call->out, error);

    here.terminal = &terminal;
    while (rc == 0 && event != TERMINAL_END) {
        uint64_t began = call->host->ops->now(call->host);
        char *now = draw(&here, show);

        if (event == TERMINAL_ANEW || !before || strcmp(before, now) != 0)
            terminal_show(&screen, now);
        free(before);
        before = now;
        event = terminal_wait(&screen, call->host, pause_after(call->host, began));
    }
    return rc;
}

/* --- for programs ------------------------------------------------------------------------------
 */

static void
put_fault_list(const char *text, FILE *out)
{
    AUTO_FREE char *document = NULL;
    size_t size;
    struct json json = {.out = memory_stream(&document, &size)};

    json_open(&json, NULL, '{');
    json_open(&json, "faults", '[');
    while (*text) {
        AUTO_FREE char *line = take_line(&text);

        json_text(&json, NULL, line);
    }
    json_close(&json, ']');
    json_close(&json, '}');
    memory_stream_end(json.out, &document);
    json_print_line(document, out);
}

/* Returns false if nobody reads the output any more. */
static bool
wait_a_moment(const struct command_call *call, uint64_t nanoseconds)
{
    struct pollfd end = {.fd = fileno(call->out)};

    return fflush(call->out) == 0 && call->host->ops->wait(call->host, &end, 1, nanoseconds) <= 0;
}

/* Prints one look, as far as it differs from the one before. Takes the place of that one. */
static void
put_look(const struct command_call *call, watch_show *show, char **text, char **faults)
{
    char *now = NULL, *complaints;
    size_t size;
    FILE *out = memory_stream(&now, &size);

    complaints = look(call, show, out);
    memory_stream_end(out, &now);
    if (strcmp(*faults, complaints) != 0)
        put_fault_list(complaints, call->out);
    if (*now && strcmp(*text, now) != 0)
        json_print_line(now, call->out);
    free(*text);
    free(*faults);
    *text = now;
    *faults = complaints;
}

static int
watch_lines(const struct command_call *call, watch_show *show)
{
    AUTO_FREE char *text = memory_copy("");
    AUTO_FREE char *faults = memory_copy("");
    uint64_t began;

    do {
        began = call->host->ops->now(call->host);
        put_look(call, show, &text, &faults);
    } while (wait_a_moment(call, pause_after(call->host, began)));
    return 0;
}

int
watch_run(const struct command_call *call, watch_show *show, struct error *error)
{
    if (!option_given(&call->options, OPTION_WATCH))
        return show(call, error);
    return option_given(&call->options, OPTION_JSON) ? watch_lines(call, show)
                                                     : watch_screen(call, show, error);
}
