# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The man pages are well formed, and vgpu.conf(5) knows exactly the keys that the program knows.

. "$srcdir/tests/guard.sh"
needs mandoc "$MANDOC"

for page in hooks/*.8 nodedev/*.1 config/*.5 config/*.7; do
    $MANDOC -T lint -W warning "$page" || complain "$page: mandoc complains"
done

known=$(sed -n 's/^    {"\([a-z_]*\)", [a-z_]*, .*/\1/p' common/policy-keys.c | sort -u)
written=$(sed -n 's/^\.It Ic \([a-z_]*\).*/\1/p' config/vgpu.conf.5 | sort -u)
[ "$known" = "$written" ] || complain "keys in common/policy-keys.c:" "$known" \
    "-- keys in config/vgpu.conf.5:" "$written"
finish
