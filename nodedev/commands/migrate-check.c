/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "migrate/migrate-check.h"
#include "actions/snapshot.h"
#include "cli/say.h"

enum { HERE, THERE };

static int
ask_both(const struct command_call *call, struct remote_hosts *hosts, struct error *error)
{
    const char *const uris[] = {[HERE] = call->uri, [THERE] = call->arguments[1]};
    struct remote_question question = {uris, COUNT(uris), CONNECTION_ALL, 0};
    int rc = options_timeout(&call->options, &question.seconds, error);

    if (rc == 0)
        rc = remote_ask(call->host, &question, hosts, error);
    for (size_t i = 0; i < hosts->count && rc == 0; i++) {
        if (*hosts->items[i].failure.text)
            rc = error_set(error, -EHOSTUNREACH, "%s", hosts->items[i].failure.text);
    }
    return rc;
}

/* The checks, and what they come to. */
static int
judge(const struct command_call *call, const struct remote_hosts *hosts,
      const struct snapshot *snapshot, enum remote_capacity_answer *answer, struct error *error)
{
    AUTO(migrating_guest_clear) struct migrating_guest guest = {0};
    char kernel[256] = "";
    const struct migrate_check check = {
        .from = &hosts->items[HERE],
        .to = &hosts->items[THERE],
        .guest = &guest,
        .here = &snapshot->inventory,
        .kernel = kernel,
    };
    struct migrate_verdict verdict;
    int rc = migrating_guest_find(&guest, check.from, call->arguments[0], &snapshot->policy, error);

    if (rc < 0)
        return rc;
    if (host_read(call->host, kernel, sizeof(kernel), "proc/sys/kernel/osrelease") < 0)
        *kernel = '\0';
    rc = migrate_check_check(&check, call->out, &verdict, error);
    *answer = verdict.answer;
    if (rc == 0 && *answer != REMOTE_CAPACITY_YES)
        error_set(error, 0, "%s %s %s: %zu of these checks %s", check.to->uri,
                  *answer == REMOTE_CAPACITY_NO ? "would not take" : "may not take", guest.label,
                  verdict.against, verdict.against == 1 ? "is not OK" : "are not OK");
    return rc;
}

static enum command_status
run(const struct command_call *call, struct error *error)
{
    static const struct {
        const char *word;
        enum command_status status;
    } verdicts[] = {
        [REMOTE_CAPACITY_YES] = {"yes", COMMAND_DONE},
        [REMOTE_CAPACITY_UNKNOWN] = {"unknown", COMMAND_FAILED},
        [REMOTE_CAPACITY_NO] = {"no", COMMAND_NO_CAPACITY},
    };
    AUTO(remote_clear) struct remote_hosts hosts = {0};
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    enum remote_capacity_answer answer;
    int rc = ask_both(call, &hosts, error);

    if (rc < 0)
        return rc == -EINVAL ? COMMAND_USAGE : COMMAND_FAILED;
    if (snapshot_take(&snapshot, call->host, &inventory_all_types, error) < 0 ||
        judge(call, &hosts, &snapshot, &answer, error) < 0)
        return COMMAND_FAILED;
    say_line(call->out, "%s", verdicts[answer].word);
    return verdicts[answer].status;
}

const struct command command_migrate_check = {
    .name = "migrate-check",
    .arguments = "DOMAIN URI",
    .help = "say whether another host would take a domain with its vGPUs",
    .least = 2,
    .most = 2,
    .options = OPTION_BIT(OPTION_TIMEOUT),
    .run = run,
};
