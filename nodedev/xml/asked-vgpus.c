/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "xml/asked-vgpus.h"
#include "base/text.h"
#include "placement/demand.h"

static const char *
name_of(const struct request_hostdev *hostdev)
{
    return hostdev->alias ? hostdev->alias : hostdev->source.text;
}

void
asked_vgpus_add(const struct request *request, struct error *error)
{
    char text[sizeof(error->text)] = "";
    struct text list = text_on(text, sizeof(text));

    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (demand_is_explicit(&request->hostdevs[i]))
            text_join(&list, ", ", "%s", name_of(&request->hostdevs[i]));
    }
    if (*text)
        error_add(error, "it has %s", text);
}

int
asked_vgpus_only(const struct request *request, const char **ret, struct error *error)
{
    size_t count = 0;
    int rc;

    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (!demand_is_explicit(&request->hostdevs[i]))
            continue;
        *ret = name_of(&request->hostdevs[i]);
        count++;
    }
    if (count == 0)
        return error_set(error, -ENOENT, "%s has no vGPU that its XML asks for", request->name);
    if (count == 1)
        return 0;
    rc =
        error_refuse(error, ERROR_USAGE, "%s has several vGPUs: say which one goes", request->name);
    asked_vgpus_add(request, error);
    return rc;
}
