/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * NVIDIA's vendor-specific VFIO: the attributes that a virtual function shows.
 *
 * The settings are in shared memory. The files have the same settings, for programs that read the
 * tree themselves. Only the list of creatable types needs a call of fake_settle.
 */

#include "fake/fake-parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct fake_function *
fake_function_of(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return &fake->usage->functions[parent - fake->machine->parents];
}

/* --- creatable types -------------------------------------------------------------------------- */

/* Forms of a line, by fake_list: NVIDIA's, one without a header, and the form of NVIDIA's guide. */
static void
print_type(FILE *out, enum fake_list list, const struct fake_type *type)
{
    if (list == LIST_NAME_FIRST)
        fprintf(out, "%s %ld\n", type->name, type->number);
    else
        fprintf(out, list == LIST_PLAIN ? "%ld : %s\n" : "%-5ld : %s\n", type->number, type->name);
}

/* None of these lines names a type, although many look almost like one. */
static void
print_garbage(FILE *out, const struct fake_type *type)
{
    fprintf(out, "\n \t \nID\n%ld\n%s\n : %s\n: : :\n", type->number, type->name, type->name);
    fprintf(out, "NVRM: GPU is busy, try again\n");
    fprintf(out, "x%ld : %s\n", type->number, type->name);
    fprintf(out, "%ld.5 : %s\n", type->number, type->name);
    fprintf(out, "-%ld : %s\n", type->number, type->name);
    fprintf(out, "0 : %s\n99999999999999999999 : %s\n", type->name, type->name);
    fprintf(out, "%ld :\n%ld : %064d\n", type->number + 1, type->number + 2, 0);
}

/* A function that has a type can make no other. It shows an empty list. */
static void
print_list(FILE *out, const struct fake_kernel *fake, const struct fake_parent *parent)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);

    if (fake_function_of(fake, parent)->type)
        return;
    if (gpu->list == LIST_HEADER ||
        (gpu->list == LIST_PROPOSAL && fake->usage->made[parent->gpu] == 0))
        fprintf(out, "ID    : vGPU Name\n");
    if (gpu->list == LIST_GARBAGE)
        print_garbage(out, &gpu->types[0]);
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (fake_told(fake, parent, &gpu->types[i]))
            print_type(out, gpu->list, &gpu->types[i]);
    }
    if (gpu->list == LIST_GARBAGE)
        print_garbage(out, &gpu->types[0]);
}

/* Returns at most a page, as the kernel does. */
static ssize_t
read_creatable(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
               size_t size)
{
    AUTO_FREE char *text = NULL;
    size_t length;
    FILE *out;

    if (fake->faults->unreadable && fake->faults->opens % fake->faults->unreadable == 0)
        return -EIO;
    out = open_memstream(&text, &length);
    print_list(out, fake, parent);
    fclose(out);
    assert(length < 4096);
    length = length > size ? size : length;
    memcpy(buffer, text, length);
    return (ssize_t)length;
}

/* --- the other attributes --------------------------------------------------------------------- */

static ssize_t
read_current(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
             size_t size)
{
    const struct fake_type *type = fake_function_of(fake, parent)->type;

    return snprintf(buffer, size, "%ld\n", type ? type->number : 0);
}

static ssize_t
read_placement(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
               size_t size)
{
    const struct fake_function *function = fake_function_of(fake, parent);

    return function->type ? snprintf(buffer, size, "%u\n", function->placement) : -ENXIO;
}

static ssize_t
read_instance(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
              size_t size)
{
    const struct fake_function *function = fake_function_of(fake, parent);

    return function->type ? snprintf(buffer, size, "%u\n", function->instance) : -ENXIO;
}

/* An attribute without `read` is read from its file. An attribute without `write` cannot be
 * written. */
static const struct attribute {
    const char *name;
    ssize_t (*read)(const struct fake_kernel *fake, const struct fake_parent *parent, char *buffer,
                    size_t size);
    int (*write)(const struct fake_kernel *fake, const struct fake_parent *parent,
                 const char *text);
} attributes[] = {
    {"creatable_vgpu_types", read_creatable, NULL}, {"current_vgpu_type", read_current, fake_turn},
    {"gpu_instance_id", read_instance, NULL},       {"placement_id", read_placement, NULL},
    {"vgpu_params", NULL, fake_configure},
};

