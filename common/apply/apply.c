/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/apply.h"
#include "base/reader.h"

#include <inttypes.h>
#include <string.h>

void
apply_look(const struct transaction *transaction, const struct vgpu *vgpu, struct deadline deadline,
           struct look_device *seen)
{
    reader_begin(transaction->host->reader, deadline_left(deadline) + 1);
    seen->is_known = true;
    seen->state = vgpu_state(transaction->host, vgpu, &seen->type);
}

/* Waits for 5 s at most. The write has returned, and some drivers are late with the last links. */
static int
wait_whole(const struct transaction *transaction, const struct vgpu *vgpu)
{
    struct deadline deadline =
        deadline_earlier(transaction->deadline, deadline_in(transaction->host, 5000));
    unsigned pause = 1;

    for (;;) {
        struct look_device seen;

        apply_look(transaction, vgpu, deadline, &seen);
        if (seen.state == VGPU_PRESENT)
            return name_equal(&seen.type, &vgpu->type) ? 0 : -EEXIST;
        if (!deadline_pause(deadline, &pause))
            return seen.state == VGPU_ABSENT ? -ENODEV : -ETIMEDOUT;
    }
}

/* The caller knows which setting has set the deadline, if any. */
static int
explain_slow(const struct vgpu *vgpu, uint64_t took, struct error *error)
{
    const bool in_seconds = took >= 1000;

    return error_set(error, -ETIMEDOUT,
                     "the driver of %s has not made the vGPU %s (%s) in %" PRIu64
                     " %s; see the kernel's log, it may be stuck",
                     vgpu->parent.text, vgpu->device.text, vgpu->type.text,
                     in_seconds ? took / 1000 : took, in_seconds ? "s" : "ms");
}

int
apply_make(struct transaction *transaction, const struct lease *lease, struct error *error)
{
    const struct vgpu *vgpu = &lease->vgpu;
    const uint64_t began = host_uptime(transaction->host);
    int rc;

    if (transaction_is_stuck_elsewhere(transaction, &vgpu->device))
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
        return explain_slow(vgpu, host_uptime(transaction->host) - began, error);
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

int
apply_wait_unused(struct transaction *transaction, const struct vgpu *vgpu,
                  struct deadline deadline, struct look_device *seen)
{
    unsigned pause = 1;

    for (;;) {
        int rc;

        apply_look(transaction, vgpu, deadline, seen);
        switch (seen->state) {
        case VGPU_ABSENT:
            return -ENODEV;
        case VGPU_UNKNOWN:
            /* The writer would wait for that driver, and could not serve other devices. */
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

int
apply_explain_busy(const struct transaction *transaction, const struct vgpu *vgpu,
                   struct error *error)
{
    AUTO(open_files_clear) struct open_files files = {0};
    char holder[128];
    int seen = vgpu_holder(transaction->host, &files, vgpu, holder, sizeof(holder));

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
    struct look_device seen;
    int rc = apply_wait_unused(transaction, &lease->vgpu, deadline, &seen);

    if (rc == -EBUSY)
        return apply_explain_busy(transaction, &lease->vgpu, error);
    if (rc < 0 && rc != -ENODEV)
        error_set(error, rc, "looking who uses the vGPU %s: %s", lease->vgpu.device.text,
                  strerror(-rc));
    return rc;
}
