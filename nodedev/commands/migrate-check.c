/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/reply.h"
#include "cli/say.h"
#include "cli/table.h"
#include "commands/commands.h"
#include "migrate/migrate-question.h"

static int
ask(const struct command_call *call, struct migrate_question *question, struct error *error)
{
    const char *const uris[] = {call->arguments[1]};
    int rc = migrate_question_ask(question, call, uris, COUNT(uris), error);

    for (size_t i = 0; i < question->hosts.count && rc == 0; i++) {
        if (*question->hosts.items[i].failure.text)
            rc = error_set(error, -EHOSTUNREACH, "%s", question->hosts.items[i].failure.text);
    }
    return rc;
}

enum column { WORD, SEVERITY, TEXT, REMEDY, ADVICE };

static const struct table_column columns[] = {
    [WORD] = {.name = "WORD"},     [SEVERITY] = {.name = "SEVERITY"}, [TEXT] = {.name = "TEXT"},
    [REMEDY] = {.name = "REMEDY"}, [ADVICE] = {.name = "ADVICE"},
};

static const struct {
    const char *word, *mark, *severity; /* of the answer; the others of a finding with it */
    enum error_class class;
} verdicts[] = {
    [MIGRATE_YES] = {"yes", "OK", "ok", ERROR_FAILED},
    [MIGRATE_UNKNOWN] = {"unknown", "UNKNOWN", "warning", ERROR_UNKNOWN},
    [MIGRATE_NO] = {"no", "NO", "error", ERROR_NO_HOST},
};

static void
hear(void *data, const enum migrate_answer *answer, const char *word, const char *text)
{
    struct table *table = data;

    say_line(table->call->out, "%-8s %s", answer ? verdicts[*answer].mark : "NOTE", text);
    table_line(table);
    table_set(table, WORD, "%s", word);
    table_set(table, SEVERITY, "%s", answer ? verdicts[*answer].severity : "note");
    table_set(table, TEXT, "%s", text);
    table_set_text(table, REMEDY, "");
    table_set_text(table, ADVICE, "");
}

/* Runs the checks, and says what they come to. Returns REFUSED if that is not "yes". */
static int
judge(const struct command_call *call, struct migrate_question *question, struct table *table,
      struct error *error)
{
    struct migrate_verdict verdict;
    struct migrate_check check;
    int rc = migrate_question_find_guest(question, call->arguments[0], error);

    if (rc < 0)
        return rc;
    check = migrate_question_check(question, 1);
    check.listen = hear;
    check.data = table;
    migrate_check_run(&check, &verdict);
    if (reply_is_wanted(call))
        rc = table_print(table, error);
    say_line(call->out, "%s", verdicts[verdict.answer].word);
    if (rc < 0 || verdict.answer == MIGRATE_YES)
        return rc;
    return error_refuse(
        error, verdicts[verdict.answer].class, "%s %s %s: %zu of these checks %s", check.to->uri,
        verdict.answer == MIGRATE_NO ? "would not take" : "may not take", check.guest->label,
        verdict.against, verdict.against == 1 ? "is not OK" : "are not OK");
}

static enum command_status
run_migrate_check(const struct command_call *call, struct error *error)
{
    AUTO(migrate_question_clear) struct migrate_question question = {0};
    AUTO(table_end) struct table table = {0};
    int rc = table_start(&table, "findings", columns, COUNT(columns), call, error);

    if (rc < 0)
        return command_ended(rc, error);
    if (migrate_question_start(&question, call->host, error) < 0)
        return COMMAND_FAILED;
    rc = ask(call, &question, error);
    if (rc < 0)
        return command_ended(rc, error);
    rc = judge(call, &question, &table, error);
    return rc < 0 && rc != REFUSED ? COMMAND_FAILED : command_ended(rc, error);
}

const struct command command_migrate_check = {
    .name = "migrate-check",
    .arguments = "DOMAIN URI",
    .help = "say whether another host would take a domain with its vGPUs",
    .example = "vgpuctl migrate-check web01 qemu+ssh://root@host2/system",
    .page = "vgpuctl-migrate",
    .least = 2,
    .most = 2,
    .options = OPTION_BIT(OPTION_TIMEOUT) | OPTION_BIT(OPTION_JSON),
    .run = run_migrate_check,
};
