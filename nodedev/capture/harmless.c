/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/harmless.h"
#include "base/array.h"

#include <ctype.h>
#include <string.h>

/* clang-format off */
const char *const harmless_words[] = {
    /* directories */
    "bin", "conf", "d", "dev", "etc", "home", "lib", "lib64", "libexec", "local", "log", "opt",
    "proc", "root", "run", "sbin", "share", "src", "srv", "sys", "tmp", "usr", "var",

    /* /proc */
    "attr", "boot_id", "capabilities", "comm", "current", "fd", "fdinfo", "gpus", "information",
    "kernel", "mig", "osrelease", "random", "self", "stat", "status", "task", "unbindLock",

    /* /sys */
    "accelerator_partition_profile", "available_instances", "bus", "class", "cpulist",
    "creatable_vgpu_types", "create",
    "current_vgpu_type", "debug", "description", "device", "device_api", "devices", "driver",
    "drivers", "emulated", "enabled", "enforce", "exec_quantum_ms", "features", "fs",
    "gpu_instance_id", "iommu", "iommu_group", "iommu_groups", "mdev", "mdev_bus",
    "mdev_supported_types", "mdev_type", "migration", "module", "name", "node", "numa_node",
    "parameters", "pci", "physfn", "placement_id", "platform", "preempt_timeout_us", "profile",
    "remove", "reset", "selinux", "sriov_admin", "sriov_drivers_autoprobe", "sriov_numvfs",
    "sriov_totalvfs", "state", "subsystem_device", "subsystem_vendor", "system", "vendor",
    "version", "vfio", "vfio-dev", "vgpu_params", "virtual", "vram_quota", "N", "Y",

    /* drivers, and what they call their devices */
    "ahci", "amdgpu", "gim", "i915", "mbochs", "mdpy", "mtty", "nouveau", "nvidia",
    "nvidia-vgpu-vfio", "nvidia_vgpu_vfio", "nvme", "pcieport", "vfio-ap", "vfio-ccw", "vfio-pci",
    "vfio_mdev", "vgpu-cards", "vgpu-cards-vfio", "vgpu-cards-xe-vfio", "vgpu_cards", "virtio-pci",
    "xe", "xe-vfio-pci",

    /* libvirt and systemd */
    "apparmor", "apparmor.d", "config", "contexts", "default", "driver.pid", "file_contexts",
    "files", "hooks", "journal", "libvirt", "libvirtd", "libvirtd.pid", "mdevctl", "mdevctl.d",
    "minimum", "mls", "multi-user.target.wants", "qemu", "qemu.d", "rules.d", "60-mdevctl.rules",
    "strict", "systemd", "targeted", "timers.target.wants", "udev", "usr.sbin.libvirtd",
    "usr.sbin.virtqemud", "virtqemud", "virtqemud.pid", "xml",

    /* our own files */
    "50-vgpu", "busy", "claims", "conf.d", "counters", "drained", "functions", "kernel", "ledger",
    "ledger.new", "libvirt-vgpu", "libvirt-vgpu-callout", "libvirt-vgpu-hook",
    "libvirt-vgpu-metrics.service", "libvirt-vgpu-ready.service",
    "libvirt-vgpu-reconcile.service", "libvirt-vgpu-reconcile.timer", "lock", "lost", "migrate",
    "no_room", "none", "not_allowed", "ok", "other", "prepare", "proving", "ran", "reconcile",
    "reconnect", "release", "released", "restore", "settling", "start", "types", "types.new",
    "vgpu", "vgpu.conf", "vgpuConfig.xml", "vgpuctl", "whole",

    /* programs that have a device of VFIO open; the kernel cuts their names */
    "kvm", "nvidia-smi", "nvidia-vgpu-mgr", "nvidia-vgpud", "qemu-kvm", "qemu-system-aar",
    "qemu-system-aarch64", "qemu-system-x86", "qemu-system-x86_64", "sriov-manage",

    /* SELinux and AppArmor */
    "bin_t", "default_t", "etc_t", "file_t", "initrc_exec_t", "lib_t", "object_r", "sbin_t",
    "shell_exec_t", "system_r", "system_u", "unconfined", "unconfined_r", "unconfined_t",
    "unconfined_u", "unlabeled_t", "usr_t", "var_lib_t", "var_run_t", "var_t", "virt_etc_t",
    "virt_hook_exec_t", "virt_var_lib_t", "virt_var_run_t", "virtd_exec_t", "virtd_t",
    "virtqemud_exec_t", "virtqemud_t", "libvirt_vgpu_callout_exec_t", "libvirt_vgpu_etc_t",
    "libvirt_vgpu_exec_t", "libvirt_vgpu_runtime_t", "libvirt_vgpu_var_lib_t",

    /* parts of versions */
    "amd", "arm", "aarch", "aws", "azure", "bpo", "cloud", "deb", "debian", "el", "fc", "gcp",
    "generic", "lowlatency", "lts", "oracle", "ppc64le", "pve", "rc", "rt", "s", "ubuntu", "x",

    /* settings of vgpu.conf */
    "all", "equal", "ignore", "keep", "mixed", "new", "numa", "pack", "parent", "placement",
    "prefer", "reap", "require", "spread", "traits", "type", "disable_vnc", "frame_rate_limiter",
    "vgpu-placement-id", NULL};
