/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/version-judge.h"

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
