/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The faults that vgpuctl doctor finds in the hook, security modules, the kernel and our files.
 * Each fault is planted on a host without other faults. */

#include "doctor/planted.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define GUEST1 "aaaaaaaa-0000-4000-8000-000000000001"

#define TEST(function) UNIT_TEST_IN(function, setup, teardown, NULL)

TEST(healthy)
{
    assert_healthy(HERE);
    assert_healthy(NULL);
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_healthy(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-gpu1"), NULL}));
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl doctor --raw", &typed), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    typed_golden(&scene, HERE, "doctor/healthy-json", "vgpuctl doctor --json");
}

/* The hook. */

static void
no_link(void)
{
    drop(LINK);
}

static void
dangling(void)
{
    drop(PROGRAM);
}

/* The hook as packages install it. The message does not show the hook's own path, which nobody
 * wants to read or type. */
static void
dangling_relative(void)
{
    link_to("../../../.././" PROGRAM, LINK);
    drop(PROGRAM);
}

static void
not_executable_relative(void)
{
    link_to("../../../../" PROGRAM, LINK);
    mode(PROGRAM, 0644);
}

/* If a directory is a link, ".." does not lead to the path before the link, even if that path has a
 * file of this name. */
static void
not_executable_elsewhere(void)
{
    put("srv/sbin/keep", "");
    program("srv/hook");
    mode("srv/hook", 0644);
    link_to("srv/sbin", "there");
    link_to("../../../../there/../hook", LINK);
}

static void
not_executable_and_another(void)
{
    not_executable_elsewhere();
    program("hook");
}

static void
not_executable(void)
{
    mode(PROGRAM, 0644);
}

static void
writable_program(void)
{
    mode(PROGRAM, 0775);
}

static void
writable_directory(void)
{
    mode(HOOKS "/qemu.d", 0777);
}

static void
editor_backup(void)
{
    program(HOOKS "/qemu.d/50-vgpu~");
}

static void
package_backup(void)
{
    program(HOOKS "/qemu.d/50-vgpu.dpkg-old");
}

static void
second_link(void)
{
    link_to("../../../../" PROGRAM, HOOKS "/qemu.d/60-mine");
}

static void
loop(void)
{
    link_to("50-vgpu", LINK);
}

/* README.md shows this output; check-golden.sh compares. */
TEST(readme)
{
    not_executable();
    typed_golden(&scene, HERE, "readme/doctor", "vgpuctl doctor");
    typed_golden_on(&scene, HERE, &typed_page, "doctor/page", "vgpuctl doctor");
}

/* Security modules. */

static void
apparmor(void)
{
    program("usr/libexec/libvirt-vgpu/hook");
    link_to("/usr/libexec/libvirt-vgpu/hook", LINK);
    put("etc/apparmor.d/usr.sbin.libvirtd", "profile libvirtd {}\n");
    put("sys/module/apparmor/parameters/enabled", "Y\n");
}

/* SELinux enforces, our module is loaded, and all files have their types. */
static void
selinux(void)
{
    put("sys/fs/selinux/enforce", "1");
    put("etc/selinux/config", "# SELINUXTYPE=mls\nSELINUX=enforcing\nSELINUXTYPE=targeted\n");
    put("etc/selinux/targeted/contexts/files/file_contexts",
        "/usr/bin/.*\tsystem_u:object_r:bin_t:s0\n"
        "/usr/sbin/libvirt-vgpu-hook\t--\tsystem_u:object_r:libvirt_vgpu_exec_t:s0\n");
    put("labels/" PROGRAM, "system_u:object_r:libvirt_vgpu_exec_t:s0");
    put("labels/etc/libvirt-vgpu", "unconfined_u:object_r:libvirt_vgpu_etc_t:s0");
}

static void
no_policy_module(void)
{
    selinux();
    put("etc/selinux/targeted/contexts/files/file_contexts", "/.*\tsystem_u:object_r:etc_t:s0\n");
}

static void
no_policy(void)
{
    selinux();
    drop("etc/selinux/config");
}

static void
hook_of_another_type(void)
{
    selinux();
    put("labels/" PROGRAM, "system_u:object_r:bin_t:s0");
}

static void
hook_without_type(void)
{
    selinux();
    drop("labels/" PROGRAM);
}

static void
hook_where_no_rule_is(void)
{
    selinux();
    program("usr/local/sbin/libvirt-vgpu-hook");
    put("labels/usr/local/sbin/libvirt-vgpu-hook", "system_u:object_r:bin_t:s0");
    link_to("/usr/local/sbin/libvirt-vgpu-hook", LINK);
}

static void
files_of_another_type(void)
{
    selinux();
    put("labels/etc/libvirt-vgpu", "system_u:object_r:etc_t:s0");
}

/* The kernel. */

static void
no_vfio(void)
{
    drop("dev/vfio/vfio");
}

/* The kernel's VFIO has devices, and no groups. */
static void
no_vfio_groups(void)
{
    drop("dev/vfio/vfio");
    put("sys/class/vfio-dev/vfio0/dev", "510:0\n");
}

static void
no_types(void)
{
    fake_vanish(&scene.kernel, "0000:18:00.0");
    put(CONF, "");
}

static void
gpu_not_there(void)
{
    put(CONF, "\ngpus = ({ address = \"0000:19:00.0\"; });\n");
}

static void
gpu_without_types(void)
{
    put("sys/bus/pci/devices/0000:19:00.0/vendor", "0x10de\n");
    gpu_not_there();
}

/* The files of nova-core: sysfs has no nvidia/, and there is a VFIO driver of its own. */
static void
nova_core(void)
{
    functions_off();
    put(PCI "/sriov_numvfs", "1\n");
    link_to("../../../../bus/pci/drivers/NovaCore", PCI "/driver");
    link_to("../0000:3d:00.4", PCI "/virtfn0");
    put("sys/bus/pci/devices/0000:3d:00.4/vendor", "0x10de\n");
    link_to("../../../../bus/pci/drivers/nvidia-vgpu-vfio-pci",
            "sys/bus/pci/devices/0000:3d:00.4/driver");
}

static void
no_iommu(void)
{
    drop("sys/class/iommu/dmar0");
}

/* Our files. */

static void
broken_configuration(void)
{
    put("etc/libvirt-vgpu/conf.d/20-broken.conf", "placement = \"sideways\";\n");
}

static void
writable_configuration(void)
{
    mode(CONF, 0666);
}

static void
writable_configurations(void)
{
    mode("etc/libvirt-vgpu/conf.d", 0775);
}

static void
broken_ledger(void)
{
    put("run/libvirt-vgpu/ledger", "rubbish\n");
}

static void
open_lock(void)
{
    put("run/libvirt-vgpu/lock", "");
    mode("run/libvirt-vgpu/lock", 0644);
}

static void
open_drained(void)
{
    put("var/lib/libvirt-vgpu/drained/", NULL);
    mode("var/lib/libvirt-vgpu/drained", 0777);
}

static void
no_timer(void)
{
    put("run/systemd/system/", NULL);
}

#define LEDGER(state)                                                                              \
    "libvirt-vgpu-ledger 1 6a7f1e0c-0000-4000-8000-000000000001 2\n"                               \
    "mdev " DEVICE1 " nvidia-222 1024 0000:18:00.0 0000:18:00.0 " GUEST1 " guest1 ua-gpu1 " state  \
    " made 0:0 0 reap 1\n"

static void
leaving(void)
{
    put("run/libvirt-vgpu/ledger", LEDGER("leaving"));
}

static void
removing(void)
{
    put("run/libvirt-vgpu/ledger", LEDGER("removing"));
}

/* A script of the administrator runs our hook. */
static void
dispatcher(void)
{
    program(HOOKS "/qemu");
    put(HOOKS "/qemu", "#!/bin/sh\n/" PROGRAM " \"$@\"\n");
}

static void
dispatcher_beside_others(void)
{
    program(HOOKS "/qemu.d/90-mine");
    put(HOOKS "/qemu.d/90-mine", "#!/bin/sh\n/" PROGRAM " \"$@\"\n");
}

/* mdevctl. */

static void
rule(void)
{
    put("usr/bin/mdevctl", "");
    put("usr/lib/udev/rules.d/60-mdevctl.rules",
        "SUBSYSTEM==\"mdev_bus\", TEST==\"/etc/mdevctl.d/$kernel\", "
        "RUN+=\"/usr/sbin/mdevctl start-parent-mdevs %k\"\n");
}

static void
rule_of_use(void)
{
    rule();
    put("etc/mdevctl.d/0000:18:00.0/" GUEST1, "{ \"mdev_type\": \"nvidia-222\" }\n");
}

static const struct {
    void (*plant)(void);
    const char *check, *words;
} plants[] = {
    {no_link, "hook-missing", "/" LINK ": No such file or directory"},
    {dangling, "hook-dangling", "/" LINK " leads to /" PROGRAM ": No such file"},
    {dangling_relative, "hook-dangling", "/" LINK " leads to /" PROGRAM ": No such file"},
    {not_executable_relative, "hook-not-executable", "error /" PROGRAM " is not executable"},
    {not_executable_elsewhere, "hook-not-executable", "/there/../hook is not executable"},
    {not_executable_and_another, "hook-not-executable", "/there/../hook is not executable"},
    {loop, "hook-dangling", "Too many levels of symbolic links"},
    {not_executable, "hook-not-executable", "/" PROGRAM " is not executable"},
    {writable_program, "hook-owner", "/" PROGRAM ": others than root may change"},
    {writable_directory, "hook-owner", "/" HOOKS "/qemu.d: others than root may change"},
    {editor_backup, "hook-backup", "/qemu.d/50-vgpu~ looks like a left-over copy"},
    {package_backup, "hook-backup", "/qemu.d/50-vgpu.dpkg-old looks like a left-over copy"},
    {dispatcher, "hook-twice", "/qemu runs our hook, and libvirt runs it a second time by"},
    {dispatcher_beside_others, "hook-twice", "/qemu.d/90-mine runs our hook, and libvirt runs it"},
    {second_link, "hook-twice", "/qemu.d/60-mine leads to our hook a second time"},
    {apparmor, "apparmor", "AppArmor does not let libvirt run /usr/libexec/libvirt-vgpu/hook"},
    {no_policy_module, "selinux", "SELinux is enforcing and has no rules for vGPUs"},
    {no_policy, "selinux", "SELinux is enforcing and has no rules for vGPUs"},
    {hook_of_another_type, "selinux-label", "error /" PROGRAM " has the SELinux type bin_t, not"},
    {hook_without_type, "selinux-label", "/" PROGRAM " has the SELinux type none, not"},
    {hook_where_no_rule_is, "selinux-label", "/usr/local/sbin/libvirt-vgpu-hook has the SELinux"},
    {files_of_another_type, "selinux-label", "/etc/libvirt-vgpu has the SELinux type etc_t, not"},
    {no_vfio, "module-vfio", "there is no /dev/vfio/vfio"},
    {no_vfio_groups, "vfio-groups", "error this kernel has no VFIO groups"},
    {no_types, "no-types", "no GPU on this host offers vGPUs"},
    {gpu_not_there, "gpu-missing", "/" CONF ":2 names the GPU 0000:19:00.0, which is not there"},
    {gpu_without_types, "gpu-missing", "0000:19:00.0, which offers no vGPUs"},
    {nova_core, "nova-core", "the GPU 0000:3d:00.0 is driven by nova-core"},
    {functions_off, "virtual-functions", "0000:3d:00.0 has 16 virtual functions"},
    {no_iommu, "iommu", "the IOMMU is off, and the GPU 0000:18:00.0 may need it"},
    {broken_configuration, "configuration", "20-broken.conf:1: "},
    {writable_configuration, "configuration", "/" CONF ": others than root"},
    {writable_configurations, "configuration-owner", "/etc/libvirt-vgpu/conf.d: others than root"},
    {broken_ledger, "ledger", "/run/libvirt-vgpu/ledger"},
    {open_lock, "state-owner", "/run/libvirt-vgpu/lock has owner"},
    {open_drained, "state-owner", "/var/lib/libvirt-vgpu/drained has owner"},
    {leaving, "leaving", "the vGPU " DEVICE1 ", which was guest1's, has waited for "},
    {removing, "leaving", "the vGPU " DEVICE1 ", which was guest1's, has waited for "},
    {no_timer, "timer", "libvirt-vgpu-reconcile.timer is not enabled"},
    {rule_of_use, "mdevctl-rule", "60-mdevctl.rules runs /usr/sbin/mdevctl, which is not there"},
};

TEST(planted)
{
    for (size_t i = 0; i < COUNT(plants); i++) {
        if (i) {
            teardown(state);
            setup(state);
        }
        assert_healthy(HERE);
        plants[i].plant();
        assert_fault(HERE, plants[i].check, plants[i].words);
        /* The tests' clean-up leaves this name alone. */
        unlinkat(scene.kernel.host.root, HOOKS "/qemu.d/50-vgpu~", 0);
    }
}

/* A file stands where the directory of the hooks should be. root cannot do more there. */
TEST(no_directory_for_hooks)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, HOOKS "/qemu.d", root, HOOKS "/away"), 0);
    put(HOOKS "/qemu.d", "");
    assert_fault(HERE, "hook-missing", "/" LINK ": Not a directory");
    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, "ln -s /" PROGRAM " /" LINK "\n");
}

