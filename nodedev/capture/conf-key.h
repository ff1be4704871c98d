/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * conf-key: the keys of vgpu.conf, and what their values mean to a capture.
 */

#pragma once

#include "capture/conf-token.h"
#include "capture/stand-ins.h"

/* What the strings and numbers of a key mean. */
enum conf_meaning {
    CONF_TEXT, /* nothing that is known */
    CONF_ADDRESS,
    CONF_TYPE,
    CONF_TRAIT,
    CONF_COUNT_OF,
    CONF_QUANTITY,
    CONF_WORD,
    CONF_FUNCTIONS, /* addresses; in setup, a number or a word */
    CONF_INSTANCES,
    CONF_CLASS,
    CONF_DOMAINS,
    CONF_DOMAIN_NAME,
    CONF_ALIAS,
    CONF_PARAM,
};

struct conf_key {
    const char *name;
    enum conf_meaning meaning;
    bool has_names; /* the keys of its group are names, of this kind */
    enum stand_in kind;
};

/* A key that vgpu.conf does not have. */
extern const struct conf_key conf_key_unknown;

/* The key that a token names, or conf_key_unknown. */
const struct conf_key *conf_key_find(const struct conf_token *token) NONNULL;
