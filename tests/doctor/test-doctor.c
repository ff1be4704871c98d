/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What vgpuctl doctor finds: each fault planted on a host that has no other. */

#include "doctor/diagnosis.h"
#include "fake/fake-parts.h"
#include "fake/typed.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16 heads 4\n"

#define HERE    "test:///default"
#define CONF    "etc/libvirt-vgpu/vgpu.conf"
#define HOOKS   "etc/libvirt/hooks"
#define LINK    HOOKS "/qemu.d/50-vgpu"
#define PROGRAM "usr/sbin/libvirt-vgpu-hook"
#define PCI     "sys/bus/pci/devices/0000:3d:00.0"

static struct scene scene;
static struct typed typed;

static void
put(const char *path, const char *text)
{
    fake_write(&scene.kernel, path, text);
}

static void
mode(const char *path, mode_t bits)
{
    assert_int_equal(fchmodat(scene.kernel.host.root, path, bits, 0), 0);
}

static void
drop(const char *path)
{
    assert_int_equal(unlinkat(scene.kernel.host.root, path, 0), 0);
}

static void
link_to(const char *target, const char *path)
{
    unlinkat(scene.kernel.host.root, path, 0);
    assert_int_equal(symlinkat(target, scene.kernel.host.root, path), 0);
}

static void
program(const char *path)
{
    put(path, "#!/bin/sh\n");
    mode(path, 0755);
}

/* What every host has on which nothing is wrong. */
static void
start(const char *machine)
{
    scene_start(&scene, machine);
    program(PROGRAM);
    put(HOOKS "/qemu.d/README", "not executable\n");
    link_to("/" PROGRAM, LINK);
    put("dev/vfio/vfio", "");
    put("sys/class/iommu/dmar0", "");
}

static int
setup(void **state)
{
    (void)state;
    start(MACHINE);
    put(CONF, "gpus = ({ address = \"0000:18:00.0\"; });\n");
    put("etc/libvirt-vgpu/conf.d/10-more.conf", "placement = \"spread\";\n");
    put("sys/devices/0000:18:00.0/vendor", "0x10de\n");
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    typed_clear(&typed);
    return scene_stop(&scene), 0;
}

/* Domains, each the text of its devices, as libvirt's test driver reads them. */
static const char *
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

#define HOSTDEV(uuid, alias)                                                                       \
    "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address uuid='" uuid          \
    "'/></source><alias name='" alias "'/></hostdev>"
#define DEVICE1 "dddddddd-0000-4000-8000-000000000001"
#define DEVICE2 "dddddddd-0000-4000-8000-000000000002"
#define GUEST1  "aaaaaaaa-0000-4000-8000-000000000001"

#define LINES "vgpuctl doctor --raw -n -o CHECK,SEVERITY,FINDING"

static void
assert_healthy(const char *uri)
{
    typed_run(&scene, uri, "vgpuctl doctor", &typed);
    assert_string_equal(typed.printed, "no fault found\n");
    assert_string_equal(typed.faults, "");
    assert_int_equal(typed.status, 0);
}

/* This fault, and no other. */
static void
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

/* No fault, but worth a line. */
static void
assert_note(const char *uri, const char *check, const char *words)
{
    assert_int_equal(typed_run(&scene, uri, "vgpuctl doctor", &typed), 0);
    typed_assert_has(typed.printed, "no fault found\n");
    typed_assert_has(typed.printed, check);
    typed_assert_has(typed.printed, words);
    assert_string_equal(typed.faults, "");
}