/* The kernel has no mediated devices before a driver asks for them. */
TEST(no_module)
{
    scene_stop(&scene);
    start("");
    assert_fault(HERE, "module-mdev", "its module mdev is not loaded");
}

/* Functions of Intel's xe, of NVIDIA's vendor-specific VFIO, and of pools need no mediated devices.
 * On such a host the kernel has not loaded their module. */
#define POOL                                                                                       \
    "pci 0000:c1:00.0 vendor 0x1002 device 0x74a1 class 0x120000 driver amdgpu\n"                  \
    "pci 0000:c1:02.0 vendor 0x1002 device 0x74b5 driver vfio-pci physfn 0000:c1:00.0\n"

TEST(functions_without_mdev)
{
    static const struct {
        const char *machine, *policy;
    } hosts[] = {
        {"gpu 0000:03:00.0 xe vfs 4 memory 16384\n",
         "gpus = ({ address = \"0000:03:00.0\"; vram = \"16G\"; });"
         "profiles = { small = { vram = \"4G\"; }; };"},
        {"gpu 0000:3d:00.0 vf vfs 16 rule size numa 0 board \"NVIDIA L40S\"\n", ""},
        {POOL, "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; }; };"},
    };

    for (size_t i = 0; i < COUNT(hosts); i++) {
        teardown(state);
        start(hosts[i].machine);
        put("sys/bus/pci/drivers/xe-vfio-pci/", NULL);
        put(CONF, hosts[i].policy);
        assert_false(host_exists(&scene.kernel.host, "sys/bus/mdev"));
        assert_healthy(HERE);
    }
}

