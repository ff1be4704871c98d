# SPDX-License-Identifier: LGPL-2.1-or-later
# A guest without a vGPU starts and ends, whatever the configuration and the state directory say.
# shellcheck shell=bash

guest plain
no_vgpu_conf
[ ! -e /run/libvirt-vgpu ]
start plain
kill -0 "$(qemu_pid plain)"
destroy plain
[ ! -e /run/libvirt-vgpu ]

vgpu_conf <<<'this is { no configuration'
start plain
destroy plain
[ ! -e /run/libvirt-vgpu ]

# The hook does no work for it: it reads no configuration and nothing in /sys, takes no lock, and reads
# no ledger.
virsh -q dumpxml plain >plain.xml
strace -f -o trace libvirt-vgpu-hook plain prepare begin - <plain.xml
if grep -E '"(/?sys|/?etc/libvirt-vgpu|/?run/libvirt-vgpu|vgpu.conf|lock)' trace; then
    fail "a guest without a vGPU was looked at too closely"
fi
if grep -E 'fork|clone|flock' trace; then fail "a guest without a vGPU cost a process or a lock"; fi
assert_no_mdevs
