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

/* The elements that have others. */
enum part { DOCUMENT, TABLE, TYPE, CARD, SUPPORTED };

/* A type as it is declared. */
struct declared {
    uint64_t number, width, height, heads, profile, framebuffer, reservation, multiple;
    char name[sizeof(((struct inventory_type *)0)->name)];
    char class[sizeof(((struct nvidia_table_type *)0)->class)];
};

/* A type that a card supports. */
struct supported {
    uint64_t number, max;
    uint64_t single; /* of an extract: a guest that has it may have no other; else ABSENT */
    bool is_alone;   /* on this card it is never one of several of a guest */
};

struct supported_list {
    struct supported *items;
    size_t count;
};

struct reading {
    const struct nvidia_table_ids *ids;
    struct nvidia_table *table;
    struct declared type;
    struct supported supported;
    struct nvidia_table_type *types; /* those that are declared rightly */
    size_t type_count, types_seen, cards_seen;
    uint64_t fractional;              /* of the card of the file that is being read */
    struct supported_list here;       /* what it supports */
    enum nvidia_table_match *matches; /* whether it is the n-th wanted card */
    struct supported_list *wanted;    /* what each wanted card supports, by its best match */
};

static void
open_type(struct table_xml *xml, void *data)
{
    struct reading *reading = data;
    struct declared *type = &reading->type;

    if (++reading->types_seen > MOST_TYPES)
        return table_xml_fail(xml, "it declares more than %d types", MOST_TYPES);
    *type = (struct declared){.number = table_xml_number(xml, "id"),
                              .width = ABSENT,
                              .height = ABSENT,
                              .heads = ABSENT,
                              .profile = ABSENT,
                              .framebuffer = ABSENT,
                              .reservation = ABSENT,
                              .multiple = ABSENT};
    table_xml_text(xml, "name", type->name, sizeof(type->name));
    table_xml_text(xml, "class", type->class, sizeof(type->class));
}

