# SPDX-License-Identifier: LGPL-2.1-or-later
# libvirt's node devices of the emulated cards, without our hook: list, dumpxml, define, start, destroy.
# shellcheck shell=bash
# tests: cards

cards mdev vf vfs=2
card=pci_${T4[0]//[:.]/_}
read -r vf _ <<<"$(vfs_of "${CARDS[0]}" | xargs)"

# listed CAPABILITY ADDRESS: libvirt lists the device among those with this capability.
listed() { virsh -q nodedev-list --cap "$1" | grep -x "pci_${2//[:.]/_}"; }

listed mdev_types "${T4[0]}"
listed pci "$vf"
xml=$(virsh -q nodedev-dumpxml "$card")
for words in "<name>nvidia</name>" "<domain>256</domain>" "<vendor id='0x10de'" "<type id='nvidia-231'>" \
    '<name>GRID T4-2Q</name>' '<deviceAPI>vfio-pci</deviceAPI>' '<availableInstances>8</availableInstances>'; do
    grep -qF "$words" <<<"$xml" || fail "no $words: $xml"
done
xml=$(virsh -q nodedev-dumpxml "pci_${CARDS[0]//[:.]/_}")
[ "$(grep -c "<address domain='0x0100' bus='0x30' slot='0x00' function='0x[45]'/>" <<<"$xml")" = 2 ]
grep -q "<capability type='virt_functions' maxCount='32'>" <<<"$xml"
xml=$(virsh -q nodedev-dumpxml "pci_${vf//[:.]/_}")
grep -q "<capability type='phys_function'>" <<<"$xml"
grep -q '<iommuGroup number=' <<<"$xml"

say "a mediated device that libvirt makes, and one that libvirt defines"
uuid=$(new_uuid)
cat >mdev.xml <<END
<device><parent>$card</parent>
<capability type='mdev'><type id='nvidia-231'/><uuid>$uuid</uuid></capability></device>
END
virsh -q nodedev-create mdev.xml
name=$(virsh -q nodedev-list --cap mdev | grep "${uuid//-/_}")
mdev_exists "$uuid"
guest web01 --hostdev "$uuid"
start web01
[ "$(group_held_by "$uuid")" = "$(qemu_pid web01)" ]
destroy web01
virsh -q nodedev-destroy "$name"
assert_gone "$uuid"

virsh -q nodedev-define mdev.xml
defined() { virsh -q nodedev-info "$name" | grep -E "^Active: +$1"; }
wait_for defined no
virsh -q nodedev-start "$name"
mdev_exists "$uuid"
wait_for defined yes
virsh -q nodedev-destroy "$name"
wait_for defined no
virsh -q nodedev-undefine "$name"
assert_gone "$uuid"
