/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/fake-snapshot.h"
#include "device/vendor.h"
#include "device/vgpu.h"
#include "fake/fake-parts.h"

#include <stdio.h>
#include <string.h>

struct name
fake_device(unsigned number)
{
    struct name name;

    snprintf(name.text, sizeof(name.text), "dddddddd-0000-4000-8000-%012u", number);
    return name;
}

struct name
fake_domain(const char *text)
{
    struct name name;
    unsigned hash = 5381;

    while (*text)
        hash = hash * 33 + (unsigned char)*text++;
    snprintf(name.text, sizeof(name.text), "aaaaaaaa-0000-4000-8000-%012u", hash);
    return name;
}

static struct name
name_of(const char *text)
{
    struct name name;

    assert(name_parse(&name, text) == 0);
    return name;
}

/* --- the machine ------------------------------------------------------------------------------ */

/* The same as device/xe.c does. */
static void
add_memory(struct inventory_gpu *gpu, const struct fake_gpu *fake)
{
    const struct limit form = {.source = LIMIT_TOLD,
                               .unit = "MiB",
                               .is_memory = true,
                               .is_enough = true,
                               .total = fake->memory};
    struct limit *memory = inventory_add_limit(gpu, &form, true);

    for (size_t i = 0; i < fake->type_count; i++) {
        memory->needs[i] = fake->types[i].framebuffer;
        memory->binds[i] = true;
    }
}

/* The same as device/scan.c finds. */
static unsigned
find_framebuffer(const struct inventory_gpu *gpu, const struct fake_gpu *fake)
{
    unsigned most = fake->rule == RULE_MIXED ? fake->memory : 0;

    for (size_t i = 0; i < gpu->type_count; i++) {
        unsigned together = gpu->types[i].framebuffer * gpu->types[i].max;

        most = together > most ? together : most;
    }
    return most;
}

static void
add_gpu(struct inventory *inventory, const struct fake_gpu *fake)
{
    const struct name name = name_of(fake->name);
    struct inventory_gpu *gpu = inventory_add_gpu(inventory, &name);

    gpu->numa = fake->numa;
    gpu->is_partial = gpu->has_all_sizes = fake->vf;
    gpu->instances = fake->parts;
    gpu->one_size = fake->rule != RULE_MIXED;
    snprintf(gpu->vendor, sizeof(gpu->vendor), "%s", fake->vendor);
    snprintf(gpu->device, sizeof(gpu->device), "%s", fake->device);
    snprintf(gpu->subsystem_vendor, sizeof(gpu->subsystem_vendor), "%s", fake->vendor);
    snprintf(gpu->subsystem_device, sizeof(gpu->subsystem_device), "%s", fake->subsystem);
    snprintf(gpu->driver.text, sizeof(gpu->driver.text), "%s", fake->driver);
    for (size_t i = 0; i < fake->type_count; i++) {
        const struct fake_type *type = &fake->types[i];
        struct inventory_type added = {.id = name_of(type->id),
                                       .framebuffer = type->framebuffer,
                                       .heads = type->heads,
                                       .max = fake->vf || fake->lent ? 0 : type->max,
                                       .slices = type->slices,
                                       .ceiling = type->slices ? fake->each : fake->ceiling,
                                       .is_configured = fake->lent};

        snprintf(added.name, sizeof(added.name), "%s", type->name);
        added.vendor = vendor_nvidia.has(&added) ? &vendor_nvidia : NULL;
        inventory_add_type(gpu, &added);
    }
    gpu->framebuffer = find_framebuffer(gpu, fake);
    if (fake->xe)
        add_memory(gpu, fake);
}

/* Finds the type that the rest of a note names, on the note's parent. */
static const struct fake_type *
noted_type(const struct fake_kernel *kernel, const struct fake_note *note)
{
    const struct fake_parent *parent = fake_find_parent(kernel, note->name);
    const struct fake_type *type =
        parent ? fake_find_type_word(fake_gpu_of(kernel, parent), note->rest) : NULL;

    assert(type);
    return type;
}

/* The type of the pool to which a function belongs. The GPU has the type. */
static size_t
find_pool(const struct fake_kernel *kernel, const struct fake_parent *parent)
{
    const struct fake_gpu *gpu = fake_gpu_of(kernel, parent);
    const struct fake_note *note =
        ARRAY_FIND(kernel->machine->notes, kernel->machine->note_count, each,
                   each->kind == NOTED_MEMBER && !strcmp(each->name, parent->name));

    assert(note);
    return (size_t)(noted_type(kernel, note) - gpu->types);
}

