/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake-kernel.h"
#include "array.h"

#include <assert.h>
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#undef NDEBUG

#define MOST_GPUS    64
#define MOST_PARENTS 2048

enum rule { RULE_SIZE, RULE_TYPE, RULE_POOL };

struct fake_type {
    char id[64], name[64], api[32];
    unsigned framebuffer, max, heads, uses;
    bool nameless;
};

struct fake_gpu {
    char name[64];
    enum rule rule;
    unsigned pool, vfs;
    bool gvt;
    int numa;
    struct fake_type *types;
    size_t type_count;
};

struct fake_parent {
    char name[64];
    size_t gpu;
};

struct fake_machine {
    struct fake_gpu *gpus;
    size_t gpu_count;
    struct fake_parent *parents;
    size_t parent_count;
};

static void
pause_ms(unsigned milliseconds)
{
    struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000l};

    nanosleep(&length, NULL);
}

/* --- the tree --------------------------------------------------------------------------------- */

static void FORMAT(3, 4) put_file(int root, const char *text, const char *format, ...)
{
    struct path path;
    va_list args;
    int fd;

    va_start(args, format);
    assert(vsnprintf(path.text, sizeof(path.text), format, args) < (int)sizeof(path.text));
    va_end(args);
    for (char *slash = strchr(path.text, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert(mkdirat(root, path.text, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    if (!text)
        return;
    fd = openat(root, path.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert(fd >= 0);
    assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void FORMAT(3, 4) put_link(int root, const char *target, const char *format, ...)
{
    struct path path;
    va_list args;

    va_start(args, format);
    vsnprintf(path.text, sizeof(path.text), format, args);
    va_end(args);
    assert(symlinkat(target, root, path.text) == 0);
}

static void
put_type(int root, const char *parent, const struct fake_gpu *gpu, const struct fake_type *type)
{
    char text[256], base[200];

    snprintf(base, sizeof(base), "sys/devices/%s/mdev_supported_types/%s", parent, type->id);
    put_file(root, NULL, "%s/devices/", base);
    put_file(root, "", "%s/create", base);
    put_file(root, "", "%s/available_instances", base);
    snprintf(text, sizeof(text), "%s\n", type->api);
    put_file(root, text, "%s/device_api", base);
    if (!type->nameless) {
        snprintf(text, sizeof(text), "%s\n", type->name);
        put_file(root, text, "%s/name", base);
    }
    if (gpu->gvt)
        put_file(root,
                 "low_gm_size: 128MB\nhigh_gm_size: 512MB\nfence: 4\nresolution: 1920x1200\n"
                 "weight: 4\n",
                 "%s/description", base);
    if (type->max) {
        snprintf(text, sizeof(text),
                 "num_heads=%u, frl_config=60, framebuffer=%uM, max_resolution=5120x2880, "
                 "max_instance=%u\n",
                 type->heads, type->framebuffer, type->max);
        put_file(root, text, "%s/description", base);
    }
}

static void
put_parent(int root, const struct fake_gpu *gpu, const char *parent)
{
    char text[128];

    put_file(root, NULL, "sys/devices/%s/mdev_supported_types/", parent);
    snprintf(text, sizeof(text), "%d\n", gpu->numa);
    put_file(root, text, "sys/devices/%s/numa_node", parent);
    snprintf(text, sizeof(text), "../../devices/%s", parent);
    put_link(root, text, "sys/class/mdev_bus/%s", parent);
    if (strcmp(parent, gpu->name)) {
        snprintf(text, sizeof(text), "../%s", gpu->name);
        put_link(root, text, "sys/devices/%s/physfn", parent);
    }
    for (size_t i = 0; i < gpu->type_count; i++)
        put_type(root, parent, gpu, &gpu->types[i]);
}

static void
put_gpu(struct fake_kernel *fake, size_t index)
{
    struct fake_machine *machine = fake->machine;
    const struct fake_gpu *gpu = &machine->gpus[index];
    unsigned domain, bus;

    for (unsigned vf = 0; vf < gpu->vfs; vf++) {
        struct fake_parent parent = {.gpu = index};
        unsigned at = 4 + vf;

        assert(sscanf(gpu->name, "%x:%x:", &domain, &bus) == 2);
        snprintf(parent.name, sizeof(parent.name), "%04x:%02x:%02x.%x", domain, bus, at / 8 % 32,
                 at % 8);
        assert(ARRAY_ADD(machine->parents, machine->parent_count, parent) == 0);
        put_parent(fake->host.root, gpu, parent.name);
    }
    if (gpu->vfs == 0) {
        struct fake_parent parent = {.gpu = index};

        snprintf(parent.name, sizeof(parent.name), "%s", gpu->name);
        assert(ARRAY_ADD(machine->parents, machine->parent_count, parent) == 0);
        put_parent(fake->host.root, gpu, parent.name);
    }
}

/* --- the machine's description ---------------------------------------------------------------- */

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

/* The types of a board, from the table of real ones: tab-separated, the name is "BOARD-PROFILE". */
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
        struct fake_type type = {.uses = 1, .api = "vfio-pci"};
        unsigned id;

        if (sscanf(line, "0x%*x %u %63[^\t] %*s %u %u %*u %*s %u", &id, type.name,
                   &type.framebuffer, &type.heads, &type.max) != 5 ||
            strncmp(type.name, board, length) || type.name[length] != '-')
            continue;
        snprintf(type.id, sizeof(type.id), "nvidia-%u", id);
        assert(ARRAY_ADD(gpu->types, gpu->type_count, type) == 0);
    }
    fclose(table);
    assert(gpu->type_count);
}

static void
parse_gpu(struct fake_machine *machine, char *line)
{
    struct fake_gpu gpu = {.numa = -1};
    const char *word = next_word(&line);

    assert(word);
    snprintf(gpu.name, sizeof(gpu.name), "%s", word);
    while ((word = next_word(&line))) {
        if (!strcmp(word, "numa"))
            gpu.numa = (int)next_number(&line);
        else if (!strcmp(word, "vfs"))
            gpu.vfs = next_number(&line);
        else if (!strcmp(word, "gvt"))
            gpu.gvt = true;
        else if (!strcmp(word, "board"))
            add_board(&gpu, next_word(&line));
        else if (!strcmp(word, "rule")) {
            word = next_word(&line);
            assert(word);
            gpu.rule = !strcmp(word, "pool")   ? RULE_POOL
                       : !strcmp(word, "type") ? RULE_TYPE
                                               : RULE_SIZE;
            gpu.pool = gpu.rule == RULE_POOL ? next_number(&line) : 0;
        } else
            assert(!"a word of a gpu");
    }
    assert(ARRAY_ADD(machine->gpus, machine->gpu_count, gpu) == 0);
}

static void
parse_type(struct fake_machine *machine, char *line)
{
    struct fake_gpu *gpu = &machine->gpus[machine->gpu_count - 1];
    struct fake_type type = {.uses = 1, .api = "vfio-pci"};
    const char *word = next_word(&line);

    assert(machine->gpu_count && word);
    snprintf(type.id, sizeof(type.id), "%s", word);
    word = next_word(&line);
    assert(word);
    snprintf(type.name, sizeof(type.name), "%s", word);
    while ((word = next_word(&line))) {
        if (!strcmp(word, "framebuffer"))
            type.framebuffer = next_number(&line);
        else if (!strcmp(word, "max"))
            type.max = next_number(&line);
        else if (!strcmp(word, "heads"))
            type.heads = next_number(&line);
        else if (!strcmp(word, "uses"))
            type.uses = next_number(&line);
        else if (!strcmp(word, "nameless"))
            type.nameless = true;
        else if (!strcmp(word, "api"))
            snprintf(type.api, sizeof(type.api), "%s", next_word(&line));
        else
            assert(!"a word of a type");
    }
    assert(ARRAY_ADD(gpu->types, gpu->type_count, type) == 0);
}

static struct fake_machine *
parse_machine(const char *text)
{
    struct fake_machine *machine = calloc(1, sizeof(*machine));
    AUTO_FREE char *copy = strdup(text);
    char *rest = copy, *line;

    assert(machine && copy);
    while ((line = strsep(&rest, "\n"))) {
        const char *word;

        line[strcspn(line, "#")] = '\0';
        word = next_word(&line);
        if (!word)
            continue;
        if (!strcmp(word, "gpu"))
            parse_gpu(machine, line);
        else if (!strcmp(word, "type"))
            parse_type(machine, line);
        else
            assert(!"a line begins with gpu or type");
    }
    return machine;
}

/* --- the driver's rules ----------------------------------------------------------------------- */

/* A lock that is held for a scope, and otherwise not mentioned. */
#define LOCKED __attribute__((unused))

static int
lock_tree(const struct fake_kernel *fake)
{
    int fd = openat(fake->host.root, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    return fd;
}

static const struct fake_parent *
find_parent(const struct fake_kernel *fake, const char *name)
{
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        if (!strcmp(fake->machine->parents[i].name, name))
            return &fake->machine->parents[i];
    }
    return NULL;
}

static const struct fake_type *
find_type(const struct fake_gpu *gpu, const char *id)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (!strcmp(gpu->types[i].id, id))
            return &gpu->types[i];
    }
    return NULL;
}

/* The devices of a parent, whole or not: directories with a file "type". */
static void
list_devices(const struct fake_kernel *fake, const char *parent, struct names *ret)
{
    struct names entries;

    *ret = (struct names){0};
    if (host_list(&(struct host){.root = fake->host.root, .ops = &host_kernel}, &entries,
                  "sys/devices/%s", parent) < 0)
        return;
    for (size_t i = 0; i < entries.count; i++) {
        struct name uuid;

        if (name_parse_uuid(&uuid, entries.items[i].text) == 0)
            assert(names_add(ret, uuid.text) == 0);
    }
    names_clear(&entries);
}

static void
read_type(const struct fake_kernel *fake, const char *parent, const char *uuid, char *type,
          size_t size)
{
    if (host_read(&(struct host){.root = fake->host.root, .ops = &host_kernel}, type, size,
                  "sys/devices/%s/%s/.type", parent, uuid) < 0)
        *type = '\0';
}

/* Kept beside the tree, in memory that all processes share, because counting directories for every
 * read would make a large host slow for reasons that no real one has. Under the tree's lock. */
struct fake_usage {
    unsigned made[MOST_GPUS], units[MOST_GPUS];
    unsigned first[MOST_GPUS]; /* the type's index + 1 */
    unsigned here[MOST_PARENTS];
};

static void
count(const struct fake_kernel *fake, const struct fake_parent *parent,
      const struct fake_type *type, int by)
{
    const struct fake_gpu *gpu = &fake->machine->gpus[parent->gpu];
    struct fake_usage *usage = fake->usage;

    usage->made[parent->gpu] += (unsigned)by;
    usage->units[parent->gpu] += (unsigned)by * type->uses;
    usage->here[parent - fake->machine->parents] += (unsigned)by;
    if (usage->made[parent->gpu] == 0)
        usage->first[parent->gpu] = 0;
    else if (!usage->first[parent->gpu])
        usage->first[parent->gpu] = (unsigned)(type - gpu->types) + 1;
}

static unsigned
room_for(const struct fake_kernel *fake, const struct fake_parent *parent,
         const struct fake_type *type)
{
    const struct fake_gpu *gpu = &fake->machine->gpus[parent->gpu];
    const struct fake_usage *usage = fake->usage;
    unsigned first = usage->first[parent->gpu], made = usage->made[parent->gpu];
    bool other;

    if (gpu->rule == RULE_POOL)
        return (gpu->pool - usage->units[parent->gpu]) / type->uses;
    other =
        first && (gpu->rule == RULE_TYPE ? &gpu->types[first - 1] != type
                                         : gpu->types[first - 1].framebuffer != type->framebuffer);
    if (other || made >= type->max)
        return 0;
    if (gpu->vfs)
        return usage->here[parent - fake->machine->parents] == 0;
    return type->max - made;
}

static int
refusal_of(const struct fake_kernel *fake, const struct fake_parent *parent,
           const struct fake_type *type)
{
    const struct fake_gpu *gpu = &fake->machine->gpus[parent->gpu];

    if (fake->faults->refuse) {
        __atomic_sub_fetch(&fake->faults->refuse, 1, __ATOMIC_SEQ_CST);
        return -EIO;
    }
    if (room_for(fake, parent, type) > 0)
        return 0;
    return gpu->rule == RULE_POOL ? -ENOSPC : -EIO;
}

/* --- create and remove ------------------------------------------------------------------------ */

static bool
uuid_exists(const struct fake_kernel *fake, const char *uuid)
{
    struct host host = {.root = fake->host.root, .ops = &host_kernel};

    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        if (host_exists(&host, "sys/devices/%s/%s", fake->machine->parents[i].name, uuid))
            return true;
    }
    return false;
}

static int
begin_create(const struct fake_kernel *fake, const struct fake_parent *parent, const char *type_id,
             const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = lock_tree(fake);
    const struct fake_gpu *gpu = &fake->machine->gpus[parent->gpu];
    const struct fake_type *type = find_type(gpu, type_id);
    char target[256];
    int rc;

    if (!type)
        return -ENOENT;
    if (uuid_exists(fake, uuid))
        return -EEXIST;
    rc = refusal_of(fake, parent, type);
    if (rc < 0)
        return rc;
    count(fake, parent, type, 1);
    put_file(fake->host.root, type->id, "sys/devices/%s/%s/.type", parent->name, uuid);
    put_file(fake->host.root, "", "sys/devices/%s/%s/.open", parent->name, uuid);
    snprintf(target, sizeof(target), "../../../devices/%s/%s", parent->name, uuid);
    put_link(fake->host.root, target, "sys/bus/mdev/devices/%s", uuid);
    return 0;
}

/* The UUID's last digits, and the tree's: tests that run beside this one have groups of the same
 * devices open. */
static struct name
group_of(const struct fake_kernel *fake, const char *uuid)
{
    struct name group = {0};

    snprintf(group.text, sizeof(group.text), "%.12s-%.6s", uuid + 24,
             fake->path + strlen(fake->path) - 6);
    return group;
}

static void
end_create(const struct fake_kernel *fake, const char *parent, const char *type, const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = lock_tree(fake);
    const struct name group = group_of(fake, uuid);
    int root = fake->host.root;
    char target[256];

    snprintf(target, sizeof(target), "../../../kernel/iommu_groups/%s", group.text);
    put_link(root, target, "sys/devices/%s/%s/iommu_group", parent, uuid);
    put_file(root, "", "dev/vfio/%s", group.text);
    put_file(root, "", "sys/devices/%s/%s/remove", parent, uuid);
    if (!strncmp(type, "nvidia-", 7))
        put_file(root, "\n", "sys/devices/%s/%s/nvidia/vgpu_params", parent, uuid);
    snprintf(target, sizeof(target), "../mdev_supported_types/%s", type);
    put_link(root, target, "sys/devices/%s/%s/mdev_type", parent, uuid);
}

/* A driver makes one vGPU of a GPU after the other, and works on several GPUs at once. */
static void
pause_create(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    AUTO_CLOSE int fd = -1;
    struct path path;

    if (!fake->faults->create_delay)
        return;
    assert(path_format(&path, "busy-%zu", parent->gpu) == 0);
    fd = openat(fake->host.root, path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    pause_ms(fake->faults->create_delay);
}

static int
create(const struct fake_kernel *fake, const char *parent_name, const char *type, const char *text)
{
    const struct fake_parent *parent = find_parent(fake, parent_name);
    struct name uuid;
    int rc;

    if (strlen(text) != 36 || name_parse_uuid(&uuid, text) < 0)
        return -EINVAL;
    if (!parent)
        return -ENOENT;
    while (*(volatile bool *)&fake->faults->unseen)
        pause_ms(1);
    rc = begin_create(fake, parent, type, uuid.text);
    if (rc < 0)
        return rc;
    while (*(volatile bool *)&fake->faults->stuck)
        pause_ms(1);
    pause_create(fake, parent);
    end_create(fake, parent_name, type, uuid.text);
    return 0;
}

static void FORMAT(3, 4) drop(int root, int flags, const char *format, ...)
{
    struct path path;
    va_list args;

    va_start(args, format);
    vsnprintf(path.text, sizeof(path.text), format, args);
    va_end(args);
    unlinkat(root, path.text, flags);
}

/* The links go first; the directory only when nobody has the device open. */
static int
begin_remove(const struct fake_kernel *fake, const char *parent, const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = lock_tree(fake);
    struct host host = {.root = fake->host.root, .ops = &host_kernel};
    int root = fake->host.root;

    if (!host_exists(&host, "sys/devices/%s/%s", parent, uuid))
        return -ENODEV;
    if (!host_exists(&host, "sys/devices/%s/%s/mdev_type", parent, uuid))
        return -EAGAIN;
    drop(root, 0, "sys/devices/%s/%s/remove", parent, uuid);
    drop(root, 0, "sys/devices/%s/%s/mdev_type", parent, uuid);
    drop(root, 0, "sys/bus/mdev/devices/%s", uuid);
    return 0;
}

static void
end_remove(const struct fake_kernel *fake, const char *parent, const char *uuid)
{
    LOCKED AUTO_CLOSE int lock = lock_tree(fake);
    static const char *const files[] = {"iommu_group", ".type", ".open"};
    const struct fake_parent *place = find_parent(fake, parent);
    int root = fake->host.root;
    char type[64];

    read_type(fake, parent, uuid, type, sizeof(type));
    count(fake, place, find_type(&fake->machine->gpus[place->gpu], type), -1);
    for (size_t i = 0; i < COUNT(files); i++)
        drop(root, 0, "sys/devices/%s/%s/%s", parent, uuid, files[i]);
    drop(root, 0, "dev/vfio/%s", group_of(fake, uuid).text);
    drop(root, 0, "sys/devices/%s/%s/nvidia/vgpu_params", parent, uuid);
    drop(root, AT_REMOVEDIR, "sys/devices/%s/%s/nvidia", parent, uuid);
    drop(root, AT_REMOVEDIR, "sys/devices/%s/%s", parent, uuid);
}

static int
remove_device(const struct fake_kernel *fake, const char *parent, const char *uuid)
{
    struct path path;
    int rc = begin_remove(fake, parent, uuid);

    if (rc < 0)
        return rc;
    assert(path_format(&path, "sys/devices/%s/%s/.open", parent, uuid) == 0);
    for (;;) {
        AUTO_CLOSE int fd = openat(fake->host.root, path.text, O_RDWR | O_CLOEXEC);

        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
            break;
        pause_ms(1);
    }
    pause_ms(fake->faults->remove_delay);
    end_remove(fake, parent, uuid);
    return 0;
}

/* --- the operations of struct host ------------------------------------------------------------ */

static const struct fake_kernel *
fake_of(const struct host *host)
{
    return (const struct fake_kernel *)host;
}

/* "sys/class/mdev_bus/PARENT/REST": its parts. */
static bool
split_path(const char *path, char *parent, const char **rest)
{
    static const char stem[] = "sys/class/mdev_bus/";
    size_t length;

    if (strncmp(path, stem, sizeof(stem) - 1))
        return false;
    path += sizeof(stem) - 1;
    length = strcspn(path, "/");
    snprintf(parent, 64, "%.*s", (int)length, path);
    *rest = path[length] ? path + length + 1 : "";
    return true;
}

/* Processes are real ones, so /proc/PID is the real one's. */
static struct host
place_of(const struct host *host, const char *path)
{
    bool process =
        !strcmp(path, "proc") || (!strncmp(path, "proc/", 5) && isdigit((unsigned char)path[5]));

    return (struct host){.root = process ? fake_of(host)->real_root : host->root,
                         .ops = &host_kernel};
}

static ssize_t
fake_read(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct fake_kernel *fake = fake_of(host);
    const struct host place = place_of(host, path);
    char parent[64], type[64];
    const char *rest;
    int end = 0;
    unsigned count = __atomic_add_fetch(&fake->faults->opens, 1, __ATOMIC_SEQ_CST);

    if (split_path(path, parent, &rest) &&
        sscanf(rest, "mdev_supported_types/%63[^/]/available_instances%n", type, &end) == 1 &&
        end) {
        LOCKED AUTO_CLOSE int lock = lock_tree(fake);
        const struct fake_parent *known = find_parent(fake, parent);
        const struct fake_type *kind;

        if (host_kernel.exists(host, path) < 0 || !known)
            return -ENOENT;
        if (fake->faults->unreadable && count % fake->faults->unreadable == 0)
            return -EIO;
        kind = find_type(&fake->machine->gpus[known->gpu], type);
        return snprintf(buffer, size, "%u\n", room_for(fake, known, kind));
    }
    return host_kernel.read(&place, path, buffer, size);
}

/* The driver drops the last byte of what it is given, and shows the rest as a line. */
static int
configure(const struct fake_kernel *fake, const char *parent, const char *uuid, const char *text)
{
    struct path params;
    int rc = path_format(&params, "sys/devices/%s/%s/nvidia/vgpu_params", parent, uuid);
    char line[512];

    if (rc < 0 || fake->host.ops->exists(&fake->host, params.text) < 0)
        return -ENOENT;
    snprintf(line, sizeof(line), "%.*s\n", (int)strlen(text) - 1, text);
    put_file(fake->host.root, line, "%s", params.text);
    return 0;
}

static int
act(const struct fake_kernel *fake, const char *path, const char *text)
{
    char parent[64], word[64];
    const char *rest;
    int end = 0;

    if (!split_path(path, parent, &rest))
        return -ENOENT;
    if (sscanf(rest, "mdev_supported_types/%63[^/]/create%n", word, &end) == 1 && end)
        return create(fake, parent, word, text);
    if (sscanf(rest, "%63[^/]/remove%n", word, &end) == 1 && end)
        return remove_device(fake, parent, word);
    if (sscanf(rest, "%63[^/]/nvidia/vgpu_params%n", word, &end) == 1 && end)
        return configure(fake, parent, word, text);
    return -ENOENT;
}

static int
fake_write_attribute(const struct host *host, const char *path, const char *text)
{
    const struct fake_kernel *fake = fake_of(host);
    unsigned count = __atomic_add_fetch(&fake->faults->writes, 1, __ATOMIC_SEQ_CST);

    if (fake->faults->fail_at && count == fake->faults->fail_at)
        return -fake->faults->fail_with;
    return act(fake, path, text);
}

static int
fake_list(const struct host *host, const char *path, struct names *ret)
{
    const struct host place = place_of(host, path);

    __atomic_add_fetch(&fake_of(host)->faults->opens, 1, __ATOMIC_SEQ_CST);
    return host_kernel.list(&place, path, ret);
}

static int
fake_probe(const struct host *host, const char *path)
{
    AUTO_CLOSE int fd = openat(host->root, path, O_RDWR | O_CLOEXEC);

    __atomic_add_fetch(&fake_of(host)->faults->opens, 1, __ATOMIC_SEQ_CST);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return -EBUSY;
    return TAKE_FD(fd);
}

static ssize_t
fake_link(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct host place = place_of(host, path);

    return host_kernel.link(&place, path, buffer, size);
}

static int
fake_exists(const struct host *host, const char *path)
{
    const struct host place = place_of(host, path);

    return host_kernel.exists(&place, path);
}

static const struct host_ops fake_ops = {
    .read = fake_read,
    .write = fake_write_attribute,
    .list = fake_list,
    .link = fake_link,
    .exists = fake_exists,
    .probe = fake_probe,
};

/* --- for the tests ---------------------------------------------------------------------------- */

void
fake_start(struct fake_kernel *fake, const char *machine)
{
    const char *directory = getenv("TMPDIR");

    *fake = (struct fake_kernel){.host = {.ops = &fake_ops,
                                          .config = "etc/libvirt-vgpu",
                                          .hooks = "etc/libvirt/hooks",
                                          .hook = "usr/sbin/libvirt-vgpu-hook",
                                          .caller = -1}};
    snprintf(fake->path, sizeof(fake->path), "%s/vgpu-test-XXXXXX",
             directory                       ? directory
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    assert(mkdtemp(fake->path));
    fake->host.root = open(fake->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    fake->real_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert(fake->host.root >= 0 && fake->real_root >= 0);
    fake->faults = mmap(NULL, sizeof(*fake->faults), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fake->usage =
        mmap(NULL, sizeof(*fake->usage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(fake->faults != MAP_FAILED && fake->usage != MAP_FAILED);
    put_file(fake->host.root, NULL, "sys/class/mdev_bus/");
    put_file(fake->host.root, NULL, "sys/bus/mdev/devices/");
    put_file(fake->host.root, NULL, "dev/vfio/");
    put_file(fake->host.root, NULL, "run/");
    put_file(fake->host.root, "6a7f1e0c-0000-4000-8000-000000000001\n",
             "proc/sys/kernel/random/boot_id");
    fake->machine = parse_machine(machine);
    assert(fake->machine->gpu_count <= MOST_GPUS);
    for (size_t i = 0; i < fake->machine->gpu_count; i++)
        put_gpu(fake, i);
    assert(fake->machine->parent_count <= MOST_PARENTS);
}

static void
remove_tree(int root, const char *path)
{
    AUTO(names_clear) struct names entries = {0};
    struct host host = {.root = root, .ops = &host_kernel};

    if (host_list(&host, &entries, "%s", path) == 0) {
        for (size_t i = 0; i < entries.count; i++) {
            struct path below;

            if (path_format(&below, "%s/%s", path, entries.items[i].text) == 0 &&
                unlinkat(root, below.text, 0) < 0)
                remove_tree(root, below.text);
        }
    }
    unlinkat(root, path, AT_REMOVEDIR);
}

void
fake_stop(struct fake_kernel *fake)
{
    /* A writer that was left behind by a failed test must not wait for ever. */
    fake->faults->stuck = fake->faults->unseen = false;
    remove_tree(fake->host.root, ".");
    rmdir(fake->path);
    close(fake->host.root);
    close(fake->real_root);
    munmap(fake->faults, sizeof(*fake->faults));
    munmap(fake->usage, sizeof(*fake->usage));
    for (size_t i = 0; i < fake->machine->gpu_count; i++)
        free(fake->machine->gpus[i].types);
    free(fake->machine->gpus);
    free(fake->machine->parents);
    free(fake->machine);
}

int
fake_make(const struct fake_kernel *fake, const char *parent, const char *type, const char *uuid)
{
    return create(fake, parent, type, uuid);
}

static const char *
parent_of(const struct fake_kernel *fake, const char *uuid)
{
    struct host host = {.root = fake->host.root, .ops = &host_kernel};

    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        if (host_exists(&host, "sys/devices/%s/%s", fake->machine->parents[i].name, uuid))
            return fake->machine->parents[i].name;
    }
    return NULL;
}

int
fake_remove(const struct fake_kernel *fake, const char *uuid)
{
    const char *parent = parent_of(fake, uuid);

    return parent ? remove_device(fake, parent, uuid) : -ENOENT;
}

static int
open_locked(int root, const struct path *path)
{
    int fd = openat(root, path->text, O_RDWR | O_CLOEXEC);

    assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
    return fd;
}

struct fake_guest
fake_open(const struct fake_kernel *fake, const char *uuid)
{
    struct path device, group;

    assert(path_format(&device, "sys/devices/%s/%s/.open", parent_of(fake, uuid), uuid) == 0);
    assert(path_format(&group, "dev/vfio/%s", group_of(fake, uuid).text) == 0);
    return (struct fake_guest){open_locked(fake->host.root, &group),
                               open_locked(fake->host.root, &device)};
}

void
fake_close(struct fake_guest *guest)
{
    close(guest->device);
    close(guest->group);
}

const char *
fake_type_of(const struct fake_kernel *fake, const char *uuid)
{
    static char type[64];
    const char *parent = parent_of(fake, uuid);

    if (!parent)
        return "";
    read_type(fake, parent, uuid, type, sizeof(type));
    return type;
}

size_t
fake_count(const struct fake_kernel *fake)
{
    size_t count = 0;

    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        AUTO(names_clear) struct names devices = {0};

        list_devices(fake, fake->machine->parents[i].name, &devices);
        count += devices.count;
    }
    return count;
}

void
fake_settle(const struct fake_kernel *fake)
{
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        const struct fake_parent *parent = &fake->machine->parents[i];
        const struct fake_gpu *gpu = &fake->machine->gpus[parent->gpu];

        for (size_t t = 0; t < gpu->type_count; t++) {
            char text[16];

            snprintf(text, sizeof(text), "%u\n", room_for(fake, parent, &gpu->types[t]));
            put_file(fake->host.root, text,
                     "sys/devices/%s/mdev_supported_types/%s/available_instances", parent->name,
                     gpu->types[t].id);
        }
    }
}

void
fake_vanish(const struct fake_kernel *fake, const char *parent)
{
    drop(fake->host.root, 0, "sys/class/mdev_bus/%s", parent);
}

void
fake_write(const struct fake_kernel *fake, const char *path, const char *text)
{
    put_file(fake->host.root, text, "%s", path);
}
