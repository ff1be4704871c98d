/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "xml/asked-vgpus.h"
#include "base/text.h"
#include "placement/demand.h"

static const char *
name_of(const struct request_hostdev *hostdev)
{
    return hostdev->alias ? hostdev->alias : hostdev->source.text;
}

static void
list_names(const struct request *request, struct words *ret)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (demand_is_explicit(&request->hostdevs[i]))
            words_add(ret, name_of(&request->hostdevs[i]));
    }
}

void
asked_vgpus_add(const struct request *request, struct error *error)
{
    AUTO(words_clear) struct words names = {0};
    char text[sizeof(error->text)] = "";
    struct text list = text_on(text, sizeof(text));

    list_names(request, &names);
    for (size_t i = 0; i < names.count; i++)
        text_join(&list, ", ", "%s", names.items[i]);
    if (names.count)
        error_add(error, "it has %s", text);
}

int
asked_vgpus_find(const struct request *request, bool all, struct words *ret, struct error *error)
{
    int rc;

    list_names(request, ret);
    if (ret->count == 0)
        return error_set(error, -ENOENT, "%s has no vGPU that its XML asks for", request->name);
    if (ret->count == 1 || all)
        return 0;
    rc = error_refuse(error, ERROR_USAGE, "%s has several vGPUs: say which one goes, or --all",
                      request->name);
    asked_vgpus_add(request, error);
    return rc;
}
