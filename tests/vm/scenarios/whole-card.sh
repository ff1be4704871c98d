# SPDX-License-Identifier: LGPL-2.1-or-later
# A guest has a whole GPU as a hostdev. It does not start while another guest has a vGPU there.
# shellcheck shell=bash

cards mdev vf vfs=2
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
whole=/run/libvirt-vgpu/whole

# links: how many cards are taken.
links() { if [ -d "$whole" ]; then find "$whole" -type l | wc -l; else echo 0; fi; }

# on PARENT: the metadata of a guest that wants a vGPU of this T4.
on() { request "<vgpu:device alias='ua-gpu0' type='T4-1B' parent='$1'/>"; }

say "a guest that runs with a vGPU keeps its card; so does one whose vGPU somebody made by hand"
used=$(new_uuid) by_hand=$(new_uuid)
make_mdev "${T4[1]}" nvidia-222 "$by_hand"
guest user --metadata "$(on "${T4[0]}")" --hostdev "$used,ua-gpu0" --hostdev "$by_hand"
start user
for managed in yes no; do
    guest "thief-$managed" --pci "${T4[0]},,$managed"
    must_fail start "thief-$managed"
    assert_match "$ERR" "vgpu: thief-$managed: it takes the whole card ${T4[0]}, and the running guest user has $used there"
done
# libvirt detaches the card of an NVMe disk, too.
IFS=:. read -r domain bus slot function <<<"${T4[0]}"
disk="<disk type='nvme' device='disk'><driver name='qemu' type='raw'/>"
disk+="<source type='pci' managed='yes' namespace='1'>"
disk+="<address domain='0x$domain' bus='0x$bus' slot='0x$slot' function='0x$function'/></source>"
disk+="<target dev='vda' bus='virtio'/></disk>"
guest thief-disk --xml-filter "s|<memballoon|$disk&|"
must_fail start thief-disk
assert_match "$ERR" "vgpu: thief-disk: it takes the whole card ${T4[0]}, and the running guest user has $used there"
[ "$(driver_of "${T4[0]}")" = nvidia ]
is_running user
[ "$(links)" = 0 ]
must_fail claim thief --pci "${T4[1]}"
assert_match "$ERR" "vgpu: thief: .*whole card ${T4[1]}, and the running guest user has $by_hand there"
vgpu_conf <<<'enabled = ;'
must_fail claim thief --pci "${T4[1]}"
assert_match "$ERR" "whole card ${T4[1]}"
vgpu_conf <<<'enabled = false;'
claim thief --pci "${T4[1]}"
give_back thief
no_vgpu_conf
destroy user
remove_mdev "$by_hand"

say "nobody gets a vGPU on a card that is taken"
claim taker --pci "${T4[0]}"
[ "$(links)" = 1 ]
assert_match "$(readlink "$whole/${T4[0]}".*)" '^[0-9]+\.[0-9]+\.[0-9]+\.taker$'
must_fail claim late --metadata "$(on "${T4[0]}")" --hostdev "$used,ua-gpu0"
assert_match "$ERR" "${T4[0]} is given to another guest as a whole card"
vgpuctl gpus -rn -o GPU,ENABLED | grep -qx "${T4[0]} no"
claim other --metadata "$(request '<vgpu:device alias="ua-gpu0" type="T4-1B"/>')" --hostdev "$used,ua-gpu0"
assert_match "$(ledger)" "^mdev $used .* ${T4[1]} .* other ua-gpu0 held "
give_back other
give_back taker
[ "$(links)" = 0 ]
claim late --metadata "$(on "${T4[0]}")" --hostdev "$used,ua-gpu0"
give_back late

say "a function in use is a use of its card, and is nobody's whole card itself"
claim function --metadata "$(request '<vgpu:device alias="ua-gpu0" type="L40S-12Q"/>')" --pci "${vfs[0]},ua-gpu0"
must_fail claim thief --pci "${CARDS[0]}"
assert_match "$ERR" "whole card ${CARDS[0]}, and the guest function has ${vfs[0]} there"
claim plain --pci "${vfs[1]}"
[ "$(links)" = 0 ]
give_back plain
give_back function
claim thief --pci "${CARDS[0]}"
[ "$(links)" = 1 ]
give_back thief

assert_no_vgpus
assert_empty_ledger
[ "$(links)" = 0 ]
