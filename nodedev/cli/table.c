/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/table.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/suggest.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "cli/table-layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <libsmartcols/libsmartcols.h>
#include <string.h>

static void
note(struct table *table, int rc)
{
    if (rc < 0 && table->failed == 0)
        table->failed = rc;
}

static int
find_column(const struct table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strlen(table->columns[i].name) == length &&
            !strncasecmp(table->columns[i].name, name, length))
            return (int)i;
    }
    return -1;
}

static void
show_column(struct table *table, size_t index)
{
    const struct table_column *column = &table->columns[index];
    struct libscols_column *smart;

    if (table->shown[index] >= 0)
        return;
    smart = scols_table_new_column(table->smart, column->name, 0,
                                   column->kind == TABLE_NUMBER ? SCOLS_FL_RIGHT : 0);
    if (!smart) {
        note(table, -ENOMEM);
        return;
    }
    table->shown[index] = (int)scols_table_get_ncols(table->smart) - 1;
}

static int
no_such_column(const struct table *table, const char *list, size_t length, struct error *error)
{
    AUTO_FREE char *name = memory_copy_bytes(list, length);
    struct suggest suggest = SUGGEST(name);

    for (size_t i = 0; i < table->count; i++)
        suggest_offer(&suggest, table->columns[i].name);
    error_refuse(error, ERROR_USAGE, "there is no column \"%s\"%s; there are: %s", suggest.said,
                 suggest_text(&suggest).text, table->columns[0].name);
    for (size_t i = 1; i < table->count; i++)
        error_add(error, "%s", table->columns[i].name);
    return REFUSED;
}

static int
show_named(struct table *table, const char *list, struct error *error)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        int column = find_column(table, list, length);

        if (column < 0)
            return no_such_column(table, list, length, error);
        show_column(table, (size_t)column);
        if (!list[length])
            return 0;
        list += length + 1;
    }
}

/* HOST is the last of the columns, and stands in front. */
static void
show_usual(struct table *table, bool all)
{
    if (table->call->options.uri_count)
        show_column(table, table->count - 1);
    for (size_t i = 0; i < table->count; i++) {
        const struct table_column *column = &table->columns[i];

        if (all || (table->json ? !column->costs : !column->extra))
            show_column(table, i);
    }
}

static int
show_columns(struct table *table, const char *list, struct error *error)
{
    if (!list || *list == '+')
        show_usual(table, false);
    else if (!strcasecmp(list, "all"))
        show_usual(table, true);
    else
        return show_named(table, list, error);
    return list && *list == '+' ? show_named(table, list + 1, error) : 0;
}

static int
choose_order(struct table *table, const char *word, struct error *error)
{
    if (!word)
        return 0;
    table->is_reversed = *word == '-';
    word += table->is_reversed;
    table->sort_column = find_column(table, word, strlen(word));
    if (table->sort_column < 0)
        return no_such_column(table, word, strlen(word), error);
    if (table_shows(table, (size_t)table->sort_column))
        return 0;
    return error_refuse(error, ERROR_USAGE,
                        "the lines cannot be ordered by a column that is not printed: say "
                        "--columns +%s as well",
                        word);
}

int
table_start(struct table *table, const char *name, const struct table_column *columns, size_t count,
            const struct command_call *call, struct error *error)
{
    const struct options *options = &call->options;

    *table = (struct table){
        .name = name,
        .count = count,
        .smart = scols_new_table(),
        .json = option_given(options, OPTION_JSON),
        .raw = option_given(options, OPTION_RAW),
        .call = call,
        .is_chosen = option_given(options, OPTION_COLUMNS),
        .sort_column = -1,
    };
    if (table->json && table->raw)
        return error_refuse(error, ERROR_USAGE,
                            "--json and --raw are two ways to print a table: one of them");
    memset(table->shown, -1, sizeof(table->shown));
    memcpy(table->columns, columns, count * sizeof(*columns));
    if (!table->smart)
        return error_set(error, -ENOMEM, "no memory");
    note(table, scols_table_set_name(table->smart, name));
    /* table_layout decides the widths. */
    note(table, scols_table_set_termforce(table->smart, SCOLS_TERMFORCE_NEVER));
    note(table,
         scols_table_enable_noheadings(table->smart, option_given(options, OPTION_NOHEADINGS)));
    if (options->uri_count)
        table->columns[table->count++] = (struct table_column){.name = "HOST", .wraps = true};
    if (show_columns(table, options->values[OPTION_COLUMNS], error) < 0)
        return REFUSED;
    return choose_order(table, options->values[OPTION_SORT], error);
}

