# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Each document that a command printed with --json is as its schema says: in the golden files, on the machines of
# the captures, and in all unit tests. Each key of a schema has been seen there with a value. "make check-vm" calls
# this script again, with the word "vm": then scenarios must have kept documents, too.

. "$srcdir/tests/checks/guard.sh"
needs_file python3-jsonschema /usr/lib/python3/dist-packages/jsonschema

tests=$top_builddir/tests
case $tests in /*) ;; *) tests=$srcdir/$tests ;; esac
if [ "${1-}" = vm ]; then
    kept=$(find "$tests/vm-logs" -name '*.documents' 2>/dev/null | wc -l)
    echo "$kept documents of scenarios"
    [ "$kept" -gt 0 ] || complain "no scenario has kept a document in $tests/vm-logs"
fi
# shellcheck disable=SC2046 # words
/usr/bin/python3 tests/checks/schemas.py config/vgpuctl.schema.json \
    $(find tests/golden tests/captures -type f) \
    $(find "$tests" -name '*.documents') || complain "see above"
finish
