# SPDX-License-Identifier: LGPL-2.1-or-later
# The GPU's driver comes ten seconds after libvirtd: guests that start at boot wait for it.
# shellcheck shell=bash

device=aaaaaaaa-0000-4000-8000-000000000003
late=/etc/systemd/system/late-gpu.service
drivers=/etc/modules-load.d/vgpu.conf

runs() { [ "$(virsh domstate "$1" | head -n 1)" = running ]; }

case $PHASE in
1)
    mkdir -p /etc/libvirt-vgpu/conf.d
    cat >/etc/libvirt-vgpu/conf.d/50-late.conf <<-'END'
		gpus = ( { address = "mtty"; } );
		boot_wait = "300s";
		prepare_timeout = "60s";
	END
    cp $drivers /vgpu/drivers
    sed -i /mtty/d $drivers
    # What counts is when libvirtd starts its guests: it may take half a minute to find its QEMU.
    cat >/etc/libvirt/hooks/qemu.d/10-late <<-'END'
		#!/bin/sh
		[ "$2" != prepare ] || ls /sys/class/mdev_bus >/run/gpus-at-prepare
	END
    chmod +x /etc/libvirt/hooks/qemu.d/10-late
    cat >$late <<-'END'
		[Service]
		ExecStart=/bin/sh -c 'until [ -e /run/gpus-at-prepare ]; do sleep 0.2; done; sleep 10; exec modprobe mtty'
	END
    ln -sf $late /etc/systemd/system/multi-user.target.wants/
    guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev $device
    virsh -q autostart web01
    power_loss
    ;;
2)
    wait_for 120 test -e /run/gpus-at-prepare
    if grep -x mtty /run/gpus-at-prepare; then fail "the GPU was there before its guest"; fi
    wait_for 60 runs web01
    [ "$(group_held_by $device)" = "$(qemu_pid web01)" ]
    assert_match "$(ledger)" " web01 .* held made "
    destroy web01
    assert_empty_ledger
    cp /vgpu/drivers $drivers
    rm $late /etc/systemd/system/multi-user.target.wants/late-gpu.service
    ;;
esac
