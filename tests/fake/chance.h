/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * chance: random numbers that are the same for the same seed, everywhere.
 *
 * SEED=N begins with another host, ROUNDS=N tries so many, ROUNDS=N% that share of the ordinary
 * number. A failure names the seed of its round: SEED=that ROUNDS=1 repeats it.
 */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SEED   20260107
#define ROUNDS 20000

/* The number that a variable of the environment is set to. */
uint64_t chance_setting(const char *variable, uint64_t otherwise);

/* How many rounds to play, where `ordinary` is the number without a wish. */
uint64_t chance_rounds(uint64_t ordinary);

/* The next number, from 0 up to but not including `below`. */
unsigned chance(uint64_t *seed, unsigned below);
bool maybe(uint64_t *seed, unsigned percent);
