# SPDX-License-Identifier: LGPL-2.1-or-later
# A release that fails, is killed, or is never called: its vGPU is given back while libvirtd lives.
# shellcheck shell=bash

# ask NAME UUID: sets ARGUMENTS to those of a guest.
ask() {
    ARGUMENTS=("$1" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="mbochs-large"/>')"
        --hostdev "$2,ua-gpu0")
}
marks() { ls /run/libvirt-vgpu/released; }
marked() { [ -n "$(marks)" ]; }
held() { ledger | grep -c " $1 .* held "; }

vgpu_conf <<<'lock_timeout = "2s";'
for i in web02 web01; do
    device=$(new_uuid)
    ask "$i" "$device"
    guest "${ARGUMENTS[@]}"
done

say "release gets no lock in time: reconcile gives the vGPU back"
claim "${ARGUMENTS[@]}"
exec {lock}<>/run/libvirt-vgpu/lock
flock "$lock"
give_back web01
[ "$(held web01)" = 1 ]
marked
exec {lock}>&-
vgpuctl reconcile --dry-run | grep "^$device web01 would be removed: its guest has ended\$"
mdev_exists "$device"
[ "$(held web01)" = 1 ]
marked
vgpuctl reconcile | grep "^$device web01 removed: its guest has ended\$"
assert_gone "$device"
assert_empty_ledger
[ -z "$(marks)" ]

say "release is killed: the next start that needs the place gets it"
for i in 1 2 3; do make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"; done
start web01
must_fail start web02
exec {lock}<>/run/libvirt-vgpu/lock
flock "$lock"
destroy web01 &
wait_for marked
pkill -KILL -f '^/etc/libvirt/hooks/qemu.d/50-vgpu web01 release'
wait $!
exec {lock}>&-
[ "$(held web01)" = 1 ]
start web02
assert_gone "$device"
[ -z "$(marks)" ]

say "the hook is not installed at that moment: libvirt calls nobody, and nothing is lost"
[ -n "$(ls /run/libvirt-vgpu/ran)" ]
device=$(device_of web02)
at_end chmod +x /usr/sbin/libvirt-vgpu-hook
chmod -x /usr/sbin/libvirt-vgpu-hook
destroy web02
[ "$(held web02)" = 1 ]
[ -z "$(marks)" ]
chmod +x /usr/sbin/libvirt-vgpu-hook
vgpuctl reconcile | grep "^$device web02 removed: its guest has ended\$"
assert_gone "$device"
assert_empty_ledger
[ -z "$(ls /run/libvirt-vgpu/ran)" ]
for i in $(mdevs); do remove_mdev "$i"; done
