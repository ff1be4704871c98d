/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The figures of `vgpuctl types` on random machines that are partly in use. If types says n, then n
 * starts succeed and the next one is refused. If types says at most n, no more than n succeed.
 * Before each start explain says how the start will end. `vgpuctl gpus` shows free memory in MiB.
 * It is the memory of the best type in types, and the starts get no more. chance.h says how to
 * repeat a failure. ROUNDS is 50.
 */

#include "base/array.h"
#include "cli/command.h"
#include "fake/typed.h"
#include "fake/chance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HERE      "test:///default"
#define INTEL     "0000:03:00.0"
#define FUNCTIONS 32
#define LINES     512
#define PROFILES                                                                                   \
    "profiles = { b60-2g = { vram = \"2G\"; }; b60-3g = { vram = \"3G\"; }; "                      \
    "b60-8g = { vram = \"8G\"; }; };\n"

/* The figure in a line of `vgpuctl types`. -1: it is not known. */
struct line {
    char gpu[32], type[64];
    long available, at_most, framebuffer;
};

/* The figure in a line of `vgpuctl gpus`. -1: it is not known. */
struct card {
    char gpu[32];
    long framebuffer, used, free, at_most;
};

static const char *const machines[] = {"a100", "a30-mig",      "a40",  "gvt-g",   "l40s",
                                       "m60",  "mixed-size",   "mtty", "t4-l40s", "mixed",
                                       "b60",  "rtx-pro-6000", "short"};

static struct scene scene;
static struct typed typed;
static struct line lines[LINES];
static size_t line_count;
static unsigned guests;      /* vGPUs made so far */
static struct names foreign; /* virtual functions to which somebody else gave a type */
static char vram[24];        /* what vgpu.conf says of the memory of Intel's card */

static long
figure_of(const char *text)
{
    return *text == '-' ? -1 : strtol(text, NULL, 10);
}

static void
read_types(void)
{
    char available[32], at_most[32], framebuffer[32], *rest = NULL;

    assert_int_equal(
        typed_run(&scene, HERE,
                  "vgpuctl types -rn -o GPU,TYPE,AVAILABLE,AVAILABLE-AT-MOST,FRAMEBUFFER", &typed),
        COMMAND_DONE);
    line_count = 0;
    for (char *text = strtok_r(typed.printed, "\n", &rest); text;
         text = strtok_r(NULL, "\n", &rest)) {
        struct line *line = &lines[line_count++];

        assert_true(line_count < LINES);
        assert_int_equal(sscanf(text, "%31s %63s %31s %31s %31s", line->gpu, line->type, available,
                                at_most, framebuffer),
                         5);
        line->available = figure_of(available);
        line->at_most = figure_of(at_most);
        line->framebuffer = figure_of(framebuffer);
    }
}

static struct card
read_card(const char *gpu)
{
    struct card card = {.free = -1};
    char framebuffer[32], used[32], free[32], at_most[32], *rest = NULL;

    assert_int_equal(
        typed_run(&scene, HERE, "vgpuctl gpus -rn -o GPU,TOTAL,USED,FREE,FREE-AT-MOST", &typed),
        COMMAND_DONE);
    for (char *text = strtok_r(typed.printed, "\n", &rest); text;
         text = strtok_r(NULL, "\n", &rest)) {
        assert_int_equal(
            sscanf(text, "%31s %31s %31s %31s %31s", card.gpu, framebuffer, used, free, at_most),
            5);
        if (strcmp(card.gpu, gpu) != 0)
            continue;
        card.framebuffer = figure_of(framebuffer);
        card.used = figure_of(used);
        card.free = figure_of(free);
        card.at_most = figure_of(at_most);
        return card;
    }
    fail_msg("gpus does not know %s", gpu);
    return card;
}

/* The two commands agree: the free memory in gpus is that of the type that can use the most of
 * it. */
static void
compare_with_types(const struct card *card)
{
    long best = -1;

    for (size_t i = 0; i < line_count; i++) {
        if (!strcmp(lines[i].gpu, card->gpu) && lines[i].available >= 0 &&
            lines[i].available * lines[i].framebuffer > best)
            best = lines[i].available * lines[i].framebuffer;
    }
    /* A max_instances that is too large is believed, but does not give more places than there
     * are. */
    if (card->framebuffer >= 0 && best > card->framebuffer)
        best = card->framebuffer;
    if (card->free >= 0 && card->free != best)
        fail_msg("gpus: %ld MiB of %s are free; types: %ld", card->free, card->gpu, best);
    if (card->at_most >= 0 && best > card->at_most)
        fail_msg("gpus: at most %ld MiB of %s are free; types: %ld", card->at_most, card->gpu,
                 best);
    assert_true(card->free < 0 || card->free <= card->framebuffer);
}

