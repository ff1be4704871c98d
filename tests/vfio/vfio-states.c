/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vfio-states DEVICE SAME OTHER: plays QEMU's part in a migration, and what QEMU would never do.
 * These are three vGPUs of the emulated cards, each as GROUP:NAME, which nobody else has open. The
 * first two are of one type, the third is of another. Every change between the states of VFIO's
 * migration is tried, and streams are read and written in pieces, broken, and used too late.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MOST    4096
#define SCRATCH 0x40 /* see tests/cards/README.md */

#define PRE_COPY     6 /* these two are not in the headers of Debian 12 */
#define PRE_COPY_P2P 7
#define BEYOND       99

/* The states between which a vGPU can change. */
static const uint32_t states[] = {VFIO_DEVICE_STATE_STOP, VFIO_DEVICE_STATE_RUNNING,
                                  VFIO_DEVICE_STATE_STOP_COPY, VFIO_DEVICE_STATE_RESUMING,
                                  VFIO_DEVICE_STATE_RUNNING_P2P};
static const uint32_t refused[] = {VFIO_DEVICE_STATE_ERROR, PRE_COPY, PRE_COPY_P2P, BEYOND};

/* An address where nothing is. */
static uint8_t *volatile nowhere;

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct device {
    int container;
    int group;
    int fd;
    off_t config;
};

struct block {
    uint8_t bytes[MOST];
    size_t size;
};

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            errx(1, "line %d: %s (errno %s)", __LINE__, #condition, strerror(errno));              \
    } while (0)

/* Does the call fail with this error? */
#define FAILS(error, call) (errno = 0, (call) < 0 && errno == (error))

/* --- devices -------------------------------------------------------------------------------- */

static struct device
device_open(const char *place)
{
    struct vfio_device_info info = {.argsz = 8};
    struct vfio_region_info region = {.argsz = sizeof(region),
                                      .index = VFIO_PCI_CONFIG_REGION_INDEX};
    const char *name = strchr(place, ':');
    char path[64];
    struct device device;

    EXPECT(name);
    snprintf(path, sizeof(path), "/dev/vfio/%.*s", (int)(name - place), place);
    EXPECT((device.container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC)) >= 0);
    EXPECT((device.group = open(path, O_RDWR | O_CLOEXEC)) >= 0);
    EXPECT(!ioctl(device.group, VFIO_GROUP_SET_CONTAINER, &device.container));
    EXPECT(!ioctl(device.container, VFIO_SET_IOMMU, VFIO_TYPE1_IOMMU));
    EXPECT((device.fd = ioctl(device.group, VFIO_GROUP_GET_DEVICE_FD, name + 1)) >= 0);
    EXPECT(FAILS(EINVAL, ioctl(device.fd, VFIO_DEVICE_GET_INFO, &info)));
    info.argsz = sizeof(info);
    EXPECT(!ioctl(device.fd, VFIO_DEVICE_GET_INFO, &info));
    EXPECT(info.num_regions == VFIO_PCI_NUM_REGIONS);
    EXPECT(!ioctl(device.fd, VFIO_DEVICE_GET_REGION_INFO, &region));
    device.config = (off_t)region.offset;
    return device;
}

static void
device_close(const struct device *device)
{
    close(device->fd);
    close(device->group);
    close(device->container);
}

static void
reset(const struct device *device)
{
    EXPECT(!ioctl(device->fd, VFIO_DEVICE_RESET));
}

/* Writes four bytes of configuration space that mean nothing, as a guest would. */
static void
set_scratch(const struct device *device, uint32_t value)
{
    EXPECT(pwrite(device->fd, &value, sizeof(value), device->config + SCRATCH) == sizeof(value));
}

static uint32_t
scratch_of(const struct device *device)
{
    uint32_t value = 0;

    EXPECT(pread(device->fd, &value, sizeof(value), device->config + SCRATCH) == sizeof(value));
    return value;
}

