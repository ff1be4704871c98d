# SPDX-License-Identifier: LGPL-2.1-or-later
# A host has every kind of card: a class takes what is free, in the order of its types, and a guest has several kinds.
# shellcheck shell=bash
# needs: distribution
# needs: libvirt 9.7

cards mdev vf xe bare vfs=4
read -ra vfs <<<"$(vfs_of "${CARDS[0]}" | xargs)"
read -ra xe_vfs <<<"$(vfs_of "${CARDS[1]}" | xargs)"
vgpu_conf <<-END
	classes = { any = { types = [ "T4-16Q", "L40S-12Q" ]; }; };
	max_instances = ( { types = [ "L40S-12Q" ]; max = 3; } );
	quotas = ( { domains = [ "g*" ]; class = "any"; max = 4; } );
END
any=$(request '<vgpu:device alias="ua-gpu0" class="any"/>')

# The class serves both kinds of guests. A mediated device is made on a T4, and a virtual function is
# one of the L40S.
first=$(new_uuid)
claim g0 --metadata "$any" --hostdev "$first,ua-gpu0"
claim g1 --metadata "$any" --hostdev "$(new_uuid),ua-gpu0"
[ "$(ledger | grep -c "^mdev .* $(mdev_type "$first") ")" = 2 ]
must_fail claim late --metadata "$any" --hostdev "$(new_uuid),ua-gpu0"
assert_match "$ERR" "no GPU can take ua-gpu0 \(any\): ${T4[0]} is full \(1 of 1\), ${T4[1]} is full \(1 of 1\), .*${CARDS[0]} makes vGPUs for <hostdev type='pci'> only"

# vgpuctl attach chooses a place with room, in the order of the class.
guest roamer
vgpuctl attach roamer --class any --config
[ "$(pci_of roamer)" = "${vfs[0]}" ]
claim_defined roamer
[ "$(vf_type "${vfs[0]}")" != 0 ]
give_back g0
guest settler --xml-filter "s,</domain>,<qemu:override>$(migratable ua-gpu0 | tr -d '\n')</qemu:override>&,"
vgpuctl attach settler --class any --config
[ -n "$(device_of settler)" ]

# The quota counts vGPUs of both kinds. The administrator's maximum is a maximum for each card.
claim g2 --metadata "$any" --pci "${vfs[1]},ua-gpu0"
claim g3 --metadata "$any" --hostdev "$(new_uuid),ua-gpu0"
claim g4 --metadata "$any" --pci "${vfs[2]},ua-gpu0"
must_fail claim g5 --metadata "$any" --pci "${vfs[3]},ua-gpu0"
assert_match "$ERR" 'vgpu: g5: .*quota of 4 for class any is used up \(4;'
must_fail claim other --metadata "$any" --pci "${vfs[3]},ua-gpu0"
assert_match "$ERR" "vgpu: other: ua-gpu0 \(any\) cannot be on ${vfs[3]}: its GPU ${CARDS[0]} is full \(3 of 3\); no other"

say "two more kinds: Intel's card has room for one vGPU, and the pool has one device; a guest has them all"
modprobe -a vgpu-cards-vfio vgpu-cards-xe-vfio
read -r spare _ <<<"$(vfs_of "${CARDS[2]}" | xargs)"
bind_driver "$spare" vgpu-cards-vfio
bind_driver "${xe_vfs[0]}" vgpu-cards-xe-vfio
vgpu_conf <<-END
	profiles = { b50-8g = { vram = "8G"; }; };
	gpus = ( { address = "${CARDS[1]}"; vram = "14096M"; } );
	pools = { spare = { functions = [ "$spare" ]; }; };
	classes = { any = { types = [ "T4-16Q", "L40S-12Q", "b50-8g", "spare" ]; }; };
	max_instances = ( { types = [ "L40S-12Q" ]; max = 3; } );
END
for vf in "${xe_vfs[0]}" "$spare"; do
    vgpuctl attach roamer --class any --config
    [ "$(pci_of roamer | tail -n 1)" = "$vf" ]
done
give_back roamer
start roamer
for vf in "${vfs[0]}" "${xe_vfs[0]}" "$spare"; do [ "$(group_held_by "$vf")" = "$(qemu_pid roamer)" ]; done
[ "$(ledger | grep -c ' roamer .* held made ')" = 3 ]
guest unlucky
vgpuctl attach unlucky --class any --config
must_fail start unlucky
assert_match "$ERR" "vgpu: unlucky: no GPU can take ua-gpu0 \(any\): ${T4[0]} is full \(1 of 1\), ${T4[1]} is full \(1 of 1\)"
vgpuctl list
vgpuctl types
vgpuctl gpus --json >told
for kind in mdev vf xe pool; do grep "\"interface\": *\"$kind\"" told; done
destroy roamer
bind_driver "$spare" ''
for i in 1 2 3 4; do give_back "g$i"; done

part cards-package
# The modules are those that DKMS built and installed, as their package has it built.
[[ $(modinfo -n vgpu-cards) = */updates/dkms/vgpu-cards.ko* ]]
dkms status vgpu-cards | grep installed
start settler
device=$(device_of settler)
[ "$(group_held_by "$device")" = "$(qemu_pid settler)" ]
must_fail rmmod vgpu_cards
# QEMU before 8.1 saves no guest with a vGPU.
if at_least "$(dpkg-query -W -f '${Version}' qemu-system-common)" 8.1; then
    seal=$(seal_of "$device")
    virsh -q save settler "$PWD/saved"
    assert_no_vgpus
    virsh -q restore "$PWD/saved"
    [ "$(seal_of "$(device_of settler)")" = "$seal" ]
fi
destroy settler
assert_no_vgpus
assert_empty_ledger
