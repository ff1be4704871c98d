/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/memory.h"
#include "check/definitions-check.h"
#include "check/policy-check.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "commands/commands.h"
#include "device/scan.h"
#include "lease/drained.h"
#include "libvirt/domain-source.h"
#include "policy/policy-keys.h"
#include "policy/policy-load.h"
#include "setup/setup.h"

#include <string.h>

static void
warn_of_passed_over(const struct command_call *call, struct findings *found)
{
    AUTO(words_clear) struct words files = {0};

    policy_passed_over(call->host, &files);
    for (size_t i = 0; i < files.count; i++) {
        char where[512];

        snprintf(where, sizeof(where), "/%s/conf.d/%s", call->host->config, files.items[i]);
        findings_at(found, FINDING_WARNING, "passed-over", where, 0,
                    "it is passed over, as its name %s",
                    *files.items[i] == '.' ? "begins with a dot" : "does not end in .conf");
    }
}

/* A card that is not there is told as a GPU that is not. */
static void
check_setups(const struct host *host, const struct policy *policy, struct findings *found)
{
    for (size_t i = 0; i < policy->gpu_count; i++) {
        const struct policy_gpu *gpu = &policy->gpus[i];
        struct error refusal;
        int rc = policy_has_setup(gpu) ? setup_check(host, gpu, &refusal) : 0;

        if (rc < 0 && rc != -ENODEV)
            findings_at(found, FINDING_WARNING, "setup", gpu->origin, 0, "%s", refusal.text);
    }
}

/* Checks the configuration against what this host has. */
static int
check_host(const struct command_call *call, const struct policy *policy,
           const struct setting_trace *trace, struct findings *found, struct error *error)
{
    AUTO(inventory_clear) struct inventory inventory = {0};
    AUTO(names_clear) struct names drained = {0};
    AUTO_FREE char *where = memory_format("/%s", call->host->config);
    int rc = scan_host(call->host, policy, &inventory_all_types, &inventory, error);

    if (rc == 0)
        rc = drained_check(drained_read(call->host, &drained), error);
    if (rc < 0)
        return rc;
    if (!policy->enabled)
        findings_at(found, FINDING_WARNING, "disabled", policy->enabled_origin, 0,
                    "enabled is false: until it is true, no guest is given a vGPU");
    for (size_t i = 0; i < inventory.gpu_count; i++) {
        const char *gpu = inventory.gpus[i]->name.text;

        if (names_has(&drained, &inventory.gpus[i]->name))
            findings_at(found, FINDING_WARNING, "drained", gpu, 0,
                        "this GPU is drained: no guest gets a vGPU there until 'vgpuctl "
                        "undrain %s'",
                        gpu);
    }
    check_setups(call->host, policy, found);
    if (inventory.gpu_count == 0) {
        findings_at(found, FINDING_WARNING, "no-gpus", where, 0,
                    "no GPU on this host offers vGPUs; is its driver loaded?");
        return 0;
    }
    policy_check(policy, trace, &inventory, found);
    policy_check_table(call->host, policy, &inventory, found);
    return 0;
}

/* Reads the configuration. The check of one domain needs it as well, because the configuration
 * decides about the domain. */
static bool
check_policy(const struct command_call *call, struct policy *policy, struct setting_trace *trace,
             struct findings *found)
{
    AUTO_FREE char *stem = memory_format("/%s/", call->host->config);
    struct error faults;

    if (policy_load_traced(call->host, policy, trace, &faults) == 0)
        return true;
    findings_add_faults(found, &faults, stem);
    return false;
}

static enum command_status
check_one(const struct command_call *call, const struct policy *policy, struct findings *found,
          struct error *error)
{
    AUTO(domain_source_close) struct domain_source source = {0};
    AUTO(document_clear) struct document document = {0};
    struct domain_check check = {
        .policy = policy, .host = call->host, .uri = call->uri, .found = found};
    int rc = domain_source_open(call, CONNECTION_READ, &source, error), count;
    size_t faults;
    /* What a next start would use. A transient domain has only the XML that runs. */
    enum connection_side side = domain_source_side_shown(&source);

    if (rc == 0)
        rc = domain_source_text(&source, side, false, &document, error);
    if (rc < 0)
        return command_ended(rc, error);
    check.file = source.connection ? source.domain.name : source.word;
    count = domain_check(&check, &document, error);
    if (count < 0) {
        error_wrap(error, "%s", check.file);
        return COMMAND_FAILED;
    }
    faults = findings_count(found, 0, FINDING_ERROR);
    if (faults == 0) {
        say_line(call->out, "%s: ok (vGPUs asked for: %d, warnings: %zu)", check.file, count,
                 found->count);
        return COMMAND_DONE;
    }
    error_refuse(error, ERROR_FAULTS, "%s: faults: %zu; a start would be refused", check.file,
                 faults);
    return COMMAND_FAILED;
}

