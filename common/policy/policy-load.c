/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policy-load.h"
#include "policy/drained.h"
#include "policy/policy-keys.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES (1 << 20) /* of one file */

static int
set_defaults(struct policy *policy)
{
    *policy = (struct policy){
        .enabled = true,
        .order = POLICY_PACK,
        .numa = POLICY_NUMA_PREFER,
        .allow = ~0u,
        .default_class = strdup(""),
        .prepare_timeout = 30000,
        .release_timeout = 5000,
        .lock_timeout = 10000,
        .boot_wait = 120000,
    };
    return policy->default_class ? 0 : -ENOMEM;
}

/* What steers root's writes must be in root's hands only. (Our own, where we are not root.) */
static int
check_owner(int fd, struct error *error, const char *file)
{
    struct stat status;

    if (fstat(fd, &status) < 0) {
        error_add(error, "%s: %m", file);
        return -errno;
    }
    if (!S_ISREG(status.st_mode) || status.st_size > MOST_BYTES) {
        error_add(error, "%s: not a regular file of at most 1 MiB", file);
        return -EINVAL;
    }
    if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & 022)) {
        error_add(error,
                  "%s: others than root may write it; 'chown root' and 'chmod go-w' make it safe",
                  file);
        return -EPERM;
    }
    return 0;
}

/* The whole file, or NULL and errno; EILSEQ if it is no text. */
static char *
read_text(int fd)
{
    AUTO_FREE char *text = malloc(MOST_BYTES + 1);
    size_t length = 0;

    while (text && length < MOST_BYTES) {
        ssize_t got = read(fd, text + length, MOST_BYTES - length);

        if (got < 0)
            return NULL;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    if (!text)
        return NULL;
    text[length] = '\0';
    if (strlen(text) == length)
        return TAKE(text);
    errno = EILSEQ;
    return NULL;
}

/* libconfig would open what it names without asking whose it is. 0: there is none. */
static unsigned
find_include(const char *text)
{
    for (unsigned line = 1; text; line++) {
        if (!strncmp(text + strspn(text, " \t"), "@include", strlen("@include")))
            return line;
        text = strchr(text, '\n');
        if (text)
            text++;
    }
    return 0;
}

static int
parse_text(struct setting_reader *reader, const char *text)
{
    unsigned include = find_include(text);
    config_t config;

    if (include) {
        error_add(reader->error, "%s:%u: @include is not allowed; use conf.d/", reader->file,
                  include);
        return -EINVAL;
    }
    config_init(&config);
    if (config_read_string(&config, text)) {
        policy_read_keys(reader, config_root_setting(&config), reader->whole);
    } else {
        error_add(reader->error, "%s:%d: %s", reader->file, config_error_line(&config),
                  config_error_text(&config));
        reader->rc = -EINVAL;
    }
    config_destroy(&config);
    return reader->rc;
}

/* A file that is not there says nothing. */
static int
read_file(const struct host *host, const char *path, struct policy *policy, struct error *error)
{
    AUTO_CLOSE int fd = openat(host->root, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    AUTO_FREE char *text = NULL;
    char file[sizeof(struct path) + 1];
    struct setting_reader reader = {.error = error, .file = file, .whole = policy};

    snprintf(file, sizeof(file), "/%s", path);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0) {
        error_add(error, "%s: %m", file);
        return -errno;
    }
    reader.rc = check_owner(fd, error, file);
    if (reader.rc < 0)
        return reader.rc;
    text = read_text(fd);
    if (!text) {
        error_add(error, "%s: %m", file);
        return -errno;
    }
    return parse_text(&reader, text);
}

/* What no single key can be blamed for: each adds what it finds, and returns -EINVAL for it. */
static int
check_gpus(const struct policy *policy, struct error *error)
{
    int rc = 0;

    for (size_t i = 0; i < policy->gpu_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!name_equal(&policy->gpus[i].address, &policy->gpus[k].address) ||
                !*policy->gpus[i].address.text)
                continue;
            error_add(error, "%s: the GPU %s is listed already, at %s", policy->gpus[i].origin,
                      policy->gpus[i].address.text, policy->gpus[k].origin);
            rc = -EINVAL;
        }
    }
    return rc;
}

static int
check_classes(const struct policy *policy, struct error *error)
{
    int rc = 0;

    for (size_t i = 0; i < policy->class_count; i++) {
        const struct policy_class *class = &policy->classes[i];

        if (class->types.count && !class->framebuffer)
            continue;
        if (!class->types.count && class->framebuffer)
            continue;
        error_add(error, "%s: the class \"%s\" %s", class->origin, class->name,
                  class->framebuffer ? "has both types and framebuffer"
                                     : "has no types (and no framebuffer)");
        rc = -EINVAL;
    }
    return rc;
}