/* --- VFIO's migration ----------------------------------------------------------------------- */

/* Asks for a feature, or sets it. The answer is in the payload. */
static int
feature(const struct device *device, uint32_t flags, void *payload, size_t size)
{
    _Alignas(struct vfio_device_feature) uint8_t bytes[64] = {0};
    struct vfio_device_feature *head = (struct vfio_device_feature *)bytes;
    int ret;

    head->argsz = (uint32_t)(sizeof(*head) + size);
    head->flags = flags;
    memcpy(head->data, payload, size);
    ret = ioctl(device->fd, VFIO_DEVICE_FEATURE, head);
    memcpy(payload, head->data, size);
    return ret;
}

/* Returns 0, or -1 and sets errno. *stream is the new stream, or -1. */
static int
change(const struct device *device, uint32_t state, int *stream)
{
    struct vfio_device_feature_mig_state payload = {.device_state = state, .data_fd = -1};
    int ret = feature(device, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE,
                      &payload, sizeof(payload));

    *stream = payload.data_fd;
    return ret;
}

/* As change, where there is no stream. */
static int
change_to(const struct device *device, uint32_t state)
{
    int stream, ret = change(device, state, &stream);

    EXPECT(stream == -1);
    return ret;
}

/* Changes to a state that has a stream, and returns the stream. */
static int
stream_in(const struct device *device, uint32_t state)
{
    int stream;

    EXPECT(!change(device, state, &stream));
    EXPECT(stream >= 0);
    return stream;
}

static uint32_t
state_of(const struct device *device)
{
    struct vfio_device_feature_mig_state payload = {0};

    EXPECT(!feature(device, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE,
                    &payload, sizeof(payload)));
    return payload.device_state;
}

/* --- streams -------------------------------------------------------------------------------- */

/* Reads all of a stream, in pieces of this size. */
static struct block
drain(int stream, size_t piece)
{
    struct block block = {.size = 0};
    ssize_t got;

    do {
        EXPECT(block.size + piece <= MOST);
        EXPECT((got = read(stream, block.bytes + block.size, piece)) >= 0);
        block.size += (size_t)got;
    } while (got > 0);
    return block;
}

/* Writes the first bytes of the block in pieces of this size. */
static void
fill(int stream, const struct block *block, size_t size, size_t piece)
{
    size_t at, part;

    for (at = 0; at < size; at += part) {
        part = size - at < piece ? size - at : piece;
        EXPECT(write(stream, block->bytes + at, part) == (ssize_t)part);
    }
}

/* Stops the device and reads its state. Afterwards it runs. */
static struct block
save(const struct device *device, size_t piece)
{
    int stream = stream_in(device, VFIO_DEVICE_STATE_STOP_COPY);
    struct block block = drain(stream, piece);

    EXPECT(!change_to(device, VFIO_DEVICE_STATE_RUNNING));
    EXPECT(!close(stream));
    return block;
}

static bool
equal(const struct block *one, const struct block *other)
{
    return one->size == other->size && !memcmp(one->bytes, other->bytes, one->size);
}

/* --- tests ---------------------------------------------------------------------------------- */

static bool
has_stream(uint32_t state)
{
    return state == VFIO_DEVICE_STATE_STOP_COPY || state == VFIO_DEVICE_STATE_RESUMING;
}

/* Brings the device into the state. If that is RESUMING, it receives the block, if there is one. */
static void
begin(const struct device *device, uint32_t state, const struct block *block)
{
    int stream;

    reset(device);
    EXPECT(!change(device, state, &stream));
    EXPECT((stream >= 0) == has_stream(state));
    if (block && state == VFIO_DEVICE_STATE_RESUMING)
        fill(stream, block, block->size, MOST);
    if (stream >= 0)
        EXPECT(!close(stream));
    EXPECT(state_of(device) == state);
}

