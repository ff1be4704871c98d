/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/picture.h"
#include "base/printable.h"
#include "cli/say.h"
#include "device/type-name.h"
#include "lease/drained.h"
#include "placement/constraints.h"
#include "sriov/sriov-gpu.h"
#include "view/gpu-view.h"
#include "view/usage.h"

#include <stdio.h>
#include <inttypes.h>
#include <string.h>

/* What is needed to draw one GPU. */
struct drawing {
    const struct host_view *view;
    const struct terminal *terminal;
    FILE *out;
    unsigned width;
    const struct inventory_gpu *gpu;
    struct gpu_usage usage;
};

#define NARROWEST 8 /* columns for the owner of a vGPU */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static char
letter_of(size_t number)
{
    return LETTERS[number % strlen(LETTERS)];
}

/* Returns the GPU's vGPU after `vgpu`, or its first one for NULL. Returns NULL after the last. */
static const struct host_view_vgpu *
next_vgpu(const struct drawing *drawing, const struct host_view_vgpu *vgpu)
{
    const struct host_view *view = drawing->view;

    for (size_t i = vgpu ? (size_t)(vgpu - view->vgpus) + 1 : 0; i < view->vgpu_count; i++) {
        if (name_equal(view->vgpus[i].gpu, &drawing->gpu->name))
            return &view->vgpus[i];
    }
    return NULL;
}

/* Returns a type's name for people: the last word of a name such as "GRID T4-1B", else the type's
 * id. */
static const char *
word_of(const char *name, const struct name *id)
{
    const char *word = name ? type_name_last_word(name) : NULL;

    return word != name && strchr(word, '-') ? word : *id->text ? id->text : "?";
}

/* --- the heading ------------------------------------------------------------------------------ */

static const char *
unit_of(const struct gpu_usage *usage, int figure)
{
    return !usage->is_in_vgpus ? "MiB" : figure == 1 ? "vGPU" : "vGPUs";
}

static void
draw_heading(const struct drawing *drawing)
{
    const struct inventory_gpu *gpu = drawing->gpu;
    const struct gpu_usage *usage = &drawing->usage;
    char name[64], node[32] = "", left[160], right[80];
    int gap;

    gpu_view_name(gpu, name, sizeof(name));
    if (gpu->numa >= 0)
        snprintf(node, sizeof(node), ", NUMA node %d", gpu->numa);
    if (usage->used < 0)
        snprintf(right, sizeof(right), "%d %s", usage->total, unit_of(usage, usage->total));
    else if (usage->total < 0 || usage->is_in_vgpus)
        snprintf(right, sizeof(right), "%d %s in use", usage->used, unit_of(usage, usage->used));
    else
        snprintf(right, sizeof(right), "%d of %d %s in use", usage->used, usage->total,
                 unit_of(usage, usage->total));
    snprintf(left, sizeof(left), "%s%s%s%s", gpu->name.text, *name ? " " : "", name, node);
    if (strlen(left) + strlen(right) >= drawing->width)
        snprintf(left, sizeof(left), "%s", gpu->name.text);
    gap = (int)drawing->width - (int)strlen(left) - (int)strlen(right);
    terminal_paint(drawing->terminal, TERMINAL_BOLD, drawing->out);
    say_part(drawing->out, "%s", left);
    terminal_paint(drawing->terminal, TERMINAL_PLAIN, drawing->out);
    say_part(drawing->out, "%*s%s", gap > 1 ? gap : 1, "", right);
    say_end(drawing->out);
}

/* --- the bar ---------------------------------------------------------------------------------- */

/* Where each part of a bar ends, in the unit of usage. */
struct bar {
    int total, used, free, free_at_most;
};

static struct bar
measure(const struct drawing *drawing)
{
    const struct gpu_usage *usage = &drawing->usage;
    const struct host_view_vgpu *vgpu = NULL;
    struct bar bar = {.total = usage->total};

    while ((vgpu = next_vgpu(drawing, vgpu))) {
        int share = usage_share(drawing->view, usage, vgpu);

        bar.used += share > 0 ? share : 0;
    }
    bar.free = bar.free_at_most = bar.used;
    if (bounds_figure(&usage->free) > 0)
        bar.free += (int)usage->free.most;
    if (bounds_most(&usage->free) > 0)
        bar.free_at_most += (int)usage->free.most;
    /* Nobody knows how much is free. The bar shows as many '?' as the vGPUs take. */
    if (usage->is_in_vgpus && bounds_most(&usage->free) < 0)
        bar.free_at_most = bar.used ? 2 * bar.used : 1;
    /* A start may remove kept vGPUs, so more may be free than the rest of the bar. The kept vGPUs
     * still have their letters. */
    if (usage->is_in_vgpus || bar.total < bar.used)
        bar.total = usage->is_in_vgpus ? bar.free_at_most : bar.used;
    return bar;
}

