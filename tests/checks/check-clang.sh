# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# clang compiles all sources without a warning, as gcc does.

. "$srcdir/tests/checks/guard.sh"
needs clang

for source in common/*/*.c hooks/*.c nodedev/*/*.c tests/*/*.c; do
    # shellcheck disable=SC2086,SC2090 # lists of flags
    "$found" $product_flags -Itests \
        $XML_CFLAGS $CTL_CFLAGS $WARNINGS -Werror -fsyntax-only "$source" || complain "$source"
done
finish
