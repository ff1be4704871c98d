/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* deadline: what is left, which is earlier, and pauses that never go beyond. */

#include "base/deadline.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MILLISECOND 1000000ull

/* A moment that lies so far from now, in nanoseconds; taken from the module's own clock. */
static struct deadline
from_now(int64_t nanoseconds)
{
    struct deadline now = deadline_in(0);

    now.at += (uint64_t)nanoseconds;
    return now;
}

static void
left_is_never_more_than_was_given(void **state)
{
    static const unsigned given[] = {1000, 60000, 3600000, 2147483648u, UINT_MAX};

    (void)state;
    for (size_t i = 0; i < COUNT(given); i++) {
        unsigned left = deadline_left(deadline_in(given[i]));

        assert_in_range(left, given[i] - 900, given[i]);
    }
}

/* Rounded up: a wait that is told 0 would spin until the last millisecond has passed. */
static void
left_rounds_up(void **state)
{
    (void)state;
    assert_in_range(deadline_left(from_now(900 * (int64_t)MILLISECOND + 1)), 1, 901);
    assert_int_equal(deadline_left(from_now(0)), 0);
    for (unsigned i = 0; i < 100; i++) {
        struct deadline soon = from_now(MILLISECOND / 2);
        unsigned left = deadline_left(soon);

        assert_in_range(left, 0, 1);
        if (left == 1)
            return;
    }
    fail_msg("half a millisecond was never rounded up");
}

static void
nothing_is_left_of_the_past(void **state)
{
    (void)state;
    assert_int_equal(deadline_left((struct deadline){0}), 0);
    assert_int_equal(deadline_left(from_now(-1)), 0);
    assert_int_equal(deadline_left(from_now(-60 * 1000 * (int64_t)MILLISECOND)), 0);
}

static void
earlier_of_two(void **state)
{
    static const uint64_t pairs[][3] = {{1, 2, 1},
                                        {2, 1, 1},
                                        {7, 7, 7},
                                        {0, UINT64_MAX, 0},
                                        {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 1}};

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct deadline a = {pairs[i][0]}, b = {pairs[i][1]};

        assert_int_equal(deadline_earlier(a, b).at, pairs[i][2]);
    }
}

/* Once it has passed: false, and neither sleeps nor changes the pause. */
static void
no_pause_after_the_deadline(void **state)
{
    unsigned pause = 1u << 30;

    (void)state;
    assert_false(deadline_pause((struct deadline){0}, &pause));
    assert_false(deadline_pause(from_now(-1), &pause));
    assert_int_equal(pause, 1u << 30);
}

static void
pause_doubles_up_to_32(void **state)
{
    unsigned pause = 1;

    (void)state;
    for (unsigned wanted = 1; wanted <= 4; wanted *= 2) {
        struct deadline before = deadline_in(0), soon = deadline_in(60000);

        assert_int_equal(pause, wanted);
        assert_true(deadline_pause(soon, &pause));
        assert_true(deadline_in(0).at - before.at >= wanted * MILLISECOND);
    }
    /* Beyond the deadline there is nothing to wait for, so these do not take their time. */
    pause = 16;
    assert_true(deadline_pause(deadline_in(2), &pause));
    assert_int_equal(pause, 32);
    assert_true(deadline_pause(deadline_in(2), &pause));
    assert_int_equal(pause, 32);
}

/* A pause of 20 s ends at the deadline, and the next one says that it is over. */
static void
pause_ends_at_the_deadline(void **state)
{
    struct deadline start = deadline_in(0), end = deadline_in(5);
    unsigned pause = 20000;

    (void)state;
    assert_true(deadline_pause(end, &pause));
    assert_in_range(deadline_in(0).at - start.at, 5 * MILLISECOND, 10000 * MILLISECOND);
    assert_int_equal(deadline_left(end), 0);
    assert_false(deadline_pause(end, &pause));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_is_never_more_than_was_given),
        cmocka_unit_test(left_rounds_up),
        cmocka_unit_test(nothing_is_left_of_the_past),
        cmocka_unit_test(earlier_of_two),
        cmocka_unit_test(no_pause_after_the_deadline),
        cmocka_unit_test(pause_doubles_up_to_32),
        cmocka_unit_test(pause_ends_at_the_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
