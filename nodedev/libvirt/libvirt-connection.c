/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/libvirt-library.h"

#include <string.h>

/* Without this function libvirt prints its errors. */
static void
say_nothing(void *data, virErrorPtr error)
{
    (void)data;
    (void)error;
}

static int
open_libvirt(const char *uri, enum connection_mode mode, virConnectPtr *ret, struct error *error)
{
    virSetErrorFunc(NULL, say_nothing);
    if (virInitialize() == 0)
        *ret = mode == CONNECTION_READ ? virConnectOpenReadOnly(uri) : virConnectOpen(uri);
    return *ret ? 0 : libvirt_fail(error, -ENOTCONN, "cannot connect to %s", uri);
}

static void
close_libvirt(virConnectPtr libvirt)
{
    virConnectClose(libvirt);
}

static unsigned
version_of(virConnectPtr libvirt)
{
    const char *type = virConnectGetType(libvirt);
    unsigned long version = 0;

    if (!type || strcmp(type, "QEMU") || virConnectGetLibVersion(libvirt, &version) < 0)
        return 0;
    return (unsigned)version;
}

const struct connection_calls connection_calls __attribute__((visibility("default"))) = {
    .version = VGPU_VERSION,
    .size = CONNECTION_CALLS_SIZE,
    .open = open_libvirt,
    .close = close_libvirt,
    .version_of = version_of,
    .each_domain = libvirt_host_each_domain,
    .tell = libvirt_host_tell,
    .find = libvirt_domain_find,
    .define = libvirt_domain_define,
    .xml = libvirt_domain_xml,
    .start = libvirt_domain_start,
    .shut_down = libvirt_domain_shut_down,
    .attach = libvirt_domain_attach,
    .detach = libvirt_domain_detach,
    .set_annotation = libvirt_domain_set_annotation,
    .migrate = libvirt_job_migrate,
    .save = libvirt_job_save,
    .progress = libvirt_job_progress,
    .abort = libvirt_job_abort,
};
