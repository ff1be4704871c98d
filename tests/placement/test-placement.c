/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * placement: what goes where, as tables.
 *
 * A host is written a line a thing:
 *
 *     gpu a numa 0 vfs 2 X-1:1024:4 X-2:2048:2     types with MiB and most instances; VFs a.0, a.1
 *     gpu m pool 4 M-1/1 M-2/2                      units, and how many of them a type uses
 *     gpu v vf 2 X-1:1024:4                         VFs that are vGPUs themselves: v.0, v.1
 *     gpu v vf 2 mixed 4096 X-1:1024:0              of any sizes, while that lasts (MiB)
 *     gpu v vf 4 X-1:1024:2@1                       types of GPU instances: 2, of one slice each
 *     held 7 X-1 a.0 web1                           a vGPU: state, number, type, parent, whose
 *     refused a X-1
 *     drained a
 *     forgetful v                                   knows no type but those listed or made now
 *     stranger x.1 which is no GPU
 *
 * States are the leases' and `foreign` (no lease), `found` (held, and not made by us). `hidden`
 * behind it: the kernel does not show it (yet), as is usual for pending and reserved ones; `shown`
 * the opposite; `busy`: may not be reaped; `at N`: the lease's time. A request is a device a ';',
 * each word one of its attributes, and may say `nodes=0-1` or `name=ci-1` anywhere; `on=v.1` is a
 * PCI device, `free=place` or `free=kind` what all of them may be instead. An answer is "PARENT
 * TYPE" per device, or the error and the words that its message must have. Drivers of `vf` tell no
 * maximum.
 */

#include "base/array.h"
#include "device/vgpu.h"
#include "placement/max-instances.h"
#include "placement/placement.h"
#include "placement/resolution.h"
#include "policy/policy-load.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define MOST 32

struct world {
    struct inventory inventory;
    struct ledger ledger;
    struct request request;
    struct policy policy;
    struct demands demands;
    struct names drained;
    struct placement_rejection rejections[MOST];
    size_t rejection_count;
    unsigned pools[MOST], units[MOST][MOST]; /* of GPUs, and of their types */
    unsigned most[MOST][MOST];               /* of their types, whether the driver tells or not */
    unsigned memory[MOST];                   /* of GPUs of mixed sizes, MiB */
    bool forgetful[MOST];
    bool busy[MOST];       /* leases that may not be reaped */
    unsigned number[MOST]; /* of leases, as the text says */
    enum demand_freedom freedom;
    char *texts[2 * MOST]; /* what the request's strings are in */
    size_t text_count;
    char name[64];
};

static struct host host = {.ops = &host_kernel, .config = "."};
static char directory[] = "/tmp/test-placement-XXXXXX";

/* --- names ------------------------------------------------------------------------------------ */

static struct name
device_name(unsigned number)
{
    struct name name;

    snprintf(name.text, sizeof(name.text), "dddddddd-0000-4000-8000-%012u", number);
    return name;
}

static struct name
domain_uuid(const char *text)
{
    struct name name;
    unsigned hash = 5381;

    while (*text)
        hash = hash * 33 + (unsigned char)*text++;
    snprintf(name.text, sizeof(name.text), "aaaaaaaa-0000-4000-8000-%012u", hash);
    return name;
}

static struct name
plain_name(const char *text)
{
    struct name name = {""};

    if (name_parse(&name, text) < 0)
        fail_msg("no name: %s", text);
    return name;
}

/* --- a host, from its text -------------------------------------------------------------------- */

/* The next of the words in a line; they end up terminated. */
static char *
next_word(char **line)
{
    char *word;

    do
        word = strsep(line, " ");
    while (word && !*word);
    return word;
}

static unsigned
next_number(char **line)
{
    const char *word = next_word(line);

    assert_non_null(word);
    return (unsigned)strtoul(word, NULL, 10);
}

static size_t
find_parent(const struct world *world, const char *name)
{
    for (size_t i = 0; i < world->inventory.parent_count; i++) {
        if (!strcmp(world->inventory.parents[i].name.text, name))
            return i;
    }
    fail_msg("no parent %s", name);
    return 0;
}

/* The id of a type is its name in small letters. */
static struct name
type_id(const char *name)
{
    struct name id = plain_name(name);

    for (char *c = id.text; *c; c++)
        *c |= *c >= 'A' && *c <= 'Z' ? ' ' : 0;
    return id;
}

static size_t
find_type(const struct inventory_gpu *gpu, const struct name *id)
{
    const struct inventory_type *type = inventory_find_type(gpu, id);

    if (!type)
        fail_msg("no type %s on %s", id->text, gpu->name.text);
    return (size_t)(type - gpu->types);
}

/* "X-1:1024:4", "M-2/2" or "X-1:1024:2@1" */
static void
add_type(struct world *world, struct inventory_gpu *gpu, char *word)
{
    struct inventory_type type = {.heads = 0};
    char *units = strchr(word, '/'), *size = strchr(word, ':');
    size_t index = (size_t)(gpu - world->inventory.gpus);

    if (units)
        *units++ = '\0';
    if (size) {
        *size++ = '\0';
        assert_true(sscanf(size, "%u:%u@%u", &type.framebuffer, &type.max, &type.slices) >= 2);
    }
    world->most[index][gpu->count] = type.max;
    if (gpu->is_partial)
        type.max = 0;
    type.id = type_id(word);
    snprintf(type.name, sizeof(type.name), "GRID %s", word);
    world->units[index][gpu->count] = units ? (unsigned)strtoul(units, NULL, 10) : 0;
    assert_int_equal(ARRAY_ADD(gpu->types, gpu->count, type), 0);
}

static void
add_gpu(struct world *world, char *line)
{
    struct inventory *inventory = &world->inventory;
    struct inventory_gpu gpu = {.name = plain_name(next_word(&line)), .numa = -1};
    struct inventory_gpu *added;
    unsigned functions = 0;
    char *word;

    assert_int_equal(ARRAY_ADD(inventory->gpus, inventory->gpu_count, gpu), 0);
    added = &inventory->gpus[inventory->gpu_count - 1];
    while ((word = next_word(&line))) {
        if (!strcmp(word, "numa"))
            added->numa = (int)next_number(&line);
        else if (!strcmp(word, "vfs") || !strcmp(word, "vf")) {
            added->is_partial = !word[2];
            functions = next_number(&line);
        } else if (!strcmp(word, "mixed")) {
            added->is_mixed = true;
            world->memory[inventory->gpu_count - 1] = next_number(&line);
        } else if (!strcmp(word, "pool"))
            world->pools[inventory->gpu_count - 1] = next_number(&line);
        else if (!strcmp(word, "vendor"))
            snprintf(added->vendor, sizeof(added->vendor), "%s", next_word(&line));
        else if (!strcmp(word, "device"))
            snprintf(added->device, sizeof(added->device), "%s", next_word(&line));
        else if (!strcmp(word, "driver"))
            added->driver = plain_name(next_word(&line));
        else
            add_type(world, added, word);
    }
    for (unsigned i = 0; i < (functions ? functions : 1); i++) {
        struct inventory_parent parent = {.name = added->name,
                                          .gpu = inventory->gpu_count - 1,
                                          .interface = added->is_partial ? &vgpu_vf : &vgpu_mdev};

        if (functions)
            snprintf(parent.name.text, sizeof(parent.name.text), "%.50s.%u", added->name.text, i);
        parent.available = calloc(added->count + 1, sizeof(*parent.available));
        assert_int_equal(ARRAY_ADD(inventory->parents, inventory->parent_count, parent), 0);
    }
}

static bool
find_state(const char *word, enum lease_state *ret)
{
    for (*ret = LEASE_PENDING; *ret <= LEASE_RESERVED; ++*ret) {
        if (!strcmp(word, lease_state_name(*ret)))
            return true;
    }
    return false;
}

static void
add_vgpu(struct world *world, const char *word, char *line)
{
    struct inventory *inventory = &world->inventory;
    unsigned number = next_number(&line);
    struct inventory_vgpu vgpu = {.device = device_name(number)};
    struct lease lease = {.origin = strcmp(word, "found") ? LEASE_MADE : LEASE_FOUND,
                          .state = LEASE_HELD};
    bool foreign = !strcmp(word, "foreign"), hidden, busy = false;
    const struct inventory_gpu *gpu;
    const char *type = next_word(&line), *owner;
    size_t index;

    if (!foreign && lease.origin == LEASE_MADE && !find_state(word, &lease.state))
        fail_msg("unknown word: %s", word);
    vgpu.parent = find_parent(world, next_word(&line));
    gpu = &inventory->gpus[inventory->parents[vgpu.parent].gpu];
    if (gpu->is_partial)
        vgpu.device = inventory->parents[vgpu.parent].name;
    hidden = lease.state == LEASE_PENDING || lease.state == LEASE_RESERVED;
    owner = foreign ? "" : next_word(&line);
    while ((word = next_word(&line))) {
        hidden = !strcmp(word, "hidden") || (hidden && strcmp(word, "shown"));
        busy = busy || !strcmp(word, "busy");
        if (!strcmp(word, "at"))
            lease.time = next_number(&line);
    }
    if (strcmp(type, "-")) {
        vgpu.type = type_id(type);
        index = find_type(gpu, &vgpu.type);
        lease.framebuffer = gpu->types[index].framebuffer;
    }
    if (!hidden)
        assert_int_equal(ARRAY_ADD(inventory->vgpus, inventory->vgpu_count, vgpu), 0);
    if (foreign)
        return;
    lease.vgpu = (struct vgpu){inventory->parents[vgpu.parent].interface, vgpu.device, vgpu.type,
                               inventory->parents[vgpu.parent].name};
    lease.gpu = gpu->name;
    lease.domain = domain_uuid(owner);
    snprintf(lease.domain_name, sizeof(lease.domain_name), "%s", owner);
    world->busy[world->ledger.count] = busy;
    world->number[world->ledger.count] = number;
    assert_int_equal(ledger_add(&world->ledger, &lease), 0);
}

static void
add_refusal(struct world *world, char *line)
{
    struct placement_rejection *refusal = &world->rejections[world->rejection_count++];

    refusal->parent = plain_name(next_word(&line));
    refusal->type = type_id(next_word(&line));
    refusal->error = -EIO;
}

/* What is made on a GPU, and how that keeps a type away. */
struct made {
    unsigned all, here, units, memory, same;
    bool other_size;
};

static struct made
count_made(const struct world *world, size_t parent, size_t type)
{
    const struct inventory *inventory = &world->inventory;
    size_t index = inventory->parents[parent].gpu;
    const struct inventory_gpu *gpu = &inventory->gpus[index];
    struct made made = {0};

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        size_t other;

        if (inventory->parents[vgpu->parent].gpu != index)
            continue;
        made.all++;
        made.here += vgpu->parent == parent;
        if (!*vgpu->type.text)
            continue;
        other = find_type(gpu, &vgpu->type);
        made.same += other == type;
        made.units += world->units[index][other];
        made.memory += gpu->types[other].framebuffer;
        made.other_size |= gpu->types[other].framebuffer != gpu->types[type].framebuffer;
    }
    return made;
}

/* What the driver says: a pool of units; what is left of mixed sizes, or of GPU instances; or the
 * rule of one size per GPU. */
static int
count_available(const struct world *world, size_t parent, size_t type)
{
    const struct inventory *inventory = &world->inventory;
    size_t index = inventory->parents[parent].gpu;
    const struct inventory_gpu *gpu = &inventory->gpus[index];
    bool is_function = !name_equal(&inventory->parents[parent].name, &gpu->name);
    struct made made = count_made(world, parent, type);
    unsigned most = world->most[index][type];

    if (world->pools[index])
        return (int)((world->pools[index] - made.units) / world->units[index][type]);
    if (gpu->types[type].slices)
        return made.same < most && made.here == 0;
    if (gpu->is_mixed)
        return made.memory + gpu->types[type].framebuffer <= world->memory[index] && !made.here;
    if (made.other_size || made.all >= most)
        return 0;
    return is_function ? made.here == 0 : (int)(most - made.all);
}

