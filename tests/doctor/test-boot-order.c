/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A boot, or a reload of the driver, took something away from a card. doctor tells the first step
 * of the repair, only once, and only for a card that had it before. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define CARD  "0000:41:00.0"
#define INTEL "0000:03:00.0"
#define FIRST "0000:41:00.4"
#define HERE  "test:///default"
#define CONF  "etc/libvirt-vgpu/vgpu.conf"
#define WANTS "etc/systemd/system/multi-user.target.wants/libvirt-vgpu-sriov@"
#define MIG   "type nvidia-700 \"NVIDIA A30-2-12C\" framebuffer 12288 slices 2 instances %u\n"
#define SHARED                                                                                     \
    "type nvidia-1152 \"NVIDIA A30-8Q\" framebuffer 8192 max 3\n"                                  \
    "type nvidia-1151 \"NVIDIA A30-4Q\" framebuffer 4096 max 6\n"
#define SMALL   "type nvidia-701 \"NVIDIA A30-1-6C\" framebuffer 6144 slices 1 instances %u\n"
#define ALLOWED "gpus = ({ address = \"" CARD "\"; types = [ \"A30-2-12C\" ]; });\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = NULL}, &typed};

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
    snprintf(line, sizeof(line), "warning: %s\n", name);
    for (const char *at = typed.printed; (at = strstr(at, line)); at++)
        ret++;
    if (ret && *words)
        typed_assert_has(typed.printed, words);
    return ret;
}

/* doctor has this finding, and no other finding about the steps of the repair. */
static void
lost(const char *words)
{
    if (count("boot-order", words) != 1 || count("virtual-functions", "") ||
        count("function-types", ""))
        fail_msg("not only one \"%s\": %s", words, typed.printed);
}

static void
nothing_lost(void)
{
    if (count("boot-order", ""))
        fail_msg("%s", typed.printed);
}

static void
mig_mode(void **state)
{
    (void)state;
    start("", 2);
    nothing_lost();
    fake_write(&scene.kernel, CONF, ALLOWED);
    lost("the GPU " CARD
         " is not in MIG mode, which a boot may have taken away: it offers no types "
         "of GPU instances, and is to have A30-2-12C (/etc/libvirt-vgpu/vgpu.conf:1)");
    typed_assert_has(typed.printed, "\n      nvidia-smi -i " CARD " -mig 1\n"
                                    "      vgpuctl sriov enable " CARD "\n"
                                    "      nvidia-smi mig -i " CARD " -cgi PROFILE -C\n");
    typed_golden(&scene, HERE, "doctor/boot-order", "vgpuctl doctor");
    fake_write(&scene.kernel, CONF,
               "gpus = ({ address = \"" CARD "\"; types = [ \"A30-1-6C\" ]; });\n");
    lost("the GPU " CARD " is not in MIG mode");
    /* One type needs MIG and one does not. So the card may be in either mode. */
    fake_write(&scene.kernel, CONF,
               "gpus = ({ address = \"" CARD "\"; types = [ \"A30-2-12C\", \"A30-8Q\" ]; });\n");
    nothing_lost();
    fake_write(&scene.kernel, CONF,
               "gpus = ({ address = \"" CARD
               "\"; enabled = false; types = [ \"A30-2-12C\" ]; });\n");
    nothing_lost();
}

/* If several steps are missing, doctor tells the first. */
static void
mig_and_functions(void **state)
{
    (void)state;
    start("mig", 2);
    fake_write(&scene.kernel, CONF, ALLOWED);
    nothing_lost();
    assert_int_equal(fake_enable(&scene.kernel, CARD, 0), 0);
    lost("the GPU " CARD " has no virtual functions, and is to have vGPUs on them "
         "(/etc/libvirt-vgpu/vgpu.conf:1)");
    typed_assert_has(typed.printed, "first MIG mode, which a boot may have taken away:\n"
                                    "      nvidia-smi -i " CARD " -mig 1\n"
                                    "      systemctl enable libvirt-vgpu-sriov@" CARD "\n");
}

static void
instances(void **state)
{
    (void)state;
    start("mig", 0);
    /* No file says that the card had functions, so its state may be right. */
    nothing_lost();
    assert_int_equal(count("function-types", ""), 1);
    fake_write(&scene.kernel, CONF, ALLOWED);
    lost("the GPU " CARD " has no GPU instances: a boot removes them, and so does enabling its "
         "virtual functions; it is to have A30-2-12C (/etc/libvirt-vgpu/vgpu.conf:1)");
    fake_instances(&scene.kernel, CARD, "nvidia-700", 1);
    nothing_lost();
    /* All functions are given to guests. So nothing is lost. */
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-700", FIRST), 0);
    nothing_lost();
}

/* An enabled unit says that the card had functions: NVIDIA's card, or Intel's. */
static void
functions(void **state)
{
    static const char *const cards[] = {CARD, INTEL};

    (void)state;
    start("", 0);
    assert_int_equal(fake_enable(&scene.kernel, CARD, 0), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    nothing_lost();
    assert_int_equal(count("virtual-functions", "has 4 virtual functions"), 1);
    for (size_t i = 0; i < COUNT(cards); i++) {
        char path[256], words[256];

        snprintf(path, sizeof(path), WANTS "%s.service", cards[i]);
        fake_write(&scene.kernel, path, "");
        snprintf(words, sizeof(words),
                 "the GPU %s has no virtual functions, although libvirt-vgpu-sriov@%s is to enable "
                 "them at boot",
                 cards[i], cards[i]);
        assert_int_equal(count("boot-order", words), i + 1);
        assert_int_equal(count("virtual-functions", ""), 0);
    }
    assert_int_equal(fake_enable(&scene.kernel, CARD, 4), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    nothing_lost();
}

/* vGPUs of two guests, with two sizes, were kept. Then the driver was reloaded, and takes only one
 * size. */
static void
sizes(void **state)
{
    char text[1024], boot_id[64];

    (void)state;
    start("", 0);
    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    snprintf(text, sizeof(text),
             "libvirt-vgpu-ledger 1 %s 3\n"
             "vf 0000:41:00.5 nvidia-1152 8192 0000:41:00.5 " CARD
             " aaaaaaaa-0000-4000-8000-000000000001 guest1 ua-gpu0 kept made 1:1 1 keep 1\n"
             "vf 0000:41:00.6 nvidia-1151 4096 0000:41:00.6 " CARD
             " aaaaaaaa-0000-4000-8000-000000000002 guest2 ua-gpu0 kept made 1:1 2 keep 1\n",
             boot_id);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
    /* An empty card does not show whether it takes several sizes. */
    nothing_lost();
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
    lost("the GPU " CARD
         " takes vGPUs of one size only, and had several: nvidia-1152 of guest1 and "
         "nvidia-1151 of guest2");
    typed_assert_has(typed.printed, "      nvidia-smi vgpu -i " CARD " -shm 1\n");
    typed_tear_down(state);
    start("rule mixed memory 24576", 0);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
    nothing_lost();
    /* One of the vGPUs exists again. So they were not lost together. */
    typed_tear_down(state);
    start("", 0);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
    assert_int_equal(fake_make(&scene.kernel, "0000:41:00.5", "nvidia-1152", "0000:41:00.5"), 0);
    nothing_lost();
}

int
main(void)
{
#define TEST(function) TYPED_TEST(function, here)
    const struct CMUnitTest tests[] = {
        TEST(mig_mode), TEST(mig_and_functions), TEST(instances), TEST(functions), TEST(sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
