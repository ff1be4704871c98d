/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/dry-run.h"
#include "base/memory.h"
#include "base/shell-word.h"
#include "capture/archive.h"
#include "capture/public-capture.h"
#include "capture/recording.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/reply.h"
#include "commands/capture.h"
#include "commands/commands.h"
#include "device/ineligible.h"
#include "device/pci.h"
#include "device/vgpu.h"
#include "domain/status-files.h"
#include "lease/recent-removal.h"
#include "libvirt/connection.h"
#include "libvirt/version.h"
#include "prove/observation.h"

#include <string.h>

#define FILE_NAME "vgpu-capture.tar.gz"

/* --- looking at all that there is ------------------------------------------------------------- */

/* The commands read all that they can show, because of --json. Nobody sees what they print. */
static void
run_commands(const struct host *host)
{
    static const struct command *const rows[] = {&command_gpus, &command_types,  &command_status,
                                                 &command_list, &command_doctor, &command_metrics};
    static const struct terminal terminal;
    AUTO_FREE char *printed = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&printed, &length);

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(reply_clear) struct reply reply = {0};
        const struct command_call call = {.host = host,
                                          .reply = &reply,
                                          .name = rows[i]->name,
                                          .options.values[OPTION_JSON] = "",
                                          .terminal = &terminal,
                                          .out = out,
                                          .faults = out};
        struct error error;

        (void)!rows[i]->run(&call, &error);
    }
    memory_stream_end(out, &printed);
}

/* Makes a dry start of a domain that does not exist, with one vGPU of this type. */
static void
try_type(const struct host *host, const struct inventory_parent *parent,
         const struct inventory_type *type)
{
    struct request_device device = {.alias = (char *)"ua-gpu0",
                                    .attributes.said[ATTRIBUTE_TYPE] = (char *)type->id.text};
    struct request_hostdev hostdev = {.kind = parent->interface->hostdev,
                                      .source = parent->name,
                                      .alias = (char *)"ua-gpu0",
                                      .is_gpu = true};
    const struct name nobody = {LEASE_NOBODY};
    const struct request request = {.domain = {"00000000-0000-4000-8000-000000000000"},
                                    .name = (char *)"capture",
                                    .devices = &device,
                                    .device_count = 1,
                                    .hostdevs = &hostdev,
                                    .hostdev_count = 1};
    AUTO(dry_run_sight_clear) struct dry_run_sight sight = DRY_RUN_UNSEEN;
    AUTO(dry_run_clear) struct dry_run dry_run = {0};
    struct error ignored;

    if (hostdev.kind == REQUEST_MDEV)
        hostdev.source = nobody;
    if (dry_run_look(host, &request, false, &sight, &ignored) == 0)
        (void)!dry_run_make(&dry_run, &sight, &request, &dry_run_unchanged, &ignored);
}

/* Makes a dry start for each interface. The commands have read all types already. A start without
 * room also asks which GPUs had a vGPU a moment ago. */
static void
try_starts(const struct host *host, const struct inventory *inventory)
{
    const struct vgpu_interface *last = NULL;

    for (size_t i = 0; i < inventory->gpu_count; i++)
        (void)!recent_removal_on(host, &inventory->gpus[i]->name);
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = inventory->parents[i];

        if (parent->interface == last || !parent->gpu->type_count)
            continue;
        try_type(host, parent, &parent->gpu->types[0]);
        last = parent->interface;
    }
}

/* Reads what `prove --dry-run` needs about virtual functions. */
static void
look_at_functions(const struct host *host, const struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        AUTO(observation_functions_clear) struct observation_functions functions = {0};

        observation_functions_read(host, inventory->gpus[i], &functions);
    }
}

