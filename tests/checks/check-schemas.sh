# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Each document that a command printed with --json is as its schema says: in the golden files, on the machines of
# the captures, and in all unit tests. Each key of a schema has been seen there with a value. "make check-vm" calls
# this script again, for what the scenario "capture" has printed.

. "$srcdir/tests/checks/guard.sh"
needs_file python3-jsonschema /usr/lib/python3/dist-packages/jsonschema

tests=$top_builddir/tests
case $tests in /*) ;; *) tests=$srcdir/$tests ;; esac
# shellcheck disable=SC2046 # words
/usr/bin/python3 tests/checks/schemas.py config/vgpuctl.schema.json \
    $(find tests/golden tests/captures -type f) \
    $(find "$tests" -name '*.documents' -o -path '*/vm-logs/*' -name shown) || complain "see above"
finish
