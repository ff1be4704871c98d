# SPDX-License-Identifier: LGPL-2.1-or-later
# A guest has a vGPU on each of two parents: it gets both or none.
# shellcheck shell=bash

serial=$(new_uuid) screen=$(new_uuid)
devices='<vgpu:device alias="ua-serial" type="mtty-1" parent="mtty"/>
    <vgpu:device alias="ua-screen" type="mbochs-small"/>'
guest both --metadata "$(request "$devices")" \
    --hostdev "$serial,ua-serial" --hostdev "$screen,ua-screen"
start both
[ "$(mdev_type "$serial")" = mtty-1 ]
[ "$(mdev_type "$screen")" = mbochs-small ]
[ "$(group_held_by "$serial")" = "$(group_held_by "$screen")" ]
destroy both
assert_no_mdevs
assert_empty_ledger

# There is no room for the second vGPU. So the first does not stay either.
vgpu_conf <<<'gpus = ( { address = "mbochs"; enabled = false; } );'
must_fail start both
assert_match "$ERR" 'vgpu: both: no GPU can take ua-screen \(mbochs-small\):.*mbochs is disabled'
assert_no_mdevs
assert_empty_ledger
