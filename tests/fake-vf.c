/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * NVIDIA's vendor-specific VFIO: a type is written to a virtual function.
 *
 * What is set is in shared memory; the file current_vgpu_type says the same for programs that read
 * the tree themselves. A type that is being set counts already and is not shown yet: the driver
 * does not hold two writers to one function apart, its resource manager does.
 */

#include "fake-parts.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#define PREFIX "nvidia-"

/* --- the tree --------------------------------------------------------------------------------- */

static size_t
index_of(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return (size_t)(parent - fake->machine->parents);
}

static struct fake_function *
function_of(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return &fake->usage->functions[index_of(fake, parent)];
}

/* The number of a type: what the driver calls it. */
static long
number_of(const struct fake_type *type)
{
    return strtol(type->id + strlen(PREFIX), NULL, 10);
}

static void
put_current(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const struct fake_function *function = function_of(fake, parent);
    const struct fake_type *types = fake_gpu_of(fake, parent)->types;
    char text[32];

    snprintf(text, sizeof(text), "%ld\n",
             function->type ? number_of(&types[function->type - 1]) : 0);
    fake_put(fake->host.root, text, "sys/devices/%s/nvidia/current_vgpu_type", parent->name);
}

static const char *const file_names[] = {"creatable_vgpu_types", "vgpu_params", "placement_id",
                                         "gpu_instance_id", "current_vgpu_type"};

static void
put_files(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    for (size_t i = 0; i < COUNT(file_names); i++)
        fake_put(fake->host.root, "\n", "sys/devices/%s/nvidia/%s", parent->name, file_names[i]);
    put_current(fake, parent);
}

static void
put_parent(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);

    for (size_t i = 0; i < gpu->type_count; i++)
        assert(!strncmp(gpu->types[i].id, PREFIX, strlen(PREFIX)));
    put_files(fake, parent);
    fake_put_vfio(fake, parent->name, index_of(fake, parent));
}

/* --- what is creatable ------------------------------------------------------------------------ */

static void
print_type(FILE *out, enum fake_list list, const struct fake_type *type)
{
    long number = number_of(type);

    if (list == LIST_NAME_FIRST)
        fprintf(out, "%s %ld\n", type->name, number);
    else if (list == LIST_PLAIN)
        fprintf(out, "%ld : %s\n", number, type->name);
    else
        fprintf(out, "%-5ld : %s\n", number, type->name);
}

/* Nothing of this is a type, but two lines that look like one look like a type of the list. */
static void
print_garbage(FILE *out, const struct fake_gpu *gpu)
{
    const struct fake_type *type = &gpu->types[0];

    fprintf(out,
            "\n   \t\nID\n : %s\nNVRM: GPU is busy, try again\n%ld\nx%ld : %s\n%ld.5 : %s\n"
            "-%ld : %s\n: : :\n99999999999999999999999 : %s\n%s\n",
            type->name, number_of(type), number_of(type), type->name, number_of(type), type->name,
            number_of(type), type->name, type->name, type->name);
}

/* A function that has a type could make nothing, and says so by nothing at all. */
static void
print_list(FILE *out, const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);

    if (function_of(fake, parent)->type)
        return;
    if (gpu->list == LIST_HEADER ||
        (gpu->list == LIST_PROPOSAL && fake->usage->made[parent->gpu] == 0))
        fprintf(out, "ID    : vGPU Name\n");
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (gpu->list == LIST_GARBAGE)
            print_garbage(out, gpu);
        if (fake_room(fake, parent, &gpu->types[i]))
            print_type(out, gpu->list, &gpu->types[i]);
    }
}

static ssize_t
read_creatable(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
               size_t size)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    print_list(out, fake, parent);
    fclose(out);
    /* A page at most, as from the kernel. */
    length = length > 4095 ? 4095 : length;
    length = length > size ? size : length;
    memcpy(buffer, text, length);
    free(text);
    return (ssize_t)length;
}

/* --- the other attributes --------------------------------------------------------------------- */

static ssize_t
read_current(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
             size_t size)
{
    const struct fake_function *function = function_of(fake, parent);
    const struct fake_type *types = fake_gpu_of(fake, parent)->types;

    return snprintf(buffer, size, "%ld\n",
                    function->type ? number_of(&types[function->type - 1]) : 0);
}

