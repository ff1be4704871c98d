# SPDX-License-Identifier: LGPL-2.1-or-later
# libvirt starts a vGPU of an emulated card at each boot, without our hook: nodedev-define, nodedev-autostart.
# shellcheck shell=bash
# tests: cards

uuid=aaaaaaaa-0000-4000-8000-000000000003
name=mdev_${uuid//-/_}
card=0100:10:00.0
drivers=/etc/modules-load.d/vgpu.conf

# shows LINE: libvirt shows this line of the device.
shows() { virsh -q nodedev-info "$device" | grep -E "^$1"; }

case $PHASE in
1)
    # Debian's rule for udev runs /usr/sbin/mdevctl, but the program is in /usr/bin.
    if [ ! -e /usr/sbin/mdevctl ]; then
        at_end rm -f /usr/sbin/mdevctl
        ln -s ../bin/mdevctl /usr/sbin/mdevctl
    fi
    at_end rm -f /etc/modprobe.d/vgpu-cards.conf
    cp -a "$drivers" /vgpu/state/drivers
    at_end mv /vgpu/state/drivers "$drivers"
    echo 'options vgpu-cards cards=T4' >/etc/modprobe.d/vgpu-cards.conf
    echo vgpu-cards >>"$drivers"
    modprobe vgpu-cards
    udevadm settle
    cat >mdev.xml <<-END
		<device><parent>pci_${card//[:.]/_}</parent>
		<capability type='mdev'><type id='nvidia-231'/><uuid>$uuid</uuid></capability></device>
	END
    virsh -q nodedev-define mdev.xml
    device=$(virsh -q nodedev-list --cap mdev --inactive | grep "^$name")
    virsh -q nodedev-autostart "$device"
    wait_for shows 'Autostart: +yes'
    must_fail mdev_exists $uuid
    guest web01 --hostdev $uuid
    power_loss
    ;;
2)
    wait_for mdev_exists $uuid
    [ "$(mdev_type $uuid)" = nvidia-231 ]
    wait_for libvirtd_answers
    device=$(virsh -q nodedev-list --cap mdev | grep "^$name")
    shows 'Active: +yes'
    start web01
    [ "$(group_held_by $uuid)" = "$(qemu_pid web01)" ]
    assert_empty_ledger
    destroy web01
    mdev_exists $uuid
    virsh -q nodedev-destroy "$device"
    virsh -q nodedev-undefine "$device"
    assert_no_mdevs
    ;;
esac
