# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# All unit tests and seeds run again, built with the address and undefined behaviour sanitizers.

. "$srcdir/tests/checks/guard.sh"

if nm "$top_builddir/libvirt-vgpu-hook" | grep -q __asan; then
    echo "skipped: this build has the sanitizers already"
    exit 77
fi
# The tests fork a lot, and after a fork the first write to each page costs a fault. Freed memory that the
# sanitizer keeps, and the callers that it notes for each block, spread the writes over more pages. So it
# keeps a megabyte, and notes eight callers. A request that no machine can meet is refused, as without
# sanitizers.
ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=256:malloc_context_size=8:allocator_may_return_null=1
ROUNDS=10%
out=$top_builddir/tests/sanitizers
rm -rf "$out"
mkdir -p "$out"
# libconfig's lexer does not free a string before a syntax error.
echo "leak:strbuf_append" >"$out/suppressions"
LSAN_OPTIONS=suppressions=$out/suppressions:print_suppressions=0
export ASAN_OPTIONS LSAN_OPTIONS ROUNDS
# Each test is linked once. gold, if it is there, needs a quarter of the time for that.
linker=
if command -v ld.gold >/dev/null; then linker=-fuse-ld=gold; fi

# compile SOURCE OBJECT [FLAGS]: of debugging information, lines are enough.
# shellcheck disable=SC2086 # lists of flags
compile() {
    $CC -std=gnu11 -D_GNU_SOURCE -DVGPU_CONFIG='"etc/libvirt-vgpu"' \
        -DVGPU_HOOKS='"etc/libvirt/hooks"' \
        -DVGPU_VERSION='"0"' -g1 -O1 -Icommon -Ihooks -Inodedev -Itests $XML_CFLAGS $CTL_CFLAGS -fsanitize=address,undefined -fno-sanitize-recover=all -c -o "$2" "$1" ${3-}
}

# make_module FILE FLAGS SOURCE...: makes a shared object, which tests load.
# shellcheck disable=SC2086 # lists of flags
make_module() {
    module=$out/$1 flags=$2 objects=
    shift 2
    for source; do
        object=$module-$(basename "$source" .c).pic.o
        compile "$source" "$object" "-fPIC $flags"
        objects="$objects $object"
    done
    $CC -shared -fsanitize=address,undefined -o "$module" $objects $CTL_LIBS
}

mkdir -p "$out/tests/libvirt"
# shellcheck disable=SC2154,SC2086,SC2046 # make's, a list of words
make_module connection.so -fvisibility=hidden $(printf '%s\n' $connection_so_SOURCES | grep '[.]c$')
make_module tests/libvirt/old-module.so '' tests/libvirt/other-module.c
make_module tests/libvirt/odd-module.so '-DOTHER_VERSION=VGPU_VERSION -DOTHER_SIZE=1' tests/libvirt/other-module.c

# The product, and the common code of the tests: one shared object, as it takes long to link all of it with each
# test.
for source in common/*/*.c hooks/hook.c nodedev/*/*.c tests/*/*.c; do
    case $source in */main.c | */test-*.c | tests/bench/* | tests/cockpit/* | tests/faults/* | tests/fuzz/*) continue ;; esac
    case $source in */libvirt/libvirt-*.c | */other-module.c | */odd-files.c | */vfio-states.c) continue ;; esac
    compile "$source" "$out/$(echo "$source" | tr / _).o" -fPIC
done
# shellcheck disable=SC2086 # lists of flags
$CC -shared -fsanitize=address,undefined -o "$out/product.so" "$out"/*.c.o $CMOCKA_LIBS $CTL_LIBS $XML_LIBS $CONFIG_LIBS
# A test runs the program as it was built.
ln -s "$(cd "$top_builddir" && pwd)/vgpuctl" "$out/vgpuctl"
for name in $unit_tests $fuzz_targets; do
    program=$out/$(basename "$name")
    main=
    seeds=
    case $name in
    */fuzz-*)
        compile tests/fuzz/fuzz-main.c "$program.main"
        main=$program.main
        seeds=tests/corpus/${name##*/fuzz-}
        ;;
    esac
    compile "$name.c" "$program.main.o"
    # shellcheck disable=SC2086 # lists of flags, or nothing
    $CC $linker -fsanitize=address,undefined -o "$program" "$program.main.o" $main "$out/product.so" \
        $CMOCKA_LIBS $CTL_LIBS $XML_LIBS $CONFIG_LIBS
    # shellcheck disable=SC2086 # one word or none
    top_builddir=$out "$program" $seeds >"$program.log" 2>&1 || {
        cat "$program.log"
        complain "$name is not clean under the sanitizers"
    }
done
finish
