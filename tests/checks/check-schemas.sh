# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Each document that a command printed with --json is as its schema says: in the golden files, on the machines of
# the captures, and in all unit tests. Each key of a schema has been seen there with a value. "make check-vm" calls
# this script with the word "vm": then it judges the documents that scenarios have kept. There must be some.

. "$srcdir/tests/checks/guard.sh"
needs_file python3-jsonschema /usr/lib/python3/dist-packages/jsonschema

tests=$top_builddir/tests
case $tests in /*) ;; *) tests=$srcdir/$tests ;; esac
if [ "${1-}" = vm ]; then
    files=$(find "$tests/vm-logs" -name '*.documents' 2>/dev/null)
    [ -n "$files" ] || complain "no scenario has kept a document in $tests/vm-logs"
    part=--some
else
    files=$(find tests/golden tests/captures -type f && find "$tests" -name '*.documents')
    part=
fi
# shellcheck disable=SC2086 # words
/usr/bin/python3 tests/checks/schemas.py $part config/vgpuctl.schema.json $files || complain "see above"
finish
