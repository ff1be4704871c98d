/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-growth: the processor time of a start and of commands for twice the input. "FAILED" if
 * twice the input takes more than MOST times as long. What takes less than a twentieth of a second
 * is not shown. bench-growth INPUT COMMAND: only inputs and commands with these words. */

#include "bench/large.h"
#include "cli/command.h"
#include "device/nvidia-extract.h"
#include "device/nvidia-table.h"
#include "fake/typed.h"
#include "program/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define WANTED 2.2
#define MOST   3.0
#define LITTLE 0.05 /* seconds */
#define TURNS  5    /* at most, as once and twice as much are measured in turns */
#define ENOUGH 2    /* turns, if the ratio is as wanted */
#define CARD   "0000:18:00.0"
#define GUEST  9999 /* that is new, and its vGPU */
#define DEVICE "dddddddd-0000-4000-8000-000000009999"

/* tar needs the real clock. The journal is a file of the input. */
static int
run_program(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    const struct host real = {.root = host->root, .ops = &host_kernel};
    AUTO_CLOSE int journal = openat(host->root, "JOURNAL", O_RDONLY | O_CLOEXEC);

    if (strcmp(argv[0], "/usr/bin/journalctl") != 0)
        return program_run(&real, argv, out, milliseconds);
    return journal >= 0 && sendfile(out, journal, NULL, INT_MAX) > 0 ? 0 : 1;
}

/* An input of one size, and what the commands ask of it. */
struct input {
    struct scene scene;
    char libvirt[512];  /* the URI of its libvirt */
    const char *source; /* of the new guest: its UUID or function */
    const char *type;   /* that it asks for */
    char *domains;      /* of its libvirt; NULL: none */
    char *hosts;        /* that `where` asks; NULL: one */
};

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

/* The machine of inputs that are no GPUs: two cards, and more room than anybody asks for. */
static const char two_cards[] = "gpu " CARD " rule apart ceiling 9000\n"
                                "type nvidia-222 \"GRID T4-1B\" framebuffer 1 max 9000\n"
                                "gpu 0000:19:00.0 rule apart ceiling 9000\n"
                                "type nvidia-222 \"GRID T4-1B\" framebuffer 1 max 9000\n";

static void
start_large(struct input *input, unsigned gpus, unsigned functions)
{
    AUTO_FREE char *machine = large_host(gpus, functions, false);

    scene_start(&input->scene, machine);
    input->type = "nvidia-555";
}

static void
grow_functions(struct input *input, unsigned count)
{
    start_large(input, 8, count);
}

static void
grow_gpus(struct input *input, unsigned count)
{
    start_large(input, count, 4);
}

/* Types of a card with 64 functions, as the kernel tells them. */
static void
grow_types(struct input *input, unsigned count)
{
    AUTO_FREE char *machine = NULL;
    size_t size;
    FILE *out = open_memstream(&machine, &size);

    fprintf(out, "gpu " CARD " rule apart vfs 64\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "type nvidia-%u \"GRID T4-%uB\" framebuffer 1 max 9\n", 222 + i, i + 1);
    fclose(out);
    scene_start(&input->scene, machine);
}

/* Types of one card in NVIDIA's own table, where the kernel tells only their names. */
static void
grow_table(struct input *input, unsigned count)
{
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "<vgpuconfig>\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(out,
                "<vgpuType id=\"%u\" name=\"GRID T4-%uB\" class=\"NVS\"><numHeads>4</numHeads>"
                "<profileSize>0x100000</profileSize></vgpuType>\n",
                222 + i, i + 1);
    fprintf(out, "<pgpu><devId vendorId=\"0x10de\" deviceId=\"0x1EB8\" subsystemId=\"0x0\"/>\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "<supportedVgpu vgpuId=\"%u\"><maxVgpus>16</maxVgpus></supportedVgpu>\n",
                222 + i);
    fprintf(out, "</pgpu></vgpuconfig>\n");
    fclose(out);
    scene_start(&input->scene, "gpu " CARD " vf rule size device 0x1eb8 vfs 4\n"
                               "type nvidia-222 \"GRID T4-1B\" framebuffer 1 max 16\n");
    fake_write(&input->scene.kernel, NVIDIA_TABLE_PATH, text);
    input->source = "0000:18:00.4";
}