/* Intel's GPU needs no IOMMU, and comes first. */
TEST(no_iommu_for_the_second_gpu)
{
    teardown(state);
    start("gpu 0000:00:02.0 rule pool 2 gvt\ntype i915-GVTg_V5_8 \"-\" uses 1 nameless\n"
          "gpu 0000:18:00.0 rule size board \"GRID T4\"\n");
    assert_healthy(HERE);
    no_iommu();
    assert_fault(HERE, "iommu", "the IOMMU is off, and the GPU 0000:18:00.0 may need it");
}

/* Its functions are in no pool, so there is nothing to load. */
TEST(functions_of_no_pool)
{
    scene_stop(&scene);
    start(POOL);
    put("sys/bus/pci/devices/0000:c1:00.0/sriov_totalvfs", "8\n");
    put("sys/bus/pci/devices/0000:c1:00.0/sriov_numvfs", "1\n");
    assert_fault(HERE, "no-types", "no GPU on this host offers vGPUs");
}

/* The module marks its cards and their functions. One that is not marked is real. */
TEST(emulated)
{
    put("sys/module/vgpu_cards/parameters/cards", "T4,L40S\n");
    assert_healthy(HERE);
    put("sys/bus/pci/devices/0100:10:00.0/emulated/created", "0\n");
    put("sys/bus/pci/devices/0100:20:00.0/emulated/created", "0\n");
    put("sys/bus/pci/devices/0100:20:00.4/emulated/seal", "0\n");
    link_to("../0100:20:00.0", "sys/bus/pci/devices/0100:20:00.4/physfn");
    assert_note(HERE, "emulated", "for tests: 0100:10:00.0, 0100:20:00.0; no guest can");
    typed_golden(&scene, HERE, "doctor/emulated", "vgpuctl doctor");
}

