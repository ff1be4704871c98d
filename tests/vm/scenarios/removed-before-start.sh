# SPDX-License-Identifier: LGPL-2.1-or-later
# Another program removes the vGPU between prepare and start: one clear line, not an error of QEMU.
# shellcheck shell=bash

device=$(new_uuid)
cat >/etc/libvirt/hooks/qemu.d/10-thief <<-END
	#!/bin/sh
	[ "\$2" != start ] || echo 1 >/sys/bus/mdev/devices/$device/remove
END
chmod +x /etc/libvirt/hooks/qemu.d/10-thief
guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
must_fail start web01
assert_match "$ERR" "vgpu: web01: the vGPU $device \(mtty-2\) was made on mtty, and is not there"
assert_no_mdevs
assert_empty_ledger
