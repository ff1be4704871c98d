/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * warm-up: makes this process do the first steps of each child that asks a host.
 *
 * The loader and libvirt learn some facts only once. A child that is forked afterwards knows them.
 * valgrind would need half a second for this in each child.
 */

#pragma once

/* The set-up of a test program. Its URIs may name files of the project afterwards. */
int warm_up_connection(void **state);
