/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrate-verdict.h"

void
migrate_verdict_add(struct migrate_verdict *verdict, const char *word, enum migrate_answer answer,
                    const char *format, ...)
{
    struct findings *found = &verdict->found;
    va_list args;

    va_start(args, format);
    findings_vadd(found, (enum finding_severity)answer, word, NULL, 0, format, args);
    va_end(args);
    if (answer > verdict->answer || verdict->answer == MIGRATE_YES)
        verdict->why = found->items[found->count - 1].text;
    verdict->answer = answer > verdict->answer ? answer : verdict->answer;
}

void
migrate_verdict_clear(struct migrate_verdict *verdict)
{
    findings_clear(&verdict->found);
}
