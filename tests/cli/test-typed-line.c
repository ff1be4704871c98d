/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* typed-line: the log tells who changed what by which command, and holds no password. */

#include "base/shell-word.h"
#include "cli/typed-line.h"
#include "fake/listener.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 2\n"
#define HERE "test:///default"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};

/* A password in a URI is a secret of the other host, and many people read the log. */
UNIT_TEST(a_password_stays_out)
{
    static const struct {
        const char *typed, *line;
    } rows[] = {
        {"qemu+ssh://alice:geheim@host-2/system", "qemu+ssh://alice:***@host-2/system"},
        {"--connect=qemu+ssh://alice:geheim@host-2/system",
         "--connect=qemu+ssh://alice:***@host-2/system"},
        {"qemu+ssh://alice:g@h@host-2:22/system", "qemu+ssh://alice:***@host-2:22/system"},
        {"qemu+tls://[::1]:16514/system", "qemu+tls://[::1]:16514/system"},
        {"qemu+ssh://host-2:22/system?command=/opt/a@b", NULL},
        {"qemu+ssh://alice@host-2:22/system", NULL},
        {"qemu:///system", NULL},
        {"web:01@home", NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *words[] = {(char *)"vgpuctl", (char *)"move", (char *)rows[i].typed};
        AUTO_FREE char *line = typed_line_make(3, words), *want = NULL;

        assert_true(asprintf(&want, "vgpuctl move %s",
                             shell_word(rows[i].line ? rows[i].line : rows[i].typed).text) > 0);
        assert_string_equal(line, want);
    }
}

/* A command that failed may have changed a part before. */
TYPED_TEST(changes_are_logged, here)
{
    static const struct {
        const char *typed;
        int status;
        const char *told;
    } rows[] = {
        {"vgpuctl drain 0000:18:00.0", 0, ": vgpuctl drain 0000:18:00.0"},
        {"vgpuctl drain 0000:19:00.0", 1, " (failed): vgpuctl drain 0000:19:00.0"},
        {"vgpuctl undrain 0000:18:00.0", 0, ": vgpuctl undrain 0000:18:00.0"},
        {"vgpuctl undrain --nonsense", 2, NULL},
        {"vgpuctl drain", 2, NULL},
        {"vgpuctl gpus", 0, NULL},
    };

    listener_begin(&scene.kernel);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *line;

        typed_expect(&scene, HERE, rows[i].typed, rows[i].status, "", &typed);
        line = listener_heard();
        if (rows[i].told ? !strstr(line, rows[i].told) : *line)
            fail_msg("%s: %s", rows[i].typed, line);
    }
    listener_end(&scene.kernel);
}
