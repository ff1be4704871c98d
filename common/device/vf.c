/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vf: NVIDIA's vendor-specific VFIO, the second row of vgpu_built_in. A vGPU is a virtual
 * function that has a type. The function's address names the vGPU, and its parent too.
 *
 * The rules are those of NVIDIA's host driver (user guide, "Creating an NVIDIA vGPU that uses
 * vendor-specific VFIO"; its module's sources of 2022). They are:
 *
 * - A type is written to current_vgpu_type of a function that has none. Only 0 is written to a
 *   function that has one.
 * - creatable_vgpu_types has the types that would be taken now. So it is empty on a function that
 *   has a type, and says nothing of that type.
 * - Writing 0 to a function that a guest has open is refused, and changes nothing.
 *
 * The errors differ between versions of the driver. So the result of a write is judged by reading
 * it back.
 */

#include "base/array.h"
#include "base/reader.h"
#include "device/gpu.h"
#include "device/nvidia-number.h"
#include "device/nvidia.h"
#include "device/pci.h"
#include "device/vendor.h"
#include "device/vgpu.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define CURRENT "nvidia/current_vgpu_type"

/* --- the list ----------------------------------------------------------------------------------
 */

static char *
strip(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text + strspn(text, " \t\r");
}

/* Reads a word that is the number of a type. */
static bool
read_number(const char *word, size_t length, unsigned *ret)
{
    if (length == 0 || length > 9 || strspn(word, "0123456789") < length)
        return false;
    *ret = (unsigned)strtoul(word, NULL, 10);
    return *ret > 0;
}

/* Reads one line, which has one of two forms: "1145  : NVIDIA L40S-1B" or "NVIDIA A40-1Q 557". */
static bool
read_line(const struct host *host, char *line, struct inventory_type *ret)
{
    size_t first;
    char *name, *last;
    unsigned number;

    line = strip(line);
    first = strcspn(line, " \t:");
    name = line + first + strspn(line + first, " \t");
    if (*name == ':' && read_number(line, first, &number)) {
        name++;
        name += strspn(name, " \t");
    } else {
        last = strrchr(line, ' ');
        if (!last || !read_number(last + 1, strlen(last + 1), &number))
            return false;
        *last = '\0';
        name = strip(line);
    }
    if (!*name || strlen(name) >= sizeof(ret->name))
        return false;
    *ret = (struct inventory_type){0};
    nvidia_number_id(number, &ret->id);
    snprintf(ret->name, sizeof(ret->name), "%s", name);
    vendor_describe(vendor_rows(host), ret);
    return true;
}

/* Adds the types that a function would take now. Lines that are no type, such as the heading, are
 * ignored. */
static int
add_creatable(const struct host *host, struct inventory_parent *function)
{
    char text[READER_LONGEST], *rest = text, *line;
    ssize_t length =
        reader_read(host, &function->gpu->name, text, sizeof(text),
                    PCI_DEVICES "/%s/nvidia/creatable_vgpu_types", function->name.text);

    if (length < 0)
        return (int)length;
    while ((line = strsep(&rest, "\n"))) {
        struct inventory_type type;
        size_t index;

        if (!read_line(host, line, &type))
            continue;
        /* A new type moves the array. */
        index = inventory_type_index(inventory_add_type(function->gpu, &type));
        function->available[index] = 1;
    }
    return 0;
}

/* --- the inventory -----------------------------------------------------------------------------
 */

/* Reads the number of the type that a function of a GPU has (0: none): 0 or -errno. */
static int
read_current(const struct host *host, const struct name *gpu, const struct name *device,
             unsigned *ret)
{
    uint64_t number;
    int rc = reader_read_number(host, gpu, &number, PCI_DEVICES "/%s/" CURRENT, device->text);

    if (rc == 0 && number > UINT32_MAX)
        rc = -EBADMSG;
    *ret = rc < 0 ? 0 : (unsigned)number;
    return rc;
}

/* Adds the vGPU of a function that has a type. The lists of other functions have the name of the
 * type, if these have room for it. */
static void
add_vgpu(struct inventory *inventory, const struct inventory_parent *function, unsigned number)
{
    struct inventory_vgpu vgpu = {.device = function->name, .parent = function};
    struct inventory_type type = {0};

    nvidia_number_id(number, &vgpu.type);
    type.id = vgpu.type;
    snprintf(type.name, sizeof(type.name), "%s", type.id.text);
    inventory_add_type(function->gpu, &type);
    inventory_add_vgpu(inventory, &vgpu);
}

/* Records for each type why a function's list could not be read. */
static void
fail_all(struct inventory_parent *function, int why)
{
    for (size_t i = 0; i < function->gpu->type_count; i++)
        function->available[i] = why;
}

