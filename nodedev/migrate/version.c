/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/version.h"

#include <stdio.h>

struct version
version_text(unsigned number)
{
    struct version ret = {"?"};

    if (number)
        snprintf(ret.text, sizeof(ret.text), "%u.%u.%u", number / 1000000, number / 1000 % 1000,
                 number % 1000);
    return ret;
}

enum migrate_answer
version_judge(unsigned number, unsigned least)
{
    return number >= least ? MIGRATE_YES : number ? MIGRATE_NO : MIGRATE_UNKNOWN;
}

enum migrate_answer
version_judge_both(unsigned here, unsigned there, unsigned least)
{
    enum migrate_answer answer = version_judge(here, least);
    enum migrate_answer other = version_judge(there, least);

    return other > answer ? other : answer;
}