/* Leases of vGPUs that are not there, each of another guest. */
static void
grow_leases(struct input *input, unsigned count)
{
    struct scene *scene = &input->scene;
    AUTO_FREE char *text = NULL;
    char ledger[4096];
    size_t size;
    FILE *out;

    start_large(input, 8, 8);
    if (scene_prepare(scene, 1, 1, "nvidia-555") != 0 ||
        host_read(&scene->kernel.host, ledger, sizeof(ledger), "run/libvirt-vgpu/ledger") < 0)
        fail_msg("%s", scene->said);
    out = open_memstream(&text, &size);
    fprintf(out, "%s\n", ledger);
    for (unsigned i = 0; i < count; i++) {
        const char *line = strchr(ledger, '\n') + 1, *device = strchr(line, ' ') + 1;

        fprintf(out, "%.*sbbbbbbbb-0000-4000-8000-%012u%s\n", (int)(device - line), line, i,
                strchr(device, ' '));
    }
    fclose(out);
    fake_write(&scene->kernel, "run/libvirt-vgpu/ledger", text);
}

/* A domain that asks for a vGPU. The caller frees it. */
static char *
domain_of(unsigned guest, const char *how, const char *type, const char *source)
{
    return typed_functions(guest, how, type, (const char *const[]){source, NULL});
}

/* Guests that run, with a vGPU each. */
static void
grow_guests(struct input *input, unsigned count)
{
    size_t size;
    FILE *out = open_memstream(&input->domains, &size);

    scene_start(&input->scene, two_cards);
    for (unsigned i = 1; i <= count; i++) {
        AUTO_FREE char *domain = domain_of(i, "", "T4-1B", scene_device(i));

        if (scene_hook(&input->scene, domain, "prepare", "begin") != 0)
            fail_msg("%s", input->scene.said);
        scene_put_status(&input->scene, i, getpid(), domain);
        fputs(domain, out);
    }
    fclose(out);
}

/* Domains that do not run. */
static void
grow_domains(struct input *input, unsigned count)
{
    size_t size;
    FILE *out = open_memstream(&input->domains, &size);

    scene_start(&input->scene, two_cards);
    for (unsigned i = 1; i <= count; i++) {
        AUTO_FREE char *domain = domain_of(i, TYPED_DEFINED, "T4-1B", scene_device(i));

        fputs(domain, out);
    }
    fclose(out);
}

static void
put_stanza(FILE *out, const char *kind, unsigned i)
{
    if (!strcmp(kind, "gpus"))
        fprintf(out, "{ address = \"%04x:%02x:%02x.0\"; reserve = 1; }", i >> 13, i >> 5 & 255,
                i & 31);
    else if (!strcmp(kind, "max_instances"))
        fprintf(out, "{ types = [ \"nvidia-%u\" ]; max = 2; }", 1000 + i);
    else if (!strcmp(kind, "quotas"))
        fprintf(out, "{ domains = [ \"a%u-*\" ]; class = \"c0\"; max = 2; }", i);
    else
        fprintf(out, "{ name = \"b%u-*\"; evacuate = [ ]; }", i);
}

/* Writes a vgpu.conf with this many classes, and as many stanzas of these kinds (NULL ends them).
 */
static void
configure(struct input *input, unsigned classes, const char *const *kinds, unsigned count)
{
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "classes = {\n");
    for (unsigned i = 0; i < classes; i++)
        fprintf(out, "c%u = { types = [ \"nvidia-%u\" ]; };\n", i, 555 + i % 22);
    fprintf(out, "};\n");
    for (; *kinds; kinds++) {
        fprintf(out, "%s = (", *kinds);
        for (unsigned i = 0; i < count; i++) {
            fputs(i ? ",\n" : "\n", out);
            put_stanza(out, *kinds, i);
        }
        fprintf(out, " );\n");
    }
    fclose(out);
    start_large(input, 8, 8);
    scene_configure(&input->scene, text);
}

static void
grow_stanzas(struct input *input, unsigned count)
{
    configure(input, 1, (const char *const[]){"gpus", "max_instances", NULL}, count);
}

