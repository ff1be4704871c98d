/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * path-text: names of things, and paths of them, with stand-ins for what people chose.
 */

#pragma once

#include "capture/stand-ins.h"

/* Each returns a text that the caller frees. */

/* A path or one name, part by part. `directory` is where a relative path begins; "" is the root. */
char *
path_text(struct stand_ins *stand_ins, const char *directory, const char *path) CHECKED NONNULL;

/* A UUID in any form that libvirt takes; or another text, which is hidden. */
char *path_text_uuid(struct stand_ins *stand_ins, const char *text) CHECKED NONNULL;

/* A device: a UUID, an address, or a name of the kernel's. */
char *path_text_device(struct stand_ins *stand_ins, const char *name) CHECKED NONNULL;

/* A type: its id, its name, or the last word of that; a pool or a profile. */
char *path_text_type(struct stand_ins *stand_ins, const char *name) CHECKED NONNULL;

/* An alias. What has a meaning stays: "ua-vgpu-" and a number behind a class. */
char *path_text_alias(struct stand_ins *stand_ins, const char *alias) CHECKED NONNULL;

/* The length of NAME in "NAME.xml", a guest's file. 0: it is another file. */
size_t path_text_guest(const char *file) CHECKED NONNULL;

/* The name of a program, as in /proc/PID/comm. */
char *path_text_program(struct stand_ins *stand_ins, const char *name) CHECKED NONNULL;
