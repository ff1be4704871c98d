# SPDX-License-Identifier: LGPL-2.1-or-later
# QEMU does not start: nothing is left, and the user sees QEMU's error, not ours.
# shellcheck shell=bash

device=$(new_uuid)
guest broken --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device" \
    --qemu-arg -no-such-option
must_fail start broken
assert_match "$ERR" 'no-such-option'
[[ $ERR != *vgpu:* ]]
assert_no_mdevs
assert_empty_ledger
