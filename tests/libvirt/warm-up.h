/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * warm-up: lets this process do what each child that asks a host does first.
 *
 * What the loader and libvirt learn once is then known in every child. Under valgrind, which learns
 * it anew in each, that is half a second a child.
 */

#pragma once

/* The set-up of a group of tests. */
int warm_up_connection(void **state);
