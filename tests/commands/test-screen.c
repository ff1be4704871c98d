/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The output of vgpuctl on a terminal: tables that fit, and a line if there is nothing to show. */

#include "fake/typed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERE "test:///default"
#define LONG "a-guest-whose-name-is-rather-long"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* A T4 and an L40S. Each has a vGPU of a guest and a vGPU of nobody. */
static const char *
begin(void)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second =
        typed_functions(2, "", "L40S-24Q", (const char *const[]){"0000:3d:00.4", NULL});
    AUTO_FREE char *domains = NULL;

    scene_start_machine(&scene, "t4-l40s");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_prepare(&scene, 2, "L40S-24Q", "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(3)), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.5", "nvidia-1155", "0000:3d:00.5"), 0);
    /* The result must not depend on the right to look at every process. Here one process cannot be
     * looked at. */
    fake_write(&scene.kernel, "proc/1/fd", "");
    assert_true(asprintf(&domains, "%s%s", first, second) > 0);
    return typed_libvirt(&scene, domains);
}

/* All tables of all commands. */
static const struct {
    const char *name, *line;
} tables[] = {
    {"gpus/screen", "vgpuctl gpus"},
    {"types/screen", "vgpuctl types 0000:18:00.0 --available"},
    {"types/screen-functions", "vgpuctl types 3d:00.0 --type L40S-12Q"},
    {"list/screen", "vgpuctl list"},
    {"list/screen-chosen", "vgpuctl list -o device,domain,origin"},
    {"orphans/screen", "vgpuctl orphans"},
    {"drain/screen", "vgpuctl drain 0000:18:00.0"},
    {"explain/screen", "vgpuctl explain guest2 -n"},
};

TEST(at_80_columns)
{
    const char *libvirt = begin();

    typed_golden_on(&scene, libvirt, &typed_page, "orphans/page", "vgpuctl orphans");
    for (size_t i = 0; i < COUNT(tables); i++)
        typed_golden_on(&scene, libvirt, &typed_screen, tables[i].name, tables[i].line);
}

/* The output of the other commands: sentences, XML, figures. Each row works on the state that the
 * rows before it left. */
TEST(others_at_80_columns)
{
    static const struct {
        const char *name, *line;
    } rows[] = {
        {"help/screen", "vgpuctl --help"},
        {"status/screen", "vgpuctl status"},
        {"explain/screen-prose", "vgpuctl explain guest2"},
        {"check/screen", "vgpuctl check"},
        {"check/screen-all", "vgpuctl check --all"},
        {"attach/screen", "vgpuctl attach guest1 --type T4-1B --config"},
        {"attach/screen-refused", "vgpuctl attach guest1 --type T4-1X --config"},
        {"detach/screen", "vgpuctl detach guest1 ua-gpu7"},
        {"undrain/screen", "vgpuctl undrain 0000:18:00.0"},
        {"reconcile/screen", "vgpuctl reconcile"},
        {"reap/screen", "vgpuctl reap"},
        {"ready/screen", "vgpuctl ready"},
    };
    const char *libvirt = begin();

    for (size_t i = 0; i < COUNT(rows); i++)
        typed_golden_on(&scene, libvirt, &typed_screen, rows[i].name, rows[i].line);
}

static void
assert_fits(const char *line, const char *printed, unsigned width)
{
    for (const char *at = printed; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n')) {
        size_t length = strcspn(at, "\n");

        while (length && at[length - 1] == ' ')
            length--;
        if (length > width)
            fail_msg("%s: %u columns, and: %s", line, width, printed);
    }
}

/* A long name is broken, so that a table with the default columns fits on the screen. In a pipe the
 * same table has all of its columns. */
TEST(at_any_width)
{
    const char *libvirt = begin();
    struct terminal screen = typed_screen;

    assert_int_equal(typed_run(&scene, libvirt, "vgpuctl list", &typed), 0);
    typed_assert_has(typed.printed, "DOMAIN-UUID\n");
    for (screen.width = 76; screen.width <= 200; screen.width += 4) {
        for (size_t i = 0; i < COUNT(tables); i++) {
            if (strstr(tables[i].line, " -o "))
                continue;
            typed_run_on(&scene, libvirt, &screen, tables[i].line, &typed);
            assert_fits(tables[i].line, typed.printed, screen.width);
        }
    }
    screen.width = 200;
    typed_run_on(&scene, libvirt, &screen, "vgpuctl list", &typed);
    typed_assert_has(typed.printed, "aaaaaaaa-0000-4000-8000-000000000001\n");
}