/* Checks the configuration alone. Returns true if the configuration is sound. */
static bool
check_configuration(const struct command_call *call, const struct policy *policy,
                    const struct setting_trace *trace, struct findings *found, struct error *error)
{
    size_t faults = findings_count(found, 0, FINDING_ERROR);

    warn_of_passed_over(call, found);
    if (faults) {
        error_refuse(error, ERROR_BAD_CONFIGURATION,
                     "faults: %zu; no guest that asks for a vGPU can start", faults);
        return false;
    }
    policy_check_profiles(policy, trace, found);
    if (check_host(call, policy, trace, found, error) < 0)
        return false;
    faults = findings_count(found, 0, FINDING_ERROR);
    if (faults) {
        error_refuse(error, ERROR_BAD_CONFIGURATION,
                     "faults: %zu; no guest can be given these profiles", faults);
        return false;
    }
    say_line(call->out,
             "/%s: ok (gpus: %zu, classes: %zu, quotas: %zu, domains: %zu, warnings: %zu)",
             call->host->config, policy->gpu_count, policy->class_count, policy->quota_count,
             policy->domain_count, found->count);
    return true;
}

/* Checks the configuration and all definitions. A broken configuration does not stop the check of
 * the definitions. */
static enum command_status
check_all(const struct command_call *call, const struct policy *policy, struct findings *found,
          struct error *error)
{
    const struct domain_check check = {
        .policy = policy, .host = call->host, .uri = call->uri, .found = found};
    const size_t first = found->count;
    struct definitions_check sum;
    struct error failure;
    int rc = definitions_check_all(&check, &sum, &failure);

    if (rc == 0 && sum.faulty)
        rc = error_refuse(&failure, ERROR_FAULTS,
                          "definitions with faults: %zu of %zu; their starts would be refused",
                          sum.faulty, sum.count);
    if (rc < 0) {
        if (!*error->text)
            error->class = failure.class;
        error_add(error, "%s", failure.text);
        return COMMAND_FAILED;
    }
    if (!policy)
        say_line(call->out,
                 "definitions: no faults by themselves (domains: %zu, warnings: %zu); what the "
                 "configuration would have them ask for is not known",
                 sum.count, found->count - first);
    else
        say_line(call->out, "definitions: ok (domains: %zu, vGPUs asked for: %zu, warnings: %zu)",
                 sum.count, sum.vgpus, found->count - first);
    return *error->text ? COMMAND_FAILED : COMMAND_DONE;
}

/* The column where comments begin. A longer line pushes its comment to the right. */
#define COMMENTS 40

static void
print_line(void *data, const char *text, const char *origin)
{
    if (origin)
        say_line(data, "%-*s # %s", COMMENTS, text, origin);
    else
        say_line(data, "%s", text);
}

/* Prints the configuration that all files make together. */
static enum command_status
print_configuration(const struct command_call *call, struct error *error)
{
    AUTO(policy_clear) struct policy policy = {0};
    AUTO(setting_trace_clear) struct setting_trace trace = {0};
    int rc = policy_load_traced(call->host, &policy, &trace, error);

    if (rc < 0)
        return COMMAND_FAILED;
    policy_keys_text(&policy, &trace, print_line, call->out);
    return COMMAND_DONE;
}

/* --- the command ------------------------------------------------------------------------------ */

static enum command_status
check(const struct command_call *call, struct findings *found, struct error *error)
{
    AUTO(policy_clear) struct policy policy = {0};
    AUTO(setting_trace_clear) struct setting_trace trace = {0};
    bool all = option_given(&call->options, OPTION_ALL);
    bool sound = check_policy(call, &policy, &trace, found);

    if (call->count)
        return check_one(call, sound ? &policy : NULL, found, error);
    *error = (struct error){0};
    if (!check_configuration(call, &policy, &trace, found, error) && !all)
        return COMMAND_FAILED;
    return all ? check_all(call, sound ? &policy : NULL, found, error) : COMMAND_DONE;
}

static enum command_status
run_check(const struct command_call *call, struct error *error)
{
    AUTO(findings_clear) struct findings found = {.out = call->faults};
    enum command_status status;
    bool all = option_given(&call->options, OPTION_ALL);

    if (all && (call->count || !call->uri))
        return command_ended(
            error_refuse(error, ERROR_USAGE,
                         "--all is for what libvirt knows: it takes no DOMAIN, no FILE, no --root"),
            error);
    if (option_given(&call->options, OPTION_PRINT)) {
        if (reply_is_wanted(call))
            return command_ended(error_refuse(error, ERROR_USAGE,
                                              "--print prints a configuration: it takes no --json"),
                                 error);
        if (all || call->count)
            return command_ended(
                error_refuse(error, ERROR_USAGE,
                             "--print is for the configuration: no DOMAIN, no FILE, no --all"),
                error);
        return print_configuration(call, error);
    }
    status = check(call, &found, error);
    if (reply_is_wanted(call))
        findings_put(&found, reply_json(call), "findings", true);
    return status;
}

const struct command command_check = {
    .name = "check",
    .arguments = "[DOMAIN|FILE]",
    .help = "look for faults in the configuration, and in domains' XML",
    .example = "vgpuctl check web01.xml",
    .page = "vgpuctl-guest",
    .most = 1,
    .options = OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_PRINT) |
               OPTION_BIT(OPTION_JSON),
    .option_help = {[OPTION_ALL] = "check every domain, too",
                    [OPTION_PRINT] = "print each value of the configuration, with file and line"},
    .run = run_check,
};
