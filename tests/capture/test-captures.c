/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What vgpuctl prints of each host in tests/captures. */

#include "fake/typed.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = ""}, &typed};

/* Its second line says where it comes from. */
static void
assert_says_whence(const char *name)
{
    AUTO_FREE char *path = NULL;
    char line[512] = "";
    FILE *file;

    assert_true(asprintf(&path, "%s/manifest", name) > 0);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_non_null(fgets(line, sizeof(line), file));
    fclose(file);
    if (strncmp(line, "# Reconstructed: ", 17) != 0 && strncmp(line, "# From ", 7) != 0)
        fail_msg("%s does not say where it comes from: %s", path, line);
}

static void
play(const char *name)
{
    static const char *const commands[] = {"gpus", "types", "status", "list", "doctor"};

    for (size_t i = 0; i < COUNT(commands); i++) {
        AUTO_FREE char *line = NULL, *golden = NULL;

        assert_true(asprintf(&line, "vgpuctl %s --root %s", commands[i], name) > 0);
        assert_true(asprintf(&golden, "%s/captured-%s", commands[i], name) > 0);
        typed_golden(&scene, NULL, golden, line);
        typed_run(&scene, NULL, line, &typed);
        assert_null(strstr(typed.faults, "not recorded"));
    }
}

static void
each(void **state)
{
    AUTO_FREE char *directory = NULL;
    struct dirent **entries;
    int count, played = 0;

    (void)state;
    assert_true(asprintf(&directory, "%s/tests/captures", scene_sources()) > 0);
    assert_int_equal(chdir(directory), 0);
    count = scandir(".", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (*entries[i]->d_name != '.') {
            assert_says_whence(entries[i]->d_name);
            play(entries[i]->d_name);
            played++;
        }
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(chdir("/"), 0);
    assert_true(played >= 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {TYPED_TEST(each, here)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
