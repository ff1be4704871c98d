/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* moment: the times that people type after --since, and the time at the beginning of a log's
 * line. */

#include "log/moment.h"
#include "fake/unit.h"

#include <errno.h>
#include <stdlib.h>

/* This is 2026-11-24 06:00:00 in a zone one hour east of UTC, which is 05:00:00 UTC. */
#define NOW      1795496400
#define HOUR     3600
#define DAY      86400
#define MIDNIGHT (NOW - 6 * HOUR)

static void
what_is_typed(void **state)
{
    static const struct {
        const char *text;
        time_t time; /* 0: the text is no time */
    } rows[] = {
        {"now", NOW},
        {"today", MIDNIGHT},
        {"yesterday", MIDNIGHT - DAY},
        {"2026-11-24 06:00:00", NOW},
        {"2026-11-24 6:00", NOW},
        {"2026-11-24T06:00", NOW},
        {"2026-11-24", MIDNIGHT},
        {"2026-11-24T06:00:00+0100", NOW},
        {"2026-11-24T06:00:00.999999+01:00", NOW},
        {"2026-11-24T05:00:00Z", NOW},
        {"2026-11-24 05:00:00 UTC", NOW},
        {"06:00", NOW},
        {"05:59:59", NOW - 1},
        {"@1795496400", NOW},
        {"-2h", NOW - 2 * HOUR},
        {"-90", NOW - 90},
        {"1h30min ago", NOW - HOUR - 1800},
        {"2 days 3 hours ago", NOW - 2 * DAY - 3 * HOUR},
        {"1w ago", NOW - 7 * DAY},
        {"1M ago", NOW - 2629800},
        {"1m ago", NOW - 60},
        {"", 0},
        {"ago", 0},
        {" ago", 0},
        {"-", 0},
        {"-h", 0},
        {"-1fortnight", 0},
        {"-9999999999s", 0},
        {"@", 0},
        {"@1795496400s", 0},
        {"todays", 0},
        {"2026-13-01", 0},
        {"2026-11-24 25:00", 0},
        {"2026-11-24 06:00:00 or so", 0},
        {"Nov 24 06:00:00", 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        time_t time = 0;
        int rc = moment_parse(rows[i].text, NOW, &time);

        if (rc != (rows[i].time ? 0 : -EINVAL) || (rows[i].time && time != rows[i].time))
            fail_msg("\"%s\": %d, %jd", rows[i].text, rc, (intmax_t)(time - NOW));
    }
}

/* A line has no year. It was written within the year before the last write of its file, or on the
 * same day. */
static void
what_a_line_says(void **state)
{
    static const struct {
        const char *text;
        time_t time;
    } rows[] = {
        {"Nov 24 06:00:00", NOW},
        {"Nov 24 09:00:00", NOW + 3 * HOUR},
        {"Nov 26 06:00:00", NOW - 363 * DAY},
        {"Dec 31 06:00:00", NOW - 328 * DAY},
        {"Nov  9 06:00:00", NOW - 15 * DAY},
        {"2026-11-24T06:00:00.5+01:00", NOW},
        {"2027-11-24T06:00:00+01:00", NOW + 365 * DAY},
        {"<14>Nov 24", 0},
        {"", 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        time_t time = 0;
        int rc = moment_of_line(rows[i].text, NOW, &time);

        if (rc != (rows[i].time ? 0 : -EINVAL) || (rows[i].time && time != rows[i].time))
            fail_msg("\"%s\": %d, %jd", rows[i].text, rc, (intmax_t)(time - NOW));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_typed),
        cmocka_unit_test(what_a_line_says),
    };

    setenv("TZ", "XXX-1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
