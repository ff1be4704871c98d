/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/fake-parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

/* --- the machine's description ---------------------------------------------------------------- */

/* The next word, or quoted words; NULL at the end. */
static char *
next_word(char **line)
{
    char *word = *line + strspn(*line, " \t");

    if (!*word)
        return NULL;
    *line = word + 1;
    if (*word == '"') {
        *line = strchr(word + 1, '"');
        assert(*line);
        *(*line)++ = '\0';
        return word + 1;
    }
    *line = word + strcspn(word, " \t");
    if (**line)
        *(*line)++ = '\0';
    return word;
}

static unsigned
next_number(char **line)
{
    const char *word = next_word(line);

    assert(word);
    return (unsigned)strtoul(word, NULL, 10);
}

/* A word of a line, and where its value goes: text if there is room for it, else a number. */
struct word {
    const char *text;
    size_t offset, room;
    bool flag;
};
#define NUMBER(type, field)                                                                        \
    {                                                                                              \
#field, offsetof(struct type, field), 0, false                                             \
    }
#define FLAG(type, field)                                                                          \
    {                                                                                              \
#field, offsetof(struct type, field), 0, true                                              \
    }
#define TEXT(type, field)                                                                          \
    {                                                                                              \
#field, offsetof(struct type, field), ROOM(type, field), false                             \
    }
#define ROOM(type, field)       sizeof(((struct type *)0)->field)
#define TAKE_WORD(table, thing) take_word(table, COUNT(table), thing, word, &line)

static bool
take_word(const struct word *words, size_t count, void *thing, const char *text, char **line)
{
    for (size_t i = 0; i < count; i++) {
        const struct word *word = &words[i];
        char *field = (char *)thing + word->offset;

        if (strcmp(word->text, text))
            continue;
        if (word->flag)
            *(bool *)field = true;
        else if (word->room)
            snprintf(field, word->room, "%s", next_word(line));
        else
            *(unsigned *)field = next_number(line);
        return true;
    }
    return false;
}

/* The number of a word in a list of such. */
static unsigned
choose_word(const char *const *words, size_t count, char **line)
{
    const char *word = next_word(line);

    assert(word);
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(words[i], word))
            return i;
    }
    fprintf(stderr, "fake-kernel: there is no %s\n", word);
    abort();
}

/* The types of a board, from the table of real ones: tab-separated, the name is "BOARD-PROFILE". */
static void
add_board(struct fake_gpu *gpu, const char *board)
{
    const char *source = getenv("srcdir");
    char path[512], line[512];
    size_t length = strlen(board);
    FILE *table;

    snprintf(path, sizeof(path), "%s/tests/data/nvidia_vgpu_types.tsv", source ? source : ".");
    table = fopen(path, "r");
    assert(table);
    while (fgets(line, sizeof(line), table)) {
        struct fake_type type = {.uses = 1, .api = "vfio-pci", .instances = -1};
        char device[8];
        unsigned id;

        if (sscanf(line, "0x%7s %u %63[^\t] %*s %u %u %*u %*s %u", device, &id, type.name,
                   &type.framebuffer, &type.heads, &type.max) != 6 ||
            strncmp(type.name, board, length) || type.name[length] != '-')
            continue;
        snprintf(type.id, sizeof(type.id), "nvidia-%u", id);
        if (!*gpu->device)
            snprintf(gpu->device, sizeof(gpu->device), "%s", device);
        assert(ARRAY_ADD(gpu->types, gpu->type_count, type) == 0);
    }
    fclose(table);
    assert(gpu->type_count);
}

static void
parse_gpu(struct fake_machine *machine, char *line)
{
    static const char *const rules[] = {"size", "type", "pool", "mixed"};
    static const char *const lists[] = {"header", "plain", "name-first", "garbage", "proposal"};
    static const struct word words[] = {NUMBER(fake_gpu, numa),   NUMBER(fake_gpu, vfs),
                                        NUMBER(fake_gpu, memory), FLAG(fake_gpu, gvt),
                                        FLAG(fake_gpu, vf),       FLAG(fake_gpu, mig),
                                        TEXT(fake_gpu, vendor),   TEXT(fake_gpu, device)};
    struct fake_gpu gpu = {.numa = -1};
    const char *word = next_word(&line);

    assert(word);
    snprintf(gpu.name, sizeof(gpu.name), "%s", word);
    while ((word = next_word(&line))) {
        if (TAKE_WORD(words, &gpu))
            continue;
        if (!strcmp(word, "board"))
            add_board(&gpu, next_word(&line));
        else if (!strcmp(word, "list"))
            gpu.list = choose_word(lists, COUNT(lists), &line);
        else if (!strcmp(word, "rule")) {
            gpu.rule = choose_word(rules, COUNT(rules), &line);
            gpu.pool = gpu.rule == RULE_POOL ? next_number(&line) : 0;
        } else
            assert(!"a word of a gpu");
    }
    assert(ARRAY_ADD(machine->gpus, machine->gpu_count, gpu) == 0);
}

