# SPDX-License-Identifier: LGPL-2.1-or-later
# Cards as their owners have published them: an L40S, an RTX 6000 Ada, and an RTX PRO 6000 with MIG.
# shellcheck shell=bash
# tests: cards
# needs: libvirt 9.7

# try NAME VF TYPE: calls only the hook's prepare.
try() {
    claim "$1" --pci "$2,ua-gpu0" --metadata "$(request "<vgpu:device alias=\"ua-gpu0\" type=\"$3\"/>")"
}

# load BOARD VFS [NAME=VALUE]: sets vfs to the functions of such a card. No card is exchanged for another while a
# host runs. So the types of the card that was at this address are forgotten, as by a boot.
load() {
    rm -f /run/libvirt-vgpu/types
    cards vf "boards=$1" "vfs=$2" "${@:3}"
    mapfile -t vfs < <(vfs_of "${CARDS[0]}")
}

# read_of VF NAME: a file of NVIDIA's driver.
read_of() { cat "/sys/bus/pci/devices/$1/nvidia/$2"; }

# column NAME: this column of all types of the card.
column() { vgpuctl types "${CARDS[0]}" --raw --noheadings --columns="$1"; }

say "an L40S lists thirty types, and a header alone once it is full"
load L40S-580 3
fault list header-always
[ "$(column NAME | wc -l)" = 30 ]
column NAME | grep -qx 'NVIDIA.x20L40S-3B'
try a "${vfs[0]}" L40S-48Q
[ "$(read_of "${vfs[1]}" creatable_vgpu_types)" = 'ID    : vGPU Name' ]
[ "$(column NAME | wc -l) $(column AVAILABLE | sort -u)" = '30 0' ]
must_fail try b "${vfs[1]}" L40S-1B
assert_match "$ERR" "its GPU ${CARDS[0]} holds nvidia-1156"
give_back a
try b "${vfs[1]}" L40S-3B
[ "$(vf_type "${vfs[1]}")" = 2164 ]
give_back b
no_cards

say "an RTX 6000 Ada lists its one type without a header once it has a vGPU"
load RTX6000-ADA 3
fault list proposal
fault rule same-type
[ "$(column NAME | wc -l)" = 10 ]
try a "${vfs[0]}" RTX6000-Ada-2Q
[ "$(read_of "${vfs[1]}" creatable_vgpu_types)" = '942   : NVIDIA RTX6000-Ada-2Q' ]
[ "$(column NAME | wc -l)" = 10 ]
[ "$(column TYPE,AVAILABLE | grep -vc ' 0$')" = 1 ]
must_fail try b "${vfs[1]}" RTX6000-Ada-3Q
assert_match "$ERR" "its GPU ${CARDS[0]} holds nvidia-942"
try b "${vfs[1]}" RTX6000-Ada-2Q
give_back b
give_back a
try a "${vfs[0]}" RTX6000-Ada-48Q
[ -z "$(read_of "${vfs[1]}" creatable_vgpu_types)" ]
must_fail try b "${vfs[1]}" RTX6000-Ada-48Q
give_back a
no_cards

say "an RTX PRO 6000 with MIG has several series in a GPU instance, but one size"
load RTXPRO6000-MIG 48 instances=1-24:1
try a "${vfs[0]}" DC-1-3Q
try b "${vfs[1]}" DC-1-3A
[ "$(read_of "${vfs[0]}" gpu_instance_id)" = "$(read_of "${vfs[1]}" gpu_instance_id)" ]
must_fail try c "${vfs[2]}" DC-1-6Q
fault instances 1-24:2
try c "${vfs[2]}" DC-1-6Q
[ "$(read_of "${vfs[0]}" gpu_instance_id)" != "$(read_of "${vfs[2]}" gpu_instance_id)" ]
for guest in a b c; do give_back $guest; done

say "and 48 vGPUs, twelve in each of four GPU instances"
fault instances 1-24:3
for vf in "${vfs[@]:0:36}"; do set_vf_type "$vf" 9200; done
must_fail try a "${vfs[46]}" DC-1-2Q
fault instances 1-24:4
for vf in "${vfs[@]:36:10}"; do set_vf_type "$vf" 9200; done
try a "${vfs[46]}" DC-1-2Q
[ "$(column NAME,AVAILABLE | grep -c 'DC-1-2Q 1$')" = 1 ]
try b "${vfs[47]}" DC-1-2Q
[ "$(counter "${CARDS[0]}" created)" = 48 ]
give_back b
give_back a
for vf in "${vfs[@]:0:46}"; do set_vf_type "$vf" 0; done
assert_no_vgpus
