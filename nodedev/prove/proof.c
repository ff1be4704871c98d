/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/proof.h"
#include "base/array.h"
#include "cli/say.h"

#include <inttypes.h>
#include <string.h>

static void
note(struct proof *proof, const char *what, const struct observation_vgpu *vgpu,
     uint64_t milliseconds, int rc)
{
    const struct observation_text situation = observation_situation(&proof->seen);

    say_line(proof->record, "step %u: %s %s on %s: %s after %" PRIu64 " ms, %s",
             proof->seen.found.step, what, vgpu->type->id.text, vgpu->parent.text,
             rc < 0 ? strerror(-rc) : "done", milliseconds, situation.text);
}

/* Begins a load of the GPU as it is now. False: the GPU's driver offers no vGPUs any more. */
static bool
begin_load(const struct proof *proof, struct gpu_load *ret)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&proof->seen.now, &proof->bench.gpu);

    if (gpu)
        gpu_load_init(ret, gpu, LOAD_NOW);
    return gpu;
}

/* How many steps there will be: those so far, and those to come. `fills` types have been tried, so
 * it is known which other types the driver offers beside them. If it mixes sizes once, it may do so
 * again. */
static void
reckon(struct proof *proof, size_t fills)
{
    const struct course *course = &proof->course;
    bool mixes = false;

    proof->steps = proof->seen.found.step;
    for (size_t i = 0; i < course->part_count; i++) {
        const struct course_part *part = &course->parts[i];
        bool is_offered = part->steps.least > 0 || mixes;

        if (part->beside == COURSE_ALONE) {
            proof->steps += part->type < fills ? 0 : part->steps.least;
            continue;
        }
        if (part->type < fills)
            is_offered = proof->partners[part->type * course->count + part->beside];
        mixes |= is_offered && part->steps.least == 0;
        proof->steps += is_offered ? part->steps.most : 0;
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Begins a step. Returns 0, or -EINTR: somebody has stopped the proof. */
static int
begin_step(struct proof *proof, struct error *error)
{
    if (!proof->goes_on(proof, proof->data))
        return error_set(error, -EINTR, "stopped at step %u of about %u", proof->seen.found.step,
                         proof->steps);
    proof->seen.found.step++;
    return 0;
}

/* The first place for a type of the empty GPU that has room and may be used. */
static bool
find_place(const struct proof *proof, const struct gpu_load *load,
           const struct inventory_type *type, struct place *ret)
{
    *ret = (struct place){.type = inventory_find_type(load->gpu, &type->id)};
    for (size_t i = 0; ret->type && i < load->gpu->parent_count; i++) {
        const struct inventory_parent *empty =
            inventory_find_parent(&proof->seen.empty, &load->gpu->parents[i]->name);

        ret->parent = load->gpu->parents[i];
        if (empty && empty->gpu == proof->seen.card && proof->usable[empty->index] &&
            gpu_room_at(load, ret).most > 0)
            return true;
    }
    return false;
}

/* setting is the key in vgpu.conf of the time that a start or a release waits. */
static void
check_time(struct proof *proof, enum discrepancy_kind kind, const struct observation_vgpu *vgpu,
           uint64_t took, unsigned limit, const char *setting)
{
    const char *name = vgpu->type->name;
    char predicted[32], seen[32];

    if (took <= limit)
        return;
    snprintf(predicted, sizeof(predicted), "%u ms", limit);
    snprintf(seen, sizeof(seen), "%" PRIu64 " ms", took);
    discrepancies_add(&proof->seen.found, kind, name, predicted, seen,
                      "the driver took %s to %s a vGPU of type %s, and %s of vgpu.conf is %s", seen,
                      kind == DISCREPANCY_SLOW_MAKE ? "make" : "remove", name, setting, predicted);
}

static void
tell_refused(struct proof *proof, const struct bounds *room, const struct observation_vgpu *vgpu,
             int rc)
{
    const struct discrepancy_text predicted = discrepancy_bounds(room);
    const struct observation_text situation = observation_situation(&proof->seen);
    const char *name = vgpu->type->name;

    if (room->least == 0)
        return;
    discrepancies_add(&proof->seen.found, DISCREPANCY_REFUSED, name, predicted.text, strerror(-rc),
                      "%s: room for %s more %s was predicted on %s; the driver refuses it (%s)",
                      situation.text, predicted.text, name, vgpu->parent.text, strerror(-rc));
}

/* The driver has not made a vGPU in the longest time. */
static void
tell_hung(struct proof *proof, const struct observation_vgpu *vgpu)
{
    const char *name = vgpu->type->name;
    char predicted[32], seen[32];

    snprintf(predicted, sizeof(predicted), "%u ms", proof->policy.prepare_timeout);
    snprintf(seen, sizeof(seen), "more than %u s", WORKBENCH_PATIENCE / 1000);
    discrepancies_add(&proof->seen.found, DISCREPANCY_SLOW_MAKE, name, predicted, seen,
                      "the driver has not made a vGPU of type %s on %s in %u s, and "
                      "prepare_timeout of vgpu.conf is %s",
                      name, vgpu->parent.text, WORKBENCH_PATIENCE / 1000, predicted);
}

/* 1: a vGPU is made; 0: there is no room for it, or the driver refused. */
static int
make(struct proof *proof, const struct inventory_type *type, struct error *error)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    struct observation_vgpu vgpu = {.type = type};
    struct load_use use = {0};
    struct bounds room;
    uint64_t began, took;
    bool is_refused;
    size_t mark;
    int rc, seen;

    if (!begin_load(proof, &load) || !find_place(proof, &load, type, &use.place))
        return 0;
    rc = begin_step(proof, error);
    if (rc < 0)
        return rc;
    room = gpu_room_at(&load, &use.place);
    mark = gpu_load_put(&load, &use);
    vgpu.parent = use.place.parent->name;
    began = host_uptime(proof->bench.host);
    rc = workbench_make(&proof->bench, &use.place, &vgpu.device, &is_refused, error);
    took = host_uptime(proof->bench.host) - began;
    if (rc == 0)
        ARRAY_ADD(proof->seen.vgpus, proof->seen.vgpu_count, vgpu);
    note(proof, "make", &vgpu, took, rc);
    if (rc == -ETIMEDOUT)
        tell_hung(proof, &vgpu);
    if (rc < 0 && !is_refused)
        return rc;
    if (is_refused) {
        tell_refused(proof, &room, &vgpu, rc);
        gpu_load_rewind(&load, mark);
    }
    check_time(proof, DISCREPANCY_SLOW_MAKE, &vgpu, took, proof->policy.prepare_timeout,
               "prepare_timeout");
    seen = observation_take(&proof->seen, &load, error);
    return seen < 0 ? seen : !is_refused;
}

/* Removes one of the vGPUs that are made. */
static int
remove_one(struct proof *proof, size_t index, struct error *error)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    const struct observation_vgpu vgpu = proof->seen.vgpus[index];
    const struct inventory_vgpu *shown = inventory_find_vgpu(&proof->seen.now, &vgpu.device);
    const char *name = vgpu.type->name;
    const uint64_t began = host_uptime(proof->bench.host);
    int rc;

    proof->seen.found.step++;
    (void)!proof->goes_on(proof, proof->data);
    rc = workbench_remove(&proof->bench, &vgpu.device, error);
    note(proof, "remove", &vgpu, host_uptime(proof->bench.host) - began, rc);
    ARRAY_REMOVE(proof->seen.vgpus, proof->seen.vgpu_count, index);
    if (rc < 0) {
        discrepancies_add(&proof->seen.found, DISCREPANCY_STAYED, name, "gone", strerror(-rc),
                          "a vGPU of type %s was removed from %s, and is still there: %s", name,
                          vgpu.parent.text, error->text);
        return rc;
    }
    check_time(proof, DISCREPANCY_SLOW_REMOVE, &vgpu, host_uptime(proof->bench.host) - began,
               proof->policy.release_timeout, "release_timeout");
    if (!begin_load(proof, &load))
        return 0;
    if (shown)
        gpu_load_drop(&load, shown);
    return observation_take(&proof->seen, &load, error);
}

