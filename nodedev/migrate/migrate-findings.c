/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrate-findings.h"

#include <stdio.h>
#include <string.h>

void
migrate_findings_add(const struct migrate_findings *findings, const char *word,
                     enum migrate_answer answer, const char *format, ...)
{
    struct migrate_verdict *verdict = findings->verdict;
    char text[sizeof(verdict->why)];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (findings->listen)
        findings->listen(findings->data, &answer, word, text);
    if (answer > verdict->answer || verdict->answer == MIGRATE_YES)
        memcpy(verdict->why, text, sizeof(text));
    verdict->answer = answer > verdict->answer ? answer : verdict->answer;
    verdict->against += answer != MIGRATE_YES;
}

void
migrate_findings_note(const struct migrate_findings *findings, const char *word, const char *format,
                      ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (findings->listen)
        findings->listen(findings->data, NULL, word, text);
}
