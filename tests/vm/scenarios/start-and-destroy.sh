# SPDX-License-Identifier: LGPL-2.1-or-later
# A guest asks for a type by its id: it gets such a vGPU, and leaves nothing behind.
# shellcheck shell=bash

device=$(new_uuid)
guest web01 --metadata "$(request '<vgpu:device alias="ua-gpu0" type="mtty-2"/>')" \
    --hostdev "$device,ua-gpu0"
start web01
[ "$(mdev_type "$device")" = mtty-2 ]
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]
assert_match "$(ledger)" "^mdev $device mtty-2 0 mtty mtty .* web01 ua-gpu0 held made "

# The guest can start again under the same UUID.
destroy web01
assert_no_mdevs
assert_empty_ledger
start web01
[ "$(mdev_type "$device")" = mtty-2 ]
destroy web01
assert_no_mdevs
assert_empty_ledger
wait_for grep 'event=prepare .*result=ok' /var/log/syslog
wait_for grep 'event=release .*result=removed' /var/log/syslog
