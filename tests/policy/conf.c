/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/conf.h"
#include "policy/policy-load.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>

static int
remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    return remove(path);
}

int
conf_set_up(void **state)
{
    static struct conf conf;

    conf = (struct conf){.directory = "/tmp/test-policy-XXXXXX",
                         .host = {.ops = &host_kernel, .config = DIRECTORY}};
    assert_non_null(mkdtemp(conf.directory));
    conf.host.root = open(conf.directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(conf.host.root, "etc", 0755), 0);
    assert_int_equal(mkdirat(conf.host.root, DIRECTORY, 0755), 0);
    assert_int_equal(mkdirat(conf.host.root, DIRECTORY "/conf.d", 0755), 0);
    *state = &conf;
    return 0;
}

int
conf_tear_down(void **state)
{
    struct conf *conf = *state;

    policy_clear(&conf->policy);
    close(conf->host.root);
    return nftw(conf->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void
conf_put_bytes(const struct conf *conf, const char *name, const char *text, size_t length,
               mode_t mode)
{
    char path[256];
    AUTO_CLOSE int fd = -1;

    snprintf(path, sizeof(path), DIRECTORY "/%s", name);
    unlinkat(conf->host.root, path, 0);
    if (!text)
        return;
    fd = openat(conf->host.root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    assert_int_equal(fchmod(fd, mode), 0);
}

void
conf_put(const struct conf *conf, const char *name, const char *text, mode_t mode)
{
    conf_put_bytes(conf, name, text, text ? strlen(text) : 0, mode);
}

int
conf_load(struct conf *conf)
{
    policy_clear(&conf->policy);
    snprintf(conf->error.text, sizeof(conf->error.text), "older");
    return policy_load(&conf->host, &conf->policy, &conf->error);
}

int
conf_load_text(struct conf *conf, const char *text)
{
    conf_put(conf, MAIN, text, 0644);
    return conf_load(conf);
}

void
conf_assert_loads(struct conf *conf)
{
    if (conf_load(conf) < 0)
        fail_msg("%s", conf->error.text);
}

void
conf_assert_defaults(const struct policy *policy)
{
    assert_true(policy->enabled);
    assert_string_equal(policy->default_class, "");
    assert_int_equal(policy->prepare_timeout, 30000);
    assert_int_equal(policy->release_timeout, 5000);
    assert_int_equal(policy->lock_timeout, 10000);
    assert_int_equal(policy->order, ORDER_PACK);
    assert_int_equal(policy->numa, NUMA_PREFER);
    assert_int_equal(policy->release, POLICY_REAP);
    assert_int_equal(policy->allow, ~0u);
    assert_int_equal(policy->evacuate, ~0u);
    assert_false(policy->has_params);
    assert_int_equal(policy->params.count, 0);
    assert_int_equal(policy->gpu_count, 0);
    assert_int_equal(policy->class_count, 0);
    assert_int_equal(policy->quota_count, 0);
    assert_int_equal(policy->domain_count, 0);
    assert_null(policy->default_origin);
}

void
conf_assert_fails(struct conf *conf, const char *message)
{
    int rc = conf_load(conf);

    if (rc >= 0 || !strstr(conf->error.text, message))
        fail_msg("%d, \"%s\" instead of \"%s\"", rc, conf->error.text, message);
    conf_assert_defaults(&conf->policy);
}

void
conf_assert_words(const struct words *words, const char *wanted)
{
    char text[256] = "";

    for (size_t i = 0; i < words->count; i++) {
        size_t at = strlen(text);

        snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "", words->items[i]);
    }
    assert_string_equal(text, wanted);
}
