/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/table-layout.h"
#include "base/memory.h"
#include "cli/terminal.h"

#include <libsmartcols/libsmartcols.h>
#include <string.h>

#define LEAST      20 /* least width of a column whose texts are broken or cut */
#define MOST_RANKS 32

/* What the functions know of the table. */
struct layout {
    struct libscols_table *smart;
    const struct table_place *places;
    size_t count;
    unsigned width;    /* of the terminal */
    unsigned *columns; /* width of each column of the table; 0: the column is left out */
};

static const char *
cell(const struct layout *layout, size_t line, size_t column)
{
    struct libscols_line *at = scols_table_get_line(layout->smart, line);

    return scols_line_get_column_data(at, scols_table_get_column(layout->smart, column));
}

/* The width of the heading counts even if headings are not printed. */
static void
measure(struct layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        struct libscols_column *column = scols_table_get_column(layout->smart, i);
        unsigned most = terminal_columns(scols_column_get_name(column));

        for (size_t line = 0; line < scols_table_get_nlines(layout->smart); line++) {
            unsigned columns = terminal_columns(cell(layout, line, i));

            most = columns > most ? columns : most;
        }
        layout->columns[i] = most;
    }
}

/* Returns how much too wide the table is, in columns of text. */
static unsigned
find_excess(const struct layout *layout)
{
    unsigned all = 0;

    for (size_t i = 0; i < layout->count; i++)
        all += layout->columns[i] ? layout->columns[i] + 1 : 0;
    return all > layout->width + 1 ? all - layout->width - 1 : 0;
}

/* Whether no value of the column is known, or all of them are in another column that is shown. */
static bool
says_nothing(const struct layout *layout, size_t column)
{
    int same_as = layout->places[column].same_as;
    bool is_unknown = true, is_same = same_as >= 0 && layout->columns[same_as] > 0;

    for (size_t line = 0; line < scols_table_get_nlines(layout->smart); line++) {
        const char *text = cell(layout, line, column);

        is_unknown &= !strcmp(text, "-");
        is_same = is_same && !strcmp(text, cell(layout, line, (size_t)same_as));
    }
    return is_unknown || is_same;
}

static bool
may_narrow(const struct layout *layout, size_t column)
{
    return (layout->places[column].wraps || layout->places[column].cuts) &&
           layout->columns[column] > LEAST;
}

/* Returns how much narrower the table can get if texts are broken or cut. */
static unsigned
find_slack(const struct layout *layout)
{
    unsigned slack = 0;

    for (size_t i = 0; i < layout->count; i++) {
        if (may_narrow(layout, i))
            slack += layout->columns[i] - LEAST;
    }
    return slack;
}

static void
drop(struct layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        if (layout->places[i].drop && says_nothing(layout, i))
            layout->columns[i] = 0;
    }
    for (size_t i = 0; i < layout->count && find_excess(layout) > 0; i++) {
        if (layout->places[i].yields)
            layout->columns[i] = 0;
    }
    for (unsigned rank = 1; rank < MOST_RANKS && find_excess(layout) > find_slack(layout); rank++) {
        for (size_t i = 0; i < layout->count; i++) {
            if (layout->places[i].drop == rank)
                layout->columns[i] = 0;
        }
    }
}

/* Narrows the widest column whose texts may be broken or cut, again and again. */
static void
narrow(struct layout *layout)
{
    for (unsigned excess = find_excess(layout); excess; excess--) {
        size_t widest = layout->count;

        for (size_t i = 0; i < layout->count; i++) {
            if (may_narrow(layout, i) &&
                (widest == layout->count || layout->columns[i] > layout->columns[widest]))
                widest = i;
        }
        if (widest == layout->count)
            return;
        layout->columns[widest]--;
    }
}

static char *
break_text(const char *text, unsigned columns)
{
    char *broken = NULL;
    size_t size;
    FILE *out = memory_stream(&broken, &size);

    for (const char *at = text, *next; *at; at = next) {
        size_t length = terminal_break(at, columns, &next);

        fwrite(at, 1, length, out);
        if (*next)
            fwrite("\n", 1, 1, out);
    }
    memory_stream_end(out, &broken);
    return broken;
}

/* A column gets lines only if a text of it is broken. */
static int
break_column(const struct layout *layout, size_t index)
{
    struct libscols_column *column = scols_table_get_column(layout->smart, index);
    bool is_broken = false;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < scols_table_get_nlines(layout->smart); i++) {
        struct libscols_line *line = scols_table_get_line(layout->smart, i);
        const char *text = cell(layout, i, index);

        if (terminal_columns(text) <= layout->columns[index])
            continue;
        rc = scols_line_refer_data(line, index, break_text(text, layout->columns[index]));
        is_broken = true;
    }
    if (rc == 0 && is_broken)
        rc = scols_column_set_flags(column, SCOLS_FL_WRAP);
    if (rc == 0 && is_broken)
        rc = scols_column_set_safechars(column, "\n");
    if (rc == 0 && is_broken)
        rc =
            scols_column_set_wrapfunc(column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
    return rc;
}

/* A name that is broken into lines cannot be read, nor found by a search. */
static int
cut_column(const struct layout *layout, size_t index)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < scols_table_get_nlines(layout->smart); i++) {
        struct libscols_line *line = scols_table_get_line(layout->smart, i);
        char *name = memory_copy(cell(layout, i, index));

        terminal_cut(name, layout->columns[index]);
        rc = scols_line_refer_data(line, index, name);
    }
    return rc;
}

static int
hide(const struct layout *layout, size_t index)
{
    struct libscols_column *column = scols_table_get_column(layout->smart, index);

    return scols_column_set_flags(column, scols_column_get_flags(column) | SCOLS_FL_HIDDEN);
}

int
table_layout(struct libscols_table *smart, const struct table_place *places, size_t count,
             unsigned width, bool may_drop)
{
    AUTO_FREE unsigned *columns = memory_zeroed(count, sizeof(*columns));
    struct layout layout = {smart, places, count, width, columns};
    int rc = 0;

    measure(&layout);
    if (may_drop)
        drop(&layout);
    narrow(&layout);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (!columns[i])
            rc = hide(&layout, i);
        else if (places[i].wraps)
            rc = break_column(&layout, i);
        else if (places[i].cuts)
            rc = cut_column(&layout, i);
    }
    return rc;
}
