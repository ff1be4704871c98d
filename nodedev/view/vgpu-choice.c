/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/vgpu-choice.h"
#include "view/gpu-view.h"

#include <string.h>

int
vgpu_choice_read(const struct host_view *view, struct vgpu_choice *ret, struct error *error)
{
    int rc;

    *ret = (struct vgpu_choice){.word = view->call->count ? view->call->arguments[0] : NULL};
    if (!ret->word)
        return 0;
    rc = gpu_view_find(&view->snapshot, NULL, ret->word, &ret->gpu, error);
    if (rc != -ENOENT)
        return rc;
    *error = (struct error){0}; /* the word means a domain, and that is no failure */
    return 0;
}

bool
vgpu_choice_has(const struct vgpu_choice *choice, const char *gpu, const char *domain,
                const char *uuid)
{
    if (!choice->word)
        return true;
    if (choice->gpu)
        return gpu && !strcmp(gpu, choice->gpu->name.text);
    return (domain && !strcmp(domain, choice->word)) || (uuid && !strcasecmp(uuid, choice->word));
}

int
vgpu_choice_miss(const struct vgpu_choice *choice, struct error *error)
{
    if (!choice->word || choice->gpu)
        return 0;
    return error_set(
        error, -ENOENT,
        "no GPU and no domain with a vGPU is called \"%s\"; 'vgpuctl gpus' and 'vgpuctl "
        "guests' list them",
        choice->word);
}