/* Drops what its functions do not list just now; of what is made they know the id only. */
static void
forget_types(struct world *world, size_t index)
{
    struct inventory *inventory = &world->inventory;
    struct inventory_gpu *gpu = &inventory->gpus[index];

    for (size_t type = gpu->count; type-- > 0;) {
        struct inventory_type *dropped = &gpu->types[type];
        bool listed = false, made = false;

        for (size_t i = 0; i < inventory->parent_count; i++)
            listed |= inventory->parents[i].gpu == index && inventory->parents[i].available[type];
        for (size_t i = 0; i < inventory->vgpu_count; i++)
            made |= name_equal(&inventory->vgpus[i].type, &dropped->id);
        if (!listed && made) {
            snprintf(dropped->name, sizeof(dropped->name), "%s", dropped->id.text);
            dropped->framebuffer = 0;
        }
        if (listed || made)
            continue;
        gpu->count--;
        memmove(dropped, dropped + 1, (gpu->count - type) * sizeof(*dropped));
        for (size_t i = 0; i < inventory->parent_count; i++) {
            int *here = &inventory->parents[i].available[type];

            if (inventory->parents[i].gpu == index)
                memmove(here, here + 1, (gpu->count - type) * sizeof(*here));
        }
    }
}

static void
add_stranger(struct world *world, char *line)
{
    struct inventory *inventory = &world->inventory;
    struct inventory_ineligible stranger = {.device = plain_name(next_word(&line))};

    snprintf(stranger.why, sizeof(stranger.why), "%s", line);
    assert_int_equal(ARRAY_ADD(inventory->ineligible, inventory->ineligible_count, stranger), 0);
}

static size_t
find_gpu(const struct world *world, const char *name)
{
    for (size_t i = 0; i < world->inventory.gpu_count; i++) {
        if (!strcmp(world->inventory.gpus[i].name.text, name))
            return i;
    }
    fail_msg("no GPU %s", name);
    return 0;
}

static void
build_host(struct world *world, const char *text)
{
    AUTO_FREE char *copy = strdup(text);
    char *rest = copy, *line;
    char *unreadable[MOST];
    size_t unreadable_count = 0;

    while ((line = strsep(&rest, "\n"))) {
        const char *word = next_word(&line);

        if (!word)
            continue;
        if (!strcmp(word, "gpu"))
            add_gpu(world, line);
        else if (!strcmp(word, "drained"))
            assert_int_equal(names_add(&world->drained, next_word(&line)), 0);
        else if (!strcmp(word, "refused"))
            add_refusal(world, line);
        else if (!strcmp(word, "unreadable"))
            unreadable[unreadable_count++] = line;
        else if (!strcmp(word, "forgetful"))
            world->forgetful[find_gpu(world, next_word(&line))] = true;
        else if (!strcmp(word, "stranger"))
            add_stranger(world, line);
        else
            add_vgpu(world, word, line);
    }
    for (size_t i = 0; i < world->inventory.parent_count; i++) {
        const struct inventory_parent *parent = &world->inventory.parents[i];

        for (size_t t = 0; t < world->inventory.gpus[parent->gpu].count; t++)
            parent->available[t] = count_available(world, i, t);
    }
    for (size_t i = 0; i < world->inventory.gpu_count; i++) {
        if (world->forgetful[i])
            forget_types(world, i);
    }
    for (size_t i = 0; i < unreadable_count; i++) {
        size_t parent = find_parent(world, next_word(&unreadable[i]));
        struct name id = type_id(next_word(&unreadable[i]));
        const struct inventory_parent *found = &world->inventory.parents[parent];

        found->available[find_type(&world->inventory.gpus[found->gpu], &id)] = -EIO;
    }
}

/* --- a request, from its text ----------------------------------------------------------------- */

static void
add_device(struct world *world, char *line)
{
    struct request *request = &world->request;
    struct request_device device = {0};
    struct request_hostdev hostdev = {.source = device_name((unsigned)request->hostdev_count + 101),
                                      .is_gpu = true,
                                      .device = request->device_count};
    const struct {
        const char *word;
        char **field;
    } words[] = {
        {"type=", &device.type},           {"class=", &device.class}, {"parent=", &device.parent},
        {"placement=", &device.placement}, {"numa=", &device.numa},   {"traits=", &device.traits},
    };
    char *word, *alias = NULL;

    while ((word = next_word(&line))) {
        if (!strncmp(word, "nodes=", 6))
            assert_int_equal(nodeset_add(&request->nodes, word + 6), 0);
        else if (!strncmp(word, "name=", 5))
            snprintf(world->name, sizeof(world->name), "%s", word + 5);
        else if (!strncmp(word, "uuid=", 5))
            hostdev.source = device_name((unsigned)strtoul(word + 5, NULL, 10));
        else if (!strncmp(word, "free=", 5))
            world->freedom = word[5] == 'p' ? DEMAND_ANY_PLACE : DEMAND_ANY_KIND;
        else if (!strncmp(word, "on=", 3)) {
            hostdev.source = plain_name(word + 3);
            hostdev.kind = REQUEST_PCI;
        }
        for (size_t i = 0; i < COUNT(words); i++) {
            if (!strncmp(word, words[i].word, strlen(words[i].word)))
                *words[i].field = word + strlen(words[i].word);
        }
    }
    if (!device.type && !device.class)
        return;
    assert_true(asprintf(&alias, "gpu%zu", request->hostdev_count) > 0);
    world->texts[world->text_count++] = hostdev.alias = device.alias = alias;
    assert_int_equal(ARRAY_ADD(request->devices, request->device_count, device), 0);
    assert_int_equal(ARRAY_ADD(request->hostdevs, request->hostdev_count, hostdev), 0);
}

static void
build_request(struct world *world, const char *text)
{
    char *copy = strdup(text), *rest = copy, *line;

    world->texts[world->text_count++] = copy;
    snprintf(world->name, sizeof(world->name), "me");
    world->request.name = world->name;
    while ((line = strsep(&rest, ";")))
        add_device(world, line);
    world->request.domain = domain_uuid(world->name);
}