/* JSON and raw lines are the same on a terminal and in a pipe. */
TEST(for_programs)
{
    static const char *const lines[] = {"vgpuctl list --json", "vgpuctl list --raw",
                                        "vgpuctl types --json", "vgpuctl gpus -rn",
                                        "vgpuctl metrics"};
    const char *libvirt = begin();

    for (size_t i = 0; i < COUNT(lines); i++) {
        AUTO_FREE char *piped = NULL;

        typed_run(&scene, libvirt, lines[i], &typed);
        piped = strdup(typed.printed);
        typed_run_on(&scene, libvirt, &typed_screen, lines[i], &typed);
        assert_string_equal(typed.printed, piped);
    }
}

/* A guest's UUID gives way before the name of a type is broken. */
TEST(at_120_columns)
{
    const struct terminal wide = {.is_screen = true, .width = 120};
    const char *libvirt = begin();

    typed_golden_on(&scene, libvirt, &wide, "list/screen-120", "vgpuctl list");
}

/* A long name is cut: no part of a malicious name begins a line. */
TEST(long_names)
{
    scene_start_machine(&scene, "t4-l40s");
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger",
               "libvirt-vgpu-ledger 1 6a7f1e0c-0000-4000-8000-000000000001 2\n"
               "mdev dddddddd-0000-4000-8000-000000000001 nvidia-222 1024 0000:18:00.0 "
               "0000:18:00.0 aaaaaaaa-0000-4000-8000-000000000001 " LONG
               "%0Aand%20then%20words%1B[2J - held made 1:1 0 reap 1\n");
    typed_golden_on(&scene, HERE, &typed_screen, "list/screen-long-name", "vgpuctl list");
}

/* If there is nothing to show, a line on stderr tells people so. */
TEST(empty)
{
    static const struct {
        const char *line, *words;
    } rows[] = {
        {"vgpuctl gpus", "no GPU on this host offers vGPUs; see 'vgpuctl doctor'\n"},
        {"vgpuctl types", "no GPU on this host offers vGPUs; see 'vgpuctl doctor'\n"},
        {"vgpuctl list", "there is no vGPU on this host\n"},
        {"vgpuctl orphans", "no orphans: there is no vGPU on this host\n"},
        {"vgpuctl reap", "no orphan of ours is here: nothing is to be removed\n"},
    };

    scene_start(&scene, "");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[64];

        assert_int_equal(typed_run(&scene, HERE, rows[i].line, &typed), 0);
        assert_string_equal(typed.printed, "");
        assert_string_equal(typed.faults, rows[i].words);
        for (size_t k = 0; k < 3 && strcmp(rows[i].line, "vgpuctl reap"); k++) {
            snprintf(line, sizeof(line), "%s %s", rows[i].line,
                     (const char *const[]){"--json", "--raw", "--noheadings"}[k]);
            assert_int_equal(typed_run(&scene, HERE, line, &typed), 0);
            assert_string_equal(typed.faults, "");
        }
    }
}

/* These commands act, and then have nothing to show. A timer that runs reconcile gets no
 * message. */
TEST(done)
{
    scene_start_machine(&scene, "t4-l40s");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl drain 0000:18:00.0", &typed), 0);
    assert_string_equal(typed.faults, "0000:18:00.0 is drained, and nothing is on it\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl undrain 0000:18:00.0", &typed), 0);
    assert_string_equal(typed.printed, "0000:18:00.0 is not drained any more\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl undrain 0000:18:00.0", &typed), 0);
    assert_string_equal(typed.printed, "0000:18:00.0 was not drained\n");
    assert_int_equal(typed_run_on(&scene, HERE, &typed_screen, "vgpuctl reconcile", &typed), 0);
    assert_string_equal(typed.printed, "nothing was left half done\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl reconcile", &typed), 0);
    assert_string_equal(typed.printed, "");
}

/* Names of guests in any language, with characters of two columns and of no column. */
TEST(wide_names)
{
    static const struct {
        const char *name, *line;
    } rows[] = {
        {"list/wide-names", "vgpuctl list -o device,gpu,domain"},
        {"list/wide-names-raw", "vgpuctl list --raw -n -o domain"},
        {"status/wide-names", "vgpuctl status 0000:18:00.0"},
    };
    static const char *const names[] = {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
                                        "cafe\xcc\x81-\xe2\x80\xaeno"};

    scene_start_machine(&scene, "t4-l40s");
    for (unsigned i = 0; i < COUNT(names); i++) {
        AUTO_FREE char *xml = scene_xml_of(i + 1, "<vgpu:device alias=\"ua-gpu1\" type=\"T4-2B\"/>",
                                           (const char *const[]){scene_device(i + 1), NULL});
        AUTO_FREE char *named = NULL;
        const char *rest = strstr(xml, "</name>"), *name = strstr(xml, "guest");

        assert_true(asprintf(&named, "%.*s%s%s", (int)(name - xml), xml, names[i], rest) > 0);
        assert_int_equal(scene_hook(&scene, named, "prepare", "begin"), 0);
    }
    for (size_t i = 0; i < COUNT(rows); i++)
        typed_golden_on(&scene, NULL, &typed_screen, rows[i].name, rows[i].line);
}
