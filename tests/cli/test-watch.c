/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A command that watches: what a program reads of it, and what people see. check-terminal.sh tests
 * the latter in a real terminal. */

#include "cli/reply.h"
#include "cli/say.h"
#include "cli/watch.h"
#include "fake/unit.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

/* The world of a watched command. Each wait ends one look; the last one ends the program's interest
 * in the output. */
struct world {
    struct host host;          /* first, because the operation finds the rest by it */
    const char *const *shown;  /* per look: the name of what is listed, or ""; NULL ends them */
    const char *const *faults; /* per look: its complaint, or NULL */
    size_t looks;
    uint64_t now, look_takes, pause; /* nanoseconds */
    const char *interval;            /* of --interval; NULL: not typed */
    bool is_for_people;
};

static struct world world = {.look_takes = SECOND / 1000, .pause = SECOND};

static int
wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    assert_int_equal(count, 1);
    assert_int_equal(nanoseconds, world.pause);
    world.now += nanoseconds;
    return world.shown[world.looks] ? 0 : 1;
}

static uint64_t
now(const struct host *host)
{
    return world.now;
}

static const struct host_ops ops = {.now = now, .wait = wait};

static enum command_status
show(const struct command_call *call, struct error *error)
{
    size_t look = world.looks++;
    struct json *json;

    world.now += world.look_takes;
    if (world.faults[look] && *world.faults[look] == '!')
        return command_ended(error_set(error, -EIO, "%s", world.faults[look] + 1), error);
    if (world.faults[look] && *world.faults[look] == '?')
        return command_ended(error_refuse(error, ERROR_USAGE, "%s", world.faults[look] + 1), error);
    if (world.faults[look])
        reply_warn(call, ERROR_NO_LIBVIRT, "%s", world.faults[look]);
    if (world.is_for_people) {
        say_line(call->out, "name: %s", world.shown[look]);
        return COMMAND_DONE;
    }
    json = reply_json(call);
    json_open(json, "status", '[');
    if (*world.shown[look]) {
        json_open(json, NULL, '{');
        json_text(json, "name", world.shown[look]);
        json_number(json, "free", 1);
        json_close(json, '}');
    }
    json_close(json, ']');
    return COMMAND_DONE;
}

/* Compares all that is printed until the reader goes, or until the watch ends with this result. */
static void
expect(enum command_status result, const char *const *shown, const char *const *faults,
       const char *lines)
{
    AUTO(reply_clear) struct reply reply = {0};
    const struct terminal screen = {.is_screen = true};
    struct command_call call = {
        .host = &world.host, .name = "status", .reply = &reply, .terminal = &screen};
    struct error error;
    char *text = NULL;
    size_t size;

    world.host.ops = &ops;
    world.shown = shown;
    world.faults = faults;
    world.looks = 0;
    call.options.values[OPTION_WATCH] = "";
    call.options.values[OPTION_JSON] = world.is_for_people ? NULL : "";
    call.options.values[OPTION_INTERVAL] = world.interval;
    call.out = call.faults = open_memstream(&text, &size);
    assert_non_null(call.out);
    assert_int_equal(watch_run(&call, show, &error), result);
    fclose(call.out);
    assert_string_equal(text, lines);
    free(text);
}

#define ONE   "a  b"
#define NONE  ""
#define HEAD  "{\"format\": 2, \"memory-unit\": \"MiB\", "
#define EMPTY HEAD "\"status\": [], " WELL "}\n"
/* The document's end if all is well, and a note in it. */
#define WELL "\"errors\": [], \"warnings\": []"
#define NOTE(word, text)                                                                           \
    "{\"word\": \"" word "\", \"text\": \"" text "\", \"remedy\": \"\", \"advice\": \"\"}"

UNIT_TEST(one_line_for_each_change)
{
    static const char *const shown[] = {NONE, NONE, ONE, ONE, NONE, NULL};
    static const char *const faults[5];

    expect(COMMAND_DONE, shown, faults,
           EMPTY HEAD "\"status\": [{\"name\": \"a  b\", \"free\": 1}], " WELL "}\n" EMPTY);
}

/* A complaint is told once, and so is its end. A failure does not end the watch. It has no list. */
UNIT_TEST(complaints_are_in_the_document)
{
    static const char *const shown[] = {NONE, NONE, "", NONE, NONE, NULL};
    static const char *const faults[] = {"no \"libvirt\"", "no \"libvirt\"", "!no memory", NULL,
                                         NULL};

    expect(COMMAND_DONE, shown, faults,
           HEAD "\"status\": [], \"errors\": [], \"warnings\": [" NOTE(
               "no-libvirt", "no \\\"libvirt\\\"") "]}\n" HEAD
                                                   "\"errors\": [" NOTE(
                                                       "failed",
                                                       "no memory") "], \"warnings\": []}\n" EMPTY);
}

/* The screen is cleared for each change only. Complaints are lines as any others. */
UNIT_TEST(a_screen_for_each_change)
{
    static const char *const shown[] = {ONE, ONE, NONE, NONE, "", NULL};
    static const char *const faults[] = {NULL, NULL, NULL, "no libvirt", "!no memory"};

    world.is_for_people = true;
#define CLEAR "\033[H\033[2J"
    expect(COMMAND_DONE, shown, faults,
           CLEAR "name: a  b\n" CLEAR "name: \n" CLEAR "vgpuctl: status: no libvirt\nname: \n" CLEAR
                 "vgpuctl: status: no memory\n");
    world.is_for_people = false;
}

/* A command that makes no sense will make none later. */
UNIT_TEST(misuse_ends_the_watch)
{
    static const char *const shown[] = {NULL};
    static const char *const faults[] = {"?there is no column nosuch"};

    expect(COMMAND_USAGE, shown, faults, "");
}

/* A look that takes long is rare, but no pause is longer than half a minute. */
UNIT_TEST(slow_looks)
{
    static const char *const shown[] = {NONE, NONE, NULL};
    static const char *const faults[2];

    world.look_takes = 2 * SECOND;
    world.pause = 18 * SECOND;
    expect(COMMAND_DONE, shown, faults, EMPTY);
    world.look_takes = 60 * SECOND;
    world.pause = 30 * SECOND;
    expect(COMMAND_DONE, shown, faults, EMPTY);
    world.look_takes = SECOND / 1000;
    world.pause = SECOND;
}

/* Whoever says how often, decides. */
UNIT_TEST(an_interval)
{
    static const char *const shown[] = {NONE, NONE, NULL};
    static const char *const faults[2];

    world.interval = "7";
    world.pause = 7 * SECOND;
    expect(COMMAND_DONE, shown, faults, EMPTY);
    world.interval = "0";
    expect(COMMAND_USAGE, shown, faults, "");
    world.interval = NULL;
    world.pause = SECOND;
}