static void
grow_classes(struct input *input, unsigned count)
{
    configure(input, count, (const char *const[]){NULL}, 0);
}

static void
grow_patterns(struct input *input, unsigned count)
{
    configure(input, 1, (const char *const[]){"quotas", "domains", NULL}, count);
}

/* Other hosts, which `where` asks. */
static void
grow_hosts(struct input *input, unsigned count)
{
    size_t size;
    FILE *out = open_memstream(&input->hosts, &size);

    scene_start(&input->scene, two_cards);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "test://%s/tests/data/t4-host.xml\n", scene_sources());
    fclose(out);
}

/* Lines of the journal, of vGPUs that one guest got. */
static void
grow_journal(struct input *input, unsigned count)
{
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    scene_start(&input->scene, two_cards);
    for (unsigned i = 0; i < count; i++)
        fprintf(out,
                "1795435201.345678 libvirt-vgpu-hook[101]: domain=guest1 uuid=%s event=prepare "
                "device=%s type=nvidia-222 parent=" CARD " gpu=" CARD " origin=made result=ok\n",
                DEVICE, DEVICE);
    fclose(out);
    fake_write(&input->scene.kernel, "JOURNAL", text);
}

static const struct growth {
    const char *what;
    unsigned count;
    void (*grow)(struct input *input, unsigned count);
    bool is_forgotten; /* the extract of the table is removed before each turn */
} growths[] = {
    {"GPUs", 32, grow_gpus, false},
    {"functions of each of 8 GPUs", 32, grow_functions, false},
    {"types", 32, grow_types, false},
    {"types in NVIDIA's table", 2000, grow_table, true},
    {"types in its extract", 2000, grow_table, false},
    {"leases", 2500, grow_leases, false},
    {"guests", 250, grow_guests, false},
    {"domains", 1000, grow_domains, false},
    {"stanzas of gpus, limits", 2400, grow_stanzas, false},
    {"classes", 1200, grow_classes, false},
    {"patterns of domains, quotas", 2400, grow_patterns, false},
    {"hosts", 50, grow_hosts, false},
    {"lines of the journal", 20000, grow_journal, false},
};

/* --- what is measured ------------------------------------------------------------------------- */

/* A start, and lines of vgpuctl. If a line changes something, the line after the semicolon changes
 * it back. FILE is the new guest, which is the domain GUEST, too. HOSTS names hosts. LIBVIRT is the
 * input's own, as if it was another host. */
static const char *const commands[] = {
    "start",
    "status",
    "gpus",
    "types",
    "list",
    "guests --all",
    "explain FILE",
    "check FILE",
    "check --all",
    "check --print",
    "setup --dry-run",
    "metrics",
    "where FILE --hosts HOSTS",
    "doctor",
    "orphans",
    "reap --dry-run",
    "reconcile --dry-run",
    "capture /dev/null",
    "evacuate GPU --dry-run",
    "migrate-check guest1 LIBVIRT",
    "move guest1 --here",
    "attach GUEST --type TYPE",
    "detach GUEST ua-gpu0",
    "log",
    "prove GPU --dry-run",
    "sriov status",
    "sriov disable GPU;sriov enable GPU",
    "drain GPU;undrain GPU",
    "ready --timeout 0",
};

static void
begin(struct input *input, const struct growth *growth, unsigned count)
{
    AUTO_FREE char *xml = NULL, *domain = NULL, *domains = NULL;
    char asked[64];

    *input = (struct input){.type = "nvidia-222", .source = DEVICE};
    growth->grow(input, count);
    input->scene.kernel.host.run = run_program;
    snprintf(asked, sizeof(asked), "type=\"%s\"", input->type);
    xml = scene_xml_at(GUEST, input->source, asked);
    fake_write(&input->scene.kernel, "run/systemd/journal/socket", "");
    fake_write(&input->scene.kernel, "FILE", xml);
    fake_write(&input->scene.kernel, "HOSTS", input->hosts ? input->hosts : "test:///default\n");
    domain = domain_of(GUEST, TYPED_DEFINED, input->type, input->source);
    if (asprintf(&domains, "%s%s", domain, input->domains ? input->domains : "") < 0)
        fail_msg("no memory");
    snprintf(input->libvirt, sizeof(input->libvirt), "%s", typed_libvirt(&input->scene, domains));
}

