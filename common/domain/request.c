/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/request.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

bool
request_concerns_us(const struct request *request)
{
    if (request->device_count || *request->fault.text)
        return true;
    return ARRAY_HAS(request->hostdevs, request->hostdev_count, hostdev, hostdev->is_gpu);
}

int
request_check(const struct request *request, struct error *error)
{
    if (!*request->fault.text)
        return 0;
    return error_set(error, -EINVAL, "%s", request->fault.text);
}

const struct request_hostdev *
request_find_hostdev(const struct request *request, const struct name *device)
{
    return ARRAY_FIND(request->hostdevs, request->hostdev_count, hostdev,
                      name_equal(&hostdev->source, device));
}

void
request_add_fault(struct request *request, struct request_fault fault, const char *format,
                  va_list args)
{
    char text[sizeof(request->fault.text)];

    vsnprintf(text, sizeof(text), format, args);
    if (!*request->fault.text)
        error_set(&request->fault, -EINVAL, "%s", text);
    fault.text = strdup(text);
    if (!fault.text || request->fault_count == REQUEST_MOST_FAULTS ||
        ARRAY_TRY_ADD(request->faults, request->fault_count, fault) < 0)
        free(fault.text);
}

static void
clear_device(struct request_device *device)
{
    for (enum attribute i = 0; i < ATTRIBUTES; i++)
        free(device->attributes.said[i]);
    free(device->alias);
    free(device->uuid);
    free(device->placement_id);
    for (size_t i = 0; i < device->param_count; i++) {
        free(device->params[i].name);
        free(device->params[i].value);
    }
    free(device->params);
}

void
request_clear(struct request *request)
{
    for (size_t i = 0; i < request->device_count; i++)
        clear_device(&request->devices[i]);
    for (size_t i = 0; i < request->hostdev_count; i++)
        free(request->hostdevs[i].alias);
    for (size_t i = 0; i < request->fault_count; i++)
        free(request->faults[i].text);
    names_clear(&request->others);
    free(request->faults);
    free(request->devices);
    free(request->hostdevs);
    free(request->name);
    *request = (struct request){0};
}

bool
request_keeps_alias(const char *alias)
{
    static const char own[] = "hostdev";

    if (strncmp(alias, own, strlen(own)) != 0)
        return !strncmp(alias, "ua-", strlen("ua-"));
    alias += strlen(own);
    return strspn(alias, "0123456789") == strlen(alias);
}
