/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* typed-line: the log tells who changed what by which command, and holds no password. */

#include "base/printable.h"
#include "cli/typed-line.h"
#include "fake/typed.h"
#include "lease/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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

/* What this process has sent to the log, but for the beginning of the line. "": nothing. */
static const char *
heard(int log)
{
    static char line[2048];
    ssize_t length = recv(log, line, sizeof(line) - 1, MSG_DONTWAIT);
    const char *text;

    line[length > 0 ? length : 0] = '\0';
    text = strstr(line, "event=");
    return text ? text : line;
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
    AUTO_CLOSE int reader = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct log log;

    snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/test-typed-line.%d", (int)getpid());
    unlink(address.sun_path);
    assert_int_equal(bind(reader, (const struct sockaddr *)&address, sizeof(address)), 0);
    log_open(&log, "vgpuctl", address.sun_path);
    scene.kernel.host.log = &log;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *line;

        typed_expect(&scene, HERE, rows[i].typed, rows[i].status, "", &typed);
        line = heard(reader);
        if (rows[i].told ? !strstr(line, rows[i].told) : *line)
            fail_msg("%s: %s", rows[i].typed, line);
    }
    scene.kernel.host.log = NULL;
    cleanup_close(&log.socket);
    unlink(address.sun_path);
}
