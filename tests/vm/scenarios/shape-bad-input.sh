# SPDX-License-Identifier: LGPL-2.1-or-later
# A hostdev does not name a free virtual function of NVIDIA's: one clear line, nothing is written.
# shellcheck shell=bash

cards mdev vf sriov vfs=2
read -ra vfs <<<"$(vfs_of "${CARDS[0]}" | xargs)"
read -ra others <<<"$(vfs_of "${CARDS[1]}" | xargs)"
wish=$(request '<vgpu:device alias="ua-gpu0" type="L40S-12Q"/>')

# refused REGEX ADDRESS[,ALIAS[,MANAGED]]
refused() {
    local before
    before=$(vgpus; ledger)
    must_fail claim bad --metadata "$wish" --pci "$2"
    assert_match "$ERR" "^vgpu: bad: .*$1"
    [ "$(wc -l <<<"$ERR")" = 1 ]
    [ "$(vgpus; ledger)" = "$before" ]
}

refused 'cannot be on 0000:42:00.3, which this host does not have; ua-gpu0 could be on '"${vfs[0]}, " 0000:42:00.3,ua-gpu0
refused "cannot be on ${CARDS[0]}, which is no virtual function" "${CARDS[0]},ua-gpu0"
refused "cannot be on ${others[0]}, which takes mediated devices" "${others[0]},ua-gpu0"
refused "managed='yes': libvirt would take it from its GPU's driver" "${vfs[0]},ua-gpu0,yes"
refused 'names no <hostdev>' "${vfs[0]},ua-other"

say "a function of another guest"
claim owner --metadata "$wish" --pci "${vfs[0]},ua-gpu0"
refused "${vfs[0]} belongs to the guest owner \(held\); give this guest another virtual function; ua-gpu0 could be on ${vfs[1]}" "${vfs[0]},ua-gpu0"
give_back owner

say "a function that is bound to another driver, as managed='yes' leaves it"
modprobe vgpu-cards-vfio
bind_driver "${vfs[1]}" vgpu-cards-vfio
refused "${vfs[1]}, of which its driver \(vgpu-cards-vfio\) makes no vGPUs" "${vfs[1]},ua-gpu0"
bind_driver "${vfs[1]}" nvidia

say "a function of a drained card"
vgpuctl drain "${CARDS[0]}"
refused "cannot be on ${vfs[0]}: its GPU ${CARDS[0]} is drained" "${vfs[0]},ua-gpu0"
vgpuctl undrain "${CARDS[0]}"

say "the driver's list has lines without a meaning, in each format"
fault garbage 1
for format in header plain name-first; do
    fault list "$format"
    claim good --metadata "$wish" --pci "${vfs[0]},ua-gpu0"
    [ "$(vf_type "${vfs[0]}")" != 0 ]
    give_back good
done
assert_no_vgpus
assert_empty_ledger
