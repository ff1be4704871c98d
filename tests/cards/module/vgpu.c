// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "faults.h"
#include "vgpu.h"
#include "xe.h"

/* How long the driver waits for the manager's child of a vGPU, and how often it looks. */
#define EXIT_WAIT_MS 5000
#define EXIT_STEP_MS 20

void
vgpu_init(struct vgpu *vgpu, struct card *card)
{
    vgpu->card = card;
    mutex_init(&vgpu->lock);
    migration_init(&vgpu->migration);
}

int
vgpu_create(struct vgpu *vgpu, const struct vgpu_type *type)
{
    int ret = -EPERM;

    mutex_lock(&vgpu->lock);
    if (!vgpu->type) {
        ret = card_take(vgpu->card, type, &vgpu->place);
        if (!ret)
            WRITE_ONCE(vgpu->type, type);
    }
    mutex_unlock(&vgpu->lock);
    return ret;
}

/* Call it with the lock held. The delay is read each time, because a test may end it. */
static bool
is_exiting(struct vgpu *vgpu)
{
    unsigned long end = vgpu->closed_at + msecs_to_jiffies(fault_exiting_ms());

    if (vgpu->exiting && time_after_eq(jiffies, end))
        vgpu->exiting = false;
    return vgpu->exiting;
}

static void
forget(struct vgpu *vgpu)
{
    card_give_back(vgpu->card, vgpu->type, vgpu->place);
    WRITE_ONCE(vgpu->type, NULL);
    vgpu->params[0] = '\0';
}

/* -EAGAIN: the vGPU is still exiting. */
static int
try_delete(struct vgpu *vgpu)
{
    int ret = 0;

    mutex_lock(&vgpu->lock);
    if (!vgpu->type || vgpu->open)
        ret = -EPERM;
    else if (is_exiting(vgpu))
        ret = -EAGAIN;
    else if (fault_refuses_delete())
        ret = -EIO;
    else
        forget(vgpu);
    mutex_unlock(&vgpu->lock);
    return ret;
}

int
vgpu_delete(struct vgpu *vgpu)
{
    unsigned long end = jiffies + msecs_to_jiffies(EXIT_WAIT_MS);
    int ret;

    while ((ret = try_delete(vgpu)) == -EAGAIN) {
        if (time_after_eq(jiffies, end))
            return -EBUSY;
        msleep(EXIT_STEP_MS);
    }
    return ret;
}

void
vgpu_drop(struct vgpu *vgpu)
{
    mutex_lock(&vgpu->lock);
    while (is_exiting(vgpu)) {
        mutex_unlock(&vgpu->lock);
        msleep(EXIT_STEP_MS);
        mutex_lock(&vgpu->lock);
    }
    if (vgpu->type)
        forget(vgpu);
    mutex_unlock(&vgpu->lock);
}

/* Finds the guest's name in the command line of the QEMU that opens the vGPU: "guest=NAME,...".
 * Without a lock, because the command line is user memory. */
static void
find_vm_name(char *name, size_t name_size)
{
    static const char key[] = "guest=";
    const size_t most = 1023;
    struct mm_struct *mm = current->mm;
    char *words, *at;
    size_t size;

    words = kzalloc(most + 1, GFP_KERNEL);
    if (!words || !mm)
        goto out;
    size = min_t(size_t, mm->arg_end - mm->arg_start, most);
    if (copy_from_user(words, (void __user *)mm->arg_start, size))
        goto out;
    for (at = words; at < words + size; at += strlen(at) + 1) {
        if (!strncmp(at, key, strlen(key))) {
            at += strlen(key);
            at[strcspn(at, ",")] = '\0';
            strscpy(name, at, name_size);
            break;
        }
    }
out:
    kfree(words);
}

/* What a vGPU must be that takes over the state of this one. */
static u64
kind_of(const struct vgpu *vgpu)
{
    if (vgpu->function)
        return xe_vram(vgpu->function);
    return vgpu->type ? vgpu->type->id : 0;
}

int
vgpu_open(struct vgpu *vgpu)
{
    char name[sizeof(vgpu->vm_name)] = "";
    int ret = 0;

    find_vm_name(name, sizeof(name));
    mutex_lock(&vgpu->lock);
    if (!vgpu->type && !vgpu->function && !vgpu->bare) {
        ret = -ENODEV;
    } else if (is_exiting(vgpu)) {
        ret = -EBUSY;
    } else {
        vgpu->open = true;
        strscpy(vgpu->vm_name, name, sizeof(vgpu->vm_name));
        migration_begin(&vgpu->migration, kind_of(vgpu));
    }
    mutex_unlock(&vgpu->lock);
    return ret;
}

void
vgpu_close(struct vgpu *vgpu)
{
    mutex_lock(&vgpu->lock);
    migration_reset(&vgpu->migration);
    vgpu->open = false;
    vgpu->vm_name[0] = '\0';
    vgpu->exiting = fault_exiting_ms() > 0;
    vgpu->closed_at = jiffies;
    mutex_unlock(&vgpu->lock);
}
