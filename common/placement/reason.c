/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/reason.h"
#include "base/suggest.h"
#include "placement/alternatives.h"
#include "placement/constraints.h"
#include "placement/fit.h"

#include <stdio.h>
#include <string.h>

const char *
reason_of_rule(enum verdict verdict)
{
    /* Those that need no figures. */
    static const char *const words[] = {
        [VERDICT_NO_TYPE] = "has no such type",
        [VERDICT_OTHER_KIND] = "makes vGPUs of the other kind (see vgpuctl gpus)",
        [VERDICT_OTHER_PLACE] = "is not where its hostdev says",
        [VERDICT_OTHER_PARENT] = "is not the parent asked for",
        [VERDICT_DISABLED] = "is disabled in vgpu.conf",
        [VERDICT_DRAINED] = "is drained (see vgpuctl undrain)",
        [VERDICT_NOT_ALLOWED] = "may not have that type (see its types in vgpu.conf)",
        [VERDICT_LACKS_TRAIT] = "lacks a trait asked for",
        [VERDICT_HAS_TRAIT] = "has a trait that is forbidden",
        [VERDICT_UNBOUND] = "is on a NUMA node, and the guest is bound to none (numatune)",
        [VERDICT_OTHER_NODE] = "is not on the guest's NUMA nodes",
        [VERDICT_QUOTA] = "is over the quota",
        [VERDICT_UNREADABLE] = "does not tell its room",
        [VERDICT_UNLISTED] = "does not offer it now",
        [VERDICT_FULL] = "is full",
        [VERDICT_RESERVED] = "has only reserved places left (see reserve in vgpu.conf)",
        [VERDICT_OTHER_SIZE] = "is being given a vGPU of another size",
        [VERDICT_REFUSED] = "refused it",
        [VERDICT_GOOD] = "has room",
    };

    return words[verdict];
}

/* A GPU that has no such type: whether its driver only does not list it just now. */
static enum verdict
judge_unlisted(const struct room *room, const struct demand *demand, size_t gpu)
{
    const struct room_gpu *known = &room->gpus[gpu];
    enum verdict best = VERDICT_NO_TYPE;

    for (size_t i = 0; i < known->place_count; i++) {
        enum verdict here =
            rules_judge(room, demand, gpu, room->places[known->first_place + i], RULES_ANY_TYPE);

        best = here > best ? here : best;
    }
    return best == VERDICT_GOOD ? VERDICT_UNLISTED : best;
}

/* The GPU's best verdict over the types that will do, and where it was found. */
static enum verdict
judge_gpu(const struct room *room, const struct demand *demand, size_t gpu, size_t *ret,
          struct room_place *place)
{
    const struct inventory_gpu *card = &room->question->inventory->gpus[gpu];
    enum verdict best = VERDICT_NO_TYPE;

    for (size_t type = 0; type < card->count; type++) {
        struct room_place here = {0};
        enum verdict verdict;
        unsigned rank;

        if (!demand_ranks(demand, &card->types[type], &rank))
            continue;
        verdict = fit_judge(room, demand, gpu, type, &here);
        if (verdict <= best)
            continue;
        best = verdict;
        *ret = type;
        *place = here;
    }
    return best == VERDICT_NO_TYPE && inventory_may_have_more(room->question->inventory, gpu)
               ? judge_unlisted(room, demand, gpu)
               : best;
}

/* What is on a GPU that does not offer a type. */
static void
say_unlisted(const struct room *room, size_t gpu, char *text, size_t size)
{
    const struct inventory *inventory = room->question->inventory;
    const struct name *type = NULL;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        if (inventory->parents[inventory->vgpus[i].parent].gpu == gpu)
            type = &inventory->vgpus[i].type;
    }
    if (type)
        snprintf(text, size, "does not offer it while it holds %s (%zu in use)", type->text,
                 room->gpus[gpu].made);
}

/* A full GPU: with what, and how many of how many. */
static void
say_full(const struct room *room, size_t gpu, size_t type, size_t used, char *text, size_t size)
{
    const struct inventory *inventory = room->question->inventory;
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct name *other = NULL;
    bool same = false;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];

        if (inventory->parents[vgpu->parent].gpu != gpu)
            continue;
        if (name_equal(&vgpu->type, &card->types[type].id))
            same = true;
        else if (*vgpu->type.text)
            other = &vgpu->type;
    }
    if (!same && other)
        snprintf(text, size, "holds %s (%zu in use)", other->text, used);
    else if (used == 0 && card->is_partial)
        snprintf(text, size, "does not offer it now");
    else if (card->types[type].max)
        snprintf(text, size, "is full (%zu of %u)", used, card->types[type].max);
    else
        snprintf(text, size, "is full (%zu in use)", used);
}

