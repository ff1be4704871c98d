/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/fake-parts.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

int
fake_lock(const struct fake_kernel *fake)
{
    int fd = openat(fake->host.root, "lock", O_RDONLY | O_CREAT | O_CLOEXEC, 0644);

    assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    return fd;
}

struct host
fake_plain(const struct fake_kernel *fake)
{
    return (struct host){.root = fake->host.root, .ops = &host_kernel};
}

#define FORMAT_PATH(path, format)                                                                  \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        assert(vsnprintf((path).text, sizeof((path).text), format, args) <                         \
               (int)sizeof((path).text));                                                          \
        va_end(args);                                                                              \
    } while (0)

void
fake_put(int root, const char *text, const char *format, ...)
{
    struct path path;
    int fd;

    FORMAT_PATH(path, format);
    for (char *slash = strchr(path.text, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert(mkdirat(root, path.text, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    if (!text)
        return;
    fd = openat(root, path.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert(fd >= 0);
    assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

void
fake_put_link(int root, const char *target, const char *format, ...)
{
    struct path path;

    FORMAT_PATH(path, format);
    assert(symlinkat(target, root, path.text) == 0);
}

void
fake_drop(int root, int flags, const char *format, ...)
{
    struct path path;

    FORMAT_PATH(path, format);
    unlinkat(root, path.text, flags);
}

/* The last part of the tree's name, which differs from that of all other trees. */
static const char *
xml_tree_mark(const struct fake_kernel *fake)
{
    return fake->path + strlen(fake->path) - 6;
}

struct name
fake_group(const struct fake_kernel *fake, const char *device)
{
    size_t length = strlen(device);
    struct name group = {0};

    snprintf(group.text, sizeof(group.text), "%.16s-%.6s",
             device + (length == 36 ? length - 12 : 0), xml_tree_mark(fake));
    return group;
}

void
fake_put_device(const struct fake_kernel *fake, const char *node, const char *directory)
{
    struct stat status;
    char number[32];

    fake_put(fake->host.root, "", "%s", node);
    assert(fstatat(fake->host.root, node, &status, 0) == 0);
    snprintf(number, sizeof(number), "240:%u\n", (unsigned)(status.st_ino % 1000000));
    fake_put(fake->host.root, number, "%s", node);
    fake_put(fake->host.root, number, "%s/dev", directory);
}

void
fake_drop_device(const struct fake_kernel *fake, const char *node, const char *directory)
{
    fake_drop(fake->host.root, 0, "%s", node);
    fake_drop(fake->host.root, 0, "%s/dev", directory);
    fake_drop(fake->host.root, AT_REMOVEDIR, "%s", directory);
}

/* The two places of a group: its node and its directory. */
struct group {
    struct path node, directory;
};

static struct group
group_of(const struct fake_kernel *fake, const char *device)
{
    struct name name = fake_group(fake, device);
    struct group group;

    assert(path_format(&group.node, "dev/vfio/%s", name.text) == 0);
    assert(path_format(&group.directory, "sys/class/vfio/%s", name.text) == 0);
    return group;
}

void
fake_drop_group(const struct fake_kernel *fake, const char *device)
{
    const struct group group = group_of(fake, device);

    fake_drop_device(fake, group.node.text, group.directory.text);
}

void
fake_put_group(const struct fake_kernel *fake, const char *directory, const char *device)
{
    const struct group group = group_of(fake, device);
    char target[256];

    snprintf(target, sizeof(target), "../../../kernel/iommu_groups/%s",
             fake_group(fake, device).text);
    fake_put_link(fake->host.root, target, "%s/iommu_group", directory);
    fake_put_device(fake, group.node.text, group.directory.text);
}

void
fake_put_driver(const struct fake_kernel *fake, const char *address, const char *driver)
{
    char target[256];

    fake_drop(fake->host.root, 0, "sys/devices/%s/driver", address);
    if (!*driver)
        return;
    fake_put(fake->host.root, NULL, "sys/bus/pci/drivers/%s/", driver);
    snprintf(target, sizeof(target), "../../bus/pci/drivers/%s", driver);
    fake_put_link(fake->host.root, target, "sys/devices/%s/driver", address);
}

static void
put_function(const struct fake_kernel *fake, const struct fake_pci *pci)
{
    struct host plain = fake_plain(fake);
    char target[128];
    unsigned number = 0;

    snprintf(target, sizeof(target), "../%s", pci->physfn);
    fake_put_link(fake->host.root, target, "sys/devices/%s/physfn", pci->address);
    if (!host_exists(&plain, "sys/devices/%s", pci->physfn))
        return;
    while (host_exists(&plain, "sys/devices/%s/virtfn%u", pci->physfn, number))
        number++;
    snprintf(target, sizeof(target), "../%s", pci->address);
    fake_put_link(fake->host.root, target, "sys/devices/%s/virtfn%u", pci->physfn, number);
}

void
fake_put_pci(const struct fake_kernel *fake, const struct fake_pci *pci)
{
    int root = fake->host.root;
    char text[128];

    snprintf(text, sizeof(text), "0x%s\n", pci->vendor);
    fake_put(root, text, "sys/devices/%s/vendor", pci->address);
    snprintf(text, sizeof(text), "0x%s\n", pci->device);
    fake_put(root, text, "sys/devices/%s/device", pci->address);
    /* Here each board is from the maker of its chip. */
    snprintf(text, sizeof(text), "0x%s\n", pci->vendor);
    fake_put(root, text, "sys/devices/%s/subsystem_vendor", pci->address);
    snprintf(text, sizeof(text), "0x%s\n", pci->subsystem);
    fake_put(root, text, "sys/devices/%s/subsystem_device", pci->address);
    snprintf(text, sizeof(text), "%d\n", pci->numa);
    fake_put(root, text, "sys/devices/%s/numa_node", pci->address);
    if (*pci->class) {
        snprintf(text, sizeof(text), "%s\n", pci->class);
        fake_put(root, text, "sys/devices/%s/class", pci->address);
    }
    fake_put_driver(fake, pci->address, pci->driver);
    snprintf(text, sizeof(text), "../../../devices/%s", pci->address);
    fake_put_link(root, text, "sys/bus/pci/devices/%s", pci->address);
    if (*pci->physfn)
        put_function(fake, pci);
}

/* The format is that of kernel-open/nvidia/nv-procfs.c and nv-caps.c. "mig" exists in every mode.
 * unbindLock exists if the driver is that of a host with vGPUs. */
void
fake_put_proc(const struct fake_kernel *fake, const struct fake_pci *pci, size_t minor,
              unsigned parts)
{
    int root = fake->host.root;
    char text[512];

    snprintf(text, sizeof(text),
             "Model: \t\t NVIDIA\nIRQ:   \t\t 64\nVideo BIOS: \t 98.02.55.00.02\n"
             "Bus Type: \t PCIe\nBus Location: \t %s\nDevice Minor: \t %zu\n"
             "GPU Firmware: \t N/A\nGPU Excluded:\t No\n",
             pci->address, minor);
    fake_put(root, text, "proc/driver/nvidia/gpus/%s/information", pci->address);
    fake_put(root, "0\n", "proc/driver/nvidia/gpus/%s/unbindLock", pci->address);
    fake_put(root, NULL, "proc/driver/nvidia/capabilities/gpu%zu/mig/", minor);
    for (unsigned i = 0; i < parts; i++)
        fake_put(root, "DeviceFileMinor: 21\nDeviceFileMode: 292\nDeviceFileModify: 1\n",
                 "proc/driver/nvidia/capabilities/gpu%zu/mig/gi%u/access", minor, i + 7);
}

/* The numbers have a range of their own, as those of groups do. */
struct name
fake_vfio_node(const struct fake_kernel *fake, size_t index)
{
    struct name node = {0};
    unsigned range = 0;

    for (const char *c = xml_tree_mark(fake); *c; c++)
        range = (range * 62 + (unsigned char)*c) % 99991;
    snprintf(node.text, sizeof(node.text), "vfio%u%04zu", range, index);
    return node;
}

void
fake_put_node(const struct fake_kernel *fake, const char *address, size_t index, bool bound)
{
    struct name name = fake_vfio_node(fake, index);
    struct path node, directory;

    assert(path_format(&node, "dev/vfio/devices/%s", name.text) == 0);
    assert(path_format(&directory, "sys/devices/%s/vfio-dev/%s", address, name.text) == 0);
    fake_put(fake->host.root, "", "opened/%s", name.text);
    if (bound) {
        fake_put_device(fake, node.text, directory.text);
        return;
    }
    fake_drop_device(fake, node.text, directory.text);
    fake_drop(fake->host.root, AT_REMOVEDIR, "sys/devices/%s/vfio-dev", address);
}

void
fake_put_vfio(const struct fake_kernel *fake, const char *address, size_t index)
{
    struct path directory;

    assert(path_format(&directory, "sys/devices/%s", address) == 0);
    fake_put_group(fake, directory.text, address);
    fake_put_node(fake, address, index, true);
}
