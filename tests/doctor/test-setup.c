/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A boot, or a reload of the driver, took something away from a card. doctor tells the first part
 * that is not as vgpu.conf declares it, and what sets cards up at boot. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define CARD  "0000:41:00.0"
#define INTEL "0000:03:00.0"
#define FIRST "0000:41:00.4"
#define HERE  "test:///default"
#define WANTS "etc/systemd/system/multi-user.target.wants/"
#define UNIT  WANTS "libvirt-vgpu-setup.service"
#define MIG   "type nvidia-700 \"NVIDIA A30-2-12C\" framebuffer 12288 slices 2 instances %u\n"
#define SHARED                                                                                     \
    "type nvidia-1152 \"NVIDIA A30-8Q\" framebuffer 8192 max 3\n"                                  \
    "type nvidia-1151 \"NVIDIA A30-4Q\" framebuffer 4096 max 6\n"
#define SMALL "type nvidia-701 \"NVIDIA A30-1-6C\" framebuffer 6144 slices 1 instances %u\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = NULL}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* A card with four functions, and the other files that a host needs. `words` are more words for the
 * card in the machine's text. */
static void
start(const char *words, unsigned instances)
{
    char machine[1024];

    snprintf(machine, sizeof(machine),
             "gpu " CARD " vf vfs 4 rule size %s\n" SHARED MIG SMALL "gpu " INTEL
             " xe vfs 2 memory 24480\n",
             words, instances, instances);
    scene_start(&scene, machine);
}

/* How many findings of doctor are about this name. `words` must be in one of them. */
static unsigned
count(const char *name, const char *words)
{
    char line[64];
    unsigned ret = 0;

    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    snprintf(line, sizeof(line), ": %s\n", name);
    for (const char *at = typed.printed; (at = strstr(at, line)); at++)
        ret++;
    if (ret && *words)
        typed_assert_has(typed.printed, words);
    return ret;
}

static void
declare(const char *setup)
{
    scene_declare(&scene, CARD, setup);
}

/* doctor has this finding, and no other finding about the same. */
static void
differs(const char *words)
{
    char text[256];

    snprintf(text, sizeof(text),
             "the GPU " CARD " is not as /etc/libvirt-vgpu/vgpu.conf:1 declares it: it %s\n"
             "  What to do:\n      vgpuctl setup " CARD "\n",
             words);
    if (count("setup", text) != 1 || count("virtual-functions", "") || count("function-types", ""))
        fail_msg("not only one \"%s\": %s", words, typed.printed);
}

static void
as_declared(void)
{
    if (count("setup", ""))
        fail_msg("%s", typed.printed);
}

TEST(functions)
{
    start("", 0);
    declare("functions = \"all\";");
    as_declared();
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
    typed_assert_has(typed.printed, "libvirt_vgpu_gpu_as_declared{gpu=\"" CARD "\"} 1\n");
    typed_run(&scene, HERE, "vgpuctl gpus -rn -o gpu,setup", &typed);
    typed_assert_has(typed.printed, CARD " as\\x20declared\n");
    assert_int_equal(fake_enable(&scene.kernel, CARD, 0), 0);
    differs("has 0 virtual functions, and not 4");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
    typed_assert_has(typed.printed, "libvirt_vgpu_gpu_as_declared{gpu=\"" CARD "\"} 0\n");
    typed_golden(&scene, HERE, "doctor/setup", "vgpuctl doctor");
    /* What is not declared is found by another check. */
    declare("sizes = \"mixed\";");
    as_declared();
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
    assert_null(strstr(typed.printed, "as_declared"));
    assert_int_equal(count("virtual-functions", "has 4 virtual functions"), 1);
    scene_configure(&scene, "gpus = ({ address = \"" CARD
                            "\"; enabled = false; setup = { functions = \"all\"; }; });\n");
    as_declared();
    scene_configure(&scene, "gpus = ({ address = \"" INTEL "\"; setup = { functions = 1; }; });\n");
    assert_int_equal(count("setup", "the GPU " INTEL " is not as /etc/libvirt-vgpu/vgpu.conf:1 "
                                    "declares it: it has 2 virtual functions, and not 1"),
                     1);
}

#define INSTANCES "functions = \"all\"; instances = [ \"2g.12gb\" ];"

TEST(mig_mode)
{
    start("", 2);
    as_declared();
    declare(INSTANCES);
    differs("is not in MIG mode");
    declare("functions = \"all\"; instances = [ ];");
    as_declared();
}

TEST(instances)
{
    start("mig", 0);
    assert_int_equal(count("function-types", ""), 1);
    declare(INSTANCES);
    differs("has no GPU instances");
    /* The functions come first. */
    assert_int_equal(fake_enable(&scene.kernel, CARD, 0), 0);
    differs("has 0 virtual functions, and not 4");
    assert_int_equal(fake_enable(&scene.kernel, CARD, 4), 0);
    fake_instances(&scene.kernel, CARD, "nvidia-700", 1);
    as_declared();
    /* All instances are given to guests. So nothing is lost. */
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-700", FIRST), 0);
    as_declared();
}

TEST(sizes)
{
    start("", 0);
    declare("functions = \"all\"; sizes = \"mixed\";");
    /* An empty card does not show whether it takes several sizes. */
    as_declared();
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
    differs("takes vGPUs of one size only");
    declare("functions = \"all\"; sizes = \"equal\";");
    as_declared();
    typed_tear_down(state);
    start("rule mixed memory 24576", 0);
    declare("functions = \"all\"; sizes = \"mixed\";");
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
    as_declared();
}

/* What sets the cards up at boot. A host without systemd has something else for it. */
TEST(units)
{
    static const char *const cards[] = {CARD, INTEL};

    start("", 0);
    declare(INSTANCES);
    assert_int_equal(count("setup-unit", ""), 0);
    fake_write(&scene.kernel, "run/systemd/system/any", "");
    assert_int_equal(count("setup-unit", "/etc/libvirt-vgpu/vgpu.conf:1 declares how the GPU " CARD
                                         " is set up, and nothing does that at boot"),
                     1);
    typed_assert_has(typed.printed, "\n      systemctl enable libvirt-vgpu-setup.service\n");
    fake_write(&scene.kernel, UNIT, "");
    assert_int_equal(count("setup-unit", ""), 0);
    fake_write(&scene.kernel, WANTS "nvidia-mig-manager.service", "");
    assert_int_equal(count("setup-unit", "nvidia-mig-manager.service makes GPU instances at boot"),
                     1);
    assert_int_equal(count("setup-undeclared",
                           "the next boot takes the 2 virtual functions of the GPU " INTEL " away"),
                     1);
    /* The units of one GPU each. */
    for (size_t i = 0; i < COUNT(cards); i++) {
        char path[256];

        snprintf(path, sizeof(path), WANTS "libvirt-vgpu-sriov@%s.service", cards[i]);
        fake_write(&scene.kernel, path, "");
    }
    assert_int_equal(count("setup-undeclared", ""), 0);
    assert_int_equal(count("setup-old-unit",
                           "the unit libvirt-vgpu-sriov@" CARD
                           ".service enables the virtual functions of the GPU " CARD
                           ", which /etc/libvirt-vgpu/vgpu.conf:1 declares"),
                     1);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    assert_int_equal(count("setup-old-unit",
                           "the GPU " INTEL " has no virtual functions, although "
                           "libvirt-vgpu-sriov@" INTEL ".service is to enable them at boot"),
                     2);
}
