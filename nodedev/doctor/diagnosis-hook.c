/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether libvirt finds our hook, whether it may run the hook, and what else it runs. */

#include "base/array.h"
#include "doctor/diagnosis.h"
#include "doctor/entry.h"
#include "lease/counters.h"
#include "lease/daemon.h"
#include "placement/demand.h"

#include <fnmatch.h>
#include <string.h>

#define LINK    "50-vgpu"
#define WORKERS 20 /* libvirt's max_workers by default (src/remote/remote_daemon_config.c) */

static int
look_at_link(const struct diagnosis *diagnosis, struct entry *ret)
{
    return entry_look(diagnosis->host, ret, "%s/qemu.d/" LINK, diagnosis->host->hooks);
}

static int
follow_link(const struct diagnosis *diagnosis, struct entry *ret)
{
    return entry_follow(diagnosis->host, ret, "%s/qemu.d/" LINK, diagnosis->host->hooks);
}

static void
check_dangling(struct diagnosis *diagnosis)
{
    struct entry link, target;
    int rc;

    if (look_at_link(diagnosis, &link) < 0)
        return;
    rc = follow_link(diagnosis, &target);
    if (rc == 0)
        return;
    diagnosis_add(diagnosis, "/%s leads to /%s: %s: libvirt runs nothing", link.path.text,
                  target.path.text, strerror(-rc));
    diagnosis_advise(diagnosis, "install libvirt-vgpu again, or:");
    diagnosis_command(diagnosis, "ln -sfn /%s /%s", diagnosis->host->hook, link.path.text);
}

static void
check_executable(struct diagnosis *diagnosis)
{
    struct entry target;

    if (follow_link(diagnosis, &target) < 0 || entry_is_program(&target))
        return;
    diagnosis_add(diagnosis, "/%s is not executable: libvirt passes it by, guests get no vGPU",
                  target.path.text);
    diagnosis_command(diagnosis, "chmod 755 /%s", target.path.text);
}

static void
add_unsafe(struct diagnosis *diagnosis, const struct entry *entry)
{
    diagnosis_add(diagnosis, "/%s: others than root may change what libvirt runs as root",
                  entry->path.text);
    diagnosis_command(diagnosis, "chown root:root /%s", entry->path.text);
    diagnosis_command(diagnosis, "chmod go-w /%s", entry->path.text);
}

static void
check_owner(struct diagnosis *diagnosis)
{
    const struct host *host = diagnosis->host;
    static const char *const below[] = {"", "/qemu.d"};
    struct entry entry;

    for (size_t i = 0; i < COUNT(below); i++) {
        if (entry_follow(host, &entry, "%s%s", host->hooks, below[i]) == 0 &&
            !entry_is_safe(host, &entry))
            add_unsafe(diagnosis, &entry);
    }
    if (follow_link(diagnosis, &entry) == 0 && !entry_is_safe(host, &entry))
        add_unsafe(diagnosis, &entry);
}

/* A program that libvirt runs for each of QEMU's guests. */
struct program {
    const char *name; /* in qemu.d; "": the main script, which libvirt runs first */
    struct entry entry, target;
};

struct programs {
    const struct host *host;
    struct words names;
    size_t next;
};

static struct programs
find_programs(const struct diagnosis *diagnosis)
{
    struct programs programs = {.host = diagnosis->host};

    (void)!host_list_all(programs.host, &programs.names, "%s/qemu.d", programs.host->hooks);
    return programs;
}

static void
programs_clear(struct programs *programs)
{
    words_clear(&programs->names);
}

static bool
next_program(struct programs *programs, struct program *ret)
{
    const struct host *host = programs->host;

    while (programs->next <= programs->names.count) {
        size_t i = programs->next++;
        const char *part = i ? ".d/" : "";

        ret->name = i ? programs->names.items[i - 1] : "";
        if (entry_look(host, &ret->entry, "%s/qemu%s%s", host->hooks, part, ret->name) == 0 &&
            entry_follow(host, &ret->target, "%s/qemu%s%s", host->hooks, part, ret->name) == 0 &&
            entry_is_program(&ret->target))
            return true;
    }
    return false;
}

/* Whether it is a file that editors and package managers leave beside another. */
static bool
is_backup(const char *name)
{
    static const char *const patterns[] = {"*~",    "#*#",      ".*.sw?", "*.bak",   "*.orig",
                                           "*.old", "*.dpkg-*", "*.rpm*", "*.ucf-*", "*.pacnew"};

    return ARRAY_HAS(patterns, COUNT(patterns), pattern, fnmatch(*pattern, name, 0) == 0);
}

