# SPDX-License-Identifier: LGPL-2.1-or-later
# One guest with a vGPU on each of two parents: both or none.
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

# The second cannot be had: the first is not left either.
vgpu_conf <<<'gpus = ( { address = "mbochs"; enabled = false; } );'
must_fail start both
assert_match "$ERR" 'vgpu: both: no GPU can take ua-screen \(mbochs-small\):.*mbochs is disabled'
assert_no_mdevs
assert_empty_ledger
