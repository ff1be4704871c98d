# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The hook and the call-out are not linked to libvirt, and have no means to start a program.

. "$srcdir/tests/checks/guard.sh"

for program in libvirt-vgpu-hook libvirt-vgpu-callout; do
    for library in $(readelf -d "$top_builddir/$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case $library in
        libxml2.so.* | libconfig.so.* | libc.so.* | libasan.so.* | libubsan.so.* | libm.so.*) ;;
        *) complain "$program is linked to $library" ;;
        esac
    done
    for symbol in $(nm -u "$top_builddir/$program" | awk '{ sub(/@.*/, "", $2); print $2 }'); do
        case $symbol in
        exec* | popen | system | posix_spawn* | vfork | fexecve | dlopen | wordexp)
            complain "$program can start something: $symbol"
            ;;
        esac
    done
done
finish
