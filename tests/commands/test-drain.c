/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Drained GPUs: what vgpuctl shows and remembers, and where guests go instead. */

#include "fake/typed.h"
#include "lease/drained.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 2\n"                                      \
    "gpu 0000:3b:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 2\n"
#define HERE    "test:///default"
#define DRAINED "var/lib/libvirt-vgpu/drained"
#define FIRST   "0000:18:00.0"
#define SECOND  "0000:3b:00.0"

static struct scene scene;
static struct typed typed;

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
run(const char *line, int status)
{
    if (typed_run(&scene, HERE, line, &typed) != status)
        fail_msg("%s: %d, %s", line, typed.status, typed.faults);
}

static bool
exists(const char *path)
{
    struct stat status;

    return fstatat(scene.kernel.host.root, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The GPU of a device. The parent's directory contains one with the device's name. */
static bool
is_on(unsigned device, const char *gpu)
{
    char path[256];

    snprintf(path, sizeof(path), "sys/class/mdev_bus/%s/%s", gpu, scene_device(device));
    return faccessat(scene.kernel.host.root, path, F_OK, 0) == 0;
}

/* A running guest with a vGPU that somebody else made. The ledger does not know its device. */
static void
run_foreign_guest(unsigned guest, unsigned device, const char *gpu)
{
    AUTO_FREE char *xml = scene_xml(guest, "", (const unsigned[]){device, 0});

    assert_int_equal(fake_make(&scene.kernel, gpu, "nvidia-222", scene_device(device)), 0);
    scene_put_status(&scene, guest, getpid(), xml);
}

TEST(what_is_shown)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    run_foreign_guest(9, 2, FIRST);
    assert_int_equal(fake_make(&scene.kernel, SECOND, "nvidia-222", scene_device(3)), 0);
    typed_golden(&scene, HERE, "drain/gpu", "vgpuctl drain " FIRST);
    typed_golden(&scene, HERE, "drain/gpu-json", "vgpuctl drain " FIRST " --json");
    typed_golden(&scene, HERE, "drain/unknown", "vgpuctl drain 0000:99:00.0");
    typed_facts(&scene, HERE, "vgpuctl gpus -o GPU,MADE,ENABLED,DRAINED", 0,
                FIRST " 2 drained yes " SECOND " 1 yes no");
    typed_facts(&scene, HERE, "vgpuctl gpus --raw -o GPU,ENABLED,DRAINED", 0,
                FIRST " no yes " SECOND " yes no");
    scene_configure(&scene, "gpus = ( { address = \"" SECOND "\"; enabled = false; } );\n");
    typed_facts(&scene, HERE, "vgpuctl gpus -o GPU,ENABLED", 0, FIRST " drained " SECOND " no");
    scene_configure(&scene, "");
    typed_golden(&scene, HERE, "undrain/gpu", "vgpuctl undrain " FIRST);
    typed_golden(&scene, HERE, "undrain/not-drained-json", "vgpuctl undrain --json " FIRST);
    typed_golden(&scene, HERE, "undrain/unknown", "vgpuctl undrain 0000:99:00.0");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
}

TEST(nothing_on_it)
{
    run("vgpuctl drain " SECOND, 0);
    assert_string_equal(typed.printed, "");
    run("vgpuctl drain " SECOND " --json", 0);
    assert_string_equal(typed.printed,
                        "{\n   \"format\": 2,\n   \"memory-unit\": \"MiB\",\n   \"vgpus\": [],\n"
                        "   \"errors\": [],\n   \"warnings\": []\n}\n");
    assert_true(exists(DRAINED "/" SECOND));
    run("vgpuctl drain --columns SPEED " FIRST, 2);
    assert_false(exists(DRAINED "/" FIRST));
}

/* A GPU is drained together with its virtual functions. One function has a vGPU of ours. One
 * belongs to a guest that does not ask us for a vGPU. */
TEST(functions)
{
    AUTO_FREE char *xml = typed_functions(9, "", "", (const char *const[]){"0000:3d:00.6", NULL});

    scene_stop(&scene);
    scene_start(&scene, MACHINE "gpu 0000:3d:00.0 vf vfs 4 rule size\n"
                                "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n");
    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.6", "nvidia-1152", "0000:3d:00.6"), 0);
    scene_put_status(&scene, 9, getpid(), xml);
    typed_golden(&scene, HERE, "drain/functions", "vgpuctl drain 0000:3D:00.0");
    assert_int_equal(typed_prepare(&scene, 2, "L40S-8Q", "0000:3d:00.5"), 1);
    typed_assert_has(scene.said, "0000:3d:00.0 is drained (see vgpuctl undrain)");
    assert_string_equal(fake_type_of(&scene.kernel, "0000:3d:00.5"), "");
    /* A function cannot be drained, because it is no GPU. */
    run("vgpuctl drain 0000:3d:00.5", 1);
    typed_assert_has(typed.faults, "there is no GPU \"0000:3d:00.5\" here; there are: " FIRST);
    run("vgpuctl undrain 0000:3d:00.0", 0);
    assert_int_equal(typed_prepare(&scene, 2, "L40S-8Q", "0000:3d:00.5"), 0);
}

/* A claim is shown even if its vGPU is not visible yet. */
TEST(what_is_being_made)
{
    char text[512], boot_id[64];
    struct host host = {.root = scene.kernel.host.root, .ops = &host_kernel};

    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    snprintf(text, sizeof(text),
             "libvirt-vgpu-ledger 1 %s 2\n"
             "mdev %s nvidia-222 1024 " FIRST " " FIRST
             " aaaaaaaa-0000-4000-8000-000000000001 guest1 ua-gpu1 pending made 1:1 1 reap 1\n",
             boot_id, scene_device(1));
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
    run("vgpuctl drain -n -r " FIRST, 0);
    snprintf(text, sizeof(text), "%s nvidia-222 guest1 pending\n", scene_device(1));
    assert_string_equal(typed.printed, text);
    assert_true(host_read(&host, text, sizeof(text), "%s", DRAINED "/" FIRST) >= 0);
    assert_string_equal(text, "drain\n");
}

/* A GPU can be undrained in any spelling of its address, twice, and when the GPU is gone from the
 * machine. */
TEST(again_and_back)
{
    run("vgpuctl undrain 0000:3B:00.0", 0);
    run("vgpuctl drain 0000:3B:00.0", 0);
    assert_true(exists(DRAINED "/" SECOND));
    run("vgpuctl drain " SECOND, 0);
    run("vgpuctl undrain 0000:3B:00.0", 0);
    assert_false(exists(DRAINED "/" SECOND));
    run("vgpuctl drain " FIRST, 0);
    fake_vanish(&scene.kernel, FIRST);
    run("vgpuctl drain " FIRST, 1);
    run("vgpuctl undrain " FIRST, 0);
    assert_false(exists(DRAINED "/" FIRST));
    run("vgpuctl undrain " FIRST, 1);
    typed_assert_has(typed.faults, "there is no GPU \"" FIRST "\" here; there are:");
    run("vgpuctl undrain ../../../../etc", 1);
    run("vgpuctl undrain ..", 1);
}

/* An address as lspci prints it, without the domain, if only one GPU fits. */
TEST(by_a_short_address)
{
    static const char *const lines[] = {"status", "types", "drain", "undrain"};

    run("vgpuctl drain 3B:00.0", 0);
    assert_true(exists(DRAINED "/" SECOND));
    run("vgpuctl undrain 3b:00.0", 0);
    assert_string_equal(typed.printed, SECOND " is not drained any more\n");
    assert_false(exists(DRAINED "/" SECOND));
    run("vgpuctl undrain 3b:00.0", 0);
    assert_string_equal(typed.printed, SECOND " was not drained\n");
    run("vgpuctl types -n -r -o GPU 18:00.0", 0);
    assert_string_equal(typed.printed, FIRST "\n");
    run("vgpuctl drain 3c:00.0", 1);
    typed_assert_has(typed.faults, "there is no GPU \"3c:00.0\" here; there are: " FIRST "; ");
    run("vgpuctl drain b:00.0", 1);
    scene_stop(&scene);
    scene_start(&scene, MACHINE "gpu 10001:3b:00.0 rule size\n");
    for (size_t i = 0; i < COUNT(lines); i++) {
        char line[64];

        snprintf(line, sizeof(line), "vgpuctl %s 3b:00.0", lines[i]);
        run(line, 1);
        typed_assert_has(typed.faults, "type all of the address, as \"3b:00.0\" may be any of: ");
        typed_assert_has(typed.faults, SECOND);
        typed_assert_has(typed.faults, "10001:3b:00.0");
    }
    run("vgpuctl drain 10001:3b:00.0", 0);
    /* The address fits several GPUs, but only one of them can be meant. */
    run("vgpuctl undrain 3b:00.0", 0);
    assert_string_equal(typed.printed, "10001:3b:00.0 is not drained any more\n");
}

TEST(guests_go_elsewhere)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_true(is_on(1, FIRST));
    run("vgpuctl drain " FIRST, 0);
    /* The fullest GPU is filled first, unless it is drained. The guest on a drained GPU stays. */
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    assert_true(is_on(2, SECOND));
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-1B"), 1);
    typed_assert_has(scene.said, FIRST " is drained (see vgpuctl undrain)");
    typed_assert_has(scene.said, SECOND " is full (2 of 2)");
    assert_true(is_on(1, FIRST));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_false(is_on(1, FIRST));
    run("vgpuctl undrain " FIRST, 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-1B"), 0);
    assert_true(is_on(4, FIRST));
}

/* A kept vGPU would bring its guest back to the drained GPU. */
TEST(kept_there)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_true(is_on(1, FIRST));
    run("vgpuctl drain " FIRST, 0);
    typed_assert_has(typed.printed, " guest1 kept");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_true(is_on(1, SECOND));
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* Another guest's kept device on the drained GPU makes no room either. So it is not removed. */
TEST(kept_for_another)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    run("vgpuctl drain " FIRST, 0);
    run("vgpuctl drain " SECOND, 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 1);
    typed_assert_has(scene.said, SECOND " is drained");
    assert_true(is_on(1, FIRST));
}

