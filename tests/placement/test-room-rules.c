/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rules of a GPU's room (gpu-room.h). Each rule has a few rows: a machine, some steps, and then
 * the room's figures. test-gpu-room tests that the rules are right for all machines.
 */

#include "base/array.h"
#include "device/maxima.h"
#include "device/type-name.h"
#include "fake/fake-snapshot.h"
#include "placement/gpu-room.h"
#include "placement/question.h"
#include "policy/conf.h"

#include <stdio.h>
#include <string.h>

/*
 * The machine is in the words of fake/fake-kernel.h. The question is about its first GPU. ';'
 * separates steps: "put X-1 a.0"; "put - a.0 2048" (a type that the GPU does not list, and its
 * MiB); "drop a.0" (the first vGPU there). "keep a.0 1024" comes before all other steps: the
 * function has this much memory without a vGPU, now if it has none. The question is a type and a
 * parent. Without a parent it means the whole GPU. With "told" behind the parent it means the
 * driver's word alone. Another question is "left", the rest of the first limit. The answer is
 * "LEAST..MOST WHY", with "any" if nobody knows the number.
 */
struct row {
    const char *rule, *machine, *policy, *steps;
    enum load_time time;
    const char *question, *wanted;
};

static struct conf *conf;

struct asked {
    struct fake_snapshot snapshot;
    struct gpu_load load;
};

static void
asked_clear(struct asked *asked)
{
    gpu_load_clear(&asked->load);
    fake_snapshot_clear(&asked->snapshot);
}

static const struct inventory_parent *
find_parent(const struct asked *asked, const char *word)
{
    const struct inventory_parent *parent;
    struct name name;

    assert_int_equal(name_parse(&name, word), 0);
    parent = inventory_find_parent(&asked->snapshot.inventory, &name);
    assert_non_null(parent);
    return parent;
}

static const struct inventory_type *
find_type(const struct asked *asked, const char *word)
{
    const struct inventory_gpu *gpu = asked->snapshot.inventory.gpus[0];

    return ARRAY_FIND(gpu->types, gpu->type_count, type, type_name_matches(type, word));
}

/* Plays one step. The memory that a function keeps is set before the room is made. */
static void
step(struct asked *asked, const char *text, bool keeps)
{
    struct inventory *inventory = &asked->snapshot.inventory;
    char word[8], first[64], second[64];
    struct load_use use = {0};
    int words = sscanf(text, "%7s %63s %63s %u", word, first, second, &use.framebuffer);

    assert_true(words >= 2);
    if (keeps != !strcmp(word, "keep"))
        return;
    if (keeps) {
        struct limit *memory = &inventory->gpus[0]->limits[0];
        size_t parent = find_parent(asked, first)->index;

        memory->base[parent] = strtoul(second, NULL, 10);
        if (!memory->held[parent])
            memory->held[parent] = memory->base[parent];
    } else if (!strcmp(word, "put")) {
        use.place.type = find_type(asked, first);
        use.place.parent = find_parent(asked, second);
        gpu_load_put(&asked->load, &use);
    } else {
        const struct inventory_parent *parent = find_parent(asked, first);
        size_t vgpu = 0;

        while (inventory->vgpus[vgpu]->parent != parent)
            vgpu++;
        gpu_load_drop(&asked->load, inventory->vgpus[vgpu]);
    }
}

static void
take_steps(struct asked *asked, const char *steps, bool keep)
{
    AUTO_FREE char *copy = strdup(steps);
    char *rest = copy, *part;

    while ((part = strsep(&rest, ";"))) {
        if (*part)
            step(asked, part, keep);
    }
}

