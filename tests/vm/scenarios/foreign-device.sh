# SPDX-License-Identifier: LGPL-2.1-or-later
# Somebody else made the mdev with the requested UUID: it is used if its type is right, never removed.
# shellcheck shell=bash

device=$(new_uuid)
make_mdev mtty mtty-2 "$device"
guest right --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
guest wrong --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "$device"

start right
assert_match "$(ledger)" ' held found '
destroy right
[ "$(mdev_type "$device")" = mtty-2 ]
assert_empty_ledger

must_fail start wrong
assert_match "$ERR" "vgpu: wrong: .*a vGPU $device is there already, of type mtty-2 .* not mtty-1"
[ "$(mdev_type "$device")" = mtty-2 ]
assert_empty_ledger
remove_mdev "$device"
