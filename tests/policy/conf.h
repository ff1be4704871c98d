/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * conf: a configuration directory for one test, and the policy that is read from it.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"
#include "policy/policy.h"
#include "fake/unit.h"

#include <sys/stat.h>

#define DIRECTORY "etc/libvirt-vgpu"
#define MAIN      "vgpu.conf"
#define GPU       "address = \"0000:18:00.0\"; "

struct conf {
    char directory[64];
    struct host host;
    struct policy policy;
    struct error error;
};

/* The setup and the teardown of each test. The state of a test is a struct conf. */
int conf_set_up(void **state);
int conf_tear_down(void **state);

/* Writes a file below the configuration directory. If the text is NULL, removes the file. */
void conf_put_bytes(const struct conf *conf, const char *name, const char *text, size_t length,
                    mode_t mode);
void conf_put(const struct conf *conf, const char *name, const char *text, mode_t mode);

/* These read the policy. They return 0, or -errno with a line in conf->error. The second function
 * first writes a main file, as the only file. */
int conf_load(struct conf *conf);
int conf_load_text(struct conf *conf, const char *text);

void conf_assert_loads(struct conf *conf);
/* Checks that the policy is refused with these words, and that the defaults are left. */
void conf_assert_fails(struct conf *conf, const char *message);
void conf_assert_defaults(const struct policy *policy);
/* The words as one text, separated by blanks. */
void conf_assert_words(const struct words *words, const char *wanted);