/* Unusual states that are right. */
TEST(harmless)
{
    apparmor();
    put("etc/apparmor.d/local/usr.sbin.libvirtd", "/usr/libexec/libvirt-vgpu/* PUx,\n");
    assert_healthy(HERE);
    link_to("../../../../" PROGRAM, LINK);
    assert_healthy(HERE);
    link_to(PROGRAM, "in-the-root");
    link_to("/in-the-root", LINK);
    assert_healthy(HERE);
    rule();
    link_to("../bin/mdevctl", "usr/sbin/mdevctl");
    assert_healthy(HERE);
    drop("usr/sbin/mdevctl");
    put("etc/udev/rules.d/60-mdevctl.rules", "RUN+=\"/usr/bin/mdevctl start-parent-mdevs %k\"\n");
    assert_healthy(HERE);
    no_timer();
    put("etc/systemd/system/timers.target.wants/libvirt-vgpu-reconcile.timer", "");
    assert_healthy(HERE);
    put(CONF, "gpus = ({ address = \"0000:19:00.0\"; enabled = false; });\n");
    assert_healthy(HERE);
    put(HOOKS "/qemu.d/copy~", "not executable\n");
    assert_healthy(HERE);
    drop(HOOKS "/qemu.d/copy~");
}

/* As on Debian 13. mdevctl is to start nothing, so nobody is harmed. */
TEST(a_rule_that_harms_nobody)
{
    rule();
    put("etc/mdevctl.d/scripts.d/callouts/50-vgpu.sh", "");
    assert_note(HERE, "mdevctl-rule", "runs /usr/sbin/mdevctl, which is not there");
}

