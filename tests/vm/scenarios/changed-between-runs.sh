# SPDX-License-Identifier: LGPL-2.1-or-later
# The type, UUID or name changes between two runs: the next run has what its XML says, and no more.
# shellcheck shell=bash

uuid=$(new_uuid) device=$(new_uuid) later=$(new_uuid)
# options_of TYPE DEVICE: sets OPTIONS to those of the guest.
options_of() {
    OPTIONS=(--uuid "$uuid" --metadata "$(request "<vgpu:device type=\"$1\"/>")" --hostdev "$2")
}

# Kept devices are the harder case: the vGPU of the last run still exists when the next run begins.
vgpu_conf <<<'release = "keep";'
options_of mtty-2 "$device"
claim web01 "${OPTIONS[@]}"
give_back web01
[ "$(mdev_type "$device")" = mtty-2 ]

# The type changes.
options_of mtty-1 "$device"
claim web01 "${OPTIONS[@]}"
[ "$(mdev_type "$device")" = mtty-1 ]
[ "$(ledger | wc -l)" = 1 ]
give_back web01
made=$(stat -c %Z "/sys/bus/mdev/devices/$device")

# The name changes. It is the same guest, and it takes the same vGPU.
guest web01 "${OPTIONS[@]}"
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
options_of mtty-1 "$later"
claim web02 "${OPTIONS[@]}"
[ "$(mdevs)" = "$later" ]
[ "$(mdev_type "$later")" = mtty-1 ]
give_back web02
assert_no_mdevs
assert_empty_ledger
