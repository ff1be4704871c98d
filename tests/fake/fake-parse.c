/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/fake-parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

/* A word of a line, and the place for its value. If there is room for text, the value is text.
 * Otherwise it is a number. */
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

/* The position of a word in a list of words. */
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

/* Reads the types of a board from the table of real types. Tabs separate its columns; a name is
 * "BOARD-PROFILE". */
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
        unsigned id, subsystem;

        if (sscanf(line, "0x%7s %u %63[^\t] %*s %u %u %*u %*s %u %*[^:]:%x", device, &id, type.name,
                   &type.framebuffer, &type.heads, &type.max, &subsystem) != 7 ||
            strncmp(type.name, board, length) || type.name[length] != '-')
            continue;
        snprintf(type.id, sizeof(type.id), "nvidia-%u", id);
        if (!*gpu->device)
            snprintf(gpu->device, sizeof(gpu->device), "%s", device);
        if (!*gpu->subsystem)
            snprintf(gpu->subsystem, sizeof(gpu->subsystem), "%04x", subsystem & 0xffff);
        ARRAY_ADD(gpu->types, gpu->type_count, type);
    }
    fclose(table);
    assert(gpu->type_count);
}

/* Reads "X-1:1024:4", "X-1:1024:2@1" or "M-2/2". The id is the name in small letters. */
static void
add_short_type(struct fake_gpu *gpu, const char *word)
{
    struct fake_type type = {.uses = 1, .api = "vfio-pci", .instances = -1};
    size_t length = strcspn(word, ":/");
    int count = 0;

    assert(length && length < 32);
    snprintf(type.id, sizeof(type.id), "%.*s", (int)length, word);
    snprintf(type.name, sizeof(type.name), "GRID %.32s", type.id);
    for (char *at = type.id; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    if (word[length] == '/')
        count = sscanf(word + length, "/%u", &type.uses);
    else
        count = sscanf(word + length, ":%u:%u@%u", &type.framebuffer, &type.max, &type.slices);
    assert(count >= (word[length] == '/' ? 1 : 2));
    if (type.slices) {
        gpu->mig = true;
        type.instances = (int)type.max;
    }
    ARRAY_ADD(gpu->types, gpu->type_count, type);
}

static void
parse_gpu(struct fake_machine *machine, const char *name, char *line)
{
    static const char *const rules[] = {"size", "type", "pool", "mixed", "apart"};
    static const char *const lists[] = {"header", "plain", "name-first", "garbage", "proposal"};
    static const struct word words[] = {
        NUMBER(fake_gpu, numa),    NUMBER(fake_gpu, vfs),     NUMBER(fake_gpu, memory),
        NUMBER(fake_gpu, ceiling), NUMBER(fake_gpu, each),    NUMBER(fake_gpu, parts),
        NUMBER(fake_gpu, bound),   NUMBER(fake_gpu, shares),  NUMBER(fake_gpu, taken),
        FLAG(fake_gpu, gvt),       FLAG(fake_gpu, vf),        FLAG(fake_gpu, mig),
        FLAG(fake_gpu, xe),        FLAG(fake_gpu, lent),      FLAG(fake_gpu, admin),
        FLAG(fake_gpu, fixed),     FLAG(fake_gpu, timeless),  TEXT(fake_gpu, vendor),
        TEXT(fake_gpu, device),    TEXT(fake_gpu, subsystem), TEXT(fake_gpu, driver)};
    struct fake_gpu gpu = {.numa = -1};
    const char *word;

    snprintf(gpu.name, sizeof(gpu.name), "%s", name);
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
        } else {
            assert(strpbrk(word, ":/"));
            add_short_type(&gpu, word);
        }
    }
    ARRAY_ADD(machine->gpus, machine->gpu_count, gpu);
}

