# SPDX-License-Identifier: LGPL-2.1-or-later
# doctor finds each fault of a host, and no fault after it is undone; Prometheus can read the metrics.
# shellcheck shell=bash

hooks=/etc/libvirt/hooks/qemu.d
program=/usr/sbin/libvirt-vgpu-hook

healthy() {
    local said
    said=$(vgpuctl doctor) || fail "not healthy: $said"
    [ "$said" = 'no fault found' ] || fail "something to be said: $said"
}

# finds CHECK REGEX: doctor finds this fault, and no other fault. So the earlier faults are undone.
finds() {
    local said
    if said=$(vgpuctl doctor --noheadings 2>faults); then fail "$1 not found: $said"; fi
    assert_match "$(<faults)" '^vgpuctl: doctor: 1 fault found$'
    assert_match "$said" "^$1 +(error|warning) .*$2"
}

# Debian's mdevctl has a rule that runs /usr/sbin/mdevctl, but the program is in /usr/bin.
[ ! -e /usr/sbin/mdevctl ] && [ -e /usr/bin/mdevctl ]
at_end rm -f /usr/sbin/mdevctl
ln -s ../bin/mdevctl /usr/sbin/mdevctl

# The daemon never saw a hook. So its administrator sees only an obscure error of QEMU.
device=$(new_uuid)
guest web --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
at_end mv kept "$hooks/50-vgpu"
mv "$hooks/50-vgpu" kept
restart_libvirtd
finds hook-missing "$hooks/50-vgpu: No such file"
undo
finds hook-unseen "$DAEMON \(process $(libvirtd_pid)\) runs since before there was a hook"
must_fail start web
kill -HUP "$(libvirtd_pid)"
# The daemon reloads some time after the signal.
started() { start web; }
wait_for started
healthy

at_end chmod +x "$program"
chmod -x "$program"
finds hook-not-executable "$program is not executable"
undo

at_end chmod o-w "$program"
chmod o+w "$program"
finds hook-owner "$program: others than root"
undo

at_end mv "$program.away" "$program"
mv "$program" "$program.away"
finds hook-dangling "50-vgpu leads to $program: No such file"
undo

printf '#!/bin/sh\n' >"$hooks/50-vgpu~"
healthy
chmod +x "$hooks/50-vgpu~"
finds hook-backup "50-vgpu~ looks like a left-over copy"
rm "$hooks/50-vgpu~"

vgpu_conf <<<'placement = "sideways";'
finds configuration "vgpu.conf:1: "
vgpu_conf <<<'placement = "spread";'
chmod 666 "$CONF"
finds configuration "others than root may write it"
vgpu_conf <<<'gpus = ( { address = "0000:18:00.0"; } );'
finds gpu-missing "$CONF:1 names the GPU 0000:18:00.0, which is not there"
no_vgpu_conf

cp -p "$LEDGER" ledger
echo rubbish >"$LEDGER"
finds ledger "$LEDGER"
cp ledger "$LEDGER" # cp keeps the SELinux type of the file
chmod 644 /run/libvirt-vgpu/lock
finds state-owner "/run/libvirt-vgpu/lock has owner 0 and mode 644"
chmod 600 /run/libvirt-vgpu/lock

guest copy --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
finds duplicate-uuid "the domains web and copy both name the vGPU $device"
virsh -q undefine copy

# Debian's rule runs a mdevctl in /usr/sbin. Ubuntu's rule runs the one that is there.
if grep -q /usr/sbin/mdevctl /usr/lib/udev/rules.d/60-mdevctl.rules; then
    rm /usr/sbin/mdevctl
    # Debian's own state harms nobody, until mdevctl is to start a device.
    assert_match "$(vgpuctl doctor)" 'note: mdevctl-rule'
    mkdir -p /etc/mdevctl.d/mtty
    echo '{ "mdev_type": "mtty-2", "start": "manual", "attrs": [] }' >"/etc/mdevctl.d/mtty/$(new_uuid)"
    finds mdevctl-rule "60-mdevctl.rules runs /usr/sbin/mdevctl, which is not there"
    vgpu_conf <<<'accept = [ "mdevctl-rule" ];'
    assert_match "$(vgpuctl doctor)" '^no fault found.accepted: mdevctl-rule: '
    no_vgpu_conf
    rm -r /etc/mdevctl.d/mtty
    ln -s ../bin/mdevctl /usr/sbin/mdevctl
fi

# Prometheus can read the metrics.
foreign=$(new_uuid)
make_mdev mtty mtty-1 "$foreign"
must_fail claim bad --metadata "$(request '<vgpu:device type="mtty-99"/>')" --hostdev "$(new_uuid)"
mkdir collector
vgpuctl metrics --output collector/vgpu.prom
promtool check metrics <collector/vgpu.prom
[ "$(ls -A collector)" = vgpu.prom ]
metrics=$(<collector/vgpu.prom)
assert_match "$metrics" "libvirt_vgpu_info\{device=\"$device\",type=\"mtty-2\",[^}]*state=\"held\",domain=\"web\""
assert_match "$metrics" "libvirt_vgpu_info\{device=\"$foreign\",[^}]*state=\"foreign\"\} 1"
assert_match "$metrics" 'libvirt_vgpu_type_available\{gpu="mtty",type="mtty-1",[^}]*\} 21'
assert_match "$metrics" 'libvirt_vgpu_leases\{state="held"\} 1'
assert_match "$metrics" $'libvirt_vgpu_orphans 1\n'
assert_match "$metrics" 'operations_total\{operation="prepare",result="ok"\} 1'
assert_match "$metrics" 'operations_total\{operation="prepare",result="config"\} 1'
remove_mdev "$foreign"
destroy web
assert_match "$(vgpuctl metrics)" 'operations_total\{operation="release",result="ok"\} 1'
healthy
