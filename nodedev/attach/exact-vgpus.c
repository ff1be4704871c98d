/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/exact-vgpus.h"
#include "attach/source-edit.h"
#include "placement/demand.h"

#include <string.h>

static bool
is_same(const char *said, const char *wanted)
{
    return said && wanted ? !strcmp(said, wanted) : said == wanted;
}

static bool
has_params(const struct request_device *device, const struct domain_edit_device *wanted)
{
    if (device->param_count != wanted->param_count)
        return false;
    for (size_t i = 0; i < wanted->param_count; i++) {
        const struct request_param *param = &device->params[i];
        const size_t length = strlen(param->name);

        if (strncmp(wanted->params[i], param->name, length) || wanted->params[i][length] != '=' ||
            strcmp(wanted->params[i] + length + 1, param->value) != 0)
            return false;
    }
    return true;
}

static bool
is_as_wished(const struct request_device *device, const struct domain_edit_device *wanted)
{
    return is_same(device->type, wanted->type) && is_same(device->class, wanted->class) &&
           is_same(device->parent, *wanted->parent.text ? wanted->parent.text : NULL) &&
           is_same(device->order ? choice_orders[device->order] : NULL, wanted->placement) &&
           is_same(device->numa ? choice_numas[device->numa] : NULL, wanted->numa) &&
           is_same(device->traits, wanted->traits) && has_params(device, wanted);
}

int
exact_vgpus_find(const struct domain_source *source, const struct wish *wish,
                 struct exact_vgpus *ret, struct error *error)
{
    AUTO(domain_edit_end) struct domain_edit edit = {0};
    const struct request *request = &edit.request;
    int rc = source_edit_start(source,
                               source->meant[CONNECTION_LIVE] ? CONNECTION_LIVE : CONNECTION_CONFIG,
                               false, &edit, error);

    *ret = (struct exact_vgpus){.missing = wish->count};
    for (size_t i = 0; rc == 0 && i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];
        bool has_device = hostdev->device != SIZE_MAX;

        if (!demand_is_explicit(hostdev))
            continue;
        if (ret->missing && has_device &&
            is_as_wished(&request->devices[hostdev->device], &wish->device))
            ret->missing--;
        else
            words_add(&ret->too_many, hostdev->alias ? hostdev->alias : hostdev->source.text);
    }
    return rc;
}

void
exact_vgpus_clear(struct exact_vgpus *exact)
{
    words_clear(&exact->too_many);
}