/* A drain passes. So nobody calls a definition wrong because of it, and a guest can be given a vGPU
 * for its next start. */
#define SMALL "default_class = \"small\"; classes = { small = { types = [ \"T4-1B\" ]; }; };"

TEST(a_drain_is_not_never)
{
    AUTO_FREE char *first = typed_domain(1, TYPED_DEFINED, (const unsigned[]){1, 0});
    AUTO_FREE char *second = typed_domain(2, TYPED_DEFINED, (const unsigned[]){0});
    AUTO_FREE char *both = NULL;
    const char *libvirt;

    assert_true(asprintf(&both, "%s%s", first, second) > 0);
    libvirt = typed_libvirt(&scene, both);
    scene_configure(&scene, SMALL);
    run("vgpuctl drain " FIRST, 0);
    run("vgpuctl drain " SECOND, 0);
    typed_facts(&scene, libvirt, "vgpuctl explain guest1", 3,
                "guest1 asks for 1 vGPU, and cannot have what it asks for.\n" FIRST
                " no is drained (see vgpuctl undrain) " SECOND " no is drained");
    typed_facts(&scene, libvirt, "vgpuctl check --all", 0,
                "definitions: ok (domains: 2, vGPUs asked for: 1, warnings: 0)\n" FIRST
                ": warning: this GPU is drained:\n" SECOND ": warning: this GPU is drained:");
    typed_run(&scene, libvirt, "vgpuctl doctor -rn -o WORD,SEVERITY,TEXT", &typed);
    typed_assert_has(typed.printed, "drained note the\\x20GPU\\x20" FIRST "\\x20is\\x20drained");
    assert_null(strstr(typed.printed, "definition"));
    assert_int_equal(typed_run(&scene, libvirt, "vgpuctl attach guest2 --type T4-1B", &typed), 0);
    assert_string_equal(typed.faults, "");
}

