# SPDX-License-Identifier: LGPL-2.1-or-later
# The type, UUID or name changes between two runs: the next run has what its XML says, and no more.
# shellcheck shell=bash
# takes: 15

uuid=$(new_uuid) device=$(new_uuid) later=$(new_uuid)
# define_as TYPE DEVICE
define_as() {
    guest web01 --uuid "$uuid" --metadata "$(request "<vgpu:device type=\"$1\"/>")" --hostdev "$2"
}

# Kept devices are the harder case: the vGPU of the last run still exists when the next run begins.
vgpu_conf <<<'release = "keep";'
define_as mtty-2 "$device"
start web01
destroy web01
[ "$(mdev_type "$device")" = mtty-2 ]

# The type changes.
define_as mtty-1 "$device"
start web01
[ "$(mdev_type "$device")" = mtty-1 ]
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]
[ "$(ledger | wc -l)" = 1 ]
destroy web01
made=$(stat -c %Z "/sys/bus/mdev/devices/$device")

# The name changes. It is the same guest, and it takes the same vGPU.
virsh -q domrename web01 web02
start web02
[ "$(stat -c %Z "/sys/bus/mdev/devices/$device")" = "$made" ]
[ "$(group_held_by "$device")" = "$(qemu_pid web02)" ]
[ "$(ledger | wc -l)" = 1 ]

# The guest is edited while it runs, and its vGPU is not kept any longer.
no_vgpu_conf
virsh -q dumpxml web02 --inactive | sed "s/$device/$later/" | virsh -q define /dev/stdin
[ "$(device_of web02)" = "$device" ]
destroy web02
start web02
[ "$(mdev_type "$later")" = mtty-1 ]
destroy web02
assert_no_mdevs
assert_empty_ledger
