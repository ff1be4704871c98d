# SPDX-License-Identifier: LGPL-2.1-or-later
# Our units: directories, the timer and what it mends, virtual functions, the wait for a late GPU.
# shellcheck shell=bash

service=libvirt-vgpu-reconcile.service
timer=libvirt-vgpu-reconcile.timer
ready=libvirt-vgpu-ready.service
gpu=0000:00:00.0
sriov=libvirt-vgpu-sriov@$gpu.service
tool=/usr/lib/nvidia/sriov-manage
device=$(new_uuid)

# journal_has_line WORDS, of anybody
journal_has_line() { journalctl -q -b -o cat | grep -qF "$1"; }
# journal_has UNIT WORDS
journal_has() { journalctl -q -b -o cat -u "$1" | grep -qF "$2"; }

at_end systemctl reset-failed

systemd-analyze verify --man=no /usr/lib/systemd/system/libvirt-vgpu-* 2>said || true
cat said
[ ! -s said ]

# Made by the first boot's systemd-tmpfiles; the runner has taken away one of them since.
systemd-tmpfiles --create libvirt-vgpu.conf
for directory in /run/libvirt-vgpu /var/lib/libvirt-vgpu /var/lib/libvirt-vgpu/drained; do
    [ "$(stat -c '%U %G %a' $directory)" = "root root 755" ]
done

# abandon: a lease and a device whose daemon is gone before QEMU came.
abandon() {
    guest_xml web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device" >web01.xml
    # The shell stands for the daemon; it waits, so as not to be replaced by the hook.
    bash -c 'libvirt-vgpu-hook web01 prepare begin - <web01.xml; true'
    [ "$(mdevs)" = "$device" ]
    assert_match "$(ledger)" " web01 .* held made "
}

# has_label SERVICE LABEL: while it runs.
has_label() { [ "$(label_of "$(systemctl show -P MainPID "$1")")" = "$2" ]; }

abandon
label=
if has_apparmor; then label='libvirt-vgpu (enforce)'; fi
if has_selinux; then label=system_u:system_r:libvirt_vgpu_t:s0; fi
if [ -n "$label" ]; then
    # It waits for the lock.
    exec {lock}>>/run/libvirt-vgpu/lock
    flock "$lock"
    systemctl start --no-block $service
    wait_for has_label $service "$label"
    exec {lock}>&-
fi
systemctl start $service
assert_no_mdevs
assert_empty_ledger
# The directory with the ledger outlives the service.
[ -e "$LEDGER" ]

# It takes nothing from a guest that runs, whose QEMU is another user's.
guest web02 --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "$(new_uuid)"
start web02
ledger >before
systemctl start $service
diff before <(ledger)
destroy web02

# What happened to it, by the journal: with the start that was refused, which is in libvirt's line.
virsh -q dumpxml web02 | sed 's/mtty-1/mtty-9/' | virsh -q define /dev/stdin
must_fail start web02
logged() {
    vgpuctl log web02 -rn -o event,type,result >said
    grep -qx 'prepare mtty-1 ok' said && grep -qx 'release mtty-1 removed' said &&
        grep -q '^prepare - refused:.*mtty-9' said
}
wait_for logged
vgpuctl log
# Since a moment, as journalctl has it: all of that is of today, and nothing is of the future.
vgpuctl log web02 --since '1h ago' -rn -o event,type,result | diff said -
[ -z "$(vgpuctl log web02 --since "@$(($(date +%s) + 3600))" -rn)" ]
# Nobody else can write there under the hook's name.
setpriv --reuid nobody --clear-groups logger -t libvirt-vgpu-hook 'domain=web02 event=forged result=ok'
wait_for journal_has_line forged
logged
must_fail grep forged said

# The timer, with the times of a test. The host has been up for longer than a second.
abandon
at_end systemctl daemon-reload
at_end rm -rf /run/systemd/system/$timer.d
at_end systemctl stop $timer
mkdir -p /run/systemd/system/$timer.d
printf '[Timer]\nOnBootSec=\nOnUnitInactiveSec=\nOnBootSec=1s\nOnUnitInactiveSec=5s\nAccuracySec=1s\n' \
    >/run/systemd/system/$timer.d/quick.conf
systemctl daemon-reload
systemctl start $timer
is_mended() { [ -z "$(mdevs)$(ledger)" ]; }
wait_for is_mended
abandon
wait_for is_mended
undo
undo
undo
at_end systemctl stop $timer
systemctl start $timer
systemctl list-timers $timer
assert_match "$(systemctl list-timers --no-legend $timer)" "$service"
undo

