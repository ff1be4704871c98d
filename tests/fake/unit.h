/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * unit: what each unit test includes.
 *
 * cmocka needs some headers before its own. It gives every test a state, which most tests do not
 * look at. So the compiler does not complain of unused parameters here.
 */

#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
