# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Unit tests under valgrind: no bad access, no leak. check-sanitizers.sh runs all of them each time.
# Here an eighth runs, by the hash of the commit: PART=1 to 8 chooses one, LONG=1 runs all. Fewer random
# hosts are played, because valgrind finds in the first hundreds all that it can find.

. "$srcdir/tests/checks/guard.sh"
needs valgrind

cd "$top_builddir"
if nm libvirt-vgpu-hook | grep -q __asan; then
    echo "skipped: built with the sanitizers, which valgrind cannot run"
    exit 77
fi
export ROUNDS=10% suppressions
# libconfig's lexer does not free a string before a syntax error. glibc's tree keeps a colour in the lowest
# bit of a pointer, so valgrind finds only the middle of a node. This shows where a child of a test ends
# early, and its tree is still there.
suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
cat >"$suppressions" <<'END'
{
    libconfig
    Memcheck:Leak
    ...
    fun:strbuf_append
    ...
    fun:libconfig_yyparse
}
{
    tsearch
    Memcheck:Leak
    match-leak-kinds: possible
    fun:malloc
    fun:tsearch
}
END
# A tarball has no commit.
commit=$(git -C "$srcdir" rev-parse --short=6 HEAD 2>/dev/null | cut -c1-6) || commit=
part=${PART:-$((0x${commit:-0} % 8 + 1))}
if [ -n "${LONG-}" ]; then
    chosen=$unit_tests
else
    # shellcheck disable=SC2086 # a list of words
    chosen=$(printf '%s\n' $unit_tests | awk -v part="$part" 'NR % 8 == part % 8')
    echo "left out: valgrind with seven eighths of the unit tests; LONG=1 plays all, PART=1 to 8 others than $part"
fi
[ -n "$chosen" ] || complain "no test was chosen"
# As many tests run at a time as there are processors. A test that fails leaves a file. After a fork the first
# write to each page costs a fault, so valgrind keeps only a megabyte of freed memory.
rm -f tests/*/*.valgrind.log
# shellcheck disable=SC2016,SC2086 # expanded by that shell; a list of words
printf '%s\n' $chosen | xargs -P "$(nproc)" -n 1 sh -c '
    valgrind -q --error-exitcode=119 --leak-check=full --freelist-vol=1000000 --suppressions="$suppressions" \
        "$0" >"$0.valgrind.log" 2>&1 ||
        mv "$0.valgrind.log" "$0.unclean.valgrind.log"'
for test in $chosen; do
    if [ -e "$test.unclean.valgrind.log" ]; then
        cat "$test.unclean.valgrind.log"
        complain "$test is not clean under valgrind"
    elif ! [ -e "$test.valgrind.log" ]; then
        complain "$test was not run under valgrind"
    fi
done
finish
