/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/making.h"
#include "apply/apply.h"
#include "base/array.h"
#include "base/reader.h"
#include "lease/log.h"

#include <string.h>

#define ASK_AGAIN 3   /* times that a driver that still offers a place is asked for it again */
#define ASK_PAUSE 500 /* ms before that: a driver that has only just come up refuses at first */

#define LONGEST_GOING 3000 /* ms that a UUID may stay taken after its device went */

static enum making
fail(struct assignment *assignment, int rc)
{
    assignment->rc = rc;
    return MAKING_FAILED;
}

/* Whether the kernel refused because the UUID is taken, and the UUID may soon be free: its last
 * device may not be quite gone. The GPU is not at fault then, so the start may try it again. */
static bool
may_be_going(struct assignment *assignment, int why)
{
    const struct transaction *transaction = &assignment->transaction;

    if (why != -EEXIST)
        return false;
    if (!assignment->gone_by.host)
        assignment->gone_by =
            deadline_earlier(transaction->deadline, deadline_in(transaction->host, LONGEST_GOING));
    return deadline_left(assignment->gone_by) > 0;
}

/* Whether to ask the driver for the same place again. That is done only if the XML names the
 * function, because any other demand can have another place. NVIDIA's driver has one error for all
 * its reasons. The list of the next look tells whether the driver really has no room. */
static bool
may_ask_again(struct assignment *assignment, size_t index, int why)
{
    unsigned pause = ASK_PAUSE;

    return demand_vf(&assignment->snapshot.demands.items[index]) && why == -EIO &&
           assignment->asked_again++ < ASK_AGAIN &&
           deadline_pause(assignment->transaction.deadline, &pause);
}

/* The kernel refused: remember that, so that the next look tries elsewhere. */
static enum making
rejected(struct assignment *assignment, size_t index, int why, struct error *error)
{
    const struct lease *lease = &assignment->plan.steps[index].lease;
    const struct placement_rejection rejection = {lease->vgpu.parent, lease->vgpu.type, why};
    int rc = transaction_forget(&assignment->transaction, &lease->vgpu.device, error);

    if (rc < 0)
        return fail(assignment, rc);
    if (may_be_going(assignment, why)) {
        error_set(error, -ETIMEDOUT, "the vGPU %s is not quite gone; start the guest again",
                  lease->vgpu.device.text);
        return MAKING_AGAIN;
    }
    log_lease(assignment->transaction.host, "prepare", lease, strerror(-why));
    if (may_ask_again(assignment, index, why)) {
        error_set(error, -ETIMEDOUT, "the kernel refuses a vGPU of type %s on %s (%s)",
                  lease->vgpu.type.text, lease->vgpu.parent.text, strerror(-why));
        return MAKING_AGAIN;
    }
    if (why == -EEXIST)
        return fail(assignment,
                    error_set(error, why,
                              "the kernel has a device %s already, and does not show it: it is "
                              "still being removed, perhaps while a process has it open; try "
                              "again, or give this guest another UUID",
                              lease->vgpu.device.text));
    ARRAY_ADD(assignment->rejections, assignment->rejection_count, rejection);
    error_set(error, -ETIMEDOUT,
              "the kernel refuses a vGPU of type %s on %s (%s), and took all of prepare_timeout "
              "for that",
              lease->vgpu.type.text, lease->vgpu.parent.text, strerror(-why));
    return MAKING_AGAIN;
}

/* The vGPU was there at the look, and is gone now. */
static enum making
gone(const struct lease *lease, struct error *error)
{
    error_set(error, -ETIMEDOUT, "the vGPU %s went away; start the guest again",
              lease->vgpu.device.text);
    return MAKING_AGAIN;
}

/* Whether somebody has removed or changed the vGPU since the look. */
static bool
has_gone(const struct assignment *assignment, const struct lease *lease)
{
    reader_begin(assignment->transaction.host->reader, assignment->patience);
    return vgpu_is_wrong(assignment->transaction.host, &lease->vgpu);
}

/* A vGPU that is reused must not be open: QEMU would fail with an obscure message. */
static enum making
reuse(struct assignment *assignment, const struct lease *lease, struct error *error)
{
    int rc = apply_check_unused(&assignment->transaction, lease, error);

    if (rc == 0)
        return MAKING_DONE;
    return rc == -ENODEV ? gone(lease, error) : fail(assignment, rc);
}

static enum making
create(struct assignment *assignment, size_t index, struct error *error)
{
    const struct lease *lease = &assignment->plan.steps[index].lease;
    int rc = apply_make(&assignment->transaction, lease, error);

    if (rc == -ETIMEDOUT && deadline_left(assignment->transaction.deadline) == 0)
        error_add(error, "all of prepare_timeout of vgpu.conf is over");
    /* A part of the vGPU may be there, so its lease stays until that part is gone. */
    if (rc == -ETIMEDOUT || rc == -ECHILD || rc == -ENOTRECOVERABLE)
        return fail(assignment, rc);
    if (rc < 0)
        return rejected(assignment, index, rc, error);
    names_append(&assignment->ours, &lease->vgpu.device);
    return MAKING_DONE;
}

/* A vGPU that is reused has the parameters of its last run. A virtual function may have those of
 * its last owner. */
static bool
must_configure(const struct plan_step *step)
{
    if (step->way == PLACEMENT_CREATE)
        return *step->params || step->lease.vgpu.interface->hostdev == REQUEST_PCI;
    return step->way == PLACEMENT_REUSE;
}

enum making
making_carry_out(struct assignment *assignment, struct error *error)
{
    for (size_t i = 0; i < assignment->plan.count; i++) {
        const struct plan_step *planned = &assignment->plan.steps[i];
        enum making step = MAKING_DONE;
        int rc;

        if (planned->way == PLACEMENT_REUSE)
            step = reuse(assignment, &planned->lease, error);
        if (planned->way == PLACEMENT_FOREIGN && has_gone(assignment, &planned->lease))
            step = gone(&planned->lease, error);
        if (planned->way == PLACEMENT_CREATE)
            step = create(assignment, i, error);
        if (step != MAKING_DONE)
            return step;
        if (!must_configure(planned))
            continue;
        rc = apply_configure(&assignment->transaction, &planned->lease, planned->params, error);
        if (rc < 0)
            return fail(assignment, rc);
    }
    return MAKING_DONE;
}
