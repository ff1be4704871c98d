/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-growth: the processor time of a command for twice the input. "FAILED" if twice the input
 * takes more than MOST times as long. What takes less than a twentieth of a second is not judged.
 */

#include "bench/large.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define MOST   3.0
#define LITTLE 0.05 /* seconds */
#define TURNS  3

static struct scene scene;

static double
seconds_of(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double
processor_time(void)
{
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

/* --- what grows ------------------------------------------------------------------------------- */

/* Leases of vGPUs that are not there, each of another guest. */
static void
grow_leases(unsigned count)
{
    AUTO_FREE char *text = NULL;
    char ledger[4096];
    size_t size;
    FILE *out;

    scene_start(&scene, large_host(8, 8, false));
    if (scene_prepare(&scene, 1, 1, "nvidia-555") != 0 ||
        host_read(&scene.kernel.host, ledger, sizeof(ledger), "run/libvirt-vgpu/ledger") < 0)
        fail_msg("%s", scene.said);
    out = open_memstream(&text, &size);
    fprintf(out, "%s\n", ledger);
    for (unsigned i = 0; i < count; i++) {
        const char *line = strchr(ledger, '\n') + 1, *device = strchr(line, ' ') + 1;

        fprintf(out, "%.*sbbbbbbbb-0000-4000-8000-%012u%s\n", (int)(device - line), line, i,
                strchr(device, ' '));
    }
    fclose(out);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
}

static void
put_stanza(FILE *out, const char *kind, unsigned i)
{
    if (!strcmp(kind, "gpus"))
        fprintf(out, "{ address = \"0000:%02x:%02x.0\"; priority = 1; }", i >> 5, i & 31);
    else if (!strcmp(kind, "max_instances"))
        fprintf(out, "{ types = [ \"nvidia-%u\" ]; max = 2; }", 1000 + i);
    else if (!strcmp(kind, "quotas"))
        fprintf(out, "{ domains = [ \"a%u-*\" ]; class = \"c%u\"; max = 2; }", i, i);
    else
        fprintf(out, "{ name = \"b%u-*\"; release = \"keep\"; }", i);
}

/* As many of each kind of stanza in vgpu.conf. */
static void
grow_stanzas(unsigned count)
{
    static const char *const kinds[] = {"gpus", "max_instances", "quotas", "domains"};
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "classes = { small = { types = [ \"nvidia-555\" ]; };\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "c%u = { types = [ \"nvidia-%u\" ]; };\n", i, 555 + i % 22);
    fprintf(out, "};\n");
    for (size_t k = 0; k < COUNT(kinds); k++) {
        fprintf(out, "%s = (", kinds[k]);
        for (unsigned i = 0; i < count; i++) {
            fputs(i ? ",\n" : "\n", out);
            put_stanza(out, kinds[k], i);
        }
        fprintf(out, " );\n");
    }
    fclose(out);
    scene_start(&scene, large_host(8, 8, false));
    scene_configure(&scene, text);
}

static void
grow_functions(unsigned count)
{
    scene_start(&scene, large_host(8, count, false));
}

static void
grow_gpus(unsigned count)
{
    scene_start(&scene, large_host(count, 4, false));
}

static const struct growth {
    const char *what;
    unsigned count;
    void (*grow)(unsigned count);
} growths[] = {
    {"leases", 5000, grow_leases},
    {"stanzas of each kind", 1200, grow_stanzas},
    {"functions of each of 8 GPUs", 32, grow_functions},
    {"GPUs", 32, grow_gpus},
};

/* --- what is measured ------------------------------------------------------------------------- */

static const char *const commands[] = {"gpus", "types", "status", "list", "metrics", "doctor"};

/* The best of some turns, in seconds. */
static double
measure(const struct growth *growth, unsigned count, const char *line)
{
    AUTO(typed_clear) struct typed typed = {0};
    const char *libvirt;
    double best = 0;

    growth->grow(count);
    libvirt = typed_libvirt(&scene, "");
    for (int turn = 0; turn < TURNS; turn++) {
        double began = processor_time(), took;

        if (typed_run(&scene, libvirt, line, &typed) > 1)
            fail_msg("%s: %s", line, typed.faults);
        took = processor_time() - began;
        best = turn == 0 || took < best ? took : best;
    }
    scene_stop(&scene);
    return best;
}

int
main(void)
{
    bool good = true;

    printf("processor time for twice the input, best of %d:\n", TURNS);
    for (size_t i = 0; i < COUNT(growths); i++) {
        for (size_t k = 0; k < COUNT(commands); k++) {
            char line[64];
            double once, twice;
            bool is_bad;

            snprintf(line, sizeof(line), "vgpuctl %s", commands[k]);
            once = measure(&growths[i], growths[i].count, line);
            twice = measure(&growths[i], 2 * growths[i].count, line);
            is_bad = twice >= LITTLE && twice > MOST * once;
            good &= !is_bad;
            printf("  %-8s %4u to %4u %-27s %7.1f to %7.1f ms: %.2f%s\n", commands[k],
                   growths[i].count, 2 * growths[i].count, growths[i].what, once * 1e3, twice * 1e3,
                   twice / once, is_bad ? ", FAILED" : "");
            fflush(stdout);
        }
    }
    return good ? 0 : 1;
}
