/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/conf-key.h"
#include "base/array.h"

static const struct conf_key keys[] = {
    {"accept", CONF_WORD, false, 0},
    {"address", CONF_ADDRESS, false, 0},
    {"alias", CONF_ALIAS, false, 0},
    {"allow", CONF_WORD, false, 0},
    {"boot_wait", CONF_QUANTITY, false, 0},
    {"class", CONF_CLASS, false, 0},
    {"classes", CONF_TEXT, true, STAND_IN_CLASS},
    {"default_class", CONF_CLASS, false, 0},
    {"devices", CONF_TEXT, false, 0},
    {"domains", CONF_DOMAINS, false, 0},
    {"driver", CONF_WORD, false, 0},
    {"enabled", CONF_TEXT, false, 0},
    {"exec_quantum", CONF_QUANTITY, false, 0},
    {"framebuffer", CONF_QUANTITY, false, 0},
    {"functions", CONF_FUNCTIONS, false, 0},
    {"gpus", CONF_TEXT, false, 0},
    {"instances", CONF_INSTANCES, false, 0},
    {"lock_timeout", CONF_QUANTITY, false, 0},
    {"max", CONF_COUNT_OF, false, 0},
    {"max_instances", CONF_TEXT, false, 0},
    {"migrate_uuid", CONF_WORD, false, 0},
    {"name", CONF_DOMAIN_NAME, false, 0},
    {"numa", CONF_WORD, false, 0},
    {"params", CONF_PARAM, false, 0},
    {"placement", CONF_WORD, false, 0},
    {"pools", CONF_TEXT, true, STAND_IN_POOL},
    {"preempt_timeout", CONF_QUANTITY, false, 0},
    {"prepare_timeout", CONF_QUANTITY, false, 0},
    {"profiles", CONF_TEXT, true, STAND_IN_PROFILE},
    {"quotas", CONF_TEXT, false, 0},
    {"release", CONF_WORD, false, 0},
    {"release_timeout", CONF_QUANTITY, false, 0},
    {"reserve", CONF_COUNT_OF, false, 0},
    {"setup", CONF_TEXT, false, 0},
    {"scheduler", CONF_WORD, false, 0},
    {"sizes", CONF_WORD, false, 0},
    {"time_slicing", CONF_WORD, false, 0},
    {"traits", CONF_TRAIT, false, 0},
    {"type", CONF_TYPE, false, 0},
    {"types", CONF_TYPE, false, 0},
    {"unlike_vgpus", CONF_TEXT, false, 0},
    {"vram", CONF_QUANTITY, false, 0},
};
const struct conf_key conf_key_unknown = {"", CONF_TEXT, false, 0};

const struct conf_key *
conf_key_find(const struct conf_token *token)
{
    const struct conf_key *key =
        ARRAY_FIND(keys, COUNT(keys), each, conf_token_is_name(token, each->name));

    return key ? key : &conf_key_unknown;
}
