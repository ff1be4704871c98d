/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/planted.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16 heads 4\n"

#define LINES "vgpuctl doctor --raw -n -o WORD,SEVERITY,TEXT"

struct scene scene;
struct typed typed;

void
put(const char *path, const char *text)
{
    fake_write(&scene.kernel, path, text);
}

void
mode(const char *path, mode_t bits)
{
    assert_int_equal(fchmodat(scene.kernel.host.root, path, bits, 0), 0);
}

void
drop(const char *path)
{
    assert_int_equal(unlinkat(scene.kernel.host.root, path, 0), 0);
}

void
link_to(const char *target, const char *path)
{
    unlinkat(scene.kernel.host.root, path, 0);
    assert_int_equal(symlinkat(target, scene.kernel.host.root, path), 0);
}

void
program(const char *path)
{
    put(path, "#!/bin/sh\n");
    mode(path, 0755);
}

void
start(const char *machine)
{
    scene_start(&scene, machine);
    program(PROGRAM);
    put(HOOKS "/qemu.d/README", "not executable\n");
    link_to("/" PROGRAM, LINK);
    put("dev/vfio/vfio", "");
    put("sys/class/iommu/dmar0", "");
}

int
setup(void **state)
{
    start(MACHINE);
    put(CONF, "gpus = ({ address = \"0000:18:00.0\"; });\n");
    put("etc/libvirt-vgpu/conf.d/10-more.conf", "placement = \"spread\";\n");
    put("sys/devices/0000:18:00.0/vendor", "0x10de\n");
    return 0;
}

int
teardown(void **state)
{
    typed_clear(&typed);
    return scene_stop(&scene), 0;
}

void
functions_off(void)
{
    put(PCI "/vendor", "0x10de\n");
    put(PCI "/class", "0x030200\n");
    put(PCI "/sriov_totalvfs", "16\n");
    put(PCI "/sriov_numvfs", "0\n");
    link_to("../../../../bus/pci/drivers/nvidia", PCI "/driver");
}

const char *
libvirt(const char *const *devices)
{
    char text[8192] = "";
    size_t length = 0;

    for (unsigned i = 1; *devices; i++, devices++)
        length += (size_t)snprintf(text + length, sizeof(text) - length,
                                   "<domain type='test'><name>guest%u</name>"
                                   "<uuid>aaaaaaaa-0000-4000-8000-%012u</uuid>"
                                   "<memory>1024</memory><os><type>hvm</type></os>"
                                   "<devices>%s</devices></domain>\n",
                                   i, i, *devices);
    return typed_libvirt(&scene, text);
}

void
assert_healthy(const char *uri)
{
    typed_run(&scene, uri, "vgpuctl doctor", &typed);
    assert_string_equal(typed.printed, "no fault found\n");
    assert_string_equal(typed.faults, "");
    assert_int_equal(typed.status, 0);
}

void
assert_fault(const char *uri, const char *check, const char *words)
{
    char begin[64];

    if (typed_run(&scene, uri, LINES, &typed) != 1)
        fail_msg("no %s: %s%s", check, typed.printed, typed.faults);
    snprintf(begin, sizeof(begin), "%s ", check);
    if (strncmp(typed.printed, begin, strlen(begin)))
        fail_msg("no %s, but: %s", check, typed.printed);
    for (char *c = typed.printed; (c = strstr(c, "\\x20"));) {
        *c = ' ';
        memmove(c + 1, c + 4, strlen(c + 4) + 1);
    }
    typed_assert_has(typed.printed, words);
    assert_string_equal(typed.faults, "vgpuctl: doctor: 1 fault found\n");
}

void
assert_note(const char *uri, const char *check, const char *words)
{
    assert_int_equal(typed_run(&scene, uri, "vgpuctl doctor", &typed), 0);
    typed_assert_has(typed.printed, "no fault found\n");
    typed_assert_has(typed.printed, check);
    typed_assert_has(typed.printed, words);
    assert_string_equal(typed.faults, "");
}
