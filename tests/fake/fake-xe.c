/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Intel's xe driver: sriov_admin of a card, and the numbers of its functions. The numbers are in
 * shared memory, so that a killed process leaves no half-written number. A function with memory has
 * the type of that size. When functions are enabled they get equal shares of the memory, unless one
 * of them has memory already (xe_gt_sriov_pf_config.c). When they are disabled they lose all
 * numbers. The functions of a description begin without shares.
 */

#include "fake/fake-parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define STEP (2u << 20) /* in bytes: the driver gives out memory in these units */

static const char *const files[FAKE_NUMBERS] = {"vram_quota", "exec_quantum_ms",
                                                "preempt_timeout_us"};

static uint64_t *
numbers_of(const struct fake_kernel *fake, const struct fake_parent *function)
{
    return fake->usage->profiles[function - fake->machine->parents];
}

uint64_t *
fake_profile(const struct fake_kernel *fake, const char *address)
{
    const struct fake_parent *function = fake_find_parent(fake, address);

    assert(function);
    return numbers_of(fake, function);
}

/* The greatest numbers that the driver keeps. It reduces a greater number to these
 * (GUC_KLV_VF_CFG_*_MAX_VALUE). */
static const uint64_t most[FAKE_NUMBERS] = {UINT64_MAX, 100000, 100000000};

/* The n-th function of a card, from 1 on. NULL: the card has fewer functions. */
static const struct fake_parent *
function_of(const struct fake_kernel *fake, const char *card, unsigned number)
{
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        const struct fake_parent *parent = &fake->machine->parents[i];

        if (!strcmp(fake_gpu_of(fake, parent)->name, card) && --number == 0)
            return parent;
    }
    return NULL;
}

/* Finds the function that a path means, and which of its numbers. NULL: none. */
static const struct fake_parent *
find_number(const struct fake_kernel *fake, const char *path, size_t *number)
{
    const char *admin = strstr(path, "/sriov_admin/vf"), *name = strstr(path, "/profile/");
    const struct fake_parent *function;
    char card[16];
    unsigned index;

    if (!admin || !name || admin - path < 12 ||
        sscanf(admin, "/sriov_admin/vf%u/profile/", &index) != 1)
        return NULL;
    snprintf(card, sizeof(card), "%.12s", admin - 12);
    function = function_of(fake, card, index);
    for (*number = 0; function && *number < FAKE_NUMBERS; ++*number) {
        if (!strcmp(files[*number], name + strlen("/profile/")))
            return faccessat(fake->host.root, path, F_OK, 0) < 0 ? NULL : function;
    }
    return NULL;
}

static bool
read_number(const struct fake_kernel *fake, const char *path, char *buffer, size_t size,
            ssize_t *ret)
{
    size_t number;
    const struct fake_parent *function = find_number(fake, path, &number);
    const struct fake_faults *faults = fake->faults;
    LOCKED AUTO_CLOSE int lock = -1;

    if (!function)
        return false;
    lock = fake_lock(fake);
    if (faults->uneven || (faults->unreadable && faults->opens % faults->unreadable == 0))
        *ret = -EUCLEAN;
    else
        *ret = snprintf(buffer, size, "%" PRIu64 "\n", numbers_of(fake, function)[number]);
    return true;
}

/* If the memory does not suffice, the function has no memory afterwards. */
static int
set_memory(const struct fake_kernel *fake, const struct fake_parent *function, uint64_t bytes)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, function);
    uint64_t sum = bytes = (bytes + STEP - 1) / STEP * STEP;

    if (fake->faults->refuse) {
        fake->faults->refuse--;
        return -EIO;
    }
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        const struct fake_parent *other = &fake->machine->parents[i];

        if (other != function && other->gpu == function->gpu)
            sum += numbers_of(fake, other)[0];
    }
    numbers_of(fake, function)[0] = sum > (uint64_t)gpu->memory << 20 ? 0 : bytes;
    return sum > (uint64_t)gpu->memory << 20 ? -ENOMEM : 0;
}

static bool
write_number(const struct fake_kernel *fake, const char *path, const char *text, int *ret)
{
    size_t number;
    const struct fake_parent *function = find_number(fake, path, &number);
    LOCKED AUTO_CLOSE int lock = -1;
    uint64_t value;

    if (!function)
        return false;
    lock = fake_lock(fake);
    *ret = number == 0 && fake_gpu_of(fake, function)->fixed ? -EACCES
           : host_parse_number(text, &value) < 0             ? -EINVAL
           : number > 0 && value > UINT32_MAX                ? -ERANGE
                                                             : 0;
    if (*ret == 0 && number == 0)
        *ret = set_memory(fake, function, value);
    else if (*ret == 0)
        numbers_of(fake, function)[number] = value < most[number] ? value : most[number];
    return true;
}

static void
put_parent(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    unsigned number = 1;
    struct path file;
    char target[96];

    while (function_of(fake, gpu->name, number) != parent)
        number++;
    fake_put_vfio(fake, parent->name, (size_t)(parent - fake->machine->parents));
    fake_put_driver(fake, parent->name, "vfio-pci");
    fake_put(fake->host.root, NULL, "sys/devices/%s/sriov_admin/vf%u/profile/", gpu->name, number);
    for (size_t k = gpu->memory ? 0 : 1; k < (gpu->timeless ? 1 : FAKE_NUMBERS); k++) {
        assert(path_format(&file, "sys/devices/%s/sriov_admin/vf%u/profile/%s", gpu->name, number,
                           files[k]) == 0);
        fake_put(fake->host.root, "", "%s", file.text);
        if (k == 0 && gpu->fixed)
            assert(fchmodat(fake->host.root, file.text, 0444, 0) == 0);
    }
    snprintf(target, sizeof(target), "../../../%s", parent->name);
    fake_put_link(fake->host.root, target, "sys/devices/%s/sriov_admin/vf%u/device", gpu->name,
                  number);
}