static void
answer(const struct asked *asked, const char *question, char *text, size_t size)
{
    static const char *const words[] = {
        [ROOM_NEVER] = "never",   [ROOM_UNREADABLE] = "unreadable", [ROOM_FULL] = "full",
        [ROOM_IN_USE] = "in use", [ROOM_OTHER_SIZE] = "other size", [ROOM_WITHHELD] = "withheld",
        [ROOM_UNTOLD] = "untold", [ROOM_MIXING] = "mixing",         [ROOM_FREE] = "free"};
    char type[64], parent[64], told[8], most[16];
    int count = sscanf(question, "%63s %63s %7s", type, parent, told);
    struct place place = {NULL, find_type(asked, type)};
    struct bounds said;

    if (!strcmp(type, "left")) {
        said = gpu_room_rest(&asked->load, 0);
    } else if (count == 1) {
        said = gpu_room_left(&asked->load, place.type, NULL);
    } else {
        place.parent = find_parent(asked, parent);
        said = count == 2 ? gpu_room_at(&asked->load, &place) : gpu_room_told(&asked->load, &place);
    }
    snprintf(most, sizeof(most), said.most == BOUNDS_ANY ? "any" : "%u", said.most);
    snprintf(text, size, "%u..%s %s", said.least, most, words[said.why]);
}