/* Whether it is an administrator's script that also runs our hook: a script that names the hook. */
static bool
is_dispatcher(const struct host *host, const struct program *program)
{
    static const size_t size = 64 << 10;
    AUTO_FREE char *text = memory_zeroed(size, 1);
    const char *hook = strrchr(host->hook, '/');

    return hook && !is_backup(program->name) &&
           host_read(host, text, size, "%s", program->target.path.text) > 0 &&
           !strncmp(text, "#!", 2) && strstr(text, hook + 1);
}

static bool
is_run_by_script(const struct diagnosis *diagnosis)
{
    AUTO(programs_clear) struct programs programs = find_programs(diagnosis);
    struct program program;
    bool found = false;

    while (!found && next_program(&programs, &program))
        found = is_dispatcher(diagnosis->host, &program);
    return found;
}

static void
check_missing(struct diagnosis *diagnosis)
{
    struct entry link;
    int rc = look_at_link(diagnosis, &link);

    if (rc == 0 || (rc == -ENOENT && is_run_by_script(diagnosis)))
        return;
    diagnosis_add(diagnosis, "/%s: %s: libvirt does not call us, guests get no vGPU",
                  link.path.text, strerror(-rc));
    if (rc == -ENOENT || rc == -ENOTDIR)
        diagnosis_command(diagnosis, "ln -s /%s /%s", diagnosis->host->hook, link.path.text);
    else
        diagnosis_advise(diagnosis, "run it as root");
}

static void
check_backups(struct diagnosis *diagnosis)
{
    AUTO(programs_clear) struct programs programs = find_programs(diagnosis);
    struct program program;

    while (next_program(&programs, &program)) {
        if (!is_backup(program.name))
            continue;
        diagnosis_add(diagnosis, "/%s looks like a left-over copy, and libvirt runs it as well",
                      program.entry.path.text);
        diagnosis_advise(diagnosis, "remove it, or:");
        diagnosis_command(diagnosis, "chmod a-x /%s", program.entry.path.text);
    }
}

/* Whether it is our hook under another name. A copy of the hook is a backup, and reported as a
 * backup. */
static bool
is_ours_again(const struct program *program, const struct entry *ours)
{
    const struct stat *status = &program->target.status;

    return strcmp(program->name, LINK) && !is_backup(program->name) &&
           status->st_dev == ours->status.st_dev && status->st_ino == ours->status.st_ino;
}

/* Then each call would be made twice. */
static void
check_twice(struct diagnosis *diagnosis)
{
    AUTO(programs_clear) struct programs programs = find_programs(diagnosis);
    struct program program;
    struct entry ours;

    if (follow_link(diagnosis, &ours) < 0)
        return;
    while (next_program(&programs, &program)) {
        if (is_ours_again(&program, &ours)) {
            diagnosis_add(diagnosis, "/%s leads to our hook a second time",
                          program.entry.path.text);
            diagnosis_command(diagnosis, "rm /%s", program.entry.path.text);
        } else if (is_dispatcher(diagnosis->host, &program)) {
            diagnosis_add(
                diagnosis,
                "/%s runs our hook, and libvirt runs it a second time by /%s/qemu.d/" LINK,
                program.entry.path.text, diagnosis->host->hooks);
            diagnosis_command(diagnosis, "rm /%s/qemu.d/" LINK, diagnosis->host->hooks);
        }
    }
}

/* Checks the case that libvirt runs a script, and only the script runs our hook. */
static void
check_dispatcher(struct diagnosis *diagnosis)
{
    AUTO(programs_clear) struct programs programs = find_programs(diagnosis);
    struct program program;
    struct entry link;

    if (look_at_link(diagnosis, &link) != -ENOENT)
        return;
    while (next_program(&programs, &program)) {
        if (is_dispatcher(diagnosis->host, &program))
            diagnosis_add(diagnosis,
                          "/%s runs our hook: where it fails, or does not hand on what our hook "
                          "answers, guests get no vGPU",
                          program.entry.path.text);
    }
}

static void
check_others(struct diagnosis *diagnosis)
{
    AUTO(programs_clear) struct programs programs = find_programs(diagnosis);
    struct program program;
    struct entry ours;

    if (follow_link(diagnosis, &ours) < 0)
        ours = (struct entry){0};
    while (next_program(&programs, &program)) {
        if (!strcmp(program.name, LINK) || is_backup(program.name) ||
            is_ours_again(&program, &ours) || is_dispatcher(diagnosis->host, &program))
            continue;
        diagnosis_add(diagnosis,
                      "libvirt also runs /%s, %s ours: where it fails, guests do not start",
                      program.entry.path.text, strcmp(program.name, LINK) < 0 ? "before" : "after");
    }
}