static void
healthy(void **state)
{
    (void)state;
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

/* As packages install it: its own path is nothing that anybody wants to read or type. */
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

/* Where a directory is a link, ".." is not what stands before it, even if there is such a
 * file, too. */
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

/* What README.md shows; check-golden.sh compares. */
static void
readme(void **state)
{
    (void)state;
    not_executable();
    typed_golden(&scene, HERE, "readme/doctor", "vgpuctl doctor");
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

/* Enforcing, with our module, and all has its type. */
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

static void
functions_off(void)
{
    put(PCI "/vendor", "0x10de\n");
    put(PCI "/sriov_totalvfs", "16\n");
    put(PCI "/sriov_numvfs", "0\n");
    link_to("../../../../bus/pci/drivers/nvidia", PCI "/driver");
}

/* As nova-core has them: no nvidia/ in sysfs, and a VFIO driver of its own. */
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

/* A script of the administrator's that runs our hook. */
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
    {leaving, "leaving", "the vGPU " DEVICE1 ", which was guest1's, is to go for "},
    {removing, "leaving", "the vGPU " DEVICE1 ", which was guest1's, is to go for "},
    {no_timer, "timer", "libvirt-vgpu-reconcile.timer is not enabled"},
    {rule, "mdevctl-rule", "60-mdevctl.rules runs /usr/sbin/mdevctl, which is not there"},
};

static void
planted(void **state)
{
    for (size_t i = 0; i < COUNT(plants); i++) {
        if (i) {
            teardown(state);
            setup(state);
        }
        assert_healthy(HERE);
        plants[i].plant();
        assert_fault(HERE, plants[i].check, plants[i].words);
        /* A name that the tests' own clean-up passes by. */
        unlinkat(scene.kernel.host.root, HOOKS "/qemu.d/50-vgpu~", 0);
    }
}

/* A scene with no /sys/bus/mdev at all. */
static void
no_module(void **state)
{
    (void)state;
    scene_stop(&scene);
    scene_start(&scene, "");
    program(PROGRAM);
    put(HOOKS "/qemu.d/", NULL);
    link_to("/" PROGRAM, LINK);
    put("dev/vfio/vfio", "");
    assert_int_equal(unlinkat(scene.kernel.host.root, "sys/bus/mdev/devices", AT_REMOVEDIR), 0);
    assert_int_equal(unlinkat(scene.kernel.host.root, "sys/bus/mdev", AT_REMOVEDIR), 0);
    assert_fault(HERE, "module-mdev", "its module mdev is not loaded");
}

/* What is as it should be, although it is not as usual. */
static void
harmless(void **state)
{
    (void)state;
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

static void
notes(void **state)
{
    (void)state;
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

static void
selinux_remedies(void **state)
{
    (void)state;
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

/* libvirt's daemon, with all of it that is looked at; `started` is in clock ticks since boot. */
#define DAEMON "proc/4711"

/* Before the scene was made, and after it. */
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

/* Files of profiles enforce nothing: the kernel knows. */
static void
apparmor_of_a_daemon(void **state)
{
    static const char *const harmless[] = {"unconfined\n", "virtqemud (complain)\n"};

    (void)state;
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

/* When a file was, in seconds since boot. */
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

/* It looks for hooks when it starts; what came later it knows only if there was one then. */
static void
unseen(void **state)
{
    (void)state;
    put_daemon(IN_A_LONG_TIME);
    assert_healthy(HERE);
    put_daemon(AT_BOOT);
    assert_fault(HERE, "hook-unseen", "virtqemud (process 4711)");
    /* It has called us: so somebody told it. */
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_healthy(HERE);
    put_daemon(IN_A_LONG_TIME);
    assert_healthy(HERE);
}

static void
an_ended_daemon_is_none(void **state)
{
    (void)state;
    put_daemon(AT_BOOT);
    drop_daemon();
    assert_healthy(HERE);
}

static void
seen_through_another(void **state)
{
    double other;

    (void)state;
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

static void
domains(void **state)
{
    (void)state;
    assert_fault(
        libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-a"),
                                      HOSTDEV(DEVICE2, "ua-b") HOSTDEV(DEVICE1, "ua-c"), NULL}),
        "duplicate-uuid", "the domains guest1 and guest2 both name the vGPU " DEVICE1);
    assert_fault("test:///no/such/file", "libvirt", "cannot connect to test:///no/such/file");
    assert_int_equal(scene_prepare(&scene, 9, 2, "T4-1B"), 0);
    assert_fault(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-a"), NULL}), "orphan",
                 "no domain refers to the vGPU " DEVICE2 ", which was guest9's");
    assert_int_equal(scene_release(&scene, 9, 2), 0);
}

/* What is printed to be copied does what it says, and no more. */
static void
a_name_for_a_shell(void **state)
{
#define ODD(name, number)                                                                          \
    "<domain type='test'><name>" name "</name><uuid>aaaaaaaa-0000-4000-8000-00000000000" number    \
    "</uuid><memory>1024</memory><os><type>hvm</type></os><devices>" HOSTDEV(                      \
        DEVICE1, "ua-a") "</devices></domain>\n"
    (void)state;
    assert_fault(typed_libvirt(&scene, ODD("a;id", "1") ODD("b;id", "2")), "duplicate-uuid",
                 "a;id and b;id");
    typed_run(&scene, typed_libvirt(&scene, ODD("a;id", "1") ODD("b;id", "2")), "vgpuctl doctor",
              &typed);
    typed_assert_has(typed.printed, "give b;id vGPUs of its own:");
    typed_assert_has(typed.printed, "virsh edit 'b;id'\n");
}

static void
started_by_mdevctl(void **state)
{
    const char *const devices[] = {HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL};

    (void)state;
    put(CONF, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    put("etc/mdevctl.d/0000:18:00.0/" DEVICE1,
        "{ \"mdev_type\": \"nvidia-222\", \"start\": \"manual\", \"attrs\": [] }\n");
    assert_healthy(libvirt(devices));
    put("etc/mdevctl.d/0000:18:00.0/" DEVICE1,
        "{ \"mdev_type\": \"nvidia-222\", \"start\": \"auto\", \"attrs\": [] }\n");
    assert_fault(libvirt(devices), "mdevctl-start",
                 "mdevctl starts the vGPU " DEVICE1 " by itself, which the domain guest1");
    /* Nobody asks us for that one. */
    assert_healthy(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-mine"), NULL}));
}

/* A host that has virtual functions only, of which one is free, and no module mdev. */
#define CARD     "0000:41:00.0"
#define FIRST    "0000:41:00.4"
#define SECOND   "0000:41:00.5"
#define FUNCTION "sys/devices/" FIRST
#define FUNCTIONS                                                                                  \
    "gpu " CARD " vf vfs 2 rule size numa 0 device 26b9\n"                                         \
    "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
#define PCI_HOSTDEV(function, managed, alias)                                                      \
    "<hostdev mode='subsystem' type='pci' managed='" managed "'><source>"                          \
    "<address domain='0' bus='0x41' slot='0' function='" function                                  \
    "'/></source><alias name='" alias "'/></hostdev>"

static int
setup_functions(void **state)
{
    (void)state;
    start(FUNCTIONS);
    assert_int_equal(unlinkat(scene.kernel.host.root, "sys/bus/mdev/devices", AT_REMOVEDIR), 0);
    assert_int_equal(unlinkat(scene.kernel.host.root, "sys/bus/mdev", AT_REMOVEDIR), 0);
    assert_int_equal(fake_make(&scene.kernel, SECOND, "nvidia-1152", SECOND), 0);
    return 0;
}

static void
bound_to_vfio(void)
{
    fake_bind(&scene.kernel, FIRST, "vfio-pci");
}

static void
bound_to_nothing(void)
{
    fake_bind(&scene.kernel, FIRST, "");
}

static void
typed_and_bound_to_vfio(void)
{
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
    link_to("../../bus/pci/drivers/vfio-pci", FUNCTION "/driver");
}

static void
no_interface(void)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, FUNCTION "/nvidia", root, FUNCTION "/hidden"), 0);
}

static void
no_cdev(void)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, FUNCTION "/vfio-dev", root, FUNCTION "/hidden"), 0);
}

