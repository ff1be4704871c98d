/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The child that asks drivers: its answers, its open descriptors, and when it is left behind. */

#include "base/reader.h"
#include "fake/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GPU  "0000:18:00.0"
#define TYPE "sys/class/mdev_bus/" GPU "/mdev_supported_types/x-1"

static struct scene scene;
static struct reader reader;

static void
begin(void)
{
    reader = READER_IDLE;
    scene.kernel.host.reader = &reader;
}

static void
end(void)
{
    scene.kernel.host.reader = NULL;
    reader_stop(&reader);
}

static const struct scene_case here = {.scene = &scene,
                                       .machine = "gpu " GPU " rule size\n"
                                                  "type x-1 \"X-1\" framebuffer 1024 max 3\n",
                                       .begin = begin,
                                       .end = end};
#define TEST(function) SCENE_TEST(function, here)

static ssize_t
ask(const char *path, char *text, size_t size)
{
    struct name card;

    assert_int_equal(name_parse(&card, GPU), 0);
    return reader_read(&scene.kernel.host, &card, text, size, "%s", path);
}

static bool
is_silent(void)
{
    struct name card;

    assert_int_equal(name_parse(&card, GPU), 0);
    return reader_is_silent(&reader, &card);
}

static void
make_slow(unsigned milliseconds)
{
    snprintf(scene.kernel.faults->slow, sizeof(scene.kernel.faults->slow), "0000:18:00");
    scene.kernel.faults->slow_by = milliseconds;
}

/* --- the tests -------------------------------------------------------------------------------- */

TEST(it_answers_as_a_read_would)
{
    struct name card;
    uint64_t number;
    char text[16];

    assert_int_equal(name_parse(&card, GPU), 0);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
    assert_string_equal(text, "X-1");
    assert_int_equal(ask(TYPE "/name", text, 4), -E2BIG);
    assert_int_equal(ask(TYPE "/nothing", text, sizeof(text)), -ENOENT);
    assert_int_equal(
        reader_read_number(&scene.kernel.host, &card, &number, TYPE "/available_instances"), 0);
    assert_int_equal(number, 3);
    assert_int_equal(reader_read_number(&scene.kernel.host, &card, &number, TYPE "/name"),
                     -EBADMSG);
    assert_false(is_silent());
}

/* The child must keep no descriptor of its parent open. The kernel may keep the child alive for any
 * time. */
TEST(it_has_nothing_else_open)
{
    const struct host host = {.root = scene.kernel.real_root, .ops = &host_kernel};
    AUTO(names_clear) struct names open = {0};
    char text[16];
    int count = 0;

    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
    assert_int_equal(host_list(&host, &open, "proc/%d/fd", reader.pid), 0);
    /* valgrind has open descriptors of its own, above these. */
    for (size_t i = 0; i < open.count; i++)
        count += atoi(open.items[i].text) < 1000;
    assert_int_equal(count, 2);
}

/* In one look all answers of a card have to come within the card's time. */
TEST(a_slow_card_is_silent)
{
    char text[16];
    uint64_t began = fake_now();

    make_slow(200);
    reader_begin(&reader, 500);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), -ETIMEDOUT);
    assert_true(is_silent());
    assert_int_equal(fake_now() - began, 500);
    /* The card is not asked again until the next look. */
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), -ETIMEDOUT);
    assert_int_equal(fake_now() - began, 500);
    reader_begin(&reader, 500);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
    assert_string_equal(text, "X-1");
    assert_false(is_silent());
}

/* Another child asks the other cards. */
TEST(others_are_still_asked)
{
    struct name other;
    char text[16];

    make_slow(0);
    scene.kernel.faults->mute = true;
    assert_int_equal(name_parse(&other, "0000:3b:00.0"), 0);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), -ETIMEDOUT);
    assert_true(reader_read(&scene.kernel.host, &other, text, sizeof(text),
                            "proc/sys/kernel/random/boot_id") == -E2BIG);
    assert_true(is_silent());
    assert_false(reader_is_silent(&reader, &other));
}

/* A child of the process asks drivers by itself, and not through the reader. If both used one
 * reader, their answers would be mixed up. */
TEST(a_child_asks_by_itself)
{
    char text[16];
    int pid;

    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
    pid = reader.pid;
    reader_turn_off(&reader);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
    assert_int_equal(reader.pid, pid);
    make_slow(READER_PATIENCE * 2);
    assert_int_equal(ask(TYPE "/name", text, sizeof(text)), 3);
}
