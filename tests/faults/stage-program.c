/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults/stage.h"
#include "base/reader.h"
#include "cli/vgpuctl.h"
#include "commands/commands.h"
#include "faults/traced-host.h"
#include "hook.h"
#include "lease/counters.h"
#include "lease/log.h"
#include "libvirt/connection.h"

#include <libconfig.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const char *const usual[] = {stage_a, stage_v, NULL};

/* --- hooks and commands ----------------------------------------------------------------------- */

static void
rewind_files(const struct stage *stage)
{
    const int files[] = {stage->input, stage->output, stage->faults};

    for (size_t i = 0; i < COUNT(files); i++) {
        assert_int_equal(ftruncate(files[i], 0), 0);
        lseek(files[i], 0, SEEK_SET);
    }
}

static char *
read_file(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);

    assert_int_equal(pread(fd, text, (size_t)size, 0), size);
    return text;
}

char *
stage_printed(const struct stage *stage)
{
    return read_file(stage->output);
}

char *
stage_said(const struct stage *stage)
{
    return read_file(stage->faults);
}

/* The mains do the same. */
void
stage_start_program(struct stage *stage, const char *name)
{
    static char path[300];
    static struct log log;
    static struct reader reader;

    rewind_files(stage);
    reader = READER_IDLE;
    reader.yields = 0; /* so that the number of system calls is always the same */
    stage->scene.kernel.host.reader = &reader;
    snprintf(path, sizeof(path), "%s/log", stage->scene.kernel.path);
    log_open(&log, name, path);
    stage->scene.kernel.host.log = &log;
}

void
stage_end_program(struct stage *stage)
{
    const struct host *host = &stage->scene.kernel.host;

    reader_stop(host->reader);
    counters_add_lost_lines(host, host->log->lost);
}

int
stage_hook_xml(struct stage *stage, const char *xml, const char *operation, const char *sub)
{
    const char *argv[] = {"hook", "guest", operation, sub, "-", NULL};
    const struct host *host = &stage->scene.kernel.host;
    int status;

    stage_start_program(stage, "hook");
    assert_int_equal(pwrite(stage->input, xml, strlen(xml), 0), strlen(xml));
    inject_resume();
    status =
        hook_run(host, true, 5, (char *const *)argv, stage->input, stage->output, stage->faults);
    stage_end_program(stage);
    inject_pause();
    return status;
}

/* The request for each device, according to the kind of the device. */
char *
stage_xml(unsigned guest, const char *const *devices)
{
    char request[512] = "";

    for (unsigned i = 0; devices[i]; i++) {
        size_t length = strlen(request);

        snprintf(request + length, sizeof(request) - length,
                 "<vgpu:device alias=\"ua-gpu%u\" type=\"%s\"/>", i + 1,
                 strchr(devices[i], ':') ? "L40S-1B" : "mtty-2");
    }
    return scene_xml_of(guest, request, devices);
}

int
stage_hook(struct stage *stage, unsigned guest, const char *const *devices, const char *operation,
           const char *sub)
{
    AUTO_FREE char *xml = stage_xml(guest, devices);

    return stage_hook_xml(stage, xml, operation, sub);
}

/* libvirt's client library belongs to another project. Its requests for memory are not counted. */
int __real_connection_ask_domains(const struct host *host, const char *uri, struct domains *ret,
                                  unsigned *version, struct error *error);
int __wrap_connection_ask_domains(const struct host *host, const char *uri, struct domains *ret,
                                  unsigned *version, struct error *error);

int
__wrap_connection_ask_domains(const struct host *host, const char *uri, struct domains *ret,
                              unsigned *version, struct error *error)
{
    int rc;

    inject_pause();
    rc = __real_connection_ask_domains(host, uri, ret, version, error);
    inject_resume();
    return rc;
}

/* The same holds for libconfig. Without memory it crashes, or ends the process. */
void __real_config_init(config_t *config);
void __wrap_config_init(config_t *config);
int __real_config_read_string(config_t *config, const char *text);
int __wrap_config_read_string(config_t *config, const char *text);

void
__wrap_config_init(config_t *config)
{
    inject_pause();
    __real_config_init(config);
    inject_resume();
}

int
__wrap_config_read_string(config_t *config, const char *text)
{
    int rc;

    inject_pause();
    rc = __real_config_read_string(config, text);
    inject_resume();
    return rc;
}

/* Now the guest's UUID is known. So the release can be recorded. */
int __real_name_parse_uuid(struct name *ret, const char *text);
int __wrap_name_parse_uuid(struct name *ret, const char *text);

int
__wrap_name_parse_uuid(struct name *ret, const char *text)
{
    int rc = __real_name_parse_uuid(ret, text);

    if (rc == 0)
        inject_know_domain();
    return rc;
}

int
stage_vgpuctl(struct stage *stage, const char *line)
{
    static const struct terminal pipe;
    char *words = strdup(line), *rest = words, *word, *argv[16];
    FILE *out, *faults;
    int argc = 0, status;

    stage_start_program(stage, "vgpuctl");
    out = fdopen(dup(stage->output), "w");
    faults = fdopen(dup(stage->faults), "w");
    while ((word = strsep(&rest, " ")) && argc < 15)
        argv[argc++] = word;
    argv[argc] = NULL;
    inject_resume();
    status = vgpuctl_run(&stage->scene.kernel.host, commands, "test:///default", &pipe, argc, argv,
                         out, faults);
    fflush(out);
    fflush(faults);
    stage_end_program(stage);
    inject_pause();
    return status;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Returns 0 in the new process. */
static pid_t
begin_step(struct stage *stage)
{
    pid_t pid = fork();

    if (pid == 0)
        traced_host_take(&stage->scene.kernel, stage->self);
    return pid;
}

static int
end_step(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int
stage_step(struct stage *stage, int (*run)(struct stage *stage))
{
    pid_t pid = begin_step(stage);

    if (pid == 0)
        _exit(run(stage));
    return end_step(pid);
}

static int
step_hook(struct stage *stage, unsigned guest, const char *const *devices, const char *operation,
          const char *sub)
{
    pid_t pid = begin_step(stage);

    if (pid == 0)
        _exit(stage_hook(stage, guest, devices, operation, sub));
    return end_step(pid);
}

int
stage_prepare(struct stage *stage, unsigned guest)
{
    return step_hook(stage, guest, usual, "prepare", "begin");
}

int
stage_started(struct stage *stage, unsigned guest, const char *const *devices)
{
    return step_hook(stage, guest, devices, "started", "begin");
}

int
stage_prepare_devices(struct stage *stage, unsigned guest, const char *const *devices)
{
    return step_hook(stage, guest, devices, "prepare", "begin");
}

int
stage_release(struct stage *stage, unsigned guest)
{
    return step_hook(stage, guest, usual, "release", "end");
}

int
stage_command(struct stage *stage, const char *line)
{
    pid_t pid = begin_step(stage);

    if (pid == 0)
        _exit(stage_vgpuctl(stage, line));
    return end_step(pid);
}
