# SPDX-License-Identifier: LGPL-2.1-or-later
# Guests that are transient, undefined while running, or rescued with another XML leave nothing.
# shellcheck shell=bash

# xml NAME UUID TYPE DEVICE
xml() {
    guest_xml "$1" --uuid "$2" --metadata "$(request "<vgpu:device type=\"$3\"/>")" --hostdev "$4"
}

transient() {
    local device
    device=$(new_uuid)
    xml transient "$(new_uuid)" mtty-2 "$device" >transient.xml
    virsh -q create transient.xml
    [ "$(mdev_type "$device")" = mtty-2 ]
    [ "$(group_held_by "$device")" = "$(qemu_pid transient)" ]
    destroy transient
    assert_gone "$device"
}

undefined() {
    local device
    device=$(new_uuid)
    xml undefined "$(new_uuid)" mtty-2 "$device" >undefined.xml
    virsh -q define undefined.xml
    start undefined
    virsh -q undefine undefined
    [ "$(group_held_by "$device")" = "$(qemu_pid undefined)" ]
    destroy undefined
    assert_gone "$device"
}

# As Nova rescues a guest: the same domain UUID, started from another XML and not by its definition.
rescue() {
    local uuid device other
    uuid=$(new_uuid) device=$(new_uuid) other=$(new_uuid)
    xml rescue "$uuid" mtty-2 "$device" >normal.xml
    xml rescue "$uuid" mtty-1 "$other" >rescue.xml
    virsh -q define normal.xml
    virsh -q create rescue.xml
    [ "$(mdev_type "$other")" = mtty-1 ]
    assert_gone "$device"
    destroy rescue
    assert_gone "$other"
    start rescue
    [ "$(mdev_type "$device")" = mtty-2 ]
    destroy rescue
    assert_gone "$device"
}

# The three guests have nothing in common, so they run at the same time.
pids=()
for story in transient undefined rescue; do
    $story &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
assert_no_mdevs
assert_empty_ledger