void
table_end(struct table *table)
{
    if (table->smart)
        scols_unref_table(table->smart);
    *table = (struct table){0};
}

void
table_line(struct table *table)
{
    table->line = scols_table_new_line(table->smart, NULL);
    if (!table->line) {
        note(table, -ENOMEM);
        return;
    }
    table->lines++;
    for (size_t i = 0; !table->json && i < scols_table_get_ncols(table->smart); i++)
        note(table, scols_line_set_data(table->line, i, "-"));
    if (table->host)
        table_set(table, table->count - 1, "%s", table->host);
}

bool
table_shows(const struct table *table, size_t column)
{
    return table->shown[column] >= 0;
}

void
table_set(struct table *table, size_t column, const char *format, ...)
{
    AUTO_FREE char *text = NULL;
    va_list args;

    if (!table_shows(table, column) || !table->line)
        return;
    va_start(args, format);
    text = memory_vformat(format, args);
    va_end(args);
    /* In JSON a name is not changed: json.h escapes what must be escaped. */
    if (!table->json && !table->raw)
        printable_make(text);
    note(table, scols_line_set_data(table->line, (size_t)table->shown[column], text));
}

void
table_set_text(struct table *table, size_t column, const char *text)
{
    if (text && *text)
        table_set(table, column, "%s", text);
    else if (text)
        table_set_none(table, column);
}

void
table_set_figure(struct table *table, size_t column, int64_t figure)
{
    if (figure >= 0)
        table_set(table, column, "%" PRId64, figure);
}

void
table_set_known(struct table *table, size_t column, int64_t value)
{
    table_set_figure(table, column, value > 0 ? value : -1);
}

/* In JSON "" is none, whatever the column is. */
void
table_set_none(struct table *table, size_t column)
{
    table_set(table, column, "%s", table->json ? "" : "-");
}

void
table_set_flag(struct table *table, size_t column, bool value)
{
    static const char *const words[2][2] = {{"no", "yes"}, {"false", "true"}};

    table_set(table, column, "%s", words[table->json][value]);
}

/* Tells people something. A program that reads the table does not read this. */
static void FORMAT(2, 0) say(const struct table *table, const char *format, va_list args)
{
    if (table->json || table->raw || option_given(&table->call->options, OPTION_NOHEADINGS))
        return;
    say_vpart(table->call->faults, format, args);
    say_end(table->call->faults);
}

void
table_say(const struct table *table, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(table, format, args);
    va_end(args);
}

void
table_say_empty(const struct table *table, const char *format, ...)
{
    va_list args;

    if (table->lines)
        return;
    va_start(args, format);
    say(table, format, args);
    va_end(args);
}

/* Returns the column of the table that is printed at `index`. */
static size_t
find_shown(const struct table *table, size_t index)
{
    size_t column = 0;

    while (column < table->count && table->shown[column] != (int)index)
        column++;
    return column;
}

/* Without a terminal the table has its natural width. */
static int
fit(const struct table *table)
{
    struct table_place places[TABLE_MOST_COLUMNS];
    size_t count = scols_table_get_ncols(table->smart);

    if (!table->call->terminal->is_screen || table->json || table->raw)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct table_column *column = &table->columns[find_shown(table, i)];
        int same =
            column->same_as ? find_column(table, column->same_as, strlen(column->same_as)) : -1;

        places[i] = (struct table_place){
            .drop = column->drop,
            .yields = column->yields,
            .wraps = column->wraps,
            .cuts = column->cuts,
            .same_as = same < 0 ? -1 : table->shown[same],
        };
    }
    return table_layout(table->smart, places, count, terminal_width(table->call->terminal),
                        !table->is_chosen);
}

/* Prints a line of words. libsmartcols would print a letter that is not of ASCII as numbers. */
static void
print_words(const struct table *table, struct libscols_line *line, FILE *out)
{
    const size_t count = scols_table_get_ncols(table->smart);

    for (size_t i = 0; i < count; i++) {
        const char *text = line ? scols_cell_get_data(scols_line_get_cell(line, i))
                                : table->columns[find_shown(table, i)].name;
        AUTO_FREE char *word = printable_word(text ? text : "");

        fprintf(out, "%s%s", i ? " " : "", word);
    }
    fputc('\n', out);
}