static void
parse_type(struct fake_machine *machine, const char *id, char *line)
{
    static const struct word words[] = {
        NUMBER(fake_type, framebuffer), NUMBER(fake_type, max),       NUMBER(fake_type, heads),
        NUMBER(fake_type, uses),        NUMBER(fake_type, instances), NUMBER(fake_type, slices),
        NUMBER(fake_type, alone),       FLAG(fake_type, nameless),    TEXT(fake_type, api)};
    struct fake_gpu *gpu = &machine->gpus[machine->gpu_count - 1];
    struct fake_type type = {.uses = 1, .api = "vfio-pci", .instances = -1};
    const char *word = next_word(&line);

    assert(machine->gpu_count && word);
    snprintf(type.id, sizeof(type.id), "%s", id);
    snprintf(type.name, sizeof(type.name), "%s", word);
    while ((word = next_word(&line)))
        assert(TAKE_WORD(words, &type));
    ARRAY_ADD(gpu->types, gpu->type_count, type);
}

static void
parse_pci(struct fake_machine *machine, const char *address, char *line)
{
    static const struct word words[] = {TEXT(fake_pci, driver),    TEXT(fake_pci, physfn),
                                        TEXT(fake_pci, vendor),    TEXT(fake_pci, device),
                                        TEXT(fake_pci, subsystem), TEXT(fake_pci, class),
                                        NUMBER(fake_pci, numa)};
    struct fake_pci pci = {.numa = -1};
    const char *word;

    snprintf(pci.address, sizeof(pci.address), "%s", address);
    while ((word = next_word(&line)))
        assert(TAKE_WORD(words, &pci));
    if (!*pci.vendor)
        snprintf(pci.vendor, sizeof(pci.vendor), "%s", *pci.physfn ? "10de" : "8086");
    if (!*pci.device)
        snprintf(pci.device, sizeof(pci.device), "%s", *pci.physfn ? "26b9" : "2922");
    if (!*pci.subsystem)
        snprintf(pci.subsystem, sizeof(pci.subsystem), "0000");
    ARRAY_ADD(machine->pcis, machine->pci_count, pci);
}

/* Reads a vGPU. The line's first word is the vGPU's state. */
static void
parse_vgpu(struct fake_machine *machine, const char *state, const char *number, char *line)
{
    static const struct word words[] = {NUMBER(fake_vgpu, at), FLAG(fake_vgpu, hidden),
                                        FLAG(fake_vgpu, shown), FLAG(fake_vgpu, busy)};
    struct fake_vgpu vgpu = {.number = (unsigned)strtoul(number, NULL, 10)};
    const char *type = next_word(&line), *parent = next_word(&line), *word;

    assert(type && parent);
    snprintf(vgpu.state, sizeof(vgpu.state), "%s", state);
    snprintf(vgpu.type, sizeof(vgpu.type), "%s", type);
    snprintf(vgpu.parent, sizeof(vgpu.parent), "%s", parent);
    if (strcmp(state, "foreign")) {
        word = next_word(&line);
        assert(word);
        snprintf(vgpu.owner, sizeof(vgpu.owner), "%s", word);
    }
    while ((word = next_word(&line)))
        assert(TAKE_WORD(words, &vgpu));
    ARRAY_ADD(machine->vgpus, machine->vgpu_count, vgpu);
}

/* Reads a note. It is about the GPU, the parent or the device that the second word of the line
 * names. */
static void
parse_note(struct fake_machine *machine, const char *name, char *line, enum fake_noted kind)
{
    struct fake_note note = {.kind = kind};

    snprintf(note.name, sizeof(note.name), "%s", name);
    snprintf(note.rest, sizeof(note.rest), "%s", line);
    ARRAY_ADD(machine->notes, machine->note_count, note);
}

/* A GPU is its own parent, unless its virtual functions are parents. */
static void
add_parents(struct fake_machine *machine, size_t index)
{
    const struct fake_gpu *gpu = &machine->gpus[index];
    struct fake_parent parent = {.gpu = index};
    unsigned domain, bus;
    bool is_pci = sscanf(gpu->name, "%4x:%2x:", &domain, &bus) == 2;

    const unsigned count = gpu->vfs || gpu->vf ? gpu->vfs : 1;

    for (unsigned i = 0; i < count; i++) {
        parent.bound = i + gpu->bound >= count;
        if (!gpu->vfs)
            snprintf(parent.name, sizeof(parent.name), "%s", gpu->name);
        else if (is_pci)
            snprintf(parent.name, sizeof(parent.name), "%04x:%02x:%02x.%x", domain, bus,
                     (i + 4) / 8 % 32, (i + 4) % 8);
        else
            snprintf(parent.name, sizeof(parent.name), "%.50s.%u", gpu->name, i);
        ARRAY_ADD(machine->parents, machine->parent_count, parent);
    }
    assert(machine->parent_count <= MOST_PARENTS);
}

