/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "cli/say.h"
#include "cli/table.h"
#include "doctor/diagnosis.h"

enum column { CHECK, SEVERITY, FINDING, REMEDY };

static const struct table_column columns[] = {
    [CHECK] = {.name = "CHECK"},
    [SEVERITY] = {.name = "SEVERITY"},
    [FINDING] = {.name = "FINDING"},
    [REMEDY] = {.name = "REMEDY"},
};

static int
print(const struct command_call *call, const struct diagnosis *diagnosis, struct table *table,
      struct error *error)
{
    const struct options *options = &call->options;

    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct diagnosis_finding *finding = &diagnosis->findings[i];

        table_line(table);
        table_set(table, CHECK, "%s", finding->check->name);
        table_set(table, SEVERITY, "%s", diagnosis_severity_name(finding->check->severity));
        table_set(table, FINDING, "%s", finding->text.text);
        if (*finding->remedy.text)
            table_set(table, REMEDY, "%s", finding->remedy.text);
    }
    if (diagnosis->faults == 0 && !option_given(options, OPTION_JSON) &&
        !option_given(options, OPTION_RAW) && !option_given(options, OPTION_NOHEADINGS))
        say_line(call->out, "no fault found");
    return table_print(table, call->out, error);
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    AUTO(diagnosis_clear) struct diagnosis diagnosis = DIAGNOSIS_NONE;
    AUTO(table_end) struct table table = {0};

    if (table_start(&table, "findings", columns, COUNT(columns), &call->options, error) < 0)
        return COMMAND_USAGE;
    if (diagnosis_make(call->host, call->uri, &diagnosis, error) < 0 ||
        print(call, &diagnosis, &table, error) < 0)
        return COMMAND_FAILED;
    if (diagnosis.faults == 0)
        return COMMAND_DONE;
    error_set(error, -EINVAL, "%zu fault%s found", diagnosis.faults,
              diagnosis.faults == 1 ? "" : "s");
    return COMMAND_FAILED;
}

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "",
    .help = "look for what is wrong with this host, and say what to do about it",
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_TABLE,
    .run = run,
};
