# SPDX-License-Identifier: LGPL-2.1-or-later
# A vGPU is unplugged from a running guest: when the guest ends, nothing is left.
# shellcheck shell=bash

device=$(new_uuid)
guest web01 --firmware --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device,ua-gpu0"
start web01
virsh -q dumpxml web01 | xmllint --xpath '//hostdev' - >hostdev.xml
virsh -q detach-device web01 hostdev.xml
# The guest's operating system would eject the device, but this guest has none. So this uses q35's ACPI
# hot-plug registers: select a bus, and eject.
for bus in {0..15}; do
    virsh -q qemu-monitor-command web01 --hmp "o /w 0xcd0 $bus"
    virsh -q qemu-monitor-command web01 --hmp "o /w 0xcc8 1"
done
is_unplugged() { ! virsh -q dumpxml web01 | grep -q "$device"; }
wait_for is_unplugged
[ -z "$(group_held_by "$device")" ]
[ "$(mdev_type "$device")" = mtty-2 ]
destroy web01
assert_no_mdevs
assert_empty_ledger
