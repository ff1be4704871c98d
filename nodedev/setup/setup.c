/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup.h"
#include "actions/snapshot.h"
#include "base/array.h"
#include "prove/workbench.h"
#include "sriov/sriov.h"
#include "view/setup-view.h"

#include <string.h>

const char *const setup_result_words[SETUP_RESULTS] = {
    [SETUP_AS_SAID] = "as declared", [SETUP_TO_DO] = "to do",   [SETUP_DONE] = "done",
    [SETUP_FAILED] = "failed",       [SETUP_IN_USE] = "in use", [SETUP_CANNOT] = "cannot",
};

static void
tell(const struct setup_card *card, enum setup_part part, struct setup_line *line)
{
    const struct setup_part_row *row = setup_parts[part];
    struct text said = text_on(line->said, sizeof(line->said));
    struct text now = text_on(line->now, sizeof(line->now));

    line->part = row->name;
    if (row->said_word)
        text_add(&said, "%s", row->said_word);
    else
        row->tell_said(card, &said);
    row->tell_now(card, &now);
}

static void
add_failure(struct setup_report *report, int rc)
{
    report->lines[report->count++] =
        (struct setup_line){.result = rc == -EBUSY ? SETUP_IN_USE : SETUP_FAILED};
}

static const char *
step_word(const struct setup_step *step)
{
    const struct setup_part_row *row = setup_parts[step->part];

    return step->removes ? row->remove_word : row->make_word;
}

static bool
is_right(const struct setup_card *card, unsigned part)
{
    const struct setup_part_row *row = setup_parts[part];

    return row->is_said(&card->said->setup) && row->is_as_said(card);
}

static bool
plan_has(const struct setup_plan *plan, enum setup_part part)
{
    return ARRAY_HAS(plan->steps, plan->count, step, step->part == part);
}

static void
add_line(struct setup_report *report, const struct setup_card *card, unsigned part,
         enum setup_result result)
{
    struct setup_line *line = &report->lines[report->count++];

    tell(card, part, line);
    line->result = result;
}

/* Adds the parts that are right already. */
static void
add_right(struct setup_report *report, const struct setup_card *card, const struct setup_plan *plan)
{
    for (unsigned part = 0; part < SETUP_PARTS; part++) {
        if (!setup_parts[part]->follows && is_right(card, part) && !plan_has(plan, part))
            add_line(report, card, part, SETUP_AS_SAID);
    }
}

static void
add_steps(struct setup_report *report, const struct setup_card *card, const struct setup_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct setup_line *line = &report->lines[report->count++];

        tell(card, plan->steps[i].part, line);
        line->step = step_word(&plan->steps[i]);
        line->result = SETUP_TO_DO;
    }
}

/* --- the steps -------------------------------------------------------------------------------- */

/* Compares the card with what the step was for. */
static int
check_step(const struct setup_card *card, const struct setup_step *step, struct error *error)
{
    const struct setup_part_row *row = setup_parts[step->part];
    struct setup_line line = {0};

    if (step->removes ? !row->is_there(card) : row->is_as_said(card))
        return 0;
    tell(card, step->part, &line);
    error_set(error, -EIO, "%s: the step \"%s\" of its %s ended well, but the card has: %s",
              card->address, step_word(step), row->name, line.now);
    error_advise(error, "%s", row->advice);
    return -EIO;
}

/* Returns -EOPNOTSUPP if the tool turns out not to know the part. */
static int
take_step(struct setup_card *card, const struct setup_step *step, struct error *error)
{
    const struct setup_part_row *row = setup_parts[step->part];
    struct error failure;
    int read, rc = row->set(card, !step->removes, error);

    if (row->can && rc == -EOPNOTSUPP)
        card->lacks |= SETUP_BIT(step->part);
    read = setup_card_renew(card, &failure);
    if ((rc == 0 || rc == -EOPNOTSUPP) && read < 0) {
        *error = failure;
        rc = read;
    }
    if (rc == 0)
        rc = check_step(card, step, error);
    return rc;
}

static enum setup_result
result_of(int rc)
{
    return rc == -EBUSY ? SETUP_IN_USE : rc < 0 ? SETUP_FAILED : SETUP_DONE;
}

static int
take_steps(struct setup_card *card, const struct setup_plan *plan,
           const struct setup_listener *listener, struct setup_report *report)
{
    struct setup_line *line = report->lines + report->count;
    int rc = 0;

    add_steps(report, card, plan);
    for (size_t i = 0; i < plan->count && rc == 0; i++, line++) {
        const enum setup_part part = plan->steps[i].part;

        listener->begins(listener->data, card->said, line->part, line->step);
        rc = take_step(card, &plan->steps[i], &report->error);
        tell(card, part, line);
        line->result = result_of(rc);
        if (rc == -EOPNOTSUPP && (card->lacks & SETUP_BIT(part))) {
            line->result = SETUP_CANNOT;
            rc = 0;
        }
    }
    return rc;
}

