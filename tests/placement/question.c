/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/question.h"
#include "base/array.h"
#include "device/maxima.h"
#include "fake/fake-snapshot.h"
#include "placement/feasibility.h"
#include "placement/placement.h"
#include "placement/victim.h"
#include "placement/resolution.h"
#include "policy/conf.h"

#include <stdio.h>
#include <string.h>

#define MOST 32

/* A question as a problem for the placement. */
struct asked {
    struct fake_snapshot snapshot;
    struct policy *policy;
    struct request request;
    struct demands demands;
    enum demand_freedom freedom;
    size_t effort;         /* of searches before this one */
    char *texts[2 * MOST]; /* has the strings of the request */
    size_t text_count;
    char name[64];
};

static struct conf *conf;

/* --- the request and the configuration, from their texts -------------------------------------- */

static void
add_device(struct asked *asked, char *line)
{
    struct request *request = &asked->request;
    struct request_device device = {0};
    struct request_hostdev hostdev = {.source = fake_device((unsigned)request->hostdev_count + 101),
                                      .is_gpu = true,
                                      .device = request->device_count};
    struct attributes *attributes = &device.attributes;
    char *word, *alias = NULL;

    while ((word = strsep(&line, " "))) {
        if (!strncmp(word, "nodes=", 6))
            assert_int_equal(nodeset_add(&request->nodes, word + 6), 0);
        else if (!strncmp(word, "name=", 5))
            snprintf(asked->name, sizeof(asked->name), "%s", word + 5);
        else if (!strncmp(word, "uuid=", 5))
            hostdev.source = fake_device((unsigned)strtoul(word + 5, NULL, 10));
        else if (!strncmp(word, "free=", 5))
            asked->freedom = word[5] == 'p' ? DEMAND_ANY_PLACE : DEMAND_ANY_KIND;
        else if (!strcmp(word, "effort=spent"))
            asked->effort = SIZE_MAX / 2;
        else if (!strncmp(word, "on=", 3)) {
            assert_int_equal(name_parse(&hostdev.source, word + 3), 0);
            hostdev.kind = REQUEST_PCI;
        }
        for (enum attribute i = 0; i < ATTRIBUTES; i++) {
            size_t length = strlen(attribute_names[i]);

            if (strncmp(word, attribute_names[i], length) != 0 || word[length] != '=')
                continue;
            if (attribute_words[i])
                attributes->chosen[i] =
                    (unsigned)words_index(attribute_words[i], word + length + 1);
            else
                attributes->said[i] = word + length + 1;
        }
    }
    if (!attributes->said[ATTRIBUTE_TYPE] && !attributes->said[ATTRIBUTE_CLASS])
        return;
    assert_true(asprintf(&alias, "gpu%zu", request->hostdev_count) > 0);
    asked->texts[asked->text_count++] = hostdev.alias = device.alias = alias;
    ARRAY_ADD(request->devices, request->device_count, device);
    ARRAY_ADD(request->hostdevs, request->hostdev_count, hostdev);
}

static void
read_request(struct asked *asked, const char *text)
{
    char *copy = strdup(text), *rest = copy, *line;

    asked->texts[asked->text_count++] = copy;
    snprintf(asked->name, sizeof(asked->name), "me");
    asked->request.name = asked->name;
    while ((line = strsep(&rest, ";")))
        add_device(asked, line);
    asked->request.domain = fake_domain(asked->name);
}

static void
read_policy(struct asked *asked, const char *text)
{
    if (conf_load_text(conf, text) < 0)
        fail_msg("%s: %s", text, conf->error.text);
    asked->policy = &conf->policy;
}

static void
ask(struct asked *asked, const struct question *question)
{
    struct error error;

    fake_snapshot_make(&asked->snapshot, question->machine);
    read_policy(asked, question->policy);
    maxima_add(asked->policy, &asked->snapshot.inventory);
    read_request(asked, question->request);
    assert_int_equal(resolution_make(&asked->request, asked->policy, &asked->demands, &error), 0);
    asked->demands.nodes = asked->request.nodes;
    demands_set_free(&asked->demands, asked->freedom);
}

static void
asked_clear(struct asked *asked)
{
    fake_snapshot_clear(&asked->snapshot);
    demands_clear(&asked->demands);
    free(asked->request.devices);
    free(asked->request.hostdevs);
    for (size_t i = 0; i < asked->text_count; i++)
        free(asked->texts[i]);
}

/* --- the answer ------------------------------------------------------------------------------- */

int
question_find(const struct placement_problem *problem, struct placement_choice *choices,
              struct error *error)
{
    return placement_find(problem, choices, error);
}

size_t
question_pick_victim(const struct placement_problem *problem, const bool *may_reap)
{
    return victim_find(problem, may_reap);
}

static struct placement_problem
problem_of(struct asked *asked)
{
    return (struct placement_problem){
        .request = &asked->request,
        .demands = &asked->demands,
        .policy = asked->policy,
        .inventory = &asked->snapshot.inventory,
        .ledger = &asked->snapshot.ledger,
        .rejections = asked->snapshot.rejections,
        .rejection_count = asked->snapshot.rejection_count,
        .effort = asked->effort ? &asked->effort : NULL,
    };
}

static void
print_choices(const struct asked *asked, const struct placement_choice *choices, char *text)
{
    static const char *const ways[] = {
        [PLACEMENT_CREATE] = "", [PLACEMENT_REUSE] = "take ", [PLACEMENT_FOREIGN] = "find "};
    size_t at = 0;

    for (size_t i = 0; i < asked->demands.count && at < QUESTION_TEXT; i++) {
        const struct inventory_type *type = choices[i].place.type;

        at += (size_t)snprintf(text + at, QUESTION_TEXT - at, "%s%s%s %s", i ? ", " : "",
                               ways[choices[i].way], choices[i].place.parent->name.text,
                               type->name + (strncmp(type->name, "GRID ", 5) ? 0 : 5));
    }
}

