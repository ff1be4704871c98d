/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/apply.h"
#include "base/reader.h"

#include <string.h>

/* A driver that was written to may be slow to answer: it has until the deadline. */
static enum vgpu_state
look(const struct transaction *transaction, const struct vgpu *vgpu, struct deadline deadline,
     struct name *type)
{
    reader_begin(transaction->host->reader, deadline_left(deadline) + 1);
    return vgpu_state(transaction->host, vgpu, type);
}

/* The write has come back, so this is short: for drivers that are late with the last links. */
static int
wait_whole(const struct transaction *transaction, const struct vgpu *vgpu)
{
    struct deadline deadline =
        deadline_earlier(transaction->deadline, deadline_in(transaction->host, 5000));
    unsigned pause = 1;

    for (;;) {
        struct name type;
        enum vgpu_state state = look(transaction, vgpu, deadline, &type);

        if (state == VGPU_PRESENT)
            return name_equal(&type, &vgpu->type) ? 0 : -EEXIST;
        if (!deadline_pause(deadline, &pause))
            return state == VGPU_ABSENT ? -ENODEV : -ETIMEDOUT;
    }
}

int
apply_make(struct transaction *transaction, const struct lease *lease, struct error *error)
{
    const struct vgpu *vgpu = &lease->vgpu;
    int rc;

    if (transaction_is_stuck_elsewhere(transaction, lease))
        return error_set(error, -ETIMEDOUT,
                         "the vGPU %s was not made on %s: the driver takes too long with %s before "
                         "it; see the kernel's log",
                         vgpu->device.text, vgpu->parent.text, transaction->writer.device.text);
    rc = writer_make(&transaction->writer, vgpu, transaction->deadline);
    if (rc == 0)
        rc = wait_whole(transaction, vgpu);
    if (rc == -ECHILD)
        return error_set(error, rc,
                         "the process that writes to /sys could not be started, or died");
    if (rc == -ETIMEDOUT)
        return error_set(error, rc,
                         "the driver of %s has not made the vGPU %s (%s) in prepare_timeout; see "
                         "the kernel's log, it may be stuck",
                         vgpu->parent.text, vgpu->device.text, vgpu->type.text);
    if (rc == -ENOTRECOVERABLE)
        return error_set(
            error, rc,
            "the vGPU %s (%s) is only half made: the driver of %s refused the rest, and "
            "did not undo it; it is given back as soon as that works, see the "
            "kernel's log",
            vgpu->device.text, vgpu->type.text, vgpu->parent.text);
    if (rc < 0)
        error_set(error, rc, "making the vGPU %s (%s) on %s: %s", vgpu->device.text,
                  vgpu->type.text, vgpu->parent.text, strerror(-rc));
    return rc;
}

int
apply_configure(struct transaction *transaction, const struct lease *lease, const char *params,
                struct error *error)
{
    const struct vgpu *vgpu = &lease->vgpu;
    int rc = writer_configure(&transaction->writer, vgpu, params, transaction->deadline);

    if (rc == -ENOENT)
        return error_set(error, rc, "the driver of %s takes no parameters for a vGPU (%s)",
                         vgpu->parent.text, params);
    if (rc < 0)
        error_set(error, rc, "setting \"%s\" on the vGPU %s on %s: %s", params, vgpu->device.text,
                  vgpu->parent.text, strerror(-rc));
    return rc;
}

/* Waits until nobody has it open: 0 with the proof held by the writer, -ENODEV if it is gone. */
static int
wait_unused(struct transaction *transaction, const struct vgpu *vgpu, struct deadline deadline)
{
    unsigned pause = 1;

    for (;;) {
        struct name type;
        int rc;

        switch (look(transaction, vgpu, deadline, &type)) {
        case VGPU_ABSENT:
            return -ENODEV;
        case VGPU_UNKNOWN:
            /* The writer would wait for that driver, and be lost for others. */
            rc = -ETIMEDOUT;
            break;
        default:
            rc = writer_prove(&transaction->writer, vgpu);
            if (rc != -EBUSY)
                return rc;
        }
        if (!deadline_pause(deadline, &pause))
            return rc;
    }
}