static void
build_policy(struct world *world, const char *text)
{
    struct error error;
    AUTO_CLOSE int fd =
        openat(host.root, "vgpu.conf", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    if (policy_load(&host, &world->policy, &error) < 0)
        fail_msg("%s: %s", text, error.text);
    for (size_t i = 0; i < world->drained.count; i++)
        assert_int_equal(names_add(&world->policy.drained, world->drained.items[i].text), 0);
}

static void
world_clear(struct world *world)
{
    inventory_clear(&world->inventory);
    ledger_clear(&world->ledger);
    policy_clear(&world->policy);
    names_clear(&world->drained);
    demands_clear(&world->demands);
    free(world->request.devices);
    free(world->request.hostdevs);
    for (size_t i = 0; i < world->text_count; i++)
        free(world->texts[i]);
}

/* --- a question and its answer ---------------------------------------------------------------- */

struct row {
    const char *host, *policy, *request, *wanted;
};

static void
print_choices(const struct world *world, const struct placement_choice *choices, char *text,
              size_t size)
{
    static const char *const ways[] = {
        [PLACEMENT_CREATE] = "", [PLACEMENT_REUSE] = "take ", [PLACEMENT_FOREIGN] = "find "};
    size_t at = 0;

    for (size_t i = 0; i < world->demands.count && at < size; i++) {
        const struct inventory_parent *parent = &world->inventory.parents[choices[i].parent];
        const struct inventory_type *type =
            &world->inventory.gpus[parent->gpu].types[choices[i].type];

        at += (size_t)snprintf(text + at, size - at, "%s%s%s %s", i ? ", " : "",
                               ways[choices[i].way], parent->name.text,
                               type->name + (strncmp(type->name, "GRID ", 5) ? 0 : 5));
    }
}

static struct placement_problem
problem_of(const struct world *world)
{
    return (struct placement_problem){
        .request = &world->request,
        .demands = &world->demands,
        .policy = &world->policy,
        .inventory = &world->inventory,
        .ledger = &world->ledger,
        .rejections = world->rejections,
        .rejection_count = world->rejection_count,
    };
}

/* Those whom recovery.c would offer: other domains' that nobody needs. */
static size_t
reap(const struct world *world)
{
    const struct placement_problem problem = problem_of(world);
    bool may_reap[MOST + 1] = {false};

    for (size_t i = 0; i < world->ledger.count; i++) {
        const struct lease *lease = &world->ledger.leases[i];

        may_reap[i] = (lease->state == LEASE_KEPT || lease->state == LEASE_LEAVING) &&
                      !world->busy[i] && !name_equal(&lease->domain, &world->request.domain);
    }
    return placement_pick_victim(&problem, may_reap);
}

/* "a X-1, a X-1", or "ENOSPC gpu0 ..." and then, after " reap ", what would be removed. */
static void
answer(struct world *world, char *text, size_t size)
{
    static const struct {
        int error;
        const char *name;
    } names[] = {{ENOSPC, "ENOSPC"}, {ENOENT, "ENOENT"}, {EEXIST, "EEXIST"}, {E2BIG, "E2BIG"}};
    const struct placement_problem problem = problem_of(world);
    struct placement_choice choices[MOST];
    struct error error = {0};
    int rc = resolution_make(&world->request, &world->policy, &world->demands, &error);

    assert_int_equal(rc, 0);
    world->demands.nodes = world->request.nodes;
    demands_set_free(&world->demands, world->freedom);
    rc = placement_find(&problem, choices, &error);
    if (rc == 0)
        return print_choices(world, choices, text, size);
    snprintf(text, size, "%d %s", rc, error.text);
    for (size_t i = 0; i < COUNT(names); i++) {
        if (rc == -names[i].error)
            snprintf(text, size, "%s %s", names[i].name, error.text);
    }
}

static void
ask(const struct row *row, char *text, size_t size, size_t *victim)
{
    AUTO(world_clear) struct world world = {0};

    build_host(&world, row->host);
    build_policy(&world, row->policy);
    max_instances_apply(&world.policy, &world.inventory);
    build_request(&world, row->request);
    answer(&world, text, size);
    *victim = reap(&world);
    if (*victim != SIZE_MAX)
        *victim = world.number[*victim];
}

/* An answer, or an error and words of its message, between '|'; those after a '!' it has not. */
static bool
is_answer(const char *text, const char *wanted)
{
    AUTO_FREE char *copy = strdup(wanted);
    char *rest = copy, *part;

    if (*wanted != 'E')
        return !strcmp(text, wanted);
    while ((part = strsep(&rest, "|"))) {
        if (*part == '!' ? strstr(text, part + 1) != NULL : !strstr(text, part))
            return false;
    }
    return !strchr(text, '\n');
}

static void
check_rows(const struct row *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        char text[2200], again[2200];
        size_t victim;

        ask(&rows[i], text, sizeof(text), &victim);
        ask(&rows[i], again, sizeof(again), &victim);
        assert_string_equal(text, again);
        if (is_answer(text, rows[i].wanted))
            continue;
        print_error("--- row %zu\n%s%s\n%s\ngives: %s\nnot:   %s\n", i, rows[i].host,
                    rows[i].policy, rows[i].request, text, rows[i].wanted);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* --- pack and spread -------------------------------------------------------------------------- */

#define X     " X-1:1024:4 X-2:2048:2 X-4:4096:1\n"
#define THREE "gpu a" X "gpu b" X "gpu c" X

static void
pack_fills_and_keeps_empty_ones_empty(void **state)
{
    static const struct row rows[] = {
        /* one device */
        {THREE, "", "type=X-1", "a X-1"},
        {THREE "foreign 1 X-1 b", "", "type=X-1", "b X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-1 c\nforeign 3 X-1 c", "", "type=X-1", "c X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-2 c", "", "type=X-1", "b X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-2 c", "", "type=X-2", "c X-2"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-2 c", "", "type=X-4", "a X-4"},
        /* a claim fills as well as what is made; what the kernel no longer shows does not */
        {THREE "pending 1 X-1 c other", "", "type=X-1", "c X-1"},
        {THREE "held 1 X-1 c other hidden", "", "type=X-1", "a X-1"},
        /* several */
        {THREE, "", "type=X-1;type=X-1", "a X-1, a X-1"},
        {THREE, "", "type=X-1;type=X-1;type=X-1;type=X-1;type=X-1",
         "a X-1, a X-1, a X-1, a X-1, b X-1"},
        {THREE "foreign 1 X-1 c\nforeign 2 X-1 c", "", "type=X-1;type=X-1;type=X-1",
         "c X-1, c X-1, a X-1"},
        /* full is by share, not by number: 1 of 2 is fuller than 2 of 8 */
        {"gpu a Y:1024:8\ngpu b Y:1024:2\nforeign 1 Y a\nforeign 2 Y a\nforeign 3 Y b", "",
         "type=Y", "b Y"},
        /* the fullest by the whole GPU, whichever functions are free */
        {"gpu a vfs 2" X "gpu b vfs 4" X "foreign 1 X-1 a.0\nforeign 2 X-1 b.1\nforeign 3 X-1 b.2",
         "", "type=X-1", "a.1 X-1"},
        {"gpu a vfs 4" X "gpu b vfs 4" X "foreign 2 X-1 b.1\nforeign 3 X-1 b.2", "", "type=X-1",
         "b.0 X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void
spread_takes_the_emptiest(void **state)
{
    static const char spread[] = "placement = \"spread\";";
    static const struct row rows[] = {
        {THREE, spread, "type=X-1", "a X-1"},
        {THREE "foreign 1 X-1 a", spread, "type=X-1", "b X-1"},
        {THREE "foreign 1 X-1 a\nforeign 2 X-1 b", spread, "type=X-1", "c X-1"},
        {THREE "foreign 1 X-1 a\nforeign 2 X-1 b\nforeign 3 X-2 c", spread, "type=X-1", "a X-1"},
        {THREE "pending 1 X-1 a other", spread, "type=X-1", "b X-1"},
        /* the devices of one domain on different GPUs */
        {THREE, spread, "type=X-1;type=X-1", "a X-1, b X-1"},
        {THREE, spread, "type=X-1;type=X-1;type=X-1;type=X-1", "a X-1, b X-1, c X-1, a X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-1 b\nforeign 3 X-2 c", spread, "type=X-1;type=X-1",
         "a X-1, b X-1"},
        {THREE "held 1 X-1 a me\nforeign 2 X-1 b\nforeign 3 X-1 b\nforeign 4 X-2 c", spread,
         "type=X-1 uuid=1;type=X-1", "take a X-1, b X-1"},
        /* if need be on one */
        {"gpu a" X, spread, "type=X-1;type=X-1", "a X-1, a X-1"},
        {"gpu a" X "gpu b" X "foreign 1 X-2 a", spread, "type=X-1;type=X-1", "b X-1, b X-1"},
        /* what one asks for is not asked of the others */
        {THREE "foreign 1 X-1 b", "", "type=X-1 placement=spread;type=X-1", "a X-1, a X-1"},
        {THREE "foreign 1 X-1 b", spread, "type=X-1 placement=pack", "b X-1"},
        {THREE "foreign 1 X-1 b",
         "placement = \"spread\"; classes = { c = { types = [ \"X-1\" ]; "
         "placement = \"pack\"; }; };",
         "class=c", "b X-1"},
        {THREE "foreign 1 X-1 b",
         "classes = { c = { types = [ \"X-1\" ]; placement = \"spread\"; }; };", "class=c",
         "a X-1"},
        {THREE "foreign 1 X-1 b",
         "classes = { c = { types = [ \"X-1\" ]; placement = \"spread\"; }; };",
         "class=c placement=pack", "b X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- NUMA ------------------------------------------------------------------------------------- */

#define NODES "gpu a numa 0" X "gpu b numa 1" X "gpu c" X

static void
near_first_or_only(void **state)
{
    static const char ignore[] = "numa = \"ignore\";", require[] = "numa = \"require\";";
    static const struct row rows[] = {
        /* prefer: before any packing, but not before having one */
        {NODES, "", "type=X-1 nodes=1", "b X-1"},
        {NODES "foreign 1 X-1 a", "", "type=X-1 nodes=1", "b X-1"},
        {NODES "foreign 1 X-4 b", "", "type=X-1 nodes=1", "a X-1"},
        {NODES "foreign 1 X-1 c\nforeign 2 X-4 b", "", "type=X-1 nodes=1", "c X-1"},
        {NODES "foreign 1 X-1 b", "", "type=X-1 nodes=0-1", "b X-1"},
        {NODES, "", "type=X-1 nodes=7", "a X-1"},
        {NODES, "", "type=X-4 nodes=1;type=X-4;type=X-4", "b X-4, a X-4, c X-4"},
        /* a guest that is bound to nothing is near everywhere */
        {NODES "foreign 1 X-1 c", "", "type=X-1", "c X-1"},
        /* the type that is preferred comes first */
        {"gpu a numa 0 X-2:2048:2\ngpu b numa 1 X-1:1024:4",
         "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };", "class=c nodes=1", "a X-2"},
        /* ignore */
        {NODES, ignore, "type=X-1 nodes=1", "a X-1"},
        {NODES "foreign 1 X-1 c", ignore, "type=X-1 nodes=1", "c X-1"},
        {NODES, "", "type=X-1 nodes=1 numa=ignore", "a X-1"},
        {NODES, ignore, "type=X-1 nodes=1 numa=prefer", "b X-1"},
        /* require */
        {NODES, require, "type=X-1 nodes=1", "b X-1"},
        {NODES, require, "type=X-1 nodes=1;type=X-1;type=X-1;type=X-1",
         "b X-1, b X-1, b X-1, b X-1"},
        {NODES, require, "type=X-4 nodes=1;type=X-4", "ENOSPC |not for all together"},
        {NODES "foreign 1 X-4 b", require, "type=X-1 nodes=1",
         "ENOSPC no GPU can take gpu0 (X-1): a is not on the guest's NUMA nodes|b holds x-4 (1 in "
         "use)|c is not on the guest's NUMA nodes"},
        {NODES, require, "type=X-1 nodes=7", "ENOSPC |a is not on|b is not on|c is not on"},
        {NODES, require, "type=X-1", "ENOSPC |a is on a NUMA node, and the guest is bound to none"},
        {NODES, require, "type=X-1 numa=ignore", "a X-1"},
        {NODES, "", "type=X-1 numa=require nodes=0;type=X-1 numa=prefer", "a X-1, a X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- traits ----------------------------------------------------------------------------------- */

#define CARDS                                                                                      \
    "gpu a vendor 10de device 1eb8 driver nvidia" X "gpu b vendor 8086 device 3e9b driver i915" X  \
    "gpu c" X
#define COLOURS                                                                                    \
    "gpus = ( { address = \"a\"; traits = [ \"blue\", \"old\" ]; },"                               \
    "         { address = \"b\"; traits = [ \"red\" ]; } );"

static void
traits_are_asked_for_or_forbidden(void **state)
{
    static const struct row rows[] = {
        /* the administrator's */
        {CARDS, COLOURS, "type=X-1 traits=red", "b X-1"},
        {CARDS, COLOURS, "type=X-1 traits=blue,old", "a X-1"},
        {CARDS, COLOURS, "type=X-1 traits=,,blue,,old,", "a X-1"},
        {CARDS, COLOURS, "type=X-1 traits=!blue", "b X-1"},
        {CARDS, COLOURS, "type=X-1 traits=!blue,!red", "c X-1"},
        {CARDS, COLOURS, "type=X-1 traits=red,!blue", "b X-1"},
        {CARDS, COLOURS, "type=X-1 traits=blue,red",
         "ENOSPC |a lacks a trait asked for|b lacks a trait asked for|c lacks"},
        {CARDS, COLOURS, "type=X-1 traits=blue,!old",
         "ENOSPC |a has a trait that is forbidden|b lacks|c lacks"},
        /* whole words, as they are written */
        {CARDS, COLOURS, "type=X-1 traits=blu", "ENOSPC |a lacks|b lacks|c lacks"},
        {CARDS, COLOURS, "type=X-1 traits=bluer", "ENOSPC |a lacks|b lacks|c lacks"},
        {CARDS, COLOURS, "type=X-1 traits=Blue", "ENOSPC |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=blue", "ENOSPC |a lacks|b lacks|c lacks"},
        /* those that a GPU has by itself */
        {CARDS, "", "type=X-1 traits=vendor=8086", "b X-1"},
        {CARDS, "", "type=X-1 traits=device=3e9b", "b X-1"},
        {CARDS, "", "type=X-1 traits=driver=i915", "b X-1"},
        {CARDS, "", "type=X-1 traits=interface=mdev", "a X-1"},
        {CARDS, "", "type=X-1 traits=!vendor=10de", "b X-1"},
        {CARDS, "", "type=X-1 traits=!vendor=10de,!driver=i915", "c X-1"},
        {CARDS, "", "type=X-1 traits=vendor=8086,device=1eb8", "ENOSPC |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=!interface=mdev",
         "ENOSPC |a has a trait|b has a trait|c has a trait"},
        {CARDS, "", "type=X-1 traits=vendor=", "ENOSPC |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=vendor", "ENOSPC |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=interface=vf", "ENOSPC |a lacks|b lacks|c lacks"},
        /* a class's, and both together */
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"red\" ]; }; };",
         "class=c", "b X-1"},
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"!blue\" ]; }; };",
         "class=c traits=!red", "c X-1"},
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"blue\" ]; }; };",
         "class=c traits=red", "ENOSPC |a lacks|b lacks|c lacks"},
        {CARDS,
         COLOURS
         "classes = { c = { framebuffer = \"1G\"; traits = [ \"vendor=8086\", \"red\" ]; }; };",
         "class=c", "b X-1"},
        /* a direct type does not inherit a class's */
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"red\" ]; }; };",
         "type=X-1", "a X-1"},
        /* each device its own */
        {CARDS, COLOURS, "type=X-1 traits=red;type=X-1 traits=blue;type=X-1",
         "b X-1, a X-1, a X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- classes ---------------------------------------------------------------------------------- */

static void
classes_by_types_and_by_frame_buffer(void **state)
{
#define TWO   "classes = { c = { types = [ \"X-2\", \"x-1\", \"GRID X-4\" ]; }; };"
#define SIZED "classes = { c = { framebuffer = \"2G\"; }; };"
    static const struct row rows[] = {
        /* in order, by any word */
        {"gpu a" X, TWO, "class=c", "a X-2"},
        {"gpu a" X "foreign 1 X-1 a", TWO, "class=c", "a X-1"},
        {"gpu a" X "gpu b X-4:4096:1\nforeign 1 X-4 a", TWO, "class=c", "b X-4"},
        {"gpu a X-4:4096:1\ngpu b X-1:1024:1\ngpu c X-2:2048:1", TWO, "class=c", "c X-2"},
        {"gpu a X-4:4096:1\ngpu b X-1:1024:1\ngpu c X-2:2048:1", TWO, "class=c;class=c;class=c",
         "c X-2, b X-1, a X-4"},
        {"gpu a Y:1024:1", TWO, "class=c", "ENOENT gpu0 wants c, which no GPU here has|y (GRID Y)"},
        /* the smallest that is big enough, then the next bigger */
        {"gpu a" X, SIZED, "class=c", "a X-2"},
        {"gpu a" X, SIZED, "class=c;class=c", "a X-2, a X-2"},
        {"gpu a" X "gpu b" X, SIZED, "class=c;class=c;class=c", "a X-2, a X-2, b X-2"},
        {"gpu a" X "gpu b" X "foreign 1 X-1 b", SIZED, "class=c;class=c;class=c",
         "ENOSPC |not for all together"},
        {"gpu a X-4:4096:2\ngpu b X-2:2048:1", SIZED, "class=c", "b X-2"},
        {"gpu a X-4:4096:2\ngpu b X-2:2048:1", SIZED, "class=c;class=c", "b X-2, a X-4"},
        {"gpu a X-8:8192:1\ngpu b X-4:4096:1\nforeign 1 X-4 b", SIZED, "class=c", "a X-8"},
        {"gpu a X-1:1024:4\ngpu b Y:2047:1", SIZED, "class=c", "ENOENT gpu0 wants c, which no GPU"},
        {"gpu a X-1:1024:4\ngpu b Y:2049:1", SIZED, "class=c", "b Y"},
        /* a driver that tells no size has none */
        {"gpu m pool 4 M-1/1\ngpu a X-2:2048:1", SIZED, "class=c", "a X-2"},
        {"gpu m pool 4 M-1/1", SIZED, "class=c", "ENOENT"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- what the administrator says of GPUs ------------------------------------------------------ */

static void
gpus_of_the_policy(void **state)
{
    static const struct row rows[] = {
        /* reserve: places that are not given out, as the asked type counts them */
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1;type=X-1;type=X-1",
         "a X-1, a X-1, a X-1"},
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1;type=X-1;type=X-1;type=X-1", "ENOSPC |not for all together"},
        {"gpu a" X "foreign 1 X-1 a\nforeign 2 X-1 a\nforeign 3 X-1 a",
         "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1",
         "ENOSPC |a has only reserved places left"},
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-4",
         "ENOSPC |a has only reserved places left"},
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 0; } );", "type=X-4", "a X-4"},
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; reserve = 9; } );", "type=X-1", "b X-1"},
        {"gpu a vfs 4 X-1:1024:3\n", "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 4 X-1:1024:3\n", "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1;type=X-1;type=X-1", "ENOSPC |not for all together"},
        {"gpu a" X "pending 1 X-1 a other\npending 2 X-1 a other",
         "gpus = ( { address = \"a\"; reserve = 2; } );", "type=X-1",
         "ENOSPC |a has only reserved places left"},
        /* enabled */
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; enabled = false; } );", "type=X-1",
         "b X-1"},
        {"gpu a" X, "gpus = ( { address = \"a\"; enabled = false; } );", "type=X-1",
         "ENOSPC |a is disabled in vgpu.conf"},
        {"gpu a vfs 2" X, "gpus = ( { address = \"a\"; enabled = false; } );",
         "type=X-1 parent=a.1", "ENOSPC |a is disabled in vgpu.conf"},
        /* a name means the GPU, not a function of it */
        {"gpu a vfs 2" X, "gpus = ( { address = \"a.0\"; enabled = false; } );", "type=X-1",
         "a.0 X-1"},
        /* drained, and that before what the configuration says of its types */
        {"gpu a" X "gpu b" X "drained a", "", "type=X-1", "b X-1"},
        {"gpu a" X "gpu b" X "drained a\ndrained b", "", "type=X-1",
         "ENOSPC |a is drained (see vgpuctl undrain)|b is drained"},
        {"gpu a vfs 2" X "drained a", "", "type=X-1 parent=a.1", "ENOSPC |a is drained"},
        {"gpu a" X "held 1 X-1 a other\ngpu b" X "drained a", "", "type=X-1;type=X-1",
         "b X-1, b X-1"},
        {"gpu a" X "drained a", "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );", "type=X-1",
         "ENOSPC |a is drained"},
        /* one that is away, as it may be for months */
        {"gpu a" X "drained c", "", "type=X-1", "a X-1"},
        /* what is kept there is no room */
        {"gpu a X-1:1024:1\ndrained a\nkept 1 X-1 a other", "", "type=X-1", "ENOSPC |a is drained"},
        /* types */
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );", "type=X-1",
         "b X-1"},
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; types = [ \"x-2\", \"GRID X-1\" ]; } );",
         "type=X-1", "a X-1"},
        {"gpu a" X, "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );", "type=X-1",
         "ENOSPC |a may not have that type (see its types in vgpu.conf)"},
        {"gpu a" X,
         "gpus = ( { address = \"a\"; types = [ \"X-1\" ]; } ); classes = { c = "
         "{ types = [ \"X-2\", "
         "\"X-1\" ]; }; };",
         "class=c", "a X-1"},
        {"gpu a" X,
         "gpus = ( { address = \"a\"; types = [ \"X-4\" ]; } ); classes = { c = { framebuffer = "
         "\"1G\"; }; };",
         "class=c", "a X-4"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void
parents_that_are_asked_for(void **state)
{
    static const struct row rows[] = {
        {THREE, "", "type=X-1 parent=b", "b X-1"},
        {THREE "foreign 1 X-2 b", "", "type=X-1 parent=b",
         "ENOSPC |a is not the parent asked for|b holds x-2 (1 in use)|c is not the parent"},
        {THREE, "", "type=X-1 parent=d",
         "ENOSPC |a is not the parent|b is not the parent|c is not the parent"},
        {THREE, "", "type=X-4;type=X-4 parent=a;type=X-4 parent=b", "c X-4, a X-4, b X-4"},
        /* a GPU means any of its functions, a function itself */
        {"gpu a vfs 2" X "gpu b vfs 2" X, "", "type=X-1 parent=b", "b.0 X-1"},
        {"gpu a vfs 2" X "gpu b vfs 2" X, "", "type=X-1 parent=b.1", "b.1 X-1"},
        {"gpu a vfs 2" X "gpu b vfs 2" X "foreign 1 X-1 b.1", "", "type=X-1 parent=b.1",
         "ENOSPC |a is not the parent|b is full"},
        {"gpu a vfs 2" X "gpu b vfs 2" X "foreign 1 X-1 b.1", "", "type=X-1 parent=b", "b.0 X-1"},
        {"gpu a vfs 2" X, "", "type=X-1 parent=a.0;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 2" X, "", "type=X-1 parent=a.1;type=X-1 parent=a.1",
         "ENOSPC |not for all together"},
        {"gpu a vfs 2" X, "placement = \"spread\";", "type=X-1 parent=a;type=X-1 parent=a",
         "a.0 X-1, a.1 X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* The one function that somebody names is not given to somebody who would take any. */
static void
a_named_function_is_left_to_who_names_it(void **state)
{
    static const struct row rows[] = {
        {"gpu a vfs 2" X, "", "type=X-1;type=X-1 parent=a.0", "a.1 X-1, a.0 X-1"},
        {"gpu a vfs 2" X, "", "type=X-1 parent=a;type=X-1 parent=a.0", "a.1 X-1, a.0 X-1"},
        {"gpu a vfs 3" X, "", "type=X-1;type=X-1 parent=a.1;type=X-1 parent=a.0",
         "a.2 X-1, a.1 X-1, a.0 X-1"},
        {"gpu a vfs 2" X, "placement = \"spread\";", "type=X-1;type=X-1 parent=a.0",
         "a.1 X-1, a.0 X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- quotas ----------------------------------------------------------------------------------- */

#define QUOTA(patterns, max)                                                                       \
    "classes = { c = { types = [ \"X-1\", \"X-2\" ]; }; big = { framebuffer = \"2G\"; }; };"       \
    "quotas = ( { domains = [ " patterns " ]; class = \"c\"; max = " #max "; } );"

static void
quotas_bind_whom_they_name(void **state)
{
    static const struct row rows[] = {
        /* what counts */
        {THREE "held 1 X-1 a ci-1", QUOTA("\"ci-*\"", 2), "name=ci-9 type=X-1", "a X-1"},
        {THREE "held 1 X-1 a ci-1\nheld 2 X-1 b ci-2", QUOTA("\"ci-*\"", 2), "name=ci-9 type=X-1",
         "ENOSPC |a has it, but the quota of 2 for class c is used up (2; |vgpu.conf:1)|b has it"},
        {THREE "held 1 X-1 a ci-1\nheld 2 X-2 b ci-1", QUOTA("\"ci-*\"", 2), "name=ci-9 class=c",
         "ENOSPC |quota of 2 for class c"},
        {THREE "pending 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "ENOSPC |quota"},
        {THREE "reserved 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1",
         "ENOSPC |quota"},
        {THREE "found 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "ENOSPC |quota"},
        {THREE "held 1 X-1 a ci-1 hidden", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1",
         "ENOSPC |quota"},
        /* what does not */
        {THREE "kept 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "leaving 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "removing 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "foreign 1 X-1 a", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "held 1 X-1 a web1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "held 1 X-4 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "b X-1"},
        {THREE "held 1 X-1 a ci-9", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        /* whom it binds */
        {THREE "held 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=web9 type=X-1", "a X-1"},
        {THREE "held 1 X-1 a ci-1", QUOTA("\"web*\", \"ci-*\"", 1), "name=web9 type=X-1",
         "ENOSPC |quota"},
        {THREE "held 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-4", "b X-4"},
        {THREE, QUOTA("\"*\"", 0), "type=X-1", "ENOSPC |the quota of 0 for class c"},
        {THREE, QUOTA("\"aaaaaaaa-0000-4000-8000-000005863607\"", 0), "type=X-1",
         "ENOSPC |the quota of 0 for class c"},
        {THREE, QUOTA("\"aaaaaaaa-0000-4000-8000-000005863608\"", 0), "type=X-1", "a X-1"},
        /* whatever words ask for it */
        {THREE, QUOTA("\"*\"", 0), "type=x-1", "ENOSPC |quota"},
        {THREE, QUOTA("\"*\"", 0), "class=c", "ENOSPC |quota"},
        {THREE, QUOTA("\"*\"", 0), "class=big", "a X-4"},
        /* several in one request */
        {THREE, QUOTA("\"*\"", 2), "type=X-1;type=X-1", "a X-1, a X-1"},
        {THREE, QUOTA("\"*\"", 1), "type=X-1;class=c", "ENOSPC |not for all together"},
        {THREE, QUOTA("\"*\"", 1), "type=X-1;class=big", "a X-1, b X-4"},
        {THREE, QUOTA("\"*\"", 1), "class=big;class=big;class=big", "a X-2, b X-4, c X-4"},
        {THREE "held 1 X-1 a ci-1", QUOTA("\"*\"", 2), "type=X-1;type=X-1",
         "ENOSPC |not for all together"},
        {THREE "held 1 X-1 a me", QUOTA("\"*\"", 1), "type=X-1 uuid=1", "take a X-1"},
        {THREE "held 1 X-1 a me", QUOTA("\"*\"", 1), "type=X-1 uuid=1;type=X-1", "ENOSPC |quota"},
        {THREE "foreign 1 X-1 a", QUOTA("\"*\"", 1), "type=X-1 uuid=1;type=X-1", "ENOSPC |quota"},
        {THREE "foreign 1 X-1 a", QUOTA("\"*\"", 0), "type=X-1 uuid=1",
         "EEXIST |on a, which is over the quota"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void
the_tightest_quota_binds(void **state)
{
#define TWO_QUOTAS                                                                                 \
    "classes = { c = { types = [ \"X-1\" ]; }; all = { framebuffer = \"1G\"; }; };"                \
    "quotas = ( { domains = [ \"*\" ]; class = \"all\"; max = 3; },"                               \
    "           { domains = [ \"ci-*\" ]; class = \"c\"; max = 1; } );"
    static const struct row rows[] = {
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=ci-2 type=X-1",
         "ENOSPC |quota of 1 for class c"},
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=ci-2 type=X-2", "b X-2"},
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=web type=X-1;type=X-1", "a X-1, a X-1"},
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=web type=X-1;type=X-1;type=X-2",
         "ENOSPC |not for all together"},
        {THREE "held 1 X-1 a ci-1\nheld 2 X-2 b x\nheld 3 X-4 c x", TWO_QUOTAS,
         "name=web class=all", "ENOSPC |quota of 3 for class all is used up (3;"},
        /* a class falls to what its quotas leave */
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=ci-2 class=all", "b X-2"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- room ------------------------------------------------------------------------------------- */

static void
functions_are_not_added_up(void **state)
{
    static const struct row rows[] = {
        /* as many as there are functions, or as the GPU can take: the lesser */
        {"gpu a vfs 2 X-1:1024:4", "", "type=X-1;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 2 X-1:1024:4", "", "type=X-1;type=X-1;type=X-1",
         "ENOSPC |not for all together"},
        {"gpu a vfs 4 X-1:1024:2", "", "type=X-1;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 4 X-1:1024:2", "", "type=X-1;type=X-1;type=X-1",
         "ENOSPC |not for all together"},
        {"gpu a vfs 4 X-1:1024:2\nforeign 1 X-1 a.3", "", "type=X-1;type=X-1",
         "ENOSPC |not for all together"},
        {"gpu a vfs 4 X-1:1024:2\nforeign 1 X-1 a.3\nforeign 2 X-1 a.0", "", "type=X-1",
         "ENOSPC |a is full (2 of 2)"},
        {"gpu a vfs 2 X-1:1024:4\nforeign 1 X-1 a.0\nforeign 2 X-1 a.1", "", "type=X-1",
         "ENOSPC |a is full (2 of 4)"},
        /* claims take a function and a place */
        {"gpu a vfs 3 X-1:1024:2\npending 1 X-1 a.0 other", "", "type=X-1", "a.1 X-1"},
        {"gpu a vfs 3 X-1:1024:2\npending 1 X-1 a.0 other\npending 2 X-1 a.2 other", "", "type=X-1",
         "ENOSPC |a is full (2 of 2)"},
        {"gpu a vfs 2 X-1:1024:4\npending 1 X-1 a.1 other", "", "type=X-1;type=X-1",
         "ENOSPC |not for all together"},
        /* one function only */
        {"gpu a vfs 1 X-1:1024:4", "", "type=X-1", "a.0 X-1"},
        {"gpu a vfs 1 X-1:1024:4", "", "type=X-1;type=X-1", "ENOSPC |not for all together"},
        {"gpu a vfs 1 X-1:1024:4\npending 1 X-1 a.0 other", "", "type=X-1", "ENOSPC |a is full"},
        /* a driver that tells no most */
        {"gpu a vfs 2 X-1:1024:0\ngpu b" X, "", "type=X-2", "b X-2"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void
one_size_on_a_gpu(void **state)
{
    static const struct row rows[] = {
        /* what is made */
        {THREE "foreign 1 X-1 a", "", "type=X-2", "b X-2"},
        {"gpu a" X "foreign 1 X-1 a", "", "type=X-2", "ENOSPC |a holds x-1 (1 in use)"},
        /* what is being made: other sizes are refused on that GPU, and only there */
        {THREE "pending 1 X-1 a other", "", "type=X-2", "b X-2"},
        {"gpu a" X "pending 1 X-1 a other", "", "type=X-2",
         "ENOSPC |a is being given a vGPU of another size"},
        {"gpu a" X "pending 1 X-1 a other", "", "type=X-1;type=X-1;type=X-1",
         "a X-1, a X-1, a X-1"},
        {"gpu a" X "pending 1 X-1 a other", "", "type=X-1;type=X-1;type=X-1;type=X-1",
         "ENOSPC |not for all together"},
        {"gpu a" X "gpu b" X "pending 1 X-1 a other", "", "type=X-4", "b X-4"},
        {"gpu a X-1:1024:4 Y-1:1024:4\npending 1 X-1 a other", "", "type=Y-1", "a Y-1"},
        {"gpu a vfs 4" X "pending 1 X-1 a.2 other", "", "type=X-2",
         "ENOSPC |a is being given a vGPU of another size"},
        {"gpu a" X "leaving 1 X-1 a other hidden", "", "type=X-2", "a X-2"},
        {"gpu a" X "reserved 1 X-1 a other", "", "type=X-2", "ENOSPC |a is being given"},
        /* and what is asked for in one request */
        {THREE, "", "type=X-1;type=X-2", "a X-1, b X-2"},
        {THREE, "", "type=X-1;type=X-2;type=X-4;type=X-1", "a X-1, b X-2, c X-4, a X-1"},
        {"gpu a" X "gpu b" X, "", "type=X-1;type=X-2;type=X-4", "ENOSPC |not for all together"},
        {"gpu a" X "gpu b" X "foreign 1 X-2 a", "", "type=X-1;type=X-2", "b X-1, a X-2"},
        /* pools have no sizes */
        {"gpu m pool 4 M-1/1 M-2/2", "", "type=M-1;type=M-2", "m M-1, m M-2"},
        {"gpu m pool 4 M-1/1 M-2/2\npending 1 M-2 m other", "", "type=M-1", "m M-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* A first choice that leaves the others none is not the last word. */
static void
all_together_whatever_the_order(void **state)
{
    static const char fits[] =
        "classes = { any = { framebuffer = \"1G\"; }; pair = { types = [ \"X-2\", \"X-1\" ]; }; };";
    static const struct row rows[] = {
        {"gpu a" X "gpu b X-1:1024:1", fits, "class=pair;type=X-4", "b X-1, a X-4"},
        {"gpu a" X "gpu b X-1:1024:1", fits, "type=X-4;class=pair", "a X-4, b X-1"},
        {"gpu a" X "gpu b X-1:1024:1", fits, "type=X-1;type=X-2", "b X-1, a X-2"},
        {"gpu a X-2:2048:1\ngpu b X-2:2048:1 X-1:1024:1", fits, "class=pair;type=X-2 parent=a",
         "b X-2, a X-2"},
        {"gpu a X-1:1024:2\ngpu b X-1:1024:1\ngpu c X-1:1024:1", fits,
         "class=any;class=any parent=a;class=any parent=b;class=any parent=a",
         "c X-1, a X-1, b X-1, a X-1"},
        {"gpu a X-1:1024:1 X-2:2048:1\ngpu b X-2:2048:1 X-4:4096:1\ngpu c X-4:4096:1 X-1:1024:1",
         fits, "type=X-1;type=X-2;type=X-4", "a X-1, b X-2, c X-4"},
        {"gpu a X-1:1024:1 X-2:2048:1\ngpu b X-2:2048:1 X-4:4096:1\ngpu c X-4:4096:1 X-1:1024:1",
         fits, "type=X-4;type=X-1;type=X-2", "b X-4, c X-1, a X-2"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

#define FOUR "gpu a T:1024:1\ngpu b T:1024:1\ngpu c T:1024:1\ngpu d T:1024:1\n"
#define TRAITS(a, b, c, d)                                                                         \
    "gpus = ( { address = \"a\"; traits = [ " a " ]; }, { address = \"b\"; traits = [ " b " ]; }," \
    "         { address = \"c\"; traits = [ " c " ]; }, { address = \"d\"; traits = [ " d          \
    " ]; } );"

/* What has failed for one device, or beside one, need not fail for others. */
static void
no_way_is_given_up_too_soon(void **state)
{
    static const struct row rows[] = {
        /* the first on a leaves the second none, and yet the second has to be there */
        {FOUR, TRAITS("\"p\", \"q\"", "\"p\"", "\"q\", \"r\"", "\"r\""),
         "type=T traits=p;type=T traits=q;type=T traits=r;type=T traits=r", "b T, a T, c T, d T"},
        /* whatever the second does fails beside the first on a, and not beside it on b */
        {FOUR, TRAITS("\"p\", \"r\", \"s\"", "\"p\"", "\"q\", \"r\"", "\"q\", \"s\""),
         "type=T traits=p;type=T traits=q;type=T traits=r;type=T traits=s", "b T, c T, a T, d T"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Of types that share a GPU, the one that needs the most of it goes first. */
static void
small_ones_do_not_crowd_out_big_ones(void **state)
{
    static const struct row rows[] = {
        {"gpu m pool 4 M-1/1 M-2/2", "", "type=M-2;type=M-1;type=M-1", "m M-2, m M-1, m M-1"},
        {"gpu m pool 4 M-1/1 M-2/2", "", "type=M-1;type=M-1;type=M-2", "m M-1, m M-1, m M-2"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void
refusals_and_silence(void **state)
{
    static const struct row rows[] = {
        /* elsewhere, or with another type */
        {THREE "refused a X-1", "", "type=X-1", "b X-1"},
        {THREE "refused a X-1", "", "type=X-2", "a X-2"},
        {THREE "refused a X-2", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };", "class=c",
         "b X-2"},
        {"gpu a" X "refused a X-2", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c", "a X-1"},
        {"gpu a" X "gpu b" X "refused a X-1\nrefused b X-1", "", "type=X-1",
         "ENOSPC |a refused it (Input/output error)|b refused it (Input/output error)"},
        {"gpu a" X "gpu b" X "refused a X-1\nforeign 1 X-2 b", "", "type=X-1",
         "ENOSPC |a refused it (|b holds x-2"},
        {"gpu a vfs 2" X "gpu b" X "refused a.0 X-1\nrefused a.1 X-1\n", "", "type=X-1", "b X-1"},
        /* a parent that will not say */
        {THREE "unreadable a X-1", "", "type=X-1", "b X-1"},
        {"gpu a" X "unreadable a X-1", "", "type=X-1",
         "ENOSPC |a does not tell its room (Input/output error)"},
        {"gpu a vfs 2" X "unreadable a.0 X-1", "", "type=X-1", "a.1 X-1"},
        {"gpu a vfs 2" X "unreadable a.0 X-1\nforeign 1 X-1 a.1", "", "type=X-1",
         "ENOSPC |a is full"},
        {"gpu a vfs 2" X "unreadable a.0 X-1", "", "type=X-1;type=X-1",
         "ENOSPC |not for all together"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- UUIDs that are there already ------------------------------------------------------------- */

static void
what_is_there_already(void **state)
{
    static const struct row rows[] = {
        /* the domain's own, taken back wherever it is */
        {THREE "held 1 X-1 c me", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "kept 1 X-1 c me", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "leaving 1 X-1 c me", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "pending 1 X-1 c me shown", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "kept 1 X-1 c me", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c uuid=1", "take c X-1"},
        {THREE "found 1 X-1 c me", "", "type=X-1 uuid=1", "find c X-1"},
        /* nobody's */
        {THREE "foreign 1 X-1 c", "", "type=X-1 uuid=1", "find c X-1"},
        {THREE "foreign 1 X-1 c", "", "type=X-2 uuid=1",
         "EEXIST gpu0: a vGPU dddddddd-0000-4000-8000-000000000001 is there already, of type x-1 "
         "(GRID X-1) on c and not X-2"},
        {THREE "foreign 1 - c", "", "type=X-1 uuid=1", "EEXIST |being made or removed by somebody"},
        /* another's: a kept one moves if its type will do */
        {THREE "kept 1 X-1 c other", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "kept 1 X-1 c other hidden", "", "type=X-1 uuid=1", "a X-1"},
        {THREE "kept 1 X-1 c other", "", "type=X-2 uuid=1", "EEXIST |of type x-1"},
        {THREE "kept 1 X-1 c other", "", "type=X-1 uuid=1;type=X-1", "take c X-1, c X-1"},
        {THREE "held 1 X-1 c other", "", "type=X-1 uuid=1",
         "EEXIST |belongs to the guest other (held); give this guest another UUID"},
        {THREE "held 1 X-1 c other hidden", "", "type=X-1 uuid=1", "EEXIST |other (held)"},
        {THREE "pending 1 X-1 c other", "", "type=X-1 uuid=1", "EEXIST |other (pending)"},
        {THREE "leaving 1 X-1 c other", "", "type=X-1 uuid=1", "EEXIST |other (leaving)"},
        {THREE "reserved 1 X-1 c other", "", "type=X-1 uuid=1", "EEXIST |other (reserved)"},
        /* no rule is gone round that way */
        {THREE "kept 1 X-1 c other", "gpus = ( { address = \"c\"; enabled = false; } );",
         "type=X-1 uuid=1", "EEXIST |on c, which is disabled in vgpu.conf"},
        {THREE "drained c\nkept 1 X-1 c me", "", "type=X-1 uuid=1",
         "EEXIST |on c, which is drained"},
        {THREE "drained c\nforeign 1 X-1 c", "", "type=X-1 uuid=1",
         "EEXIST |on c, which is drained"},
        {THREE "foreign 1 X-1 c", "", "type=X-1 uuid=1 parent=a",
         "EEXIST |on c, which is not the parent asked for"},
        {THREE "foreign 1 X-1 c", "", "type=X-1 uuid=1 traits=blue", "EEXIST |on c, which lacks"},
        /* it takes no room: it has it */
        {"gpu a" X "foreign 1 X-2 a\nforeign 2 X-2 a", "", "type=X-2 uuid=1;type=X-2 uuid=2",
         "find a X-2, find a X-2"},
        {"gpu a vfs 2" X "foreign 1 X-1 a.1", "", "type=X-1 uuid=1;type=X-1",
         "find a.1 X-1, a.0 X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- virtual functions that are vGPUs themselves ---------------------------------------------- */

#define V      "gpu v vf 4" X
#define W      "gpu w vf 2" X
#define TWELVE "gpu v vf 12 X-1:1024:12\n"
#define NINE   "gpu v vf 9 X-1:1024:9\n"

static void
the_function_that_is_named(void **state)
{
    static const struct row rows[] = {
        /* free, whatever would be better */
        {V, "", "type=X-1 on=v.2", "v.2 X-1"},
        {V W, "", "type=X-1 on=w.1", "w.1 X-1"},
        {V "foreign 1 X-1 v.0\n" W, "", "type=X-1 on=w.0", "w.0 X-1"},
        {V "foreign 1 X-1 v.0\n" W, "placement = \"spread\";", "type=X-1 on=v.1", "v.1 X-1"},
        {V W, "", "type=X-1 on=w.1 parent=w", "w.1 X-1"},
        {V, "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };", "class=c on=v.2", "v.2 X-2"},
        {V "foreign 1 X-1 v.0", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c on=v.2", "v.2 X-1"},
        /* there already: its own, nobody's, another's */
        {V "held 1 X-1 v.2 me", "", "type=X-1 on=v.2", "take v.2 X-1"},
        {V "leaving 1 X-1 v.2 me", "", "type=X-1 on=v.2", "take v.2 X-1"},
        {V "kept 1 X-1 v.2 other", "", "type=X-1 on=v.2", "take v.2 X-1"},
        {V "kept 1 X-1 v.2 other hidden", "", "type=X-1 on=v.2", "v.2 X-1"},
        {V "foreign 1 X-1 v.2", "", "type=X-1 on=v.2", "find v.2 X-1"},
        {V "foreign 1 X-1 v.2", "", "type=X-2 on=v.2",
         "EEXIST gpu0: a vGPU v.2 is there already, of type x-1 (GRID X-1) on v and not X-2; "
         "remove it, or give this guest another virtual function; no other virtual function could "
         "take it now"},
        {V "held 1 X-1 v.2 other", "", "type=X-1 on=v.2",
         "EEXIST gpu0: the vGPU v.2 belongs to the guest other (held); give this guest another "
         "virtual function; gpu0 could be on v.0, v.1, v.3"},
        {V "held 1 X-1 v.2 other hidden", "", "type=X-1 on=v.2", "EEXIST |other (held)|!v.2,"},
        {V "pending 1 X-1 v.2 other", "", "type=X-1 on=v.2", "EEXIST |other (pending)|on v.0"},
        {V "reserved 1 X-1 v.2 other", "", "type=X-1 on=v.2", "EEXIST |other (reserved)|on v.0"},
        {V "leaving 1 X-1 v.2 other", "", "type=X-1 on=v.2",
         "EEXIST |is still being given back by the guest other (leaving); try again; gpu0 could"},
        {V "removing 1 X-1 v.2 other hidden", "", "type=X-1 on=v.2",
         "EEXIST |still being given back by the guest other (removing)|could be on v.0, v.1, v.3"},
        {V "foreign 1 X-1 v.2\ndrained v", "", "type=X-1 on=v.2",
         "EEXIST |the vGPU v.2 is there already, on v, which is drained"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void
why_the_function_that_is_named_will_not_do(void **state)
{
#define CANNOT "ENOSPC gpu0 (X-1) cannot be on v.1: its GPU v "
    static const struct row rows[] = {
        {V "foreign 1 X-2 v.0", "", "type=X-1 on=v.1", CANNOT "holds x-2 (1 in use); no other"},
        {V "foreign 1 X-2 v.0\n" W, "", "type=X-1 on=v.1",
         CANNOT "holds x-2 (1 in use); gpu0 could be on w.0, w.1"},
        {"gpu v vf 6 X-1:1024:2\nforeign 1 X-1 v.4\nforeign 2 X-1 v.5", "", "type=X-1 on=v.1",
         CANNOT "is full (2 in use); no other virtual function could take it now"},
        {V "pending 1 X-2 v.0 other", "", "type=X-1 on=v.1",
         CANNOT "is being given a vGPU of another size"},
        {V "reserved 1 X-2 v.0 other", "", "type=X-1 on=v.1",
         CANNOT "is being given a vGPU of another size"},
        {V W, "gpus = ( { address = \"v\"; enabled = false; } );", "type=X-1 on=v.1",
         CANNOT "is disabled in vgpu.conf; gpu0 could be on w.0, w.1"},
        {V W "drained v", "", "type=X-1 on=v.1", CANNOT "is drained (see vgpuctl undrain); gpu0"},
        {V, "gpus = ( { address = \"v\"; types = [ \"X-2\" ]; } );", "type=X-1 on=v.1",
         CANNOT "may not have that type"},
        {V, "gpus = ( { address = \"v\"; reserve = 4; } );", "type=X-1 on=v.1",
         CANNOT "has only reserved places left"},
        {V, "", "type=X-1 on=v.1 traits=blue", CANNOT "lacks a trait asked for"},
        {V, "", "type=X-1 on=v.1 traits=!interface=vf", CANNOT "has a trait that is forbidden"},
        {V W, "", "type=X-1 on=v.1 parent=w", CANNOT "is not the parent asked for"},
        {"gpu v numa 0 vf 4" X "gpu w numa 1 vf 1" X, "", "type=X-1 on=v.1 numa=require nodes=1",
         CANNOT "is not on the guest's NUMA nodes; gpu0 could be on w.0"},
        {V "held 1 X-1 v.0 ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1 on=v.1",
         CANNOT "has it, but the quota of 1 for class c is used up (1; |!could be on"},
        {V "refused v.1 X-1", "", "type=X-1 on=v.1",
         CANNOT "refused it (Input/output error); gpu0 could be on v.0, v.2, v.3"},
        {V "unreadable v.1 X-1", "", "type=X-1 on=v.1",
         CANNOT "does not tell its room (Input/output error); gpu0 could be on v.0, v.2, v.3"},
        /* what is no such function */
        {V "stranger x.1 which is no GPU", "", "type=X-1 on=x.1",
         "ENOENT gpu0 (X-1) cannot be on x.1, which is no GPU; gpu0 could be on v.0, v.1, v.2"},
        {V, "", "type=X-1 on=x.1", "ENOENT |cannot be on x.1, which takes no vGPUs here"},
        {"stranger x.1 which is no GPU", "", "type=X-1 on=x.1", "ENOENT |x.1, which is no GPU"},
        {V "gpu a vfs 2" X, "", "type=X-1 on=a.1",
         "ENOENT gpu0 (X-1) cannot be on a.1, which takes mediated devices (<hostdev "
         "type='mdev'>); gpu0 could be on v.0"},
        {V "gpu a vfs 2 Y:1024:4", "", "type=X-1 on=a.1", "ENOENT |takes mediated devices"},
        {"gpu a X-1:1024:4\n", "", "type=Z on=v.1", "ENOENT gpu0 wants Z, which no GPU here has"},
        /* and the other way round */
        {V, "", "type=X-1", "ENOSPC |v makes vGPUs for <hostdev type='pci'> only|!could be on"},
        {V "gpu a" X, "", "type=X-1", "a X-1"},
        {V "gpu a" X "foreign 1 X-2 a", "", "type=X-1", "ENOSPC |v makes vGPUs for|, a holds x-2"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Eight of those that would do now are named, by all rules. */
static void
functions_that_would_do(void **state)
{
    static const struct row rows[] = {
        {TWELVE "held 1 X-1 v.3 other", "", "type=X-1 on=v.3",
         "EEXIST |could be on v.0, v.1, v.2, v.4, v.5, v.6, v.7, v.8, or others"},
        {NINE "held 1 X-1 v.3 other", "", "type=X-1 on=v.3",
         "EEXIST |could be on v.0, v.1, v.2, v.4, v.5, v.6, v.7, v.8|!or others"},
        {V W "held 1 X-1 v.3 other", "gpus = ( { address = \"w\"; enabled = false; } );",
         "type=X-1 on=v.3", "EEXIST |could be on v.0, v.1, v.2|!w."},
        {V W "held 1 X-1 v.3 other\nforeign 2 X-2 w.1", "", "type=X-1 on=v.3",
         "EEXIST |could be on v.0, v.1, v.2|!w."},
        {V "gpu a vfs 4" X "held 1 X-1 v.3 other", "", "type=X-1 on=v.3",
         "EEXIST |could be on v.0, v.1, v.2|!a."},
        {V "held 1 X-1 v.3 other\nrefused v.0 X-1\npending 4 X-1 v.1 other", "", "type=X-1 on=v.3",
         "EEXIST |could be on v.2|!v.0|!v.1"},
        {V "held 1 X-1 v.3 other\nheld 2 X-1 v.0 other hidden\nleaving 3 X-1 v.1 x hidden", "",
         "type=X-1 on=v.3", "EEXIST |could be on v.2|!v.0|!v.1"},
        {V "held 1 X-1 v.3 other", "max_instances = ( { types = [ \"X-1\" ]; max = 1; } );",
         "type=X-1 on=v.3", "EEXIST |no other virtual function could take it now"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void
several_functions_for_one_guest(void **state)
{
    static const struct row rows[] = {
        {V W, "", "type=X-1 on=v.0;type=X-1 on=v.1", "v.0 X-1, v.1 X-1"},
        {V W, "", "type=X-1 on=v.3;type=X-2 on=w.0", "v.3 X-1, w.0 X-2"},
        {V W, "", "type=X-1 on=v.0;type=X-2 on=v.1", "ENOSPC |not for all together"},
        {V W, "", "type=X-1 on=v.0;type=X-1 on=v.0", "ENOSPC |not for all together"},
        {V W, "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c on=v.0;type=X-1 on=v.1", "v.0 X-1, v.1 X-1"},
        {V "held 1 X-1 v.3 me", "", "type=X-1 on=v.3;type=X-1 on=v.0", "take v.3 X-1, v.0 X-1"},
        {V "held 1 X-1 v.3 other", "", "type=X-1 on=v.0;type=X-1 on=v.3", "EEXIST gpu1: |v.3"},
        /* beside mediated devices */
        {"gpu a" X V, "", "type=X-1;type=X-2 on=v.1", "a X-1, v.1 X-2"},
        {"gpu a vfs 2" X V, "", "type=X-1 on=v.0;type=X-2;type=X-2", "v.0 X-1, a.0 X-2, a.1 X-2"},
        /* as many as an administrator says, if the driver does not */
        {V, "max_instances = ( { types = [ \"X-1\" ]; max = 2; } );",
         "type=X-1 on=v.0;type=X-1 on=v.1", "v.0 X-1, v.1 X-1"},
        {V, "max_instances = ( { types = [ \"X-1\" ]; max = 1; } );",
         "type=X-1 on=v.0;type=X-1 on=v.1", "ENOSPC |not for all together"},
        {V "foreign 1 X-1 v.3", "max_instances = ( { types = [ \"GRID X-1\" ]; max = 1; } );",
         "type=X-1 on=v.0", "ENOSPC |its GPU v is full (1 of 1)"},
        {V "pending 1 X-1 v.3 other", "max_instances = ( { types = [ \"x-1\" ]; max = 1; } );",
         "type=X-1 on=v.0", "ENOSPC |its GPU v is full (1 of 1)"},
        {"gpu a" X, "max_instances = ( { types = [ \"X-1\" ]; max = 1; } );", "type=X-1;type=X-1",
         "a X-1, a X-1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Who arrives can be given another source: another function, or a device of the other kind. */
static void
places_for_who_arrives(void **state)
{
    static const struct row rows[] = {
        {V W, "", "type=X-1 on=v.2 free=place", "v.0 X-1"},
        {V W "foreign 1 X-1 w.0", "", "type=X-1 on=v.2 free=place", "w.1 X-1"},
        {V W, "", "type=X-1 on=x.1 free=place", "v.0 X-1"},
        {V "foreign 1 X-1 v.0", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {"gpu a" X, "", "type=X-1 on=v.0 free=place",
         "ENOSPC |a makes vGPUs for <hostdev type='mdev'> only"},
        {"gpu a" X, "", "type=X-1 on=v.0 free=kind", "a X-1"},
        {V, "", "type=X-1 free=place", "ENOSPC |v makes vGPUs for <hostdev type='pci'> only"},
        {V, "", "type=X-1 free=kind", "v.0 X-1"},
        /* the best of both */
        {"gpu a" X V, "", "type=X-1 free=kind", "a X-1"},
        {"gpu a" X V "foreign 1 X-1 v.0", "", "type=X-1 free=kind", "v.1 X-1"},
        {"gpu a" X "foreign 1 X-4 a\n" V, "", "type=X-1 free=kind", "v.0 X-1"},
        {"gpu a X-1:1024:1\ngpu v vf 1 X-1:1024:4", "", "type=X-1 free=kind;type=X-1",
         "a X-1, v.0 X-1"},
        {"gpu a X-1:1024:1\ngpu v vf 1 X-1:1024:4", "",
         "type=X-1 free=kind;type=X-1 on=v.0;type=X-1", "ENOSPC |not for all together"},
        {"gpu a X-2:2048:1\ngpu v vf 2 X-1:1024:4",
         "classes = { c = { types = [ \"X-2\", \"X-1\" ]; "
         "}; };",
         "class=c free=kind;class=c;class=c", "a X-2, v.0 X-1, v.1 X-1"},
        /* what is promised or given to others is taken, whether it is to be seen or not */
        {V "reserved 1 X-1 v.0 other", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {V "reserved 1 X-1 v.0 other", "", "type=X-2 on=v.0 free=place",
         "ENOSPC |v is being given a vGPU of another size"},
        {V "held 1 X-1 v.0 other hidden", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {V "leaving 1 X-1 v.0 other hidden", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {V "removing 1 X-1 v.0 other hidden", "", "type=X-2 on=v.0 free=place", "v.1 X-2"},
        {V "kept 1 X-1 v.0 other hidden", "", "type=X-1 on=v.0 free=place", "v.0 X-1"},
        {"gpu v vf 1 X-1:1024:4\nheld 1 X-1 v.0 other hidden", "", "type=X-1 free=kind",
         "ENOSPC |v does not offer it now"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* A driver that lists only what it would make now: what else there is, nobody knows. */
static void
what_is_not_listed_now(void **state)
{
    static const struct row rows[] = {
        {V "forgetful v", "", "type=X-1 on=v.1", "v.1 X-1"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=X-2 on=v.1", "v.1 X-2"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=X-1 on=v.1",
         "ENOSPC gpu0 (X-1) cannot be on v.1: its GPU v does not offer it while it holds x-2 (1 in "
         "use); no other virtual function"},
        {V "forgetful v\nforeign 1 X-2 v.0\nforeign 2 X-2 v.3\n" W, "", "type=X-1 on=v.1",
         "ENOSPC |v does not offer it while it holds x-2 (2 in use); gpu0 could be on w.0, w.1"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=X-1 on=v.1 free=place",
         "ENOSPC no GPU can take gpu0 (X-1): v does not offer it while it holds x-2 (1 in use)"},
        {V "forgetful v\nforeign 1 X-4 v.0", "", "type=x-4 on=v.1", "ENOSPC |v is full (1 in use)"},
        /* an idle one lists them all */
        {V "forgetful v", "", "type=Z on=v.1", "ENOENT |Z, which no GPU here has"},
        {V "forgetful v\nforeign 1 X-2 v.0", "gpus = ( { address = \"v\"; enabled = false; } );",
         "type=Z on=v.1", "ENOSPC |its GPU v is disabled"},
        {"gpu a" X V, "", "type=Z", "ENOENT |Z, which no GPU here has"},
        {"gpu a" X V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z",
         "ENOSPC |a has no such type, v makes vGPUs for"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Sizes may differ where the driver has been seen to take several, and among GPU instances. */
static void
cards_of_several_sizes(void **state)
{
#define MIXED     "gpu v vf 4 mixed 8192" X
#define INSTANCES "gpu v vf 4 X-1:1024:1@1 X-2:2048:2@2\n"
    static const struct row rows[] = {
        {MIXED "foreign 1 X-4 v.0", "", "type=X-1 on=v.1;type=X-2 on=v.2", "v.1 X-1, v.2 X-2"},
        {MIXED "pending 1 X-4 v.0 other", "", "type=X-1 on=v.1", "v.1 X-1"},
        {MIXED "foreign 1 X-4 v.0\nforeign 2 X-4 v.1", "", "type=X-1 on=v.2",
         "ENOSPC |v holds x-4 (2 in use)"},
        {MIXED "foreign 1 X-1 v.0\nforeign 2 X-1 v.1",
         "max_instances = ( { types = [ \"X-1\" ]; max = 2; } );", "type=X-1 on=v.2", "v.2 X-1"},
        {V "foreign 1 X-4 v.0", "", "type=X-1 on=v.1", "ENOSPC |v holds x-4"},
        {INSTANCES, "", "type=X-1 on=v.0;type=X-2 on=v.1;type=X-2 on=v.2",
         "v.0 X-1, v.1 X-2, v.2 X-2"},
        {INSTANCES "pending 1 X-1 v.3 other", "", "type=X-2 on=v.1", "v.1 X-2"},
        {INSTANCES "foreign 1 X-1 v.3", "", "type=X-2 on=v.1", "v.1 X-2"},
        {INSTANCES "foreign 1 X-1 v.3", "", "type=X-1 on=v.1", "ENOSPC |v is full (1 in use)"},
        {INSTANCES "foreign 1 X-2 v.3", "max_instances = ( { types = [ \"X-2\" ]; max = 1; } );",
         "type=X-2 on=v.1", "v.1 X-2"},
        /* without a free instance nothing is listed */
        {"gpu v vf 4 X-1:1024:0@1", "", "type=X-1 on=v.1", "ENOSPC |v does not offer it now"},
        {"gpu v vf 4 X-1:1024:0@1\nforgetful v", "", "type=X-1 on=v.1",
         "ENOSPC |v does not offer it now"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- reasons ---------------------------------------------------------------------------------- */

static void
every_gpu_has_a_reason(void **state)
{
#define EVERY                                                                                      \
    "gpu a" X "gpu b" X "gpu c" X "gpu d Y:1024:1\ngpu e" X "gpu f" X "gpu g" X "gpu h" X          \
    "foreign 1 X-1 b\nforeign 2 X-2 c\nforeign 3 X-2 c\npending 4 X-1 e other\n"                   \
    "unreadable f X-2\nrefused g X-2\n"
    static const struct row rows[] = {
        {EVERY,
         "gpus = ( { address = \"a\"; enabled = false; }, { address = \"h\"; reserve = 2; } );",
         "type=X-2",
         "ENOSPC no GPU can take gpu0 (X-2): |a is disabled|, b holds x-1 (1 in "
         "use)|, c is full (2 "
         "of 2)|, d has no such type|, e is being given a vGPU of another "
         "size|, f does not tell its "
         "room (Input/output error)|, g refused it (|, h has only reserved places left"},
        /* of several types the reason that came closest */
        {"gpu a" X "foreign 1 X-1 a",
         "classes = { c = { types = [ \"X-4\", \"X-2\" ]; }; };"
         "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );",
         "class=c", "ENOSPC no GPU can take gpu0 (c): a holds x-1"},
        /* of several devices the one that has none */
        {THREE "foreign 1 X-1 a\nforeign 2 X-1 b\nforeign 3 X-1 c", "", "type=X-1;type=X-2",
         "ENOSPC |can take gpu1 (X-2)|a holds x-1|b holds x-1|c holds x-1"},
        /* nothing at all */
        {"", "", "type=X-1", "ENOENT gpu0 wants X-1, and no GPU on this host offers vGPUs"},
        {"gpu a X-1:1024:4\ngpu b Y:1024:1\ngpu c X-1:1024:4", "", "type=Z",
         "ENOENT gpu0 wants Z, which no GPU here has; there are: x-1 (GRID X-1), y (GRID Y)"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Sixteen GPUs, with real names and the longest reasons, all in one line. */
static void
no_reason_is_cut_off(void **state)
{
    AUTO(world_clear) struct world world = {0};
    char text[2200], machine[2048] = "";

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        size_t at = strlen(machine);

        snprintf(machine + at, sizeof(machine) - at, "gpu 0000:%02x:00.0 numa %u X-1:1024:4\n", i,
                 i);
    }
    build_host(&world, machine);
    build_policy(&world, "numa = \"require\";");
    build_request(&world, "type=X-1");
    answer(&world, text, sizeof(text));
    for (unsigned i = 0; i < 16; i++) {
        snprintf(machine, sizeof(machine),
                 "0000:%02x:00.0 is on a NUMA node, and the guest is bound"
                 " to none (numatune)",
                 i);
        if (!strstr(text, machine))
            fail_msg("no \"%s\" in: %s", machine, text);
    }
}

static void
a_refusal_of_all_together_has_reasons_too(void **state)
{
    static const struct row rows[] = {
        {"gpu a" X "gpu b" X, "", "type=X-1;type=X-2;type=X-4",
         "ENOSPC |not for all together|gpu0 (X-1)|gpu1 (X-2)|gpu2 (X-4)|a |b "},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* --- what would be reaped --------------------------------------------------------------------- */

struct reaping {
    const char *host, *policy, *request;
    size_t wanted; /* number of the vGPU; 0: none */
};

static void
check_reapings(const struct reaping *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        const struct row row = {rows[i].host, rows[i].policy, rows[i].request, ""};
        char text[2200];
        size_t victim;

        ask(&row, text, sizeof(text), &victim);
        if (victim == (rows[i].wanted ? rows[i].wanted : SIZE_MAX) && *text == 'E')
            continue;
        print_error("--- row %zu\n%s\n%s\n%s\nreaps %zd, not %zu; %s\n", i, row.host, row.policy,
                    row.request, (ssize_t)victim, rows[i].wanted, text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void
an_idle_gpu_changes_its_type(void **state)
{
    static const struct reaping rows[] = {
        {"gpu a" X "kept 1 X-1 a other", "", "type=X-2", 1},
        {"gpu a" X "leaving 1 X-1 a other", "", "type=X-2", 1},
        {"gpu a" X "kept 1 X-4 a other", "", "type=X-4", 1},
        {"gpu a vfs 1" X "kept 1 X-1 a.0 other", "", "type=X-1", 1},
        /* the GPU that loses the fewest, and of it the oldest */
        {"gpu a" X "gpu b" X
         "kept 1 X-1 a other at 5\nkept 2 X-1 a other at 3\nkept 3 X-1 b other at 9",
         "", "type=X-2", 3},
        {"gpu a" X "kept 1 X-1 a other at 5\nkept 2 X-1 a other at 3\nkept 3 X-1 a other at 9", "",
         "type=X-2", 2},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other at 5\nkept 2 X-1 b other at 3", "", "type=X-2", 1},
        /* for the device that has no room */
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nforeign 2 X-1 b", "", "type=X-1;type=X-4", 1},
        /* a demanded UUID of the wrong type goes first */
        {"gpu a" X "gpu b" X "kept 1 X-1 a other at 1\nkept 2 X-1 b other at 9", "",
         "type=X-2 uuid=2", 2},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

static void
nothing_is_reaped_in_vain(void **state)
{
    static const struct reaping rows[] = {
        /* it is not ours, or is in use */
        {"gpu a" X "foreign 1 X-1 a", "", "type=X-2", 0},
        {"gpu a" X "held 1 X-1 a other", "", "type=X-2", 0},
        {"gpu a" X "found 1 X-1 a other", "", "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other busy", "", "type=X-2", 0},
        /* something that stays blocks */
        {"gpu a" X "kept 1 X-1 a other\nforeign 2 X-1 a", "", "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other\nheld 2 X-1 a other", "", "type=X-2", 0},
        {"gpu a X-1:1024:2\nkept 1 X-1 a other busy\nheld 2 X-1 a other", "", "type=X-1", 0},
        {"gpu a" X "gpu b" X
         "kept 1 X-1 a other\nheld 2 X-1 a other\nkept 3 X-1 b other\nkept 4 X-1 b "
         "other",
         "", "type=X-2", 3},
        /* rules that would still be broken */
        {"gpu a" X "kept 1 X-1 a other", "gpus = ( { address = \"a\"; enabled = false; } );",
         "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other", "gpus = ( { address = \"a\"; types = [ \"X-1\" ]; } );",
         "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other", "", "type=X-2 traits=blue", 0},
        {"gpu a numa 0" X "kept 1 X-1 a other", "", "type=X-2 numa=require nodes=1", 0},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nforeign 2 X-1 b", "", "type=X-2 parent=b", 0},
        {"gpu a" X "kept 1 X-1 a other",
         "classes = { c = { types = [ \"X-2\" ]; }; };"
         "quotas = ( { domains = [ \"*\" ]; class = \"c\"; max = 0; } );",
         "type=X-2", 0},
        {"gpu a Y:1024:1\nkept 1 Y a other", "", "type=X-1", 0},
        /* a UUID that is somebody's, or in the way for good; or whose type had no room anyway */
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nheld 2 X-1 a other\nforeign 3 X-1 b", "",
         "type=X-2 uuid=1", 0},
        {"gpu a" X "held 1 X-1 a other", "", "type=X-1 uuid=1", 0},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nforeign 2 X-1 b", "", "type=X-2 uuid=2", 0},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

static void
reserved_places_stay_reserved(void **state)
{
    static const struct reaping rows[] = {
        {"gpu a X-1:1024:2\nkept 1 X-1 a other\nheld 2 X-1 a other",
         "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1", 0},
        {"gpu a X-1:1024:2\nkept 1 X-1 a other", "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1", 1},
        {"gpu a vfs 1 X-1:1024:4\nkept 1 X-1 a.0 other",
         "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1", 0},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

static void
a_claim_in_flight_blocks_as_what_is_made(void **state)
{
    static const struct reaping rows[] = {
        {"gpu a" X "kept 1 X-1 a other\npending 2 X-1 a third", "", "type=X-2", 0},
        {"gpu a X-1:1024:2\nkept 1 X-1 a other\npending 2 X-1 a third\npending 3 X-1 a third", "",
         "type=X-1", 0},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

/* What the kernel has refused or does not tell, no reaping makes it grant in this call. */
static void
a_refusal_is_no_reason_to_reap(void **state)
{
    static const struct reaping rows[] = {
        {"gpu a X-1:1024:4\nkept 1 X-1 a other\nrefused a X-1", "", "type=X-1", 0},
        {"gpu a vfs 2 X-1:1024:4\nkept 1 X-1 a.0 other\nrefused a.1 X-1\nrefused a.0 X-1", "",
         "type=X-1", 0},
        {"gpu a X-1:1024:4\nkept 1 X-1 a other\nunreadable a X-1", "", "type=X-1", 0},
        {"gpu a" X "kept 1 X-1 a other\nrefused a X-2", "", "type=X-2", 0},
        {"gpu a vfs 2 X-1:1024:4\nheld 1 X-1 a.0 other\nkept 2 X-1 a.1 other\nrefused a.1 X-1", "",
         "type=X-1", 0},
        /* but another function may take it once it is free */
        {"gpu a vfs 2 X-1:1024:4\nkept 1 X-1 a.0 other\nrefused a.1 X-1", "", "type=X-1", 1},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

/* Others' vGPUs are not given up for a device that has capacity, or for one that will never have.
 */
static void
only_what_stands_in_the_way_is_reaped(void **state)
{
    static const struct reaping rows[] = {
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nforeign 2 Y b", "", "type=X-1;type=Y", 0},
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nkept 2 Y b other", "", "type=X-1;type=Y",
         2},
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nforeign 2 Y b", "", "type=X-2;type=Y", 0},
        /* a kept one that one of the devices is to have stays */
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nkept 2 Y b other", "",
         "type=X-1 uuid=1;type=Y", 2},
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nforeign 2 Y b", "",
         "type=X-1 uuid=1;type=Y", 0},
        /* a function that is asked for by name */
        {"gpu a vfs 2 X-1:1024:2\nheld 1 X-1 a.0 other\nkept 2 X-1 a.1 other", "",
         "type=X-1 parent=a.0", 0},
        {"gpu a vfs 3 X-1:1024:9\nkept 1 X-1 a.0 other at 9\nkept 2 X-1 a.1 other at 1", "",
         "type=X-1 parent=a.0", 1},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

/* One that would do elsewhere makes way, as when placing. */
static void
help_for_all_together(void **state)
{
    static const struct reaping rows[] = {
        {"gpu a vfs 1 X-1:1024:4\ngpu b vfs 1 X-1:1024:4\nkept 1 X-1 b.0 other", "",
         "type=X-1 parent=a;type=X-1", 1},
        {"gpu a vfs 1 X-1:1024:4\ngpu b vfs 1 X-1:1024:4\nkept 1 X-1 b.0 other", "",
         "type=X-1;type=X-1 parent=a", 1},
        {"gpu a" X "gpu b" X "kept 1 X-1 b other", "", "type=X-2;type=X-4 parent=a", 1},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

static void
what_stands_in_the_way_of_a_named_function(void **state)
{
#define ONES_AND_TWOS "gpu v vf 4 X-1:1024:1@1 X-2:2048:1@2 Y-1:1024:1@1\n"
    static const struct reaping rows[] = {
        /* of another size, anywhere on the card; of another type, on the very function */
        {V "kept 1 X-2 v.0 other", "", "type=X-1 on=v.1", 1},
        {V "kept 1 X-2 v.1 other", "", "type=X-1 on=v.1", 1},
        {V "leaving 1 X-2 v.1 other", "", "type=X-1 on=v.1", 1},
        {V "leaving 1 X-1 v.1 other", "", "type=X-1 on=v.1", 1},
        {V "kept 1 X-2 v.0 other at 1\nkept 2 X-2 v.1 other at 9", "", "type=X-1 on=v.1", 2},
        {V "kept 1 X-2 v.0 other at 9\nkept 2 X-2 v.3 other at 1", "", "type=X-1 on=v.1", 2},
        {"gpu v vf 6 X-1:1024:2\nkept 1 X-1 v.0 other at 5\nkept 2 X-1 v.1 other at 3", "",
         "type=X-1 on=v.5", 2},
        {V "kept 1 X-2 v.0 other\n" W, "", "type=X-1 on=w.0;type=X-1 on=v.1", 1},
        /* what stays, and what is elsewhere */
        {V "kept 1 X-2 v.0 other\nheld 2 X-2 v.2 other", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.1 other\nheld 2 X-2 v.2 other", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.1 other", "", "type=Z on=v.1", 0},
        {V "kept 1 X-2 v.0 other busy", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.1 other busy", "", "type=X-1 on=v.1", 0},
        {V W "kept 1 X-1 w.0 other\nforeign 2 X-2 v.0", "", "type=X-1 on=v.1", 0},
        {V W "kept 1 X-1 w.0 other\nheld 2 X-1 v.1 other", "", "type=X-1 on=v.1", 0},
        {V "held 1 X-1 v.1 other hidden\nkept 2 X-1 v.0 other", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.0 other\nrefused v.1 X-1", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.0 other\ndrained v", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.0 other", "", "type=X-1 on=x.1", 0},
        {V "kept 1 X-2 v.0 other", "", "type=X-1 on=v.1;type=X-2 on=v.2", 0},
        /* nobody knows that it would help: the type is not listed, nor remembered */
        {V "forgetful v\nkept 1 X-2 v.0 other", "", "type=X-1 on=v.1", 0},
        /* a GPU instance is of no use to a type of another shape */
        {ONES_AND_TWOS "kept 1 X-2 v.0 other\nheld 2 X-1 v.2 other", "", "type=X-1 on=v.1", 0},
        {ONES_AND_TWOS "kept 1 X-2 v.0 other at 1\nkept 2 X-1 v.2 other at 9", "",
         "type=X-1 on=v.1", 2},
        {ONES_AND_TWOS "kept 1 X-2 v.0 other\nheld 2 Y-1 v.2 other", "", "type=X-1 on=v.0", 1},
        {ONES_AND_TWOS "kept 1 X-2 v.1 other\nheld 2 X-1 v.2 other", "", "type=X-1 on=v.1", 0},
        {"gpu v vf 1 X-1:1024:1@1 X-2:2048:1@2\nkept 1 X-2 v.0 other", "", "type=X-1 on=v.0", 1},
        /* who arrives goes anywhere */
        {"gpu v vf 2 X-1:1024:4\nheld 1 X-1 v.0 other\nkept 2 X-1 v.1 other", "",
         "type=X-1 on=v.0 free=place", 2},
        {"gpu v vf 2 X-1:1024:4\nheld 1 X-1 v.0 other hidden\nkept 2 X-1 v.1 other busy", "",
         "type=X-1 on=v.0 free=place", 0},
        {"gpu v vf 2" X "held 1 X-1 v.0 other hidden\nkept 2 X-2 v.1 other", "",
         "type=X-1 on=v.1 free=place parent=v.0", 0},
    };

    (void)state;
    check_reapings(rows, COUNT(rows));
}

/* --- the search has an end -------------------------------------------------------------------- */

/* Devices of which no two are alike, and one too many: an answer, or E2BIG, in bearable time. */
static void
a_hopeless_search_ends(void **state)
{
    AUTO(world_clear) struct world world = {0};
    char text[2200], request[1024] = "";

    (void)state;
    for (unsigned i = 0; i < 13; i++) {
        size_t at = strlen(request);

        snprintf(request + at, sizeof(request) - at, "%stype=X-1 traits=!t%u", i ? ";" : "", i);
    }
    build_host(&world, "gpu a X-1:1024:3\ngpu b X-1:1024:3\ngpu c X-1:1024:3\ngpu d X-1:1024:3\n");
    build_policy(&world, "");
    build_request(&world, request);
    answer(&world, text, sizeof(text));
    if (!strstr(text, "E2BIG its 13 vGPUs can be placed in more ways than were tried") &&
        !strstr(text, "ENOSPC "))
        fail_msg("%s", text);
}

/* As many alike ones as may be asked for, one too many: alike ones are not tried in all orders. */
static void
many_alike_are_no_search(void **state)
{
    AUTO(world_clear) struct world world = {0};
    char text[2200], machine[2048] = "", request[1024] = "";

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        size_t at = strlen(machine);

        snprintf(machine + at, sizeof(machine) - at, "gpu g%u X-1:1024:3\n", i);
    }
    for (unsigned i = 0; i < 25; i++) {
        size_t at = strlen(request);

        snprintf(request + at, sizeof(request) - at, "%stype=X-1", i ? ";" : "");
    }
    build_host(&world, machine);
    build_policy(&world, "placement = \"spread\";");
    build_request(&world, request);
    answer(&world, text, sizeof(text));
    if (!strstr(text, "ENOSPC there is room for each of its vGPUs, but not for all together"))
        fail_msg("%s", text);
}

/* --- all of it -------------------------------------------------------------------------------- */

static int
remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static int
set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(directory));
    host.root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return host.root < 0;
}

static int
tear_down(void **state)
{
    (void)state;
    close(host.root);
    return nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pack_fills_and_keeps_empty_ones_empty),
        cmocka_unit_test(spread_takes_the_emptiest),
        cmocka_unit_test(near_first_or_only),
        cmocka_unit_test(traits_are_asked_for_or_forbidden),
        cmocka_unit_test(classes_by_types_and_by_frame_buffer),
        cmocka_unit_test(gpus_of_the_policy),
        cmocka_unit_test(parents_that_are_asked_for),
        cmocka_unit_test(a_named_function_is_left_to_who_names_it),
        cmocka_unit_test(quotas_bind_whom_they_name),
        cmocka_unit_test(the_tightest_quota_binds),
        cmocka_unit_test(functions_are_not_added_up),
        cmocka_unit_test(one_size_on_a_gpu),
        cmocka_unit_test(all_together_whatever_the_order),
        cmocka_unit_test(no_way_is_given_up_too_soon),
        cmocka_unit_test(small_ones_do_not_crowd_out_big_ones),
        cmocka_unit_test(refusals_and_silence),
        cmocka_unit_test(what_is_there_already),
        cmocka_unit_test(the_function_that_is_named),
        cmocka_unit_test(why_the_function_that_is_named_will_not_do),
        cmocka_unit_test(functions_that_would_do),
        cmocka_unit_test(several_functions_for_one_guest),
        cmocka_unit_test(places_for_who_arrives),
        cmocka_unit_test(what_is_not_listed_now),
        cmocka_unit_test(cards_of_several_sizes),
        cmocka_unit_test(every_gpu_has_a_reason),
        cmocka_unit_test(no_reason_is_cut_off),
        cmocka_unit_test(a_refusal_of_all_together_has_reasons_too),
        cmocka_unit_test(an_idle_gpu_changes_its_type),
        cmocka_unit_test(nothing_is_reaped_in_vain),
        cmocka_unit_test(reserved_places_stay_reserved),
        cmocka_unit_test(a_claim_in_flight_blocks_as_what_is_made),
        cmocka_unit_test(a_refusal_is_no_reason_to_reap),
        cmocka_unit_test(only_what_stands_in_the_way_is_reaped),
        cmocka_unit_test(help_for_all_together),
        cmocka_unit_test(what_stands_in_the_way_of_a_named_function),
        cmocka_unit_test(a_hopeless_search_ends),
        cmocka_unit_test(many_alike_are_no_search),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
