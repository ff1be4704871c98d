/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/metrics.h"
#include "base/memory.h"
#include "base/printable.h"
#include "view/host-snapshot.h"
#include "view/room.h"
#include "view/vgpu-walk.h"

#include <inttypes.h>
#include <string.h>

/* Prometheus refuses a whole file for one byte that is no UTF-8; a domain's name is people's. */
static void
put_value(const char *text, FILE *out)
{
    char value[512];

    snprintf(value, sizeof(value), "%s", text);
    printable_make(value);
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        fputc(*c, out);
    }
}

struct label {
    const char *name;
    const char *value; /* "": left out */
};

/* The labels end with one that has no name. */
static void
put_sample(FILE *out, const char *metric, uint64_t value, const struct label *labels)
{
    const char *before = "{";

    fprintf(out, "%s", metric);
    for (; labels->name; labels++) {
        if (!*labels->value)
            continue;
        fprintf(out, "%s%s=\"", before, labels->name);
        put_value(labels->value, out);
        fputc('"', out);
        before = ",";
    }
    fprintf(out, "%s %" PRIu64 "\n", *before == ',' ? "}" : "", value);
}

static void
put_of_gpu(FILE *out, const char *metric, uint64_t value, const struct inventory_gpu *gpu)
{
    const struct label labels[] = {{"gpu", gpu->name.text}, {NULL, NULL}};

    put_sample(out, metric, value, labels);
}

static void
put_of_type(FILE *out, const char *metric, uint64_t value, const struct inventory_gpu *gpu,
            const struct inventory_type *type)
{
    const struct label labels[] = {
        {"gpu", gpu->name.text}, {"type", type->id.text}, {"name", type->name}, {NULL, NULL}};

    put_sample(out, metric, value, labels);
}

static void
put_gpu_vgpus(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct inventory *inventory = &metrics->view->snapshot.inventory;

    for (size_t i = 0; i < inventory->gpu_count; i++)
        put_of_gpu(out, metric, host_snapshot_count(&metrics->view->snapshot, i),
                   &inventory->gpus[i]);
}

static void
put_gpu_enabled(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct inventory *inventory = &metrics->view->snapshot.inventory;

    for (size_t i = 0; i < inventory->gpu_count; i++)
        put_of_gpu(out, metric, host_snapshot_is_enabled(&metrics->view->snapshot, i),
                   &inventory->gpus[i]);
}

/* MiB of every GPU that has a frame buffer; -1 if that is not known. */
static void
put_room(const struct metrics *metrics, const char *metric, FILE *out,
         int (*figure)(const struct room *room))
{
    const struct inventory *inventory = &metrics->view->snapshot.inventory;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        struct room room;

        room_of(metrics->view, i, &room);
        if (!room.is_in_vgpus && figure(&room) >= 0)
            put_of_gpu(out, metric, (uint64_t)figure(&room), &inventory->gpus[i]);
    }
}

static int
total_of(const struct room *room)
{
    return room->total;
}

static void
put_framebuffer(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_room(metrics, metric, out, total_of);
}

static int
used_of(const struct room *room)
{
    return room->used;
}

static void
put_used(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_room(metrics, metric, out, used_of);
}

static int
free_of(const struct room *room)
{
    return room->free;
}

static void
put_free(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_room(metrics, metric, out, free_of);
}

static int
free_at_most_of(const struct room *room)
{
    return room->free_at_most;
}

static void
put_free_at_most(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_room(metrics, metric, out, free_at_most_of);
}

/* A figure of every type of every GPU that has one: -errno if not. */
static void
put_types(const struct metrics *metrics, const char *metric, FILE *out,
          int (*figure)(const struct metrics *metrics, size_t gpu, size_t type))
{
    const struct inventory *inventory = &metrics->view->snapshot.inventory;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = &inventory->gpus[i];

        for (size_t j = 0; j < gpu->count; j++) {
            int number = figure(metrics, i, j);

            if (number >= 0)
                put_of_type(out, metric, (uint64_t)number, gpu, &gpu->types[j]);
        }
    }
}

static int
available(const struct metrics *metrics, size_t gpu, size_t type)
{
    int ignored;

    return availability_of(&metrics->view->availability, gpu, type, &ignored);
}

static void
put_type_available(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_types(metrics, metric, out, available);
}

static int
at_most(const struct metrics *metrics, size_t gpu, size_t type)
{
    int most;

    (void)!availability_of(&metrics->view->availability, gpu, type, &most);
    return most;
}

static void
put_type_at_most(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_types(metrics, metric, out, at_most);
}

static int
max_of(const struct metrics *metrics, size_t gpu, size_t type)
{
    unsigned max = metrics->view->snapshot.inventory.gpus[gpu].types[type].max;

    return max ? (int)max : -ENODATA;
}

static void
put_type_max(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_types(metrics, metric, out, max_of);
}

static void
put_info(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct snapshot *snapshot = &metrics->view->snapshot;
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};

    while (vgpu_walk_next(&walk)) {
        const char *name = host_snapshot_type_name(snapshot, walk.gpu, walk.type);
        const struct lease *lease = walk.lease;
        const struct label labels[] = {
            {"device", walk.device->text},
            {"type", walk.type->text},
            {"name", name ? name : ""},
            {"parent", walk.parent->text},
            {"gpu", walk.gpu->text},
            {"state", lease ? lease_state_name(lease->state) : "foreign"},
            {"domain", lease ? lease->domain_name : ""},
            {"domain_uuid", lease ? lease->domain.text : ""},
            {NULL, NULL},
        };

        put_sample(out, metric, 1, labels);
    }
}

