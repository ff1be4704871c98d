/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/metrics.h"
#include "base/printable.h"
#include "view/gpu-view.h"
#include "view/setup-view.h"
#include "view/usage.h"
#include "view/vgpu-walk.h"

#include <inttypes.h>
#include <string.h>

/* A domain's name comes from people and may be no UTF-8. Prometheus refuses a whole file for one
 * such byte. */
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

/* A label without a name ends the labels. */
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

/* --- of a GPU; below 0: not known ------------------------------------------------------------- */

static int64_t
gpu_vgpus(const struct metrics *metrics, const struct inventory_gpu *gpu)
{
    (void)metrics;
    return (int64_t)gpu->vgpu_count;
}

static int64_t
gpu_enabled(const struct metrics *metrics, const struct inventory_gpu *gpu)
{
    return metrics->view->knows_policy ? gpu_view_is_enabled(&metrics->view->snapshot, gpu)
                                       : -ENODATA;
}

/* Prometheus' base unit is the byte. */
static int64_t
in_bytes(int64_t mib)
{
    return mib < 0 ? mib : mib << 20;
}

/* MiB. If a GPU has no frame buffer, the figures are not known. */
static struct gpu_usage
memory_of(const struct metrics *metrics, const struct inventory_gpu *gpu)
{
    struct gpu_usage usage;

    usage_of(metrics->view, gpu, &usage);
    if (usage.is_in_vgpus)
        usage = (struct gpu_usage){.total = -1, .used = -1, .free = {.most = BOUNDS_ANY}};
    return usage;
}

static int64_t
gpu_framebuffer(const struct metrics *metrics, const struct inventory_gpu *gpu)
{
    return in_bytes(memory_of(metrics, gpu).total);
}

static int64_t
gpu_used(const struct metrics *metrics, const struct inventory_gpu *gpu)
{
    return in_bytes(memory_of(metrics, gpu).used);
}

static int64_t
gpu_free(const struct metrics *metrics, const struct inventory_gpu *gpu)
{
    const struct gpu_usage usage = memory_of(metrics, gpu);

    return in_bytes(bounds_figure(&usage.free));
}

static int64_t
gpu_free_at_most(const struct metrics *metrics, const struct inventory_gpu *gpu)
{
    const struct gpu_usage usage = memory_of(metrics, gpu);

    return in_bytes(bounds_most(&usage.free));
}

/* --- of a type of a GPU; below 0: not known --------------------------------------------------- */

static int64_t
type_available(const struct metrics *metrics, const struct inventory_type *type)
{
    const struct bounds left = host_view_left(metrics->view, type);

    return host_view_figure(metrics->view, &left);
}

static int64_t
type_at_most(const struct metrics *metrics, const struct inventory_type *type)
{
    const struct bounds left = host_view_left(metrics->view, type);

    return bounds_most(&left);
}

static int64_t
type_max(const struct metrics *metrics, const struct inventory_type *type)
{
    (void)metrics;
    return type->max ? (int64_t)type->max : -ENODATA;
}

/* --- of the host; below 0: not known ---------------------------------------------------------- */

/* Counts vGPUs that a guest has and that do not exist: the driver crashed, or somebody removed
 * them. A vGPU that is being made or removed does not count; its lease shows this. */
static int64_t
lost(const struct metrics *metrics)
{
    const struct snapshot *snapshot = &metrics->view->snapshot;
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};
    int64_t count = 0;

    while (vgpu_walk_next(&walk))
        count += !walk.vgpu && walk.lease->state == LEASE_HELD;
    return count;
}

static int64_t
orphans(const struct metrics *metrics)
{
    return metrics->orphans ? (int64_t)*metrics->orphans : -ENODATA;
}

static int64_t
up(const struct metrics *metrics)
{
    return metrics->view != NULL;
}

static int64_t
configuration_is_right(const struct metrics *metrics)
{
    return metrics->view->knows_policy;
}

static int64_t
lost_lines(const struct metrics *metrics)
{
    return (int64_t)metrics->counters->lost_lines;
}

/* --- with labels of their own ----------------------------------------------------------------- */

