/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/reply.h"
#include "cli/say.h"
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

static const struct {
    const char *word, *mark; /* of the answer; of a finding with it */
    enum error_class class;
} verdicts[] = {
    [MIGRATE_YES] = {"yes", "OK", ERROR_FAILED},
    [FINDING_NOTE] = {.mark = "NOTE"},
    [MIGRATE_UNKNOWN] = {"unknown", "UNKNOWN", ERROR_UNKNOWN},
    [MIGRATE_NO] = {"no", "NO", ERROR_NO_HOST},
};

/* Runs the checks, and says what they come to. Returns REFUSED if that is not "yes". */
static int
judge(const struct command_call *call, struct migrate_question *question, struct error *error)
{
    AUTO(migrate_verdict_clear) struct migrate_verdict verdict = {0};
    const struct findings *found = &verdict.found;
    struct migrate_check check;
    size_t against;
    int rc = migrate_question_find_guest(question, call->arguments[0], error);

    if (rc < 0)
        return rc;
    check = migrate_question_check(question, 1);
    migrate_check_run(&check, &verdict);
    for (size_t i = 0; i < found->count; i++)
        say_line(call->out, "%-8s %s", verdicts[found->items[i].severity].mark,
                 found->items[i].text);
    if (reply_is_wanted(call))
        findings_put(found, reply_json(call), "findings", true);
    say_line(call->out, "%s", verdicts[verdict.answer].word);
    if (verdict.answer == MIGRATE_YES)
        return 0;
    against = findings_count(found, 0, FINDING_WARNING);
    return error_refuse(error, verdicts[verdict.answer].class, "%s %s %s: %zu of these checks %s",
                        check.to->uri,
                        verdict.answer == MIGRATE_NO ? "would not take" : "may not take",
                        check.guest->label, against, against == 1 ? "is not OK" : "are not OK");
}

static enum command_status
run_migrate_check(const struct command_call *call, struct error *error)
{
    AUTO(migrate_question_clear) struct migrate_question question = {0};
    int rc;

    if (migrate_question_start(&question, call->host, error) < 0)
        return COMMAND_FAILED;
    rc = ask(call, &question, error);
    if (rc == 0)
        rc = judge(call, &question, error);
    return command_ended(rc, error);
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