static void
no_probing(void)
{
    put("sys/devices/" CARD "/sriov_drivers_autoprobe", "0\n");
}

/* What was listed once is no type of today's. */
static void
nothing_listed(void)
{
    put("run/libvirt-vgpu/types", CARD " nvidia-1152 NVIDIA L40S-8Q\n");
    assert_int_equal(fake_remove(&scene.kernel, SECOND), 0);
    scene.kernel.faults->unreadable = 1;
}

static void
functions(void **state)
{
    static const struct {
        void (*plant)(void);
        const char *check, *words;
    } faults[] = {
        {bound_to_vfio, "function-driver", "made on them: " FIRST " (vfio-pci)"},
        {bound_to_nothing, "function-driver", "made on them: " FIRST " (none)"},
        {typed_and_bound_to_vfio, "function-driver",
         "made on them: " FIRST " (vfio-pci, with the type nvidia-1152)"},
        {no_interface, "function-types",
         "the GPU " CARD " are no parents of vGPUs, although they have its driver: " FIRST},
        {nothing_listed, "function-types",
         "the GPU " CARD " has no vGPU, and its driver offers no"},
        {no_cdev, "function-vfio", "the GPU " CARD " have no vfio-dev"},
        {no_probing, "function-probe", "sriov_drivers_autoprobe of the GPU " CARD " is 0"},
    };

    for (size_t i = 0; i < COUNT(faults); i++) {
        if (i) {
            teardown(state);
            setup_functions(state);
        }
        assert_healthy(HERE);
        put("sys/devices/" CARD "/sriov_drivers_autoprobe", "1\n");
        assert_healthy(HERE);
        faults[i].plant();
        assert_fault(HERE, faults[i].check, faults[i].words);
        put(CONF, "gpus = ({ address = \"" CARD "\"; enabled = false; });\n");
        assert_healthy(HERE);
    }
}