/* vgpu.conf says so until somebody changes it. It is vgpu.conf's word, and no fault of the
 * definition. */
TEST(a_disabled_gpu_is_vgpu_confs_word)
{
    AUTO_FREE char *text = typed_domain(1, TYPED_DEFINED, (const unsigned[]){1, 0});
    const char *libvirt;

    libvirt = typed_libvirt(&scene, text);
    scene_configure(&scene, SMALL "\ngpus = ({ address = \"" FIRST "\"; enabled = false; },\n"
                                  "{ address = \"" SECOND "\"; enabled = false; });");
    typed_facts(&scene, libvirt, "vgpuctl explain guest1", 1,
                FIRST " no is disabled by /etc/libvirt-vgpu/vgpu.conf:2 " SECOND
                      " no is disabled by "
                      "/etc/libvirt-vgpu/vgpu.conf:3");
    typed_facts(
        &scene, libvirt, "vgpuctl check --all", 0,
        "(domains: 1, vGPUs asked for: 1, warnings: 1)\n"
        "/etc/libvirt-vgpu/vgpu.conf:1: warning: no guest can be given the class \"small\" here:\n"
        "warning: default_class is \"small\", which no guest can be given here\n"
        "warning: no GPU can take ua-gpu1 (small):");
    typed_run(&scene, libvirt, "vgpuctl doctor -rn -o WORD,SEVERITY,TEXT", &typed);
    assert_null(strstr(typed.printed, "definition"));
    /* A type that no GPU here has stays a fault. */
    scene_configure(&scene, "default_class = \"small\"; classes = { small = { types = [ "
                            "\"T4-16Q\" ]; }; };");
    assert_int_equal(typed_run(&scene, libvirt, "vgpuctl check --all", &typed), 1);
    typed_assert_has(typed.faults, "definitions with faults: 1 of 1");
}