static ssize_t
read_placement(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
               size_t size)
{
    const struct fake_function *function = function_of(fake, parent);

    return function->type ? snprintf(buffer, size, "%u\n", function->placement) : -ENXIO;
}

static ssize_t
read_instance(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
              size_t size)
{
    const struct fake_function *function = function_of(fake, parent);

    return function->type ? snprintf(buffer, size, "%u\n", function->instance) : -ENXIO;
}

static struct path
node_of(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    struct path path;

    assert(path_format(&path, "dev/vfio/devices/%s",
                       fake_vfio_node(fake, index_of(fake, parent)).text) == 0);
    return path;
}

static uint64_t
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Whether a guest has it open. One that died is seen here first. Under the lock. */
static bool
is_open(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    struct fake_function *function = function_of(fake, parent);
    struct path path = node_of(fake, parent);
    AUTO_CLOSE int fd = openat(fake->host.root, path.text, O_RDWR | O_CLOEXEC);

    assert(fd >= 0);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return true;
    if (function->opened) {
        function->opened = false;
        function->left = now();
    }
    return false;
}

static int
write_params(const struct fake_kernel *fake, const struct fake_parent *parent, const char *text)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    struct path directory;

    if (strlen(text) > 512)
        return -E2BIG;
    if (!function_of(fake, parent)->type)
        return -ENXIO;
    if (is_open(fake, parent))
        return -EPERM;
    assert(path_format(&directory, "sys/devices/%s", parent->name) == 0);
    fake_put_params(fake, directory.text, text);
    return 0;
}

/* --- transitions ------------------------------------------------------------------------------ */

static const struct fake_type *
find_number(const struct fake_gpu *gpu, long number)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (number_of(&gpu->types[i]) == number)
            return &gpu->types[i];
    }
    return NULL;
}

static int
begin_set(const struct fake_kernel *fake, const struct fake_parent *parent, long number)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    const struct fake_type *type = find_number(gpu, number);
    struct fake_function *function = function_of(fake, parent);
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
    function->making = (unsigned)(type - gpu->types) + 1;
    fake_count_one(fake, parent, type, 1);
    return 0;
}

/* The lowest that no other function of the GPU has; what are told apart is for `ids` to say. */
static unsigned
lowest_free(const struct fake_kernel *fake, const struct fake_parent *parent, unsigned first,
            size_t offset)
{
    for (unsigned id = first;; id++) {
        bool taken = false;

        for (size_t i = 0; i < fake->machine->parent_count && !taken; i++) {
            const struct fake_function *other = &fake->usage->functions[i];

            taken = fake->machine->parents[i].gpu == parent->gpu && other->type &&
                    *(const unsigned *)((const char *)other + offset) == id;
        }
        if (!taken)
            return id;
    }
}

static int
end_set(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    struct fake_function *function = function_of(fake, parent);
    const struct fake_type *types = fake_gpu_of(fake, parent)->types;
    size_t placement = offsetof(struct fake_function, placement);
    size_t instance = offsetof(struct fake_function, instance);

    if (!function->making)
        return -EIO;
    function->placement = lowest_free(fake, parent, 0, placement);
    function->instance =
        types[function->making - 1].instances < 0 ? 0 : lowest_free(fake, parent, 1, instance);
    function->type = function->making;
    function->making = 0;
    put_current(fake, parent);
    return 0;
}

static int
set_type(const struct fake_kernel *fake, const struct fake_parent *parent, long number)
{
    int rc;

    while (*(volatile bool *)&fake->faults->unseen)
        fake_pause(1);
    rc = begin_set(fake, parent, number);
    if (rc < 0)
        return rc;
    while (*(volatile bool *)&fake->faults->stuck)
        fake_pause(1);
    fake_pause_create(fake, parent);
    return end_set(fake, parent);
}

/* Waits until what had it open has gone from it, but not for ever. */
static int
wait_left(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const volatile struct fake_function *function = function_of(fake, parent);
    uint64_t end = now() + fake->faults->patience;

    while (function->left && now() < function->left + fake->faults->exiting) {
        if (now() >= end)
            return -EBUSY;
        fake_pause(1);
    }
    return 0;
}

