# SPDX-License-Identifier: LGPL-2.1-or-later
# Power is cut while guests run, and then the GPU's driver comes late: the guests start all the same.
# The driver comes ten seconds after libvirtd. One guest starts by itself, and the other by command.
# shellcheck shell=bash
# tests: distribution

automatic=aaaaaaaa-0000-4000-8000-000000000001
manual=aaaaaaaa-0000-4000-8000-000000000002
late=/etc/systemd/system/late-gpu.service
ready=libvirt-vgpu-ready.service
short=/etc/systemd/system/$ready.d
drivers=/etc/modules-load.d/vgpu.conf

# delay_gpu: a unit of its own loads the driver of the only configured GPU. The unit waits until
# libvirtd starts its guests, because libvirtd may need half a minute to find its QEMU.
delay_gpu() {
    mkdir -p /etc/libvirt-vgpu/conf.d
    cat >/etc/libvirt-vgpu/conf.d/50-late.conf <<-'END'
		gpus = ( { address = "mtty"; } );
		boot_wait = "60m";
		prepare_timeout = "300s";
	END
    cp -a $drivers /vgpu/state/drivers
    at_end mv /vgpu/state/drivers $drivers
    sed -i /mtty/d $drivers
    at_end rm -f /run/gpus-at-prepare
    cat >/etc/libvirt/hooks/qemu.d/10-late <<-'END'
		#!/bin/sh
		[ "$2" != prepare ] || ls /sys/class/mdev_bus >/run/gpus-at-prepare
	END
    chmod +x /etc/libvirt/hooks/qemu.d/10-late
    at_end rm -f $late /etc/systemd/system/multi-user.target.wants/late-gpu.service
    cat >$late <<-'END'
		[Service]
		ExecStart=/bin/sh -c 'until [ -e /run/gpus-at-prepare ]; do sleep 0.2; done; sleep 10; exec modprobe mtty'
	END
    ln -sf $late /etc/systemd/system/multi-user.target.wants/
}

# wait_shortly: our unit waits for two seconds only. It waits in vain, because the GPU comes after
# libvirtd.
wait_shortly() {
    at_end rm -rf $short
    at_end systemctl -q --no-reload disable $ready
    at_end systemctl reset-failed
    mkdir -p $short
    printf '[Service]\nExecStart=\nExecStart=/usr/bin/vgpuctl ready --timeout 2\n' >$short/short.conf
    systemctl -q --no-reload enable $ready
}

# moment UNIT PROPERTY: the time of this event, in microseconds since boot.
moment() { systemctl show -P "$2Monotonic" "$1"; }

case $PHASE in
1)
    guest automatic --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev $automatic
    guest manual --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev $manual
    virsh -q autostart automatic
    start automatic
    start manual
    [ "$(mdevs | wc -l)" = 2 ]
    # At the next boot systemd-tmpfiles must make this directory again.
    rm -r /var/lib/libvirt-vgpu
    delay_gpu
    wait_shortly
    power_loss
    ;;
2)
    [ -d /var/lib/libvirt-vgpu ]
    [ -d /var/lib/libvirt-vgpu/drained ]
    [ -d /var/lib/libvirt-vgpu/saved ]
    [ -d /run/libvirt-vgpu ]
    wait_for test -e /run/gpus-at-prepare
    if grep -x mtty /run/gpus-at-prepare; then fail "the GPU was there before its guest"; fi
    # libvirtd had to wait for our unit, and started although the unit failed.
    [ "$(systemctl is-active $ready)" = failed ]
    [ "$(moment $ready InactiveEnterTimestamp)" -gt 2000000 ]
    [ "$(moment $ready InactiveEnterTimestamp)" -lt "$(moment "$DAEMON" ExecMainStartTimestamp)" ]
    wait_for libvirtd_answers
    wait_for is_running automatic
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
