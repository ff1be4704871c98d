# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions that were bound to vfio-pci when they became parents of mediated devices: the kernel calls their types
# vfio-pci-N, and each word for a type finds them.
# shellcheck shell=bash

cards sriov vfs=4 bound=2
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
types=/sys/class/mdev_bus
[ -e "$types/${vfs[0]}/mdev_supported_types/vfio-pci-558" ]
[ -e "$types/${vfs[3]}/mdev_supported_types/nvidia-558" ]
virsh -q nodedev-dumpxml "pci_${vfs[0]//[:.]/_}" | grep "<type id='vfio-pci-558'>"
[ "$(vgpuctl types "${CARDS[0]}" -rn -o TYPE | wc -l)" = "$(find "$types/${vfs[0]}/mdev_supported_types/" -mindepth 1 -maxdepth 1 | wc -l)" ]
[ "$(vgpuctl types "${CARDS[0]}" -rn -o TYPE,AVAILABLE | grep 558)" = 'nvidia-558 4' ]

say "four guests, by four words, one on each function"
n=0
for word in nvidia-558 vfio-pci-558 558 A40-2Q; do
    n=$((n + 1))
    guest "web0$n" --metadata "$(request "<vgpu:device alias='ua-gpu0' type='$word'/>")" --hostdev "$(new_uuid),ua-gpu0"
    start "web0$n"
done
[ "$(vgpuctl list -rn -o TYPE,STATE | sort -u)" = 'nvidia-558 held' ]
[ "$(vgpuctl list -rn -o PARENT | sort)" = "$(printf '%s\n' "${vfs[@]}" | sort)" ]
for n in 1 2 3 4; do is_running "web0$n"; done
for n in 1 2 3 4; do destroy "web0$n"; done
assert_empty_ledger

say "libvirtd makes one, and our call-out and a guest know its type"
uuid=$(new_uuid)
cat >mdev.xml <<END
<device><parent>pci_${vfs[1]//[:.]/_}</parent>
<capability type='mdev'><type id='vfio-pci-558'/><uuid>$uuid</uuid></capability></device>
END
virsh -q nodedev-create mdev.xml
[ "$(vgpuctl list -rn -o TYPE)" = nvidia-558 ]
guest web05 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='A40-2Q'/>")" --hostdev "$uuid,ua-gpu0"
start web05
[ "$(vgpuctl list -rn -o TYPE,STATE,DOMAIN)" = 'nvidia-558 held web05' ]
destroy web05
mdev_exists "$uuid"
virsh -q nodedev-destroy "$(virsh -q nodedev-list --cap mdev | grep "${uuid//-/_}")"
