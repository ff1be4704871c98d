/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/table-text.h"
#include "base/array.h"
#include "base/memory.h"
#include "capture/path-text.h"
#include "device/nvidia-extract.h"
#include "device/nvidia.h"
#include "device/pci.h"

#include <stdio.h>
#include <string.h>

struct card_list {
    const struct answers *from;
    struct nvidia_table_ids *items;
    size_t count;
};

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

/* Adds a device of NVIDIA's, if this answer is the id of its vendor. */
static void
add_card(struct answer *answer, void *data)
{
    struct card_list *list = data;
    const char *slash = strrchr(answer->path, '/');
    struct nvidia_table_ids ids = {"", "", "", ""};

    if (answer->kind != ANSWER_READ || answer->error || !slash || strcmp(slash, "/vendor") ||
        strncmp(answer->path, PCI_DEVICES "/", strlen(PCI_DEVICES "/")) ||
        strncmp(answer->text, "0x" NVIDIA_VENDOR, strlen("0x" NVIDIA_VENDOR)))
        return;
    read_id(list->from, answer->path, "vendor", ids.vendor);
    read_id(list->from, answer->path, "device", ids.device);
    read_id(list->from, answer->path, "subsystem_vendor", ids.subsystem_vendor);
    read_id(list->from, answer->path, "subsystem_device", ids.subsystem_device);
    ARRAY_ADD(list->items, list->count, ids);
}

/* Returns the table, empty if it cannot be read, and the ids of its cards, which the caller
 * frees. */
static struct nvidia_table
parse(const struct answers *from, const struct answer *answer, struct nvidia_table_ids **ids)
{
    const char *content = answer_content(answer);
    AUTO(document_clear)
    struct document document = {.text = memory_copy(content), .length = strlen(content)};
    struct card_list list = {.from = from};
    struct nvidia_table table;
    struct error ignored;

    answers_visit(from, add_card, &list);
    *ids = list.items;
    if (nvidia_table_parse(&document, list.items, list.count, &table, &ignored) < 0)
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
