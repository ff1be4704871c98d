/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/nvidia-type.h"
#include "device/nvidia-number.h"
#include "device/type-name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The most vGPUs that the driver makes (ctrla081.h of its open kernel modules, 595): on a GPU that
 * is shared in time (NVA081_MAX_VGPU_PER_PGPU_NON_MIG), and on a GPU instance
 * (NVA081_MAX_VGPU_PER_GI). */
#define MOST_ON_GPU      32
#define MOST_ON_INSTANCE 12

/* Reads the number that ends before `end` and has a dash in front. Returns false if there is
 * none. */
static bool
read_back(const char *start, const char *end, unsigned *ret)
{
    const char *digits = end;

    while (digits > start && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits == end || end - digits > 4 || digits == start || digits[-1] != '-')
        return false;
    *ret = (unsigned)strtoul(digits, NULL, 10);
    return true;
}

/* A type's name, such as "GRID T4-1B4" or "NVIDIA A100-1-5CME". */
struct title {
    size_t board;    /* so many bytes of the name are the board: "GRID T4", "NVIDIA A100" */
    unsigned slices; /* 1 of "1-5CME"; 0: the type shares its GPU in time */
    unsigned gigabytes;
    char series; /* 'A', 'B', 'C' or 'Q' */
};

/* Called for each place that a search looks at, so it has no sscanf. */
static bool
parse_title(const struct inventory_type *type, struct title *ret)
{
    const char *word = type_name_last_word(type->name), *dash = strrchr(word, '-'), *size;

    *ret = (struct title){0};
    if (nvidia_number(&type->id) == 0 || !dash)
        return false;
    for (size = dash + 1; isdigit((unsigned char)*size) && size - dash <= 4; size++)
        ret->gigabytes = ret->gigabytes * 10 + (unsigned)(*size - '0');
    if (size == dash + 1)
        return false;
    ret->series = *size;
    if (!ret->series || !strchr("ABCQ", ret->series))
        return false;
    if (read_back(word, dash, &ret->slices)) {
        do
            dash--;
        while (*dash != '-');
    }
    ret->board = (size_t)(dash - type->name);
    return true;
}

void
nvidia_type_describe(struct inventory_type *type)
{
    struct title title;

    if (!parse_title(type, &title))
        return;
    if (type->framebuffer == 0)
        type->framebuffer = title.gigabytes ? title.gigabytes * 1024 : 512;
    if (title.slices)
        type->slices = title.slices;
    type->ceiling = type->slices ? MOST_ON_INSTANCE : MOST_ON_GPU;
}

bool
nvidia_type_is(const struct inventory_type *type)
{
    return nvidia_number(&type->id) > 0 &&
           (!type->gpu || !strcmp(type->gpu->vendor, NVIDIA_VENDOR));
}

bool
nvidia_type_may_combine(const struct inventory_type *a, const struct inventory_type *b)
{
    struct title one, other;

    if (!parse_title(a, &one) || !parse_title(b, &other))
        return true;
    return one.series == other.series && one.board == other.board &&
           !memcmp(a->name, b->name, one.board);
}
