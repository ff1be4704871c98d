# SPDX-License-Identifier: LGPL-2.1-or-later
# What one decision of the hook costs here, beside "mdevctl types" on the same tree. A figure, no verdict.
# shellcheck shell=bash

for i in 1 2 3 4; do
    make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"
done
guest_xml web01 --metadata "$(request '<vgpu:device type="mbochs-large"/>')" \
    --hostdev "$(new_uuid)" >web01.xml

# A refusal has all parts of a decision: XML, configuration, lock, inventory, placement, reasons.
decide() { ! libvirt-vgpu-hook web01 prepare begin - <web01.xml 2>said && grep -q 'mbochs is full' said; }
# An event with which the hook does nothing: what is left is the start of the program and its libraries.
do_nothing() { libvirt-vgpu-hook web01 stopped end - <web01.xml; }

# microseconds COMMAND...: the time of one run.
microseconds() {
    local began=${EPOCHREALTIME/[.,]/}
    "$@" >/dev/null || fail "$*"
    echo $((${EPOCHREALTIME/[.,]/} - began))
}

# All are measured in turns, and the best time of each counts. Other work of the machine only makes a
# run longer.
set +x
all_ours=() all_starts=() all_theirs=()
for i in {1..30}; do
    all_ours+=("$(microseconds decide)")
    all_starts+=("$(microseconds do_nothing)")
    all_theirs+=("$(microseconds mdevctl types)")
done
best() { printf '%s\n' "$@" | sort -n | head -n 1; }
set -x
ours=$(best "${all_ours[@]}") starts=$(best "${all_starts[@]}") theirs=$(best "${all_theirs[@]}")
echo "one decision: $ours us, of which $starts us are the start of the program and its libraries" \
    "($(ldd "$(command -v libvirt-vgpu-hook)" | wc -l) of them); one 'mdevctl types': $theirs us (the best of" \
    "30 by turns), ratio $((100 * ours / theirs)) %, without the start $((100 * (ours - starts) / theirs)) %"
for device in $(mdevs); do remove_mdev "$device"; done
assert_empty_ledger