static void
add_function(const struct host *host, const struct name *name, const struct name *gpu,
             struct inventory *inventory)
{
    const struct inventory_parent form = {
        .name = *name, .gpu = gpu_add_pci(host, gpu, inventory), .interface = &vgpu_vf};
    struct inventory_parent *function = inventory_add_parent(inventory, &form);
    unsigned number;
    int rc;

    /* Other functions may list types that this one does not. */
    function->gpu->is_partial = true;
    function->gpu->one_size = true;
    rc = read_current(host, gpu, name, &number);
    if (rc == 0 && number)
        add_vgpu(inventory, function, number);
    else if (rc == 0)
        rc = add_creatable(host, function);
    if (rc < 0)
        fail_all(function, rc);
}

static int
vf_scan_device(const struct host *host, const struct policy *policy, const struct name *device,
               struct inventory *inventory)
{
    struct name gpu;
    int rc = host_find(host, PCI_DEVICES "/%s/" CURRENT, device->text);

    (void)policy; /* it says nothing of these functions */
    if (rc <= 0)
        return rc;
    rc = pci_find_card(host, device, &gpu);
    if (rc == 0)
        add_function(host, device, &gpu, inventory);
    return rc == -ENOENT ? 0 : rc;
}

/* --- one vGPU ----------------------------------------------------------------------------------
 */

static int
vf_find(const struct host *host, const struct name *device, struct vgpu *ret, struct name *gpu)
{
    unsigned number;
    int rc = pci_find_card(host, device, gpu);

    *ret = (struct vgpu){.interface = &vgpu_vf, .device = *device, .parent = *device};
    if (rc == 0)
        rc = read_current(host, gpu, device, &number);
    if (rc == 0 && number == 0)
        rc = -ENOENT;
    if (rc == 0)
        nvidia_number_id(number, &ret->type);
    return rc;
}

/* A function that has another type now is another vGPU, made by somebody else. */
static enum vgpu_state
vf_state(const struct host *host, const struct vgpu *vgpu, struct name *type)
{
    unsigned number = 0;
    struct name gpu;
    int rc = pci_find_card(host, &vgpu->device, &gpu);

    if (rc == 0)
        rc = read_current(host, &gpu, &vgpu->device, &number);
    if (rc == -ENOENT || rc == -ENODEV || (rc == 0 && number == 0))
        return VGPU_ABSENT;
    if (rc < 0)
        return VGPU_UNKNOWN;
    nvidia_number_id(number, type);
    return *vgpu->type.text && !name_equal(type, &vgpu->type) ? VGPU_ABSENT : VGPU_PRESENT;
}

static int
write_type(const struct host *host, const struct vgpu *vgpu, unsigned number)
{
    char text[16];
    struct path path;
    int rc = path_format(&path, PCI_DEVICES "/%s/" CURRENT, vgpu->device.text);

    snprintf(text, sizeof(text), "%u", number);
    return rc < 0 ? rc : host->ops->write(host, path.text, text);
}

/* A function that has a type, even this one, is not written to: it belongs to whoever set the
 * type. */
static int
vf_make(const struct host *host, const struct vgpu *vgpu)
{
    unsigned wanted = nvidia_number(&vgpu->type), number = 0;
    struct name type, gpu;
    int rc = pci_find_card(host, &vgpu->device, &gpu);

    if (rc == 0)
        rc = read_current(host, &gpu, &vgpu->device, &number);
    if (rc < 0)
        return rc;
    if (wanted == 0 || number)
        return wanted ? -EBUSY : -EINVAL;
    rc = write_type(host, vgpu, wanted);
    /* EPERM and EBUSY mean that somebody else was faster. After other errors the write may have
     * worked. */
    if (rc < 0 && rc != -EPERM && rc != -EBUSY && vf_state(host, vgpu, &type) == VGPU_PRESENT)
        return 0;
    return rc;
}

/* 0 is not written to a function without a type, nor to one that is another vGPU now. EPERM: a
 * guest has it open; EBUSY: a guest has just closed it, and the driver is not done. */
static int
vf_remove(const struct host *host, const struct vgpu *vgpu)
{
    struct name type;
    int rc;

    if (vf_state(host, vgpu, &type) != VGPU_PRESENT)
        return -ENODEV;
    rc = write_type(host, vgpu, 0);
    if (rc < 0 && vf_state(host, vgpu, &type) == VGPU_ABSENT)
        return 0;
    return rc == -EPERM ? -EBUSY : rc;
}

const struct vgpu_interface vgpu_vf = {
    .kind = "vf",
    .hostdev = REQUEST_PCI,
    .scan_device = vf_scan_device,
    .find = vf_find,
    .state = vf_state,
    .make = vf_make,
    .configure = nvidia_configure,
    .directory = vgpu_pci_directory,
    .remove = vf_remove,
};
