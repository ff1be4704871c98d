/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * conf: a configuration directory for one test, and the policy that it makes.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <cmocka.h>

#define DIRECTORY "etc/libvirt-vgpu"
#define MAIN      "vgpu.conf"
#define GPU       "address = \"0000:18:00.0\"; "

struct conf {
    char directory[64];
    struct host host;
    struct policy policy;
    struct error error;
};

/* The setup and the teardown of each test: the state is a struct conf. */
int conf_set_up(void **state);
int conf_tear_down(void **state);

/* Writes a file below the configuration directory; NULL removes it. */
void conf_put_bytes(const struct conf *conf, const char *name, const char *text, size_t length,
                    mode_t mode);
void conf_put(const struct conf *conf, const char *name, const char *text, mode_t mode);

/* Read the policy. 0, or -errno and a line in conf->error. The second function writes a main file
 * first, and nothing else. */
int conf_load(struct conf *conf);
int conf_load_text(struct conf *conf, const char *text);

void conf_assert_loads(struct conf *conf);
/* Checks that the policy is refused with these words, and that the defaults are left. */
void conf_assert_fails(struct conf *conf, const char *message);
void conf_assert_defaults(const struct policy *policy);
/* The words, separated by blanks. */
void conf_assert_words(const struct words *words, const char *wanted);
