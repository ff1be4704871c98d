/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * captured: a host of tests/captures as a machine of the fake kernel.
 *
 * vgpuctl's own inventory reads the capture, through its playback. The inventory is then written in
 * the words of fake-kernel.h: the GPUs, their types, functions and limits, and the functions of
 * pools. The machine is idle, because the guests of that host are not here. The functions of a GPU
 * have the addresses that the fake kernel gives them. The functions of pools have their own
 * addresses.
 */

#pragma once

#include "base/words.h"

struct captured {
    char *machine;
    char *configuration; /* vgpu.conf; "" if there is none */
};

/* Reads the capture of this name. If the fake kernel cannot play all of it, the test fails. The
 * caller clears it. */
void captured_read(struct captured *ret, const char *name);
void captured_clear(struct captured *captured);

/* The names of all captures, in strcmp's order. The caller clears them. */
void captured_list(struct words *ret);
