# SPDX-License-Identifier: LGPL-2.1-or-later
# Power is cut while guests run: after boot one comes back by itself, the others start as ever.
# shellcheck shell=bash

automatic=aaaaaaaa-0000-4000-8000-000000000001
manual=aaaaaaaa-0000-4000-8000-000000000002

runs() { [ "$(virsh domstate "$1" | head -n 1)" = running ]; }

case $PHASE in
1)
    guest automatic --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev $automatic
    guest manual --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev $manual
    virsh -q autostart automatic
    start automatic
    start manual
    [ "$(mdevs | wc -l)" = 2 ]
    # systemd-tmpfiles is to make it again.
    rmdir /var/lib/libvirt-vgpu
    power_loss
    ;;
2)
    [ -d /var/lib/libvirt-vgpu ]
    [ -d /run/libvirt-vgpu ]
    wait_for 60 libvirtd_answers
    wait_for 60 runs automatic
    [ "$(mdevs)" = $automatic ]
    [ "$(mdev_type $automatic)" = mtty-2 ]
    [ "$(group_held_by $automatic)" = "$(qemu_pid automatic)" ]
    assert_match "$(ledger)" " automatic .* held made "
    [ "$(ledger | wc -l)" = 1 ]

    start manual
    [ "$(group_held_by $manual)" = "$(qemu_pid manual)" ]
    destroy manual
    destroy automatic
    assert_no_mdevs
    assert_empty_ledger
    ;;
esac
