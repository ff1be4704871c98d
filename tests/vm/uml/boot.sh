# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The first steps of a host in User Mode Linux, which has no initrd. init.sh sources this file. Then the host is like an
# emulated one. "run" gives the directory of this machine that the host sees as /host, in the variable "share".

mount -t proc proc /proc
# Unpacking gave the directory the mode of the archive's.
chmod 755 /
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr

mkdir -p /host /dev/virtio-ports
mount -t hostfs none /host -o "hostfs=${share:?}"
touch /host/logs.tar
ln -s /host/logs.tar /dev/virtio-ports/logs
stty -F /dev/ttyS1 raw
ln -s /dev/ttyS1 /dev/virtio-ports/results

if [ -n "${VGPU_VM_SHARE-}" ]; then
	mkdir -p /share
	mount -t hostfs none /share -o "hostfs=$VGPU_VM_SHARE"
fi
