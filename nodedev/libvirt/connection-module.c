/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/connection-module.h"

#include <dlfcn.h>
#include <string.h>

static int
refuse(const char *path, const struct connection_calls *calls, struct error *error)
{
    if (calls && strcmp(calls->version, VGPU_VERSION))
        return error_set(
            error, -ENOTCONN,
            "cannot ask libvirt: %s is of version %s, and this is version " VGPU_VERSION
            "; install libvirt-vgpu again",
            path, calls->version);
    return error_set(error, -ENOTCONN,
                     "cannot ask libvirt: %s was not built together with this program; install "
                     "libvirt-vgpu again",
                     path);
}

int
connection_module_load(const char *path, const struct connection_calls **ret, struct error *error)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!module)
        return error_set(
            error, -ENOTCONN,
            "cannot ask libvirt: %s; install libvirt-vgpu again, and libvirt's library", dlerror());
    *ret = dlsym(module, "connection_calls");
    return *ret && !strcmp((*ret)->version, VGPU_VERSION) && (*ret)->size == CONNECTION_CALLS_SIZE
               ? 0
               : refuse(path, *ret, error);
}
