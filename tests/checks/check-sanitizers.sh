# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# All unit tests and seeds run again, built by clang with the address and undefined behaviour sanitizers. This is
# clang's build: it compiles all programs, and a warning of clang's is an error.

. "$srcdir/tests/checks/guard.sh"
needs clang

if nm "$top_builddir/libvirt-vgpu-hook" | grep -q __asan; then
    echo "skipped: this build has the sanitizers already"
    exit 77
fi
# Not below this tree: other checks look at all files there.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree

# The tests fork a lot, and after a fork the first write to each page costs a fault. Freed memory that the
# sanitizer keeps, and the callers that it notes for each block, spread the writes over more pages. So it
# keeps a megabyte, and notes eight callers. A request that no machine can meet is refused, as without
# sanitizers. After a crash no handler of cmocka's goes on in a child of the test.
limits=quarantine_size_mb=1:thread_local_quarantine_size_kb=256:malloc_context_size=8
# clang 14's search for leaks crashes in the storage of threads whose addresses it has intercepted.
options=$limits:allocator_may_return_null=1:allow_user_segv_handler=0:intercept_tls_get_addr=0

# lld and gold need a quarter of the linker's time. The sanitizer finds the functions of XDR only if their library is
# there when a program starts. libvirt's library brings it later.
flags=
for linker in lld gold; do
    ! command -v "ld.$linker" >/dev/null || { flags=-fuse-ld=$linker && break; }
done
if "$found" -l:libtirpc.so.3 -shared -o /dev/null -x c /dev/null 2>/dev/null; then
    flags="$flags -Wl,--no-as-needed -l:libtirpc.so.3"
fi

# clean COMMAND...: runs a command with none of make's variables.
clean() { env -i PATH="$PATH" HOME="$HOME" ${TMPDIR:+"TMPDIR=$TMPDIR"} "$@"; }

clean make -s -C "$top_builddir" distdir distdir="$tree" >/dev/null
cd "$tree"
# libconfig's lexer does not free a string before a syntax error.
echo "leak:strbuf_append" >suppressions
# Of debugging information, lines are enough.
clean ./configure --enable-sanitizers --enable-werror CC="$found" CFLAGS=-g1 LDFLAGS="$flags" >/dev/null 2>configure.log || {
    cat configure.log
    exit 1
}
# shellcheck disable=SC2154 # make's
clean ASAN_OPTIONS="$options" LSAN_OPTIONS="suppressions=$tree/suppressions:print_suppressions=0" ROUNDS=10% \
    make -j2 check TESTS="$unit_tests tests/checks/check-corpus.sh" >make.log 2>&1 || complain "not clean under the sanitizers:"
[ "$failures" = 0 ] || {
    grep -E -A8 'warning:|error:|Error [0-9]' make.log || true
    for name in $unit_tests tests/checks/check-corpus; do
        if grep -qs '^:test-result: [FE]' "$name.trs"; then echo "--- $name" && tail -n 60 "$name.log"; fi
    done
}
grep -q "^# PASS:  *[1-9]" make.log || complain "no test has run"
finish
