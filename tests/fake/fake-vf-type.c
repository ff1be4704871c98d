/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * NVIDIA's vendor-specific VFIO: how a virtual function gets its type and loses it.
 *
 * A type that is being set counts already, but is not shown yet. If two writers write to one
 * function, NVIDIA's resource manager keeps them apart, and not the driver.
 */

#include "fake/fake-parts.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

/* --- the users of a function ------------------------------------------------------------------ */

/* Opens another file than the node. A process that only checks whether the node is open must not
 * count as a user. */
static struct path
node_of(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    struct name node = fake_vfio_node(fake, (size_t)(parent - fake->machine->parents));
    struct path path;

    assert(path_format(&path, "opened/%s", node.text) == 0);
    return path;
}

static int
open_locked(const struct fake_kernel *fake, const struct path *path)
{
    AUTO_CLOSE int fd = openat(fake->host.root, path->text, O_RDWR | O_CLOEXEC);

    assert(fd >= 0);
    return flock(fd, LOCK_EX | LOCK_NB) < 0 ? -EBUSY : TAKE_FD(fd);
}

/* Notices here that a guest was killed while it had the function open. Call it with the lock
 * held. */
static bool
is_open(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    struct fake_function *function = fake_function_of(fake, parent);
    struct path path = node_of(fake, parent);
    AUTO_CLOSE int fd = open_locked(fake, &path);

    if (fd < 0)
        return true;
    if (function->opened) {
        function->opened = false;
        function->left = fake_now();
    }
    return false;
}

/* Waits until the former user of the function has left it, but not for ever. */
static int
wait_left(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const volatile struct fake_function *function = fake_function_of(fake, parent);
    uint64_t end = fake_now() + fake->faults->patience;

    while (function->left && fake_now() < function->left + fake->faults->exiting) {
        if (fake_now() >= end)
            return -EBUSY;
        fake_sleep(1);
    }
    return 0;
}

/* Opens the group first, as QEMU does. If the device cannot be opened, the group is closed
 * again. */
struct fake_guest
fake_vf_open(const struct fake_kernel *fake, const char *device)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);
    struct fake_guest guest = {.group = -1};
    struct path group_path, path;
    LOCKED AUTO_CLOSE int lock = -1;
    AUTO_CLOSE int group = -1;

    assert(parent);
    path = node_of(fake, parent);
    assert(path_format(&group_path, "dev/vfio/%s", fake_group(fake, device).text) == 0);
    guest.device = group = open_locked(fake, &group_path);
    if (group >= 0)
        guest.device = wait_left(fake, parent);
    lock = fake_lock(fake);
    if (guest.device == 0 && !fake_function_of(fake, parent)->type)
        guest.device = -ENODEV;
    if (guest.device < 0)
        return guest;
    guest.device = open_locked(fake, &path);
    if (guest.device < 0)
        return guest;
    guest.group = TAKE_FD(group);
    guest.function = fake_function_of(fake, parent);
    guest.function->opened = true;
    return guest;
}

int
fake_configure(const struct fake_kernel *fake, const struct fake_parent *parent, const char *text)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    struct path directory;

    if (strlen(text) > 512)
        return -E2BIG;
    if (!fake_function_of(fake, parent)->type)
        return -ENXIO;
    if (is_open(fake, parent))
        return -EPERM;
    assert(path_format(&directory, "sys/devices/%s", parent->name) == 0);
    fake_put_params(fake, directory.text, text);
    return 0;
}

/* --- a type is set ---------------------------------------------------------------------------- */

static const struct fake_type *
find_number(const struct fake_gpu *gpu, long number)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (gpu->types[i].number == number)
            return &gpu->types[i];
    }
    return NULL;
}

static int
begin_set(const struct fake_kernel *fake, const struct fake_parent *parent, long number)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    const struct fake_type *type = find_number(fake_gpu_of(fake, parent), number);
    struct fake_function *function = fake_function_of(fake, parent);
    int rc;

    if (function->type)
        return -EPERM;
    if (function->rebound)
        return -EINVAL;
    if (!type || function->making)
        return -EIO;
    rc = fake_refusal(fake, parent, type);
    if (rc < 0)
        return rc;
    function->making = type;
    fake_count_one(fake, parent, type, 1);
    return 0;
}

/* The lowest number, from `first` on, that no function of the GPU has in this field. */
static unsigned
lowest_free(const struct fake_kernel *fake, size_t gpu, size_t field, unsigned first)
{
    for (unsigned number = first;; number++) {
        bool taken = false;

        for (size_t i = 0; i < fake->machine->parent_count && !taken; i++) {
            const struct fake_function *other = &fake->usage->functions[i];

            taken = fake->machine->parents[i].gpu == gpu && other->type &&
                    *(const unsigned *)((const char *)other + field) == number;
        }
        if (!taken)
            return number;
    }
}

