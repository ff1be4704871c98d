/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/card-facts.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/words.h"
#include "device/nvidia-table.h"
#include "device/partition.h"
#include "device/type-cache.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct facts {
    const struct answers *from;
    struct words names;     /* that the kernel lists: types, and what makes vGPUs */
    struct words devices;   /* numbers of devices that /sys tells, as "240:12" */
    struct words processes; /* that have such a device open, or that could not be looked at */
};

/* --- paths ------------------------------------------------------------------------------------ */

static const char *const roots[] = {"dev/vfio", "proc", "sys"};

/* clang-format off */
/* Directories and files below the roots. */
static const char *const parts[] = {
    PARTITION_FILE, "available_instances", "bus", "capabilities", "class", "cpulist",
    "creatable_vgpu_types", "current_vgpu_type", "description", "dev", "device", "device_api",
    "devices", "driver", "drivers", "drm", "emulated", "exec_quantum_ms", "fd", "fdinfo", "gim",
    "gpu_instance_id", "gpus", "i915", "information", "iommu", "iommu_group", "kernel", "mdev",
    "mdev_bus", "mdev_supported_types", "mdev_type", "mig", "module", "name", "node", "numa_node",
    "nvidia", "osrelease", "params", "pci", "physfn", "placement_id", "preempt_timeout_us", "proc",
    "profile", "reset", "sriov_admin", "sriov_drivers_autoprobe", "sriov_numvfs", "sriov_totalvfs",
    "subsystem_device", "subsystem_vendor", "sys", "system", "task", "unbindLock", "vendor",
    "version", "vfio", "vfio-dev", "vgpu-cards-xe-vfio", "vgpu_cards", "vram_quota", "xe",
    "xe-vfio-pci", NULL};
/* clang-format on */

/* These have a number at their end. */
static const char *const stems[] = {"", "gi", "gpu", "node", "vf", "vfio", "virtfn"};

/* The names in these directories are those that the kernel lists there, or links to. */
static const char *const listed[] = {"sys/bus/pci/devices/*/drm", "sys/class/iommu",
                                     "sys/class/mdev_bus",
                                     "sys/class/mdev_bus/*/mdev_supported_types", "sys/class/vfio"};

/* Whether a path is one of these, or below one. */
static bool
is_below_any(const char *path, const char *const *directories, size_t count)
{
    return ARRAY_HAS(directories, count, each,
                     !strncmp(path, *each, strlen(*each)) &&
                         (path[strlen(*each)] == '/' || !path[strlen(*each)]));
}

static bool
is_numbered(const char *part, const char *stem)
{
    size_t length = strlen(stem), digits;

    if (strncmp(part, stem, length) != 0)
        return false;
    digits = strspn(part + length, DIGITS);
    return digits > 0 && digits <= 10 && !part[length + digits];
}

static bool
is_id(const char *part)
{
    struct name name;

    return (name_parse_pci(&name, part) == 0 || name_parse_uuid(&name, part) == 0) &&
           !strcmp(name.text, part);
}

static bool
is_listed(const char *directory)
{
    return ARRAY_HAS(listed, COUNT(listed), each, !fnmatch(*each, directory, FNM_PATHNAME));
}

static bool
is_part(const struct facts *facts, const char *directory, const char *part)
{
    if (!strcmp(directory, "proc") && is_numbered(part, ""))
        return words_has(&facts->processes, part);
    if (words_index(parts, part) >= 0 || is_id(part) ||
        ARRAY_HAS(stems, COUNT(stems), stem, is_numbered(part, *stem)))
        return true;
    return is_listed(directory) && words_has(&facts->names, part);
}

static bool
is_path(const struct facts *facts, const char *path)
{
    AUTO_FREE char *directory = memory_zeroed(strlen(path) + 1, 1), *copy = memory_copy(path);
    char *rest = copy, *part;

    if (!is_below_any(path, roots, COUNT(roots)))
        return false;
    while ((part = strsep(&rest, "/"))) {
        if (!is_part(facts, directory, part))
            return false;
        sprintf(directory + strlen(directory), "%s%s", *directory ? "/" : "", part);
    }
    return true;
}

static void
learn_name(struct facts *facts, const char *name)
{
    struct name ignored;

    if (name_parse(&ignored, name) == 0 && !is_id(name) && !words_has(&facts->names, name))
        words_add(&facts->names, name);
}

static void
learn_names(struct facts *facts, const struct answer *answer)
{
    AUTO_FREE char *names = memory_copy(answer->text);
    char *rest = names, *name;
    const char *slash = strrchr(names, '/');

    if (answer->kind == ANSWER_LINK && !fnmatch("sys/*/iommu_group", answer->path, 0))
        learn_name(facts, slash ? slash + 1 : names);
    if (answer->kind != ANSWER_LIST || !is_listed(answer->path))
        return;
    while ((name = strsep(&rest, "/")))
        learn_name(facts, name);
}

/* --- processes -------------------------------------------------------------------------------- */

