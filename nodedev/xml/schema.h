/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * schema: vgpu-request.rng, which says what a <vgpu:request> may look like.
 *
 * The hook's parser says the same and stops at the first fault. Here each <vgpu:device> is judged
 * by itself, so that every one with a fault is found, with its line.
 */

#pragma once

#include "base/host.h"
#include "cli/report.h"

struct _xmlDoc;
struct _xmlRelaxNG;

struct schema {
    struct _xmlRelaxNG *rules;
};

/* Reads it from the program's own files, `data`. -ENOENT with a line in error if it is not there or
 * broken. schema_close in every case. */
int
schema_open(const struct host *host, struct schema *schema, struct error *error) CHECKED NONNULL;
void schema_close(struct schema *schema) NONNULL;

/* Tells every fault of a domain's requests, by the file's name. -ENOMEM. */
int schema_check(const struct schema *schema, struct _xmlDoc *domain, const char *file,
                 struct report *report) CHECKED NONNULL;
