# SPDX-License-Identifier: LGPL-2.1-or-later
# A guest returns to a snapshot with an older UUID: it runs with that vGPU, and with no other.
# shellcheck shell=bash
# needs: qemu 8.1

uuid=$(new_uuid) older=$(new_uuid) newer=$(new_uuid)
define_with() {
    guest web01 --uuid "$uuid" --migratable --firmware \
        --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$1"
}

define_with "$older"
start web01
port=$(scratch_ports web01)
write_scratch web01 "$port=0x5a"
virsh -q snapshot-create-as web01 old --memspec "file=$PWD/memory,snapshot=external"
destroy web01
define_with "$newer"
start web01
[ "$(mdevs)" = "$newer" ]

virsh -q snapshot-revert web01 old
[ "$(mdevs)" = "$older" ]
[ "$(device_of web01)" = "$older" ]
[ "$(group_held_by "$older")" = "$(qemu_pid web01)" ]
[ "$(ledger | grep -c "^mdev $older .* held made ")" = 1 ]
[ "$(ledger | wc -l)" = 1 ]
[ "$(read_scratch web01 "$port")" = 0x5a ]
destroy web01
assert_no_mdevs
assert_empty_ledger
