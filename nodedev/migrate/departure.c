/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/departure.h"
#include "base/memory.h"
#include "device/nvidia.h"

#include <stdio.h>
#include <string.h>

#define DEBUGFS "sys/kernel/debug/vfio"

static void
read_features(struct departing_device *device, const struct host *host)
{
    const char *name = device->name.text;

    device->has_features = host_read(host, device->features, sizeof(device->features),
                                     DEBUGFS "/%s/migration/features", name) >= 0;
    device->has_state = host_exists(host, DEBUGFS "/%s/migration/state", name);
    device->is_listed = host_exists(host, DEBUGFS "/%s", name);
}

static void
read_params(struct departing_device *device, const struct host *host, const struct demand *demand)
{
    char asked[VGPU_PARAMS];
    ssize_t length = 0;
    struct vgpu vgpu;
    struct name gpu;

    if (device->is_running) {
        length = vgpu_find(host, &device->name, &vgpu, &gpu);
        if (length == 0)
            length = nvidia_read_params(host, &vgpu, device->params, VGPU_PARAMS);
    }
    device->params_error = length < 0 ? (int)length : 0;
    length = length < 0 ? 0 : length;
    demand_params(demand, asked, sizeof(asked));
    snprintf(device->params + length, sizeof(device->params) - (size_t)length, " %s", asked);
}

void
departure_take(struct departure *ret, const struct host *host, const struct migrating_guest *guest)
{
    const struct demands *demands = &guest->demands;

    *ret = (struct departure){.devices = memory_zeroed(demands->count, sizeof(*ret->devices))};
    if (host_read(host, ret->kernel, sizeof(ret->kernel), "proc/sys/kernel/osrelease") < 0)
        *ret->kernel = '\0';
    if (nvidia_read_version(host, ret->manager, sizeof(ret->manager)) < 0)
        *ret->manager = '\0';
    for (; ret->count < demands->count; ret->count++) {
        const struct demand *demand = &demands->items[ret->count];
        struct departing_device *device = &ret->devices[ret->count];

        device->name = demand->hostdev->source;
        device->is_running = guest->domain->is_running;
        device->is_one_of_several = guest->request->hostdev_count > 1;
        if (device->is_running)
            read_features(device, host);
        read_params(device, host, demand);
    }
}

void
departure_clear(struct departure *departure)
{
    free(departure->devices);
    *departure = (struct departure){0};
}

/* Whether the device has a feature. The features have a line each. */
static bool
has_feature(const struct departing_device *device, const char *word)
{
    size_t length = strlen(word);
    const char *line = device->features;

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strcspn(line, "\n") == length && !strncmp(line, word, length))
            return true;
    }
    return false;
}

enum migrate_answer
departing_device_judge_features(const struct departing_device *device, char *text, size_t size)
{
    if (!device->is_running || !device->is_listed) {
        snprintf(text, size, "whether its driver here migrates it is not known: %s%s%s",
                 device->is_running ? "there is no /" DEBUGFS "/" : "its guest does not run",
                 device->is_running ? device->name.text : "", device->is_running ? " to read" : "");
        return MIGRATE_UNKNOWN;
    }
    if (device->has_features ? !has_feature(device, "stop-copy") : !device->has_state) {
        snprintf(text, size, "its driver here does not migrate it, says /" DEBUGFS "/%s",
                 device->name.text);
        return MIGRATE_NO;
    }
    if (device->has_features && device->is_one_of_several && !has_feature(device, "p2p")) {
        snprintf(text, size,
                 "its driver here does not have p2p, which QEMU wants of each of several devices");
        return MIGRATE_NO;
    }
    snprintf(text, size, "its driver here migrates it");
    return MIGRATE_YES;
}

enum migrate_answer
departing_device_judge_params(const struct departing_device *device, char *text, size_t size)
{
    const char *name = nvidia_find_immovable(device->params);

    if (name) {
        snprintf(text, size,
                 "it has the parameter %s, and NVIDIA's driver migrates no vGPU with unified "
                 "memory, debuggers or profilers",
                 name);
        return MIGRATE_NO;
    }
    if (device->params_error) {
        snprintf(text, size, "which parameters it has is not known (%s)",
                 strerror(-device->params_error));
        return MIGRATE_UNKNOWN;
    }
    snprintf(text, size, "it has no parameter for unified memory, debuggers or profilers");
    return MIGRATE_YES;
}