/* Finds the function and the attribute of a path, whatever links the path goes through. */
static const struct attribute *
find_attribute(const struct fake_kernel *fake, const char *path, const struct fake_parent **parent)
{
    const char *name = strstr(path, "/nvidia/");
    struct path directory, self, target;
    AUTO_CLOSE int fd = -1;
    ssize_t length;

    if (!name || path_format(&directory, "%.*s", (int)(name - path), path) < 0)
        return NULL;
    fd = openat(fake->host.root, directory.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert(path_format(&self, "/proc/self/fd/%d", fd) == 0);
    length = readlink(self.text, target.text, sizeof(target.text) - 1);
    if (fd < 0 || length < 0)
        return NULL;
    target.text[length] = '\0';
    *parent = fake_find_parent(fake, strrchr(target.text, '/') + 1);
    if (!*parent || faccessat(fake->host.root, path, F_OK, 0) < 0)
        return NULL;
    for (size_t i = 0; i < COUNT(attributes); i++) {
        if (!strcmp(attributes[i].name, name + strlen("/nvidia/")))
            return &attributes[i];
    }
    return NULL;
}

static bool
read_attribute(const struct fake_kernel *fake, const char *path, char *buffer, size_t size,
               ssize_t *ret)
{
    const struct fake_parent *parent;
    const struct attribute *attribute = find_attribute(fake, path, &parent);
    LOCKED AUTO_CLOSE int lock = -1;

    if (!attribute || !attribute->read)
        return false;
    lock = fake_lock(fake);
    *ret = attribute->read(fake, parent, buffer, size);
    return true;
}

static bool
write_attribute(const struct fake_kernel *fake, const char *path, const char *text, int *ret)
{
    const struct fake_parent *parent;
    const struct attribute *attribute = find_attribute(fake, path, &parent);

    if (!attribute)
        return false;
    *ret = attribute->write ? attribute->write(fake, parent, text) : -EACCES;
    return true;
}

/* --- the tree --------------------------------------------------------------------------------- */

void
fake_put_current(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    char text[32];

    read_current(fake, parent, text, sizeof(text));
    fake_put(fake->host.root, text, "sys/devices/%s/nvidia/current_vgpu_type", parent->name);
    if (!fake_function_of(fake, parent)->type)
        fake_put(fake->host.root, "\n", "sys/devices/%s/nvidia/vgpu_params", parent->name);
}

void
fake_put_attributes(const struct fake_kernel *fake, const struct fake_parent *parent, bool there)
{
    for (size_t i = 0; i < COUNT(attributes); i++) {
        if (there)
            fake_put(fake->host.root, "", "sys/devices/%s/nvidia/%s", parent->name,
                     attributes[i].name);
        else
            fake_drop(fake->host.root, 0, "sys/devices/%s/nvidia/%s", parent->name,
                      attributes[i].name);
    }
    if (there)
        fake_put_current(fake, parent);
    else
        fake_drop(fake->host.root, AT_REMOVEDIR, "sys/devices/%s/nvidia", parent->name);
}

static void
put_parent(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    fake_put_attributes(fake, parent, true);
    fake_put_vfio(fake, parent->name, (size_t)(parent - fake->machine->parents));
}

static void
settle(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    char text[4096] = "";
    ssize_t length = read_creatable(fake, parent, text, sizeof(text));

    assert(length >= 0);
    fake_put(fake->host.root, text, "sys/devices/%s/nvidia/creatable_vgpu_types", parent->name);
}

const struct fake_family fake_vf = {
    .put_parent = put_parent,
    .read = read_attribute,
    .write = write_attribute,
    .make = fake_vf_make,
    .remove = fake_vf_remove,
    .open = fake_vf_open,
    .type_of = fake_vf_type,
    .count = fake_vf_count,
    .settle = settle,
    .vanish = fake_vf_vanish,
};
