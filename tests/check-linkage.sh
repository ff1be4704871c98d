# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The hook is not linked to libvirt, and has no means to start a program.

. "$srcdir/tests/guard.sh"

hook=$top_builddir/libvirt-vgpu-hook
for library in $(readelf -d "$hook" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $library in
    libxml2.so.* | libconfig.so.* | libc.so.* | libasan.so.* | libubsan.so.* | libm.so.*) ;;
    *) complain "the hook is linked to $library" ;;
    esac
done
for symbol in $(nm -u "$hook" | awk '{ sub(/@.*/, "", $2); print $2 }'); do
    case $symbol in
    exec* | popen | system | posix_spawn* | vfork | fexecve | dlopen | wordexp)
        complain "the hook can start something: $symbol"
        ;;
    esac
done
finish
