/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrate-question.h"
#include "base/memory.h"

int
migrate_question_start(struct migrate_question *question, const struct host *host,
                       struct error *error)
{
    *question = (struct migrate_question){.host = host};
    return snapshot_take(&question->snapshot, host, &inventory_all_types, error);
}

void
migrate_question_clear(struct migrate_question *question)
{
    departure_clear(&question->departure);
    migrating_guest_clear(&question->guest);
    remote_clear(&question->hosts);
    snapshot_clear(&question->snapshot);
}

int
migrate_question_ask(struct migrate_question *question, const struct command_call *call,
                     const char *const *uris, size_t count, struct error *error)
{
    AUTO_FREE const char **all = memory_zeroed(count + 1, sizeof(*all));
    struct remote_question asked = {all, count + 1, CONNECTION_ALL, 0};
    int rc;

    all[0] = call->uri;
    for (size_t i = 0; i < count; i++)
        all[i + 1] = uris[i];
    rc = options_timeout(&call->options, &asked.seconds, error);
    return rc < 0 ? rc : remote_ask(call->host, &asked, &question->hosts, error);
}

int
migrate_question_find_guest(struct migrate_question *question, const char *word,
                            struct error *error)
{
    const struct remote_host *here = &question->hosts.items[0];
    int rc;

    departure_clear(&question->departure);
    migrating_guest_clear(&question->guest);
    if (*here->failure.text)
        return error_set(error, -ENOTCONN, "%s", here->failure.text);
    rc = migrating_guest_find(&question->guest, here, word, &question->snapshot.policy, error);
    if (rc == 0)
        departure_take(&question->departure, question->host, &question->guest);
    return rc;
}

struct migrate_check
migrate_question_check(const struct migrate_question *question, size_t host)
{
    const struct remote_hosts *hosts = &question->hosts;

    return (struct migrate_check){
        .from = *hosts->items[0].failure.text ? NULL : &hosts->items[0],
        .to = &hosts->items[host],
        .guest = &question->guest,
        .here = &question->snapshot.inventory,
        .departure = &question->departure,
    };
}