/* Whether a descriptor is that of a device in /sys, or could not be looked at. */
static bool
is_node(const struct facts *facts, const struct answer *device)
{
    if (!device)
        return false;
    return device->error ? device->error != ENOENT : words_has(&facts->devices, device->text);
}

/* A descriptor of a process, "proc/12/fd/3", by the path of its link or of its flags. */
static bool
is_open(const struct facts *facts, const char *path)
{
    const char *end = strstr(path, "info/");
    AUTO_FREE char *fd =
        end ? memory_format("%.*s/%s", (int)(end - path), path, end + strlen("info/"))
            : memory_copy(path);

    return is_node(facts, answers_find(facts->from, ANSWER_DEVICE, fd));
}

static void
learn_device(struct facts *facts, const struct answer *answer)
{
    AUTO_FREE char *number = NULL;

    if (answer->kind != ANSWER_READ || answer->error ||
        fnmatch("sys/*/dev", answer->path, 0) != 0 || !is_path(facts, answer->path))
        return;
    number = memory_copy_bytes(answer->text, strspn(answer->text, ":" DIGITS));
    words_add(&facts->devices, number);
}

/* A list or a descriptor that could not be read hides what the process has open. */
static void
learn_process(struct facts *facts, const struct answer *answer)
{
    bool hides = answer->kind == ANSWER_LIST && answer->error && answer->error != ENOENT;
    bool has = answer->kind == ANSWER_DEVICE && is_node(facts, answer);
    AUTO_FREE char *number = NULL;

    if ((!hides && !has) || strncmp(answer->path, "proc/", 5) != 0)
        return;
    number = memory_copy_bytes(answer->path + 5, strcspn(answer->path + 5, "/"));
    if (is_numbered(number, "") && !words_has(&facts->processes, number))
        words_add(&facts->processes, number);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* What a file may have. A row has the characters of a whole text; or the characters of what stands
 * behind its keys, and the rest is left out. The first matching row counts. */
static const struct {
    const char *path, *characters, *keys[5];
} texts[] = {
    {"proc/driver/nvidia/*/information", " \t" DIGITS, {"Device Minor:"}},
    {"proc/*/fdinfo/*", " \t" DIGITS, {"flags:"}},
    {"*/osrelease", "." DIGITS, {""}},
    {"*/version", "." DIGITS, {""}},
    {"*/description",
     "xM" DIGITS,
     {"num_heads=", "frl_config=", "framebuffer=", "max_resolution=", "max_instance="}},
    {"*/name", " -_.+/()\n" LETTERS DIGITS, {NULL}},
    {"*/device_api", "-_\n" LETTERS DIGITS, {NULL}},
    {"*/creatable_vgpu_types", " -_.+/():\t\n" LETTERS DIGITS, {NULL}},
    {"*", "x,:-abcdefABCDEF\n" DIGITS, {NULL}},
};

/* Of a card's partitions the line of the mode is left. */
static char *
take_partition(const char *text)
{
    struct partition mode;

    return partition_parse(text, &mode) ? memory_format("\n0 %s %u\n", mode.mode, mode.count)
                                        : NULL;
}

/* Returns what is left of a file, which the caller frees. NULL: the file has not its form. */
static char *
take_text(const struct answer *answer)
{
    size_t row = 0, length;
    char *ret = NULL;
    FILE *out;

    if (!fnmatch("*/" PARTITION_FILE, answer->path, 0))
        return take_partition(answer->text);
    while (fnmatch(texts[row].path, answer->path, 0) != 0)
        row++;
    if (!texts[row].keys[0])
        return strspn(answer->text, texts[row].characters) == answer->length
                   ? memory_copy(answer->text)
                   : NULL;
    out = memory_stream(&ret, &length);
    for (size_t i = 0; i < COUNT(texts[row].keys) && texts[row].keys[i]; i++) {
        const char *key = texts[row].keys[i], *at = strstr(answer->text, key);
        const char *value = at ? at + strlen(key) : "";
        int size = (int)strspn(value, texts[row].characters);

        if (size)
            fprintf(out, "%s%s%.*s\n", *key ? "\n" : "", key, size, value);
    }
    memory_stream_end(out, &ret);
    return ret;
}

static char *
take_list(const struct facts *facts, const struct answer *list)
{
    const bool is_of_files = !fnmatch("proc/*/fd", list->path, 0);
    AUTO_FREE char *names = memory_copy(list->text);
    char *rest = names, *name, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    while ((name = strsep(&rest, "/"))) {
        AUTO_FREE char *path = memory_format("%s/%s", list->path, name);

        if (is_part(facts, list->path, name) && (!is_of_files || is_open(facts, path)))
            fprintf(out, "%s%s", ftell(out) ? "/" : "", name);
    }
    memory_stream_end(out, &ret);
    return ret;
}

/* The last name of a link tells a driver, a type or a device. Of a mediated device the name before
 * tells its parent. */
static char *
take_link(const struct facts *facts, const struct answer *link)
{
    static const char *const kernels[] = {"*/driver", "*/iommu_group", "*/mdev_type"};
    const char *slash = strrchr(link->text, '/'), *before = slash;
    const char *name = slash ? slash + 1 : link->text;
    AUTO_FREE char *parent = NULL;
    struct name ignored;

    if (ARRAY_HAS(kernels, COUNT(kernels), each, !fnmatch(*each, link->path, 0)))
        return name_parse(&ignored, name) == 0 ? memory_copy(name) : NULL;
    if (!is_part(facts, "", name) || fnmatch("sys/bus/mdev/devices/*", link->path, 0) != 0)
        return is_part(facts, "", name) ? memory_copy(name) : NULL;
    while (before && before > link->text && before[-1] != '/')
        before--;
    parent = memory_copy_bytes(before ? before : "", before ? (size_t)(slash - before) : 0);
    return is_part(facts, "sys/class/mdev_bus", parent) ? memory_format("%s/%s", parent, name)
                                                        : NULL;
}

/* Times and sizes are no facts of a card. */
static char *
take_status(const struct answer *answer)
{
    struct stat status;

    if (!answer_status_parse(answer->text, &status))
        return NULL;
    status = (struct stat){.st_mode = status.st_mode, .st_uid = status.st_uid};
    return memory_copy(answer_status_of(&status).text);
}

/* Returns what is left of an answer, which the caller frees. NULL: the answer is left out. */
static char *
take(const struct facts *facts, const struct answer *answer)
{
    switch (answer->kind) {
    case ANSWER_READ:
        return take_text(answer);
    case ANSWER_LIST:
        return take_list(facts, answer);
    case ANSWER_LINK:
        return take_link(facts, answer);
    case ANSWER_STATUS:
        return take_status(answer);
    case ANSWER_DEVICE:
        return memory_copy(answer->text);
    default:
        return NULL;
    }
}

/* --- the capture ------------------------------------------------------------------------------ */

/* The clock says how long ago the host booted: a driver may be late then. */
static bool
is_clock(const struct answer *answer)
{
    return answer->kind == ANSWER_HOST && !strcmp(answer->path, "now") &&
           strspn(answer->text, DIGITS) == answer->length;
}

static bool
is_fact(const struct facts *facts, const struct answer *answer)
{
    if (answer->kind == ANSWER_DEVICE || !fnmatch("proc/*/fd/*", answer->path, 0) ||
        !fnmatch("proc/*/fdinfo/*", answer->path, 0))
        return is_path(facts, answer->path) && is_open(facts, answer->path);
    return is_path(facts, answer->path);
}

bool
card_facts_concern(const char *path, const char *config)
{
    const char *const others[] = {NVIDIA_TABLE_PATH, TYPE_CACHE_PATH, config};

    return is_below_any(path, roots, COUNT(roots)) || is_below_any(path, others, COUNT(others));
}

void
card_facts_add_file(struct answers *answers, const char *path, const char *text)
{
    const struct answer_status status = answer_status_of(&(struct stat){.st_mode = S_IFREG | 0644});
    AUTO_FREE char *file = memory_format("%s\n%s", status.text, text);

    answers_add(answers, ANSWER_STATUS, path, status.text, (ssize_t)strlen(status.text));
    answers_add(answers, ANSWER_OPEN, path, file, (ssize_t)strlen(file));
}

void
card_facts_take(struct answers *from, struct answers *ret)
{
    static const char *const absent[] = {"run/libvirt-vgpu", "var/lib/libvirt-vgpu"};
    struct facts facts = {.from = from};

    answers_sort(from);
    for (size_t i = 0; i < from->count; i++)
        learn_names(&facts, from->items[i]);
    for (size_t i = 0; i < from->count; i++)
        learn_device(&facts, from->items[i]);
    for (size_t i = 0; i < from->count; i++)
        learn_process(&facts, from->items[i]);
    for (size_t i = 0; i < from->count; i++) {
        const struct answer *answer = from->items[i];
        AUTO_FREE char *text = NULL;

        if (is_clock(answer))
            answers_add(ret, answer->kind, answer->path, answer->text, (ssize_t)answer->length);
        if (!is_fact(&facts, answer))
            continue;
        if (!answer->error)
            text = take(&facts, answer);
        if (text || answer->error)
            answers_add(ret, answer->kind, answer->path, text ? text : "",
                        text ? (ssize_t)strlen(text) : -answer->error);
    }
    for (size_t i = 0; i < COUNT(absent); i++)
        answers_add(ret, ANSWER_STATUS, absent[i], "", -ENOENT);
    /* Who names a process by its number then asks for no more. */
    for (size_t i = 0; i < facts.processes.count; i++) {
        AUTO_FREE char *path = memory_format("proc/%s/comm", facts.processes.items[i]);

        answers_add(ret, ANSWER_READ, path, "", -ENOENT);
    }
    words_clear(&facts.names);
    words_clear(&facts.devices);
    words_clear(&facts.processes);
}
