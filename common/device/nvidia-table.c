/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/nvidia-table.h"
#include "base/array.h"
#include "device/nvidia-number.h"
#include "device/table-xml.h"
#include "device/vendor.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES  (16 << 20)
#define MOST_TYPES  4096 /* of the file, and of a card */
#define MOST_CARDS  1024
#define MOST_MIB    1048576
#define MOST_HEADS  1000
#define MOST_PIXELS 99999 /* in a row, or in a column */
#define MOST_VGPUS  1000000
#define MOST_NUMBER 999999999 /* of a type (nvidia_number) */

#define ABSENT TABLE_XML_ABSENT
#define WRONG  TABLE_XML_WRONG

#define AGAIN "install NVIDIA's vGPU manager again, which brings this file"

/* A type as it is declared. */
struct declared {
    uint64_t number, width, height, heads, profile, framebuffer, reservation, multiple;
    char name[sizeof(((struct inventory_type *)0)->name)];
    char class[sizeof(((struct nvidia_table_type *)0)->class)];
};

/* A type that a card supports. */
struct supported {
    uint64_t number, max;
    bool is_alone; /* on this card it is never one of several of a guest */
};

struct supported_list {
    struct supported *items;
    size_t count;
};

/* Those that are declared rightly. */
struct type_list {
    struct nvidia_table_type *items;
    size_t count;
};

static struct declared
read_declared(const xmlNode *element)
{
    struct declared type = {
        .number = table_xml_number(element, "id"),
        .width = ABSENT,
        .height = ABSENT,
        .heads = table_xml_number_inside(element, "numHeads"),
        .profile = table_xml_number_inside(element, "profileSize"),
        .framebuffer = table_xml_number_inside(element, "framebuffer"),
        .reservation = table_xml_number_inside(element, "fbReservation"),
        .multiple = table_xml_number_inside(element, "multiVgpuSupported"),
    };

    for (const xmlNode *display = NULL; (display = table_xml_next(element, display, "display"));) {
        type.width = table_xml_number(display, "width");
        type.height = table_xml_number(display, "height");
    }
    table_xml_text(element, "name", type.name, sizeof(type.name));
    table_xml_text(element, "class", type.class, sizeof(type.class));
    return type;
}

/* The bytes that a vGPU takes of its card. */
static uint64_t
profile_of(const struct declared *type)
{
    if (type->profile != ABSENT || type->framebuffer == ABSENT || type->reservation == ABSENT)
        return type->profile;
    return type->framebuffer < WRONG - type->reservation ? type->framebuffer + type->reservation
                                                         : WRONG;
}

/* Puts a number where 0 means that it is not told. Returns false if it is none. */
static bool
put_number(uint64_t number, unsigned most, unsigned *ret)
{
    *ret = number <= most ? (unsigned)number : 0;
    return number <= most || number == ABSENT;
}

/* Makes a type of what was declared. Returns false if that cannot be right. */
static bool
make_type(const struct declared *declared, struct nvidia_table_type *ret)
{
    struct inventory_type *type = &ret->type;
    uint64_t profile = profile_of(declared);
    unsigned width, height;

    *ret = (struct nvidia_table_type){.is_single = declared->multiple == 0};
    if (declared->number == 0 || declared->number > MOST_NUMBER || !*declared->name ||
        !put_number(profile == ABSENT ? ABSENT : profile >> 20, MOST_MIB, &type->framebuffer) ||
        (profile != ABSENT && type->framebuffer == 0) ||
        !put_number(declared->heads, MOST_HEADS, &type->heads) ||
        !put_number(declared->width, MOST_PIXELS, &width) ||
        !put_number(declared->height, MOST_PIXELS, &height))
        return false;
    nvidia_number_id((unsigned)declared->number, &type->id);
    memcpy(type->name, declared->name, sizeof(type->name));
    memcpy(ret->class, declared->class, sizeof(ret->class));
    if (width && height)
        snprintf(type->resolution, sizeof(type->resolution), "%ux%u", width, height);
    /* The name may tell a size, too. */
    vendor_describe((const struct vendor *const[]){&vendor_nvidia, NULL}, type);
    return type->framebuffer <= MOST_MIB;
}

static int
read_types(const xmlNode *root, struct type_list *ret, struct error *error)
{
    size_t seen = 0;

    for (const xmlNode *element = NULL; (element = table_xml_next(root, element, "vgpuType"));) {
        const struct declared declared = read_declared(element);
        struct nvidia_table_type type;

        if (++seen > MOST_TYPES)
            return error_set(error, -EINVAL, "it declares more than %d types", MOST_TYPES);
        if (make_type(&declared, &type))
            ARRAY_ADD(ret->items, ret->count, type);
    }
    return 0;
}

static bool
is_id(uint64_t number, const char *id)
{
    char text[8];

    if (number > 0xffff)
        return false;
    snprintf(text, sizeof(text), "%04x", (unsigned)number);
    return !strcmp(text, id);
}

