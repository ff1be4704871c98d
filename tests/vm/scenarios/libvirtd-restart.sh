# SPDX-License-Identifier: LGPL-2.1-or-later
# libvirtd restarts under a running guest, also without the ledger: the guest runs on, and ends clean.
# shellcheck shell=bash

# libvirt reconnects to each guest in a thread of its own, and runs its hook last. libvirt 12.8 answers
# before that.
is_adopted() { ledger | grep -q " held made $(libvirtd_pid):"; }

device=$(new_uuid)
guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
for lost in no yes; do
    start web01
    pid=$(qemu_pid web01)
    stop_libvirtd
    [ "$lost" = no ] || rm /run/libvirt-vgpu/ledger
    start_libvirtd
    is_running web01
    [ "$(qemu_pid web01)" = "$pid" ]
    [ "$(group_held_by "$device")" = "$pid" ]
    wait_for is_adopted
    destroy web01
    assert_no_mdevs
    assert_empty_ledger
done
