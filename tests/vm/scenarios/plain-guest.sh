# SPDX-License-Identifier: LGPL-2.1-or-later
# A guest without a vGPU: untouched, whatever the configuration and the state directory are like.
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

# And it costs nothing: no configuration, nothing in /sys, no lock, no ledger.
virsh -q dumpxml plain >plain.xml
strace -f -o trace libvirt-vgpu-hook plain prepare begin - <plain.xml
if grep -E '"(/?sys|/?etc/libvirt-vgpu|/?run/libvirt-vgpu|vgpu.conf|lock)' trace; then
    fail "a guest without a vGPU was looked at too closely"
fi
if grep -E 'fork|clone|flock' trace; then fail "a guest without a vGPU cost a process or a lock"; fi
assert_no_mdevs