/* Does the GPU have virtual functions with such a file? */
static bool
has_functions(const char *gpu, const char *file)
{
    AUTO_FREE char *path = NULL;

    if (strlen(gpu) != strlen("0000:00:00.0"))
        return false;
    assert_true(asprintf(&path, "%s/sys/bus/pci/devices/%s/%s", scene.kernel.path,
                         scene_function(gpu, 0), file) > 0);
    return access(path, F_OK) == 0;
}

/* Are the GPU's types profiles of the configuration? */
static bool
is_intel(const char *gpu)
{
    struct host host = {.root = scene.kernel.host.root, .ops = &host_kernel};

    return host_exists(&host, "sys/bus/pci/devices/%s/sriov_admin", gpu);
}

/* Do guests get these functions themselves, without mediated devices? */
static bool
is_vendor_specific(const char *gpu)
{
    return has_functions(gpu, "nvidia") || is_intel(gpu);
}

/* One more guest starts on this GPU, on this function if there is one. explain has said before how
 * the start will end. If something must be removed first, or nobody tells the memory of Intel's
 * card, explain's yes is only likely. */
static bool
starts(const struct line *line, unsigned function)
{
    bool is_function = is_vendor_specific(line->gpu), is_started;
    unsigned guest = ++guests;
    const char *const sources[] = {
        is_function ? scene_function(line->gpu, function) : scene_device(guest), NULL};
    AUTO_FREE char *xml = NULL, *device = NULL;
    bool is_hope;
    int explained;

    assert_true(asprintf(&device, "<vgpu:device alias='ua-gpu1' type='%s'%s%s%s/>", line->type,
                         is_function ? "" : " parent='", is_function ? "" : line->gpu,
                         is_function ? "" : "'") > 0);
    xml = scene_xml_of(guest, device, sources);
    fake_write(&scene.kernel, "guest.xml", xml);
    explained = typed_run(&scene, HERE, "vgpuctl explain ./guest.xml", &typed);
    is_hope = strstr(typed.printed, "once something is removed") ||
              (is_intel(line->gpu) && strstr(typed.printed, "may have room"));
    is_started = scene_hook(&scene, xml, "prepare", "begin") == 0;
    if (is_started != (explained == COMMAND_DONE) && !is_hope)
        fail_msg("explain says %s%s, and the start: %s", typed.printed, typed.faults, scene.said);
    return is_started;
}

static void
ends(const struct line *line, unsigned function)
{
    if (is_vendor_specific(line->gpu))
        assert_int_equal(scene_release_at(&scene, guests, scene_function(line->gpu, function)), 0);
    else
        assert_int_equal(scene_release(&scene, guests, guests), 0);
}

static bool
is_foreign(const char *function)
{
    struct name name;

    assert_int_equal(name_parse_pci(&name, function), 0);
    return names_has(&foreign, &name);
}

/* Starts as many guests as possible. Returns how many starts succeed. */
static long
count_starts(const struct line *line)
{
    long count = 0;

    if (!is_vendor_specific(line->gpu)) {
        while (starts(line, 0))
            count++;
        return count;
    }
    for (unsigned function = 0; function < FUNCTIONS; function++) {
        /* If the requested vGPU exists already, a start uses it and makes none. */
        if (!is_foreign(scene_function(line->gpu, function)))
            count += starts(line, function);
    }
    return count;
}

/* So many of a type, or as many as an idle GPU takes: a larger max_instances would be believed. */
static long
most_of(const char *type, long wanted)
{
    long most = 0;

    for (size_t i = 0; i < line_count; i++) {
        if (!strcmp(lines[i].type, type) && lines[i].at_most > most)
            most = lines[i].at_most;
    }
    return most && wanted > most ? most : wanted;
}

/* On a card of mixed sizes the driver does not tell how much is left. There `reserve` keeps
 * functions free, but no memory. A guest that names the function of a kept vGPU gets it from the
 * reserve. So the test uses no reserve there, and none on Intel's cards. On a card that is short of
 * frame buffer, vGPUs of another size hide that. So none is kept there. */
static void
configure(uint64_t *seed, const char *machine)
{
    bool has_reserve = maybe(seed, 30) && strcmp(machine, "mixed-size") && strcmp(machine, "b60");
    const struct line *line = &lines[chance(seed, (unsigned)line_count)];
    AUTO_FREE char *text = NULL, *most = NULL;
    const char *memory = is_intel(line->gpu) ? PROFILES : "";
    long max = most_of(line->type, 1 + chance(seed, 3));

    assert_true(asprintf(&most, "max_instances = ( { types = [ \"%s\" ]; max = %ld; } );",
                         line->type, max) > 0);
    assert_true(asprintf(&text,
                         "release = \"%s\"; placement = \"%s\"; %s\n"
                         "gpus = ( { address = \"%s\"; %s%s } );%s",
                         maybe(seed, 50) && strcmp(machine, "short") ? "keep" : "reap",
                         maybe(seed, 50) ? "pack" : "spread", maybe(seed, 30) ? most : "",
                         line->gpu, *memory ? vram : "",
                         has_reserve       ? "reserve = 1;"
                         : maybe(seed, 10) ? "enabled = false;"
                                           : "",
                         memory) > 0);
    scene_configure(&scene, text);
}