static enum nvidia_table_match
match_ids(const xmlNode *element, const struct nvidia_table_ids *ids)
{
    uint64_t maker = table_xml_number(element, "subsystemVendorId");
    uint64_t board = table_xml_number(element, "subsystemId");

    if (!is_id(table_xml_number(element, "vendorId"), ids->vendor) ||
        !is_id(table_xml_number(element, "deviceId"), ids->device))
        return NVIDIA_TABLE_UNKNOWN;
    if (board == 0 || board == ABSENT)
        return NVIDIA_TABLE_ANY_BOARD;
    return is_id(board, ids->subsystem_device) &&
                   (maker == 0 || maker == ABSENT || is_id(maker, ids->subsystem_vendor))
               ? NVIDIA_TABLE_THIS_BOARD
               : NVIDIA_TABLE_UNKNOWN;
}

static enum nvidia_table_match
match_card(const xmlNode *card, const struct nvidia_table_ids *ids)
{
    enum nvidia_table_match best = NVIDIA_TABLE_UNKNOWN;

    for (const xmlNode *element = NULL; (element = table_xml_next(card, element, "devId"));) {
        enum nvidia_table_match match = match_ids(element, ids);

        best = match > best ? match : best;
    }
    return best;
}

/* Only an extract has <single>: a guest that has the type may have no other. On some cards a vGPU
 * with a part of the card is never one of several vGPUs of a guest (fractionalMultiVgpu is 0).
 * There only a type that takes the whole card can be (kernel_vgpu_mgr.c of the open kernel
 * modules). */
static int
add_supported(const xmlNode *card, struct supported_list *list, struct error *error)
{
    uint64_t fractional = table_xml_number(card, "fractionalMultiVgpu");

    for (const xmlNode *element = NULL;
         (element = table_xml_next(card, element, "supportedVgpu"));) {
        uint64_t max = table_xml_number_inside(element, "maxVgpus");
        const struct supported supported = {
            .number = table_xml_number(element, "vgpuId"),
            .max = max,
            .is_alone = table_xml_number_inside(element, "single") == 1 ||
                        (fractional == 0 && max != ABSENT && max != 1),
        };

        if (list->count == MOST_TYPES)
            return error_set(error, -EINVAL, "one card has more than %d types", MOST_TYPES);
        ARRAY_ADD(list->items, list->count, supported);
    }
    return 0;
}

/* The n-th type that a card supports, if it was not there before. */
static void
add_type(const struct type_list *types, size_t n, const struct supported_list *list,
         struct nvidia_table_card *card)
{
    const struct supported *supported = &list->items[n];
    const struct nvidia_table_type *declared = NULL;
    struct nvidia_table_type type;
    struct name id;

    if (ARRAY_HAS(list->items, n, before, before->number == supported->number))
        return;
    if (supported->number <= MOST_NUMBER) {
        nvidia_number_id((unsigned)supported->number, &id);
        declared = ARRAY_FIND(types->items, types->count, each, name_equal(&each->type.id, &id));
    }
    type = declared ? *declared : (struct nvidia_table_type){0};
    if (!declared || (!type.type.slices &&
                      (!put_number(supported->max, MOST_VGPUS, &type.max) || supported->max == 0)))
        return;
    type.is_single |= supported->is_alone;
    ARRAY_ADD(card->types, card->type_count, type);
}

/* Finds a card by its best match, and its types. */
static int
read_card(const xmlNode *root, const struct type_list *types, const struct nvidia_table_ids *ids,
          struct nvidia_table_card *ret, struct error *error)
{
    struct supported_list list = {0};
    int rc = 0;

    for (const xmlNode *card = NULL; rc == 0 && (card = table_xml_next(root, card, "pgpu"));) {
        enum nvidia_table_match match = match_card(card, ids);

        if (match > ret->match)
            list.count = 0;
        if (match && match >= ret->match) {
            ret->match = match;
            rc = add_supported(card, &list, error);
        }
    }
    for (size_t n = 0; rc == 0 && n < list.count; n++)
        add_type(types, n, &list, ret);
    free(list.items);
    return rc;
}

static int
count_cards(const xmlNode *root, struct error *error)
{
    size_t count = 0;

    for (const xmlNode *card = NULL; (card = table_xml_next(root, card, "pgpu"));)
        count++;
    return count > MOST_CARDS ? error_set(error, -EINVAL, "it has more than %d cards", MOST_CARDS)
                              : 0;
}

/* Only an extract has this (nvidia-extract.h). */
static void
read_extract(const xmlNode *root, struct nvidia_table *ret)
{
    const xmlNode *element = table_xml_next(root, NULL, "extract");

    if (!element)
        return;
    ret->file = (struct nvidia_table_file){.device = table_xml_number(element, "device"),
                                           .inode = table_xml_number(element, "inode"),
                                           .size = table_xml_number(element, "size"),
                                           .seconds = table_xml_number(element, "seconds"),
                                           .nanoseconds = table_xml_number(element, "nanoseconds")};
    ret->is_refused = table_xml_number(element, "refused") == 1;
}

