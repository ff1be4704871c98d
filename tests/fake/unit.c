/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/unit.h"
#include "base/array.h"

#undef NDEBUG
#include <assert.h>

static struct CMUnitTest tests[64];
static size_t count;
static CMFixtureFunction before, after;

void
unit_list(struct CMUnitTest test)
{
    assert(count < COUNT(tests));
    tests[count++] = test;
}

void
unit_surround(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    before = set_up;
    after = tear_down;
}

int
main(void)
{
    return _cmocka_run_group_tests("tests", tests, count, before, after);
}
