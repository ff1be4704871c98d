/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-table: what NVIDIA's own table says of the cards of this host.
 *
 * NVIDIA's vGPU manager brings a file that lists every type, every card, and the types of each
 * card. For a T4 it says, among some thousand others:
 *
 *     <vgpuType id="222" name="GRID T4-1B" class="NVS">
 *       <display width="5120" height="2880"/> <numHeads>4</numHeads>
 *       <profileSize>0x40000000</profileSize> <framebuffer>0x3B000000</framebuffer>
 *       <multiVgpuSupported>0</multiVgpuSupported>
 *     </vgpuType>
 *     <pgpu>
 *       <devId vendorId="0x10de" deviceId="0x1EB8" subsystemVendorId="0x10de" subsystemId="0x0"/>
 *       <supportedVgpu vgpuId="222"><maxVgpus>16</maxVgpus></supportedVgpu>
 *     </pgpu>
 *
 * Somebody asks for the card {"10de", "1eb8", "10de", "12a2"}. The answer has one type:
 * nvidia-222, "GRID T4-1B", 1024 MiB, 4 heads, 5120x2880, at most 16, never beside another one.
 *
 * This is what the vendor supports, and not what the driver would make now. Owners may edit the
 * file, and it may be older than the driver. So wherever /sys says something, /sys is right.
 *
 * The size of a type is its profileSize: what a vGPU takes of the card. /sys calls it framebuffer,
 * and so does inventory_type. (The table's own framebuffer is the part that the guest sees.) Older
 * files have no profileSize; there it is framebuffer and fbReservation together. If these are
 * missing too, the type's name tells its size.
 *
 * The file is refused as a whole if it is a link or no regular file, or larger than 16 MiB. So it
 * is if others than root may write it. So is a file that is no XML in UTF-8, has another root, or
 * too many types, cards or tags. The file may name a document type, which is never looked at. There
 * it may declare nothing, such as an entity.
 *
 * What is wrong with one type costs only that type: it is passed over. It may be not declared, or
 * have no number. Its name may be no printable ASCII of at most 63 bytes. Its size, heads or
 * resolution may be no such number, and its size or its maximum 0. What is said twice counts the
 * first time. Elements and attributes that nobody knows mean nothing.
 */

#pragma once

#include "base/document.h"
#include "device/inventory.h"

struct stat;

/* Below the host's root. */
#define NVIDIA_TABLE_PATH "usr/share/nvidia/vgpu/vgpuConfig.xml"

/* The PCI ids of a card, each as four hex digits in lower case, as in struct inventory_gpu; "": not
 * told. */
struct nvidia_table_ids {
    char vendor[8], device[8], subsystem_vendor[8], subsystem_device[8];
};

struct nvidia_table_type {
    /* Its id, name, frame buffer, heads and resolution. vendor_describe has filled in its ceiling.
     * If its name is that of a type for GPU instances (MIG), it has slices. It has no GPU and no
     * `max`. */
    struct inventory_type type;
    char class[16]; /* "NVS" (A and B series), "Quadro" (Q), "Compute" (C); "": not told */
    unsigned max; /* on a card; 0: not told. It is never told for a type for GPU instances, because
                     the table does not say how many instances it means. How many vGPUs an instance
                     takes ("Max Instances Per GI") is in no table that is public: only NVIDIA's
                     tool tells it */
    bool is_single; /* a guest that has one may have no other vGPU of NVIDIA's: multiVgpuSupported
                       is 0, or the card's fractionalMultiVgpu is 0 and max is not 1 */
};

/* How well the table knows a card. What is said of the board itself beats what is said of all. */
enum nvidia_table_match {
    NVIDIA_TABLE_UNKNOWN,
    NVIDIA_TABLE_ANY_BOARD,  /* its device, whatever the subsystem is */
    NVIDIA_TABLE_THIS_BOARD, /* its device and its subsystem */
};

struct nvidia_table_card {
    enum nvidia_table_match match;
    struct nvidia_table_type *types; /* in the order of the file; no number is there twice */
    size_t type_count;
};

/* Which file it is, and as of when. A file that has changed differs in one of these. */
struct nvidia_table_file {
    uint64_t device, inode, size, seconds, nanoseconds; /* the time of its last change */
};

struct nvidia_table {
    struct nvidia_table_card *cards; /* as many as were asked for, in that order */
    size_t count;
    struct nvidia_table_file file; /* NVIDIA's own file, also if an extract of it was read */
    bool is_refused; /* an extract says that NVIDIA's own file cannot be read, and has no cards */
};

/*
 * Reads what the table says of some cards. path: NVIDIA_TABLE_PATH, or that of an extract. The
 * caller clears ret in every case; after a failure it is empty. -ENOENT: there is no such file, and
 * error is left as it was. Any other -errno: error says in one line why the file is not read, and
 * what to do. No failure is a reason to refuse a guest.
 *
 * Time and memory grow with the size of the file: some 15 ms and 13 MB for each MB.
 */
int nvidia_table_read(const struct host *host, const char *path,
                      const struct nvidia_table_ids *cards, size_t count, struct nvidia_table *ret,
                      struct error *error) CHECKED __attribute__((nonnull(1, 2, 5, 6)));

/* The same of a text that is in memory, followed by a NUL. ret->file is that of an extract. */
int nvidia_table_parse(const struct document *document, const struct nvidia_table_ids *cards,
                       size_t count, struct nvidia_table *ret, struct error *error) CHECKED
    __attribute__((nonnull(1, 4, 5)));
void nvidia_table_clear(struct nvidia_table *table) NONNULL;

/* The PCI ids of a GPU. */
struct nvidia_table_ids nvidia_table_ids_of(const struct inventory_gpu *gpu) NONNULL;

/* Which file has this status. */
struct nvidia_table_file nvidia_table_file_of(const struct stat *status) NONNULL;
