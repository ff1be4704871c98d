/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The kernel's sriov_numvfs and sriov_drivers_autoprobe of a GPU. They decide which of its virtual
 * functions are on the PCI bus (drivers/pci/iov.c). Other files make vGPUs of these functions.
 */

#include "fake/fake-parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NUMBER  "sriov_numvfs"
#define PROBES  "sriov_drivers_autoprobe"
#define DEVICES "sys/bus/pci/devices/"

static const struct fake_gpu *
find_gpu(const struct fake_kernel *fake, const char *name)
{
    for (size_t i = 0; i < fake->machine->gpu_count; i++) {
        if (fake->machine->gpus[i].vfs && !strcmp(fake->machine->gpus[i].name, name))
            return &fake->machine->gpus[i];
    }
    return NULL;
}

static unsigned
read_number(const struct fake_kernel *fake, const char *gpu, const char *attribute)
{
    struct host plain = fake_plain(fake);
    uint64_t number;

    assert(host_read_number(&plain, &number, "sys/devices/%s/%s", gpu, attribute) == 0);
    return (unsigned)number;
}

/* Takes a function from the bus, or puts it back. Everything but its driver stays as it was. */
static void
turn(const struct fake_kernel *fake, const struct fake_gpu *gpu, const char *function,
     unsigned index, bool on)
{
    int root = fake->host.root;
    char target[96];

    fake_drop(root, 0, DEVICES "%s", function);
    fake_drop(root, 0, "sys/devices/%s/virtfn%u", gpu->name, index);
    if (!on)
        return;
    snprintf(target, sizeof(target), "../../../devices/%s", function);
    fake_put_link(root, target, DEVICES "%s", function);
    snprintf(target, sizeof(target), "../%s", function);
    fake_put_link(root, target, "sys/devices/%s/virtfn%u", gpu->name, index);
    fake_put_driver(fake, function, read_number(fake, gpu->name, PROBES) ? gpu->driver : "");
}

unsigned
fake_enabled(const struct fake_kernel *fake, const char *gpu)
{
    return read_number(fake, gpu, NUMBER);
}

int
fake_enable(const struct fake_kernel *fake, const char *name, unsigned count)
{
    const struct fake_gpu *gpu = find_gpu(fake, name);
    unsigned index = 0, enabled = gpu ? fake_enabled(fake, name) : 0;
    char text[16];

    if (!gpu || count > gpu->vfs)
        return gpu ? -ERANGE : -ENOENT;
    if (count == enabled || (count && enabled))
        return count == enabled ? 0 : -EBUSY;
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        if (fake_gpu_of(fake, &fake->machine->parents[i]) != gpu)
            continue;
        turn(fake, gpu, fake->machine->parents[i].name, index, index < count);
        index++;
    }
    if (gpu->xe)
        fake_xe_enable(fake, gpu, count);
    snprintf(text, sizeof(text), "%u\n", count);
    fake_put(fake->host.root, text, "sys/devices/%s/" NUMBER, name);
    return 0;
}

/* The name of the device that has this attribute. False: the path is neither of the two
 * attributes. */
static bool
find_device(const char *path, const char *attribute, char name[64])
{
    size_t length = strlen(path), end = strlen(attribute) + 1;

    if (strncmp(path, DEVICES, strlen(DEVICES)) || length <= strlen(DEVICES) + end ||
        path[length - end] != '/' || strcmp(path + length - end + 1, attribute))
        return false;
    snprintf(name, 64, "%.*s", (int)(length - end - strlen(DEVICES)), path + strlen(DEVICES));
    return true;
}

static bool
write_attribute(const struct fake_kernel *fake, const char *path, const char *text, int *ret)
{
    uint64_t number;
    char name[64];

    if (host_parse_number(text, &number) < 0)
        return false;
    if (find_device(path, NUMBER, name)) {
        *ret = fake_enable(fake, name, (unsigned)number);
        return true;
    }
    if (!find_device(path, PROBES, name))
        return false;
    fake_put(fake->host.root, number ? "1\n" : "0\n", "sys/devices/%s/" PROBES, name);
    *ret = 0;
    return true;
}

/* The attributes are read from their files. */
static bool
read_attribute(const struct fake_kernel *fake, const char *path, char *buffer, size_t size,
               ssize_t *ret)
{
    (void)fake, (void)path, (void)buffer, (void)size, (void)ret;
    return false;
}

const struct fake_family fake_sriov = {.read = read_attribute, .write = write_attribute};

/* Opens a PCI device. Its group can have only one user. */
bool
fake_open_bare(const struct fake_kernel *fake, const char *device, struct fake_guest *ret)
{
    int fd = -1;

    if (!ARRAY_HAS(fake->machine->pcis, fake->machine->pci_count, pci,
                   !strcmp(pci->address, device) && !strcmp(pci->driver, "vfio-pci")))
        return false;
    fd = fake_open_group(fake, device);
    *ret = (struct fake_guest){.group = -1, .device = fd < 0 ? -errno : fd};
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        close(fd);
        ret->device = -EBUSY;
    }
    return true;
}
