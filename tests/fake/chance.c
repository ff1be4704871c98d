/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/chance.h"

#include <stdlib.h>
#include <string.h>

uint64_t
chance_setting(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

uint64_t
chance_rounds(uint64_t ordinary)
{
    const char *text = getenv("ROUNDS");
    uint64_t rounds = chance_setting("ROUNDS", ordinary);

    return text && strchr(text, '%') ? 1 + ordinary * rounds / 100 : rounds;
}

/* splitmix64 */
unsigned
chance(uint64_t *seed, unsigned below)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (unsigned)((z ^ (z >> 31)) >> 33) % below;
}

bool
maybe(uint64_t *seed, unsigned percent)
{
    return chance(seed, 100) < percent;
}
