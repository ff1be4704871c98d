/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"
#include "migrate/migrate-check.h"
#include "actions/snapshot.h"
#include "cli/say.h"
#include "placement/resolution.h"

#include <string.h>

enum { HERE, THERE };

static int
ask_both(const struct command_call *call, struct remote_hosts *hosts, struct error *error)
{
    const char *const uris[] = {[HERE] = call->uri, [THERE] = call->arguments[1]};
    unsigned seconds;
    int rc = options_timeout(&call->options, &seconds, error);

    if (rc == 0)
        rc = remote_ask(call->host, uris, COUNT(uris), seconds, hosts, error);
    for (size_t i = 0; i < hosts->count && rc == 0; i++) {
        if (*hosts->items[i].failure.text)
            rc = error_set(error, -EHOSTUNREACH, "%s", hosts->items[i].failure.text);
    }
    return rc;
}

static int
find_domain(const struct command_call *call, const struct remote_host *here,
            const struct domain **ret, struct error *error)
{
    const char *word = call->arguments[0];

    *ret = domains_find(&here->domains, word);
    return *ret ? 0 : error_set(error, -ENOENT, "%s has no domain \"%s\"", here->uri, word);
}

/* The checks, and what they come to. */
static int
judge(const struct command_call *call, const struct remote_hosts *hosts,
      const struct domain *domain, const struct snapshot *snapshot,
      enum remote_capacity_answer *answer, struct error *error)
{
    const struct request *request = domain->is_running ? &domain->live : &domain->config;
    AUTO(demands_clear) struct demands demands = {0};
    char kernel[256] = "";
    const struct migrate_check check = {
        .from = &hosts->items[HERE],
        .to = &hosts->items[THERE],
        .domain = domain,
        .request = request,
        .demands = &demands,
        .here = &snapshot->inventory,
        .kernel = kernel,
    };
    size_t against;
    int rc;

    if (!*request->domain.text)
        return error_set(error, -EINVAL, "the XML of %s cannot be read", domain->name);
    rc = request_check(request, error);
    if (rc == 0)
        rc = resolution_make(request, &snapshot->policy, &demands, error);
    if (rc < 0) {
        error_wrap(error, "%s", domain->name);
        return rc;
    }
    if (host_read(call->host, kernel, sizeof(kernel), "proc/sys/kernel/osrelease") < 0)
        *kernel = '\0';
    rc = migrate_check_check(&check, call->out, answer, &against, error);
    if (rc == 0 && *answer != REMOTE_CAPACITY_YES)
        error_set(error, 0, "%s %s %s: %zu of these checks %s", check.to->uri,
                  *answer == REMOTE_CAPACITY_NO ? "would not take" : "may not take", domain->name,
                  against, against == 1 ? "is not OK" : "are not OK");
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
    const struct domain *domain;
    enum remote_capacity_answer answer;
    int rc = ask_both(call, &hosts, error);

    if (rc < 0)
        return rc == -EINVAL ? COMMAND_USAGE : COMMAND_FAILED;
    if (find_domain(call, &hosts.items[HERE], &domain, error) < 0 ||
        snapshot_take(&snapshot, call->host, &inventory_all_types, error) < 0 ||
        judge(call, &hosts, domain, &snapshot, &answer, error) < 0)
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
