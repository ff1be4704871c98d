# SPDX-License-Identifier: LGPL-2.1-or-later
# A driver needs long to free a vGPU, or hangs: the vGPU is not lost, and other guests need not wait for it.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# needs: libvirt 9.7

use_shape vf vfs=2
first=$(new_source 0 0) second=$(new_source 0 1) other=$(new_source 1 0)
ask web01 "$first" "$TYPE"
ask heir "$first" "$TYPE"
start web01
# For an hour, or until this scenario changes it.
fault exiting_ms 3600000
destroy web01
# libvirt has waited for release_timeout, and not until the driver was done.
assert_match "$(ledger)" " $first .* web01 ua-gpu0 removing made "
[ "$(vf_type "$first")" != 0 ]

say "meanwhile another guest gets another function at once"
asking web02 "$second" "$TYPE"
claim "${ARGUMENTS[@]}"
[ "$(vf_type "$second")" != 0 ]
[ "$(vf_type "$first")" != 0 ]

say "a guest that wants this function waits, and gets it when the driver is done"
vgpu_conf <<<'prepare_timeout = "300s"; release_timeout = "300s";'
start heir &
pid=$!
is_asked_for() { pgrep -f 'heir prepare begin' || ! kill -0 "$pid"; }
wait_for is_asked_for
[ "$(vf_type "$first")" != 0 ]
kill -0 "$pid"
fault exiting_ms 0
wait "$pid"
[ "$(group_held_by "$first")" = "$(qemu_pid heir)" ]
[ "$(ledger | grep -c web01)" = 0 ]

say "a late release, and a second one, take nothing from the new owner"
libvirt-vgpu-hook web01 release end destroyed < <(virsh -q dumpxml web01)
libvirt-vgpu-hook web01 release end failed < <(virsh -q dumpxml web01)
[ "$(group_held_by "$first")" = "$(qemu_pid heir)" ]
assert_match "$(ledger)" " $first .* heir ua-gpu0 held made "

say "if no guest wants the function, reconcile gives it back"
no_vgpu_conf
fault exiting_ms 3600000
destroy heir
assert_match "$(ledger)" " $first .* heir ua-gpu0 removing made "
fault exiting_ms 0
is_let_go() { vgpuctl reconcile && [ "$(vf_type "$first")" = 0 ]; }
wait_for is_let_go
give_back web02

part "shape-silent-card: the driver of a card does not answer, and no signal ends that"
ask late "$second" "$TYPE"
ask beside "$other" "$TYPE"
start web01
at_end fault silent 0
fault silent 1

say "the other card works, and nobody waits for the silent card"
start beside
[ "$(group_held_by "$other")" = "$(qemu_pid beside)" ]

say "a guest that needs the silent card is told why it cannot start"
must_fail start late
assert_match "$ERR" "${GPUS[0]} has a driver that does not answer; see the kernel's log"
vgpuctl explain late >explained || true
assert_match "$(<explained)" 'a driver that does not answer'

say "no child of ours holds libvirt's pipes: guests of the silent card end, too"
destroy web01
assert_match "$(ledger)" " $first .* web01 ua-gpu0 (leaving|removing) made "
virsh -q list >/dev/null
destroy beside
[ "$(vf_type "$other")" = 0 ]

say "when the card answers again, nothing is lost"
fault silent 0
wait_for is_let_go
claim_defined late
give_back late
assert_no_vgpus
assert_empty_ledger
undo
