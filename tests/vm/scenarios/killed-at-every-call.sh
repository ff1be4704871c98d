# SPDX-License-Identifier: LGPL-2.1-or-later
# The hook is killed at a half of its changes (on cards, a third): the next prepare works.
# With LONG it is killed at every system call, on all shapes of cards.
# shellcheck shell=bash
set +x

hook=(libvirt-vgpu-hook web01)
prepare=(prepare begin -)
release=(release end destroyed)
declare -A reached=()

# run ARGUMENT...: the hook as libvirt runs it.
run() { "${hook[@]}" "$@" <web01.xml; }

# calls ARGUMENT...: prints "process name n change" for each system call after the end of stdin.
# Process 1 is the hook, and process 2 its writer. n counts the calls of that name in that process, as
# strace's injection does. The writer's call is printed only if the writer has made this call more often
# than the hook. Otherwise a kill of the hook stands for both.
#
# "change" is 1 for a call whose effect outlives the process, or is seen by another process. A kill
# strikes before the call. So all kills from one change to the next leave the same state behind. The
# lock of the ledger is no change, because it ends with its process. Questions to drivers change
# nothing, and neither does the child that asks them. How often they yield depends on the machine.
calls() {
    strace -f -o trace "${hook[@]}" "$@" <web01.xml
    awk '{ if (!($1 in number)) number[$1] = ++processes; process = number[$1] }
        $2 ~ /^(---|\+\+\+|<\.\.\.|exit_group)/ { next }
        {
            name = $2
            sub(/\(.*/, "", name)
            n = ++count[process, name]
            change = name ~ /^(p?write|rename|unlink|symlink|mkdir|send|recv|fork|vfork|clone)/ ||
                /O_CREAT.*ledger|ledger.*O_CREAT|"\/?dev\/vfio|F_OFD_SETLK/
            split($2, part, /[(,]/)
            if (/sendto\([0-9]+, "sys\//) asks[process, part[2]] = 1
            if (/recvfrom\([0-9]+, "sys\//) reader[process] = 1
            idle = reader[process] || ((process, part[2]) in asks) || /MSG_DONTWAIT|sched_yield|EBADF/
            if (ended && !idle && (process == 1 || n > count[1, name])) print process, name, n, 0 + change
        }
        /read\(0, "".* = 0$/ { ended = 1 }' trace
}

# points FILE: chooses the calls of FILE at which the hook is killed, and prints their number.
share=1
points() {
    awk -v all="$(is_long && echo 1)" -v share=$share 'all || ($4 && ++n % share == 0)' "$1" >"$1.meant"
    echo "$(wc -l <"$1.meant") points of $(wc -l <"$1") $1"
}

# state: the state after a kill, in three words.
state() {
    local lease there=absent
    lease=$(ledger | awk '{ print $10 }')
    [ -n "$(vgpus)" ] && there=present
    echo "lease ${lease:-none}, device $there"
}

# kill_at PROCESS NAME N ARGUMENT...
kill_at() {
    local process=$1 name=$2 n=$3 left follow=()
    shift 3
    [ "$process" = 1 ] || follow=(-f)
    {
        strace "${follow[@]}" -qq -o /dev/null -e "trace=$name" \
            -e "inject=$name:signal=SIGKILL:when=$n" "${hook[@]}" "$@" <web01.xml || true
    } 2>/dev/null
    left=$(state)
    reached["$1 killed: $left"]=$((${reached["$1 killed: $left"]-0} + 1))
    points=$((points + 1))
}

# has_it WHERE: the same guest starts, and only its vGPU exists.
has_it() {
    run "${prepare[@]}" || fail "prepare after a kill at $*"
    [ "$(vgpus)" = "$device" ] || fail "not just the device after a kill at $*: $(vgpus)"
    [ "$(type_of "$device")" = "$wanted" ] || fail "another type after a kill at $*"
    assert_match "$(ledger)" ' held made '
    [ "$(ledger | wc -l)" = 1 ] || fail "not just one lease after a kill at $*"
}

has_nothing() { [ -z "$(vgpus)$(ledger)" ] || fail "left after a kill at $*"; }

# kill_everywhere DEVICE TYPE-ID OPTION...: kills the hook of a guest that asks for this vGPU.
kill_everywhere() {
    local process name n left
    device=$1 wanted=$2 points=0
    reached=()
    shift 2
    guest_xml web01 "$@" >web01.xml
    calls "${prepare[@]}" >prepare.calls
    calls "${release[@]}" >release.calls
    points prepare.calls
    points release.calls
    while read -r process name n _; do
        kill_at "$process" "$name" "$n" "${prepare[@]}"
        has_it "$process $name $n in prepare"
        run "${release[@]}"
        has_nothing "$process $name $n in prepare"
    done <prepare.calls.meant
    run "${prepare[@]}"
    while read -r process name n _; do
        kill_at "$process" "$name" "$n" "${release[@]}"
        has_it "$process $name $n in release"
    done <release.calls.meant
    run "${release[@]}"
    has_nothing "any call in release"
    echo "$SHAPE: $points points in $SECONDS s; what they reached:"
    for left in "${!reached[@]}"; do echo "${reached[$left]} x $left"; done | sort -rn
    [ "$points" -gt $((20 / share)) ]
    [ "${#reached[@]}" -ge $((6 / share)) ]
}

SHAPE=mtty
is_long || share=2
uuid=$(new_uuid)
kill_everywhere "$uuid" mtty-2 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$uuid"
is_long || share=3
for shape in $(shapes); do
        # The fewer functions there are, the fewer calls the hook makes.
    use_shape "$shape" vfs=2
    source=$(new_source 0 0)
    asking web01 "$source" "$TYPE"
    kill_everywhere "$source" "$(type_id "$TYPE")" "${ARGUMENTS[@]:1}"
done
if is_long; then
    SHAPE=xe
    no_cards
    cards xe vfs=2
    vgpu_conf <<<'profiles = { small = { vram = "4G"; exec_quantum = "20ms"; preempt_timeout = "500ms"; }; };'
    source=$(vfs_of "${CARDS[0]}" | tail -n 1)
    kill_everywhere "$source" small --pci "$source,ua-gpu0" \
        --metadata "$(request '<vgpu:device alias="ua-gpu0" type="small"/>')"
    [ ! -L "/run/libvirt-vgpu/functions/$source.type" ]
    [ ! -L "/run/libvirt-vgpu/functions/$source.former" ]
    no_vgpu_conf
fi
device=$uuid
set -x

# Now libvirt calls the hook. At prepare, strace stands between libvirt and the hook.
guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
at_calls=(sendto:1)
if is_long; then at_calls+=(renameat:1 socketpair:1); fi
for at in "${at_calls[@]}"; do
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
