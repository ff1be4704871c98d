# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# guard: what the check-*.sh share. Sourced first; make sets the variables.

set -eu
cd "$srcdir"
# For those that run from elsewhere, and for the tests, which read their data below it.
srcdir=$(pwd)
export srcdir

# needs NAME PROGRAM: skip, saying so, where the program was not found by configure.
needs() {
    [ -n "$2" ] && return
    echo "skipped: $1 is not installed"
    exit 77
}

failures=0

# complain TEXT...: a failure, and go on.
complain() {
    echo "$*"
    failures=$((failures + 1))
}

# finish: what the script ends with.
finish() {
    [ "$failures" -eq 0 ] || echo "$failures failures"
    [ "$failures" -eq 0 ]
}