# The virtual functions. A directory of files lies over that of a device that has none, as if it were
# one of NVIDIA's.
at_end umount /sys/bus/pci/devices/$gpu
mount -t tmpfs gpu "$(readlink -f /sys/bus/pci/devices/$gpu)"
echo 0x10de >/sys/bus/pci/devices/$gpu/vendor
echo 0x030200 >/sys/bus/pci/devices/$gpu/class
echo 4 >/sys/bus/pci/devices/$gpu/sriov_totalvfs
echo 0 >/sys/bus/pci/devices/$gpu/sriov_numvfs

# Where NVIDIA's tool is not, it says so.
at_end systemctl stop "$sriov"
must_fail systemctl start "$sriov"
wait_for journal_has "$sriov" "there is no $tool, which $gpu needs"
systemctl stop "$sriov"
systemctl reset-failed

# One that ends well and does nothing, as NVIDIA's did; later it does what it should.
at_end rm -rf ${tool%/*} /run/asked /run/works
mkdir -p ${tool%/*}
cat >$tool <<-'END'
	#!/bin/sh
	echo "$*" >/run/asked
	case $1 in -e) count=4 ;; *) count=0 ;; esac
	[ ! -e /run/works ] || echo $count >"/sys/bus/pci/devices/$2/sriov_numvfs"
END
chmod +x $tool

# None came, so it fails, and tries again; then they come.
must_fail systemctl start "$sriov"
[ "$(cat /run/asked)" = "-e $gpu" ]
wait_for journal_has "$sriov" "$gpu has no virtual functions, although sriov-manage ended well"
touch /run/works
wait_for systemctl -q is-active "$sriov"
[ "$(cat /sys/bus/pci/devices/$gpu/sriov_numvfs)" = 4 ]

# What people type tells of the unit, until it is enabled; then what would end that.
assert_match "$(vgpuctl sriov enable $gpu)" "4 virtual functions already"$'\n'".*: systemctl enable $sriov$"
at_end systemctl disable "$sriov"
systemctl enable "$sriov"
[ "$(vgpuctl sriov enable $gpu)" = "$gpu has 4 virtual functions already" ]
assert_match "$(vgpuctl sriov disable $gpu)" ": systemctl disable $sriov$"
[ "$(cat /run/asked)" = "-d $gpu" ]
[ "$(cat /sys/bus/pci/devices/$gpu/sriov_numvfs)" = 0 ]
undo
undo
undo
undo

# What Prometheus reads, where its node exporter is, with all that the service may not do.
textfiles=/var/lib/prometheus/node-exporter
at_end rm -rf $textfiles
install -d -o nobody $textfiles
systemctl start libvirt-vgpu-metrics.service
promtool check metrics <$textfiles/libvirt-vgpu.prom
grep '^libvirt_vgpu_type_available{gpu="mtty",' $textfiles/libvirt-vgpu.prom
# It could ask libvirt.
grep '^libvirt_vgpu_orphans 0' $textfiles/libvirt-vgpu.prom
undo

# libvirtd waits for a GPU whose driver comes late.
is_waiting() { journal_has $ready ' s at most for mtty (/etc/libvirt-vgpu/vgpu.conf:1)'; }
vgpu_conf <<<'gpus = ( { address = "mtty"; } ); boot_wait = "60m";'
stop_libvirtd
at_end systemctl stop $ready
modprobe -r mtty
systemctl start --no-block $ready
systemctl start --no-block "$DAEMON"
wait_for is_waiting
[ "$(systemctl is-active $ready)" = activating ]
if has_apparmor; then has_label $ready 'libvirt-vgpu-watch (enforce)'; fi
[ "$(systemctl is-active "$DAEMON")" = inactive ]
modprobe mtty
start_libvirtd
[ "$(systemctl is-active $ready)" = active ]

# But not for ever, and not because it must.
systemctl stop $ready
vgpu_conf <<<'gpus = ( { address = "mtty"; } ); boot_wait = "1s";'
modprobe -r mtty
must_fail systemctl start $ready
wait_for journal_has $ready 'these GPUs offer no types yet: mtty (/etc/libvirt-vgpu/vgpu.conf:1)'
if systemctl show -P Requires -P BindsTo -P Requisite "$DAEMON" | grep libvirt-vgpu; then
    fail "$DAEMON depends on our unit"
fi
