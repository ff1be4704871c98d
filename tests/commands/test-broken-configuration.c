/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A mistake in vgpu.conf stops guests that ask for a vGPU. It does not hide what /sys, the ledger
 * and libvirt tell. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define FIRST "0000:18:00.0"
#define MACHINE                                                                                    \
    "gpu " FIRST " rule size numa 0\n"                                                             \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"                                      \
    "gpu 0000:3b:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
#define SMALL  "classes = { small = { types = [ \"T4-1B\" ]; }; };"
#define BROKEN "clases = { };\ngpus = ({ address = \"" FIRST "\"; enabled = false; });\n"
#define FAULT  "/etc/libvirt-vgpu/vgpu.conf:1: "

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {
    {.scene = &scene, .machine = MACHINE, .configuration = SMALL}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* Guest 1 runs with a vGPU, guest 2 asks for a class. Then vgpu.conf breaks. */
static const char *
break_configuration(void)
{
    AUTO_FREE char *running = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *defined = typed_domain(2, TYPED_DEFINED, (const unsigned[]){2, 0});
    AUTO_FREE char *all = NULL;

    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_true(asprintf(&all, "%s%s", running, defined) > 0);
    scene_configure(&scene, BROKEN);
    return typed_libvirt(&scene, all);
}

TEST(all_the_rest_is_told)
{
    static const struct {
        const char *line, *facts;
    } rows[] = {
        {"vgpuctl gpus", FIRST " GRID T4 0 mdev 1 1024 3072 - -"},
        {"vgpuctl types", FIRST " nvidia-222 GRID T4-1B 1024 - 5120x2880 3 - 2 -"},
        {"vgpuctl status", "free: at most 2048 MiB: at most 2 T4-1B"},
        {"vgpuctl list", FIRST " " FIRST " held guest1"},
        {"vgpuctl guests", "GRID T4-1B " FIRST " held\nguest2 no ua-gpu2 -"},
        {"vgpuctl orphans", "no orphans: "},
        {"vgpuctl metrics",
         "libvirt_vgpu_configuration_right 0\n"
         "libvirt_vgpu_gpu_vgpus{gpu=\"0000:3b:00.0\"} 0 # HELP "
         "libvirt_vgpu_gpu_framebuffer_bytes\n"
         "libvirt_vgpu_gpu_framebuffer_used_bytes{gpu=\"0000:3b:00.0\"} 0 "
         "# HELP libvirt_vgpu_gpu_framebuffer_free_at_most_bytes\n"
         "libvirt_vgpu_gpu_framebuffer_free_at_most_bytes{gpu=\"0000:3b:00.0\"} 3221225472 "
         "# HELP libvirt_vgpu_type_available_at_most"},
        {"vgpuctl drain " FIRST, "nvidia-222 guest1 held"},
        {"vgpuctl gpus --json", "\"total\": 3072, \"free\": null, \"enabled\": null, "
                                "\"drained\": true,\n\"free-at-most\": 2048, \"setup\": null"},
    };
    static const char *const documents[] = {
        "vgpuctl gpus --json",    "vgpuctl types --json",  "vgpuctl status --json",
        "vgpuctl list --json",    "vgpuctl guests --json", "vgpuctl drain " FIRST " --json",
        "vgpuctl orphans --json",
    };
    const char *uri = break_configuration();

    for (size_t i = 0; i < COUNT(rows); i++) {
        typed_facts(&scene, uri, rows[i].line, 0, rows[i].facts);
        typed_facts(&scene, uri, rows[i].line, 0, FAULT "unknown key \"clases\"");
    }
    for (size_t i = 0; i < COUNT(documents); i++) {
        assert_int_equal(typed_run(&scene, uri, documents[i], &typed), 0);
        typed_assert_has(typed.faults, FAULT);
        typed_assert_has(typed.printed, "\"warnings\": [\n      {\n         \"word\": "
                                        "\"bad-configuration\",\n         \"text\": \"" FAULT);
    }
    assert_int_equal(typed_run(&scene, uri, "vgpuctl undrain " FIRST, &typed), 0);
}

/* Nobody can be given a vGPU, and the commands that decide about that say why. */
TEST(what_depends_on_it_fails)
{
    static const char *const lines[] = {"vgpuctl explain guest1", "vgpuctl check",
                                        "vgpuctl attach guest2 --type T4-1B"};
    const char *uri = break_configuration();

    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_int_equal(typed_run(&scene, uri, lines[i], &typed), 1);
        typed_assert_has(typed.faults, FAULT);
    }
}

/* A list that cannot be read: any GPU may be drained. */
TEST(drained_is_not_known)
{
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/drained", "");
    assert_int_equal(
        typed_run(&scene, "test:///default", "vgpuctl gpus -o GPU,DRAINED,ENABLED", &typed), 0);
    typed_assert_has(typed.printed, FIRST " -       -");
    typed_assert_has(typed.faults, "cannot tell which GPUs are drained");
}

/* Checks that a file has some words, and not others. */
static void
assert_file(const char *path, const char *has, const char *lacks)
{
    AUTO_FREE char *text = scene_read(path);

    typed_assert_has(text, has);
    assert_null(strstr(text, lacks));
}

/* Figures of another day must not look like those of today. */
TEST(no_old_figures)
{
    char path[300], line[400];

    snprintf(path, sizeof(path), "%s/figures.prom", scene.kernel.path);
    snprintf(line, sizeof(line), "vgpuctl metrics --output %s", path);
    assert_int_equal(typed_run(&scene, "test:///default", line, &typed), 0);
    assert_file(path, "libvirt_vgpu_up 1\n", "libvirt_vgpu_up 0");
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "nonsense\n");
    assert_int_equal(typed_run(&scene, "test:///default", line, &typed), 1);
    typed_assert_has(typed.faults, "/run/libvirt-vgpu/ledger");
    assert_file(path, "libvirt_vgpu_up 0\n", "libvirt_vgpu_gpu_vgpus");
}