static void
print_raw(const struct table *table, FILE *out)
{
    if (!scols_table_is_noheadings(table->smart))
        print_words(table, NULL, out);
    for (size_t i = 0; i < table->lines; i++)
        print_words(table, scols_table_get_line(table->smart, i), out);
}

static void
paint(struct table *table)
{
    for (size_t i = 0; i < scols_table_get_ncols(table->smart); i++) {
        const struct table_column *column = &table->columns[find_shown(table, i)];

        for (size_t k = 0; column->colour && k < table->lines; k++) {
            struct libscols_cell *cell =
                scols_line_get_cell(scols_table_get_line(table->smart, k), i);
            const char *text = scols_cell_get_data(cell);

            if (text && strcmp(text, "-") != 0)
                note(table, scols_cell_set_color(cell, terminal_sequence(table->call->terminal,
                                                                         column->colour(text))));
        }
    }
}

static void
print_lines(struct table *table)
{
    FILE *out = table->call->out;

    if (table->lines == 0)
        return;
    if (table->raw) {
        print_raw(table, out);
        return;
    }
    if (table->call->terminal->has_colour) {
        note(table, scols_table_enable_colors(table->smart, 1));
        paint(table);
    }
    note(table, fit(table));
    note(table, scols_table_set_stream(table->smart, out));
    note(table, scols_print_table(table->smart));
}

/* --- for programs ----------------------------------------------------------------------------- */

static void
put_list(struct json *json, const char *key, const char *words)
{
    json_open(json, key, '[');
    while (*words) {
        size_t length = strcspn(words, ",");
        AUTO_FREE char *word = memory_copy_bytes(words, length);

        json_text(json, NULL, word);
        words += length + (words[length] == ',');
    }
    json_close(json, ']');
}

static void
put_cell(struct json *json, const struct table_column *column, const char *text)
{
    AUTO_FREE char *key = memory_copy(column->name);

    for (char *c = key; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!text || column->kind == TABLE_TEXT)
        json_text(json, key, text);
    else if (column->kind == TABLE_LIST)
        put_list(json, key, text);
    else if (*text)
        json_literal(json, key, text);
}

static void
put_lines(const struct table *table)
{
    struct json *json = reply_json(table->call);

    json_open(json, table->name, '[');
    for (size_t i = 0; i < table->lines; i++) {
        struct libscols_line *line = scols_table_get_line(table->smart, i);

        json_open(json, NULL, '{');
        for (size_t k = 0; k < scols_table_get_ncols(table->smart); k++)
            put_cell(json, &table->columns[find_shown(table, k)],
                     scols_cell_get_data(scols_line_get_cell(line, k)));
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* --- the order of lines ----------------------------------------------------------------------- */

static bool
is_set(const char *text)
{
    return text && *text && strcmp(text, "-") != 0;
}

static int
compare_cells(struct libscols_cell *a, struct libscols_cell *b, void *data)
{
    const struct table *table = data;
    const char *left = scols_cell_get_data(a), *right = scols_cell_get_data(b);
    int ret;

    if (!is_set(left) || !is_set(right))
        return is_set(right) - is_set(left);
    if (table->columns[table->sort_column].kind == TABLE_NUMBER) {
        long long first = strtoll(left, NULL, 10), second = strtoll(right, NULL, 10);

        ret = (first > second) - (first < second);
    } else {
        ret = strverscmp(left, right);
    }
    return table->is_reversed ? -ret : ret;
}

static void
sort_lines(struct table *table)
{
    struct libscols_column *column =
        scols_table_get_column(table->smart, (size_t)table->shown[table->sort_column]);

    note(table, scols_column_set_cmpfunc(column, compare_cells, table));
    note(table, scols_sort_table(table->smart, column));
}

int
table_print(struct table *table, struct error *error)
{
    if (table->sort_column >= 0 && table->lines)
        sort_lines(table);
    if (table->failed < 0)
        return error_set(error, table->failed, "making the table: %s", strerror(-table->failed));
    if (table->json)
        put_lines(table);
    else
        print_lines(table);
    return table->failed < 0
               ? error_set(error, table->failed, "printing the table: %s", strerror(-table->failed))
               : 0;
}
