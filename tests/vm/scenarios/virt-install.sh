# SPDX-License-Identifier: LGPL-2.1-or-later
# virt-install and virt-xml give guests mediated devices and functions of the emulated cards.
# shellcheck shell=bash
# tests: cards
# needs: libvirt 9.7

cards mdev vf vfs=2
read -r vf _ <<<"$(vfs_of "${CARDS[0]}" | xargs)"
uuid=$(new_uuid)
make_mdev "${T4[0]}" nvidia-231 "$uuid"
set_vf_type "$vf" 1148
mdev=$(virsh -q nodedev-list --cap mdev | grep "${uuid//-/_}")

# The firmware halts, as that of all guests here.
virt-install --connect qemu:///system --name web01 --memory 64 --vcpus 1 --virt-type qemu --osinfo generic \
    --boot "loader=$HALT_ROM,loader.readonly=yes,loader.type=rom" --disk none --network none \
    --graphics none --memballoon none --controller usb,model=none --machine q35 --noautoconsole --import \
    --hostdev "$mdev"
[ "$(device_of web01)" = "$uuid" ]
[ "$(group_held_by "$uuid")" = "$(qemu_pid web01)" ]
destroy web01

say "virt-xml adds a function, and takes the mediated device away"
virt-xml --connect qemu:///system web01 --add-device --hostdev "pci_${vf//[:.]/_},xpath0.set=./@managed,xpath0.value=no"
[ "$(pci_of web01 --inactive)" = "$vf" ]
start web01
[ "$(group_held_by "$vf")" = "$(qemu_pid web01)" ]
destroy web01
virt-xml --connect qemu:///system web01 --remove-device --hostdev 1
[ -z "$(device_of web01 --inactive)" ]
set_vf_type "$vf" 0
remove_mdev "$uuid"