/* Returns the letter of the vGPU at a place of the bar. *colour gets the colour of the vGPU's
 * state. */
static char
letter_at(const struct drawing *drawing, int place, enum terminal_colour *colour)
{
    const struct host_view_vgpu *vgpu = NULL;
    size_t number = 0;
    int end = 0;

    while ((vgpu = next_vgpu(drawing, vgpu))) {
        int share = usage_share(drawing->view, &drawing->usage, vgpu);

        end += share > 0 ? share : 0;
        *colour = host_view_colour(vgpu->state);
        if (place < end)
            break;
        number++;
    }
    return letter_of(number);
}

static void
draw_bar(const struct drawing *drawing)
{
    struct bar bar = measure(drawing);
    enum terminal_colour painted = TERMINAL_PLAIN;
    unsigned cells = drawing->width - 2;

    say_part(drawing->out, "[");
    for (unsigned i = 0; i < cells; i++) {
        /* The place is the middle of the cell. */
        int place = (int)((2 * (int64_t)i + 1) * bar.total / (2 * (int64_t)cells));
        enum terminal_colour colour = TERMINAL_DIM;
        char sign = place < bar.used           ? letter_at(drawing, place, &colour)
                    : place < bar.free         ? '.'
                    : place < bar.free_at_most ? '?'
                                               : '-';

        if (colour != painted) {
            terminal_paint(drawing->terminal, TERMINAL_PLAIN, drawing->out);
            terminal_paint(drawing->terminal, colour, drawing->out);
        }
        painted = colour;
        say_part(drawing->out, "%c", sign);
    }
    terminal_paint(drawing->terminal, TERMINAL_PLAIN, drawing->out);
    say_part(drawing->out, "]");
    say_end(drawing->out);
}

/* --- the vGPUs -------------------------------------------------------------------------------- */

/* Returns the domain that has a vGPU; without a domain, the name of the device. */
static const char *
owner_of(const struct host_view_vgpu *vgpu)
{
    return vgpu->domain ? vgpu->domain : vgpu->device->text;
}

static void
draw_vgpu(const struct drawing *drawing, const struct host_view_vgpu *vgpu, size_t number)
{
    int share = usage_share(drawing->view, &drawing->usage, vgpu), width;
    char right[160], size[32] = "", owner[160];

    if (!drawing->usage.is_in_vgpus && share > 0)
        snprintf(size, sizeof(size), "%d MiB", share);
    snprintf(right, sizeof(right), " %-12s%*s %-8s", word_of(vgpu->type_name, vgpu->type),
             drawing->usage.is_in_vgpus ? 0 : 10, size, vgpu->state ? vgpu->state : "");
    width = (int)drawing->width - 3 - (int)strlen(right);
    /* A long type leaves no room on a narrow screen. The line is longer than the screen then. */
    width = width > NARROWEST ? width : NARROWEST;
    snprintf(owner, sizeof(owner), "%s", owner_of(vgpu));
    printable_make(owner);
    terminal_cut(owner, (unsigned)width);
    say_part(drawing->out, " ");
    terminal_paint(drawing->terminal, host_view_colour(vgpu->state), drawing->out);
    say_part(drawing->out, "%c", letter_of(number));
    terminal_paint(drawing->terminal, TERMINAL_PLAIN, drawing->out);
    while (*right && right[strlen(right) - 1] == ' ')
        right[strlen(right) - 1] = '\0';
    say_part(drawing->out, " %s%*s%s", owner, width - (int)terminal_columns(owner), "", right);
    say_end(drawing->out);
}

/* --- what is free ----------------------------------------------------------------------------- */

/* Returns why no vGPU can be made on a GPU, or NULL if vGPUs can be made. */
static const char *
why_closed(const struct drawing *drawing)
{
    const struct snapshot *snapshot = &drawing->view->snapshot;

    switch (constraints_closed(&snapshot->ledger, &drawing->gpu->name, NULL, false)) {
    case REASON_DRAINED:
        return "drained ('vgpuctl undrain' ends that)";
    case REASON_PROVED:
        return "being proved or set up by vgpuctl just now";
    case REASON_WHOLE:
        return "taken by a guest as a whole card";
    default:
        return !drawing->view->knows_policy || gpu_view_is_enabled(snapshot, drawing->gpu)
                   ? NULL
                   : "disabled by vgpu.conf";
    }
}

static const char *
why_unknown(const struct drawing *drawing)
{
    if (drawing->view->is_remote)
        return ", libvirt does not tell";
    if (!drawing->view->knows_policy)
        return ", as vgpu.conf has a fault";
    return drawing->gpu->is_silent ? ", its driver does not answer" : "";
}

