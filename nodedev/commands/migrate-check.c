/* SPDX-License-Identifier: LGPL-2.1-or-later */

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

/* Runs the checks, and says what they come to. */
static int
judge(const struct command_call *call, struct migrate_question *question,
      enum migrate_answer *answer, struct error *error)
{
    struct migrate_verdict verdict;
    struct migrate_check check;
    int rc = migrate_question_find_guest(question, call->arguments[0], error);

    if (rc < 0)
        return rc;
    check = migrate_question_check(question, 1);
    migrate_check_run(&check, call->out, &verdict);
    *answer = verdict.answer;
    if (*answer != MIGRATE_YES)
        error_set(error, 0, "%s %s %s: %zu of these checks %s", check.to->uri,
                  *answer == MIGRATE_NO ? "would not take" : "may not take", check.guest->label,
                  verdict.against, verdict.against == 1 ? "is not OK" : "are not OK");
    return 0;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    static const struct {
        const char *word;
        enum command_status status;
    } verdicts[] = {
        [MIGRATE_YES] = {"yes", COMMAND_DONE},
        [MIGRATE_UNKNOWN] = {"unknown", COMMAND_FAILED},
        [MIGRATE_NO] = {"no", COMMAND_NO_CAPACITY},
    };
    AUTO(migrate_question_clear) struct migrate_question question = {0};
    enum migrate_answer answer;
    int rc;

    if (migrate_question_start(&question, call->host, error) < 0)
        return COMMAND_FAILED;
    rc = ask(call, &question, error);
    if (rc < 0)
        return command_ended(rc, error);
    if (judge(call, &question, &answer, error) < 0)
        return COMMAND_FAILED;
    say_line(call->out, "%s", verdicts[answer].word);
    return verdicts[answer].status;
}

const struct command command_migrate_check = {
    .name = "migrate-check",
    .arguments = "DOMAIN URI",
    .help = "say whether another host would take a domain with its vGPUs",
    .page = "vgpuctl-migrate",
    .least = 2,
    .most = 2,
    .options = OPTION_BIT(OPTION_TIMEOUT),
    .run = run,
};
