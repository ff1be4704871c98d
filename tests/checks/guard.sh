# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# guard: the common part of check-*.sh. Each check sources it first; make sets the variables.

set -eu
cd "$srcdir"
# Exported for checks that run in another directory, and for the tests, which read their data below
# it.
srcdir=$(pwd)
export srcdir

# Debian has some programs where an ordinary user does not look, and tests/needs fetches others.
PATH=$PATH:/usr/sbin:/sbin:/usr/lib/cockpit:/usr/libexec:$srcdir/build-aux
export PATH

# lacks WHAT: skips the check.
lacks() {
    echo "skipped: $1 is not there; tests/needs installs it"
    exit 77
}

# The flags that all product files are compiled with, for checks that compile them once more. The quotes
# are part of the macros.
# shellcheck disable=SC2034,SC2089
product_flags="-std=gnu11 -D_GNU_SOURCE -DVGPU_CONFIG=\"etc/libvirt-vgpu\" -DVGPU_HOOKS=\"etc/libvirt/hooks\"
    -DVGPU_HOOK=\"usr/sbin/libvirt-vgpu-hook\" -DVGPU_MODULE=\"/usr/lib/libvirt-vgpu/connection.so\"
    -DVGPU_VERSION=\"0\" -Icommon -Ihooks -Inodedev"
# shellcheck disable=SC2034 # for the checks
# needs PROGRAM...: the first of these that is there is $found. Without any the check is skipped.
needs() {
    for program; do
        if found=$(command -v "$program"); then return; fi
    done
    lacks "$1"
}

# needs_file WHAT FILE
needs_file() { [ -e "$2" ] || lacks "$1"; }

failures=0

# complain TEXT...: reports a failure, and goes on.
complain() {
    echo "$*"
    failures=$((failures + 1))
}

# finish: ends the script with its status.
finish() {
    [ "$failures" -eq 0 ] || echo "$failures failures"
    [ "$failures" -eq 0 ]
}
