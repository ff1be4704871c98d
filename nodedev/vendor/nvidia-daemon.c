/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "vendor/nvidia-daemon.h"
#include "base/array.h"
#include "base/process.h"
#include "vendor/vendor-tool.h"

#include <string.h>
#include <sys/stat.h>

/* The vGPU manager, the persistence daemon (nvidia-persistenced(1)), and DCGM's host engine (DCGM's
 * user guide). nvidia-vgpud ends once it has told the driver the types, so its unit never runs for
 * long. */
static const struct daemon {
    const char *program;
    const char *unit; /* NULL: there is none to stop */
    /* The persistence daemon may run as another user than root. It begins as root, and then gives
     * this directory to that user. NULL: a daemon runs as root. */
    const char *directory;
} daemons[] = {
    {"nvidia-vgpu-mgr", "nvidia-vgpu-mgr.service", NULL},
    {"nvidia-persistenced", "nvidia-persistenced.service", "run/nvidia-persistenced"},
    {"nv-hostengine", "nvidia-dcgm.service", NULL},
    {"nvidia-vgpud", NULL, NULL},
};

static bool
is_run_by(const struct host *host, const struct daemon *daemon, uid_t user)
{
    struct stat status;

    return user == 0 || (daemon->directory && host_status(host, daemon->directory, &status) == 0 &&
                         status.st_uid == user);
}

bool
nvidia_daemon_is(const struct host *host, int pid)
{
    const struct daemon *found;
    char program[64];
    uid_t user;

    if (process_program(host, pid, program, sizeof(program), &user) < 0)
        return false;
    found = ARRAY_FIND(daemons, COUNT(daemons), daemon, !strcmp(daemon->program, program));
    return found && is_run_by(host, found, user);
}

/* What systemctl shows of one unit. */
struct unit {
    const char *name;
    bool runs, is_enabled;
};

/* "Id=nvidia-dcgm.service". A unit that is being started, or will be, counts as one that runs. A
 * unit without a job has "Job=" or "Job=0". */
static void
read_line(const char *line, struct unit *unit)
{
    if (!strncmp(line, "Id=", 3))
        unit->name = line + 3;
    else if (!strcmp(line, "ActiveState=active") || !strcmp(line, "ActiveState=activating") ||
             !strcmp(line, "ActiveState=reloading"))
        unit->runs = true;
    else if (!strncmp(line, "Job=", 4) && strspn(line + 4, "123456789"))
        unit->runs = true;
    else if (!strcmp(line, "UnitFileState=enabled"))
        unit->is_enabled = true;
}

static void
add_unit(const struct unit *unit, struct nvidia_daemons *ret)
{
    if (unit->name && unit->runs)
        words_add(&ret->running, unit->name);
    else if (unit->name && unit->is_enabled)
        words_add(&ret->stopped, unit->name);
}

/* An empty line stands between two units. */
static void
read_units(char *text, struct nvidia_daemons *ret)
{
    struct unit unit = {0};
    char *line;

    while ((line = strsep(&text, "\n"))) {
        if (*line) {
            read_line(line, &unit);
            continue;
        }
        add_unit(&unit, ret);
        unit = (struct unit){0};
    }
    add_unit(&unit, ret);
}

void
nvidia_daemons_read(const struct host *host, struct nvidia_daemons *ret)
{
    const char *argv[COUNT(daemons) + 4] = {SYSTEMCTL, "show", "-p",
                                            "Id,ActiveState,UnitFileState,Job"};
    AUTO_FREE char *text = NULL;
    struct error ignored;
    size_t count = 4;

    *ret = (struct nvidia_daemons){0};
    for (size_t i = 0; i < COUNT(daemons); i++) {
        if (daemons[i].unit)
            argv[count++] = daemons[i].unit;
    }
    if (vendor_tool_ask(host, argv, &text, &ignored) == 0)
        read_units(text, ret);
}

int
nvidia_daemons_set(const struct host *host, const struct words *units, bool on, struct error *error)
{
    const char *argv[COUNT(daemons) + 3] = {SYSTEMCTL, on ? "start" : "stop"};

    for (size_t i = 0; i < units->count && i < COUNT(daemons); i++)
        argv[i + 2] = units->items[i];
    return units->count ? vendor_tool_run(host, argv, error) : 0;
}

int
nvidia_daemons_restart_vgpud(const struct host *host, struct error *error)
{
    return vendor_tool_run(
        host, (const char *[]){SYSTEMCTL, "restart", "nvidia-vgpud.service", NULL}, error);
}

void
nvidia_daemons_clear(struct nvidia_daemons *answer)
{
    words_clear(&answer->running);
    words_clear(&answer->stopped);
}
