/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The plans of `vgpuctl evacuate` on random small hosts. Two GPUs are to be empty. The judge starts
 * a guest anew in place of each guest that has to leave, in all orders, by the real hook and the
 * drivers of the fake kernel. As few guests stay as in the best order. Each place of the plan is
 * one that the driver gives. chance.h says how to repeat a failure. ROUNDS is 4.
 */

#include "cli/command.h"
#include "fake/chance.h"
#include "fake/typed.h"
#include "libvirt/warm-up.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPUS   5
#define GUESTS 5
#define JUDGED 20 /* added to the number of a guest: the guest that is started in its place */

static const struct {
    const char *name, *id;
    unsigned framebuffer;
} types[] = {
    {"T4-2Q", "nvidia-230", 2048},
    {"T4-4Q", "nvidia-231", 4096},
    {"T4-8Q", "nvidia-232", 8192},
    {"T4-16Q", "nvidia-233", 16384},
};

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = "gpu mtty rule pool 4\n"},
                                       &typed};

UNIT_PROGRAM(warm_up_connection, NULL)

static unsigned guests;        /* who have to leave */
static size_t type_of[GUESTS]; /* index into types */

/* --- the host --------------------------------------------------------------------------------- */

static void
put_machine(uint64_t *seed, FILE *out)
{
    for (unsigned gpu = 0; gpu < GPUS; gpu++) {
        fprintf(out, "gpu 0000:1%u:00.0%s\n", gpu, gpu < 2 || maybe(seed, 80) ? " rule size" : "");
        for (size_t i = 0; i < COUNT(types); i++)
            fprintf(out, "type %s \"GRID %s\" framebuffer %u max %u\n", types[i].id, types[i].name,
                    types[i].framebuffer, 16384 / types[i].framebuffer);
    }
}

static void
put_policy(uint64_t *seed, FILE *out)
{
    fprintf(out, "placement = \"%s\";\ngpus = (", maybe(seed, 50) ? "pack" : "spread");
    for (unsigned gpu = 2; gpu < GPUS; gpu++) {
        fprintf(out, "%s{ address = \"0000:1%u:00.0\"; types = [", gpu == 2 ? "" : ", ", gpu);
        for (size_t i = 0, any = 0; i < COUNT(types); i++) {
            if (!maybe(seed, 60) && (any || i + 1 < COUNT(types)))
                continue;
            fprintf(out, "%s\"%s\"", any++ ? ", " : " ", types[i].name);
        }
        fprintf(out, " ]; }");
    }
    fprintf(out, ");\ndomains = (");
    for (unsigned guest = 0; guest < guests; guest++)
        fprintf(out,
                "%s{ name = \"guest%u\"; devices = ( { alias = \"ua-gpu%u\"; type = \"%s\"; } ); }",
                guest ? ", " : "", guest + 1, guest + 1, types[type_of[guest]].name);
    fprintf(out, ");\n");
}