/* From each state to each. Without a block, RESUMING cannot be left, as nothing was received. */
static void
test_changes(const struct device *device, const struct block *block)
{
    size_t i, j;
    int stream;

    for (i = 0; i < COUNT(states); i++) {
        for (j = 0; j < COUNT(states); j++) {
            begin(device, states[i], block);
            if (!block && states[i] == VFIO_DEVICE_STATE_RESUMING && i != j) {
                EXPECT(FAILS(EINVAL, change_to(device, states[j])));
                EXPECT(FAILS(EINVAL, change_to(device, states[j])));
                EXPECT(state_of(device) == states[i]);
                continue;
            }
            EXPECT(!change(device, states[j], &stream));
            EXPECT((stream >= 0) == (i != j && has_stream(states[j])));
            EXPECT(state_of(device) == states[j]);
            if (stream >= 0)
                EXPECT(!close(stream));
        }
        for (j = 0; j < COUNT(refused); j++) {
            begin(device, states[i], block);
            EXPECT(FAILS(EINVAL, change_to(device, refused[j])));
            EXPECT(state_of(device) == states[i]);
        }
    }
    reset(device);
    EXPECT(state_of(device) == VFIO_DEVICE_STATE_RUNNING);
}

static void
test_offer(const struct device *device, const struct block *block)
{
    struct vfio_device_feature_migration offer = {0};

    EXPECT(!feature(device, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIGRATION, &offer,
                    sizeof(offer)));
    EXPECT(offer.flags == (VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P));
#ifdef VFIO_DEVICE_FEATURE_MIG_DATA_SIZE
    struct vfio_device_feature_mig_data_size size = {0};

    EXPECT(!feature(device, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DATA_SIZE, &size,
                    sizeof(size)));
    EXPECT(size.stop_copy_length == block->size);
#endif
    EXPECT(block->size > 0 && block->size < MOST);
}

/* A state that is read and written in small pieces is the same state, on another vGPU, too. */
static void
test_pieces(const struct device *device, const struct device *same)
{
    static const size_t pieces[] = {1, 7, 16, MOST / 2};
    struct block whole, received;
    size_t i;

    set_scratch(device, 0x5eed0001);
    whole = save(device, MOST / 2);
    for (i = 0; i < COUNT(pieces); i++) {
        struct block read_so = save(device, pieces[i]);
        int stream;

        EXPECT(equal(&read_so, &whole));
        set_scratch(same, 0);
        stream = stream_in(same, VFIO_DEVICE_STATE_RESUMING);
        fill(stream, &whole, whole.size, pieces[i]);
        EXPECT(!change_to(same, VFIO_DEVICE_STATE_RUNNING));
        EXPECT(!close(stream));
        EXPECT(scratch_of(same) == 0x5eed0001);
        received = save(same, MOST / 2);
        EXPECT(equal(&received, &whole));
    }
}

/* What the device was given is no state of its type. It stays RESUMING, whatever is asked, until it
 * is reset. Its own state is as before. */
static void
test_refused(const struct device *device, const struct block *block, int error)
{
    struct block before = save(device, MOST / 2), after;
    int stream = stream_in(device, VFIO_DEVICE_STATE_RESUMING);
    size_t i;

    EXPECT(FAILS(error, write(stream, block->bytes, block->size)));
    for (i = 0; i < COUNT(states); i++) {
        if (states[i] != VFIO_DEVICE_STATE_RESUMING)
            EXPECT(FAILS(EINVAL, change_to(device, states[i])));
        EXPECT(state_of(device) == VFIO_DEVICE_STATE_RESUMING);
    }
    reset(device);
    EXPECT(FAILS(ENODEV, write(stream, block->bytes, 1)));
    EXPECT(!close(stream));
    after = save(device, MOST / 2);
    EXPECT(equal(&before, &after));
}