/* The administrator knows a finding. It takes a line, and is no fault. */
TEST(accepted)
{
    no_timer();
    assert_fault(HERE, "timer", "libvirt-vgpu-reconcile.timer is not enabled");
    put("etc/libvirt-vgpu/conf.d/20-known.conf", "accept = [ \"timer\" ];\n");
    typed_golden(&scene, HERE, "doctor/accepted", "vgpuctl doctor");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl doctor", &typed), 0);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl doctor --json", &typed), 0);
    typed_assert_has(typed.printed, "\"severity\": \"accepted\"");
    put("etc/libvirt-vgpu/conf.d/20-known.conf", "accept = [ \"timer\", \"mdevctl-rul\" ];\n");
    assert_note(HERE, "accept", "names \"mdevctl-rul\", and no finding is called so");
}

TEST(each_program_of_a_rule)
{
    put("etc/mdevctl.d/0000:18:00.0/" GUEST1, "{}\n");
    put("usr/bin/mdevctl", "");
    put("etc/udev/rules.d/60-mdevctl.rules", "RUN+=\"/usr/bin/mdevctl start-parent-mdevs %k\"\n"
                                             "RUN+=\"/opt/bin/mdevctl start-parent-mdevs %k\"\n");
    assert_fault(HERE, "mdevctl-rule", "runs /opt/bin/mdevctl, which is not there");
}

TEST(notes)
{
    program(HOOKS "/qemu");
    assert_note(HERE, "other-hook", "libvirt also runs /" HOOKS "/qemu, before ours");
    drop(HOOKS "/qemu");
    dispatcher();
    drop(LINK);
    assert_note(HERE, "hook-dispatcher", "/" HOOKS "/qemu runs our hook: where it fails");
    drop(HOOKS "/qemu");
    assert_int_equal(symlinkat("/" PROGRAM, scene.kernel.host.root, LINK), 0);
    program(HOOKS "/qemu.d/90-other");
    assert_note(HERE, "other-hook", "libvirt also runs /" HOOKS "/qemu.d/90-other, after ours");
    drop(HOOKS "/qemu.d/90-other");
    assert_note(libvirt((const char *const[]){HOSTDEV(GUEST1, "ua-gpu1"), NULL}), "domain-uuid",
                "guest1 and its vGPU have the same UUID");
}