/* What to do, in full; and no more names than anybody reads. */
static void
function_advice(void **state)
{
    (void)state;
    scene_stop(&scene);
    start("gpu " CARD " vf vfs 16 rule size numa 0 device 26b9\n"
          "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n");
    for (unsigned i = 4; i < 16; i++) {
        char address[32];

        snprintf(address, sizeof(address), "0000:41:%02x.%x", i / 8, i % 8);
        fake_bind(&scene.kernel, address, "vfio-pci");
    }
    no_probing();
    typed_golden(&scene, HERE, "doctor/functions", "vgpuctl doctor");
    typed_golden_on(&scene, HERE, &typed_screen, "doctor/functions-screen", "vgpuctl doctor");
}

/* Of two commands, one or the other. */
static void
one_command_or_another(void **state)
{
    (void)state;
    functions_off();
    typed_golden(&scene, HERE, "doctor/functions-off", "vgpuctl doctor");
}

/* Intel's card: the host has a function itself, memory is not stated or is shared out already, and
 * nothing can migrate. */
static void
intel(void **state)
{
    (void)state;
    scene_stop(&scene);
    start("gpu 0000:03:00.0 xe vfs 2 memory 16384\n");
    fake_put_driver(&scene.kernel, "0000:03:00.4", "xe");
    put(CONF, "profiles = { b50-8g = { vram = \"8G\"; }; };\n");
    typed_golden(&scene, HERE, "doctor/intel", "vgpuctl doctor");
    put(CONF, "profiles = { b50-8g = { vram = \"8G\"; }; };\n"
              "gpus = ( { address = \"0000:03:00.0\"; vram = \"16G\"; } );\n");
    put("sys/bus/pci/drivers/xe-vfio-pci/unbind", "");
    fake_put_driver(&scene.kernel, "0000:03:00.4", "vfio-pci");
    assert_healthy(HERE);
    fake_profile(&scene.kernel, "0000:03:00.4")[0] = 4ull << 30;
    fake_profile(&scene.kernel, "0000:03:00.5")[0] = 4ull << 30;
    assert_healthy(HERE);
    fake_profile(&scene.kernel, "0000:03:00.4")[0] = 6ull << 30;
    fake_profile(&scene.kernel, "0000:03:00.5")[0] = 7ull << 30;
    assert_healthy(HERE);
    put(CONF, "profiles = { b50-8g = { vram = \"8G\"; }; b50-16g = { vram = \"16G\"; }; };\n"
              "gpus = ( { address = \"0000:03:00.0\"; vram = \"16G\"; } );\n");
    typed_golden(&scene, HERE, "doctor/intel-preset", "vgpuctl doctor");
}

