# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# clang compiles all sources without a warning, as gcc does.

. "$srcdir/tests/checks/guard.sh"
needs clang

for source in common/*/*.c hooks/*.c nodedev/*/*.c tests/*/*.c; do
    # shellcheck disable=SC2086 # lists of flags
    "$found" -std=gnu11 -D_GNU_SOURCE -DVGPU_CONFIG='"etc/libvirt-vgpu"' \
        -DVGPU_HOOKS='"etc/libvirt/hooks"' -DVGPU_HOOK='"usr/sbin/libvirt-vgpu-hook"' \
        -DVGPU_MODULE='"/usr/lib/libvirt-vgpu/connection.so"' \
        -DVGPU_VERSION='"0"' -Icommon -Ihooks -Inodedev -Itests \
        $XML_CFLAGS $CTL_CFLAGS $WARNINGS -Werror -fsyntax-only "$source" || complain "$source"
done
finish
