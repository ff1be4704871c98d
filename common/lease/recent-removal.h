/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * recent-removal: GPUs from which this program has just removed a vGPU.
 *
 * A driver may show only a moment later that there is room again. So a start that finds no room on
 * such a GPU looks again, whoever removed the vGPU. Each removal leaves a link in the state
 * directory, in place of the one before. Its target is the time, in ms since the boot:
 *
 *     /run/libvirt-vgpu/settling/0000:18:00.0 -> 812345
 *
 * The directory has the name that earlier versions gave it. Nothing depends on these links. A link
 * that is missing, old or of the future means nothing.
 */

#pragma once

#include "base/host.h"

/* Leaves the link of a GPU. A failure is no error. */
void recent_removal_note(const struct host *host, const struct name *gpu) NONNULL;

/* Whether a vGPU was removed so recently that the driver's figures of its GPU may still be late. */
bool recent_removal_on(const struct host *host, const struct name *gpu) CHECKED NONNULL;