static char *
text_of(uint64_t *seed, void (*put)(uint64_t *seed, FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    put(seed, out);
    fclose(out);
    return text;
}

/* A start on one GPU, or on any. 0: it was given its vGPU. */
static int
start(unsigned guest, unsigned number, size_t type, const char *parent)
{
    AUTO_FREE char *xml = NULL;
    char device[256], attribute[64] = "";

    if (parent)
        snprintf(attribute, sizeof(attribute), " parent=\"%s\"", parent);
    snprintf(device, sizeof(device), "<vgpu:device alias=\"ua-gpu%u\" type=\"%s\"%s/>", number,
             types[type].name, attribute);
    xml = scene_xml(guest, device, (const unsigned[]){number, 0});
    return scene_hook(&scene, xml, "prepare", "begin");
}

/* The guests have one size on the first GPU, and another on the second. Some of the others are in
 * use already. */
static void
make_host(uint64_t *seed)
{
    AUTO_FREE char *machine = text_of(seed, put_machine), *policy = NULL;
    size_t sizes[] = {chance(seed, COUNT(types)), chance(seed, COUNT(types))};

    scene_stop(&scene);
    scene_start(&scene, machine);
    guests = 0;
    for (unsigned i = 0; i < GUESTS; i++) {
        char gpu[16];

        snprintf(gpu, sizeof(gpu), "0000:1%u:00.0", i % 2);
        if (start(guests + 1, guests + 1, sizes[i % 2], gpu) == 0)
            type_of[guests++] = sizes[i % 2];
    }
    for (unsigned gpu = 2; gpu < GPUS; gpu++) {
        char name[16];

        snprintf(name, sizeof(name), "0000:1%u:00.0", gpu);
        if (maybe(seed, 40))
            (void)start(10 + gpu, 10 + gpu, chance(seed, COUNT(types) - 1), name);
    }
    policy = text_of(seed, put_policy);
    scene_configure(&scene, policy);
}

/* --- the judge -------------------------------------------------------------------------------- */

static void
release(unsigned guest)
{
    assert_int_equal(scene_release(&scene, guest + JUDGED, guest + JUDGED), 0);
}

/* How many of the guests that are not placed yet find a place, in the best order of them. */
static unsigned
find_most(bool *is_placed)
{
    unsigned most = 0;

    for (unsigned i = 1; i <= guests; i++) {
        unsigned count;

        if (is_placed[i] || start(i + JUDGED, i + JUDGED, type_of[i - 1], NULL) != 0)
            continue;
        is_placed[i] = true;
        count = 1 + find_most(is_placed);
        is_placed[i] = false;
        release(i);
        most = count > most ? count : most;
    }
    return most;
}

/* Returns how many guests the plan moves. Each place must be one that a start gets, in the order of
 * the plan. */
static unsigned
follow_plan(char *plan)
{
    unsigned count = 0, moved[GUESTS];

    for (char *line; (line = strsep(&plan, "\n")) && *line;) {
        char how[16], to[64];
        unsigned guest;

        if (sscanf(line, "guest%u %15s %63s", &guest, how, to) != 3)
            fail_msg("%s", line);
        if (strcmp(how, "here") != 0)
            continue;
        if (start(guest + JUDGED, guest + JUDGED, type_of[guest - 1], to) != 0)
            fail_msg("%s: %s", line, scene.said);
        moved[count++] = guest;
    }
    for (unsigned i = 0; i < count; i++)
        release(moved[i]);
    return count;
}

static void
judge(uint64_t *seed)
{
    AUTO_FREE char *domains = NULL, *plan = NULL;
    bool is_placed[GUESTS + 1] = {false};
    unsigned moved, most;
    size_t size;
    FILE *out = open_memstream(&domains, &size);

    make_host(seed);
    for (unsigned i = 1; i <= guests; i++) {
        AUTO_FREE char *domain = typed_domain(i, "", (const unsigned[]){i, 0});

        fprintf(out, "%s", domain);
    }
    fclose(out);
    typed_run(&scene, typed_libvirt(&scene, domains),
              "vgpuctl evacuate 10:00.0 11:00.0 --dry-run -rn -o DOMAIN,HOW,TO", &typed);
    plan = strdup(typed.printed);
    typed_expect(&scene, "test:///default", "vgpuctl drain 10:00.0", COMMAND_DONE, "", &typed);
    typed_expect(&scene, "test:///default", "vgpuctl drain 11:00.0", COMMAND_DONE, "", &typed);
    moved = follow_plan(plan);
    most = find_most(is_placed);
    if (moved != most)
        fail_msg("%u of %u guests move, and %u could", moved, guests, most);
    print_message("%u of %u guests move\n", moved, guests);
}

TYPED_TEST(random_hosts, here)
{
    uint64_t first = chance_setting("SEED", SEED), rounds = chance_setting("ROUNDS", 4);
    uint64_t known = 12; /* here the order matters */

    judge(&known);
    for (uint64_t round = 0; round < rounds; round++) {
        uint64_t seed = first + round;

        print_message("SEED=%" PRIu64 "\n", first + round);
        judge(&seed);
    }
}