/* Under the lock. */
static void
forget_type(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    struct fake_function *function = function_of(fake, parent);
    unsigned type = function->type ? function->type : function->making;

    if (type)
        fake_count_one(fake, parent, &fake_gpu_of(fake, parent)->types[type - 1], -1);
    *function = (struct fake_function){.rebound = function->rebound};
}

/* 0, or why it cannot lose its type. */
static int
refuse_clear(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return !function_of(fake, parent)->type || is_open(fake, parent) ? -EPERM : 0;
}

static int
begin_clear(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);

    return refuse_clear(fake, parent);
}

static int
clear_type(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    LOCKED AUTO_CLOSE int lock = -1;
    int rc = begin_clear(fake, parent);

    if (rc == 0)
        rc = wait_left(fake, parent);
    if (rc < 0)
        return rc;
    fake_pause(fake->faults->remove_delay);
    lock = fake_lock(fake);
    rc = refuse_clear(fake, parent);
    if (rc < 0)
        return rc;
    forget_type(fake, parent);
    put_files(fake, parent);
    return 0;
}

/* As the kernel's kstrtol: a sign, digits, one line feed. */
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

static int
write_current(const struct fake_kernel *fake, const struct fake_parent *parent, const char *text)
{
    long number;
    int rc = parse_number(text, &number);

    if (rc < 0)
        return rc;
    return number ? set_type(fake, parent, number) : clear_type(fake, parent);
}

/* --- attributes ------------------------------------------------------------------------------- */

/* NULL: the file is what is read; or it cannot be written. */
static const struct attribute {
    const char *name;
    ssize_t (*read)(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
                    size_t size);
    int (*write)(const struct fake_kernel *fake, const struct fake_parent *parent,
                 const char *text);
} attributes[] = {
    {"creatable_vgpu_types", read_creatable, NULL},
    {"current_vgpu_type", read_current, write_current},
    {"gpu_instance_id", read_instance, NULL},
    {"placement_id", read_placement, NULL},
    {"vgpu_params", NULL, write_params},
};

/* Which attribute of which function a path means, whatever links it leads through. */
static const struct attribute *
find_attribute(const struct fake_kernel *fake, const char *path, const struct fake_parent **parent)
{
    const char *name = strstr(path, "/nvidia/");
    struct path directory, self, target;
    AUTO_CLOSE int fd = -1;
    ssize_t length;

    if (!name || path_format(&directory, "%.*s/nvidia", (int)(name - path), path) < 0)
        return NULL;
    fd = openat(fake->host.root, directory.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert(path_format(&self, "/proc/self/fd/%d", fd) == 0);
    length = readlink(self.text, target.text, sizeof(target.text) - 1);
    if (fd < 0 || length < (ssize_t)sizeof("/nvidia"))
        return NULL;
    target.text[length - (ssize_t)strlen("/nvidia")] = '\0';
    *parent = fake_find_parent(fake, strrchr(target.text, '/') + 1);
    for (size_t i = 0; *parent && fake_gpu_of(fake, *parent)->vf && i < COUNT(attributes); i++) {
        if (!strcmp(attributes[i].name, name + strlen("/nvidia/")))
            return &attributes[i];
    }
    return NULL;
}

static bool
read_attribute(const struct fake_kernel *fake, const char *path, char *buffer, size_t size,
               ssize_t *ret)
{
    const struct fake_parent *parent;
    const struct attribute *attribute = find_attribute(fake, path, &parent);
    LOCKED AUTO_CLOSE int lock = -1;

    if (!attribute || !attribute->read)
        return false;
    lock = fake_lock(fake);
    if (attribute->read == read_creatable && fake->faults->unreadable &&
        fake->faults->opens % fake->faults->unreadable == 0)
        *ret = -EIO;
    else
        *ret = attribute->read(fake, parent, buffer, size);
    return true;
}

static bool
write_attribute(const struct fake_kernel *fake, const char *path, const char *text, int *ret)
{
    const struct fake_parent *parent;
    const struct attribute *attribute = find_attribute(fake, path, &parent);

    if (!attribute)
        return false;
    *ret = attribute->write ? attribute->write(fake, parent, text) : -EACCES;
    return true;
}

/* --- for the tests ---------------------------------------------------------------------------- */

static int
make(const struct fake_kernel *fake, const char *name, const char *type, const char *device)
{
    const struct fake_parent *parent = fake_find_parent(fake, name);

    (void)device;
    return write_current(fake, parent,
                         type + (strncmp(type, PREFIX, strlen(PREFIX)) ? 0 : strlen(PREFIX)));
}

static int
remove_type(const struct fake_kernel *fake, const char *device)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);

    return parent ? clear_type(fake, parent) : -ENOENT;
}

