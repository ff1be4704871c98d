/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "commands/host-table.h"

struct shown {
    const struct host_table *rows;
    struct table *table;
};

static int
show_host_table(void *data, const struct host_view *view, struct error *error)
{
    struct shown *shown = data;

    shown->table->host = view->label;
    return shown->rows->add(shown->table, view, error);
}

static int
end_host_table(void *data, struct error *error)
{
    struct shown *shown = data;

    return table_print(shown->table, error);
}

enum command_status
host_table_show(const struct host_table *rows, const struct command_call *call, struct error *error)
{
    AUTO(table_end) struct table table = {0};
    struct host_views views = rows->views;
    struct shown shown = {.rows = rows, .table = &table};
    int rc = table_start(&table, rows->name, rows->columns, rows->count, call, error);

    if (rc < 0)
        return command_ended(rc, error);
    views.show = show_host_table;
    views.end = end_host_table;
    rc = host_views_show(&views, call, &shown, error);
    if (rc == 0)
        table_say_empty(&table, "%s", call->options.uri_count ? rows->empty_remote : rows->empty);
    return command_ended(rc, error);
}
