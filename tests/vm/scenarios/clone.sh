# SPDX-License-Identifier: LGPL-2.1-or-later
# A clone names the UUID of a running guest's vGPU: the clone is refused, the guest keeps its vGPU.
# shellcheck shell=bash

device=$(new_uuid)
for domain in original copy; do
    guest "$domain" --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
done
start original
must_fail start copy
assert_match "$ERR" "vgpu: copy: .*$device belongs to the guest original \(held\)"
[ "$(group_held_by "$device")" = "$(qemu_pid original)" ]
assert_match "$(ledger)" ' original '
[ "$(ledger | wc -l)" = 1 ]

destroy original
assert_no_mdevs
start copy
destroy copy
assert_no_mdevs
assert_empty_ledger