static int
open_locked(int root, const struct path *path)
{
    AUTO_CLOSE int fd = openat(root, path->text, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    return flock(fd, LOCK_EX | LOCK_NB) < 0 ? -EBUSY : TAKE_FD(fd);
}

/* The group first, as QEMU does; without the device it is given back. */
static struct fake_guest
open_device(const struct fake_kernel *fake, const char *device)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);
    struct fake_guest guest = {.group = -1, .device = -ENOENT};
    LOCKED AUTO_CLOSE int lock = -1;
    AUTO_CLOSE int group = -1;
    struct path path;
    int rc;

    if (!parent)
        return guest;
    assert(path_format(&path, "dev/vfio/%s", fake_group(fake, device).text) == 0);
    group = guest.device = open_locked(fake->host.root, &path);
    rc = wait_left(fake, parent);
    lock = fake_lock(fake);
    if (group < 0 || rc < 0 || !function_of(fake, parent)->type) {
        guest.device = group < 0 ? group : rc < 0 ? rc : -ENODEV;
        return guest;
    }
    path = node_of(fake, parent);
    guest.device = open_locked(fake->host.root, &path);
    if (guest.device < 0)
        return guest;
    guest.group = TAKE_FD(group);
    guest.function = function_of(fake, parent);
    guest.function->opened = true;
    return guest;
}

void
fake_close(struct fake_guest *guest)
{
    if (guest->function) {
        guest->function->left = now();
        guest->function->opened = false;
    }
    close(guest->device);
    close(guest->group);
}

static void
type_of(const struct fake_kernel *fake, const char *device, char *type, size_t size)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);
    unsigned set = parent ? function_of(fake, parent)->type : 0;

    snprintf(type, size, "%s", set ? fake_gpu_of(fake, parent)->types[set - 1].id : "");
}

static size_t
count_types(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return function_of(fake, parent)->type != 0;
}

static void
settle(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    char text[4097];
    ssize_t length = read_creatable(fake, parent, text, sizeof(text) - 1);

    text[length] = '\0';
    fake_put(fake->host.root, text, "sys/devices/%s/nvidia/creatable_vgpu_types", parent->name);
}

/* Taken from its driver, it loses its type, and that is not what makes it as new. */
static void
bind_to(const struct fake_kernel *fake, const struct fake_parent *parent, const char *driver)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    bool ours = !strcmp(driver, "nvidia");

    function_of(fake, parent)->rebound = true;
    forget_type(fake, parent);
    fake_put_driver(fake, parent->name, driver);
    for (size_t i = 0; i < COUNT(file_names); i++)
        fake_drop(fake->host.root, 0, "sys/devices/%s/nvidia/%s", parent->name, file_names[i]);
    fake_drop(fake->host.root, AT_REMOVEDIR, "sys/devices/%s/nvidia", parent->name);
    if (ours)
        put_files(fake, parent);
}

void
fake_bind(const struct fake_kernel *fake, const char *address, const char *driver)
{
    const struct fake_parent *parent = fake_find_parent(fake, address);

    assert(parent && fake_gpu_of(fake, parent)->vf);
    bind_to(fake, parent, driver);
}

static void
vanish(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    bind_to(fake, parent, "");
}

void
fake_instances(const struct fake_kernel *fake, const char *gpu, const char *type, unsigned count)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);

    for (size_t i = 0; i < fake->machine->gpu_count; i++) {
        const struct fake_gpu *known = &fake->machine->gpus[i];
        const struct fake_type *kind = fake_find_type(known, type);

        if (strcmp(known->name, gpu))
            continue;
        assert(kind && kind->instances >= 0);
        fake->usage->free_instances[i][kind - known->types] = count;
        return;
    }
    assert(!"a GPU of that name");
}

const struct fake_family fake_vf = {
    .put_parent = put_parent,
    .read = read_attribute,
    .write = write_attribute,
    .make = make,
    .remove = remove_type,
    .open = open_device,
    .type_of = type_of,
    .count = count_types,
    .settle = settle,
    .vanish = vanish,
};