static int
explain_busy(const struct transaction *transaction, const struct vgpu *vgpu, struct error *error)
{
    char holder[128];
    int seen = vgpu_holder(transaction->host, vgpu, holder, sizeof(holder));

    return error_set(error, -EBUSY, "the vGPU %s on %s is %s%s", vgpu->device.text,
                     vgpu->parent.text,
                     seen > 0    ? "in use by process "
                     : seen == 0 ? "still in use"
                                 : "still in use, perhaps by a process that cannot be looked at",
                     holder);
}

int
apply_check_unused(struct transaction *transaction, const struct lease *lease, struct error *error)
{
    struct deadline deadline =
        deadline_earlier(transaction->deadline, deadline_in(transaction->host, 1000));
    int rc = wait_unused(transaction, &lease->vgpu, deadline);

    if (rc == -EBUSY)
        return explain_busy(transaction, &lease->vgpu, error);
    if (rc < 0 && rc != -ENODEV)
        error_set(error, rc, "looking who uses the vGPU %s: %s", lease->vgpu.device.text,
                  strerror(-rc));
    return rc;
}

/* The write was made, or the driver was quicker: waits until nothing of it is left. */
static int
wait_gone(const struct transaction *transaction, const struct vgpu *vgpu, struct deadline deadline)
{
    unsigned pause = 1;

    for (;;) {
        struct name type;

        if (look(transaction, vgpu, deadline, &type) == VGPU_ABSENT)
            return 0;
        if (!deadline_pause(deadline, &pause))
            return -ETIMEDOUT;
    }
}

static bool
is_gone(int rc)
{
    return rc == -ENODEV || rc == -ENOENT;
}

/*
 * -EAGAIN and -EBUSY are the driver still cleaning up, or another removal under way. Before each
 * write the lease must still be ours: a virtual function may have its next owner by then, whose
 * vGPU is called the same. -ESTALE with a line in error if it is not.
 */
static int
remove_proved(struct transaction *transaction, const struct vgpu *vgpu, struct deadline deadline,
              struct error *error)
{
    unsigned pause = 1;

    for (;;) {
        int rc = transaction_move(transaction, &vgpu->device, LEASE_REMOVING, error);

        if (rc < 0)
            return -ESTALE;
        rc = writer_remove(&transaction->writer, vgpu, deadline);
        if (rc == 0 || is_gone(rc))
            return wait_gone(transaction, vgpu, deadline);
        if ((rc != -EAGAIN && rc != -EBUSY) || !deadline_pause(deadline, &pause))
            return rc;
        rc = wait_unused(transaction, vgpu, deadline);
        if (rc < 0)
            return is_gone(rc) ? 0 : rc;
    }
}

int
apply_remove(struct transaction *transaction, const struct lease *lease, struct deadline patience,
             struct deadline deadline, struct error *error)
{
    const struct vgpu *vgpu = &lease->vgpu;
    int rc;

    if (transaction_is_stuck_elsewhere(transaction, lease))
        return error_set(error, -ETIMEDOUT,
                         "the vGPU %s was not removed from %s yet: the driver takes too long with "
                         "%s before it; see the kernel's log",
                         vgpu->device.text, vgpu->parent.text, transaction->writer.device.text);
    /* Even if nothing of it is there: what was ordered may still come. */
    rc = transaction->writer.left
             ? -ETIMEDOUT
             : wait_unused(transaction, vgpu, deadline_earlier(patience, deadline));
    /* Nothing is ordered that cannot be waited for. */
    if (rc == 0 && deadline_left(deadline) == 0)
        return error_set(error, -ETIMEDOUT,
                         "the vGPU %s was not removed from %s yet: no time was left for it; the "
                         "next start of its guest or 'vgpuctl reconcile' sees to it",
                         vgpu->device.text, vgpu->parent.text);
    if (rc == 0)
        rc = remove_proved(transaction, vgpu, deadline, error);
    if (rc == -ESTALE)
        return rc;
    if (rc == 0 || is_gone(rc))
        return transaction_forget(transaction, &vgpu->device, error);
    if (rc == -EBUSY)
        return explain_busy(transaction, vgpu, error);
    return error_set(
        error, rc, "the vGPU %s was not removed from %s: %s", vgpu->device.text, vgpu->parent.text,
        rc == -ETIMEDOUT ? "its driver takes too long; see the kernel's log" : strerror(-rc));
}
