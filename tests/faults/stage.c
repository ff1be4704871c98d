/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults/stage.h"
#include "faults/traced-host.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#define MTTY                                                                                       \
    "gpu mtty rule pool 6\n"                                                                       \
    "type mtty-2 \"Dual port serial\" uses 2\n"

const struct stage_shape stage_shapes[2] = {
    {"vf",
     MTTY "gpu 0000:3d:00.0 vf vfs 2 rule size\n"
          "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 2\n",
     "nvidia-1145"},
    {"xe",
     MTTY "gpu 0000:3d:00.0 xe vfs 2 memory 2048\n"
          "type L40S-1B L40S-1B framebuffer 1024\n",
     "L40S-1B"},
};
const struct stage_shape *stage_shape = &stage_shapes[0];

const char stage_a[] = "dddddddd-0000-4000-8000-000000000001";
const char stage_v[] = "0000:3d:00.4";
const char stage_v2[] = "0000:3d:00.5";
const char stage_b[] = "dddddddd-0000-4000-8000-000000000003";

static const char *const bystanders[] = {stage_b, NULL};

/* --- guests ----------------------------------------------------------------------------------- */

void
stage_put_status(struct stage *stage, unsigned guest, const char *const *devices)
{
    AUTO_FREE char *xml = stage_xml(guest, devices);

    scene_put_status(&stage->scene, guest, stage->self, xml);
}

bool
stage_guest_has(const struct stage *stage, const char *device)
{
    const struct host host = {.root = stage->scene.kernel.host.root, .ops = &host_kernel};
    char text[4096];

    return host_read(&host, text, sizeof(text), "run/libvirt/qemu/guest1.xml") > 0 &&
           strstr(text, device);
}

void
stage_open_device(struct stage *stage, const char *device)
{
    assert_true(stage->open_count < STAGE_MOST_OPEN);
    stage->open[stage->open_count++] = fake_open(&stage->scene.kernel, device);
}

void
stage_run_guest_untold(struct stage *stage, const char *const *devices)
{
    stage_put_status(stage, 1, devices);
    for (size_t i = 0; devices[i]; i++)
        stage_open_device(stage, devices[i]);
}

void
stage_run_guest(struct stage *stage, const char *const *devices)
{
    stage_run_guest_untold(stage, devices);
    assert_int_equal(stage_started(stage, 1, devices), 0);
}

void
stage_end_guest(struct stage *stage)
{
    while (stage->open_count)
        fake_close(&stage->open[--stage->open_count]);
    unlinkat(stage->scene.kernel.host.root, "run/libvirt/qemu/guest1.xml", 0);
}

/* --- the stage -------------------------------------------------------------------------------- */

/* Makes a socket for the log. Nobody reads from it, but it has room for all messages of a
 * process. */
static int
open_log_socket(const struct stage *stage)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    assert_true(snprintf(address.sun_path, sizeof(address.sun_path), "%s/log",
                         stage->scene.kernel.path) < (int)sizeof(address.sun_path));
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static void
start_bystander(struct stage *stage)
{
    assert_int_equal(stage_prepare_devices(stage, 3, bystanders), 0);
    stage_put_status(stage, 3, bystanders);
    stage->bystander = fake_open(&stage->scene.kernel, stage_b);
    assert_int_equal(stage_started(stage, 3, bystanders), 0);
}

void
stage_be_daemon(const struct stage *stage)
{
    char pid[16];

    snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
    fake_write(&stage->scene.kernel, "run/libvirt/qemu/driver.pid", pid);
}

void
stage_lose_lease(const struct stage *stage, const char *device)
{
    const struct host host = {.root = stage->scene.kernel.host.root, .ops = &host_kernel};
    char text[4096], *line, *end;

    assert_true(host_read(&host, text, sizeof(text), "run/libvirt-vgpu/ledger") > 0);
    line = strstr(text, device);
    assert_non_null(line);
    while (line[-1] != '\n')
        line--;
    end = strchrnul(line, '\n');
    memmove(line, end + (*end == '\n'), strlen(end + (*end == '\n')) + 1);
    line = text + strlen(text);
    if (line[-1] != '\n')
        strcpy(line, "\n");
    fake_write(&stage->scene.kernel, "run/libvirt-vgpu/ledger", text);
}

void
stage_start(struct stage *stage, struct inject_record *record, const char *more)
{
    AUTO_FREE char *machine = NULL;

    *stage = (struct stage){.record = record, .self = getpid()};
    assert_true(asprintf(&machine, "%s%s", stage_shape->machine, more ? more : "") > 0);
    scene_start(&stage->scene, machine);
    /* This comes after the start of the clock, because the clock's keeper must not be a child of
     * this process. */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    traced_host_start(&stage->scene.kernel);
    stage->input = memfd_create("input", MFD_CLOEXEC);
    stage->output = memfd_create("output", MFD_CLOEXEC);
    stage->faults = memfd_create("faults", MFD_CLOEXEC);
    stage->log = open_log_socket(stage);
    scene_configure(&stage->scene, STAGE_CONFIGURATION);
    stage_be_daemon(stage);
    start_bystander(stage);
}

void
stage_stop(struct stage *stage)
{
    stage_end_guest(stage);
    fake_close(&stage->bystander);
    close(stage->input);
    close(stage->output);
    close(stage->faults);
    close(stage->log);
    scene_stop(&stage->scene);
}