/* Whose the one place is that will do. */
static void
say_taken(const struct room *room, const struct name *place, char *text, size_t size)
{
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(room->question->inventory, place);
    const struct lease *lease = ledger_find(room->question->ledger, place);
    const char *of = lease ? " of the guest " : "", *whom = lease ? lease->domain_name : "";

    if (vgpu)
        snprintf(text, size, "has a vGPU%s%s there already (%s)", of, whom, vgpu->type.text);
    else if (lease)
        snprintf(text, size, "has a place there%s%s (%s)", of, whom,
                 lease_state_name(lease->state));
}

static void
say_quota(const struct room *room, const struct inventory_type *type, char *text, size_t size)
{
    size_t used = 0;
    const struct policy_quota *quota = rules_exceeded_quota(room, type, &used);

    if (quota)
        snprintf(text, size, "has it, but the quota of %u for class %s is used up (%zu; %s)",
                 quota->max, quota->class, used, quota->origin);
}

static void
say_other_kind(const struct room *room, size_t gpu, char *text, size_t size)
{
    const struct inventory *inventory = room->question->inventory;
    const struct inventory_parent *parent =
        &inventory->parents[room->places[room->gpus[gpu].first_place]];

    snprintf(text, size, "makes vGPUs for <hostdev type='%s'> only",
             parent->interface->hostdev == REQUEST_PCI ? "pci" : "mdev");
}

enum verdict
reason_gpu(const struct room *room, const struct demand *demand, size_t gpu, char *text,
           size_t size)
{
    const struct inventory *inventory = room->question->inventory;
    struct room_place place = {0};
    size_t type = 0;
    enum verdict verdict = judge_gpu(room, demand, gpu, &type, &place);
    const struct placement_refusal *refusal;

    snprintf(text, size, "%s", reason_of_rule(verdict));
    if (verdict == VERDICT_UNREADABLE)
        snprintf(text, size, "does not tell its room (%s)",
                 strerror(-inventory->parents[place.parent].available[type]));
    if (verdict == VERDICT_OTHER_KIND)
        say_other_kind(room, gpu, text, size);
    if (verdict == VERDICT_OTHER_PLACE && !demand_place(demand))
        snprintf(text, size, "has no virtual function left that may be named");
    if (verdict == VERDICT_UNLISTED)
        say_unlisted(room, gpu, text, size);
    if (verdict == VERDICT_FULL)
        say_full(room, gpu, type, place.used, text, size);
    if (verdict == VERDICT_FULL && demand_place(demand))
        say_taken(room, demand_place(demand), text, size);
    if (verdict == VERDICT_QUOTA)
        say_quota(room, &inventory->gpus[gpu].types[type], text, size);
    if (verdict == VERDICT_REFUSED && (refusal = room_find_refusal(room, gpu, type)))
        snprintf(text, size, "refused it (%s)", strerror(-refusal->error));
    if (verdict == VERDICT_GOOD)
        snprintf(text, size, "has room for %zu (%zu in use)", place.total - place.used, place.used);
    return verdict;
}

static void
list_types(const struct inventory *inventory, char *text, size_t size)
{
    size_t at = 0;

    *text = '\0';
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        for (size_t i = 0; i < inventory->gpus[gpu].count && at < size; i++) {
            const struct inventory_type *type = &inventory->gpus[gpu].types[i];
            char word[sizeof(type->id.text) + sizeof(type->name) + 8];

            snprintf(word, sizeof(word), "%s (%s)", type->id.text, type->name);
            if (!strstr(text, word))
                at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", word);
        }
    }
}

/* By any of the words that people use for a type. */
static struct guess
guess_type(const struct inventory *inventory, const char *wanted)
{
    struct guess guess = GUESS(wanted);

    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        for (size_t i = 0; i < inventory->gpus[gpu].count; i++) {
            const struct inventory_type *type = &inventory->gpus[gpu].types[i];
            const char *blank = strrchr(type->name, ' ');

            guess_offer(&guess, type->id.text);
            guess_offer(&guess, type->name);
            guess_offer(&guess, blank ? blank + 1 : type->name);
        }
    }
    return guess;
}