/* Adds the values that the description left out. A type is named after the driver of its parent. */
static void
complete_gpu(struct fake_gpu *gpu)
{
    static const struct {
        const char *driver, *vendor, *device;
    } known[] = {{"nvidia", "10de", "1eb8"},
                 {"i915", "8086", "3e92"},
                 {"xe", "8086", "e211"},
                 {"", "1b36", "0005"}};
    static const char prefix[] = "nvidia-";
    size_t i = 0;

    for (size_t t = 0; t < gpu->type_count; t++) {
        if (!strncmp(gpu->types[t].id, prefix, strlen(prefix)))
            gpu->types[t].number = strtol(gpu->types[t].id + strlen(prefix), NULL, 10);
        assert(gpu->rule != RULE_MIXED || gpu->types[t].framebuffer > 0);
        if (!gpu->types[t].alone)
            gpu->types[t].alone = gpu->types[t].max;
    }
    if (gpu->xe)
        gpu->rule = RULE_MIXED;
    assert(gpu->type_count <= MOST_TYPES && gpu->vfs <= 64);
    assert(!gpu->vf || gpu->rule != RULE_POOL);
    if (gpu->xe)
        snprintf(gpu->driver, sizeof(gpu->driver), "xe");
    if (gpu->type_count && !*gpu->driver)
        snprintf(gpu->driver, sizeof(gpu->driver), "%.*s", (int)strcspn(gpu->types[0].id, "-"),
                 gpu->types[0].id);
    if (!strcmp(gpu->driver, "nvidia")) {
        gpu->ceiling = gpu->ceiling ? gpu->ceiling : 32;
        gpu->each = gpu->each ? gpu->each : 12;
    }
    while (*known[i].driver && strcmp(known[i].driver, gpu->driver))
        i++;
    if (!*gpu->vendor)
        snprintf(gpu->vendor, sizeof(gpu->vendor), "%s", known[i].vendor);
    if (!*gpu->device)
        snprintf(gpu->device, sizeof(gpu->device), "%s", gpu->vf ? "26b9" : known[i].device);
    if (!*gpu->subsystem)
        snprintf(gpu->subsystem, sizeof(gpu->subsystem), "0000");
}

static void
parse_line(struct fake_machine *machine, const char *word, char *line)
{
    static const struct {
        const char *word;
        void (*parse)(struct fake_machine *machine, const char *name, char *line);
    } things[] = {{"gpu", parse_gpu}, {"type", parse_type}, {"pci", parse_pci}};
    static const char *const notes[] = {
        [NOTED_DRAINED] = "drained",       [NOTED_REFUSED] = "refused",
        [NOTED_UNREADABLE] = "unreadable", [NOTED_FORGETFUL] = "forgetful",
        [NOTED_STRANGER] = "stranger",     [NOTED_MEMBER] = "member"};
    char *rest = line;
    const char *name = next_word(&rest);

    assert(name);
    for (size_t i = 0; i < COUNT(things); i++) {
        if (!strcmp(things[i].word, word))
            return things[i].parse(machine, name, rest);
    }
    for (size_t i = 0; i < COUNT(notes); i++) {
        if (!strcmp(notes[i], word))
            return parse_note(machine, name, rest, (enum fake_noted)i);
    }
    parse_vgpu(machine, word, name, rest);
}

struct fake_machine *
fake_parse(const char *text)
{
    struct fake_machine *machine = calloc(1, sizeof(*machine));
    AUTO_FREE char *copy = strdup(text);
    char *rest = copy, *line;

    assert(machine && copy);
    while ((line = strsep(&rest, "\n"))) {
        const char *word;

        line[strcspn(line, "#")] = '\0';
        word = next_word(&line);
        if (word)
            parse_line(machine, word, line);
    }
    assert(machine->gpu_count <= MOST_GPUS);
    for (size_t i = 0; i < machine->gpu_count; i++) {
        complete_gpu(&machine->gpus[i]);
        add_parents(machine, i);
    }
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
    free(machine->vgpus);
    free(machine->notes);
    free(machine);
}