static void
check(const struct row *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        AUTO(asked_clear) struct asked asked = {0};
        char text[64];

        fake_snapshot_make(&asked.snapshot, row->machine);
        if (conf_load_text(conf, row->policy) < 0)
            fail_msg("%s: %s", row->policy, conf->error.text);
        maxima_add(&conf->policy, &asked.snapshot.inventory);
        take_steps(&asked, row->steps, true);
        gpu_load_init(&asked.load, asked.snapshot.inventory.gpus[0], row->time);
        take_steps(&asked, row->steps, false);
        answer(&asked, row->question, text, sizeof(text));
        if (!strcmp(text, row->wanted))
            continue;
        print_error("--- row %zu: %s\n%s%s\n%s: %s\nis:  %s\nnot: %s\n", i, row->rule, row->machine,
                    row->steps, row->policy, row->question, text, row->wanted);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define A        "gpu a X-1:1024:4 X-2:2048:2\n"       /* a card that takes one size, by mdev */
#define F        "gpu a vfs 4 X-1:1024:4 X-2:2048:2\n" /* the same with virtual functions */
#define XE       "gpu v xe vfs 4 memory 4096 X-1:1024:0 X-2:2048:0\n"
#define MIX      "gpu v vf vfs 4 rule mixed memory 4096 X-1:1024:4 X-2:2048:2\n"
#define SHORT    "gpu a rule size taken 1024 X-1:1024:4 X-2:2048:2\n"
#define EQUAL    "gpu a X-1:1024:4 Y-1:1024:4\n"           /* two types of one size, by mdev */
#define OLD      "gpu a rule type X-1:1024:4 Y-1:1024:4\n" /* the same, but it takes one type */
#define OLD_FULL "foreign 1 X-1 a\nforeign 2 X-1 a\nforeign 3 X-1 a\nforeign 4 X-1 a"
#define MOST_TWO "max_instances = ( { types = [ \"X-1\" ]; max = 2; } );"

static int
set_up(void **state)
{
    int rc = conf_set_up(state);

    conf = *state;
    return rc;
}

static int
tear_down(void **state)
{
    *state = conf;
    return conf_tear_down(state);
}
UNIT_PROGRAM(set_up, tear_down)

UNIT_TEST(the_drivers_word_counts_as_it_was_seen)
{
    static const struct row rows[] = {
        {"as many as it says", A, "", "", LOAD_NOW, "X-1", "4..4 free"},
        {"and no more", A "foreign 1 X-1 a", "", "", LOAD_NOW, "X-1 a", "3..3 free"},
        {"of another size none", A "foreign 1 X-2 a", "", "", LOAD_NOW, "X-1", "0..0 full"},
        {"what is put takes its part", A, "", "put X-1 a", LOAD_NOW, "X-1", "3..3 free"},
        {"which is that of a type in units", "gpu m rule pool 6 M-2/2", "", "put M-2 m", LOAD_NOW,
         "M-2", "2..2 free"},
        {"what cannot be read is none now", A "unreadable a X-1", "", "", LOAD_NOW, "X-1",
         "0..0 unreadable"},
        {"and not known for another day", "gpu m rule pool 6 M-2/2\nunreadable m M-2", "", "",
         LOAD_EVER, "M-2", "0..any unreadable"},
        {"an idle GPU that offers nothing has no room now", "gpu a X-1:1024:0 X-2:2048:0", "", "",
         LOAD_NOW, "X-1", "0..0 full"},
        {"and another day nobody knows", "gpu a X-1:1024:0 X-2:2048:0", "", "", LOAD_EVER, "X-1",
         "0..2 withheld"},
        {"unless it offers something", "gpu a X-1:1024:0 X-2:2048:2", "", "", LOAD_EVER, "X-1",
         "0..0 full"},
        {"less than vGPUs explain is no promise", SHORT, "", "", LOAD_NOW, "X-1", "0..3 untold"},
        {"neither beside a vGPU", SHORT "foreign 1 X-1 a", "", "", LOAD_NOW, "X-1", "0..2 untold"},
        {"nor another day", SHORT, "", "", LOAD_EVER, "X-1 a", "0..3 untold"},
        {"nor after a put", SHORT, "", "put X-1 a", LOAD_NOW, "X-1", "0..2 untold"},
        {"another size explains a 0", SHORT "foreign 1 X-2 a", "", "", LOAD_NOW, "X-1",
         "0..0 full"},
        {"a full card is full", SHORT "foreign 1 X-2 a", "", "", LOAD_NOW, "X-2", "0..0 full"},
        {"a drop makes one place for sure", SHORT "foreign 1 X-1 a", "", "drop a", LOAD_NOW, "X-1",
         "1..4 untold"},
        {"functions have a word each", "gpu a vfs 4 rule size taken 1024 X-1:1024:4 X-2:2048:2", "",
         "", LOAD_NOW, "X-1", "4..4 free"},
    };

    check(rows, COUNT(rows));
}

UNIT_TEST(limits_bind)
{
    static const struct row rows[] = {
        {"told: no more than the type's maximum", "gpu a vfs 4 X-1:1024:2", "", "", LOAD_NOW, "X-1",
         "2..2 free"},
        {"all vGPUs count in it", "gpu a vfs 4 X-1:1024:2 Y-1:1024:2", "", "put Y-1 a.0", LOAD_NOW,
         "X-1", "1..1 free"},
        {"what it leaves can be had for sure", F "foreign 1 X-2 a.0", "", "drop a.0", LOAD_NOW,
         "X-2", "2..2 free"},
        {"configured: the same", "gpu v vf vfs 4 X-1:1024:4", MOST_TWO, "", LOAD_NOW, "X-1",
         "2..2 free"},
        {"as to what is put", "gpu v vf vfs 4 X-1:1024:4", MOST_TWO, "put X-1 v.0;put X-1 v.1",
         LOAD_NOW, "X-1", "0..0 full"},
        {"but after a drop only one is sure", "gpu v vf vfs 4 X-1:1024:4\nforeign 1 X-1 v.0",
         MOST_TWO, "drop v.0", LOAD_NOW, "X-1", "1..2 untold"},
        {"calculated: no more than sizes leave", "gpu v vf vfs 4 X-1:1024:2 X-2:2048:1", "", "",
         LOAD_NOW, "X-1", "1..2 untold"},
        {"nobody tells: as many as functions", "gpu v vf vfs 4 X-1:1024:2", "", "", LOAD_NOW, "X-1",
         "1..4 untold"},
        {"memory: of any size", XE, "", "put X-1 v.0", LOAD_NOW, "X-2", "1..1 free"},
        {"and what is left of it", XE, "", "put X-1 v.0", LOAD_NOW, "left", "3072..3072 free"},
        {"given back by a drop", XE "foreign 1 X-2 v.0", "", "drop v.0", LOAD_NOW, "left",
         "4096..4096 free"},
        {"a function has some by itself", XE, "", "keep v.0 1024", LOAD_NOW, "left",
         "3072..3072 free"},
        {"which its vGPU does not need again", XE, "", "keep v.0 1024;put X-2 v.0", LOAD_NOW,
         "left", "2048..2048 free"},
        {"nor gives back", XE "foreign 1 X-2 v.0", "", "keep v.0 1024;drop v.0", LOAD_NOW, "left",
         "3072..3072 free"},
        {"what a function had, it has again", XE "foreign 1 X-1 v.0", "", "keep v.0 3072;drop v.0",
         LOAD_NOW, "left", "1024..1024 free"},
        {"so the others have less", XE "foreign 1 X-1 v.0", "", "keep v.0 3072;drop v.0", LOAD_NOW,
         "X-2 v.1", "0..0 full"},
        {"and itself can use it", XE "foreign 1 X-1 v.0", "", "keep v.0 3072;drop v.0", LOAD_NOW,
         "X-2 v.0", "1..1 free"},
        {"its next vGPU has no more than it needs", XE "foreign 1 X-1 v.0", "",
         "keep v.0 3072;drop v.0;put X-1 v.0", LOAD_NOW, "left", "3072..3072 free"},
        {"it has nothing if there is no room", XE "foreign 1 X-1 v.0", "",
         "keep v.0 3072;put X-2 v.1;drop v.0", LOAD_NOW, "left", "2048..2048 free"},
        {"two may have it again, or only one", XE "foreign 1 X-1 v.0\nforeign 2 X-1 v.1", "",
         "keep v.0 3072;keep v.1 3072;drop v.0;drop v.1", LOAD_NOW, "X-2 v.0", "0..0 full"},
        {"on another day it perhaps has not", XE "foreign 1 X-1 v.0", "", "keep v.0 3072;drop v.0",
         LOAD_EVER, "X-2", "2..2 free"},
        {"memory by sizes: not sure", MIX, "", "put X-1 v.0", LOAD_NOW, "X-2", "0..1 untold"},
        {"and bound all the same", MIX, "", "put X-2 v.0;put X-1 v.1;put X-1 v.2", LOAD_NOW, "X-1",
         "0..0 full"},
    };

    check(rows, COUNT(rows));
}

UNIT_TEST(the_drivers_word_alone)
{
    static const struct row rows[] = {
        {"counts by itself", A "foreign 1 X-1 a", "", "", LOAD_NOW, "X-1 a told", "3..3 free"},
        {"does not know of a configured limit",
         "gpu v vf vfs 4 X-1:1024:4\nforeign 1 X-1 v.0\nforeign 2 X-1 v.1", MOST_TWO, "", LOAD_NOW,
         "X-1 v.2 told", "0..0 full"},
        {"says none for any day", "gpu a X-1:1024:0 X-2:2048:0", "", "", LOAD_EVER, "X-1 a told",
         "0..0 full"},
        {"cannot be read", "gpu a vfs 4 X-1:1024:4\nunreadable a.0 X-1", "", "", LOAD_NOW,
         "X-1 a.0 told", "0..0 unreadable"},
    };

    check(rows, COUNT(rows));
}

/* The drivers of these cards make at most two vGPUs, whatever their sizes are. Some cards take one
 * size at a time, and some take several. One card has two GPU instances, and each instance takes
 * two vGPUs. */
#define CEILING "gpu v vf vfs 4 ceiling 2 X-1:1024:4 X-4:4096:1\n"
#define CEILING_MIX                                                                                \
    "gpu v vf vfs 4 rule mixed memory 4096 ceiling 2 X-1:1024:4 X-2:2048:2 X-4:4096:1\n"
#define PARTS                                                                                      \
    "gpu v vf vfs 6 mig parts 2 each 2 ceiling 2\n"                                                \
    "type x-1 \"P X-1\" framebuffer 1024 max 8 slices 1 instances 8\n"                             \
    "type x-2 \"P X-2\" framebuffer 2048 max 8 slices 2 instances 8\n"

UNIT_TEST(a_driver_makes_so_many_of_any_sizes)
{
    static const struct row rows[] = {
        {"sizes leave more", CEILING, "", "", LOAD_NOW, "X-1", "1..2 untold"},
        {"what is there counts", CEILING "foreign 1 X-1 v.0", "", "", LOAD_NOW, "X-1 v.1",
         "1..1 free"},
        {"and what is put", CEILING, "", "put X-1 v.0;put X-1 v.1", LOAD_NOW, "X-1", "0..0 full"},
        {"on another day as well", CEILING, "", "", LOAD_EVER, "X-1", "2..2 free"},
        {"sizes leave less", CEILING, "", "", LOAD_EVER, "X-4", "1..1 free"},
        {"one size is enough to know it", "gpu v vf vfs 4 ceiling 2 X-1:1024:4", "", "", LOAD_NOW,
         "X-1", "1..2 untold"},
        {"whatever the administrator says", CEILING,
         "max_instances = ( { types = [ \"X-1\" ]; max = 3; } );", "", LOAD_NOW, "X-1",
         "2..2 free"},
        {"unless he says less", CEILING, "max_instances = ( { types = [ \"X-1\" ]; max = 1; } );",
         "", LOAD_NOW, "X-1", "1..1 free"},
        {"of several sizes together", CEILING_MIX, "", "put X-1 v.0;put X-2 v.1", LOAD_NOW, "X-1",
         "0..0 full"},
        {"a driver that tells its maximum knows better", "gpu a vfs 4 ceiling 2 X-1:1024:3", "", "",
         LOAD_NOW, "X-1", "3..3 free"},
        {"GPU instances: each so many", PARTS, "", "", LOAD_NOW, "X-1", "1..4 untold"},
        {"whatever their sizes", PARTS "foreign 1 X-2 v.0\nforeign 2 X-2 v.1", "", "", LOAD_NOW,
         "X-1", "1..2 untold"},
        {"what shares the GPU in time is counted apart",
         PARTS "type z-1 \"P Z-1\" framebuffer 1024 max 4\nforeign 1 X-1 v.0", "", "drop v.0",
         LOAD_NOW, "X-1", "1..4 untold"},
        {"nobody knows how many there are", "gpu v vf vfs 6 mig each 2 X-1:1024:8@1", "", "",
         LOAD_NOW, "X-1", "1..6 untold"},
    };

    check(rows, COUNT(rows));
}

UNIT_TEST(a_function_takes_one)
{
    static const struct row rows[] = {
        {"one, and no other", F, "", "put X-1 a.0", LOAD_NOW, "X-1 a.0", "0..0 full"},
        {"whoever has it", F "foreign 1 X-1 a.0", "", "", LOAD_NOW, "X-1 a.0", "0..0 full"},
        {"others are free", F, "", "put X-1 a.0", LOAD_NOW, "X-1 a.1", "1..1 free"},
        {"so it is as many as functions", F, "", "put X-1 a.0", LOAD_NOW, "X-1", "3..3 free"},
        {"what two offer may be one place", "gpu v vf vfs 2 X-1:1024:1", "", "put X-1 v.0",
         LOAD_NOW, "X-1 v.1", "0..1 untold"},
        {"on another day as well", "gpu v vf vfs 2 X-1:1024:1", "", "put X-1 v.0", LOAD_EVER,
         "X-1 v.1", "0..1 untold"},
    };

    check(rows, COUNT(rows));
}

#define TWO_POOLS                                                                                  \
    "gpu p lent vfs 3 B-1:0:0 S-1:0:0\nmember p.0 b-1\nmember p.1 s-1\nmember p.2 s-1\n"

UNIT_TEST(a_pools_function_has_its_type_for_good)
{
    static const struct row rows[] = {
        {"its own", TWO_POOLS, "", "", LOAD_NOW, "S-1 p.1", "1..1 free"},
        {"and no other's", TWO_POOLS, "", "", LOAD_NOW, "S-1 p.0", "0..0 never"},
        {"ever", TWO_POOLS, "", "", LOAD_EVER, "S-1 p.0", "0..0 never"},
        {"so it is the pool's functions", TWO_POOLS, "", "", LOAD_NOW, "S-1", "2..2 free"},
        {"what others take does not count", TWO_POOLS, "", "put B-1 p.0", LOAD_NOW, "S-1",
         "2..2 free"},
        {"what is dropped is sure", TWO_POOLS "foreign 1 S-1 p.1\nforeign 2 S-1 p.2", "",
         "drop p.1", LOAD_NOW, "S-1", "1..1 free"},
    };

    check(rows, COUNT(rows));
}

UNIT_TEST(a_drop_adds_one_for_sure)
{
    static const struct row rows[] = {
        {"of its own type", "gpu m rule pool 5 M-1/1 M-2/2\nforeign 1 M-2 m", "", "drop m",
         LOAD_NOW, "M-2", "2..any untold"},
        {"of another none", "gpu m rule pool 5 M-1/1 M-2/2\nforeign 1 M-2 m\nforeign 2 M-2 m", "",
         "drop m", LOAD_NOW, "M-1", "1..any untold"},
        {"of its size", "gpu v vf vfs 2 X-1:1024:1 Y-1:1024:1\nforeign 1 X-1 v.0", "", "drop v.0",
         LOAD_NOW, "Y-1", "1..2 untold"},
        {"any, once the GPU is empty", A "foreign 1 X-2 a", "", "drop a", LOAD_NOW, "X-1",
         "4..4 free"},
        {"also where no limit says so", "gpu v vf vfs 2 X-1:1024:4 Y-2:2048:1\nforeign 1 Y-2 v.0",
         "", "drop v.0", LOAD_NOW, "X-1 v.0", "1..1 free"},
        {"none while another size stays", A "foreign 1 X-2 a\nforeign 2 X-2 a", "", "drop a",
         LOAD_NOW, "X-1", "0..0 full"},
        {"nor for another type that may not go beside what stays",
         OLD "foreign 1 X-1 a\nforeign 2 X-1 a", "", "drop a", LOAD_NOW, "Y-1", "0..3 untold"},
        {"on a full GPU, too", OLD OLD_FULL, "", "drop a", LOAD_NOW, "Y-1", "0..1 untold"},
        {"but for the type that went", OLD OLD_FULL, "", "drop a", LOAD_NOW, "X-1", "1..1 free"},
        {"or if the driver offers the other type, too", EQUAL "foreign 1 X-1 a\nforeign 2 X-1 a",
         "", "drop a", LOAD_NOW, "Y-1", "3..3 free"},
        {"or on an empty GPU", OLD "foreign 1 X-1 a", "", "drop a", LOAD_NOW, "Y-1", "4..4 free"},
        {"until something is put there", OLD "foreign 1 X-1 a", "", "drop a;put X-1 a", LOAD_NOW,
         "Y-1", "0..3 untold"},
    };

    check(rows, COUNT(rows));
}

/* A partitioned card. A type has as many free GPU instances of its size as MAX@ says. */
#define MIG "gpu v vf vfs 3 X-1:1024:1@1 X-2:2048:1@2 Z-4:4096:1\n"
/* A card that could be partitioned, but is not. */
/* Types of two sizes for instances of one kind, which vGPUs share in time. */
#define SHARED "gpu v vf vfs 4 X-1:1024:2@1 X-2:2048:1@1\n"
#define WHOLE                                                                                      \
    "gpu v vfs 3 Z-4:4096:1 Z-2:2048:2\ntype i-1 \"I-1\" framebuffer 1024 max 4 slices 1 "         \
    "instances 0\n"

UNIT_TEST(a_gpu_instance_is_for_types_of_its_size)
{
    static const struct row rows[] = {
        {"one that is offered", MIG, "", "", LOAD_NOW, "X-1", "1..3 untold"},
        {"the second may be the same", MIG, "", "put X-1 v.0", LOAD_NOW, "X-1 v.1", "0..1 untold"},
        {"on another day as well", MIG, "", "put X-1 v.0", LOAD_EVER, "X-1 v.1", "0..1 untold"},
        {"other sizes take none of it", MIG, "", "put X-2 v.0", LOAD_NOW, "X-1 v.1", "1..1 free"},
        {"a drop gives it back", MIG "foreign 1 X-1 v.0", "", "drop v.0", LOAD_NOW, "X-1 v.0",
         "1..1 free"},
        {"to its own size only", MIG "foreign 1 X-1 v.0\nforeign 2 X-2 v.1", "", "drop v.0",
         LOAD_NOW, "X-2", "0..0 full"},
        {"nothing else is made there", MIG "foreign 1 X-1 v.0", "", "drop v.0", LOAD_NOW, "Z-4",
         "0..0 full"},
        {"not even if no function tells",
         "gpu v vf vfs 1 X-1:1024:1@1 Z-4:4096:1\n"
         "foreign 1 X-1 v.0",
         "", "drop v.0", LOAD_NOW, "Z-4", "0..0 full"},
        {"nor on another day", "gpu v vf vfs 1 X-1:1024:1@1 Z-4:4096:1\nforeign 1 X-1 v.0", "",
         "drop v.0", LOAD_EVER, "Z-4", "0..0 full"},
        {"another instance may be there",
         "gpu v vf vfs 1 X-1:1024:1@1 X-2:2048:1@2\n"
         "foreign 1 X-1 v.0",
         "", "drop v.0", LOAD_NOW, "X-2", "0..1 untold"},
        {"which is not sure, ever",
         "gpu v vf vfs 1 X-1:1024:1@1 X-2:2048:1@2\n"
         "foreign 1 X-1 v.0",
         "", "drop v.0", LOAD_EVER, "X-2", "0..1 untold"},
        {"nor where the card has no functions", "gpu a X-1:1024:1@1 X-2:2048:0@2\nforeign 1 X-1 a",
         "", "drop a", LOAD_NOW, "X-2", "0..any untold"},
        {"a card without any takes what fits", WHOLE "foreign 1 Z-4 v.0", "",
         "drop v.0;put Z-2 v.0", LOAD_NOW, "Z-2", "1..1 free"},
        {"and makes none of instances", WHOLE "foreign 1 Z-4 v.0", "", "drop v.0", LOAD_NOW, "I-1",
         "0..0 full"},
        {"one that is shared takes one size", SHARED, "", "put X-1 v.0", LOAD_NOW, "X-2 v.1",
         "0..1 untold"},
        {"whichever it is", SHARED, "", "put X-2 v.0", LOAD_NOW, "X-1 v.1", "0..1 untold"},
        {"and a second one may be the same", SHARED, "", "put X-1 v.0;put X-2 v.1", LOAD_NOW,
         "X-1 v.2", "0..1 untold"},
        {"a large one leaves place for several",
         "gpu v vf vfs 4 X-1:1024:1@1 X-2:2048:1@1\nforeign 1 X-2 v.0\nforeign 2 X-1 v.1", "",
         "drop v.0;put X-1 v.0", LOAD_NOW, "X-1 v.2", "0..1 untold"},
        {"what another size took is not sure", SHARED "foreign 1 X-1 v.0", "",
         "drop v.0;put X-2 v.1", LOAD_NOW, "X-1 v.0", "0..1 untold"},
    };

    check(rows, COUNT(rows));
}

UNIT_TEST(two_sizes_are_not_put_together)
{
    static const struct row rows[] = {
        {"beside what is put", F, "", "put X-2 a.0", LOAD_NOW, "X-1", "0..0 other size"},
        {"of a type that is not listed", F, "", "put - a.0 2048", LOAD_NOW, "X-1",
         "0..0 other size"},
        {"of one size they are", F, "", "put - a.0 2048", LOAD_NOW, "X-2", "1..1 free"},
        {"another day nobody knows", F, "", "put X-2 a.0", LOAD_EVER, "X-1 a.1", "0..1 mixing"},
        {"but that the memory is used up", F, "", "put X-2 a.0;put X-2 a.1", LOAD_EVER, "X-1 a.2",
         "0..0 full"},
        {"which does not count today", F, "", "put X-2 a.0;put X-2 a.1", LOAD_NOW, "X-1 a.2",
         "0..0 other size"},
        {"nor a size that is not known", F, "", "put - a.0 2048;put - a.1", LOAD_EVER, "X-1 a.2",
         "0..1 mixing"},
        {"a card that mixes takes both", MIX "foreign 1 X-1 v.0", "", "put X-2 v.1", LOAD_NOW,
         "X-1", "0..1 untold"},
    };

    check(rows, COUNT(rows));
}