/* A state that lacks a byte, and gets it later; and one more, which is too much. */
static void
test_length(const struct device *device, const struct block *block)
{
    int stream = stream_in(device, VFIO_DEVICE_STATE_RESUMING);

    fill(stream, block, block->size - 1, MOST);
    EXPECT(FAILS(EINVAL, change_to(device, VFIO_DEVICE_STATE_STOP)));
    EXPECT(FAILS(EINVAL, change_to(device, VFIO_DEVICE_STATE_RUNNING)));
    EXPECT(FAILS(EFAULT, write(stream, nowhere, 1)));
    EXPECT(write(stream, block->bytes + block->size - 1, 1) == 1);
    EXPECT(FAILS(EINVAL, write(stream, block->bytes, 1)));
    EXPECT(!change_to(device, VFIO_DEVICE_STATE_STOP));
    EXPECT(FAILS(ENODEV, write(stream, block->bytes, 1)));
    EXPECT(!close(stream));
    EXPECT(!change_to(device, VFIO_DEVICE_STATE_RUNNING));
}

/* Streams go one way, have no position but their own, and end with the state in which they are. */
static void
test_use(const struct device *device)
{
    uint8_t byte = 0;
    int stream = stream_in(device, VFIO_DEVICE_STATE_STOP_COPY);

    EXPECT(FAILS(EBADF, write(stream, &byte, 1)));
    EXPECT(FAILS(ESPIPE, pread(stream, &byte, 1, 0)));
    EXPECT(FAILS(ESPIPE, lseek(stream, 0, SEEK_SET)));
    EXPECT(FAILS(EFAULT, read(stream, nowhere, 1)));
    EXPECT(read(stream, &byte, 1) == 1);
    EXPECT(!change_to(device, VFIO_DEVICE_STATE_STOP));
    EXPECT(FAILS(ENODEV, read(stream, &byte, 1)));
    EXPECT(!close(stream));
    stream = stream_in(device, VFIO_DEVICE_STATE_RESUMING);
    EXPECT(FAILS(EBADF, read(stream, &byte, 1)));
    EXPECT(FAILS(ESPIPE, pwrite(stream, &byte, 1, 0)));
    reset(device);
    EXPECT(FAILS(ENODEV, write(stream, &byte, 1)));
    EXPECT(!close(stream));
}

/* The device goes while a stream is open, and while it has refused a state. It comes back running.
 */
static void
test_reopened(struct device *device, const char *place, const struct block *broken)
{
    int stream = stream_in(device, VFIO_DEVICE_STATE_RESUMING);

    EXPECT(FAILS(EINVAL, write(stream, broken->bytes, broken->size)));
    EXPECT(FAILS(EINVAL, change_to(device, VFIO_DEVICE_STATE_RUNNING)));
    device_close(device);
    EXPECT(FAILS(ENODEV, write(stream, broken->bytes, 1)));
    EXPECT(!close(stream));
    *device = device_open(place);
    EXPECT(state_of(device) == VFIO_DEVICE_STATE_RUNNING);
    EXPECT(scratch_of(device) == 0);
}

int
main(int argc, char **argv)
{
    struct device device, same, other;
    struct block good, foreign, broken;

    if (argc != 4)
        errx(2, "usage: vfio-states GROUP:DEVICE GROUP:SAME GROUP:OTHER");
    device = device_open(argv[1]);
    same = device_open(argv[2]);
    other = device_open(argv[3]);
    good = save(&device, MOST / 2);
    foreign = save(&other, MOST / 2);
    broken = good;
    broken.bytes[0] ^= 1;

    test_offer(&device, &good);
    test_changes(&device, NULL);
    test_changes(&device, &good);
    test_pieces(&device, &same);
    test_refused(&device, &broken, EINVAL);
    test_refused(&device, &foreign, EINVAL);
    test_length(&device, &good);
    test_use(&device);
    test_reopened(&device, argv[1], &broken);

    device_close(&device);
    device_close(&same);
    device_close(&other);
    puts("all changes and streams are as they should be");
    return 0;
}
