# SPDX-License-Identifier: LGPL-2.1-or-later
# A driver is busy with a vGPU for 8 s after its guest: not lost, free afterwards; others go on.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# takes: 50

use_shape vf
first=$(new_source 0 0) second=$(new_source 0 1)
ask web01 "$first" "$TYPE"
ask web02 "$second" "$TYPE"
ask heir "$first" "$TYPE"
start web01
fault exiting_ms 8000
destroy web01
# libvirt has waited for release_timeout, and not for the driver.
assert_match "$(ledger)" " $first .* web01 ua-gpu0 removing made "
[ "$(vf_type "$first")" != 0 ]

say "another guest gets another function meanwhile, and the same one cannot be had"
start web02
[ "$(vf_type "$second")" != 0 ]
must_fail claim early --metadata "$(request "<vgpu:device alias='ua-gpu0' type='$TYPE'/>")" --pci "$first,ua-gpu0"
assert_match "$ERR" "vgpu: early: .*$first.*(given back by the guest web01|still|in use)"

say "it is free afterwards: by reconcile, or for whoever starts on it"
is_let_go() { vgpuctl reconcile && [ "$(vf_type "$first")" = 0 ]; }
wait_for 30 is_let_go
[ "$(ledger | grep -c web01)" = 0 ]
fault exiting_ms 0
start heir
[ "$(group_held_by "$first")" = "$(qemu_pid heir)" ]

say "a late release, and one more, are nothing to its heir"
libvirt-vgpu-hook web01 release end destroyed < <(virsh -q dumpxml web01)
libvirt-vgpu-hook web01 release end failed < <(virsh -q dumpxml web01)
[ "$(group_held_by "$first")" = "$(qemu_pid heir)" ]
assert_match "$(ledger)" " $first .* heir ua-gpu0 held made "
destroy heir
destroy web02
assert_no_vgpus
assert_empty_ledger