/* Guests start and end again, and somebody else makes a vGPU. */
static void
use(uint64_t *seed)
{
    for (unsigned times = chance(seed, 6); times > 0; times--) {
        const struct line *line = &lines[chance(seed, (unsigned)line_count)];
        unsigned function = chance(seed, 4);

        if (maybe(seed, 20)) {
            const char *parent =
                has_functions(line->gpu, "") ? scene_function(line->gpu, function) : line->gpu;

            if (!is_vendor_specific(line->gpu))
                (void)fake_make(&scene.kernel, parent, line->type, scene_device(++guests));
            else if (fake_make(&scene.kernel, parent, line->type, parent) == 0)
                assert_int_equal(names_add(&foreign, parent), 0);
        } else if (starts(line, function) && maybe(seed, 50)) {
            ends(line, function);
        }
    }
}

/* A card of Intel's as this year's drivers make them: what can be set differs, and the functions
 * may have the shares that the driver gave them when they were enabled. vgpu.conf states the
 * memory, or does not. */
static void
start_intel(uint64_t *seed)
{
    static const char *const kinds[] = {"",       " shares 1", " shares 2",
                                        " admin", " fixed",    " timeless"};
    unsigned memory = maybe(seed, 50) ? 16384 : 14096;
    char machine[128];

    snprintf(vram, sizeof(vram), "vram = \"%uM\"; ", memory);
    snprintf(machine, sizeof(machine), "gpu " INTEL " xe vfs 6 memory %u numa 0%s\n", memory,
             kinds[chance(seed, COUNT(kinds))]);
    scene_start(&scene, machine);
    scene_configure(&scene, PROFILES);
    if (maybe(seed, 50)) {
        fake_write(&scene.kernel, "sys/devices/" INTEL "/sriov_drivers_autoprobe", "0\n");
        assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
        assert_int_equal(fake_enable(&scene.kernel, INTEL, 1 + chance(seed, 6)), 0);
    }
    if (maybe(seed, 25))
        *vram = '\0';
}

/* A card where a process of the host has some frame buffer. */
static void
start_short(uint64_t *seed)
{
    char machine[128];

    snprintf(machine, sizeof(machine),
             "gpu 0000:01:00.0 rule size numa 0 taken %u board \"GRID RTX6000\"\n",
             chance(seed, 8192));
    scene_start(&scene, machine);
}

static void
check_round(uint64_t first, const char *machine)
{
    uint64_t seed = first;
    const struct line *line;
    struct card card;
    long count;

    guests = 0;
    names_clear(&foreign);
    if (!machine)
        machine = machines[chance(&seed, COUNT(machines))];
    if (!strcmp(machine, "b60"))
        start_intel(&seed);
    else if (!strcmp(machine, "short"))
        start_short(&seed);
    else
        scene_start_machine(&scene, machine);
    assert_int_equal(chdir(scene.kernel.path), 0);
    read_types();
    configure(&seed, machine);
    use(&seed);
    read_types();
    line = &lines[chance(&seed, (unsigned)line_count)];
    card = read_card(line->gpu);
    compare_with_types(&card);
    count = count_starts(line);
    if (card.at_most >= 0 && count * line->framebuffer > card.at_most)
        fail_msg("SEED=%" PRIu64 ": %s: %ld of %s started, and %ld MiB at most were free of %s",
                 first, machine, count, line->type, card.at_most, line->gpu);
    if (line->available >= 0 && count != line->available)
        fail_msg("SEED=%" PRIu64 ": %s, %s of %s: %ld started, not %ld; then: %s", first, machine,
                 line->type, line->gpu, count, line->available, scene.said);
    if (line->at_most >= 0 && count > line->at_most)
        fail_msg("SEED=%" PRIu64 ": %s, %s of %s: %ld started, more than %ld", first, machine,
                 line->type, line->gpu, count, line->at_most);
    assert_int_equal(chdir("/"), 0);
    scene_stop(&scene);
}

static int
teardown(void **state)
{
    typed_clear(&typed);
    names_clear(&foreign);
    return 0;
}
#define TEST(function) UNIT_TEST_IN(function, NULL, teardown, NULL)

TEST(as_many_start_as_types_says)
{
    uint64_t first = chance_setting("SEED", SEED), rounds = chance_rounds(25);

    for (uint64_t i = 0; i < rounds; i++)
        check_round(first + i, NULL);
}

TEST(as_many_start_on_intels_cards)
{
    uint64_t first = chance_setting("SEED", SEED), rounds = chance_rounds(25);

    for (uint64_t i = 0; i < rounds; i++)
        check_round(first + i, "b60");
}
