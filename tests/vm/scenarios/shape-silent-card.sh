# SPDX-License-Identifier: LGPL-2.1-or-later
# The driver of a card hangs, and no signal ends that: guests of another card start and end.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# needs: libvirt 9.7
# takes: 45

use_shape vf vfs=2
held=$(new_source 0 0) wanted=$(new_source 0 1) other=$(new_source 1 0)
ask web01 "$held" "$TYPE"
ask web02 "$other" "$TYPE"
ask web03 "$wanted" "$TYPE"
start web01
at_end fault silent 0
fault silent 1

say "the other card works, and nobody waits for the silent card"
start web02
[ "$(group_held_by "$other")" = "$(qemu_pid web02)" ]
destroy web02
[ "$(vf_type "$other")" = 0 ]
start web02

say "a guest that needs the silent card is told why it cannot start"
must_fail start web03
assert_match "$ERR" "${GPUS[0]} has a driver that does not answer; see the kernel's log"
vgpuctl explain web03 >explained || true
assert_match "$(<explained)" 'a driver that does not answer'

say "no child of ours holds libvirt's pipes: guests of the silent card end, too"
destroy web01
assert_match "$(ledger)" " $held .* web01 ua-gpu0 (leaving|removing) made "
virsh -q list >/dev/null

say "when the card answers again, nothing is lost"
fault silent 0
is_given_back() { vgpuctl reconcile && [ "$(vf_type "$held")" = 0 ]; }
wait_for is_given_back
start web03
destroy web03
destroy web02
assert_no_vgpus
assert_empty_ledger