static void
open_display(struct table_xml *xml, void *data)
{
    struct reading *reading = data;

    reading->type.width = table_xml_number(xml, "width");
    reading->type.height = table_xml_number(xml, "height");
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

static void
close_type(struct table_xml *xml, void *data)
{
    struct reading *reading = data;
    struct nvidia_table_type type;

    (void)xml;
    if (make_type(&reading->type, &type))
        ARRAY_ADD(reading->types, reading->type_count, type);
}

static void
open_card(struct table_xml *xml, void *data)
{
    struct reading *reading = data;

    if (++reading->cards_seen > MOST_CARDS)
        return table_xml_fail(xml, "it has more than %d cards", MOST_CARDS);
    for (size_t i = 0; i < reading->table->count; i++)
        reading->matches[i] = NVIDIA_TABLE_UNKNOWN;
    reading->here.count = 0;
    reading->fractional = table_xml_number(xml, "fractionalMultiVgpu");
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

static void
open_card_ids(struct table_xml *xml, void *data)
{
    struct reading *reading = data;
    uint64_t vendor = table_xml_number(xml, "vendorId"), device = table_xml_number(xml, "deviceId");
    uint64_t maker = table_xml_number(xml, "subsystemVendorId");
    uint64_t board = table_xml_number(xml, "subsystemId");
    bool is_any = board == 0 || board == ABSENT, is_anyone = maker == 0 || maker == ABSENT;

    for (size_t i = 0; i < reading->table->count; i++) {
        const struct nvidia_table_ids *ids = &reading->ids[i];
        enum nvidia_table_match match = NVIDIA_TABLE_UNKNOWN;

        if (is_any)
            match = NVIDIA_TABLE_ANY_BOARD;
        else if (is_id(board, ids->subsystem_device) &&
                 (is_anyone || is_id(maker, ids->subsystem_vendor)))
            match = NVIDIA_TABLE_THIS_BOARD;
        if (match > reading->matches[i] && is_id(vendor, ids->vendor) && is_id(device, ids->device))
            reading->matches[i] = match;
    }
}

static void
open_supported(struct table_xml *xml, void *data)
{
    struct reading *reading = data;

    reading->supported = (struct supported){
        .number = table_xml_number(xml, "vgpuId"), .max = ABSENT, .single = ABSENT};
}

static void
add_supported(struct table_xml *xml, struct supported_list *list, const struct supported *supported)
{
    if (list->count == MOST_TYPES)
        return table_xml_fail(xml, "one card has more than %d types", MOST_TYPES);
    ARRAY_ADD(list->items, list->count, *supported);
}

/* On some cards a vGPU with a part of the card is never one of several vGPUs of a guest
 * (fractionalMultiVgpu is 0). There only a type that takes the whole card can be (kernel_vgpu_mgr.c
 * of the open kernel modules). */
static void
close_supported(struct table_xml *xml, void *data)
{
    struct reading *reading = data;
    struct supported *supported = &reading->supported;

    supported->is_alone =
        supported->single == 1 ||
        (reading->fractional == 0 && supported->max != ABSENT && supported->max != 1);
    add_supported(xml, &reading->here, supported);
}

static void
close_card(struct table_xml *xml, void *data)
{
    struct reading *reading = data;

    for (size_t i = 0; i < reading->table->count; i++) {
        struct nvidia_table_card *card = &reading->table->cards[i];

        if (!reading->matches[i] || reading->matches[i] < card->match)
            continue;
        if (reading->matches[i] > card->match)
            reading->wanted[i].count = 0;
        card->match = reading->matches[i];
        for (size_t k = 0; k < reading->here.count; k++)
            add_supported(xml, &reading->wanted[i], &reading->here.items[k]);
    }
}

/* Only an extract has this (nvidia-extract.h). */
static void
open_extract(struct table_xml *xml, void *data)
{
    struct reading *reading = data;

    reading->table->file =
        (struct nvidia_table_file){.device = table_xml_number(xml, "device"),
                                   .inode = table_xml_number(xml, "inode"),
                                   .size = table_xml_number(xml, "size"),
                                   .seconds = table_xml_number(xml, "seconds"),
                                   .nanoseconds = table_xml_number(xml, "nanoseconds")};
    reading->table->is_refused = table_xml_number(xml, "refused") == 1;
}

#define FIELD(field) offsetof(struct reading, field)

static const struct table_element elements[] = {
    {DOCUMENT, TABLE, "vgpuconfig", NULL, NULL, 0},
    {TABLE, TYPE, "vgpuType", open_type, close_type, 0},
    {TYPE, 0, "display", open_display, NULL, 0},
    {TYPE, 0, "numHeads", NULL, NULL, FIELD(type.heads)},
    {TYPE, 0, "profileSize", NULL, NULL, FIELD(type.profile)},
    {TYPE, 0, "framebuffer", NULL, NULL, FIELD(type.framebuffer)},
    {TYPE, 0, "fbReservation", NULL, NULL, FIELD(type.reservation)},
    {TYPE, 0, "multiVgpuSupported", NULL, NULL, FIELD(type.multiple)},
    {TABLE, CARD, "pgpu", open_card, close_card, 0},
    {CARD, 0, "devId", open_card_ids, NULL, 0},
    {CARD, SUPPORTED, "supportedVgpu", open_supported, close_supported, 0},
    {SUPPORTED, 0, "maxVgpus", NULL, NULL, FIELD(supported.max)},
    {SUPPORTED, 0, "single", NULL, NULL, FIELD(supported.single)},
    {TABLE, 0, "extract", open_extract, NULL, 0},
};

/* The n-th type that a card supports, if it was not there before. */
static void
add_type(const struct reading *reading, size_t n, const struct supported_list *list,
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
        declared =
            ARRAY_FIND(reading->types, reading->type_count, each, name_equal(&each->type.id, &id));
    }
    type = declared ? *declared : (struct nvidia_table_type){0};
    if (!declared || (!type.type.slices && (!put_number(supported->max, MOST_VGPUS, &type.max) ||
                                            supported->max == 0))) {
        card->passed_over++;
        return;
    }
    type.is_single |= supported->is_alone;
    ARRAY_ADD(card->types, card->type_count, type);
}

static void
end_reading(struct reading *reading)
{
    for (size_t i = 0; i < reading->table->count; i++)
        free(reading->wanted[i].items);
    free(reading->wanted);
    free(reading->matches);
    free(reading->here.items);
    free(reading->types);
}

static int
parse(const struct document *document, const struct nvidia_table_ids *ids,
      struct nvidia_table *table, struct error *error)
{
    AUTO(end_reading)
    struct reading reading = {
        .ids = ids,
        .table = table,
        .matches = memory_zeroed(table->count, sizeof(*reading.matches)),
        .wanted = memory_zeroed(table->count, sizeof(*reading.wanted)),
    };
    int rc = table_xml_read(document, elements, COUNT(elements), &reading, error);

    for (size_t i = 0; rc == 0 && i < table->count; i++) {
        for (size_t n = 0; n < reading.wanted[i].count; n++)
            add_type(&reading, n, &reading.wanted[i], &table->cards[i]);
    }
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
