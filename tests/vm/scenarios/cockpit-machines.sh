# SPDX-License-Identifier: LGPL-2.1-or-later
# Cockpit's page of virtual machines, as Debian has it: it shows guests' vGPUs of emulated cards, and adds one.
# shellcheck shell=bash
# needs: cockpit-machines 332
# needs: libvirt 9.7
# needs: browser 9091
# takes: 128
#
# The browser is outside, on the machine that runs the tests. tests/cockpit/in-vm-cockpit-machines.mjs looks and
# clicks there. It starts and ends the guest, gives it a function of the B60, and starts it again. With this last
# click it has seen everything.

cards mdev vf xe vfs=2
modprobe vgpu-cards-xe-vfio
read -r vf _ <<<"$(vfs_of "${CARDS[0]}" | xargs)"
read -r other _ <<<"$(vfs_of "${CARDS[1]}" | xargs)"
uuid=$(new_uuid)
make_mdev "${T4[0]}" nvidia-231 "$uuid"
set_vf_type "$vf" 1148
set_vram "$other" $((4 << 30))
# The browser reads in the guest's description which devices it has to look for.
guest web01 --hostdev "$uuid" --pci "$vf" \
    --xml-filter "s,<memory,<description>mdev=$uuid vf=$vf other=$other</description>&,"
connect_browser
# The page has the bus start libvirt's service there, which asks polkit.
at_end pkill -x 'libvirt-dbus|polkitd'
serve_cockpit 9091

say "somebody starts and ends the guest, gives it a function, and starts it again"
# shellcheck disable=SC2034 # wait_for's
PATIENCE=800
has_all() { is_running web01 && [ "$(pci_of web01 | xargs)" = "$vf $other" ]; }
wait_for has_all

[ "$(device_of web01)" = "$uuid" ]
for device in "$uuid" "$vf" "$other"; do [ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]; done
[ "$(driver_of "$other")" = vgpu-cards-xe-vfio ]
destroy web01
kill "$SERVER"
undo
set_vf_type "$vf" 0
set_vram "$other" 0
remove_mdev "$uuid"
