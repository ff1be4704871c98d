# SPDX-License-Identifier: LGPL-2.1-or-later
# Our units: directories, the timer of reconcile, virtual functions, and the wait for a late GPU.
# shellcheck shell=bash
# needs: distribution

service=libvirt-vgpu-reconcile.service
timer=libvirt-vgpu-reconcile.timer
ready=libvirt-vgpu-ready.service
gpu=0000:00:00.0
sriov=libvirt-vgpu-sriov@$gpu.service
tool=/usr/lib/nvidia/sriov-manage
device=$(new_uuid)

# journal_has_line WORDS: does any line of the journal have WORDS?
journal_has_line() { journalctl -q -b -o cat | grep -qF "$1"; }
# journal_has UNIT WORDS: does a line of UNIT have WORDS?
journal_has() { journalctl -q -b -o cat -u "$1" | grep -qF "$2"; }

at_end systemctl reset-failed

systemd-analyze verify --man=no /usr/lib/systemd/system/libvirt-vgpu-* 2>said || true
cat said
[ ! -s said ]

# systemd-tmpfiles made these directories at the first boot. The runner has removed one of them since.
systemd-tmpfiles --create libvirt-vgpu.conf
for directory in /run/libvirt-vgpu /var/lib/libvirt-vgpu /var/lib/libvirt-vgpu/drained \
    /var/lib/libvirt-vgpu/saved; do
    [ "$(stat -c '%U %G %a' $directory)" = "root root 755" ]
done

# abandon: leaves a lease and a device. Their daemon is gone, and QEMU never started.
abandon() {
    guest_xml web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device" >web01.xml
    # The shell stands for the daemon. With "true" after the hook, the hook does not replace the shell.
    bash -c 'libvirt-vgpu-hook web01 prepare begin - <web01.xml; true'
    [ "$(mdevs)" = "$device" ]
    assert_match "$(ledger)" " web01 .* held made "
}

# has_label SERVICE LABEL: does the running SERVICE have this label?
has_label() { [ "$(label_of "$(systemctl show -P MainPID "$1")")" = "$2" ]; }

abandon
label=
if has_apparmor; then label='libvirt-vgpu (enforce)'; fi
if has_selinux; then label=system_u:system_r:libvirt_vgpu_t:s0; fi
if [ -n "$label" ]; then
    # The service waits for the lock, so its label can be read.
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

# The service takes nothing from a running guest. The guest's QEMU runs as another user.
guest web02 --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "$(new_uuid)"
start web02
ledger >before
systemctl start $service
diff before <(ledger)
destroy web02

# vgpuctl log reads from the journal what happened to a guest. A refused start is in a line of libvirt.
virsh -q dumpxml web02 | sed 's/mtty-1/mtty-9/' | virsh -q define /dev/stdin
must_fail start web02
logged() {
    vgpuctl log web02 -rn -o event,type,result >said
    grep -qx 'prepare mtty-1 ok' said && grep -qx 'release mtty-1 removed' said &&
        grep -q '^prepare - refused:.*mtty-9' said
}
wait_for logged
vgpuctl log
# --since takes times as journalctl does. All of these events are of the last hour, and none is of the
# future.
vgpuctl log web02 --since '1h ago' -rn -o event,type,result | diff said -
[ -z "$(vgpuctl log web02 --since "@$(($(date +%s) + 3600))" -rn)" ]
# A line that another user writes under the hook's name is not shown.
setpriv --reuid nobody --clear-groups logger -t libvirt-vgpu-hook 'domain=web02 event=forged result=ok'
wait_for journal_has_line forged
logged
must_fail grep forged said

# The timer, with shorter times. The host has been up for more than a second.
abandon
at_end systemctl daemon-reload
at_end rm -rf /run/systemd/system/$timer.d
at_end systemctl stop $timer
mkdir -p /run/systemd/system/$timer.d
printf '[Timer]\nOnActiveSec=\nOnUnitInactiveSec=\nOnActiveSec=1s\nOnUnitInactiveSec=5s\nAccuracySec=1s\n' \
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

# The virtual functions. A device without virtual functions gets another directory mounted over its
# own. Its files are those of an NVIDIA card.
at_end umount /sys/bus/pci/devices/$gpu
mount -t tmpfs gpu "$(readlink -f /sys/bus/pci/devices/$gpu)"
echo 0x10de >/sys/bus/pci/devices/$gpu/vendor
echo 0x030200 >/sys/bus/pci/devices/$gpu/class
echo 4 >/sys/bus/pci/devices/$gpu/sriov_totalvfs
echo 0 >/sys/bus/pci/devices/$gpu/sriov_numvfs

# Without NVIDIA's tool the unit fails, and says so.
at_end systemctl stop "$sriov"
must_fail systemctl start "$sriov"
wait_for journal_has "$sriov" "there is no $tool"
systemctl stop "$sriov"
systemctl reset-failed

# A tool that succeeds but does nothing, as NVIDIA's tool did. Later it does its work.
at_end rm -rf ${tool%/*} /run/asked /run/works
mkdir -p ${tool%/*}
cat >$tool <<-'END'
	#!/bin/sh
	echo "$*" >/run/asked
	case $1 in -e) count=4 ;; *) count=0 ;; esac
	[ ! -e /run/works ] || echo $count >"/sys/bus/pci/devices/$2/sriov_numvfs"
END
chmod +x $tool

# No functions come, so the unit fails and tries again. Then the functions come.
must_fail systemctl start "$sriov"
[ "$(cat /run/asked)" = "-e $gpu" ]
wait_for journal_has "$sriov" "$gpu has no virtual functions, although sriov-manage ended well"
touch /run/works
wait_for systemctl -q is-active "$sriov"
[ "$(cat /sys/bus/pci/devices/$gpu/sriov_numvfs)" = 4 ]

# vgpuctl sriov enable names the declaration, until the unit is enabled. Then vgpuctl sriov disable names the
# command that disables it.
assert_match "$(vgpuctl sriov enable $gpu)" "4 virtual functions already"$'\n'".*: vgpuctl setup --declare $gpu$"
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

# The metrics, in the directory of Prometheus' node exporter. The service writes them in its sandbox.
textfiles=/var/lib/prometheus/node-exporter
at_end rm -rf $textfiles
install -d -o nobody $textfiles
systemctl start libvirt-vgpu-metrics.service
promtool check metrics <$textfiles/libvirt-vgpu.prom
grep '^libvirt_vgpu_type_available{gpu="mtty",' $textfiles/libvirt-vgpu.prom
# The service could ask libvirt.
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
# libvirtd may have stopped as "failed": it ends by force if its drivers do not end within 30 seconds.
[ "$(systemctl show -P MainPID "$DAEMON")" = 0 ]
modprobe mtty
start_libvirtd
[ "$(systemctl is-active $ready)" = active ]

# libvirtd does not wait for ever. It starts although the GPU is missing, because it does not depend on
# our unit.
systemctl stop $ready
vgpu_conf <<<'gpus = ( { address = "mtty"; } ); boot_wait = "1s";'
modprobe -r mtty
must_fail systemctl start $ready
wait_for journal_has $ready 'these GPUs offer no types yet: mtty (/etc/libvirt-vgpu/vgpu.conf:1)'
if systemctl show -P Requires -P BindsTo -P Requisite "$DAEMON" | grep libvirt-vgpu; then
    fail "$DAEMON depends on our unit"
fi
