/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/json.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "view/gpu-view.h"
#include "view/picture.h"
#include "view/usage.h"

#include <time.h>

struct shown {
    struct json *json; /* with --json; NULL until a host was read */
    size_t hosts;      /* number of hosts that were shown */
};

/* --- for programs ----------------------------------------------------------------------------- */

/* A text that is not known if it is "". */
static const char *
known(const char *text)
{
    return *text ? text : NULL;
}

/* Puts since when a vGPU is in its state, in UTC. The ledger knows it. */
static void
put_since(const struct host *host, const struct lease *lease, struct json *json)
{
    char text[32] = "";
    time_t since;
    struct tm utc;

    if (lease) {
        since = (time_t)(host->ops->booted(host) / 1000000000 + lease->time);
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&since, &utc));
    }
    json_text(json, "since", known(text));
}

static void
put_vgpus(const struct host_view *view, const struct name *gpu, const struct gpu_usage *usage,
          struct json *json)
{
    json_open(json, "vgpus", '[');
    for (size_t i = 0; i < view->vgpu_count; i++) {
        const struct host_view_vgpu *vgpu = &view->vgpus[i];

        if (!name_equal(vgpu->gpu, gpu))
            continue;
        json_open(json, NULL, '{');
        json_text(json, "device", vgpu->device->text);
        json_text(json, "type", known(vgpu->type->text));
        json_text(json, "name", vgpu->type_name);
        json_number(json, "share", usage_share(view, usage, vgpu));
        json_text(json, "state", vgpu->state);
        json_text(json, "domain", vgpu->domain);
        json_text(json, "domain-uuid", vgpu->domain_uuid);
        put_since(view->call->host, vgpu->lease, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void
put_types(const struct host_view *view, const struct inventory_gpu *gpu, struct json *json)
{
    AUTO_FREE struct wanted_type *wanted = wanted_types_find(view, gpu);

    json_open(json, "types", '[');
    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = wanted[i].type;

        /* A type that nobody asks for and nobody could get is left out. */
        if (!wanted[i].asked && !wanted[i].is_in_class && wanted[i].left.most == 0)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "type", type->id.text);
        json_text(json, "name", type->name);
        json_number(json, "asked", wanted[i].asked);
        json_number(json, "available", host_view_figure(view, &wanted[i].left));
        json_number(json, "available-at-most", bounds_most(&wanted[i].left));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void
put_gpu(const struct host_view *view, const struct inventory_gpu *gpu, struct json *json)
{
    struct gpu_usage usage;
    char name[64];

    usage_of(view, gpu, &usage);
    gpu_view_name(gpu, name, sizeof(name));
    json_open(json, NULL, '{');
    if (view->label)
        json_text(json, "host", view->label);
    json_text(json, "gpu", gpu->name.text);
    json_text(json, "name", view->is_remote ? known(name) : name);
    if (gpu->numa >= 0 || view->is_remote)
        json_number(json, "numa", gpu->numa);
    json_text(json, "driver", view->is_remote ? known(gpu->driver.text) : gpu->driver.text);
    if (view->knows_policy)
        json_flag(json, "enabled", gpu_view_is_enabled(&view->snapshot, gpu));
    else
        json_text(json, "enabled", NULL);
    if (!view->is_remote && view->snapshot.ledger.drained_rc == 0)
        json_flag(json, "drained", gpu_view_is_drained(&view->snapshot, gpu));
    else
        json_text(json, "drained", NULL);
    json_text(json, "unit", usage.is_in_vgpus ? "vGPU" : "MiB");
    json_number(json, "total", usage.total);
    json_number(json, "used", usage.used);
    json_number(json, "free", bounds_figure(&usage.free));
    json_number(json, "free-at-most", bounds_most(&usage.free));
    put_vgpus(view, &gpu->name, &usage, json);
    put_types(view, gpu, json);
    json_close(json, '}');
}

/* A host that cannot be read has no list, so nobody takes it for an empty host. */
static void
put_host(struct shown *shown, const struct host_view *view, size_t first, size_t end)
{
    if (!shown->json)
        json_open(shown->json = reply_json(view->call), "status", '[');
    for (size_t gpu = first; gpu < end; gpu++)
        put_gpu(view, view->snapshot.inventory.gpus[gpu], shown->json);
}

/* --- for people ------------------------------------------------------------------------------- */

static void
draw_title(const struct shown *shown, const struct host_view *view)
{
    const struct command_call *call = view->call;

    if (shown->hosts)
        say_end(call->out);
    if (!view->label)
        return;
    terminal_paint(call->terminal, TERMINAL_BOLD, call->out);
    say_part(call->out, "== %s ==", view->label);
    terminal_paint(call->terminal, TERMINAL_PLAIN, call->out);
    say_end(call->out);
}

static void
draw_host(struct shown *shown, const struct host_view *view, size_t first, size_t end)
{
    const struct command_call *call = view->call;

    draw_title(shown, view);
    shown->hosts++;
    if (end == 0)
        say_line(call->out, view->is_remote
                                ? "no GPU of this host offers vGPUs, as far as its libvirt tells"
                                : "no GPU on this host offers vGPUs; see 'vgpuctl doctor'");
    picture_draw(view, first, end);
}

/* --- both ------------------------------------------------------------------------------------- */

static int
show_status(void *data, const struct host_view *view, struct error *error)
{
    struct shown *shown = data;
    size_t first, end;
    int rc = host_view_gpus(view, &first, &end, error);

    if (rc < 0)
        return rc;
    if (reply_is_wanted(view->call))
        put_host(shown, view, first, end);
    else
        draw_host(shown, view, first, end);
    return 0;
}

static enum command_status
run_status(const struct command_call *call, struct error *error)
{
    static const struct host_views views = {
        .wants_types = true, .wants_domains = true, .show = show_status};
    struct shown shown = {0};
    int rc = host_views_show(&views, call, &shown, error);

    if (shown.json)
        json_close(shown.json, ']');
    return command_ended(rc, error);
}

const struct command command_status = {
    .name = "status",
    .arguments = "[GPU]",
    .help = "show how full the GPUs are, and what is on them",
    .example = "vgpuctl status --watch",
    .page = "vgpuctl-show",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BITS_REMOTE | OPTION_BIT(OPTION_JSON) |
               OPTION_BITS_WATCH | OPTION_BIT(OPTION_COLOR),
    .run = run_status,
};
