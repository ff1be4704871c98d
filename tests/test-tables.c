/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What vgpuctl gpus, types and list show, of whole machines. */

#include "typed.h"

#include <stdio.h>
#include <string.h>

#define HERE "test:///default"

static struct scene scene;

static const char *const lines[] = {
    "gpus",
    "gpus --json",
    "types",
    "types --json",
    "list",
    "list --json",
    "list --raw -n -o DEVICE,STATE,DOMAIN",
};

static void
start_machine(const char *name)
{
    const char *top = getenv("srcdir");
    char path[512], text[16384];
    size_t length;
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/machines/%s", top ? top : ".", name);
    file = fopen(path, "re");
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    scene_start(&scene, text);
}

/* Devices 1 and 2 are running guests'. */
static void
show(const char *machine)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second = typed_domain(2, "", (const unsigned[]){2, 0});
    AUTO_FREE char *domains = NULL;
    const char *libvirt;

    assert_true(asprintf(&domains, "%s%s", first, second) > 0);
    libvirt = typed_libvirt(&scene, domains);
    for (size_t i = 0; i < COUNT(lines); i++) {
        char name[128], line[128];

        snprintf(line, sizeof(line), "vgpuctl %s", lines[i]);
        snprintf(name, sizeof(name), "%s %s", machine, lines[i]);
        for (char *at = name; *at; at++) {
            if (strchr(" ,", *at))
                *at = '-';
        }
        typed_golden(&scene, libvirt, name, line);
    }
}

static void
t4(void **state)
{
    (void)state;
    start_machine("t4x8");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3b:00.0", "nvidia-222", scene_device(3)), 0);
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf",
               "gpus = ({ address = \"0000:18:00.0\"; enabled = false; });"
               "classes = { small = { types = [ \"T4-1B\", \"T4-16Q\" ]; };"
               " big = { framebuffer = \"8G\"; }; none = { types = [ \"A40-1B\" ]; }; };");
    show("t4x8");
    typed_golden(&scene, HERE, "t4x8-types-classes",
                 "vgpuctl types 0000:3c:00.0 -o TYPE,NAME,CLASSES");
    scene_stop(&scene);
}

/* Nothing is summed up over virtual functions. */
static void
a40(void **state)
{
    (void)state;
    start_machine("a40");
    assert_int_equal(scene_prepare(&scene, 1, 1, "A40-4Q"), 0);
    show("a40");
    scene_stop(&scene);
}

static void
samples(void **state)
{
    (void)state;
    start_machine("mtty");
    show("mtty");
    scene_stop(&scene);
}

static void
nothing(void **state)
{
    (void)state;
    scene_start(&scene, "");
    show("nothing");
    scene_stop(&scene);
}

/* What README.md shows; check-golden.sh compares. */
static void
readme(void **state)
{
    (void)state;
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16 heads 4\n"
                        "type nvidia-231 \"GRID T4-2Q\" framebuffer 2048 max 8 heads 4\n"
                        "gpu 0000:3b:00.0 rule size numa 1\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16 heads 4\n"
                        "type nvidia-231 \"GRID T4-2Q\" framebuffer 2048 max 8 heads 4\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3b:00.0", "nvidia-231", scene_device(3)), 0);
    typed_golden(&scene, NULL, "readme-gpus", "vgpuctl gpus");
    typed_golden(&scene, NULL, "readme-types",
                 "vgpuctl types 0000:18:00.0 -o name,framebuffer,max,available");
    typed_golden(&scene, NULL, "readme-list", "vgpuctl list -o device,name,gpu,state,domain");
    scene_stop(&scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t4),      cmocka_unit_test(a40),    cmocka_unit_test(samples),
        cmocka_unit_test(nothing), cmocka_unit_test(readme),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
