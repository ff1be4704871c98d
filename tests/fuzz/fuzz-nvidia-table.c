/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is read of NVIDIA's table is sound. It is the same for a card however many others are asked
 * for. What is refused leaves one line, and nothing else. */

#include "device/nvidia-extract.h"
#include "device/nvidia-number.h"
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/mman.h>

struct file {
    struct host host; /* first: its functions find the rest by it */
    const uint8_t *data;
    size_t size;
};

/* The table is the only file. */
static int
open_table(const struct host *host, const char *path, int flags, mode_t mode)
{
    const struct file *file = (const struct file *)host;
    int fd = memfd_create("fuzz-nvidia-table", MFD_CLOEXEC);

    (void)flags, (void)mode;
    MUST(!strcmp(path, NVIDIA_TABLE_PATH));
    MUST(fd >= 0 && fchmod(fd, 0644) == 0);
    MUST(write(fd, file->data, file->size) == (ssize_t)file->size && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static void
must_be_printable(const char *text, size_t size)
{
    MUST(*text && strlen(text) < size);
    for (; *text; text++)
        MUST(*text >= ' ' && *text <= '~');
}

static void
must_be_sound(const struct nvidia_table_type *each)
{
    const struct inventory_type *type = &each->type;

    MUST(nvidia_number(&type->id) > 0);
    must_be_printable(type->name, sizeof(type->name));
    MUST(type->framebuffer <= 1048576 || !*each->class || type->framebuffer <= 9999 * 1024);
    MUST(type->heads <= 1000 && each->max <= 1000000);
    MUST(!type->slices || each->max == 0);
    MUST(strlen(type->resolution) < sizeof(type->resolution) && type->max == 0 && !type->gpu);
    MUST(!*type->resolution || strchr(type->resolution, 'x'));
}

static void
must_be_sound_card(const struct nvidia_table_card *card)
{
    MUST(card->match <= NVIDIA_TABLE_THIS_BOARD);
    MUST(card->match || !card->type_count);
    MUST(card->type_count <= 4096);
    for (size_t i = 0; i < card->type_count; i++) {
        must_be_sound(&card->types[i]);
        for (size_t k = 0; k < i; k++)
            MUST(!name_equal(&card->types[i].type.id, &card->types[k].type.id));
    }
}

static void
must_be_equal(const struct nvidia_table_card *a, const struct nvidia_table_card *b)
{
    MUST(a->match == b->match && a->type_count == b->type_count);
    for (size_t i = 0; i < a->type_count; i++) {
        MUST(name_equal(&a->types[i].type.id, &b->types[i].type.id));
        MUST(!strcmp(a->types[i].type.name, b->types[i].type.name));
        MUST(a->types[i].max == b->types[i].max && a->types[i].is_single == b->types[i].is_single);
    }
}

/* An extract has all that was read. The last two cards have no ids that an extract could keep. */
static void
must_come_back(const struct nvidia_table *table, const struct nvidia_table_ids *ids)
{
    struct nvidia_table kept = *table;
    AUTO(nvidia_table_clear) struct nvidia_table again = {0};
    AUTO_FREE char *text = NULL;
    struct document document;
    struct error error;

    kept.count = 2;
    text = nvidia_extract_format(&kept, ids);
    document = (struct document){.text = text, .length = strlen(text)};
    MUST(nvidia_table_parse(&document, ids, kept.count, &again, &error) == 0);
    for (size_t i = 0; i < kept.count; i++) {
        MUST(again.cards[i].match == NVIDIA_TABLE_THIS_BOARD);
        again.cards[i].match = kept.cards[i].match;
        must_be_equal(&kept.cards[i], &again.cards[i]);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct nvidia_table_ids ids[] = {
        {"10de", "1eb8", "10de", "12a2"},
        {"10de", "2bb5", "10de", "204e"},
        {"10de", "1eb8", "", ""},
        {"", "", "", ""},
    };
    struct host_ops ops = host_kernel;
    const struct file file = {{.root = -1, .ops = &ops}, data, size};
    AUTO(nvidia_table_clear) struct nvidia_table all = {0};
    struct error error = {0};
    int rc;

    ops.open = open_table;
    rc = nvidia_table_read(&file.host, NVIDIA_TABLE_PATH, ids, COUNT(ids), &all, &error);
    if (rc < 0) {
        MUST(rc == -EINVAL && !all.count && !all.cards && *error.text);
        for (const char *c = error.text; *c; c++)
            MUST((unsigned char)*c >= ' ' && *c != 0x7f);
        return 0;
    }
    MUST(all.count == COUNT(ids) && all.file.size == size);
    for (size_t i = 0; i < COUNT(ids); i++) {
        AUTO(nvidia_table_clear) struct nvidia_table one = {0};

        must_be_sound_card(&all.cards[i]);
        MUST(nvidia_table_read(&file.host, NVIDIA_TABLE_PATH, &ids[i], 1, &one, &error) == 0);
        must_be_equal(&one.cards[0], &all.cards[i]);
    }
    must_come_back(&all, ids);
    MUST(!all.cards[3].match && all.cards[2].match <= NVIDIA_TABLE_ANY_BOARD);
    return 0;
}
