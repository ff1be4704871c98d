/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup.h"
#include "actions/snapshot.h"
#include "base/array.h"
#include "prove/workbench.h"
#include "sriov/sriov.h"
#include "sriov/users.h"

const char *const setup_result_words[SETUP_RESULTS] = {
    [SETUP_AS_SAID] = "as declared", [SETUP_TO_DO] = "to do",   [SETUP_DONE] = "done",
    [SETUP_FAILED] = "failed",       [SETUP_IN_USE] = "in use",
};

static void
tell(const struct setup_card *card, enum setup_part part, struct setup_line *line)
{
    const struct setup_part_row *row = &setup_part_rows[part];
    struct text said = text_on(line->said, sizeof(line->said));
    struct text now = text_on(line->now, sizeof(line->now));

    line->part = row->name;
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
    const struct setup_part_row *row = &setup_part_rows[step->part];

    return step->removes ? row->remove_word : row->make_word;
}

static bool
plan_has(const struct setup_plan *plan, enum setup_part part)
{
    return ARRAY_HAS(plan->steps, plan->count, step, step->part == part);
}

/* Adds the parts that are right already, and then the steps. */
static void
add_plan(struct setup_report *report, const struct setup_card *card, const struct setup_plan *plan)
{
    for (unsigned part = 0; part < SETUP_PARTS; part++) {
        if (!setup_part_rows[part].is_said(&card->said->setup) || plan_has(plan, part))
            continue;
        tell(card, part, &report->lines[report->count]);
        report->lines[report->count++].result = SETUP_AS_SAID;
    }
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
    const struct setup_part_row *row = &setup_part_rows[step->part];
    struct setup_line line = {0};

    if (step->removes ? !row->is_there(card) : row->is_as_said(card))
        return 0;
    tell(card, step->part, &line);
    error_set(error, -EIO, "%s: the step \"%s\" of its %s ended well, but the card has: %s",
              card->address, step_word(step), row->name, line.now);
    if (step->part == SETUP_MIG_MODE && card->nvidia.is_mig_to_be == !step->removes)
        error_advise(error,
                     "its mode comes with a reset: stop what has the card open, and say "
                     "'nvidia-smi --gpu-reset -i %s'",
                     card->address);
    else
        error_advise(error, "see journalctl -k");
    return -EIO;
}

/* Takes back what a driver has shared out among functions that were just made. */
static int
settle(const struct setup_card *card, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_no_types, error);

    if (rc == 0)
        rc = sriov_settle(card->host, &snapshot, &card->sriov, error);
    return rc < 0 ? rc : 0;
}

/* Whether the driver would make any vGPU on a card that has none. 1, 0 or -errno. */
static int
offers(const struct setup_card *card, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    int rc = snapshot_take(&snapshot, card->host, &inventory_all_types, error);
    const struct inventory_gpu *gpu =
        rc == 0 ? inventory_find_gpu(&snapshot.inventory, &card->said->address) : NULL;

    return rc < 0 ? rc : gpu && inventory_offers(gpu);
}

/* The driver may list no types for instances that were just made, until nvidia-vgpud has run once
 * more (seen on an RTX PRO 6000 with 580.105.06). */
static int
list_types(const struct setup_card *card, struct error *error)
{
    int rc = card->sriov.enabled ? offers(card, error) : 1;

    if (rc != 0)
        return rc < 0 ? rc : 0;
    rc = nvidia_smi_restart_vgpud(card->host, error);
    if (rc == 0)
        rc = offers(card, error);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    return error_set(error, -EIO,
                     "the driver lists no types for the GPU instances of %s; see 'systemctl status "
                     "nvidia-vgpud nvidia-vgpu-mgr'",
                     card->address);
}

/* What follows a step that made its part. */
static int
complete(const struct setup_card *card, enum setup_part part, struct error *error)
{
    if (part == SETUP_FUNCTIONS)
        return settle(card, error);
    return part == SETUP_INSTANCES ? list_types(card, error) : 0;
}

static int
take_step(struct setup_card *card, const struct setup_step *step, struct error *error)
{
    const struct setup_part_row *row = &setup_part_rows[step->part];
    struct error failure;
    int rc = step->removes ? row->remove(card, error) : row->make(card, error);
    int read = setup_card_renew(card, &failure);

    if (rc == 0 && read < 0) {
        *error = failure;
        rc = read;
    }
    if (rc == 0)
        rc = check_step(card, step, error);
    if (rc == 0 && !step->removes)
        rc = complete(card, step->part, error);
    return rc;
}

static int
take_steps(struct setup_card *card, const struct setup_plan *plan,
           const struct setup_listener *listener, struct setup_report *report)
{
    struct setup_line *line = report->lines + report->count - plan->count;
    int rc = 0;

    for (size_t i = 0; i < plan->count && rc == 0; i++, line++) {
        listener->begins(listener->data, card->said, line->part, line->step);
        rc = take_step(card, &plan->steps[i], &report->error);
        tell(card, plan->steps[i].part, line);
        line->result = rc < 0 ? SETUP_FAILED : SETUP_DONE;
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
        rc = workbench_take(card->host, &card->said->address, &snapshot.inventory, bench, error);
    return rc < 0 ? rc : users_check(card->host, &snapshot, &card->sriov, error);
}

static int
run(struct setup_card *card, bool dry_run, const struct setup_listener *listener,
    struct setup_report *report)
{
    AUTO(workbench_close) struct workbench bench = WORKBENCH_NONE;
    struct setup_plan plan;
    int rc = setup_plan_make(card, &plan, &report->error);

    if (rc == 0 && plan.count && !dry_run) {
        rc = take_card(card, &bench, &report->error);
        /* Until the card was taken, another process could change it. */
        if (rc == 0)
            rc = setup_card_renew(card, &report->error);
        if (rc == 0)
            rc = setup_plan_make(card, &plan, &report->error);
    }
    if (rc < 0) {
        add_failure(report, rc);
        return rc;
    }
    add_plan(report, card, &plan);
    return dry_run ? 0 : take_steps(card, &plan, listener, report);
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

bool
setup_may_come(int rc)
{
    return rc == -ENODEV || rc == -EIO || rc == -ETIMEDOUT;
}
