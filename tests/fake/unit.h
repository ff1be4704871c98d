/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * unit: what each unit test includes.
 *
 * A test program has no list of its tests and no main. Each test lists itself:
 *
 *     UNIT_TEST(what_is_shown)
 *     {
 *         assert_int_equal(...);
 *     }
 *
 * The tests of a program run in the order of their lines. tests/mutate leaves some of them out by
 * WITHOUT=/what_is_shown/ in the environment. scene.h and typed.h have the same with a machine.
 *
 * cmocka needs some headers before its own. It gives every test a state, which most tests do not
 * look at. So the compiler does not complain of unused parameters here.
 */

#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A test with a set-up, a teardown, and the state that both of them get first. Each of these may be
 * NULL. */
#define UNIT_TEST_IN(function, set_up, tear_down, initial)                                         \
    static void function(void **);                                                                 \
    UNIT_AT_START(function)                                                                        \
    {                                                                                              \
        unit_list((struct CMUnitTest){#function, function, set_up, tear_down, initial});           \
    }                                                                                              \
    static void function(void **state)

#define UNIT_TEST(function) UNIT_TEST_IN(function, NULL, NULL, NULL)

/* What goes before the first test of this program, and after the last one. */
#define UNIT_PROGRAM(set_up, tear_down)                                                            \
    UNIT_AT_START(program)                                                                         \
    {                                                                                              \
        unit_surround(set_up, tear_down);                                                          \
    }

/* A function that runs before main, in the order of the lines. The compiler keeps the numbers below
 * 101 to itself. */
#define UNIT_AT_START(name)                                                                        \
    __attribute__((constructor(101 + __LINE__))) static void name##_at_start(void)

void unit_list(struct CMUnitTest test);
void unit_surround(CMFixtureFunction set_up, CMFixtureFunction tear_down);