/* A kernel without filters of system calls. If a kernel does not tell whether it has them, nothing
 * is concluded. */
TEST(no_seccomp)
{
    put("proc/self/status", "Name:\tvgpuctl\nNoNewPrivs:\t0\nCpus_allowed:\tff\n");
    assert_note(HERE, "seccomp", "this kernel has no seccomp: the hook may make system calls");
    put("proc/self/status", "Name:\tvgpuctl\nNoNewPrivs:\t0\nSeccomp:\t0\nCpus_allowed:\tff\n");
    assert_healthy(HERE);
}

TEST(selinux_remedies)
{
    selinux();
    assert_healthy(HERE);
    put("labels/" PROGRAM, "system_u:object_r:bin_t:s0");
    put("labels/etc/libvirt-vgpu", "system_u:object_r:etc_t:s0");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl doctor", &typed), 1);
    typed_assert_has(typed.printed, "\n      restorecon -v /" PROGRAM "\n");
    typed_assert_has(typed.printed, "\n      restorecon -Rv /etc/libvirt-vgpu\n");
    put("sys/fs/selinux/enforce", "0");
    assert_healthy(HERE);
}

/* Makes libvirt's daemon, with all files that doctor reads. `started` is in clock ticks since
 * boot. */
#define DAEMON "proc/4711"

/* A time before the scene was made, and a time after it. */
#define AT_BOOT        1
#define IN_A_LONG_TIME 1000000000000

static void
put_daemon(uint64_t started)
{
    char stat[256];

    snprintf(stat, sizeof(stat),
             "4711 (virtqemud) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %" PRIu64 " 0 0\n", started);
    put(DAEMON "/stat", stat);
    put(DAEMON "/comm", "virtqemud\n");
    put("run/virtqemud.pid", "4711\n");
}

static void
drop_daemon(void)
{
    drop(DAEMON "/stat");
    drop(DAEMON "/comm");
}

/* Files of profiles enforce nothing. Only the kernel knows which profiles are loaded. */
TEST(apparmor_of_a_daemon)
{
    static const char *const harmless[] = {"unconfined\n", "virtqemud (complain)\n"};

    put_daemon(IN_A_LONG_TIME);
    apparmor();
    assert_healthy(HERE);
    for (size_t i = 0; i < COUNT(harmless); i++) {
        put(DAEMON "/attr/current", harmless[i]);
        assert_healthy(HERE);
    }
    put(DAEMON "/attr/current", "virtqemud (enforce)\n");
    assert_fault(HERE, "apparmor", "does not let libvirt run /usr/libexec/libvirt-vgpu/hook");
    put("etc/apparmor.d/local/usr.sbin.virtqemud", "/usr/libexec/libvirt-vgpu/hook PUx,\n");
    assert_healthy(HERE);
}

/* The time of a file, in seconds since boot. */
static double
changed(const char *path)
{
    struct timespec now, up;
    struct stat status;

    assert_int_equal(fstatat(scene.kernel.host.root, path, &status, AT_SYMLINK_NOFOLLOW), 0);
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return (double)(status.st_ctim.tv_sec - now.tv_sec + up.tv_sec) +
           (double)(status.st_ctim.tv_nsec - now.tv_nsec + up.tv_nsec) / 1e9;
}

/* The daemon looks for hooks when it starts. It notices a later hook only if there was a hook at
 * that time. */
TEST(unseen)
{
    put_daemon(IN_A_LONG_TIME);
    assert_healthy(HERE);
    put_daemon(AT_BOOT);
    assert_fault(HERE, "hook-unseen", "virtqemud (process 4711)");
    /* The daemon has called our hook, so it knows the hook. */
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_healthy(HERE);
    put_daemon(IN_A_LONG_TIME);
    assert_healthy(HERE);
}

