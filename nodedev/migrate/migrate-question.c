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

/* --- which of the hosts would take the guest, the best first ---------------------------------- */

/* A lower rank is better. */
static unsigned
rank(const struct destination *destination)
{
    return destination_has_answered(destination) ? destination->verdict.answer : MIGRATE_NO + 1;
}

static int
best_first(const void *a, const void *b)
{
    const struct destination *left = a, *right = b;

    if (rank(left) != rank(right))
        return rank(left) < rank(right) ? -1 : 1;
    if (left->verdict.room != right->verdict.room)
        return left->verdict.room > right->verdict.room ? -1 : 1;
    return left->host < right->host ? -1 : 1;
}

void
destinations_judge(const struct migrate_question *question, struct destinations *ret)
{
    const struct remote_hosts *hosts = &question->hosts;

    *ret = (struct destinations){.items = memory_zeroed(hosts->count, sizeof(*ret->items))};
    for (size_t i = 1; i < hosts->count; i++) {
        struct destination *destination = &ret->items[ret->count++];
        const struct migrate_check check = migrate_question_check(question, i);

        destination->host = &hosts->items[i];
        if (destination_has_answered(destination))
            migrate_check_run(&check, &destination->verdict);
    }
    qsort(ret->items, ret->count, sizeof(*ret->items), best_first);
}

enum command_status
destinations_conclude(const struct destinations *destinations, const char *label,
                      struct error *error)
{
    size_t counts[MIGRATE_NO + 1] = {0}, silent = 0;
    bool is_known;

    for (size_t i = 0; i < destinations->count; i++) {
        if (destination_has_answered(&destinations->items[i]))
            counts[destinations->items[i].verdict.answer]++;
        else
            silent++;
    }
    if (counts[MIGRATE_YES])
        return COMMAND_DONE;
    is_known = silent == 0 && counts[MIGRATE_UNKNOWN] == 0;
    error_refuse(error, is_known ? ERROR_NO_HOST : ERROR_UNKNOWN,
                 "no host is sure to take %s: %zu would not, %zu may, %zu gave no answer", label,
                 counts[MIGRATE_NO], counts[MIGRATE_UNKNOWN], silent);
    return command_ended(REFUSED, error);
}

void
destinations_clear(struct destinations *destinations)
{
    for (size_t i = 0; i < destinations->count; i++)
        migrate_verdict_clear(&destinations->items[i].verdict);
    free(destinations->items);
    *destinations = (struct destinations){0};
}