static int
parse(const struct document *document, const struct nvidia_table_ids *ids,
      struct nvidia_table *table, struct error *error)
{
    AUTO(table_xml_free) xmlDoc *tree = NULL;
    struct type_list types = {0};
    int rc = table_xml_read(document, "vgpuconfig", &tree, error);
    const xmlNode *root = rc < 0 ? NULL : xmlDocGetRootElement(tree);

    if (rc == 0)
        rc = read_types(root, &types, error);
    if (rc == 0)
        rc = count_cards(root, error);
    for (size_t i = 0; rc == 0 && i < table->count; i++)
        rc = read_card(root, &types, &ids[i], &table->cards[i], error);
    if (rc == 0)
        read_extract(root, table);
    free(types.items);
    return rc;
}

/* A descriptor, or -errno. */
static int
open_file(const struct host *host, const char *path, struct stat *status, struct error *error)
{
    AUTO_CLOSE int fd = host_open(host, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

    if (fd < 0 && errno == ENOENT)
        return -ENOENT;
    if (fd < 0 && errno == ELOOP)
        return error_set(error, -ELOOP, "it is a symbolic link; put the file itself there");
    if (fd < 0 || fstat(fd, status) < 0)
        return error_set(error, -errno, "%m");
    if (!S_ISREG(status->st_mode))
        return error_set(error, -EINVAL, "it is no regular file; " AGAIN);
    if ((status->st_uid != 0 && status->st_uid != geteuid()) || (status->st_mode & 022))
        return error_set(error, -EPERM,
                         "others than root may write it; 'chown root' and 'chmod go-w' make it "
                         "safe");
    if (status->st_size > MOST_BYTES)
        return error_set(error, -EFBIG, "it is larger than %d MiB; " AGAIN, MOST_BYTES >> 20);
    return TAKE_FD(fd);
}

/* Reads as many bytes as the file has. Behind them is a NUL. */
static int
read_file(int fd, size_t size, struct document *ret, struct error *error)
{
    ret->text = memory_zeroed(size + 1, 1);
    while (ret->length <= size) {
        ssize_t length = read(fd, ret->text + ret->length, size + 1 - ret->length);

        if (length < 0)
            return error_set(error, -errno, "%m");
        if (length == 0)
            break;
        ret->length += (size_t)length;
    }
    if (ret->length != size)
        return error_set(error, -EAGAIN, "it changed while it was read; try again");
    return 0;
}

static int
read_table(const struct host *host, const char *path, const struct nvidia_table_ids *ids,
           struct nvidia_table *ret, struct error *error)
{
    AUTO(document_clear) struct document document = {0};
    struct stat status;
    AUTO_CLOSE int fd = open_file(host, path, &status, error);
    int rc = fd < 0 ? fd : read_file(fd, (size_t)status.st_size, &document, error);

    if (rc < 0)
        return rc;
    ret->file = nvidia_table_file_of(&status);
    rc = parse(&document, ids, ret, error);
    if (rc == -EINVAL)
        error_add(error, AGAIN);
    return rc;
}

int
nvidia_table_read(const struct host *host, const char *path, const struct nvidia_table_ids *cards,
                  size_t count, struct nvidia_table *ret, struct error *error)
{
    int rc;

    *ret =
        (struct nvidia_table){.cards = memory_zeroed(count, sizeof(*ret->cards)), .count = count};
    rc = read_table(host, path, cards, ret, error);
    if (rc == 0)
        return 0;
    nvidia_table_clear(ret);
    if (rc != -ENOENT)
        error_wrap(error, "cannot read NVIDIA's table of vGPU types, /%s", path);
    return rc;
}

void
nvidia_table_clear(struct nvidia_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cards[i].types);
    free(table->cards);
    *table = (struct nvidia_table){0};
}

int
nvidia_table_parse(const struct document *document, const struct nvidia_table_ids *cards,
                   size_t count, struct nvidia_table *ret, struct error *error)
{
    int rc;

    *ret =
        (struct nvidia_table){.cards = memory_zeroed(count, sizeof(*ret->cards)), .count = count};
    rc = parse(document, cards, ret, error);
    if (rc < 0)
        nvidia_table_clear(ret);
    return rc;
}

struct nvidia_table_ids
nvidia_table_ids_of(const struct inventory_gpu *gpu)
{
    struct nvidia_table_ids ids;

    memcpy(ids.vendor, gpu->vendor, sizeof(ids.vendor));
    memcpy(ids.device, gpu->device, sizeof(ids.device));
    memcpy(ids.subsystem_vendor, gpu->subsystem_vendor, sizeof(ids.subsystem_vendor));
    memcpy(ids.subsystem_device, gpu->subsystem_device, sizeof(ids.subsystem_device));
    return ids;
}

/* The time is that of the last change of any kind, which nobody can set back. */
struct nvidia_table_file
nvidia_table_file_of(const struct stat *status)
{
    return (struct nvidia_table_file){.device = (uint64_t)status->st_dev,
                                      .inode = (uint64_t)status->st_ino,
                                      .size = (uint64_t)status->st_size,
                                      .seconds = (uint64_t)status->st_ctim.tv_sec,
                                      .nanoseconds = (uint64_t)status->st_ctim.tv_nsec};
}
