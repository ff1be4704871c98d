/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stand-ins for what people chose, and what a capture keeps. */

#include "capture/harmless.h"
#include "capture/kernel-text.h"
#include "capture/path-text.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

static struct stand_ins stand_ins;

static int
start(void **state)
{
    stand_ins_start(&stand_ins, false);
    return 0;
}

static int
clear(void **state)
{
    stand_ins_clear(&stand_ins);
    return 0;
}

/* Compares a text with what is expected, and frees it. */
static void
check(char *got, const char *expected)
{
    AUTO_FREE char *text = got;

    assert_string_equal(text, expected);
}

static void
each_has_its_own(void **state)
{
    check(stand_ins_use(&stand_ins, STAND_IN_DOMAIN, "zebra"), "domain-1");
    check(stand_ins_use(&stand_ins, STAND_IN_DOMAIN, "a"), "domain-2");
    check(stand_ins_use(&stand_ins, STAND_IN_CLASS, "zebra"), "class-1");
    check(stand_ins_use(&stand_ins, STAND_IN_DOMAIN, "zebra"), "domain-1");
    assert_int_equal(stand_ins.kinds[STAND_IN_DOMAIN].uses, 3);
    assert_int_equal(stand_ins.kinds[STAND_IN_DOMAIN].originals.count, 2);
    assert_false(stand_ins_is_harmless(&stand_ins, "zebra"));
}

static void
names_are_kept(void **state)
{
    stand_ins.keeps_names = true;
    check(stand_ins_use(&stand_ins, STAND_IN_DOMAIN, "zebra"), "zebra");
    check(path_text(&stand_ins, "", "/home/mallory/.x~"), "/home/mallory/.x~");
    check(path_text_alias(&stand_ins, "ua-vgpu-small-2"), "ua-vgpu-small-2");
    check(path_text(&stand_ins, "etc/libvirt/hooks/qemu.d", "10-own.bak"), "10-own.bak");
    check(path_text(&stand_ins, "etc/libvirt-vgpu/conf.d", "a.conf"), "a.conf");
}

static void
uuids(void **state)
{
    check(path_text_uuid(&stand_ins, "5EC2E70011114000800000000000-00A1"),
          "00000000-0000-4000-8000-000000000001");
    check(path_text_uuid(&stand_ins, "5ec2e700-1111-4000-8000-0000000000a1"),
          "00000000-0000-4000-8000-000000000001");
    check(path_text_uuid(&stand_ins, "00000000-0000-0000-0000-000000000000"),
          "00000000-0000-0000-0000-000000000000");
    check(path_text_uuid(&stand_ins, "4711"), "text-1");
}

static void
aliases(void **state)
{
    stand_ins_learn(&stand_ins, STAND_IN_CLASS, "small");
    stand_ins_learn(&stand_ins, STAND_IN_CLASS, "big-2");
    check(path_text_alias(&stand_ins, "hostdev12"), "hostdev12");
    check(path_text_alias(&stand_ins, "hostdevil"), "alias-1");
    check(path_text_alias(&stand_ins, "ua-payroll"), "ua-alias-2");
    check(path_text_alias(&stand_ins, "ua-vgpu-small"), "ua-vgpu-class-1");
    check(path_text_alias(&stand_ins, "ua-vgpu-small-3"), "ua-vgpu-class-1-3");
    check(path_text_alias(&stand_ins, "ua-vgpu-big-2"), "ua-vgpu-class-2");
    check(path_text_alias(&stand_ins, "ua-vgpu-big-2-2"), "ua-vgpu-class-2-2");
    check(path_text_alias(&stand_ins, "ua-vgpu-payroll"), "ua-vgpu-class-3");
}

