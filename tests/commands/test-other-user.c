/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What vgpuctl tells somebody who is not root: the same as it tells root. Where only root can know,
 * it says so. */

#include "fake/typed.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define FIRST "0000:18:00.0"
#define MACHINE                                                                                    \
    "gpu " FIRST " rule size numa 0\n"                                                             \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"                                      \
    "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 2\n"                                      \
    "gpu 0000:3b:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
#define SMALL  "default_class = \"small\"; classes = { small = { types = [ \"T4-1B\" ]; }; };"
#define NOBODY 65534 /* uid of another user */
#define WHY    "only root can read /run/libvirt-vgpu/claims"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {
    {.scene = &scene, .machine = MACHINE, .configuration = SMALL}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* The files that libvirt and the hook make for root alone. */
static const char *const roots[] = {"run/libvirt-vgpu/claims", "run/libvirt-vgpu/lock",
                                    "run/libvirt/qemu/guest1.xml"};

/* Becomes another user, and root again. If the test does not run as root, its own user loses the
 * right to read these files. */
static void
become_another(bool another)
{
    bool is_root = getuid() == 0;

    for (size_t i = 0; i < COUNT(roots); i++)
        fchmodat(scene.kernel.host.root, roots[i], another && !is_root ? 0 : 0600, 0);
    if (is_root)
        assert_int_equal(seteuid(another ? NOBODY : 0), 0);
    /* Such a change takes /proc/self away, which the simulated clock needs. */
    prctl(PR_SET_DUMPABLE, 1);
}

/* Guest 1 runs, and libvirt tells so. */
static void
run_guest(void)
{
    AUTO_FREE char *xml = scene_xml_at(1, scene_device(1), "type='T4-1B'");

    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "started", "begin"), 0);
    scene_put_status(&scene, 1, getpid(), xml);
}

static const char *
libvirt(void)
{
    AUTO_FREE char *running = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *defined = typed_domain(2, TYPED_DEFINED, (const unsigned[]){2, 0});
    AUTO_FREE char *all = NULL;

    assert_true(asprintf(&all, "%s%s", running, defined) > 0);
    return typed_libvirt(&scene, all);
}

/* Runs a line as root and as another user. Both read the same. */
static void
compare(const char *uri, const char *line)
{
    AUTO_FREE char *printed = NULL, *faults = NULL;
    int status = typed_run(&scene, uri, line, &typed);

    printed = strdup(typed.printed);
    faults = strdup(typed.faults);
    become_another(true);
    typed_run(&scene, uri, line, &typed);
    become_another(false);
    if (strcmp(printed, typed.printed) || status != typed.status || strcmp(typed.faults, faults))
        fail_msg("%s\nroot reads (%d):\n%s%sanother user (%d):\n%s%s", line, status, printed,
                 faults, typed.status, typed.printed, typed.faults);
}

TEST(a_running_guest)
{
    static const char *const lines[] = {
        "vgpuctl gpus",
        "vgpuctl gpus --json",
        "vgpuctl types",
        "vgpuctl list",
        "vgpuctl list --json",
        "vgpuctl status",
        "vgpuctl status --json",
        "vgpuctl guests",
        "vgpuctl explain guest1",
        "vgpuctl explain guest1 --json",
        "vgpuctl explain guest2",
        "vgpuctl orphans",
        "vgpuctl check",
        "vgpuctl check --all",
        "vgpuctl metrics",
        "vgpuctl where guest2",
        "vgpuctl migrate-check guest1 test:///default",
        "vgpuctl ready",
        "vgpuctl sriov status",
    };
    const char *uri;

    assert_int_equal(chmod(scene.kernel.path, 0755), 0);
    run_guest();
    uri = libvirt();
    typed_run(&scene, uri, "vgpuctl explain guest1", &typed);
    typed_assert_has(typed.printed, "has all it asks for");
    for (size_t i = 0; i < COUNT(lines); i++)
        compare(uri, lines[i]);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
}

/* The program's own directory decides who plugs, whoever may write beside it. */
TEST(who_may_not_plug)
{
    int root = scene.kernel.host.root;

    assert_int_equal(chmod(scene.kernel.path, 0755), 0);
    run_guest();
    assert_int_equal(fchmodat(root, "run", 0777, 0), 0);
    assert_int_equal(fchmodat(root, "run/libvirt-vgpu", 0555, 0), 0);
    become_another(true);
    typed_expect(&scene, "test:///default", "vgpuctl attach test --type T4-1B --live", 1,
                 "a running guest's vGPU is made and removed by ourselves, not by libvirt's hook",
                 &typed);
    become_another(false);
    assert_int_equal(fchmodat(root, "run/libvirt-vgpu", 0755, 0), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
}

/* A device that is left behind is somebody's work, or nobody's. */
TEST(what_only_root_knows)
{
    const char *uri;

    assert_int_equal(chmod(scene.kernel.path, 0755), 0);
    run_guest();
    uri = libvirt();
    scene.kernel.faults->fail_at = scene.kernel.faults->writes + 1;
    scene.kernel.faults->fail_with = EIO;
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving") + scene_leases(&scene, "removing"), 1);
    become_another(true);
    typed_run(&scene, uri, "vgpuctl explain guest2", &typed);
    become_another(false);
    typed_assert_has(typed.faults, "vgpuctl: explain: ");
    typed_assert_has(typed.faults, WHY);
    become_another(true);
    typed_run(&scene, uri, "vgpuctl types", &typed);
    become_another(false);
    typed_assert_has(typed.faults, WHY);
    typed_run(&scene, uri, "vgpuctl explain guest2", &typed);
    assert_string_equal(typed.faults, "");
}
