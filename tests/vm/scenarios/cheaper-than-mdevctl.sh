# SPDX-License-Identifier: LGPL-2.1-or-later
# One decision of the hook costs less than one "mdevctl types", on the same real tree.
# shellcheck shell=bash

for i in 1 2 3 4; do
    make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"
done
guest_xml web01 --metadata "$(request '<vgpu:device type="mbochs-large"/>')" \
    --hostdev "$(new_uuid)" >web01.xml

# A refusal is the whole decision: XML, configuration, lock, inventory, placement, reasons.
decide() { libvirt-vgpu-hook web01 prepare begin - <web01.xml 2>/dev/null || [ $? = 1 ]; }

# microseconds COMMAND...: of twenty runs.
microseconds() {
    { local -; set +x; } 2>/dev/null
    local began=${EPOCHREALTIME/[.,]/} i
    for i in {1..20}; do "$@" >/dev/null; done
    echo $((${EPOCHREALTIME/[.,]/} - began))
}
ours=$(microseconds decide)
theirs=$(microseconds mdevctl types)
echo "twenty decisions: $ours us, twenty 'mdevctl types': $theirs us, ratio $((100 * ours / theirs)) %"
[ "$ours" -lt "$theirs" ]
for device in $(mdevs); do remove_mdev "$device"; done
assert_empty_ledger