/* clang-format on */

/* Whether a number is here. Returns its end, or NULL. */
static const char *
skip_number(const char *text)
{
    static const char decimal[] = "0123456789", hexadecimal[] = "0123456789abcdefABCDEF";
    bool is_long = text[0] == '0' && text[1] == 'x';
    size_t length;

    text += is_long ? 2 : *text == '-' || *text == '+';
    length = strspn(text, is_long ? hexadecimal : decimal);
    return length > 0 && length <= 20 ? text + length : NULL;
}

bool
harmless_is_number(const char *text)
{
    text = skip_number(text);
    while (text && (*text == ',' || *text == '-'))
        text = skip_number(text + 1);
    return text && !*text;
}

bool
harmless_is_digits(const char *text)
{
    return *text && strlen(text) < 20 && strspn(text, "0123456789") == strlen(text);
}

bool
harmless_is_device(const char *text)
{
    size_t major = strspn(text, "0123456789");
    const char *minor = text + major + 1;

    return major && text[major] == ':' && *minor && strlen(text) < 20 &&
           strspn(minor, "0123456789") == strlen(minor);
}

bool
harmless_is_quantity(const char *text)
{
    static const char *const units[] = {"", "ms", "s", "m", "min", "M", "MiB", "G", "GiB"};
    const char *unit = isdigit((unsigned char)*text) ? skip_number(text) : NULL;

    return unit && unit - text < 8 && ARRAY_HAS(units, COUNT(units), each, !strcmp(*each, unit));
}

/* Skips what stands for one character of an address. Returns NULL if nothing does. */
static const char *
skip_atom(const char *text)
{
    size_t length;

    if (isxdigit((unsigned char)*text) || *text == '?' || *text == '*')
        return text + 1;
    if (*text != '[')
        return NULL;
    length = strspn(text + 1, "0123456789abcdefABCDEF-!^");
    return length && length < 16 && text[1 + length] == ']' ? text + length + 2 : NULL;
}

bool
harmless_is_address_pattern(const char *text)
{
    unsigned atoms = 0, parts = 1;
    bool is_open = false;

    for (; *text; atoms++) {
        is_open |= *text == '*';
        if (*text == ':' || *text == '.') {
            parts++;
            atoms = 0;
            text++;
        }
        if (!*text)
            break;
        text = skip_atom(text);
        if (!text || atoms > 4)
            return false;
    }
    return parts == 4 || (is_open && parts < 4);
}

bool
harmless_is_type_name(const char *text)
{
    for (const char *at = text; *at; at++) {
        if (!isascii(*at) || (!isalnum((unsigned char)*at) && !strchr(" -_.+/():", *at)))
            return false;
    }
    return *text;
}