/* A function of a pool never changes its type; see device/pool.c. */
static void
add_parent(struct inventory *inventory, const struct fake_kernel *kernel,
           const struct fake_parent *fake)
{
    const struct fake_gpu *gpu = fake_gpu_of(kernel, fake);
    struct inventory_parent parent = {.name = name_of(fake->name),
                                      .gpu = inventory->gpus[fake->gpu],
                                      .interface = gpu->lent ? &vgpu_pool
                                                   : gpu->xe ? &vgpu_xe
                                                   : gpu->vf ? &vgpu_vf
                                                             : &vgpu_mdev,
                                      .is_separate = gpu->lent};

    inventory_add_parent(inventory, &parent);
    if (gpu->lent)
        inventory->gpus[fake->gpu]->types[find_pool(kernel, fake)].max++;
}

/* How many more vGPUs of a type a parent would make now. */
static int
available_on(const struct fake_kernel *kernel, const struct fake_parent *parent,
             const struct fake_type *type)
{
    const struct fake_gpu *gpu = fake_gpu_of(kernel, parent);

    if (!gpu->lent)
        return (int)fake_room(kernel, parent, type);
    if ((size_t)(type - gpu->types) != find_pool(kernel, parent))
        return INVENTORY_NEVER;
    return kernel->usage->here[parent - kernel->machine->parents] == 0;
}

static void
add_lease(struct fake_snapshot *snapshot, const struct fake_vgpu *fake,
          const struct inventory_vgpu *vgpu, const struct fake_type *type)
{
    const struct inventory_parent *parent = vgpu->parent;
    bool is_found = !strcmp(fake->state, "found");
    struct lease lease = {.vgpu = {.interface = parent->interface,
                                   .device = vgpu->device,
                                   .type = vgpu->type,
                                   .parent = parent->name},
                          .framebuffer = type ? type->framebuffer : 0,
                          .gpu = parent->gpu->name,
                          .domain = fake_domain(fake->owner),
                          .origin = is_found ? LEASE_FOUND : LEASE_MADE,
                          .state = is_found ? LEASE_HELD : LEASE_PENDING,
                          .time = fake->at};

    while (!is_found && strcmp(lease_state_name(lease.state), fake->state))
        assert(lease.state++ < LEASE_RESERVED);
    snprintf(lease.domain_name, sizeof(lease.domain_name), "%s", fake->owner);
    assert(snapshot->ledger.count < FAKE_LEASES);
    snapshot->numbers[snapshot->ledger.count] = fake->number;
    snapshot->busy[snapshot->ledger.count] = fake->busy;
    ledger_add(&snapshot->ledger, &lease);
}

/* Are the vGPUs of a GPU its functions, and not mediated devices? */
static bool
is_function(const struct fake_gpu *gpu)
{
    return gpu->vf || gpu->xe || gpu->lent;
}

/* The kernel does not show pending and reserved vGPUs, unless the line says that it does. "-": the
 * vGPU has no type yet. */
static void
add_vgpu(struct fake_snapshot *snapshot, const struct fake_kernel *kernel,
         const struct fake_vgpu *fake)
{
    const struct fake_parent *parent = fake_find_parent(kernel, fake->parent);
    bool is_claim = !strcmp(fake->state, "pending") || !strcmp(fake->state, "reserved");
    struct inventory_vgpu vgpu = {.device = fake_device(fake->number)};
    const struct fake_type *type = NULL;
    size_t index;

    assert(parent);
    index = (size_t)(parent - kernel->machine->parents);
    vgpu.parent = snapshot->inventory.parents[index];
    if (is_function(fake_gpu_of(kernel, parent)))
        vgpu.device = name_of(parent->name);
    if (strcmp(fake->type, "-")) {
        type = fake_find_type_word(fake_gpu_of(kernel, parent), fake->type);
        assert(type);
        vgpu.type = name_of(type->id);
    }
    if (!fake->hidden && (!is_claim || fake->shown)) {
        inventory_add_vgpu(&snapshot->inventory, &vgpu);
        if (type) {
            fake_count_one(kernel, parent, type, 1);
            if (fake_gpu_of(kernel, parent)->xe)
                vgpu.parent->gpu->limits[0].held[vgpu.parent->index] = type->framebuffer;
        } else
            kernel->usage->here[index]++;
    }
    if (strcmp(fake->state, "foreign"))
        add_lease(snapshot, fake, &vgpu, type);
}

