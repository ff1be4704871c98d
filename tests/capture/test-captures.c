/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What vgpuctl prints of each host in tests/captures. A file "shown" has what the host itself
 * printed: command lines such as "$ vgpuctl gpus", each with its output, its complaints and its
 * exit status. For a capture without this file, golden files have what vgpuctl prints of it here.
 */

#include "fake/captured.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = ""}, &typed};

/* The manifest's second line says from which host the capture is. */
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

/* --- output of the captured host -------------------------------------------------------------- */

/* Runs the command lines of the file again, on the capture. Returns the outputs, which the caller
 * frees. */
static char *
type_again(FILE *shown)
{
    static const char prompt[] = "$ ";
    char *text, *line = NULL;
    size_t size, room = 0;
    FILE *out = open_memstream(&text, &size);

    while (getline(&line, &room, shown) > 0) {
        AUTO_FREE char *here_too = NULL;

        if (strncmp(line, prompt, strlen(prompt)) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        assert_true(asprintf(&here_too, "%s --root .", line + strlen(prompt)) > 0);
        typed_run(&scene, NULL, here_too, &typed);
        fprintf(out, "%s\n%s%s(exit status %d)\n", line, typed.printed, typed.faults, typed.status);
    }
    free(line);
    fclose(out);
    return text;
}

static void
compare_with_host(const char *name, FILE *shown)
{
    AUTO_FREE char *played = type_again(shown), *wanted = NULL;
    size_t size = 0;

    rewind(shown);
    assert_true(getdelim(&wanted, &size, '\0', shown) > 0);
    if (strcmp(played, wanted) != 0)
        fail_msg("%s/shown, as that host has printed it:\n%s-- but played back:\n%s", name, wanted,
                 played);
}

/* --- output on this machine ------------------------------------------------------------------- */

static void
compare_golden(const char *name)
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

/* Compares the output of one capture. Returns whether it has a file "shown". The present directory
 * is that of all captures. */
static bool
play(const char *name)
{
    AUTO_FREE char *path = NULL;
    FILE *shown;

    assert_true(asprintf(&path, "%s/shown", name) > 0);
    assert_says_whence(name);
    shown = fopen(path, "re");
    if (!shown) {
        compare_golden(name);
        return false;
    }
    assert_int_equal(chdir(name), 0);
    compare_with_host(name, shown);
    assert_int_equal(chdir(".."), 0);
    fclose(shown);
    return true;
}

TYPED_TEST(each, here)
{
    AUTO(words_clear) struct words names = {0};
    AUTO_FREE char *directory = NULL, *capture = NULL;
    size_t shown = 0;

    assert_true(asprintf(&directory, "%s/tests/captures", scene_sources()) > 0);
    assert_int_equal(chdir(directory), 0);
    captured_list(&names);
    for (size_t i = 0; i < names.count; i++)
        shown += play(names.items[i]);
    /* There is no libvirt. A status file tells of a guest. */
    typed_golden(&scene, NULL, "guests/captured-vm-mdev", "vgpuctl guests --root vm-mdev");
    /* vgpuctl-show(1) has a capture with a name that somebody may choose. */
    assert_true(asprintf(&capture, "%s/reconstructed-b50", directory) > 0);
    assert_int_equal(chdir(scene.kernel.path), 0);
    assert_int_equal(symlink(capture, "host2"), 0);
    typed_golden_on(&scene, NULL, &typed_page, "list/page", "vgpuctl list --root ./host2");
    assert_int_equal(unlink("host2"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_true(shown >= 6 && names.count >= shown + 5);
}
