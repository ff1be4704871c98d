/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/type-cache.h"
#include "base/array.h"
#include "base/safe-open.h"
#include "device/nvidia-extract.h"
#include "device/vendor.h"
#include "device/vgpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST (256 << 10) /* bytes of the file */
#define ALL  "*"

char *
type_cache_read(const struct host *host)
{
    AUTO_FREE char *text = memory_resized(NULL, MOST, 1);

    return host_read(host, text, MOST, TYPE_CACHE_PATH) < 0 ? NULL : TAKE(text);
}

/* What is at a GPU's address. An id of a type has no colon, so a line without this key, of an
 * earlier version, is told apart. */
struct card_key {
    char text[sizeof(struct name) + 24];
};

static struct card_key
key_of(const struct inventory_gpu *gpu)
{
    struct card_key key;

    snprintf(key.text, sizeof(key.text), "%s:%s:%s", gpu->vendor, gpu->device, gpu->driver.text);
    return key;
}

/* The words of a line. name is NULL if there is no whole line. */
struct line {
    const char *gpu, *key, *id, *name; /* key: what is there; NULL: an earlier version wrote it */
};

static struct line
split(char *line)
{
    struct line ret = {.gpu = strsep(&line, " ")};

    ret.id = line ? strsep(&line, " ") : NULL;
    if (ret.id && strchr(ret.id, ':')) {
        ret.key = ret.id;
        ret.id = line ? strsep(&line, " ") : NULL;
    }
    ret.name = line && *line ? line : NULL;
    return ret;
}

/* The GPU that a line is about; NULL: it is not there, or something else is. */
static struct inventory_gpu *
find_gpu(const struct inventory *inventory, const struct line *line)
{
    struct inventory_gpu *gpu = NULL;
    struct name name;

    if (name_parse(&name, line->gpu) == 0)
        gpu = inventory_find_gpu(inventory, &name);
    if (!gpu || !gpu->is_partial || (line->key && strcmp(line->key, key_of(gpu).text) != 0))
        return NULL;
    return gpu;
}

static void
recall_line(const struct host *host, char *text, struct inventory *inventory)
{
    const struct line line = split(text);
    struct inventory_gpu *gpu = find_gpu(inventory, &line);
    struct inventory_type type = {0};

    if (!gpu || !line.name)
        return;
    gpu->has_all_sizes |= !strcmp(line.id, ALL);
    if (strlen(line.name) >= sizeof(type.name) || name_parse(&type.id, line.id) < 0)
        return;
    snprintf(type.name, sizeof(type.name), "%s", line.name);
    vendor_describe(vendor_rows(host), &type);
    inventory_add_type(gpu, &type);
}

bool
type_cache_name(const struct inventory *inventory, const struct inventory_gpu *gpu,
                struct inventory_type *type)
{
    char start[2 * sizeof(struct name) + sizeof(struct card_key) + 4];
    const char *text = inventory->remembered, *at;
    size_t length;

    snprintf(start, sizeof(start), "%s %s %s ", gpu->name.text, key_of(gpu).text, type->id.text);
    at = text ? strstr(text, start) : NULL;
    if (!at || (at > text && at[-1] != '\n'))
        return false;
    at += strlen(start);
    length = strcspn(at, "\n");
    if (length == 0 || length >= sizeof(type->name))
        return false;
    snprintf(type->name, sizeof(type->name), "%.*s", (int)length, at);
    return true;
}

void
type_cache_recall(const struct host *host, struct inventory *inventory)
{
    AUTO_FREE char *text = inventory->remembered ? memory_copy(inventory->remembered) : NULL;
    char *rest = text, *line;

    while ((line = strsep(&rest, "\n")))
        recall_line(host, line, inventory);
}

/* Whether a text has a line. *next is the likely place: the end of the line before. */
static bool
has_line(const char *text, const char **next, const char *line)
{
    size_t length = strlen(line);
    const char *at = strncmp(*next, line, length) ? strstr(text, line) : *next;

    if (at)
        *next = at[length] ? at + length + 1 : at + length;
    return at;
}

/* Whether the lines of a GPU's types will have all its sizes. Types in a table have no lines. */
static bool
has_all_lines(const struct inventory_gpu *gpu)
{
    return gpu->has_all_sizes && !ARRAY_HAS(gpu->types, gpu->type_count, type, type->is_in_table);
}

/* The file that is written anew. */
struct new_text {
    FILE *out;
    const char *old, *next; /* next: as in has_line */
    bool is_new;            /* the old text lacks a line of it */
};

static void
put_line(struct new_text *text, const struct inventory_gpu *gpu, const char *id, const char *name)
{
    char line[2 * sizeof(struct name) + sizeof(struct card_key) +
              sizeof(((struct inventory_type *)NULL)->name) + 5];

    snprintf(line, sizeof(line), "%s %s %s %s\n", gpu->name.text, key_of(gpu).text, id, name);
    fputs(line, text->out);
    /* host_read has cut off the last line feed of the old text. */
    line[strlen(line) - 1] = '\0';
    text->is_new |= !has_line(text->old, &text->next, line);
}

/* Whether types of a GPU have lines. A card with mediated devices is remembered for all cards of
 * its model, because one of them is asked (mdev.c). */
static bool
has_lines(const struct inventory *inventory, const struct inventory_gpu *gpu)
{
    if (gpu->is_partial)
        return true;
    for (size_t i = 0; inventory->gpus[i] != gpu; i++) {
        if (inventory_is_same_model(inventory->gpus[i], gpu))
            return false;
    }
    return gpu->parent_count && gpu->parents[0]->interface == &vgpu_mdev;
}

/* The new text of the file, which the caller frees. *news: the old text lacks a line of it. */
static char *
format(const struct inventory *inventory, const char *old, bool *news)
{
    struct new_text text = {.old = old, .next = old};
    char *ret = NULL;
    size_t size;

    text.out = memory_stream(&ret, &size);
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];

        if (!has_lines(inventory, gpu))
            continue;
        for (size_t k = 0; k < gpu->type_count; k++) {
            if (inventory_type_has_name(&gpu->types[k]) && !gpu->types[k].is_in_table)
                put_line(&text, gpu, gpu->types[k].id.text, gpu->types[k].name);
        }
        if (gpu->is_partial && has_all_lines(gpu))
            put_line(&text, gpu, ALL, "all sizes");
    }
    memory_stream_end(text.out, &ret);
    *news = text.is_new;
    return ret;
}

char *
type_cache_text(const struct inventory *inventory)
{
    bool ignored;

    return format(inventory, "", &ignored);
}

/* Writes a file of the state directory anew. A failure is no error. */
static void
replace(int directory, const char *name, const char *text)
{
    char new[32];
    AUTO_CLOSE int fd = -1;

    snprintf(new, sizeof(new), "%s.new", name);
    fd = safe_open_new(directory, new, 0644);
    if (fd >= 0 && fchmod(fd, 0644) == 0 && safe_open_write(fd, text) == 0 &&
        renameat(directory, new, directory, name) == 0)
        return;
    unlinkat(directory, new, 0);
}

void
type_cache_store(int directory, const struct inventory *inventory)
{
    AUTO_FREE char *text = NULL;
    bool news;

    if (inventory->extract)
        replace(directory, NVIDIA_EXTRACT_NAME, inventory->extract);
    text = format(inventory, inventory->remembered ? inventory->remembered : "", &news);
    if (news && strlen(text) < MOST)
        replace(directory, "types", text);
}
