// SPDX-License-Identifier: GPL-2.0-only
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "files.h"
#include "migration.h"
#include "versions.h"
#include "vgpu.h"

#define MAGIC 0x6465706168732d76ULL

/* A state on its way to or from user space. */
struct stream {
    struct file *file;
    struct mutex lock;
    bool over;
    u64 type; /* of the vGPU on this host */
    struct vgpu_state state;
};

/* Are the bytes so far the state of a vGPU of this type? */
static bool
fits(const struct stream *stream, size_t size)
{
    return size < offsetof(struct vgpu_state, seal) ||
           (stream->state.magic == MAGIC && stream->state.type == stream->type);
}

/* User memory is touched without the lock: its page may be somebody's file system. */
static ssize_t
stream_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
    struct stream *stream = file->private_data;
    struct vgpu_state state;
    loff_t at;
    bool over;

    /* A stream has its own position. It takes no other. */
    if (pos)
        return -ESPIPE;
    mutex_lock(&stream->lock);
    over = stream->over;
    state = stream->state;
    at = file->f_pos;
    mutex_unlock(&stream->lock);
    if (over)
        return -ENODEV;
    size = min_t(size_t, size, sizeof(state) - at);
    if (copy_to_user(to, (const u8 *)&state + at, size))
        return -EFAULT;
    mutex_lock(&stream->lock);
    file->f_pos = at + size;
    mutex_unlock(&stream->lock);
    return size;
}

/* A state that does not fit is refused here. A later refusal would not keep QEMU from going on. */
static ssize_t
stream_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
    struct stream *stream = file->private_data;
    u8 piece[sizeof(stream->state)];
    ssize_t ret = -EINVAL;

    if (pos)
        return -ESPIPE;
    size = min(size, sizeof(piece));
    if (copy_from_user(piece, from, size))
        return -EFAULT;
    mutex_lock(&stream->lock);
    if (stream->over) {
        ret = -ENODEV;
    } else if (file->f_pos < sizeof(piece)) {
        size = min_t(size_t, size, sizeof(piece) - file->f_pos);
        memcpy((u8 *)&stream->state + file->f_pos, piece, size);
        file->f_pos += size;
        if (fits(stream, file->f_pos))
            ret = size;
    }
    mutex_unlock(&stream->lock);
    return ret;
}

static int
stream_release(struct inode *inode, struct file *file)
{
    kfree(file->private_data);
    return 0;
}

static const struct file_operations saving_ops = {
    .owner = THIS_MODULE, .read = stream_read, .release = stream_release};
static const struct file_operations resuming_ops = {
    .owner = THIS_MODULE, .write = stream_write, .release = stream_release};

/* The stream's file has two references: one for the caller, and one for the migration. */
static struct file *
open_stream(struct migration *migration, const struct file_operations *ops, int flags)
{
    struct stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL);
    struct file *file;

    if (!stream)
        return ERR_PTR(-ENOMEM);
    file = anon_inode_getfile("vgpu-cards", ops, stream, flags);
    if (IS_ERR(file)) {
        kfree(stream);
        return file;
    }
    stream_open(file->f_inode, file);
    mutex_init(&stream->lock);
    stream->file = file;
    stream->state = migration->state;
    stream->type = migration->state.type;
    migration->stream = stream;
    return get_file(file);
}

static void
close_stream(struct migration *migration)
{
    struct stream *stream = migration->stream;

    if (!stream)
        return;
    migration->stream = NULL;
    mutex_lock(&stream->lock);
    stream->over = true;
    mutex_unlock(&stream->lock);
    fput(stream->file);
}

/* Takes over the received state, if it is complete and of this type. Otherwise the vGPU stays as it
 * was, and keeps its stream. */
static int
resume(struct migration *migration)
{
    struct stream *stream = migration->stream;
    int ret = -EINVAL;

    mutex_lock(&stream->lock);
    if (stream->file->f_pos == sizeof(stream->state) && fits(stream, sizeof(stream->state))) {
        migration->state = stream->state;
        ret = 0;
    }
    mutex_unlock(&stream->lock);
    if (!ret)
        close_stream(migration);
    return ret;
}

static struct file *
step(struct migration *migration, enum vfio_device_mig_state next)
{
    if (next == VFIO_DEVICE_STATE_STOP_COPY)
        return open_stream(migration, &saving_ops, O_RDONLY);
    if (next == VFIO_DEVICE_STATE_RESUMING)
        return open_stream(migration, &resuming_ops, O_WRONLY);
    if (migration->now == VFIO_DEVICE_STATE_RESUMING)
        return ERR_PTR(resume(migration));
    close_stream(migration);
    return NULL;
}

static struct file *
set_state(struct vfio_device *vdev, enum vfio_device_mig_state goal)
{
    struct migration *migration = &vgpu_of(vdev->dev)->migration;
    enum vfio_device_mig_state next;
    struct file *file = NULL;
    int ret;

    mutex_lock(&migration->lock);
    while (migration->now != goal && !file) {
        ret = vfio_mig_get_next_state(vdev, migration->now, goal, &next);
        file = ret ? ERR_PTR(ret) : step(migration, next);
        if (!IS_ERR(file))
            migration->now = next;
    }
    mutex_unlock(&migration->lock);
    return file;
}

static int
get_state(struct vfio_device *vdev, enum vfio_device_mig_state *now)
{
    struct migration *migration = &vgpu_of(vdev->dev)->migration;

    mutex_lock(&migration->lock);
    *now = migration->now;
    mutex_unlock(&migration->lock);
    return 0;
}

#if !IS_OLD
static int
get_data_size(struct vfio_device *vdev, unsigned long *size)
{
    *size = sizeof(struct vgpu_state);
    return 0;
}
#endif

static const struct vfio_migration_ops migration_ops = {
    .migration_set_state = set_state,
    .migration_get_state = get_state,
#if !IS_OLD
    .migration_get_data_size = get_data_size,
#endif
};

/* There is no dirty log: without IOMMUFD the kernel could not do what a dirty log promises. */
void
migration_offer(struct vfio_device *vdev)
{
    vdev->migration_flags = VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P;
    vdev->mig_ops = &migration_ops;
}

void
migration_init(struct migration *migration)
{
    mutex_init(&migration->lock);
    migration->now = VFIO_DEVICE_STATE_RUNNING;
}

void
migration_begin(struct migration *migration, u64 type)
{
    mutex_lock(&migration->lock);
    migration->state.magic = MAGIC;
    migration->state.type = type;
    migration->state.seal = get_random_u64();
    mutex_unlock(&migration->lock);
}

void
migration_reset(struct migration *migration)
{
    mutex_lock(&migration->lock);
    close_stream(migration);
    migration->now = VFIO_DEVICE_STATE_RUNNING;
    mutex_unlock(&migration->lock);
}
