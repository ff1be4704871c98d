# SPDX-License-Identifier: LGPL-2.1-or-later
# Offline and persistent migration: the definition keeps its UUID, and the guest can start there.
# shellcheck shell=bash
# needs: qemu 8.1
# takes: 20

device=$(new_uuid)
guest web01 --migratable --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
start_host2

# An offline migration needs no vGPU. libvirt moves the definition, and our hook changes nothing in it.
migrate web01 --offline --persistent
[ "$(on_host2 device_of web01 --inactive)" = "$device" ]
assert_no_mdevs
on_host2 virsh -q undefine web01

start web01
migrate web01 --persistent --undefinesource
live=$(on_host2 device_of web01)
[ "$live" != "$device" ]
[ "$(group_held_by "$live")" = "$(on_host2 qemu_pid web01)" ]
[ "$(on_host2 device_of web01 --inactive)" = "$device" ]

# Meanwhile another guest has that UUID.
on_host2 guest web02 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
on_host2 start web02
on_host2 destroy web01
must_fail on_host2 start web01
assert_match "$ERR" "vgpu: web01: .*$device belongs to the guest web02 \(held\)"
# The message says what to do.
assert_match "$ERR" 'another UUID|virsh edit|destroy'
[ "$(group_held_by "$device")" = "$(on_host2 qemu_pid web02)" ]
[ "$(mdevs)" = "$device" ]
on_host2 destroy web02

on_host2 start web01
[ "$(group_held_by "$device")" = "$(on_host2 qemu_pid web01)" ]
on_host2 destroy web01
assert_no_mdevs
assert_empty_ledger
on_host2 assert_empty_ledger