static int
remove_rest(struct proof *proof, struct error *error)
{
    int rc = 0;

    while (rc == 0 && proof->seen.vgpu_count)
        rc = remove_one(proof, 0, error);
    return rc;
}

/* --- the course ------------------------------------------------------------------------------- */

/* Would the driver make another vGPU of a type, if the type had no maximum? */
static bool
is_offered(const struct proof *proof, const struct name *id)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    struct place place;
    bool offered = false;

    if (!begin_load(proof, &load))
        return false;
    place.type = inventory_find_type(load.gpu, id);
    for (size_t i = 0; place.type && i < load.gpu->parent_count; i++) {
        place.parent = load.gpu->parents[i];
        offered |= gpu_room_told(&load, &place).most > 0;
    }
    return offered;
}

static size_t
count_usable(const struct proof *proof)
{
    size_t count = 0;

    for (size_t i = 0; i < proof->seen.card->parent_count; i++)
        count += proof->usable[i];
    return count;
}

/* The GPU is full of one type. The number of its vGPUs must be the maximum that somebody tells. A
 * calculated one was compared with the driver's figures already. But another limit may be reached
 * first: the ceiling, the functions, or GPU instances (MIG). */
static void
check_maximum(struct proof *proof, const struct inventory_type *type)
{
    static const char *const who[] = {
        [LIMIT_TOLD] = "the driver",
        [LIMIT_CONFIGURED] = "vgpu.conf",
        [LIMIT_TABLE] = "the vendor's table",
    };
    const size_t made = proof->seen.vgpu_count, usable = count_usable(proof);
    char predicted[16], seen[32];
    bool more = made == type->max && is_offered(proof, &type->id);

    if (!type->max || type->max_source == LIMIT_CALCULATED || (made >= type->max && !more) ||
        (!more && (type->slices || made == type->ceiling || (usable > 1 && made >= usable))))
        return;
    snprintf(predicted, sizeof(predicted), "%u", type->max);
    snprintf(seen, sizeof(seen), "%s%zu", more ? "more than " : "", made);
    discrepancies_add(&proof->seen.found, DISCREPANCY_MAXIMUM, type->name, predicted, seen,
                      "%s says that the GPU takes %u vGPUs of type %s, and it takes %s",
                      who[type->max_source], type->max, type->name, seen);
}

