# SPDX-License-Identifier: LGPL-2.1-or-later
# A user without rights has odd files open. No guest is refused for them, and nobody waits for them.
# shellcheck shell=bash
# needs: libvirt 9.7
# needs: qemu 8.1

# at_once COMMAND...: COMMAND does not wait for a file system of FUSE, whose server is stopped.
at_once() { timeout "$PATIENCE" "$@"; }

# refuses WORDS COMMAND...: COMMAND is refused, and says so in these words.
refuses() {
    must_fail at_once "${@:2}"
    assert_match "$ERR" "$1"
}

cards xe vfs=3
card=${CARDS[0]}
modprobe -a vgpu-cards-xe-vfio fuse
mapfile -t vfs < <(vfs_of "$card")
nodes=()
for vf in "${vfs[@]}"; do
    bind_driver "$vf" vgpu-cards-xe-vfio
    nodes+=("/dev/vfio/$(group_of "$vf")")
done
vgpu_conf <<-END
	gpus = ( { address = "$card"; vram = "14096M"; setup = { functions = 2; }; } );
	profiles = { small = { vram = "3000M"; }; };
END
guest one --metadata "$(request '<vgpu:device alias="ua-gpu0" type="small"/>')" \
    --pci "${vfs[0]},ua-gpu0" --migratable

at_end sh -c 'rm -rf --one-file-system /tmp/odd-files-*'
/vgpu/build/odd-files "$PWD/ready" "${nodes[@]}" &
odd=$!
wait_for test -e ready

say "a guest starts and ends, and its function is free again"
[ "$(at_once vgpuctl types "$card" -rn -o TYPE,AVAILABLE)" = 'small 3' ]
at_once virsh -q start one
is_running one
[ "$(at_once vgpuctl types "$card" -rn -o TYPE,AVAILABLE)" = 'small 2' ]
refuses "$card is in use: ${vfs[0]} by one \(held\); shut" vgpuctl sriov disable "$card"
at_once virsh -q destroy one
[ "$(vram_of "${vfs[0]}")" = 0 ]
assert_empty_ledger

say "who holds a function is told, and nobody else"
# This process is root's. It has the node open for reading, which is enough.
exec 9<"${nodes[1]}"
[ "$(at_once vgpuctl types "$card" -rn -o TYPE,AVAILABLE)" = 'small 2' ]
refuses "$card is in use: ${vfs[1]} by process $$ \(play.sh\); shut" vgpuctl sriov disable "$card"
refuses "$card is in use: ${vfs[1]} by process $$ \(play.sh\); shut" vgpuctl setup
exec 9<&-

say "a guest takes the whole card"
claim whole --pci "$card"
[ "$(find /run/libvirt-vgpu/whole -type l -name "$card.*" | wc -l)" = 1 ]
give_back whole

say "cards are set up, and functions go"
at_once vgpuctl reconcile
at_once vgpuctl setup
[ "$(vfs_of "$card" | wc -l)" = 2 ]
at_once vgpuctl sriov disable "$card"
[ -z "$(vfs_of "$card")" ]
at_once vgpuctl metrics --output metrics
kill -0 $odd
kill $odd