/* Takes the card, so that nobody begins to use it; then looks who does. */
static int
take_card(const struct setup_card *card, struct workbench *bench, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_all_types, error);

    if (rc == 0)
        rc = workbench_take(card->host, &card->said->address, &snapshot, bench, error);
    if (rc == 0)
        rc = workbench_check_users(bench, error);
    return rc < 0 ? rc : users_check_vgpus(&snapshot, &card->sriov, error);
}

/* Takes the steps of a plan, and then those that follow from them. */
static int
make_so(struct setup_card *card, struct setup_plan *plan, const struct setup_listener *listener,
        struct setup_report *report)
{
    int rc = take_steps(card, plan, listener, report);

    if (rc < 0 || plan->count == 0)
        return rc;
    rc = setup_parts_plan(card, plan, &report->error);
    if (rc == 0)
        return take_steps(card, plan, listener, report);
    add_failure(report, rc);
    return rc;
}

/* The line of a part that a step could not make; or a new one. */
static struct setup_line *
line_of(struct setup_report *report, const struct setup_card *card, unsigned part)
{
    for (size_t i = 0; i < report->count; i++) {
        struct setup_line *line = &report->lines[i];

        if (line->part && line->result == SETUP_CANNOT &&
            !strcmp(line->part, setup_parts[part]->name))
            return line;
    }
    add_line(report, card, part, SETUP_CANNOT);
    return &report->lines[report->count - 1];
}

/* Judges a part that cannot be made and differs, and notes why. */
static int
judge_compared(const struct setup_card *card, unsigned part, struct setup_report *report)
{
    struct setup_line *line = line_of(report, card, part);
    struct error why;
    int rc = setup_parts[part]->refuse(card, &why);

    if (rc < 0) {
        line->result = SETUP_FAILED;
        report->error = why;
    } else if (*report->cannot.text) {
        error_add(&report->cannot, "%s", why.text);
    } else {
        report->cannot = why;
    }
    return rc;
}

static int
check_compared(const struct setup_card *card, struct setup_report *report)
{
    int rc = 0;

    for (unsigned part = 0; part < SETUP_PARTS && rc == 0; part++) {
        if (setup_parts[part]->is_said(&card->said->setup) && !is_right(card, part) &&
            !setup_part_can(card, part))
            rc = judge_compared(card, part, report);
    }
    return rc;
}

/* A process that is killed in between leaves no record. */
static int
make_and_record(struct setup_card *card, struct setup_plan *plan,
                const struct setup_listener *listener, struct setup_report *report)
{
    int rc;

    if (plan->count)
        setup_view_forget(card->host, card->said);
    rc = make_so(card, plan, listener, report);
    if (rc == 0)
        rc = check_compared(card, report);
    if (rc == 0 && !*report->cannot.text)
        setup_view_remember(card->host, card->said);
    return rc;
}

static int
run(struct setup_card *card, bool dry_run, const struct setup_listener *listener,
    struct setup_report *report)
{
    AUTO(workbench_close) struct workbench bench = WORKBENCH_NONE;
    struct setup_plan plan;
    int rc = setup_parts_plan(card, &plan, &report->error);

    if (rc == 0 && plan.count && !dry_run) {
        rc = take_card(card, &bench, &report->error);
        /* Until the card was taken, another process could change it. */
        if (rc == 0)
            rc = setup_card_renew(card, &report->error);
        if (rc == 0)
            rc = setup_parts_plan(card, &plan, &report->error);
    }
    if (rc < 0) {
        add_failure(report, rc);
        return rc;
    }
    add_right(report, card, &plan);
    if (!dry_run)
        return make_and_record(card, &plan, listener, report);
    add_steps(report, card, &plan);
    return check_compared(card, report);
}

int
setup_run(const struct host *host, const struct policy_gpu *said, bool dry_run,
          const struct setup_listener *listener, struct setup_report *ret)
{
    AUTO(setup_card_clear) struct setup_card card = {0};
    int rc;

    *ret = (struct setup_report){.count = 0};
    rc = setup_card_read(host, said, &card, &ret->error);
    if (rc == 0)
        return run(&card, dry_run, listener, ret);
    add_failure(ret, rc);
    return rc;
}

/* If a vendor has a tool for the other parts, only that tool tells of them. */
int
setup_check(const struct host *host, const struct policy_gpu *said, struct error *error)
{
    AUTO(setup_card_clear) struct setup_card card = {0};
    int rc = setup_card_look(host, said, &card, error);

    for (unsigned part = 0; part < SETUP_PARTS && rc == 0; part++) {
        if (setup_parts[part]->check && setup_parts[part]->is_said(&said->setup) &&
            (part == SETUP_FUNCTIONS || !card.vendor->ask))
            rc = setup_parts[part]->check(&card, error);
    }
    return rc;
}

bool
setup_may_come(int rc)
{
    return rc == -ENODEV || rc == -EIO || rc == -ETIMEDOUT;
}

bool
setup_is_held_up(int rc)
{
    return rc == -EBUSY || rc == -EAGAIN;
}