/* "14 T4-1B", or "at most 14 L4-2Q". */
static bool
describe_type(const struct drawing *drawing, const struct wanted_type *wanted, char *text,
              size_t size)
{
    const struct inventory_type *type = wanted->type;
    int64_t count = bounds_most(&wanted->left);

    /* If nobody asks for a type, it is shown only if it fits and is the first of its size. */
    if (count < 0 ||
        (!wanted->asked && !wanted->is_in_class && (count == 0 || !wanted->is_first_of_size)))
        return false;
    snprintf(text, size, "%s%" PRIi64 " %s",
             host_view_figure(drawing->view, &wanted->left) < 0 ? "at most " : "", count,
             word_of(type->name, &type->id));
    return true;
}

/* Prints as many types as fit on the line, which has `used` columns so far. */
static void
draw_types(const struct drawing *drawing, size_t used)
{
    const struct inventory_gpu *gpu = drawing->gpu;
    const char *first = drawing->usage.is_in_vgpus ? " " : ": ", *before = first;
    AUTO_FREE struct wanted_type *wanted = wanted_types_find(drawing->view, gpu);

    for (size_t i = 0; i < gpu->type_count; i++) {
        char type[96];

        if (!describe_type(drawing, &wanted[i], type, sizeof(type)))
            continue;
        used += strlen(before) + strlen(type);
        if (used > drawing->width)
            break;
        say_part(drawing->out, "%s%s", before, type);
        before = ", ";
    }
    if (before == first && drawing->usage.is_in_vgpus)
        say_part(drawing->out, " nothing");
}

static void
draw_free(const struct drawing *drawing)
{
    const struct gpu_usage *usage = &drawing->usage;
    const char *closed = why_closed(drawing);
    char text[96];

    if (bounds_most(&usage->free) < 0)
        snprintf(text, sizeof(text), "free: not known%s", why_unknown(drawing));
    else if (usage->is_in_vgpus)
        snprintf(text, sizeof(text), "free:");
    else
        snprintf(text, sizeof(text), "free: %s%u MiB",
                 bounds_figure(&usage->free) < 0 ? "at most " : "", usage->free.most);
    say_part(drawing->out, "%s", text);
    if (closed)
        say_part(drawing->out, "%s %s", usage->is_in_vgpus ? "" : ",", closed);
    else if (bounds_most(&usage->free) >= 0)
        draw_types(drawing, strlen(text));
    say_end(drawing->out);
}

/* Why somebody has drained the GPU, in words of theirs. A capture does not have them. */
static void
draw_reason(const struct drawing *drawing)
{
    const struct host_view *view = drawing->view;
    struct drained_note note;

    if (view->is_remote || view->call->host != view->call->machine ||
        !gpu_view_is_drained(&view->snapshot, drawing->gpu))
        return;
    drained_find_note(view->call->host, &drawing->gpu->name, &note);
    printable_make(note.reason);
    if (*note.reason)
        say_line(drawing->out, "reason: %s", note.reason);
}

/* --- a host ----------------------------------------------------------------------------------- */

static void
draw_gpu(struct drawing *drawing, const struct inventory_gpu *gpu)
{
    const struct host_view_vgpu *vgpu = NULL;

    drawing->gpu = gpu;
    usage_of(drawing->view, gpu, &drawing->usage);
    draw_heading(drawing);
    draw_bar(drawing);
    for (size_t number = 0; (vgpu = next_vgpu(drawing, vgpu)); number++)
        draw_vgpu(drawing, vgpu, number);
    draw_free(drawing);
    draw_reason(drawing);
}

/* Prints the leases whose GPU is not in this host any more. */
static void
draw_homeless(const struct drawing *drawing)
{
    const struct host_view *view = drawing->view;
    const struct inventory *inventory = &view->snapshot.inventory;

    for (size_t i = 0; i < view->vgpu_count; i++) {
        const struct host_view_vgpu *vgpu = &view->vgpus[i];

        if (inventory_find_gpu(inventory, vgpu->gpu))
            continue;
        if (!view->is_remote && sriov_gpu_is_off(view->call->host, vgpu->gpu))
            say_part(drawing->out, "The virtual functions of %s are off", vgpu->gpu->text);
        else
            say_part(drawing->out, "The GPU %s is not here", vgpu->gpu->text);
        say_line(drawing->out, "; %s has a %s on it (%s).", owner_of(vgpu),
                 word_of(vgpu->type_name, vgpu->type), vgpu->state ? vgpu->state : "?");
    }
}

void
picture_draw(const struct host_view *view, size_t first, size_t end)
{
    const struct command_call *call = view->call;
    struct drawing drawing = {.view = view,
                              .terminal = call->terminal,
                              .out = call->out,
                              .width = terminal_width(call->terminal)};

    for (size_t gpu = first; gpu < end; gpu++) {
        if (gpu > first)
            say_end(call->out);
        draw_gpu(&drawing, view->snapshot.inventory.gpus[gpu]);
    }
    if (first == 0 && end == view->snapshot.inventory.gpu_count)
        draw_homeless(&drawing);
}
