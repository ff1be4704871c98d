/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A request that passes request_read and request_check has all facts about each device. */

#include "domain/request-parser.h"
#include "domain/request.h"
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>

static void
must_be_a_message(const char *text)
{
    MUST(*text);
    for (; *text; text++)
        MUST((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void
must_be_a_uuid(const struct name *uuid)
{
    struct name again;

    MUST(name_parse_uuid(&again, uuid->text) == 0 && name_equal(&again, uuid));
}

/* Checks the facts that hold for every request, even a wrong one. */
static void
must_be_sound(const struct request *request)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        size_t device = request->hostdevs[i].device;

        MUST(device == SIZE_MAX || device < request->device_count);
    }
    if (*request->domain.text)
        must_be_a_uuid(&request->domain);
    if (*request->fault.text)
        must_be_a_message(request->fault.text);
    MUST(request_concerns_us(request) || !request->device_count);
}

/* If the request is not for this PCI device, its address may be missing. */
static void
must_be_a_source(const struct request_hostdev *hostdev)
{
    struct name ignored;

    if (hostdev->kind == REQUEST_MDEV)
        must_be_a_uuid(&hostdev->source);
    else if (hostdev->device != SIZE_MAX || *hostdev->source.text)
        MUST(name_parse_pci(&ignored, hostdev->source.text) == 0);
}

static void
must_be_clear(const struct request *request)
{
    for (size_t i = 0; i < request->hostdev_count; i++)
        must_be_a_source(&request->hostdevs[i]);
    for (size_t i = 0; i < request->device_count; i++) {
        const struct request_device *device = &request->devices[i];
        char *const *said = device->attributes.said;
        unsigned hostdevs = 0;

        MUST(!said[ATTRIBUTE_TYPE] != !said[ATTRIBUTE_CLASS]);
        MUST(!(device->alias && device->uuid));
        for (size_t k = 0; k < request->hostdev_count; k++)
            hostdevs += request->hostdevs[k].device == i;
        MUST(hostdevs == 1);
        for (size_t k = 0; k < device->param_count; k++)
            MUST(device->params[k].name && device->params[k].value);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_CLOSE int fd = memfd_create("fuzz-request", MFD_CLOEXEC);
    AUTO(document_clear) struct document document = {0};
    AUTO(request_clear) struct request request = {0};
    struct error error = {0};
    int rc;

    MUST(write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    rc = document_read(&(const struct host){.ops = &host_kernel}, fd, &document, &error);
    if (rc == 0)
        rc = request_parse(&document, &request, &error);
    must_be_sound(&request);
    if (rc < 0) {
        must_be_a_message(error.text);
        return 0;
    }
    MUST(request.name && *request.domain.text);
    if (request_check(&request, &error) < 0)
        must_be_a_message(error.text);
    else
        must_be_clear(&request);
    return 0;
}
