/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/daemon-process.h"

#include <string.h>

struct process
daemon_process_find(const struct host *host, char *name, size_t size)
{
    static const char *const files[] = {"run/virtqemud.pid", "run/libvirtd.pid",
                                        "run/libvirt/virtqemud.pid", "run/libvirt/libvirtd.pid"};
    struct process process = {0};

    for (size_t i = 0; i < COUNT(files); i++) {
        uint64_t pid;

        if (host_read_number(host, &pid, "%s", files[i]) == 0 && pid < INT32_MAX &&
            host_read(host, name, size, "proc/%d/comm", (int)pid) > 0 &&
            (!strcmp(name, "virtqemud") || !strcmp(name, "libvirtd")) &&
            process_find(host, (int)pid, &process) == 0)
            return process;
    }
    return (struct process){0};
}
