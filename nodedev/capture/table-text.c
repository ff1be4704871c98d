/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/table-text.h"
#include "base/array.h"
#include "base/memory.h"
#include "capture/path-text.h"
#include "device/nvidia-extract.h"
#include "device/nvidia-number.h"
#include "device/pci.h"

#include <stdio.h>
#include <string.h>

/* Reads a PCI id of a device, "0x10de", from the answers of a host. */
static void
read_id(const struct answers *from, const char *vendor_path, const char *what, char ret[8])
{
    AUTO_FREE char *path =
        memory_format("%.*s%s", (int)(strlen(vendor_path) - strlen("vendor")), vendor_path, what);
    const struct answer *answer = answers_find(from, ANSWER_READ, path);

    if (answer && !answer->error && !strncmp(answer->text, "0x", 2))
        snprintf(ret, 8, "%.4s", answer->text + 2);
}

/* Whether an answer is the id of NVIDIA, as the vendor of a device. */
static bool
is_nvidia(const struct answer *answer)
{
    const char *slash = strrchr(answer->path, '/');

    return answer->kind == ANSWER_READ && !answer->error && slash && !strcmp(slash, "/vendor") &&
           !strncmp(answer->path, PCI_DEVICES "/", strlen(PCI_DEVICES "/")) &&
           !strncmp(answer->text, "0x" NVIDIA_VENDOR, strlen("0x" NVIDIA_VENDOR));
}

/* Returns the ids of NVIDIA's devices, which the caller frees. */
static struct nvidia_table_ids *
find_cards(const struct answers *from, size_t *count)
{
    struct nvidia_table_ids *ret = NULL;

    *count = 0;
    for (size_t i = 0; i < from->count; i++) {
        struct nvidia_table_ids ids = {"", "", "", ""};
        const char *path = from->items[i]->path;

        if (!is_nvidia(from->items[i]))
            continue;
        read_id(from, path, "vendor", ids.vendor);
        read_id(from, path, "device", ids.device);
        read_id(from, path, "subsystem_vendor", ids.subsystem_vendor);
        read_id(from, path, "subsystem_device", ids.subsystem_device);
        ARRAY_ADD(ret, *count, ids);
    }
    return ret;
}

/* Returns the table, empty if it cannot be read, and the ids of its cards, which the caller
 * frees. */
static struct nvidia_table
parse(const struct answers *from, const struct answer *answer, struct nvidia_table_ids **ids)
{
    const char *content = answer_content(answer);
    AUTO(document_clear)
    struct document document = {.text = memory_copy(content), .length = strlen(content)};
    struct nvidia_table table;
    struct error ignored;
    size_t count;

    *ids = find_cards(from, &count);
    if (nvidia_table_parse(&document, *ids, count, &table, &ignored) < 0)
        return (struct nvidia_table){0};
    return table;
}

/* The class of a type is one of NVIDIA's three words. */
static bool
is_class(const char *text)
{
    static const char *const classes[] = {"NVS", "Quadro", "Compute"};

    return ARRAY_HAS(classes, COUNT(classes), each, !strcmp(*each, text));
}

static void
hide_names(struct stand_ins *stand_ins, struct nvidia_table_card *card)
{
    for (size_t i = 0; i < card->type_count; i++) {
        struct nvidia_table_type *said = &card->types[i];
        AUTO_FREE char *name = path_text_type(stand_ins, said->type.name);

        snprintf(said->type.name, sizeof(said->type.name), "%s", name);
        if (!is_class(said->class))
            *said->class = '\0';
    }
}

char *
table_text_copy(struct stand_ins *stand_ins, const struct answers *from,
                const struct answer *answer)
{
    AUTO_FREE struct nvidia_table_ids *ids = NULL;
    AUTO(nvidia_table_clear) struct nvidia_table table = parse(from, answer, &ids);

    if (!table.cards)
        return memory_copy("");
    for (size_t i = 0; i < table.count; i++)
        hide_names(stand_ins, &table.cards[i]);
    table.file = (struct nvidia_table_file){0};
    return nvidia_extract_format(&table, ids);
}
