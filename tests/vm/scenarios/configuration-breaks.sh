# SPDX-License-Identifier: LGPL-2.1-or-later
# A broken or disabled configuration: guests with a vGPU are refused with file and line; others start; all can end.
# shellcheck shell=bash

break_conf() {
    vgpu_conf <<-END
		# two faults
		enabled = 1;
		gpus = ( { address = "nonsense:1"; } );
	END
}

# The hook does no work for a guest without a vGPU: it reads no configuration and nothing in /sys, takes no lock, and
# reads no ledger.
part plain-guest
guest plain
break_conf
[ ! -e /run/libvirt-vgpu ]
start plain
kill -0 "$(qemu_pid plain)"
virsh -q dumpxml plain >plain.xml
strace -f -o trace libvirt-vgpu-hook plain prepare begin - <plain.xml
if grep -E '"(/?sys|/?etc/libvirt-vgpu|/?run/libvirt-vgpu|vgpu.conf|lock)' trace; then
    fail "a guest without a vGPU was looked at too closely"
fi
if grep -E 'fork|clone|flock' trace; then fail "a guest without a vGPU cost a process or a lock"; fi
destroy plain
[ ! -e /run/libvirt-vgpu ]
no_vgpu_conf

part "a guest whose reconnect goes wrong goes on"
# libvirt kills a running guest whose hook fails at reconnect.
device=$(new_uuid)
guest keeper --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
start keeper
pid=$(qemu_pid keeper)
stop_libvirtd
mv /run/libvirt-vgpu state
touch /run/libvirt-vgpu
complaints() { grep -c 'keeper.*/run/libvirt-vgpu' /var/log/syslog || true; }
before=$(complaints)
start_libvirtd
went_wrong() { [ "$(complaints)" -gt "$before" ]; }
wait_for went_wrong
[ "$(qemu_pid keeper)" = "$pid" ]
is_running keeper
rm /run/libvirt-vgpu
mv state /run/libvirt-vgpu
destroy keeper
assert_no_mdevs
assert_empty_ledger

part "a guest that runs can end"
device=$(new_uuid)
wish=(--metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device")
guest web01 "${wish[@]}"
start web01
break_conf
destroy web01
assert_no_mdevs
assert_empty_ledger

must_fail start web01
assert_match "$ERR" 'vgpu: web01: /etc/libvirt-vgpu/vgpu.conf:2: enabled must be true or false, not 1; '
assert_match "$ERR" '/etc/libvirt-vgpu/vgpu.conf:3: address must be a PCI address'
# The rest is told all the same.
for question in gpus types list status guests orphans 'drain mtty' metrics; do
    # shellcheck disable=SC2086 # words
    vgpuctl $question >said 2>faults
    [ "$(grep -c "^vgpuctl: ${question% *}: /etc/libvirt-vgpu/vgpu.conf:2: " faults)" = 1 ]
done
vgpuctl undrain mtty
vgpuctl gpus --json 2>/dev/null | grep -q '"word": "bad-configuration"'

no_vgpu_conf
claim web01 "${wish[@]}"
vgpu_conf <<<'enabled = false;'
give_back web01
assert_no_mdevs
assert_empty_ledger

# When the hook is switched off, it makes nothing: libvirt finds no such device.
must_fail start web01
assert_match "$ERR" 'not found'
[[ $ERR != *vgpu:* ]]

vgpu_conf <<<'enabled = true;'
chmod 666 /etc/libvirt-vgpu/vgpu.conf
must_fail start web01
assert_match "$ERR" 'vgpu.conf: others than root may write it'
assert_no_mdevs
assert_empty_ledger