static void
put_info(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct snapshot *snapshot = &metrics->view->snapshot;
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};

    while (vgpu_walk_next(&walk)) {
        const char *name = gpu_view_type_name(snapshot, walk.gpu, walk.type);
        const struct lease *lease = walk.lease, *owned = lease_of_domain(lease);
        const struct label labels[] = {
            {"device", walk.device->text},
            {"type", walk.type->text},
            {"name", name ? name : ""},
            {"parent", walk.parent->text},
            {"gpu", walk.gpu->text},
            {"state", lease ? lease_state_name(lease->state) : "foreign"},
            {"domain", owned ? owned->domain_name : ""},
            {"domain_uuid", owned ? owned->domain.text : ""},
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

static bool
as_declared(const struct setup_judgment *judgment, uint64_t *ret)
{
    *ret = judgment->view != SETUP_VIEW_DIFFERS;
    return judgment->view != SETUP_VIEW_UNSAID && judgment->view != SETUP_VIEW_UNKNOWN;
}

static bool
seen_as_declared(const struct setup_judgment *judgment, uint64_t *ret)
{
    *ret = (uint64_t)judgment->seen;
    return judgment->view == SETUP_VIEW_SEEN;
}

/* A GPU for which `value` has none is left out. A GPU that is declared may offer nothing now, and
 * then stands in no other family. */
static void
put_judgments(const struct metrics *metrics, const char *metric, FILE *out,
              bool (*value)(const struct setup_judgment *judgment, uint64_t *ret))
{
    const struct snapshot *snapshot = &metrics->view->snapshot;

    for (size_t i = 0; i < snapshot->policy.gpu_count; i++) {
        const struct policy_gpu *said = &snapshot->policy.gpus[i];
        const struct label labels[] = {{"gpu", said->address.text}, {NULL, NULL}};
        const struct setup_judgment judgment =
            setup_view_judge(metrics->view->call->host, said, &snapshot->inventory);
        uint64_t number;

        if (said->enabled && value(&judgment, &number))
            put_sample(out, metric, number, labels);
    }
}

static void
put_setup(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_judgments(metrics, metric, out, as_declared);
}

static void
put_setup_seen(const struct metrics *metrics, const char *metric, FILE *out)
{
    put_judgments(metrics, metric, out, seen_as_declared);
}

static void
put_build(const struct metrics *metrics, const char *metric, FILE *out)
{
    const struct label labels[] = {{"version", VGPU_VERSION}, {NULL, NULL}};

    (void)metrics;
    put_sample(out, metric, 1, labels);
}

static int64_t
guests_away(const struct metrics *metrics)
{
    return metrics->away ? (int64_t)*metrics->away : -ENODATA;
}

/* Counters that are zero are written as well. Prometheus can compute a rate from the first failure
 * on only if the counter was there before. */
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

static const struct family {
    const char *name, *type, *help;
    bool is_always; /* also if the figures could not be read */
    /* Each family has one of these functions. */
    int64_t (*of_host)(const struct metrics *metrics);
    int64_t (*of_gpu)(const struct metrics *metrics, const struct inventory_gpu *gpu);
    int64_t (*of_type)(const struct metrics *metrics, const struct inventory_type *type);
    void (*put)(const struct metrics *metrics, const char *metric, FILE *out);
} families[] = {
    {"libvirt_vgpu_build_info", "gauge", "Which libvirt-vgpu tells this.", .put = put_build,
     .is_always = true},
    {"libvirt_vgpu_up", "gauge",
     "Whether the host's figures could be read. If not, there are none.", .of_host = up,
     .is_always = true},
    {"libvirt_vgpu_configuration_right", "gauge",
     "Whether vgpu.conf has no fault. If it has one, no guest that asks for a vGPU starts.",
     .of_host = configuration_is_right},
    {"libvirt_vgpu_gpu_vgpus", "gauge", "vGPUs that are on a GPU.", .of_gpu = gpu_vgpus},
    {"libvirt_vgpu_gpu_enabled", "gauge", "Whether anybody may have vGPUs of a GPU.",
     .of_gpu = gpu_enabled},
    {"libvirt_vgpu_gpu_as_declared", "gauge",
     "Whether a GPU is as vgpu.conf declares its setup; absent if only a vendor's tool knows.",
     .put = put_setup},
    {"libvirt_vgpu_gpu_as_declared_seen_seconds", "gauge",
     "When vgpuctl setup saw that; absent if the kernel shows it now. Seconds since 1970.",
     .put = put_setup_seen},
    {"libvirt_vgpu_gpu_framebuffer_bytes", "gauge", "Frame buffer that the vGPUs of a GPU share.",
     .of_gpu = gpu_framebuffer},
    {"libvirt_vgpu_gpu_framebuffer_used_bytes", "gauge", "Frame buffer of the vGPUs on a GPU.",
     .of_gpu = gpu_used},
    {"libvirt_vgpu_gpu_framebuffer_free_bytes", "gauge",
     "Frame buffer that guests could still get of a GPU now.", .of_gpu = gpu_free},
    {"libvirt_vgpu_gpu_framebuffer_free_at_most_bytes", "gauge",
     "Frame buffer that guests could get of a GPU at most: it takes no more.",
     .of_gpu = gpu_free_at_most},
    {"libvirt_vgpu_type_available", "gauge", "How many more vGPUs of a type a GPU could take now.",
     .of_type = type_available},
    {"libvirt_vgpu_type_available_at_most", "gauge",
     "How many more vGPUs of a type a GPU could take at most, added up from its places.",
     .of_type = type_at_most},
    {"libvirt_vgpu_type_max", "gauge", "How many vGPUs of a type an empty GPU takes.",
     .of_type = type_max},
    {"libvirt_vgpu_info", "gauge", "A vGPU, and whose it is.", .put = put_info},
    {"libvirt_vgpu_leases", "gauge", "Leases in the ledger.", .put = put_leases},
    {"libvirt_vgpu_lost", "gauge", "vGPUs that guests have by the ledger, and that are not there.",
     .of_host = lost},
    {"libvirt_vgpu_orphans", "gauge",
     "vGPUs that no domain refers to, running or defined; absent if libvirt could not be asked.",
     .of_host = orphans},
    {"libvirt_vgpu_guests_away", "gauge",
     "Guests that 'vgpuctl evacuate' has moved, and that are not back.", .of_host = guests_away},
    {"libvirt_vgpu_operations_total", "counter",
     "Calls of the hook for guests with a vGPU, and reconciliations, by how they ended.",
     .put = put_operations},
    {"libvirt_vgpu_log_lines_lost_total", "counter",
     "Lines that the system log did not take from the hook, from vgpuctl or from the call-out.",
     .of_host = lost_lines},
};

static void
put_known(FILE *out, const struct family *family, int64_t value, const struct label *labels)
{
    if (value >= 0)
        put_sample(out, family->name, (uint64_t)value, labels);
}

static void
put_samples(const struct metrics *metrics, const struct family *family, FILE *out)
{
    static const struct label none = {NULL, NULL};
    const struct inventory *inventory = metrics->view ? &metrics->view->snapshot.inventory : NULL;

    if (family->put)
        family->put(metrics, family->name, out);
    if (family->of_host)
        put_known(out, family, family->of_host(metrics), &none);
    for (size_t i = 0; inventory && i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];
        const struct label labels[] = {{"gpu", gpu->name.text}, {NULL, NULL}};

        if (family->of_gpu)
            put_known(out, family, family->of_gpu(metrics, gpu), labels);
        for (size_t k = 0; family->of_type && k < gpu->type_count; k++) {
            const struct label of_type[] = {{"gpu", gpu->name.text},
                                            {"type", gpu->types[k].id.text},
                                            {"name", gpu->types[k].name},
                                            {NULL, NULL}};

            put_known(out, family, family->of_type(metrics, &gpu->types[k]), of_type);
        }
    }
}

/* A family without a sample is not written. */
static void
put_family(const struct metrics *metrics, const struct family *family, FILE *out)
{
    AUTO_FREE char *samples = NULL;
    size_t size = 0;
    FILE *aside = open_memstream(&samples, &size);

    if (!aside)
        return;
    put_samples(metrics, family, aside);
    if (fclose(aside) == 0 && size)
        fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s", family->name, family->help, family->name,
                family->type, samples);
}

void
metrics_write(const struct metrics *metrics, FILE *out)
{
    for (size_t i = 0; i < COUNT(families); i++) {
        if (metrics->view || families[i].is_always)
            put_family(metrics, &families[i], out);
    }
}
