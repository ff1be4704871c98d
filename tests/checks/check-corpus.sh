# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The fuzz targets' seeds, replayed.

. "$srcdir/tests/checks/guard.sh"

for target in request policy ledger remote; do
    "$top_builddir/tests/fuzz/fuzz-$target" "tests/corpus/$target" || complain "fuzz-$target failed"
done
finish