static void
put_leases(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct ledger *ledger = &metrics->view->snapshot.ledger;

    for (enum lease_state state = LEASE_PENDING; state <= LEASE_RESERVED; state++) {
        const struct label labels[] = {{"state", lease_state_name(state)}, {NULL, NULL}};
        size_t count = 0;

        for (size_t i = 0; i < ledger->count; i++)
            count += ledger->leases[i].state == state;
        put_sample(out, metric, count, labels);
    }
}

/* What a guest has and is not there: its driver crashed, or somebody has removed it. While it is
 * being made or removed its lease says so. */
static void
put_lost(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct snapshot *snapshot = &metrics->view->snapshot;
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};
    const struct label none = {NULL, NULL};
    size_t count = 0;

    while (vgpu_walk_next(&walk))
        count += !walk.vgpu && walk.lease->state == LEASE_HELD;
    put_sample(out, metric, count, &none);
}

static void
put_build(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct label labels[] = {{"version", VGPU_VERSION}, {NULL, NULL}};

    (void)metrics;
    put_sample(out, metric, 1, labels);
}

static void
put_orphans(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct label none = {NULL, NULL};

    if (metrics->orphans)
        put_sample(out, metric, *metrics->orphans, &none);
}

/* Also those that are zero: a rate can be told from the first failure on only if they were there
 * before. */
static void
put_operations(const struct metrics *metrics, const char *metric, FILE *out)
{
    for (enum counters_operation i = 0; i < COUNTERS_OPERATIONS; i++) {
        for (enum counters_result j = 0; j < COUNTERS_RESULTS; j++) {
            const struct label labels[] = {{"operation", counters_operation_name(i)},
                                           {"result", counters_result_name(j)},
                                           {NULL, NULL}};

            put_sample(out, metric, metrics->counters->counts[i][j], labels);
        }
    }
}

static void
put_lost_lines(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct label none = {NULL, NULL};

    put_sample(out, metric, metrics->counters->lost_lines, &none);
}

static const struct family {
    const char *name, *type, *help;
    void (*put)(const struct metrics *metrics, const char *metric, FILE *out);
} families[] = {
    {"libvirt_vgpu_build_info", "gauge", "Which libvirt-vgpu tells this.", put_build},
    {"libvirt_vgpu_gpu_vgpus", "gauge", "vGPUs that are on a GPU.", put_gpu_vgpus},
    {"libvirt_vgpu_gpu_enabled", "gauge", "Whether anybody may have vGPUs of a GPU.",
     put_gpu_enabled},
    {"libvirt_vgpu_gpu_framebuffer_mib", "gauge",
     "Frame buffer that the vGPUs of a GPU share, MiB.", put_framebuffer},
    {"libvirt_vgpu_gpu_framebuffer_used_mib", "gauge", "Frame buffer of the vGPUs on a GPU, MiB.",
     put_used},
    {"libvirt_vgpu_gpu_framebuffer_free_mib", "gauge",
     "Frame buffer that guests could still get of a GPU now, MiB.", put_free},
    {"libvirt_vgpu_gpu_framebuffer_free_at_most_mib", "gauge",
     "Frame buffer that guests could get of a GPU at most, MiB: it takes no more.",
     put_free_at_most},
    {"libvirt_vgpu_type_available", "gauge", "How many more vGPUs of a type a GPU could take now.",
     put_type_available},
    {"libvirt_vgpu_type_available_at_most", "gauge",
     "What the places of a GPU say that they would take of a type, added up: it takes no more.",
     put_type_at_most},
    {"libvirt_vgpu_type_max", "gauge", "How many vGPUs of a type an empty GPU takes.",
     put_type_max},
    {"libvirt_vgpu_info", "gauge", "A vGPU, and whose it is.", put_info},
    {"libvirt_vgpu_leases", "gauge", "Leases in the ledger.", put_leases},
    {"libvirt_vgpu_lost", "gauge", "vGPUs that guests have by the ledger, and that are not there.",
     put_lost},
    {"libvirt_vgpu_orphans", "gauge",
     "vGPUs that no domain refers to, running or defined; absent if libvirt could not be asked.",
     put_orphans},
    {"libvirt_vgpu_operations_total", "counter",
     "Calls of the hook for guests with a vGPU, and reconciliations, by how they ended.",
     put_operations},
    {"libvirt_vgpu_log_lines_lost_total", "counter",
     "Lines that the system log did not take from the hook, from vgpuctl or from the call-out.",
     put_lost_lines},
};

/* A family without a sample is not there at all. */
static void
put_family(const struct metrics *metrics, const struct family *family, FILE *out)
{
    AUTO_FREE char *samples = NULL;
    size_t size = 0;
    FILE *aside = memory_stream(&samples, &size);

    family->put(metrics, family->name, aside);
    memory_stream_end(aside, &samples);
    if (size)
        fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s", family->name, family->help, family->name,
                family->type, samples);
}

void
metrics_write(const struct metrics *metrics, FILE *out)
{
    for (size_t i = 0; i < COUNT(families); i++)
        put_family(metrics, &families[i], out);
}