static bool
has_type(const struct inventory *inventory, const struct demand *demand)
{
    unsigned rank;

    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        for (size_t i = 0; i < inventory->gpus[gpu].count; i++) {
            if (demand_ranks(demand, &inventory->gpus[gpu].types[i], &rank))
                return true;
        }
        if (inventory_may_have_more(inventory, gpu))
            return true;
    }
    return false;
}

static void
list_reasons(const struct room *room, const struct demand *demand, char *text, size_t size)
{
    const struct inventory *inventory = room->question->inventory;
    char reason[200];
    size_t at = 0;

    *text = '\0';
    for (size_t gpu = 0; gpu < inventory->gpu_count && at < size; gpu++) {
        if (reason_gpu(room, demand, gpu, reason, sizeof(reason)) == VERDICT_GOOD)
            continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s %s", at ? ", " : "",
                               inventory->gpus[gpu].name.text, reason);
    }
}

/* Of a device that is no parent. */
static const char *
find_why(const struct inventory *inventory, const struct name *device)
{
    for (size_t i = 0; i < inventory->stranger_count; i++) {
        if (name_equal(&inventory->strangers[i].device, device))
            return inventory->strangers[i].why;
    }
    return "which takes no vGPUs here";
}

/* What stands against the one place that will do. */
static int
reason_place(const struct room *room, const struct demand *demand, struct error *error)
{
    const struct inventory *inventory = room->question->inventory;
    const struct name *place = demand_place(demand);
    enum verdict verdict;
    char reason[200];
    size_t i;
    int rc;

    if (!inventory_find_parent(inventory, place, &i)) {
        rc = error_set(error, -ENOENT, "%s (%s) cannot be on %s, %s", demand->label, demand->wanted,
                       place->text, find_why(inventory, place));
    } else if (inventory->parents[i].interface->hostdev != REQUEST_PCI) {
        rc = error_set(error, -ENOENT,
                       "%s (%s) cannot be on %s, which takes mediated devices (<hostdev "
                       "type='mdev'>)",
                       demand->label, demand->wanted, place->text);
    } else {
        verdict = reason_gpu(room, demand, inventory->parents[i].gpu, reason, sizeof(reason));
        rc = error_set(error, verdict == VERDICT_NO_TYPE ? -ENOENT : -ENOSPC,
                       "%s (%s) cannot be on %s: its GPU %s %s", demand->label, demand->wanted,
                       place->text, inventory->gpus[inventory->parents[i].gpu].name.text, reason);
    }
    others_add(room, demand, error);
    return rc;
}

int
reason_none(const struct room *room, const struct demand *demand, struct error *error)
{
    const struct inventory *inventory = room->question->inventory;
    char reasons[1400];

    if (demand_place(demand) && (has_type(inventory, demand) || inventory->gpu_count == 0))
        return reason_place(room, demand, error);
    if (inventory->gpu_count == 0)
        return error_set(error, -ENOENT,
                         "%s wants %s, and no GPU on this host offers vGPUs; is its driver loaded?",
                         demand->label, demand->wanted);
    if (!has_type(inventory, demand)) {
        struct guess guess = guess_type(inventory, demand->wanted);

        list_types(inventory, reasons, sizeof(reasons));
        return error_set(error, -ENOENT, "%s wants %s, which no GPU here has%s%s%s; there are: %s",
                         demand->label, demand->wanted, guess.best ? " (did you mean " : "",
                         guess.best ? guess.best : "", guess.best ? "?)" : "", reasons);
    }
    list_reasons(room, demand, reasons, sizeof(reasons));
    return error_set(error, -ENOSPC, "no GPU can take %s (%s): %s", demand->label, demand->wanted,
                     reasons);
}

int
reason_not_together(const struct room *room, const size_t *order, size_t count,
                    const struct demand *last, struct error *error)
{
    const struct demands *demands = room->question->demands;
    char all[512] = "", reasons[1000];
    size_t at = 0;

    for (size_t i = 0; i < count && at < sizeof(all); i++) {
        const struct demand *demand = &demands->items[order[i]];

        at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s (%s)", at ? ", " : "",
                               demand->label, demand->wanted);
    }
    list_reasons(room, last, reasons, sizeof(reasons));
    return error_set(
        error, -ENOSPC,
        "there is room for each of its vGPUs, but not for all together: %s; beside the "
        "others, for %s %s",
        all, last->label, reasons);
}
