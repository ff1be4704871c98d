# SPDX-License-Identifier: LGPL-2.1-or-later
# Cockpit's page of virtual machines, as Debian has it, shows a guest's vGPUs of emulated cards, and starts the guest.
# shellcheck shell=bash
# needs: cockpit-machines 332
# needs: libvirt 9.7
# needs: browser 9091
#
# The browser is outside, on the machine that runs the tests. tests/cockpit/in-vm-cockpit-machines.mjs looks and
# clicks there. With its last click, which starts the guest, it has seen everything. With LONG=1 it starts and ends the
# guest before that, and gives it a function of the B60.

kinds=(mdev vf)
! is_long || kinds+=(xe)
cards "${kinds[@]}" vfs=2
read -r vf _ <<<"$(vfs_of "${CARDS[0]}" | xargs)"
uuid=$(new_uuid)
make_mdev "${T4[0]}" nvidia-231 "$uuid"
set_vf_type "$vf" 1148
devices=("$uuid" "$vf") other=
if is_long; then
    modprobe vgpu-cards-xe-vfio
    read -r other _ <<<"$(vfs_of "${CARDS[1]}" | xargs)"
    set_vram "$other" $((4 << 30))
    devices+=("$other")
fi
# The browser reads in the guest's description which devices it has to look for.
guest web01 --hostdev "$uuid" --pci "$vf" \
    --xml-filter "s,<memory,<description>mdev=$uuid vf=$vf other=$other</description>&,"
connect_browser
# The page has the bus start libvirt's service there, which asks polkit.
at_end pkill -x 'libvirt-dbus|polkitd'
serve_cockpit 9091

say "somebody starts the guest; with LONG=1 also ends it, gives it a function, and starts it again"
# shellcheck disable=SC2034 # wait_for's
PATIENCE=800
has_all() { is_running web01 && [ "$(device_of web01; pci_of web01)" = "$(printf '%s\n' "${devices[@]}")" ]; }
wait_for has_all

for device in "${devices[@]}"; do [ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]; done
! is_long || [ "$(driver_of "$other")" = vgpu-cards-xe-vfio ]
destroy web01
kill "$SERVER"
undo
set_vf_type "$vf" 0
! is_long || set_vram "$other" 0
remove_mdev "$uuid"
