/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* unit: cmocka, with the headers that it needs before its own. */

#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
