# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Replays the seeds of the fuzz targets, and the inputs that long runs found.

. "$srcdir/tests/checks/guard.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tar -xJf "$srcdir/tests/corpus/learned.tar.xz" -C "$scratch"

# shellcheck disable=SC2154 # make hands it over
for target in $fuzz_targets; do
    name=${target##*/fuzz-}
    mkdir -p "$scratch/$name"
    "$top_builddir/$target" "tests/corpus/$name" "$scratch/$name" || complain "$target failed"
done
finish