static void
answer(struct asked *asked, char *text)
{
    static const char *const classes[] = {
        [ERROR_FAILED] = "FAILED", [ERROR_NO_ROOM] = "NO_ROOM",     [ERROR_NEVER] = "NEVER",
        [ERROR_TAKEN] = "TAKEN",   [ERROR_UNDECIDED] = "UNDECIDED",
    };
    const struct placement_problem problem = problem_of(asked);
    struct placement_choice choices[MOST];
    struct error error = {0};
    int rc = question_find(&problem, choices, &error);

    if (rc == 0) {
        print_choices(asked, choices, text);
        return;
    }
    assert_int_equal(rc, REFUSED);
    snprintf(text, QUESTION_TEXT, "%s %s", classes[error.class], error.text);
}

void
question_answer(const struct question *question, char *text)
{
    AUTO(asked_clear) struct asked asked = {.name = ""};

    ask(&asked, question);
    answer(&asked, text);
}

/* The number of the vGPU that should be given up. As in recovery.c, only vGPUs of other domains
 * that nobody needs may be given up. 0: none. */
static size_t
pick_victim(struct asked *asked)
{
    const struct placement_problem problem = problem_of(asked);
    const struct ledger *ledger = &asked->snapshot.ledger;
    bool may_reap[FAKE_LEASES] = {false};
    size_t victim;

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        may_reap[i] = (lease->state == LEASE_KEPT || lease->state == LEASE_LEAVING) &&
                      !asked->snapshot.busy[i] &&
                      !name_equal(&lease->domain, &asked->request.domain);
    }
    victim = question_pick_victim(&problem, may_reap);
    return victim == SIZE_MAX ? 0 : asked->snapshot.numbers[victim];
}

/* --- the tables ------------------------------------------------------------------------------- */

static bool
is_answer(const char *text, const char *wanted)
{
    AUTO_FREE char *copy = strdup(wanted);
    char *rest = copy, *part;

    if (!strchr("NTU", *wanted))
        return !strcmp(text, wanted);
    while ((part = strsep(&rest, "|"))) {
        if (*part == '!' ? strstr(text, part + 1) != NULL : !strstr(text, part))
            return false;
    }
    return !strchr(text, '\n');
}

void
question_check(const struct question *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        char text[QUESTION_TEXT], again[QUESTION_TEXT];

        question_answer(&rows[i], text);
        question_answer(&rows[i], again);
        assert_string_equal(text, again);
        if (is_answer(text, rows[i].wanted))
            continue;
        print_error("--- row %zu\n%s%s\n%s\ngives: %s\nnot:   %s\n", i, rows[i].machine,
                    rows[i].policy, rows[i].request, text, rows[i].wanted);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

void
question_check_victims(const struct question_victim *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        AUTO(asked_clear) struct asked asked = {.name = ""};
        char text[QUESTION_TEXT];
        size_t victim;

        ask(&asked, &(struct question){rows[i].machine, rows[i].policy, rows[i].request, ""});
        answer(&asked, text);
        victim = pick_victim(&asked);
        if (victim == rows[i].wanted && strchr("NTU", *text))
            continue;
        print_error("--- row %zu\n%s\n%s\n%s\ngives up %zu, not %zu; %s\n", i, rows[i].machine,
                    rows[i].policy, rows[i].request, victim, rows[i].wanted, text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* --- the answers about another day ------------------------------------------------------------ */

static void
print_place(const struct place *place, char *text)
{
    snprintf(text + strlen(text), QUESTION_TEXT - strlen(text), " %s %s",
             place->parent ? place->parent->name.text : "-",
             place->type ? place->type->id.text : "-");
}

static void
answer_ever(struct asked *asked, bool waiting, char *text)
{
    static const char *const answers[] = {
        [FEASIBILITY_YES] = "YES", [FEASIBILITY_UNKNOWN] = "UNKNOWN", [FEASIBILITY_NO] = "NO"};
    const struct placement_problem problem = problem_of(asked);
    struct placement_choice choices[MOST];
    struct error error = {0};
    enum feasibility ever = feasibility_judge(&problem, waiting, choices, &error);

    snprintf(text, QUESTION_TEXT, "%s", answers[ever]);
    for (size_t i = 0; ever <= FEASIBILITY_UNKNOWN && i < asked->demands.count; i++)
        print_place(&choices[i].place, text);
    if (ever != FEASIBILITY_YES)
        snprintf(text + strlen(text), QUESTION_TEXT - strlen(text), ": %s", error.text);
}

void
question_check_ever(const struct question *rows, size_t count, bool waiting)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        AUTO(asked_clear) struct asked asked = {.name = ""};
        AUTO_FREE char *wanted = strdup(rows[i].wanted);
        char text[QUESTION_TEXT], *rest = wanted, *part;
        const char *at = text;

        ask(&asked, &rows[i]);
        answer_ever(&asked, waiting, text);
        while (at && (part = strsep(&rest, "|"))) {
            at = strstr(at, part);
            at = at && part == wanted && at != text ? NULL : at;
        }
        if (at && (strchr(text, ':') || !strcmp(text, rows[i].wanted)))
            continue;
        print_error("--- row %zu\n%s%s\n%s\ngives: %s\nnot:   %s\n", i, rows[i].machine,
                    rows[i].policy, rows[i].request, text, rows[i].wanted);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

int
question_set_up(void **state)
{
    int rc = conf_set_up(state);

    conf = *state;
    return rc;
}

int
question_tear_down(void **state)
{
    *state = conf;
    return conf_tear_down(state);
}