/* --- the notes -------------------------------------------------------------------------------- */

/* Drops the types that a GPU's functions do not list now. If such a type has a vGPU, only its id is
 * known. */
static void
forget_types(struct inventory_gpu *gpu)
{
    for (size_t type = gpu->type_count; type-- > 0;) {
        struct inventory_type *dropped = &gpu->types[type];
        bool listed = false, made = false;

        for (size_t i = 0; i < gpu->parent_count; i++)
            listed |= gpu->parents[i]->available[type];
        for (size_t i = 0; i < gpu->vgpu_count; i++)
            made |= name_equal(&gpu->vgpus[i]->type, &dropped->id);
        if (!listed && made) {
            snprintf(dropped->name, sizeof(dropped->name), "%s", dropped->id.text);
            dropped->framebuffer = 0;
        }
        if (listed || made)
            continue;
        gpu->type_count--;
        memmove(dropped, dropped + 1, (gpu->type_count - type) * sizeof(*dropped));
        for (size_t i = 0; i < gpu->parent_count; i++) {
            int *here = &gpu->parents[i]->available[type];

            memmove(here, here + 1, (gpu->type_count - type) * sizeof(*here));
        }
    }
}

static void
add_note(struct fake_snapshot *snapshot, const struct fake_kernel *kernel,
         const struct fake_note *note)
{
    struct inventory *inventory = &snapshot->inventory;
    struct inventory_ineligible stranger = {.device = name_of(note->name)};
    struct placement_rejection rejection = {.parent = name_of(note->name), .error = -EIO};
    const struct fake_parent *parent;
    const struct fake_type *type;
    size_t index;

    switch (note->kind) {
    case NOTED_DRAINED:
        assert(names_add(&snapshot->ledger.drained, note->name) == 0);
        break;
    case NOTED_REFUSED:
        rejection.type = name_of(noted_type(kernel, note)->id);
        ARRAY_ADD(snapshot->rejections, snapshot->rejection_count, rejection);
        break;
    case NOTED_UNREADABLE:
        type = noted_type(kernel, note);
        parent = fake_find_parent(kernel, note->name);
        index = (size_t)(type - fake_gpu_of(kernel, parent)->types);
        inventory->parents[parent - kernel->machine->parents]->available[index] = -EIO;
        break;
    case NOTED_FORGETFUL:
        for (index = 0; strcmp(inventory->gpus[index]->name.text, note->name); index++)
            assert(index + 1 < inventory->gpu_count);
        forget_types(inventory->gpus[index]);
        break;
    case NOTED_STRANGER:
        snprintf(stranger.why, sizeof(stranger.why), "%s", note->rest);
        ARRAY_ADD(inventory->ineligible, inventory->ineligible_count, stranger);
        break;
    case NOTED_MEMBER: /* read when the parent of this vGPU is added */
        break;
    }
}

void
fake_snapshot_make(struct fake_snapshot *ret, const char *text)
{
    struct fake_machine *machine = fake_parse(text);
    struct fake_kernel kernel = {.machine = machine, .usage = calloc(1, sizeof(*kernel.usage))};

    assert(kernel.usage);
    *ret = (struct fake_snapshot){.rejections = NULL};
    fake_free_instances(&kernel);
    for (size_t i = 0; i < machine->gpu_count; i++)
        add_gpu(&ret->inventory, &machine->gpus[i]);
    for (size_t i = 0; i < machine->parent_count; i++)
        add_parent(&ret->inventory, &kernel, &machine->parents[i]);
    for (size_t i = 0; i < machine->vgpu_count; i++)
        add_vgpu(ret, &kernel, &machine->vgpus[i]);
    for (size_t i = 0; i < machine->parent_count; i++) {
        const struct fake_parent *parent = &machine->parents[i];
        const struct fake_gpu *gpu = fake_gpu_of(&kernel, parent);

        for (size_t t = 0; t < gpu->type_count; t++)
            ret->inventory.parents[i]->available[t] = available_on(&kernel, parent, &gpu->types[t]);
    }
    for (size_t i = 0; i < machine->note_count; i++)
        add_note(ret, &kernel, &machine->notes[i]);
    free(kernel.usage);
    fake_free(machine);
}

void
fake_snapshot_clear(struct fake_snapshot *snapshot)
{
    inventory_clear(&snapshot->inventory);
    ledger_clear(&snapshot->ledger);
    free(snapshot->rejections);
}
