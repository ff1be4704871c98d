/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/change.h"
#include "base/array.h"
#include "base/memory.h"
#include "cli/json.h"
#include "cli/reply.h"

void
changes_clear(struct changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        free(changes->items[i].reason);
    free(changes->items);
    *changes = (struct changes){0};
}

static struct change *
add(struct changes *changes, const struct change *change)
{
    ARRAY_ADD(changes->items, changes->count, *change);
    return &changes->items[changes->count - 1];
}

void
change_look(struct change *change, const struct host *host)
{
    struct vgpu vgpu;
    struct name gpu;

    if (!*change->device.text || vgpu_find(host, &change->device, &vgpu, &gpu) < 0)
        return;
    change->type = vgpu.type;
    change->parent = vgpu.parent;
    change->gpu = gpu;
}

struct change *
changes_add(struct changes *changes, const struct host *host, const char *outcome,
            const struct name *device)
{
    struct change change = {.outcome = outcome, .device = *device};

    if (host)
        change_look(&change, host);
    return add(changes, &change);
}

static void
add_outcome(struct changes *changes, const struct lease_outcome *each)
{
    const struct lease *lease = &each->lease;
    struct change change = {
        .outcome = outcome_name(each->outcome),
        .device = lease->vgpu.device,
        .type = lease->vgpu.type,
        .parent = lease->vgpu.parent,
        .gpu = lease->gpu,
        .reason = memory_copy(each->why.text),
    };

    if (!lease_is_nobodys(lease)) {
        change.domain_uuid = lease->domain;
        snprintf(change.domain, sizeof(change.domain), "%s", lease->domain_name);
        snprintf(change.alias, sizeof(change.alias), "%s", lease->alias);
    }
    add(changes, &change);
}

void
changes_add_outcomes(struct changes *changes, const struct lease_outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->count; i++)
        add_outcome(changes, &outcomes->items[i]);
}

/* On another host nobody has looked. */
static void
put_place(const struct changes *changes, struct json *json, const char *key, const char *text)
{
    json_text(json, key, changes->host && !*text ? NULL : text);
}

static void
put(const struct changes *changes, const struct change *change, struct json *json)
{
    json_open(json, NULL, '{');
    if (changes->host)
        json_text(json, "host", changes->host);
    json_text(json, "outcome", change->outcome);
    json_text(json, "device", change->device.text);
    put_place(changes, json, "type", change->type.text);
    put_place(changes, json, "parent", change->parent.text);
    put_place(changes, json, "gpu", change->gpu.text);
    json_text(json, "domain", change->domain);
    json_text(json, "domain-uuid", change->domain_uuid.text);
    json_text(json, "alias", change->alias);
    if (change->has_sides) {
        json_flag(json, "live", change->live);
        json_flag(json, "config", change->config);
    }
    if (change->reason)
        json_text(json, "reason", change->reason);
    if (changes->is_dry_run)
        json_flag(json, "dry-run", true);
    json_close(json, '}');
}

void
changes_put(const struct changes *changes, const struct command_call *call)
{
    struct json *json;

    if (!reply_is_wanted(call))
        return;
    json = reply_json(call);
    json_open(json, "vgpus", '[');
    for (size_t i = 0; i < changes->count; i++)
        put(changes, &changes->items[i], json);
    json_close(json, ']');
}
