# SPDX-License-Identifier: LGPL-2.1-or-later
# Guests that are transient, rescued with another XML, or undefined while running leave nothing; vgpu.conf lists one.
# shellcheck shell=bash

vgpu_conf <<-'END'
	classes = { serial = { types = [ "mtty-2" ]; }; };
	domains = ( { name = "listed*"; devices = ( { alias = "ua-card"; class = "serial"; } ); } );
END

# Its XML asks for nothing. vgpu.conf does, by the name and the alias.
transient() {
    local device
    device=$(new_uuid)
    guest_xml listed1 --hostdev "$device,ua-card" >listed1.xml
    virsh -q create listed1.xml
    [ "$(mdev_type "$device")" = mtty-2 ]
    [ "$(group_held_by "$device")" = "$(qemu_pid listed1)" ]
    destroy listed1
    assert_gone "$device"
}

# As Nova rescues a guest: the same domain UUID, started from another XML and not by its definition. Then the
# definition goes, while the guest runs.
rescue() {
    local uuid device other
    uuid=$(new_uuid) device=$(new_uuid) other=$(new_uuid)
    guest rescue --uuid "$uuid" --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
    guest_xml rescue --uuid "$uuid" --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "$other" >rescue.xml
    virsh -q create rescue.xml
    [ "$(mdev_type "$other")" = mtty-1 ]
    assert_gone "$device"
    virsh -q undefine rescue
    [ "$(group_held_by "$other")" = "$(qemu_pid rescue)" ]
    destroy rescue
    assert_gone "$other"
}

# The two guests have nothing in common, so they run at the same time.
pids=()
for story in transient rescue; do
    $story &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
assert_no_mdevs
assert_empty_ledger
