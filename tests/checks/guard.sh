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

# needs NAME PROGRAM: skips the check with a message if configure did not find the program.
needs() {
    [ -n "$2" ] && return
    echo "skipped: $1 is not installed"
    exit 77
}

# The flags that all product files are compiled with, for checks that compile them once more. The quotes
# are part of the macros.
# shellcheck disable=SC2034,SC2089
product_flags="-std=gnu11 -D_GNU_SOURCE -DVGPU_CONFIG=\"etc/libvirt-vgpu\" -DVGPU_HOOKS=\"etc/libvirt/hooks\"
    -DVGPU_HOOK=\"usr/sbin/libvirt-vgpu-hook\" -DVGPU_MODULE=\"/usr/lib/libvirt-vgpu/connection.so\"
    -DVGPU_VERSION=\"0\" -Icommon -Ihooks -Inodedev"

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