static void
end(struct input *input)
{
    free(input->domains);
    free(input->hosts);
    scene_stop(&input->scene);
}

static double
seconds_of_start(struct input *input)
{
    double began = processor_time(), took;

    if (scene_prepare_at(&input->scene, GUEST, input->source, input->type) != 0)
        fail_msg("start: %s", input->scene.said);
    took = processor_time() - began;
    scene_release_at(&input->scene, GUEST, input->source);
    return took;
}

/* Writes a line of vgpuctl with what its words are for this input. */
static void
write_line(const struct input *input, const char *command, char *line, size_t size)
{
    const char *root = input->scene.kernel.path;
    const struct {
        const char *word, *directory, *name;
    } words[] = {
        {"FILE", root, "/FILE"},    {"HOSTS", root, "/HOSTS"},       {"GPU", "", CARD},
        {"GUEST", "", "guest9999"}, {"LIBVIRT", "", input->libvirt}, {"TYPE", "", input->type}};
    AUTO_FREE char *copy = strdup(command);
    char *rest = copy, *word;
    size_t at = (size_t)snprintf(line, size, "vgpuctl");

    while ((word = strsep(&rest, " "))) {
        const char *directory = "", *name = word;

        for (size_t i = 0; i < COUNT(words); i++) {
            if (!strcmp(words[i].word, word)) {
                directory = words[i].directory;
                name = words[i].name;
            }
        }
        at += (size_t)snprintf(line + at, size - at, " %s%s", directory, name);
    }
}

static double
seconds_of_lines(struct input *input, const char *lines)
{
    AUTO(typed_clear) struct typed typed = {0};
    AUTO_FREE char *copy = strdup(lines);
    char line[1024], *rest = copy, *command;
    double sum = 0;

    while ((command = strsep(&rest, ";"))) {
        double began;

        write_line(input, command, line, sizeof(line));
        began = processor_time();
        if (typed_run(&input->scene, input->libvirt, line, &typed) == COMMAND_USAGE)
            fail_msg("%s: %s", line, typed.faults);
        sum += processor_time() - began;
    }
    return sum;
}

/* False: twice the input takes too long. */
static bool
compare(const struct growth *growth, struct input inputs[2], const char *command)
{
    double best[2] = {0};
    bool is_bad;

    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 2; i++) {
            double took;

            if (growth->is_forgotten)
                (void)unlinkat(inputs[i].scene.kernel.host.root, NVIDIA_EXTRACT_PATH, 0);
            took = strcmp(command, "start") ? seconds_of_lines(&inputs[i], command)
                                            : seconds_of_start(&inputs[i]);
            best[i] = turn == 0 || took < best[i] ? took : best[i];
        }
        if (best[1] < LITTLE)
            return true;
        if (turn + 1 >= ENOUGH && best[1] <= WANTED * best[0])
            break;
    }
    is_bad = best[1] > MOST * best[0];
    printf("  %-34s %4u to %4u %-27s %6.1f to %6.1f ms: %.2f%s\n", command, growth->count,
           2 * growth->count, growth->what, best[0] * 1e3, best[1] * 1e3, best[1] / best[0],
           is_bad ? ", FAILED" : "");
    fflush(stdout);
    return !is_bad;
}

int
main(int argc, char *argv[])
{
    static struct input inputs[2];
    bool good = true;

    printf("processor time for twice the input, best of at most %d in turns, from %.0f ms on:\n",
           TURNS, LITTLE * 1e3);
    for (size_t i = 0; i < COUNT(growths); i++) {
        if (argc > 1 && !strstr(growths[i].what, argv[1]))
            continue;
        for (unsigned k = 0; k < 2; k++)
            begin(&inputs[k], &growths[i], (k + 1) * growths[i].count);
        for (size_t k = 0; k < COUNT(commands); k++) {
            if (argc < 3 || strstr(commands[k], argv[2]))
                good &= compare(&growths[i], inputs, commands[k]);
        }
        for (unsigned k = 0; k < 2; k++)
            end(&inputs[k]);
    }
    return good ? 0 : 1;
}
