# SPDX-License-Identifier: LGPL-2.1-or-later
# NVIDIA's own table tells what the driver of a card with virtual functions does not.
# shellcheck shell=bash
# needs: libvirt 9.7
# takes: 15

table=/usr/share/nvidia/vgpu/vgpuConfig.xml
extract=/run/libvirt-vgpu/vgpuConfig.xml

# write_table MAX: of two types of the L40S, for any board, and a card that is not here.
write_table() {
    cat >$table <<-END
		<!DOCTYPE vgpu SYSTEM "http://www.nvidia.com/dtd/vgpuConfig.dtd">
		<vgpuconfig>
		<vgpuType id="1153" name="NVIDIA L40S-12Q" class="Quadro">
		  <display width="7680" height="4320"/><numHeads>4</numHeads><profileSize>0x300000000</profileSize>
		</vgpuType>
		<vgpuType id="1156" name="NVIDIA L40S-48Q" class="Quadro"><profileSize>0xc00000000</profileSize></vgpuType>
		<vgpuType id="11" name="GRID M60-0B" class="NVS"><profileSize>0x20000000</profileSize></vgpuType>
		<pgpu><devId vendorId="0x10de" deviceId="0x26B9" subsystemVendorId="0x10de" subsystemId="0x0"/>
		  <supportedVgpu vgpuId="1153"><maxVgpus>$1</maxVgpus></supportedVgpu>
		  <supportedVgpu vgpuId="1156"><maxVgpus>1</maxVgpus></supportedVgpu>
		</pgpu>
		<pgpu><devId vendorId="0x10de" deviceId="0x13F2" subsystemId="0x0"/>
		  <supportedVgpu vgpuId="11"><maxVgpus>16</maxVgpus></supportedVgpu>
		</pgpu>
		</vgpuconfig>
	END
}

# opens_table: does the hook open the table when the guest g0 starts?
opens_table() {
    strace -f -e trace=open,openat,openat2 -o trace libvirt-vgpu-hook g0 prepare begin - <g0.xml
    give_back g0
    grep -q "usr/share/nvidia/vgpu/vgpuConfig.xml" trace
}

# maximum TYPE: the figure, and whose figure it is.
maximum() { vgpuctl types "${CARDS[0]}" --raw --noheadings --columns=NAME,MAX,MAX-FROM | sed -n "s/^NVIDIA.x20$1 //p"; }

cards vf vfs=6
read -ra vfs <<<"$(vfs_of "${CARDS[0]}" | xargs)"
[ "$(maximum L40S-12Q)" = '- -' ]
at_end rm -rf /usr/share/nvidia
mkdir -p ${table%/*}
write_table 4
[ "$(maximum L40S-12Q)" = '4 table' ]

say "a maximum without max_instances, and types of a full card"
request=$(request '<vgpu:device alias="ua-gpu0" type="L40S-12Q"/>')
for n in 0 1 2 3; do claim g$n --metadata "$request" --pci "${vfs[$n]},ua-gpu0"; done
must_fail claim g4 --metadata "$request" --pci "${vfs[4]},ua-gpu0"
assert_match "$ERR" "${CARDS[0]} is full \(4 of 4\)"
[ "$(maximum L40S-48Q)" = '1 table' ]
for n in 0 1 2 3; do give_back g$n; done

say "what is remembered, and when the table is read again"
grep -q L40S-12Q $extract
must_fail grep -q M60 $extract
must_fail opens_table
write_table 5
opens_table
must_fail opens_table
[ "$(maximum L40S-12Q)" = '5 table' ]

say "the administrator's figure counts, and 'check' tells where the table differs"
vgpu_conf <<<'max_instances = ( { types = [ "L40S-12Q" ]; max = 3; } );'
[ "$(maximum L40S-12Q)" = '3 vgpu.conf' ]
vgpuctl check 2>said
grep -q "3 of NVIDIA L40S-12Q, and NVIDIA's table (/usr/share/nvidia/vgpu/vgpuConfig.xml) 5" said
no_vgpu_conf

say "a broken table is told, and refuses nobody"
echo rubbish >$table
guest web --metadata "$request" --pci "${vfs[0]},ua-gpu0"
start web
vgpuctl doctor >said || true
grep -qx 'warning: types-table' said
destroy web
assert_empty_ledger
