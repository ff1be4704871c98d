# SPDX-License-Identifier: LGPL-2.1-or-later
# A broken or disabled configuration: vGPU guests are refused with file and line; running guests can end.
# shellcheck shell=bash
# takes: 15

device=$(new_uuid)
guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
guest plain
break_conf() {
    vgpu_conf <<-END
		# two faults
		enabled = 1;
		gpus = ( { address = "nonsense:1"; } );
	END
}

start web01
break_conf
destroy web01
assert_no_mdevs
assert_empty_ledger

must_fail start web01
assert_match "$ERR" 'vgpu: web01: /etc/libvirt-vgpu/vgpu.conf:2: enabled must be true or false, not 1; '
assert_match "$ERR" '/etc/libvirt-vgpu/vgpu.conf:3: address must be a PCI address'
start plain
# The rest is told all the same.
for question in gpus types list status guests orphans 'drain mtty' metrics; do
    # shellcheck disable=SC2086 # words
    vgpuctl $question >said 2>faults
    [ "$(grep -c "^vgpuctl: ${question% *}: /etc/libvirt-vgpu/vgpu.conf:2: " faults)" = 1 ]
done
vgpuctl undrain mtty
vgpuctl gpus --json 2>/dev/null | grep -q '"word": "bad-configuration"'
destroy plain

no_vgpu_conf
start web01
vgpu_conf <<<'enabled = false;'
destroy web01
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
