/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "log/moment.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DAY   86400
#define YEAR  31557600 /* 365.25 days */
#define MONTH (YEAR / 12)

/* Reads what follows a time of day: a fraction of a second, and a zone or none. */
static int
read_zone(const char *rest, struct tm *time, time_t *ret)
{
    struct tm zone = {0};
    const char *end;

    if (*rest == '.' || *rest == ',')
        rest += 1 + strspn(rest + 1, "0123456789");
    time->tm_isdst = -1;
    if (!*rest) {
        *ret = mktime(time);
        return 0;
    }
    rest += strspn(rest, " ");
    end = strcmp(rest, "UTC") ? strptime(rest, "%z", &zone) : rest + strlen("UTC");
    if (!end || *end)
        return -EINVAL;
    *ret = timegm(time) - zone.tm_gmtoff;
    return 0;
}

/* Parts that the format leaves out come from the given day, at midnight. */
static int
read_time(const char *text, time_t day, time_t *ret)
{
    static const char *const formats[] = {
        "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
        "%Y-%m-%d",          "%H:%M:%S",          "%H:%M",
    };

    for (size_t i = 0; i < COUNT(formats); i++) {
        struct tm time;
        const char *rest;

        localtime_r(&day, &time);
        time.tm_hour = time.tm_min = time.tm_sec = 0;
        rest = strptime(text, formats[i], &time);
        if (rest && read_zone(rest, &time, ret) == 0)
            return 0;
    }
    return -EINVAL;
}

/* Reads the length of a unit in seconds, by the words of systemd.time(7). */
static int
read_unit(const char *word, size_t length, time_t *ret)
{
    static const struct {
        const char *word;
        time_t seconds;
    } units[] = {
        {"", 1},          {"s", 1},          {"sec", 1},        {"second", 1},      {"seconds", 1},
        {"m", 60},        {"min", 60},       {"minute", 60},    {"minutes", 60},    {"h", 3600},
        {"hr", 3600},     {"hour", 3600},    {"hours", 3600},   {"d", DAY},         {"day", DAY},
        {"days", DAY},    {"w", 7 * DAY},    {"week", 7 * DAY}, {"weeks", 7 * DAY}, {"M", MONTH},
        {"month", MONTH}, {"months", MONTH}, {"y", YEAR},       {"year", YEAR},     {"years", YEAR},
    };

    for (size_t i = 0; i < COUNT(units); i++) {
        if (strlen(units[i].word) == length && !strncmp(units[i].word, word, length)) {
            *ret = units[i].seconds;
            return 0;
        }
    }
    return -EINVAL;
}

/* Reads a span such as "1h30min" or "2 days", in seconds. A number without a unit means seconds. */
static int
read_span(const char *text, size_t length, time_t *ret)
{
    const char *at = text, *end = text + length;

    *ret = 0;
    while (at < end) {
        size_t digits = strspn(at, "0123456789"), letters = 0;
        time_t unit;

        if (digits == 0 || digits > 9)
            return -EINVAL;
        for (text = at + digits; text < end && *text == ' '; text++)
            ;
        while (text + letters < end && isalpha((unsigned char)text[letters]))
            letters++;
        if (read_unit(text, letters, &unit) < 0)
            return -EINVAL;
        *ret += (time_t)strtoul(at, NULL, 10) * unit;
        for (at = text + letters; at < end && *at == ' '; at++)
            ;
    }
    return length ? 0 : -EINVAL;
}

/* Returns the midnight at the beginning of a day. */
static time_t
midnight(time_t now, int days_before)
{
    struct tm time;

    localtime_r(&now, &time);
    time.tm_hour = time.tm_min = time.tm_sec = 0;
    time.tm_mday -= days_before;
    time.tm_isdst = -1;
    return mktime(&time);
}

/* Reads a moment such as "@1700000000". */
static int
read_seconds(const char *text, time_t *ret)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 12 || text[digits])
        return -EINVAL;
    *ret = (time_t)strtoull(text, NULL, 10);
    return 0;
}

int
moment_parse(const char *text, time_t now, time_t *ret)
{
    static const char ago[] = " ago";
    size_t length = strlen(text), behind = strlen(ago);
    bool is_ago = length > behind && !strcmp(text + length - behind, ago);
    time_t span;

    if (*text == '@')
        return read_seconds(text + 1, ret);
    if (*text == '-' || is_ago) {
        text += !is_ago;
        length -= is_ago ? behind : 1;
        if (read_span(text, length, &span) < 0)
            return -EINVAL;
        *ret = now - span;
        return 0;
    }
    *ret = now;
    if (!strcmp(text, "now"))
        return 0;
    *ret = midnight(now, strcmp(text, "today") != 0);
    if (!strcmp(text, "today") || !strcmp(text, "yesterday"))
        return 0;
    return read_time(text, now, ret);
}

int
moment_of_line(const char *text, time_t latest, time_t *ret)
{
    struct tm time, last;

    if (isdigit((unsigned char)*text))
        return read_time(text, latest, ret);
    latest += DAY;
    localtime_r(&latest, &last);
    for (int year = last.tm_year; year >= last.tm_year - 1; year--) {
        time = (struct tm){.tm_year = year, .tm_isdst = -1};
        if (!strptime(text, "%b %d %H:%M:%S", &time))
            return -EINVAL;
        *ret = mktime(&time);
        if (*ret <= latest)
            break;
    }
    return 0;
}