/* A class that somebody refers to. */
static int
check_reference(const struct policy *policy, const char *origin, const char *what, const char *name,
                struct error *error)
{
    if (!name || policy_find_class(policy, name))
        return 0;
    error_add(error, "%s: %s \"%s\", and there is no such class", origin, what, name);
    return -EINVAL;
}

static int
check_domain(const struct policy *policy, const struct policy_domain *domain, struct error *error)
{
    int rc = 0;

    for (size_t i = 0; i < domain->device_count; i++) {
        const struct policy_domain_device *device = &domain->devices[i];

        if (!device->type == !device->class) {
            error_add(error, "%s: a device needs either type or class", device->origin);
            rc = -EINVAL;
        }
        for (size_t k = 0; k < i; k++) {
            const char *alias = domain->devices[k].alias;

            if (!alias || !device->alias || strcmp(alias, device->alias))
                continue;
            error_add(error, "%s: the alias \"%s\" is listed already, at %s", device->origin, alias,
                      domain->devices[k].origin);
            rc = -EINVAL;
        }
        if (check_reference(policy, device->origin, "a device's class is", device->class, error) <
            0)
            rc = -EINVAL;
    }
    return rc;
}

static int
check_whole(const struct policy *policy, struct error *error)
{
    int rc = check_gpus(policy, error);

    if (check_classes(policy, error) < 0)
        rc = -EINVAL;
    if (*policy->default_class &&
        check_reference(policy, policy->default_origin, "default_class is", policy->default_class,
                        error) < 0)
        rc = -EINVAL;
    for (size_t i = 0; i < policy->quota_count; i++) {
        if (check_reference(policy, policy->quotas[i].origin, "a quota's class is",
                            policy->quotas[i].class, error) < 0)
            rc = -EINVAL;
    }
    for (size_t i = 0; i < policy->domain_count; i++) {
        if (check_domain(policy, &policy->domains[i], error) < 0)
            rc = -EINVAL;
    }
    return rc;
}

static int
is_configuration(const struct dirent *entry)
{
    const char *name = entry->d_name;
    size_t length = strlen(name);

    return *name != '.' && length > 5 && !strcmp(name + length - 5, ".conf");
}

/* As strcmp, whatever the locale. */
static int
compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int
read_drop_ins(const struct host *host, struct policy *policy, struct error *error)
{
    struct dirent **files;
    struct path path;
    int rc = path_format(&path, "%s/conf.d", host->config), worst = 0, count;

    if (rc < 0)
        return rc;
    count = scandirat(host->root, path.text, &files, is_configuration, compare_names);
    if (count < 0 && errno == ENOENT)
        return 0;
    if (count < 0) {
        error_add(error, "/%s: %m", path.text);
        return -errno;
    }
    for (int i = 0; i < count; i++) {
        rc = path_format(&path, "%s/conf.d/%s", host->config, files[i]->d_name);
        if (rc == 0)
            rc = read_file(host, path.text, policy, error);
        if (rc < 0)
            worst = rc;
        free(files[i]);
    }
    free(files);
    return worst;
}

/* Adds to the faults that are known already. */
static int
read_drained(const struct host *host, struct policy *policy, struct error *error)
{
    struct error fault;
    int rc = drained_read(host, &policy->drained, &fault);

    if (rc < 0)
        error_add(error, "%s", fault.text);
    return rc;
}

int
policy_load(const struct host *host, struct policy *ret, struct error *error)
{
    struct path path;
    int rc, worst;

    error->text[0] = '\0';
    if (set_defaults(ret) < 0)
        return error_set(error, -ENOMEM, "no memory for the configuration");
    worst = path_format(&path, "%s/vgpu.conf", host->config);
    if (worst == 0)
        worst = read_file(host, path.text, ret, error);
    rc = read_drop_ins(host, ret, error);
    worst = rc < 0 ? rc : worst;
    rc = check_whole(ret, error);
    worst = rc < 0 ? rc : worst;
    rc = read_drained(host, ret, error);
    worst = rc < 0 ? rc : worst;
    if (worst < 0) {
        policy_clear(ret);
        if (set_defaults(ret) < 0)
            return error_set(error, -ENOMEM, "no memory for the configuration");
    }
    return worst;
}
