/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * conf-token: the words of vgpu.conf, as libconfig reads them. The text may have faults. Pure.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

enum conf_token_kind {
    CONF_END,
    CONF_SPACE, /* one or more blanks and line feeds */
    CONF_COMMENT,
    CONF_STRING,
    CONF_NAME,
    CONF_BOOL,
    CONF_NUMBER,
    CONF_MARK,    /* one of "={}()[],;:" */
    CONF_GARBAGE, /* what libconfig does not understand */
};

struct conf_token {
    enum conf_token_kind kind;
    const char *begin;
    size_t length;
    bool is_open; /* a string or comment without an end */
};

/* The token that begins here. */
struct conf_token conf_token_read(const char *text) CHECKED NONNULL;

/* The first token from here that is no space and no comment. */
struct conf_token conf_token_skip(const char *text) CHECKED NONNULL;

/* Whether a token is this name. */
bool conf_token_is_name(const struct conf_token *token, const char *name) CHECKED NONNULL;

/* What a string means, without quotes and escapes. The caller frees it. */
char *conf_token_string(const struct conf_token *token) CHECKED NONNULL;