/* libvirt's test driver runs no QEMU, so its version says nothing: it is told here. */
static void
libvirt_version(void **state)
{
    static const struct {
        unsigned version;
        const char *words; /* NULL: no fault */
    } rows[] = {
        {0, NULL},
        {9006000, "libvirt 9.6.0 gives no guest a virtual function that keeps its driver, as vGPUs "
                  "of the GPU " CARD " have to"},
        {9007000, NULL},
        {11003000, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(diagnosis_clear) struct diagnosis diagnosis = DIAGNOSIS_NONE;
        struct error error;

        assert_int_equal(diagnosis_make(&scene.kernel.host, HERE, &diagnosis, &error), 0);
        assert_int_equal(diagnosis.count, 0);
        assert_int_equal(diagnosis.references.libvirt_version, 0);
        diagnosis.references.libvirt_version = rows[i].version;
        for (diagnosis.check = function_checks; diagnosis.check->name; diagnosis.check++) {
            if (diagnosis.check->look)
                diagnosis.check->look(&diagnosis);
        }
        assert_int_equal(diagnosis.count, rows[i].words != NULL);
        if (!rows[i].words)
            continue;
        assert_string_equal(diagnosis.findings[0].check->name, "libvirt-version");
        assert_string_equal(diagnosis.findings[0].text.text, rows[i].words);
    }
}

static void
function_domains(void **state)
{
    (void)state;
    put(CONF, "classes = { small = { types = [ \"L40S-8Q\" ]; }; };\n");
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("4", "no", "ua-a"), NULL}));
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("4", "no", "ua-a"),
                                               PCI_HOSTDEV("4", "no", "ua-b"), NULL}),
                 "duplicate-function",
                 "the domains guest1 and guest2 both name the virtual function " FIRST);
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("5", "yes", "ua-a"), NULL}),
                 "function-managed", "guest1 says managed='yes' for the virtual function " SECOND);
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("6", "no", "ua-vgpu-small"), NULL}),
                 "function-missing",
                 "guest1 asks for a vGPU on 0000:41:00.6, which this host does not have");
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("0", "no", "ua-vgpu-small"), NULL}),
                 "function-missing", "on " CARD ", which is no virtual function (its driver is");
    /* A PCI device that is none of ours may be shared, managed, and elsewhere. */
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("6", "yes", "ua-a"),
                                                 PCI_HOSTDEV("6", "yes", "ua-b"), NULL}));
    /* A pool's function has nothing to lose by it. */
    put("sys/bus/pci/devices/0000:41:00.7/vendor", "0x1002");
    put(CONF, "pools = { bare = { functions = [ \"0000:41:00.7\" ]; }; };\n");
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("7", "yes", "ua-a"), NULL}));
    put(CONF, "");
    /* Nobody refers to the one with a type, and it is not ours to speak of; another is. */
    assert_int_equal(typed_prepare(&scene, 9, "L40S-8Q", FIRST), 0);
    assert_fault(libvirt((const char *const[]){NULL}), "orphan",
                 "no domain refers to the vGPU " FIRST ", which was guest9's");
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("4", "no", "ua-a"), NULL}));
}

static void
switched_off(void **state)
{
    (void)state;
    put("etc/libvirt-vgpu/conf.d/20-off.conf", "\nenabled = false;\n");
    assert_fault(
        HERE, "disabled",
        "/etc/libvirt-vgpu/conf.d/20-off.conf:2 says enabled = false: no guest is given a");
}

/* What check --all calls a fault, and no more. */
static void
definitions(void **state)
{
    (void)state;
    assert_fault(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL}),
                 "definition",
                 "a start of the domain guest1 would be refused: ua-vgpu-small asks for the class "
                 "\"small\", and vgpu.conf has none");
    put(CONF, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    assert_healthy(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL}));
    put(CONF, "classes = { small = { types = [ \"A40-1B\" ]; }; };\n");
    assert_fault(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL}),
                 "definition", "ua-vgpu-small wants small, which no GPU here has");
}

static void
several(void **state)
{
    (void)state;
    not_executable();
    gpu_not_there();
    typed_golden(&scene, HERE, "doctor/findings", "vgpuctl doctor");
    typed_golden_on(&scene, HERE, &typed_screen, "doctor/findings-screen", "vgpuctl doctor");
    typed_golden(&scene, HERE, "doctor/findings-table", "vgpuctl doctor -n");
    typed_golden_on(&scene, HERE, &typed_screen, "doctor/findings-table-screen",
                    "vgpuctl doctor -o severity,finding,remedy");
    typed_golden(&scene, HERE, "doctor/findings-json", "vgpuctl doctor --json");
}

int
main(void)
{
#define TEST(function)          cmocka_unit_test_setup_teardown(function, setup, teardown)
#define FUNCTION_TEST(function) cmocka_unit_test_setup_teardown(function, setup_functions, teardown)
    const struct CMUnitTest tests[] = {
        TEST(healthy),
        TEST(readme),
        TEST(planted),
        TEST(no_module),
        TEST(harmless),
        TEST(notes),
        TEST(unseen),
        TEST(selinux_remedies),
        TEST(apparmor_of_a_daemon),
        TEST(an_ended_daemon_is_none),
        TEST(seen_through_another),
        TEST(domains),
        TEST(a_name_for_a_shell),
        TEST(started_by_mdevctl),
        TEST(definitions),
        TEST(switched_off),
        TEST(several),
        FUNCTION_TEST(functions),
        FUNCTION_TEST(function_advice),
        FUNCTION_TEST(one_command_or_another),
        FUNCTION_TEST(intel),
        FUNCTION_TEST(libvirt_version),
        FUNCTION_TEST(function_domains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