static int
end_set(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    struct fake_function *function = fake_function_of(fake, parent);

    if (!function->making)
        return -EIO;
    function->placement =
        lowest_free(fake, parent->gpu, offsetof(struct fake_function, placement), 0);
    function->instance = 0;
    if (function->making->instances >= 0)
        function->instance =
            lowest_free(fake, parent->gpu, offsetof(struct fake_function, instance), 1);
    function->type = function->making;
    function->making = NULL;
    fake_put_current(fake, parent);
    return 0;
}

static int
set_type(const struct fake_kernel *fake, const struct fake_parent *parent, long number)
{
    int rc;

    fake_sleep_while(&fake->faults->unseen);
    rc = begin_set(fake, parent, number);
    if (rc < 0)
        return rc;
    fake_sleep_while(&fake->faults->stuck);
    fake_pause_create(fake, parent);
    return end_set(fake, parent);
}

/* --- a type is lost --------------------------------------------------------------------------- */

/* Call it with the lock held. */
static void
forget_type(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    struct fake_function *function = fake_function_of(fake, parent);
    const struct fake_type *type = function->type ? function->type : function->making;

    if (type)
        fake_count_one(fake, parent, type, -1);
    *function = (struct fake_function){.rebound = function->rebound};
}

/* Returns 0, or the error with which the function keeps its type. Call it with the lock held. */
static int
refusal_to_clear(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return !fake_function_of(fake, parent)->type || is_open(fake, parent) ? -EPERM : 0;
}

static int
begin_clear(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);

    return refusal_to_clear(fake, parent);
}

static int
end_clear(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    int rc = refusal_to_clear(fake, parent);

    if (rc < 0 || fake->faults->lie == FAKE_LIE_KEPT)
        return rc;
    forget_type(fake, parent);
    fake_put_current(fake, parent);
    return 0;
}

static int
clear_type(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    int rc = begin_clear(fake, parent);

    if (rc == 0)
        rc = wait_left(fake, parent);
    if (rc < 0)
        return rc;
    fake_sleep(fake->faults->remove_delay);
    return end_clear(fake, parent);
}

/* Parses as the kernel's kstrtol: a sign, digits, one line feed. */
static int
parse_number(const char *text, long *ret)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;

    errno = 0;
    *ret = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*digits) || strcmp(end, *end == '\n' ? "\n" : ""))
        return -EINVAL;
    return -errno;
}

int
fake_turn(const struct fake_kernel *fake, const struct fake_parent *parent, const char *text)
{
    long number;
    int rc = parse_number(text, &number);

    if (rc < 0)
        return rc;
    return number ? set_type(fake, parent, number) : clear_type(fake, parent);
}

/* A function that is taken from its driver loses its type. When it is given back, it refuses every
 * type. */
static void
bind_to(const struct fake_kernel *fake, const struct fake_parent *parent, const char *driver)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);

    fake_function_of(fake, parent)->rebound = true;
    forget_type(fake, parent);
    fake_put_driver(fake, parent->name, driver);
    fake_put_node(fake, parent->name, (size_t)(parent - fake->machine->parents), *driver);
    fake_put_attributes(fake, parent, !strcmp(driver, "nvidia"));
}

/* --- for the tests ---------------------------------------------------------------------------- */

int
fake_vf_make(const struct fake_kernel *fake, const char *name, const char *type, const char *device)
{
    static const char prefix[] = "nvidia-";

    (void)device;
    if (!strncmp(type, prefix, strlen(prefix)))
        type += strlen(prefix);
    return fake_turn(fake, fake_find_parent(fake, name), type);
}

int
fake_vf_remove(const struct fake_kernel *fake, const char *device)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);

    return parent ? clear_type(fake, parent) : -ENOENT;
}

void
fake_vf_type(const struct fake_kernel *fake, const char *device, char *type, size_t size)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);
    const struct fake_type *set = parent ? fake_function_of(fake, parent)->type : NULL;

    snprintf(type, size, "%s", set ? set->id : "");
}

size_t
fake_vf_count(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return fake_function_of(fake, parent)->type != NULL;
}

void
fake_vf_vanish(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    bind_to(fake, parent, "");
}

void
fake_bind(const struct fake_kernel *fake, const char *address, const char *driver)
{
    bind_to(fake, fake_find_parent(fake, address), driver);
}

void
fake_instances(const struct fake_kernel *fake, const char *name, const char *type, unsigned count)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);

    for (size_t i = 0; i < fake->machine->gpu_count; i++) {
        const struct fake_gpu *gpu = &fake->machine->gpus[i];
        const struct fake_type *known = fake_find_type(gpu, type);

        if (!strcmp(gpu->name, name))
            fake->usage->free_instances[i][known - gpu->types] = count;
    }
}