/* Returns when a process started, in seconds since 1970, as files have their times. */
static double
started_at(const struct host *host, struct process process)
{
    return (double)host->ops->booted(host) / 1e9 +
           (double)process.start / (double)sysconf(_SC_CLK_TCK);
}

static double
seconds(struct timespec time)
{
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* If a daemon finds no hook of QEMU when it starts, it looks again only when it is told to. If it
 * finds one, it looks at each call. Nothing shows that the daemon was told to look; but a call of
 * our hook shows that it did. */
static void
check_unseen(struct diagnosis *diagnosis)
{
    AUTO(programs_clear) struct programs programs = find_programs(diagnosis);
    char name[32];
    struct process daemon = daemon_find_by_file(diagnosis->host, name, sizeof(name));
    double start = started_at(diagnosis->host, daemon);
    bool ours = false, known = false;
    struct program program;
    struct counters counters;

    while (next_program(&programs, &program)) {
        ours |= !strcmp(program.name, LINK);
        /* The start of a process is rounded down to a tick of the clock, so up to a hundredth of a
         * second is missing. */
        known |= seconds(program.entry.status.st_ctim) < start + 0.05;
    }
    counters_read(diagnosis->host, &counters);
    if (daemon.pid == 0 || !ours || known || seconds(counters.last_call) > start)
        return;
    diagnosis_add(diagnosis,
                  "%s (process %d) runs since before there was a hook: it does not call ours, "
                  "unless it was told to look again",
                  name, daemon.pid);
    diagnosis_command(diagnosis, "systemctl reload %s", name);
    diagnosis_advise(diagnosis, "or:");
    diagnosis_command(diagnosis, "kill -HUP %d", daemon.pid);
}

/* Reads how many workers a file of libvirt's settings gives the daemon. The first line about them
 * counts, as in libvirt (virConfGetValue). Returns WORKERS if nothing is said, and 0 if the file
 * cannot be read. */
static size_t
read_workers(const struct host *host, const char *file)
{
    static const char setting[] = "max_workers";
    static const size_t size = 64 << 10;
    AUTO_FREE char *text = memory_zeroed(size, 1);
    ssize_t rc = host_read(host, text, size, "%s", file);

    if (rc < 0)
        return rc == -ENOENT ? WORKERS : 0;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        line += strspn(line, " \t");
        if (strncmp(line, setting, strlen(setting)))
            continue;
        line += strlen(setting);
        line += strspn(line, " \t");
        if (*line == '=')
            return strtoul(line + 1, NULL, 10);
    }
    return WORKERS;
}

static size_t
count_domains_with_vgpus(const struct domains *domains)
{
    struct domains_walk walk = {0};
    const struct domain *last = NULL;
    size_t count = 0;

    while (domains_next_hostdev(domains, &walk)) {
        if (walk.domain == last || !demand_is_explicit(walk.hostdev))
            continue;
        last = walk.domain;
        count++;
    }
    return count;
}

/* A start holds a worker until QEMU runs, so also while its card makes the vGPU. */
static void
check_workers(struct diagnosis *diagnosis)
{
    const size_t domains = count_domains_with_vgpus(&diagnosis->references.domains);
    char name[32];
    struct process daemon = daemon_find_by_file(diagnosis->host, name, sizeof(name));
    struct path file;
    size_t workers;

    if (daemon.pid == 0 || path_format(&file, "etc/libvirt/%s.conf", name) < 0)
        return;
    workers = read_workers(diagnosis->host, file.text);
    if (workers == 0 || domains < workers)
        return;
    diagnosis_add(diagnosis,
                  "domains with vGPUs: %zu; workers of %s: %zu (max_workers of /%s): if as many of "
                  "them start at once on slow cards, starts of other guests wait",
                  domains, name, workers, file.text);
    diagnosis_advise(diagnosis,
                     "set max_workers = %zu there, and until its next restart:", domains + WORKERS);
    diagnosis_command(diagnosis, "virt-admin server-threadpool-set %s --max-workers %zu", name,
                      domains + WORKERS);
}

const struct diagnosis_check hook_checks[] = {
    {"hook-missing", FINDING_ERROR, .look = check_missing},
    {"hook-dangling", FINDING_ERROR, .look = check_dangling},
    {"hook-not-executable", FINDING_ERROR, .look = check_executable},
    {"hook-owner", FINDING_ERROR, .look = check_owner},
    {"hook-unseen", FINDING_WARNING, .look = check_unseen},
    {"few-workers", FINDING_NOTE, .look = check_workers},
    {"hook-backup", FINDING_WARNING, .look = check_backups},
    {"hook-twice", FINDING_WARNING, .look = check_twice},
    {"hook-dispatcher", FINDING_NOTE, .look = check_dispatcher},
    {"other-hook", FINDING_NOTE, .look = check_others},
    {0},
};
