/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/unit.h"
#include "base/array.h"

#undef NDEBUG
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct CMUnitTest tests[64];
static size_t count;
static CMFixtureFunction before, after;

static bool
is_left_out(const char *name)
{
    const char *without = getenv("WITHOUT");
    char word[128];

    snprintf(word, sizeof(word), "/%s/", name);
    return without && strstr(without, word);
}

void
unit_list(struct CMUnitTest test)
{
    assert(count < COUNT(tests));
    if (!is_left_out(test.name))
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
