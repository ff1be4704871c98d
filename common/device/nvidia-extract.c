/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/nvidia-extract.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/nvidia-number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --- the text --------------------------------------------------------------------------------- */

/* Prints a text of printable ASCII as the value of an attribute. */
static void
print_value(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("&<>\"'", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}

static void
print_type(FILE *out, const struct nvidia_table_type *said)
{
    const struct inventory_type *type = &said->type;
    unsigned width, height;

    fprintf(out, "<vgpuType id=\"%u\" name=\"", nvidia_number(&type->id));
    print_value(out, type->name);
    fputs("\" class=\"", out);
    print_value(out, said->class);
    fputs("\">", out);
    if (sscanf(type->resolution, "%9ux%9u", &width, &height) == 2)
        fprintf(out, "<display width=\"%u\" height=\"%u\"/>", width, height);
    if (type->heads)
        fprintf(out, "<numHeads>%u</numHeads>", type->heads);
    if (type->framebuffer)
        fprintf(out, "<profileSize>%" PRIu64 "</profileSize>", (uint64_t)type->framebuffer << 20);
    fputs("</vgpuType>\n", out);
}

/* Whether one of the first `count` cards has a type. A type is declared once. */
static bool
is_declared(const struct nvidia_table *table, size_t count, const struct nvidia_table_type *said)
{
    for (size_t i = 0; i < count; i++) {
        if (ARRAY_HAS(table->cards[i].types, table->cards[i].type_count, each,
                      name_equal(&each->type.id, &said->type.id)))
            return true;
    }
    return false;
}

static void
print_card(FILE *out, const struct nvidia_table_card *card, const struct nvidia_table_ids *ids)
{
    fprintf(out,
            "<pgpu><devId vendorId=\"0x%s\" deviceId=\"0x%s\" subsystemVendorId=\"0x%s\" "
            "subsystemId=\"0x%s\"/>\n",
            ids->vendor, ids->device, ids->subsystem_vendor, ids->subsystem_device);
    for (size_t i = 0; i < card->type_count; i++) {
        const struct nvidia_table_type *said = &card->types[i];

        fprintf(out, "<supportedVgpu vgpuId=\"%u\">", nvidia_number(&said->type.id));
        if (said->max)
            fprintf(out, "<maxVgpus>%u</maxVgpus>", said->max);
        if (said->is_single)
            fputs("<single>1</single>", out);
        fputs("</supportedVgpu>\n", out);
    }
    fputs("</pgpu>\n", out);
}

static bool
are_same_ids(const struct nvidia_table_ids *a, const struct nvidia_table_ids *b)
{
    return !strcmp(a->vendor, b->vendor) && !strcmp(a->device, b->device) &&
           !strcmp(a->subsystem_vendor, b->subsystem_vendor) &&
           !strcmp(a->subsystem_device, b->subsystem_device);
}

char *
nvidia_extract_format(const struct nvidia_table *table, const struct nvidia_table_ids *cards)
{
    const struct nvidia_table_file *file = &table->file;
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);

    fprintf(out,
            "<vgpuconfig>\n<extract device=\"%" PRIu64 "\" inode=\"%" PRIu64 "\" size=\"%" PRIu64
            "\" seconds=\"%" PRIu64 "\" nanoseconds=\"%" PRIu64 "\" refused=\"%d\"/>\n",
            file->device, file->inode, file->size, file->seconds, file->nanoseconds,
            table->is_refused);
    for (size_t i = 0; i < table->count; i++) {
        for (size_t k = 0; k < table->cards[i].type_count; k++) {
            if (!is_declared(table, i, &table->cards[i].types[k]))
                print_type(out, &table->cards[i].types[k]);
        }
    }
    for (size_t i = 0; i < table->count; i++) {
        if (!ARRAY_HAS(cards, i, before, are_same_ids(before, &cards[i])))
            print_card(out, &table->cards[i], &cards[i]);
    }
    fputs("</vgpuconfig>\n", out);
    memory_stream_end(out, &text);
    return text;
}

/* --- the file --------------------------------------------------------------------------------- */

static bool
is_same_file(const struct nvidia_table_file *a, const struct nvidia_table_file *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

/* Whether an extract is of this file, and knows all cards. An extract also has the cards of which
 * the file says nothing. */
static bool
is_enough(const struct nvidia_table *extract, const struct nvidia_table_file *file)
{
    return is_same_file(&extract->file, file) &&
           (extract->is_refused ||
            !ARRAY_HAS(extract->cards, extract->count, card, card->match == NVIDIA_TABLE_UNKNOWN));
}

/* Whether a fault is the file's own, and will be the same next time. */
static bool
is_lasting(int rc)
{
    return rc == -EINVAL || rc == -EPERM || rc == -EFBIG || rc == -ELOOP;
}

int
nvidia_extract_find(const struct host *host, const struct nvidia_table_ids *cards, size_t count,
                    struct nvidia_table *ret, char **extract, struct error *error)
{
    struct nvidia_table refused = {.is_refused = true};
    struct error ignored;
    struct stat status;
    int rc;

    *extract = NULL;
    *ret = (struct nvidia_table){0};
    if (host_status(host, NVIDIA_TABLE_PATH, &status) < 0)
        return -ENOENT;
    refused.file = nvidia_table_file_of(&status);
    if (nvidia_table_read(host, NVIDIA_EXTRACT_PATH, cards, count, ret, &ignored) == 0 &&
        is_enough(ret, &refused.file))
        return 0;
    nvidia_table_clear(ret);
    rc = nvidia_table_read(host, NVIDIA_TABLE_PATH, cards, count, ret, error);
    if (rc == 0 || is_lasting(rc))
        *extract = nvidia_extract_format(rc < 0 ? &refused : ret, cards);
    return rc;
}
