# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The fuzz targets' seeds, replayed.

. "$srcdir/tests/checks/guard.sh"

# shellcheck disable=SC2154 # Makefile.am hands it over
for target in $fuzz_targets; do
    "$top_builddir/$target" "tests/corpus/${target##*/fuzz-}" || complain "$target failed"
done
finish
