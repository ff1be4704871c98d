# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# What older hosts lack. RHEL 8 has glibc 2.28, and this machine's is newer.
#
# 1. Each product file is compiled against the headers of another C library, musl. A function that these
#    do not declare is an error, as are types and headers that they lack. Nothing of glibc's is in the
#    way: of /usr/include there are only the kernel's headers and those of the libraries that we use.
#
# 2. The built programs ask for symbols of glibc by name and version. A version up to 2.28 is there on
#    RHEL 8. A newer version is a complaint, unless the table says how 2.28 has that name. A newer glibc
#    gives old names new versions: when it moves them from another library into libc, when their
#    meaning for new programs changes, or when they were no symbols before. A program that is built on
#    the older host asks for the old version. Nothing here looks at the meaning of a function.

. "$srcdir/tests/checks/guard.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# --- the headers of musl --------------------------------------------------------------------------

triplet=$($CC -print-multiarch)
musl=/usr/include/${triplet%-gnu}-musl
[ -e "$musl/stdio.h" ] || { echo "skipped: musl-dev is not installed"; exit 77; }
for header in linux asm-generic libxml2 libvirt libconfig.h libsmartcols uuid unicode; do
    if [ -e "/usr/include/$header" ]; then ln -s "/usr/include/$header" "$scratch/$header"; fi
done
for header in asm unicode; do
    if [ -e "/usr/include/$triplet/$header" ]; then ln -s "/usr/include/$triplet/$header" "$scratch/$header"; fi
done
# glibc has statx(2) since 2.28, and musl since 1.2.5.
: >"$scratch/statx.h"
grep -q statx "$musl/sys/stat.h" || cat >"$scratch/statx.h" <<-'STATX'
	#include <linux/stat.h>
	#define AT_STATX_DONT_SYNC 0x4000
	int statx(int, const char *, int, unsigned, struct statx *);
STATX
count=0
for source in common/*/*.c hooks/*.c nodedev/*/*.c; do
    count=$((count + 1))
    # shellcheck disable=SC2086,SC2090 # lists of flags
    $CC $product_flags -nostdinc -isystem "$musl" -isystem "$($CC -print-file-name=include)" \
        -isystem "$scratch" -include "$scratch/statx.h" -isystem "$scratch/libxml2" -isystem "$scratch/libsmartcols" -isystem "$scratch/uuid" \
        -Werror=implicit-function-declaration -Werror=implicit-int -Werror=int-conversion \
        -fsyntax-only "$source" || complain "$source"
done
[ "$count" -gt 150 ] || complain "there are hardly any files to compile"

# --- the symbols of glibc -------------------------------------------------------------------------

# How glibc 2.28 has a name whose version here is newer. A library in the second column is one that
# configure looks for.
table='
__libc_start_main   -   it had the version of the first glibc; crt1.o of the host calls it
stat                -   inline in <sys/stat.h>, by __xstat
lstat               -   inline in <sys/stat.h>, by __lxstat
fstat               -   inline in <sys/stat.h>, by __fxstat
fstatat             -   inline in <sys/stat.h>, by __fxstatat
__isoc23_strtol     -   strtol; the other name comes from the headers, with C23
__isoc23_strtoul    -   strtoul
__isoc23_strtoll    -   strtoll
__isoc23_strtoull   -   strtoull
__isoc23_sscanf     -   sscanf
dlopen              dl  it moved into libc with 2.34
dlsym               dl  the same
dlerror             dl  the same
timer_create        rt  it moved into libc with 2.34
timer_settime       rt  the same
timer_delete        rt  the same
'
for program in libvirt-vgpu-hook libvirt-vgpu-callout vgpuctl connection.so; do
    # "NAME MINOR", of each symbol that the program does not have itself
    readelf -W --dyn-syms "$top_builddir/$program" |
        sed -n 's/.* UND \([^@ ]*\)@GLIBC_2\.\([0-9]*\).*/\1 \2/p' >"$scratch/symbols"
    [ -s "$scratch/symbols" ] || complain "$program asks for nothing of glibc's"
    while read -r name minor; do
        [ "$minor" -gt 28 ] || continue
        library=$(echo "$table" | awk -v name="$name" '$1 == name { print $2 }')
        case $library in
        -) ;;
        '') complain "$program: $name is of glibc 2.$minor, and RHEL 8 has 2.28" ;;
        *)
            grep -q "^AC_SEARCH_LIBS(\[[a-z_]*\], \[$library\]" configure.ac ||
                complain "$program: $name is in lib$library of glibc 2.28, and configure does not look there"
            ;;
        esac
    done <"$scratch/symbols"
done
finish