/* One vGPU of a type is on the GPU. This notes which other types the driver offers beside it. */
static void
note_partners(struct proof *proof, size_t index)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    const struct course *course = &proof->course;
    struct place ignored;

    if (!begin_load(proof, &load))
        return;
    for (size_t k = 0; k < course->count; k++)
        proof->partners[index * course->count + k] =
            find_place(proof, &load, course->types[k], &ignored);
}

static int
fill(struct proof *proof, size_t index, struct error *error)
{
    const struct inventory_type *type = proof->course.types[index];
    int rc = make(proof, type, error);

    if (rc > 0)
        note_partners(proof, index);
    while (rc > 0)
        rc = make(proof, type, error);
    if (rc < 0)
        return rc;
    check_maximum(proof, type);
    return remove_rest(proof, error);
}

/* Makes a vGPU of each of two types. If both were made, removes the named one first. */
static int
pair(struct proof *proof, const struct inventory_type *const types[2], size_t first,
     struct error *error)
{
    int rc = make(proof, types[0], error);

    if (rc >= 0)
        rc = make(proof, types[1], error);
    if (rc >= 0 && proof->seen.vgpu_count == 2)
        rc = remove_one(proof, first, error);
    return rc < 0 ? rc : remove_rest(proof, error);
}

/* Tries one type with each type after it, if the driver has offered both together. */
static int
pair_with_others(struct proof *proof, size_t index, struct error *error)
{
    const struct course *course = &proof->course;
    int rc = 0;

    for (size_t k = index + 1; k < course->count; k++) {
        const struct inventory_type *const types[] = {course->types[index], course->types[k]};
        bool is_offered = proof->partners[index * course->count + k];

        for (size_t first = 0; is_offered && rc == 0 && first < 2; first++)
            rc = pair(proof, types, first, error);
    }
    return rc;
}

static int
run_course(struct proof *proof, struct error *error)
{
    const size_t count = proof->course.count;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = fill(proof, i, error), reckon(proof, i + 1);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = pair_with_others(proof, i, error);
    return rc;
}

int
proof_run(struct proof *proof, struct error *error)
{
    struct error clearing;
    int rc = run_course(proof, error), cleared = 0;

    while (cleared == 0 && proof->seen.vgpu_count)
        cleared = workbench_remove(&proof->bench,
                                   &proof->seen.vgpus[--proof->seen.vgpu_count].device, &clearing);
    if (cleared < 0)
        error_add(error, "%s", clearing.text);
    return rc;
}

int
proof_begin(struct proof *proof, const struct names *kept, bool all, struct error *error)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    struct observation *seen = &proof->seen;
    int rc;

    seen->host = proof->bench.host;
    seen->policy = &proof->policy;
    seen->gpu = proof->bench.gpu;
    rc = observation_begin(seen, error);
    if (rc < 0)
        return rc;
    proof->usable = memory_zeroed(seen->card->parent_count, sizeof(*proof->usable));
    for (size_t i = 0; i < seen->card->parent_count; i++) {
        const struct inventory_parent *parent = seen->card->parents[i];

        proof->usable[i] = !*parent->user && !names_has(kept, &parent->name);
    }
    gpu_load_init(&load, seen->card, LOAD_NOW);
    course_choose(&load, proof->usable, all, &proof->course);
    proof->partners =
        memory_zeroed(proof->course.count * proof->course.count, sizeof(*proof->partners));
    reckon(proof, 0);
    proof->began = host_uptime(seen->host);
    return 0;
}

void
proof_clear(struct proof *proof)
{
    workbench_close(&proof->bench);
    policy_clear(&proof->policy);
    observation_clear(&proof->seen);
    course_clear(&proof->course);
    free(proof->usable);
    free(proof->partners);
}
