/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * chance: random numbers. The same seed gives the same numbers on every machine.
 *
 * SEED=N begins with another seed. ROUNDS=N plays N rounds. ROUNDS=N% plays this share of the
 * ordinary number. A failure names the seed of its round, and SEED=that ROUNDS=1 repeats the round.
 */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SEED   20260107
#define ROUNDS 20000

/* The number in a variable of the environment. */
uint64_t chance_setting(const char *variable, uint64_t otherwise);

/* How many rounds to play. `ordinary` is the number if nobody has set ROUNDS. */
uint64_t chance_rounds(uint64_t ordinary);

/* The next number, from 0 up to but not including `below`. */
unsigned chance(uint64_t *seed, unsigned below);
bool maybe(uint64_t *seed, unsigned percent);
