# SPDX-License-Identifier: LGPL-2.1-or-later
# A tool of NVIDIA's outlives its vgpuctl. Until it ends, nobody gets a vGPU on its card, and no second tool runs.
# shellcheck shell=bash
# needs: libvirt 9.7
#
# With LONG=1 a tool that ignores SIGTERM is killed in the end, after 105 seconds.

tools=/run/tools

# The stand-in says that it works, and waits until it may go on. "deaf" lets it ignore SIGTERM.
at_end rm -rf /usr/lib/nvidia "$tools"
mkdir -p /usr/lib/nvidia "$tools"
cat >/usr/lib/nvidia/sriov-manage <<-'END'
	#!/bin/sh
	cd /run/tools
	[ ! -e deaf ] || trap '' TERM
	echo $$ >works
	until [ -e go ]; do sleep 0.1; done
	rm works go
	if [ "$1" = -d ]; then count=0; else count=$(cat "/sys/bus/pci/devices/$2/sriov_totalvfs"); fi
	echo "$count" >"/sys/bus/pci/devices/$2/sriov_numvfs"
	END
chmod 755 /usr/lib/nvidia/sriov-manage

# refused_by_tool: nobody gets the card, by a start or by a tool.
refused_by_tool() {
    must_fail start web01
    assert_match "$ERR" "vgpu: web01: .*$card is being proved or set up by vgpuctl just now"
    status=0
    vgpuctl sriov disable "$card" 2>said || status=$?
    cat said
    [ "$status" = 4 ]
    grep "$card is being proved or set up by another vgpuctl: process [0-9]* (" said
    [ "$(pgrep -fc '^/bin/sh /usr/lib/nvidia/sriov-manage')" = 1 ]
    assert_empty_ledger
}

cards vf vfs=2
card=${CARDS[0]}
read -r vf _ <<<"$(vfs_of "$card" | xargs)"
guest web01 --metadata "$(request '<vgpu:device alias="ua-gpu0" type="L40S-12Q"/>')" --pci "$vf,ua-gpu0"

say "while functions are taken away, a guest that starts does not get one"
vgpuctl sriov disable "$card" &
disable=$!
wait_for test -s "$tools/works"
refused_by_tool
[[ $(vgpuctl doctor -rn -o WORD) != *tool-left* ]]

say "vgpuctl is killed: the tool keeps the card, and doctor names it"
kill -KILL $disable
wait $disable || true
refused_by_tool
vgpuctl doctor >said || true
cat said
tr -s ' \n' ' ' <said | grep "process $(cat "$tools/works") (sriov-manage) was left behind by a vgpuctl that has ended"
[ "$(vfs_of "$card" | wc -l)" = 2 ]

say "it ignores SIGTERM, too"
touch "$tools/go"
wait_for test ! -e "/sys/bus/pci/devices/$card/virtfn0"
wait_for test ! -e "$tools/works"
touch "$tools/deaf"
echo 2 >"/sys/bus/pci/devices/$card/sriov_numvfs"
look_anew
vgpuctl sriov disable "$card" &
disable=$!
wait_for test -s "$tools/works"
kill -TERM $disable
wait $disable || true
kill -TERM "$(cat "$tools/works")"
refused_by_tool
kill -KILL "$(cat "$tools/works")"
rm "$tools/works"

if is_long; then
    say "a tool that does not end is killed, and the card is free"
    must_fail vgpuctl sriov disable "$card"
    assert_match "$ERR" 'sriov-manage -d .* did not end within 100 seconds'
fi

say "nobody is left: the guest starts, and has its function"
[ "$(vfs_of "$card" | wc -l)" = 2 ]
start web01
must_fail vgpuctl sriov disable "$card"
assert_match "$ERR" "$card is in use: $vf by web01 \(held\)"
destroy web01
assert_no_vgpus
assert_empty_ledger
