/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A configuration that loads is sound. If a configuration does not load, the defaults are left. A
 * line "#---" begins a drop-in. Nothing is included, because an include would read files that are
 * not ours.
 */

#include "fuzz/fuzz.h"
#include "base/memory.h"
#include "policy/policy-keys.h"
#include "policy/policy-load.h"
#include "policy/policy.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PART "#---\n"

const char *__lsan_default_suppressions(void);

/* libconfig 1.5 does not free the strings that it had read just before a syntax error. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:strbuf_append\nleak:libconfig_yylex\n";
}

static void
put(int directory, const char *path, const uint8_t *data, size_t size)
{
    AUTO_CLOSE int fd = openat(directory, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
}

/* Makes a new directory for each input. This is slow, but leaves nothing behind. */
static int
load(const uint8_t *data, size_t size, struct policy *policy, struct setting_trace *trace,
     struct error *error)
{
    char directory[] = "/tmp/fuzz-policy-XXXXXX";
    const uint8_t *part = memmem(data, size, PART, strlen(PART));
    size_t length = part ? (size_t)(part - data) : size;
    struct host host = {.ops = &host_kernel, .config = "c"};
    int rc;

    MUST(mkdtemp(directory));
    host.root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    MUST(host.root >= 0 && mkdirat(host.root, "c", 0700) == 0);
    MUST(mkdirat(host.root, "c/conf.d", 0700) == 0);
    put(host.root, "c/vgpu.conf", data, length);
    put(host.root, "c/conf.d/a.conf", data + length, size - length);
    rc = policy_load_traced(&host, policy, trace, error);
    MUST(unlinkat(host.root, "c/conf.d/a.conf", 0) == 0);
    MUST(unlinkat(host.root, "c/conf.d", AT_REMOVEDIR) == 0);
    MUST(unlinkat(host.root, "c/vgpu.conf", 0) == 0);
    MUST(unlinkat(host.root, "c", AT_REMOVEDIR) == 0);
    close(host.root);
    MUST(rmdir(directory) == 0);
    return rc;
}

static void
must_be_words(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        MUST(*words->items[i]);
}

/* All parts that refer to domains: every reference must have a target. */
static void
must_be_sound_of_domains(const struct policy *policy)
{
    for (size_t i = 0; i < policy->quota_count; i++) {
        const struct policy_quota *quota = &policy->quotas[i];

        MUST(quota->domains.count && quota->max <= 1000000 && quota->origin);
        must_be_words(&quota->domains);
        MUST(quota->class && policy_find_class(policy, quota->class));
    }
    for (size_t i = 0; i < policy->domain_count; i++) {
        const struct policy_domain *domain = &policy->domains[i];

        MUST(domain->name && domain->origin);
        for (size_t k = 0; k < domain->device_count; k++) {
            const struct policy_domain_device *device = &domain->devices[k];

            MUST(device->alias && device->origin && !device->type != !device->class);
            MUST(!device->class || policy_find_class(policy, device->class));
        }
    }
}

static void
must_be_sound(const struct policy *policy)
{
    MUST(policy->prepare_timeout <= 3600000 && policy->release_timeout <= 3600000);
    MUST(policy->lock_timeout <= 3600000);
    MUST(policy->order == ORDER_PACK || policy->order == ORDER_SPREAD);
    MUST(policy->numa >= NUMA_PREFER && policy->numa <= NUMA_IGNORE);
    MUST(policy->release <= POLICY_KEEP);
    must_be_words(&policy->params);
    MUST(policy->has_params || !policy->params.count);
    for (size_t i = 0; i < policy->gpu_count; i++) {
        const struct policy_gpu *gpu = &policy->gpus[i];
        struct name again;

        MUST(name_parse(&again, gpu->address.text) == 0);
        MUST(policy_find_gpu(policy, &gpu->address) == gpu);
        must_be_words(&gpu->types);
        must_be_words(&gpu->traits);
        MUST(gpu->reserve <= 1000000 && gpu->origin);
    }
    for (size_t i = 0; i < policy->class_count; i++) {
        const struct policy_class *class = &policy->classes[i];

        MUST(*class->name && !class->types.count == !!class->framebuffer);
        MUST(class->framebuffer <= 1048576 && class->order <= ORDER_SPREAD && class->origin);
        MUST(policy_find_class(policy, class->name) == class);
        must_be_words(&class->types);
        must_be_words(&class->traits);
    }
    must_be_sound_of_domains(policy);
    MUST(!*policy->default_class || policy_find_class(policy, policy->default_class));
}

static void
add_line(void *out, const char *text, const char *origin)
{
    (void)origin;
    fprintf(out, "%s\n", text);
}

/* The text that vgpuctl check --print prints. The caller frees it. */
static char *
print(const struct policy *policy, const struct setting_trace *trace)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);

    policy_keys_text(policy, trace, add_line, out);
    memory_stream_end(out, &text);
    return text;
}

/* The printed configuration means the same as the configuration that was read. */
static void
must_be_printed(const struct policy *policy, const struct setting_trace *trace)
{
    AUTO(policy_clear) struct policy again = {0};
    AUTO(setting_trace_clear) struct setting_trace where = {0};
    AUTO_FREE char *text = print(policy, trace);
    AUTO_FREE char *same = NULL;
    struct error error;

    MUST(load((const uint8_t *)text, strlen(text), &again, &where, &error) == 0);
    must_be_sound(&again);
    same = print(&again, &where);
    MUST(strcmp(text, same) == 0);
    MUST(again.gpu_count == policy->gpu_count && again.class_count == policy->class_count);
    MUST(again.prepare_timeout == policy->prepare_timeout && again.enabled == policy->enabled);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(policy_clear) struct policy policy = {0};
    AUTO(setting_trace_clear) struct setting_trace trace = {0};
    struct error error = {0};

    if (memmem(data, size, "@include", 8))
        return 0;
    if (load(data, size, &policy, &trace, &error) == 0) {
        must_be_sound(&policy);
        must_be_printed(&policy, &trace);
        return 0;
    }
    MUST(*error.text);
    for (const char *c = error.text; *c; c++)
        MUST((unsigned char)*c >= ' ' && *c != 0x7f);
    MUST(policy.enabled && !*policy.default_class && !policy.gpu_count && !policy.class_count);
    MUST(!policy.quota_count && !policy.domain_count && !policy.has_params && !policy.params.count);
    MUST(policy.prepare_timeout == 30000 && policy.order == ORDER_PACK && policy.allow == ~0u);
    MUST(policy.numa == NUMA_PREFER && policy.release == POLICY_REAP);
    return 0;
}
