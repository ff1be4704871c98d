# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Every unit test under valgrind: no bad access, no leak.

. "$srcdir/tests/checks/guard.sh"
needs valgrind "$VALGRIND"

cd "$top_builddir"
if nm libvirt-vgpu-hook | grep -q __asan; then
    echo "skipped: built with the sanitizers, which valgrind cannot run"
    exit 77
fi
for test in $unit_tests; do
    $VALGRIND -q --error-exitcode=119 --leak-check=full "$test" >"$test.valgrind.log" 2>&1 || {
        cat "$test.valgrind.log"
        complain "$test is not clean under valgrind"
    }
done
finish
