/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpu-choice: which vGPUs or domains of a host a person wants to see: those of a GPU, or those of
 * a domain.
 */

#pragma once

#include "view/host-view.h"

struct vgpu_choice {
    const char *word;                /* that was typed; NULL: everything is shown */
    const struct inventory_gpu *gpu; /* that it means; NULL: it means a domain */
};

/* Reads the first argument of a call. Returns -ENOTUNIQ with a line in error if it may mean several
 * GPUs. */
int vgpu_choice_read(const struct host_view *view, struct vgpu_choice *ret,
                     struct error *error) CHECKED NONNULL;

/* Whether something on a GPU, of a domain, is wanted. Each may be NULL: it is not known. */
bool vgpu_choice_has(const struct vgpu_choice *choice, const char *gpu, const char *domain,
                     const char *uuid) CHECKED __attribute__((nonnull(1)));

/* Nothing was found. Returns 0 if that is the answer: everything is wanted, or the vGPUs of a GPU
 * that is there. Else -ENOENT with a line in error. */
int vgpu_choice_miss(const struct vgpu_choice *choice, struct error *error) CHECKED NONNULL;
