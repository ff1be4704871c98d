/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* deadline: the time that is left, the earlier of two deadlines, and pauses that never go beyond a
 * deadline. The test has its own clock, so every figure is exact. */

#include "base/deadline.h"
#include "fake/unit.h"

#include <limits.h>
#include <poll.h>

#define MILLISECOND 1000000ull

static uint64_t now;

static uint64_t
clock_now(const struct host *host)
{
    return now;
}

static int interrupted; /* so many of the next waits are interrupted, each after a millisecond */
static bool is_ready;   /* a descriptor can be read */

static int
clock_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    if (count && is_ready)
        return 1;
    now += interrupted ? MILLISECOND : nanoseconds;
    return interrupted && interrupted-- ? -EINTR : 0;
}

static const struct host_ops clock_ops = {.now = clock_now, .wait = clock_wait};
static const struct host host = {.root = -1, .ops = &clock_ops, .caller = -1};

static int
setup(void **state)
{
    now = 3600 * 1000 * MILLISECOND;
    return 0;
}

#define TEST(function) UNIT_TEST_IN(function, setup, NULL, NULL)

TEST(left_is_what_was_given)
{
    static const unsigned given[] = {0, 1, 1000, 60000, 3600000, 2147483648u, UINT_MAX};

    for (size_t i = 0; i < COUNT(given); i++)
        assert_int_equal(deadline_left(deadline_in(&host, given[i])), given[i]);
}

/* The remaining time is rounded up. If it were 0 in the last millisecond, a wait would spin until
 * the end. */
TEST(left_rounds_up)
{
    struct deadline soon = deadline_in(&host, 1);

    now += MILLISECOND - 1;
    assert_int_equal(deadline_left(soon), 1);
    now += 1;
    assert_int_equal(deadline_left(soon), 0);
}

TEST(nothing_is_left_of_the_past)
{
    struct deadline past = deadline_in(&host, 0);

    assert_int_equal(deadline_left((struct deadline){&host, 0}), 0);
    now += 60 * 1000 * MILLISECOND;
    assert_int_equal(deadline_left(past), 0);
}

TEST(the_earlier_of_two)
{
    static const unsigned pairs[][3] = {{1, 2, 1}, {2, 1, 1}, {5, 5, 5}, {0, UINT_MAX, 0}};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct deadline a = deadline_in(&host, pairs[i][0]), b = deadline_in(&host, pairs[i][1]);

        assert_int_equal(deadline_left(deadline_earlier(a, b)), pairs[i][2]);
    }
}

TEST(a_pause_that_is_too_late_does_not_sleep)
{
    uint64_t before = now;
    unsigned pause = 1;

    assert_false(deadline_pause(deadline_in(&host, 0), &pause));
    assert_int_equal(pause, 1);
    assert_int_equal(now, before);
}

TEST(pauses_double_up_to_32)
{
    struct deadline late = deadline_in(&host, 60000);
    unsigned pause = 1;

    for (unsigned wanted = 1; wanted <= 32; wanted *= 2) {
        uint64_t before = now;

        assert_int_equal(pause, wanted);
        assert_true(deadline_pause(late, &pause));
        assert_int_equal(now - before, wanted * MILLISECOND);
    }
    assert_int_equal(pause, 32);
}

TEST(a_pause_ends_with_the_deadline)
{
    struct deadline end = deadline_in(&host, 5);
    uint64_t before = now;
    unsigned pause = 32;

    assert_true(deadline_pause(end, &pause));
    assert_int_equal(now - before, 5 * MILLISECOND);
    assert_int_equal(deadline_left(end), 0);
    assert_false(deadline_pause(end, &pause));
}

/* A signal neither shortens a wait nor makes it longer. */
TEST(a_wait_ends_with_the_deadline)
{
    struct deadline end = deadline_in(&host, 5);
    uint64_t before = now;
    struct pollfd input = {.fd = -1};

    interrupted = 2;
    assert_int_equal(deadline_wait(end, &input, 1), 0);
    assert_int_equal(interrupted, 0);
    assert_int_equal(now - before, 5 * MILLISECOND);
    now += MILLISECOND;
    assert_int_equal(deadline_wait(end, &input, 1), 0);
    assert_int_equal(now - before, 6 * MILLISECOND);
}

/* A signal may also come at the last moment. */
TEST(what_is_ready_is_told)
{
    uint64_t before = now;
    struct pollfd input = {.fd = -1};

    is_ready = true;
    assert_int_equal(deadline_wait(deadline_in(&host, 5), &input, 1), 1);
    assert_int_equal(deadline_wait(deadline_in(&host, 0), &input, 1), 1);
    is_ready = false;
    assert_int_equal(now, before);
}