/* Reads what the error messages need about PCI devices that are no vGPUs. */
static void
look_at_devices(const struct host *host)
{
    AUTO(names_clear) struct names devices = {0};
    char why[256];

    if (host_list(host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++)
        ineligible_explain(host, &devices.items[i], why, sizeof(why));
}

static void
look_at_versions(const struct host *host)
{
    static const char *const files[] = {"proc/sys/kernel/osrelease", "sys/module/nvidia/version",
                                        "sys/module/xe/version", "sys/module/i915/version",
                                        "sys/module/gim/version"};
    char text[256];

    for (size_t i = 0; i < COUNT(files); i++)
        (void)!host_read(host, text, sizeof(text), "%s", files[i]);
}

static void
look_around(const struct host *host, struct public_capture *ret)
{
    AUTO(status_files_clear) struct status_files guests = {0};
    AUTO(names_clear) struct names names = {0};
    struct error ignored;

    run_commands(host);
    public_capture_look(ret, host);
    try_starts(host, &ret->inventory);
    look_at_functions(host, &ret->inventory);
    (void)!status_files_read(host, &guests, &ignored);
    look_at_devices(host);
    /* Another version may have files of its own here: they are told to be missing, if they are. */
    (void)!host_list(host, &names, "run/libvirt-vgpu");
    look_at_versions(host);
}

/* --- whose versions these are ----------------------------------------------------------------- */

struct heard {
    unsigned words;
    bool is_qemu;
    char remark[128];
};

/* Hears the first words that libvirt tells: "host", the kind of hypervisor, and two versions. */
static int
hear(void *data, const char *word)
{
    struct heard *heard = data;
    const char *const whose[] = {"", "", "libvirt", heard->is_qemu ? "QEMU" : "its hypervisor"};
    size_t at = strlen(heard->remark);

    if (heard->words == 1)
        heard->is_qemu = !strcmp(word, "QEMU");
    if (heard->words > 1)
        snprintf(heard->remark + at, sizeof(heard->remark) - at, ", %s %s", whose[heard->words],
                 version_text((unsigned)strtoul(word, NULL, 10)).text);
    return ++heard->words < COUNT(whose) ? 0 : -ECANCELED;
}

/* Asks libvirt for versions, if libvirt answers. The capture has the versions of the kernel and the
 * driver already. */
static void
ask_versions(const struct command_call *call, struct heard *ret)
{
    struct connection *connection = NULL;
    struct error ignored;

    *ret = (struct heard){.remark = "vgpuctl " VGPU_VERSION};
    if (!call->uri)
        return;
    if (connection_open(call->host, call->uri, CONNECTION_READ, &connection, &ignored) == 0)
        (void)!connection_tell(connection, CONNECTION_DEVICES, hear, ret, &ignored);
    connection_close(&connection);
}

/* --- the command ------------------------------------------------------------------------------ */

/* The lines are for people. */
static void
put_record(const char *record, FILE *out)
{
    for (const char *line = record, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        say_line(out, "# %.*s", (int)(end - line), line);
    }
}

static int
write_file(const struct command_call *call, struct answers *answers, const char *record,
           const struct output *output, struct error *error)
{
    AUTO_FREE char *manifest = NULL, *archive = NULL;
    size_t length = 0, size = 0;
    FILE *out = memory_stream(&manifest, &length);
    struct heard heard;
    int rc;

    ask_versions(call, &heard);
    answers_write(answers, option_given(&call->options, OPTION_NAMES), heard.remark, out);
    put_record(record, out);
    memory_stream_end(out, &manifest);
    rc = archive_pack(call->machine, manifest, length, &archive, &size, error);
    return rc < 0 ? rc : output_write(output, archive, size, 0600, error);
}

/* What is no file may be our stdout, where these lines must not follow the archive. */
static void
tell(const struct command_call *call, const struct recording *recording,
     const struct answers *answers, const struct output *output)
{
    FILE *out = output->file ? call->out : call->faults;
    size_t denied = 0;

    for (size_t i = 0; i < recording->answers.count; i++) {
        const int error = recording->answers.items[i]->error;

        denied += error == EACCES || error == EPERM;
    }
    say_line(out, "%s: %zu answers of this host's", output->path, answers->count);
    if (denied)
        say_line(out, "%7zu answers that need a right: run it as root", denied);
    if (option_given(&call->options, OPTION_NAMES))
        say_line(call->faults,
                 "vgpuctl: %s: %s has all that was read, with names of guests, users and files: "
                 "do not publish it",
                 call->name, output->path);
    else if (output->file)
        say_line(out, "Look through it before you give it away: tar -xzOf %s manifest",
                 shell_word(output->path).text);
}

int
capture_host(const struct command_call *call, const struct output *output, const char *record,
             struct error *error)
{
    const bool has_names = option_given(&call->options, OPTION_NAMES);
    AUTO(recording_clear) struct recording recording = {0};
    AUTO(public_capture_clear) struct public_capture public = {.policy_rc = 0};
    AUTO(answers_clear) struct answers facts = {0};
    struct answers *answers = has_names ? &recording.answers : &facts;
    AUTO_FREE char *remark = NULL;
    int rc;

    recording_start(&recording, call->host, !has_names);
    look_around(&recording.host, &public);
    remark = has_names ? memory_copy(record) : public_capture_remark(&public, record);
    if (!has_names)
        public_capture_take(&public, &recording, &facts);
    rc = write_file(call, answers, remark, output, error);
    if (rc == 0)
        tell(call, &recording, answers, output);
    return rc;
}

static enum command_status
run_capture(const struct command_call *call, struct error *error)
{
    AUTO(output_close) struct output output = OUTPUT_NONE;
    int rc = output_open(call->count ? call->arguments[0] : FILE_NAME, &output, error);

    if (rc == 0)
        rc = capture_host(call, &output, "", error);
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command command_capture = {
    .name = "capture",
    .arguments = "[FILE]",
    .help = "record this host's answers in an archive, for --root",
    .example = "vgpuctl capture host1.tar.gz",
    .page = "vgpuctl-repair",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_NAMES),
    .run = run_capture,
};