/* Each start with a vGPU holds a worker of the daemon while its card works. */
TEST(few_workers)
{
    const char *uri;

    put_daemon(IN_A_LONG_TIME);
    uri = libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), "", NULL});
    put(CONF, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    assert_healthy(uri);
    put("etc/libvirt/virtqemud.conf", "#max_workers = 1\nmax_workers_other = 1\nmin_workers = 1\n");
    assert_healthy(uri);
    put("etc/libvirt/virtqemud.conf", "min_workers = 1\n max_workers=2 # more\n");
    assert_healthy(uri);
    put("etc/libvirt/virtqemud.conf", "min_workers = 1\n max_workers=1 # more\n");
    assert_note(uri, "few-workers",
                "domains with vGPUs: 1; workers of virtqemud: 1 (max_workers of "
                "/etc/libvirt/virtqemud.conf)");
    typed_run(&scene, uri, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, "set max_workers = 21 there, and until its next restart:\n");
    typed_assert_has(typed.printed,
                     "virt-admin server-threadpool-set virtqemud --max-workers 21\n");
    put("etc/libvirt/virtqemud.conf", "max_workers = many\n");
    assert_healthy(uri);
}

/* libvirt's own files have more comments than settings. */
TEST(few_workers_after_a_long_comment)
{
    enum { COMMENT = 50000 };
    AUTO_FREE char *text = NULL;

    assert_true(asprintf(&text, "#%0*d\nmax_workers = 1\n", COMMENT, 0) > COMMENT);
    put_daemon(IN_A_LONG_TIME);
    put(CONF, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    put("etc/libvirt/virtqemud.conf", text);
    assert_note(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL}),
                "few-workers", "workers of virtqemud: 1 (");
}

/* libvirt has 20 workers if its file does not say. A file that cannot be read may say more. */
TEST(default_workers)
{
    static const char file[] = "etc/libvirt/virtqemud.conf";
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (unsigned i = 1; i <= 20; i++)
        fprintf(out,
                "<domain type='test'><name>guest%u</name>"
                "<uuid>aaaaaaaa-0000-4000-8000-%012u</uuid><memory>1024</memory>"
                "<os><type>hvm</type></os><devices><hostdev mode='subsystem' type='mdev' "
                "model='vfio-pci'><source><address uuid='%s'/></source>"
                "<alias name='ua-vgpu-small'/></hostdev></devices></domain>\n",
                i, i, scene_device(i));
    fclose(out);
    put_daemon(IN_A_LONG_TIME);
    put(CONF, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    assert_note(typed_libvirt(&scene, text), "few-workers", "workers of virtqemud: 20 (");
    put(file, "max_workers = 21\n");
    assert_healthy(typed_libvirt(&scene, text));
    drop(file);
    assert_int_equal(mkdirat(scene.kernel.host.root, file, 0755), 0);
    assert_healthy(typed_libvirt(&scene, text));
}

TEST(an_ended_daemon_is_none)
{
    put_daemon(AT_BOOT);
    drop_daemon();
    assert_healthy(HERE);
}

TEST(seen_through_another)
{
    double other;

    program(HOOKS "/qemu.d/40-other");
    other = changed(HOOKS "/qemu.d/40-other");
    put_daemon((uint64_t)(other * (double)sysconf(_SC_CLK_TCK)));
    while (changed(LINK) < other + 0.1) {
        drop(LINK);
        link_to("/" PROGRAM, LINK);
    }
    assert_note(HERE, "other-hook", "40-other, before ours");
    drop(HOOKS "/qemu.d/40-other");
    assert_fault(HERE, "hook-unseen", "virtqemud (process 4711)");
}

TEST(switched_off)
{
    put("etc/libvirt-vgpu/conf.d/20-off.conf", "\nenabled = false;\n");
    assert_fault(
        HERE, "disabled",
        "/etc/libvirt-vgpu/conf.d/20-off.conf:2 says enabled = false: no guest is given a");
}

TEST(several)
{
    not_executable();
    gpu_not_there();
    typed_golden(&scene, HERE, "doctor/findings", "vgpuctl doctor");
    typed_golden_on(&scene, HERE, &typed_screen, "doctor/findings-screen", "vgpuctl doctor");
    typed_golden(&scene, HERE, "doctor/findings-table", "vgpuctl doctor -n");
    typed_golden_on(&scene, HERE, &typed_screen, "doctor/findings-table-screen",
                    "vgpuctl doctor -o severity,text,remedy,advice");
    typed_golden(&scene, HERE, "doctor/findings-json", "vgpuctl doctor --json");
}
