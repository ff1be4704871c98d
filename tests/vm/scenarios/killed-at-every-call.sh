# SPDX-License-Identifier: LGPL-2.1-or-later
# The hook is killed at every system call: the next prepare works, and in the end nothing is left.
# shellcheck shell=bash
# timeout: 900
set +x

device=$(new_uuid)
guest_xml web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device" >web01.xml
hook=(libvirt-vgpu-hook web01)
prepare=(prepare begin -)
release=(release end destroyed)
declare -A reached=()
points=0

# run ARGUMENT...: the hook as libvirt runs it.
run() { "${hook[@]}" "$@" <web01.xml; }

# calls ARGUMENT...: "process name n" for each system call after the end of stdin, of the hook
# (process 1) and its writer (2); n counts those of that name in that process, as strace's
# injection does. What the writer does no oftener than the hook, the hook's kill stands for.
calls() {
    strace -f -o trace "${hook[@]}" "$@" <web01.xml
    awk '{ if (!($1 in number)) number[$1] = ++processes; process = number[$1] }
        $2 ~ /^(---|\+\+\+|<\.\.\.|exit_group)/ { next }
        {
            name = $2
            sub(/\(.*/, "", name)
            n = ++count[process, name]
            if (ended && (process == 1 || n > count[1, name])) print process, name, n
        }
        /read\(0, "".* = 0$/ { ended = 1 }' trace
}

# state: what a kill has left, in three words.
state() {
    local lease there=absent
    lease=$(ledger | awk '{ print $10 }')
    mdev_exists "$device" && there=present
    echo "lease ${lease:-none}, device $there"
}

# kill_at PROCESS NAME N ARGUMENT...
kill_at() {
    local process=$1 name=$2 n=$3 left follow=()
    shift 3
    [ "$process" = 1 ] || follow=(-f)
    strace "${follow[@]}" -qq -o /dev/null -e "trace=$name" \
        -e "inject=$name:signal=SIGKILL:when=$n" "${hook[@]}" "$@" <web01.xml 2>/dev/null || true
    left=$(state)
    reached["$1 killed: $left"]=$((${reached["$1 killed: $left"]-0} + 1))
    points=$((points + 1))
}

# works_again WHERE: the same guest starts and ends, and that leaves nothing.
works_again() {
    run "${prepare[@]}" || fail "prepare after a kill at $*"
    [ "$(mdev_type "$device")" = mtty-2 ] || fail "no device after a kill at $*"
    assert_match "$(ledger)" ' held made '
    run "${release[@]}"
    [ -z "$(mdevs)$(ledger)" ] || fail "left after a kill at $*"
}

calls "${prepare[@]}" >prepare.calls
calls "${release[@]}" >release.calls
while read -r process name n; do
    kill_at "$process" "$name" "$n" "${prepare[@]}"
    works_again "$process $name $n in prepare"
done <prepare.calls
while read -r process name n; do
    run "${prepare[@]}"
    kill_at "$process" "$name" "$n" "${release[@]}"
    works_again "$process $name $n in release"
done <release.calls
echo "$points points; what they reached:"
for left in "${!reached[@]}"; do echo "${reached[$left]} x $left"; done | sort -rn
[ "$points" -gt 60 ]
[ "${#reached[@]}" -ge 6 ]
set -x

# Through libvirt: strace stands between it and the hook, at prepare.
guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
for at in renameat:1 sendto:1 socketpair:1; do
    rm /etc/libvirt/hooks/qemu.d/50-vgpu
    cat >/etc/libvirt/hooks/qemu.d/50-vgpu <<-END
		#!/bin/sh
		[ "\$2" = prepare ] || exec /usr/sbin/libvirt-vgpu-hook "\$@"
		exec strace -qq -o /dev/null -e inject=${at%:*}:signal=SIGKILL:when=${at#*:} \\
		    /usr/sbin/libvirt-vgpu-hook "\$@"
	END
    chmod +x /etc/libvirt/hooks/qemu.d/50-vgpu
    must_fail start web01
    assert_match "$ERR" 'fatal signal 9|status 137'
    ln -sf /usr/sbin/libvirt-vgpu-hook /etc/libvirt/hooks/qemu.d/50-vgpu
    start web01
    [ "$(mdev_type "$device")" = mtty-2 ]
    destroy web01
    assert_no_mdevs
    assert_empty_ledger
done