static uint64_t
round_down(uint64_t value, uint64_t step)
{
    return value / step * step;
}

static uint64_t
power_below(uint64_t value)
{
    uint64_t power = 1;

    while (power * 2 <= value)
        power *= 2;
    return power;
}

/* The share of each function. The first rule of the driver is a power of 2, the second an equal
 * part. By the third rule the card itself has a part like a function, and the parts of the whole
 * GiB are rounded down to a power of 2. If the card only serves its functions, neither is so. No
 * share is more than an equal part. */
uint64_t
fake_xe_share(const struct fake_gpu *gpu, unsigned count)
{
    uint64_t bytes = (uint64_t)gpu->memory << 20, whole = round_down(bytes, 1ull << 30);
    uint64_t equal = round_down(bytes / count, STEP), share = equal;

    if (gpu->shares == 1)
        share = power_below(equal);
    else if (gpu->shares != 2)
        share = gpu->admin ? round_down(whole / count, STEP) : power_below(whole / (count + 1));
    return share < equal ? share : equal;
}

void
fake_xe_enable(const struct fake_kernel *fake, const struct fake_gpu *gpu, unsigned count)
{
    LOCKED AUTO_CLOSE int lock = fake_lock(fake);
    const struct fake_parent *function;
    bool has_some = gpu->memory == 0 || gpu->fixed;
    char target[96];

    for (unsigned i = 1; i <= count; i++)
        has_some |= numbers_of(fake, function_of(fake, gpu->name, i))[0] > 0;
    for (unsigned i = 1; (function = function_of(fake, gpu->name, i)); i++) {
        fake_drop(fake->host.root, 0, "sys/devices/%s/sriov_admin/vf%u/device", gpu->name, i);
        snprintf(target, sizeof(target), "../../../%s", function->name);
        if (i <= count)
            fake_put_link(fake->host.root, target, "sys/devices/%s/sriov_admin/vf%u/device",
                          gpu->name, i);
        if (count == 0)
            memset(numbers_of(fake, function), 0, sizeof(*fake->usage->profiles));
        else if (!has_some && i <= count)
            numbers_of(fake, function)[0] = fake_xe_share(gpu, count);
    }
}

/* Nobody but our program can make such a vGPU. If others write memory, this does not count as a
 * vGPU. */
static int
make(const struct fake_kernel *fake, const char *parent, const char *type, const char *device)
{
    (void)fake, (void)parent, (void)type, (void)device;
    return -EOPNOTSUPP;
}

/* Opens what QEMU opens: the group, which only one process can have, and the device. */
static int
open_alone(const struct fake_kernel *fake, const char *directory, const char *name)
{
    AUTO_CLOSE int fd = -1;
    struct path path;

    assert(path_format(&path, "%s/%s", directory, name) == 0);
    fd = openat(fake->host.root, path.text, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return flock(fd, LOCK_EX | LOCK_NB) < 0 ? -EBUSY : TAKE_FD(fd);
}

static struct fake_guest
open_function(const struct fake_kernel *fake, const char *device)
{
    size_t index = (size_t)(fake_find_parent(fake, device) - fake->machine->parents);
    struct fake_guest guest = {.group = -1};
    AUTO_CLOSE int group = open_alone(fake, "dev/vfio", fake_group(fake, device).text);

    guest.device = group < 0 ? group : open_alone(fake, "opened", fake_vfio_node(fake, index).text);
    if (guest.device >= 0)
        guest.group = TAKE_FD(group);
    return guest;
}

static void
type_of(const struct fake_kernel *fake, const char *device, char *type, size_t size)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);

    *type = '\0';
    for (size_t i = 0; i < gpu->type_count; i++) {
        if ((uint64_t)gpu->types[i].framebuffer << 20 == numbers_of(fake, parent)[0])
            snprintf(type, size, "%s", gpu->types[i].id);
    }
}

static size_t
count(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return numbers_of(fake, parent)[0] > 0;
}

/* The driver answers each read itself. So no file needs the answer. */
static void
settle(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    (void)fake, (void)parent;
}

/* Disables the card's functions. */
static void
vanish(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    unsigned number = 1;

    while (function_of(fake, fake_gpu_of(fake, parent)->name, number) != parent)
        number++;
    fake_drop(fake->host.root, 0, "sys/bus/pci/devices/%s", parent->name);
    fake_drop(fake->host.root, 0, "sys/devices/%s/sriov_admin/vf%u/device",
              fake_gpu_of(fake, parent)->name, number);
    memset(numbers_of(fake, parent), 0, sizeof(*fake->usage->profiles));
}

const struct fake_family fake_xe = {
    .put_parent = put_parent,
    .read = read_number,
    .write = write_number,
    .make = make,
    .open = open_function,
    .type_of = type_of,
    .count = count,
    .settle = settle,
    .vanish = vanish,
};