/* While the host boots, a start does not wait for a drained GPU that is missing. */
TEST(no_use_waiting_for_it)
{
    fake_set_uptime(1000);
    scene_configure(&scene, "gpus = ({ address = \"0000:99:00.0\"; });");
    fake_write(&scene.kernel, DRAINED "/0000:99:00.0", "");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-8Q"), 1);
    assert_true(fake_now() < 6000);
}

/* The list of drained GPUs cannot be read. So any GPU may be drained. A guest that asks for no vGPU
 * starts all the same. */
TEST(not_to_be_told)
{
    AUTO_FREE char *plain = scene_xml(7, "", (const unsigned[]){0});

    fake_write(&scene.kernel, DRAINED, "no directory");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 1);
    typed_assert_has(scene.said, "vgpu: guest1: cannot tell which GPUs are drained: /" DRAINED
                                 ": Not a directory");
    scene_assert_empty(&scene);
    assert_int_equal(scene_hook(&scene, plain, "prepare", "begin"), 0);
    run("vgpuctl drain " FIRST, 1);
    run("vgpuctl gpus", 0);
    typed_assert_has(typed.faults, "vgpuctl: gpus: cannot tell which GPUs are drained");
}

/* A start that does not come to its end may have decided before the drain. */
TEST(somebody_keeps_the_lock)
{
    int lock;

    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    lock = openat(scene.kernel.host.root, "run/libvirt-vgpu/lock", O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    run("vgpuctl drain " SECOND, 1);
    typed_assert_has(typed.faults, SECOND " is drained, but a guest that is starting may still get "
                                          "a vGPU there: another process holds");
    close(lock);
    assert_true(exists(DRAINED "/" SECOND));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
}

/* Reads, adds and removes by the functions themselves, while no other GPU is drained. */
TEST(by_itself)
{
    AUTO(names_clear) struct names names = {0};
    struct error error;
    struct name gpu;

    assert_int_equal(name_parse(&gpu, "mtty"), 0);
    assert_int_equal(drained_read(&scene.kernel.host, &names), 0);
    assert_int_equal(names.count, 0);
    assert_int_equal(drained_remove(&scene.kernel.host, &gpu, &error), 0);
    assert_int_equal(drained_add(&scene.kernel.host, &gpu, &(struct drained_note){0}, &error), 0);
    assert_int_equal(drained_add(&scene.kernel.host, &gpu, &(struct drained_note){0}, &error), 0);
    assert_int_equal(drained_read(&scene.kernel.host, &names), 0);
    assert_int_equal(names.count, 1);
    assert_string_equal(names.items[0].text, "mtty");
    assert_int_equal(drained_remove(&scene.kernel.host, &gpu, &error), 1);
    assert_int_equal(drained_remove(&scene.kernel.host, &gpu, &error), 0);
}