static void
types(void **state)
{
    stand_ins_learn_harmless(&stand_ins, "GRID T4-1B");
    stand_ins_learn(&stand_ins, STAND_IN_POOL, "payroll");
    check(path_text_type(&stand_ins, "GRID T4-1B"), "GRID T4-1B");
    check(path_text_type(&stand_ins, "nvidia-222"), "nvidia-222");
    check(path_text_type(&stand_ins, "payroll"), "pool-1");
    check(path_text_type(&stand_ins, "T5"), "type-1");
}

static void
paths(void **state)
{
    static const struct {
        const char *directory, *path, *other;
    } rows[] = {
        {"", ".", "."},
        {"", "sys/bus/pci/devices/0000:18:00.0/virtfn12",
         "sys/bus/pci/devices/0000:18:00.0/virtfn12"},
        {"", "sys/kernel/debug/payroll", "sys/kernel/debug/file-1"},
        {"", "proc/4711/fd/12", "proc/4711/fd/12"},
        {"", "etc/libvirt/hooks/4711", "etc/libvirt/hooks/file-2"},
        {"", "run/libvirt/qemu/payroll.xml", "run/libvirt/qemu/domain-1.xml"},
        {"", "run/libvirt/qemu/driver.pid", "run/libvirt/qemu/driver.pid"},
        {"", "run/libvirt-vgpu/counters/prepare.no_room",
         "run/libvirt-vgpu/counters/prepare.no_room"},
        {"", "run/libvirt-vgpu/ran/5ec2e700-1111-4000-8000-0000000000a1.12",
         "run/libvirt-vgpu/ran/00000000-0000-4000-8000-000000000001.12"},
        {"", "run/libvirt-vgpu/whole/0000:18:00.0.5ec2e700-1111-4000-8000-0000000000a1",
         "run/libvirt-vgpu/whole/0000:18:00.0.00000000-0000-4000-8000-000000000001"},
        {"", "run/libvirt-vgpu/functions/0000:03:00.1.former",
         "run/libvirt-vgpu/functions/0000:03:00.1.former"},
        {"", "run/libvirt-vgpu/functions/0000:03:00.1.payroll",
         "run/libvirt-vgpu/functions/file-3"},
        {"", "etc/systemd/system/libvirt-vgpu-sriov@0000:01:00.0.service",
         "etc/systemd/system/libvirt-vgpu-sriov@0000:01:00.0.service"},
        {"", "/home/mallory/opt/hook", "/home/user-1/opt/file-4"},
        {"etc/libvirt/hooks/qemu.d", "../../../../home/mallory", "../../../../home/user-1"},
        {"etc/libvirt/hooks/qemu.d", "10-own", "10-file-5"},
        {"etc/libvirt/hooks/qemu.d", "z.dpkg-payroll", "90-file-6.dpkg-old"},
        {"etc/libvirt/hooks/qemu.d", "50-vgpu", "50-vgpu"},
        {"etc/libvirt-vgpu/conf.d", ".x.conf", ".file-7.conf"},
        {"etc/libvirt-vgpu/conf.d", "README", "file-8"},
        {"sys/bus/mdev/devices", "../../../devices/pci0000:00/0000:00:08.0/payroll",
         "../../../devices/pci0000:00/0000:00:08.0/file-1"},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        check(path_text(&stand_ins, rows[i].directory, rows[i].path), rows[i].other);
}

static void
numbers_and_patterns(void **state)
{
    static const char *const patterns[] = {"*", "0000:c1:02.*", "0000:c1:0[1-3].?", "*:02.[!0]",
                                           "0000:18:00.0"};
    static const char *const others[] = {
        "",           "471108154711",       "0000:c1",     "0000:c1:02.payroll",
        "[payroll]*", "*4711081547110815*", "****:payroll"};

    for (size_t i = 0; i < COUNT(patterns); i++)
        assert_true(harmless_is_address_pattern(patterns[i]));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(harmless_is_address_pattern(others[i]));
    assert_true(harmless_is_number("0-7,16,-1") && harmless_is_number("0x10de"));
    assert_false(harmless_is_number("") || harmless_is_number("12 ") || harmless_is_number("1,,2"));
    assert_true(harmless_is_quantity("30s") && harmless_is_quantity("8GiB"));
    assert_false(harmless_is_quantity("s") || harmless_is_quantity("471108154711"));
}

static void
texts_of_the_kernel(void **state)
{
    static const struct {
        kernel_text *rule;
        const char *text, *other;
    } rows[] = {
        {kernel_text_value, "0x10de", "0x10de"},
        {kernel_text_value, "vfio-pci", "vfio-pci"},
        {kernel_text_value, "payroll", "text-1"},
        {kernel_text_version, "6.12.117+deb13-amd64", "6.12.117+deb13-amd64"},
        {kernel_text_version, "6.1.0-payroll-rt3", "6.1.0-x-rt3"},
        {kernel_text_version, "550.90.05", "550.90.05"},
        {kernel_text_description, "num_heads=4, frl_config=60, framebuffer=1024M, owner=payroll\n",
         "num_heads=4, frl_config=60, framebuffer=1024M\n"},
        {kernel_text_creatable, "ID : vGPU Name\n1145 : NVIDIA L40S-1B\n\xc3\xa4\n",
         "ID : vGPU Name\n1145 : NVIDIA L40S-1B\n"},
        {kernel_text_minor, "GPU UUID: payroll\nDevice Minor: \t 3\n", "\nDevice Minor: 3\n"},
        {kernel_text_params,
         "ResmanDebugLevel: 7\nRegistryDwords: \"Payroll=1;RmPVMRL=0x01;\"\n"
         "RegistryDwordsPerDevice: \"pci=0000:3d:00.0;RmPVMRL=0x11; pci=payroll;RmPVMRL=payroll\"\n"
         "RmMsg: \"payroll\"\n",
         "RegistryDwords: \"RmPVMRL=0x01;\"\n"
         "RegistryDwordsPerDevice: \"pci=0000:3d:00.0;RmPVMRL=0x11;\"\n"},
        {kernel_text_params, "RegistryDwords: payroll\n", ""},
        {path_text_program, "libvirtd", "libvirtd"},
        {path_text_program, "qemu:payroll", "qemu:program-1"},
        {kernel_text_stat, "7 (libvirtd) S 1 2 -1 payroll", "7 (libvirtd) S 1 2 -1"},
        {kernel_text_status, "Name:\tx\nSeccomp:\t2\n", "Name:\tvgpuctl\nSeccomp:\t0\n"},
        {kernel_text_current, "libvirtd (enforce)", "libvirtd (enforce)"},
        {kernel_text_current, "unconfined", "unconfined"},
        {kernel_text_current, "payroll_u:payroll_r:virtd_t:s0-s0:c0.c9", "u:r:virtd_t:s0"},
        {kernel_text_context, "system_u:object_r:bin_t:s0", "u:r:bin_t:s0"},
        {kernel_text_rules, "# payroll\nRUN+=\"/opt/mdevctl x\"",
         "RUN+=\"/opt/mdevctl start-parent-mdevs\"\n"},
        {kernel_text_policy, "# x\nSELINUXTYPE=targeted # payroll\n", "SELINUXTYPE=targeted\n"},
        {kernel_text_profile, "# payroll\n/usr/local/bin/payroll PUx,\n",
         "/usr/local/bin/file-1 PUx,\n"},
        {kernel_text_mdevctl, "{ \"start\": \"auto\", \"payroll\": 1 }",
         "{ \"start\": \"auto\" }\n"},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        check(rows[i].rule(&stand_ins, rows[i].text), rows[i].other);
}

int
main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, clear)
    const struct CMUnitTest tests[] = {
        TEST(each_has_its_own),
        TEST(names_are_kept),
        TEST(uuids),
        TEST(aliases),
        TEST(types),
        TEST(paths),
        TEST(numbers_and_patterns),
        TEST(texts_of_the_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
