/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fuzz: the common part of the fuzz targets. Each target has one function, which libFuzzer or
 * fuzz-main.c calls.
 */

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* If something does not hold, ends the program with a crash, because a fuzzer looks for crashes. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