static void
parse_type(struct fake_machine *machine, char *line)
{
    static const struct word words[] = {NUMBER(fake_type, framebuffer),
                                        NUMBER(fake_type, max),
                                        NUMBER(fake_type, heads),
                                        NUMBER(fake_type, uses),
                                        NUMBER(fake_type, instances),
                                        FLAG(fake_type, nameless),
                                        TEXT(fake_type, api)};
    struct fake_gpu *gpu = &machine->gpus[machine->gpu_count - 1];
    struct fake_type type = {.uses = 1, .api = "vfio-pci", .instances = -1};
    const char *word = next_word(&line);

    assert(machine->gpu_count && word);
    snprintf(type.id, sizeof(type.id), "%s", word);
    word = next_word(&line);
    assert(word);
    snprintf(type.name, sizeof(type.name), "%s", word);
    while ((word = next_word(&line)))
        assert(TAKE_WORD(words, &type));
    assert(ARRAY_ADD(gpu->types, gpu->type_count, type) == 0);
}

static void
parse_pci(struct fake_machine *machine, char *line)
{
    static const struct word words[] = {TEXT(fake_pci, driver), TEXT(fake_pci, physfn),
                                        TEXT(fake_pci, vendor), TEXT(fake_pci, device),
                                        NUMBER(fake_pci, numa)};
    struct fake_pci pci = {.numa = -1};
    const char *word = next_word(&line);

    assert(word);
    snprintf(pci.address, sizeof(pci.address), "%s", word);
    while ((word = next_word(&line)))
        assert(TAKE_WORD(words, &pci));
    if (!*pci.vendor)
        snprintf(pci.vendor, sizeof(pci.vendor), "%s", *pci.physfn ? "10de" : "8086");
    if (!*pci.device)
        snprintf(pci.device, sizeof(pci.device), "%s", *pci.physfn ? "26b9" : "2922");
    assert(ARRAY_ADD(machine->pcis, machine->pci_count, pci) == 0);
}

/* What the description left out. A type is called after the driver of its parent. */
static void
complete_gpu(struct fake_gpu *gpu)
{
    static const struct {
        const char *driver, *vendor, *device;
    } known[] = {{"nvidia", "10de", "1eb8"}, {"i915", "8086", "3e92"}, {"", "1b36", "0005"}};
    static const char prefix[] = "nvidia-";
    size_t i = 0;

    for (size_t t = 0; t < gpu->type_count; t++) {
        if (!strncmp(gpu->types[t].id, prefix, strlen(prefix)))
            gpu->types[t].number = strtol(gpu->types[t].id + strlen(prefix), NULL, 10);
        assert(!gpu->vf || gpu->types[t].number > 0);
        assert(gpu->rule != RULE_MIXED || gpu->types[t].framebuffer > 0);
    }
    assert(gpu->type_count <= MOST_TYPES && gpu->vfs <= 64);
    assert(!gpu->vf || gpu->rule != RULE_POOL);
    if (gpu->type_count)
        snprintf(gpu->driver, sizeof(gpu->driver), "%.*s", (int)strcspn(gpu->types[0].id, "-"),
                 gpu->types[0].id);
    while (*known[i].driver && strcmp(known[i].driver, gpu->driver))
        i++;
    if (!*gpu->vendor)
        snprintf(gpu->vendor, sizeof(gpu->vendor), "%s", known[i].vendor);
    if (!*gpu->device)
        snprintf(gpu->device, sizeof(gpu->device), "%s", gpu->vf ? "26b9" : known[i].device);
}

struct fake_machine *
fake_parse(const char *text)
{
    static const struct {
        const char *word;
        void (*parse)(struct fake_machine *machine, char *line);
    } lines[] = {{"gpu", parse_gpu}, {"type", parse_type}, {"pci", parse_pci}};
    struct fake_machine *machine = calloc(1, sizeof(*machine));
    AUTO_FREE char *copy = strdup(text);
    char *rest = copy, *line;

    assert(machine && copy);
    while ((line = strsep(&rest, "\n"))) {
        const char *word;
        size_t i = 0;

        line[strcspn(line, "#")] = '\0';
        word = next_word(&line);
        if (!word)
            continue;
        while (i < COUNT(lines) && strcmp(lines[i].word, word))
            i++;
        assert(i < COUNT(lines));
        lines[i].parse(machine, line);
    }
    assert(machine->gpu_count <= MOST_GPUS);
    for (size_t i = 0; i < machine->gpu_count; i++)
        complete_gpu(&machine->gpus[i]);
    return machine;
}

void
fake_free(struct fake_machine *machine)
{
    for (size_t i = 0; i < machine->gpu_count; i++)
        free(machine->gpus[i].types);
    free(machine->gpus);
    free(machine->parents);
    free(machine->pcis);
    free(machine);
}

/* --- the driver's rules ----------------------------------------------------------------------- */

const struct fake_parent *
fake_find_parent(const struct fake_kernel *fake, const char *name)
{
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        if (!strcmp(fake->machine->parents[i].name, name))
            return &fake->machine->parents[i];
    }
    return NULL;
}

const struct fake_type *
fake_find_type(const struct fake_gpu *gpu, const char *id)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (!strcmp(gpu->types[i].id, id))
            return &gpu->types[i];
    }
    return NULL;
}

const struct fake_gpu *
fake_gpu_of(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return &fake->machine->gpus[parent->gpu];
}

void
fake_count_one(const struct fake_kernel *fake, const struct fake_parent *parent,
               const struct fake_type *type, int by)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    struct fake_usage *usage = fake->usage;
    size_t index = (size_t)(type - gpu->types);

    usage->made[parent->gpu] += (unsigned)by;
    usage->units[parent->gpu] += (unsigned)by * type->uses;
    usage->memory[parent->gpu] += (unsigned)by * type->framebuffer;
    if (type->instances >= 0)
        usage->free_instances[parent->gpu][index] -= (unsigned)by;
    usage->here[parent - fake->machine->parents] += (unsigned)by;
    if (usage->made[parent->gpu] == 0)
        usage->first[parent->gpu] = 0;
    else if (!usage->first[parent->gpu])
        usage->first[parent->gpu] = (unsigned)index + 1;
}

/* What the whole GPU has left. While it is partitioned, nothing is time-sliced. */
static unsigned
room_of_gpu(const struct fake_kernel *fake, size_t index, const struct fake_type *type)
{
    const struct fake_gpu *gpu = &fake->machine->gpus[index];
    const struct fake_usage *usage = fake->usage;
    unsigned first = usage->first[index], made = usage->made[index];
    bool other;

    if (gpu->mig || type->instances >= 0)
        return gpu->mig && type->instances >= 0 ? usage->free_instances[index][type - gpu->types]
                                                : 0;
    if (gpu->rule == RULE_POOL)
        return (gpu->pool - usage->units[index]) / type->uses;
    if (gpu->rule == RULE_MIXED)
        return (gpu->memory - usage->memory[index]) / type->framebuffer;
    other =
        first && (gpu->rule == RULE_TYPE ? &gpu->types[first - 1] != type
                                         : gpu->types[first - 1].framebuffer != type->framebuffer);
    return other || made >= type->max ? 0 : type->max - made;
}

unsigned
fake_room(const struct fake_kernel *fake, const struct fake_parent *parent,
          const struct fake_type *type)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    unsigned room = room_of_gpu(fake, parent->gpu, type);

    if (gpu->rule == RULE_POOL || !gpu->vfs)
        return room;
    return room && fake->usage->here[parent - fake->machine->parents] == 0;
}

int
fake_refusal(const struct fake_kernel *fake, const struct fake_parent *parent,
             const struct fake_type *type)
{
    if (fake->faults->refuse) {
        __atomic_sub_fetch(&fake->faults->refuse, 1, __ATOMIC_SEQ_CST);
        return -EIO;
    }
    if (fake_room(fake, parent, type) > 0)
        return 0;
    return fake_gpu_of(fake, parent)->rule == RULE_POOL ? -ENOSPC : -EIO;
}

void
fake_pause(unsigned milliseconds)
{
    struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000l};

    nanosleep(&length, NULL);
}

uint64_t
fake_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

void
fake_pause_create(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    AUTO_CLOSE int fd = -1;
    struct path path;

    if (!fake->faults->create_delay)
        return;
    assert(path_format(&path, "busy-%zu", parent->gpu) == 0);
    fd = openat(fake->host.root, path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    fake_pause(fake->faults->create_delay);
}
