# SPDX-License-Identifier: LGPL-2.1-or-later
# vGPUs that no domain refers to are shown and reaped; a vGPU of a running or defined guest never is.
# shellcheck shell=bash

# exits STATUS COMMAND...: COMMAND ends with STATUS. Its output is in the file "said".
exits() {
    local wanted=$1 status=0
    shift
    "$@" >said 2>&1 || status=$?
    [ "$status" = "$wanted" ] || fail "exit status $status: $*: $(cat said)"
}

# shown: the orphans and their origins, on one line.
shown() { vgpuctl orphans -rn -o DEVICE,ORIGIN | sort | xargs; }

name() { echo "dddddddd-0000-4000-8000-00000000000$1"; }
running=$(name 1) defined=$(name 2) left=$(name 3) by_hand=$(name 4) by_mdevctl=$(name 5) used=$(name 6)
asks=$(request '<vgpu:device type="mtty-2"/>')

vgpu_conf <<<'release = "keep";'
guest left --metadata "$asks" --hostdev "$left"
start left
destroy left
uuid=$(new_uuid)
guest defined --uuid "$uuid" --metadata "$asks" --hostdev "$defined"
claim defined --uuid "$uuid" --metadata "$asks" --hostdev "$defined"
give_back defined
vgpu_conf <<<'release = "reap";'
guest running --metadata "$asks" --hostdev "$running"
start running
make_mdev mtty mtty-2 "$by_hand"
mdevctl define --uuid "$by_mdevctl" --parent mtty --type mtty-2
make_mdev mtty mtty-2 "$by_mdevctl"
make_mdev mtty mtty-2 "$used"
guest user --hostdev "$used"

say "a domain that is defined still refers to the vGPU that it left"
[ "$(shown)" = "$by_hand foreign $by_mdevctl mdevctl" ]
exits 0 vgpuctl list
cat said
assert_match "$(cat said)" "$running .* held +running "
assert_match "$(cat said)" "$left .* kept +left "
assert_match "$(cat said)" "$used .* foreign +user "
assert_match "$(cat said)" "$by_hand .* orphan +- "

say "an undefined domain does not"
virsh -q undefine left
[ "$(shown)" = "$left ours $by_hand foreign $by_mdevctl mdevctl" ]
before=$(ledger) there=$(mdevs)
exits 0 vgpuctl reap --dry-run
cat said
assert_match "$(cat said)" "^$left would be removed"
[ "$(ledger)" = "$before" ]
[ "$(mdevs)" = "$there" ]
exits 0 vgpuctl reap
cat said
assert_match "$(cat said)" "^$left removed
$by_hand left alone: it is not ours; name it to have it removed
$by_mdevctl left alone: mdevctl defines it; name it to have it removed\$"
assert_gone "$left"
[ "$(mdevs | wc -l)" = 5 ]

say "reap leaves a guest's vGPU alone, and a vGPU that a process has open"
exits 4 vgpuctl reap "$running"
assert_match "$(cat said)" \
    "$running left alone: the domain running refers to it; it is in use by process $(qemu_pid running) \(qemu-system"
exits 4 vgpuctl reap "$defined"
assert_match "$(cat said)" "$defined left alone: the domain defined refers to it"
exits 4 vgpuctl reap "$used"
assert_match "$(cat said)" "$used left alone: the domain user refers to it"
sleep infinity 9<>"/dev/vfio/$(group_of "$by_hand")" &
stray=$!
is_held() { [ "$(group_held_by "$by_hand")" = "$stray" ]; }
wait_for is_held
assert_match "$(vgpuctl orphans -n -o DEVICE,HOLDER)" "$by_hand +$stray \(sleep\)"
before=$(ledger)
exits 4 vgpuctl reap "$by_hand"
assert_match "$(cat said)" "$by_hand left alone: .* in use by process $stray \(sleep\)"
[ "$(ledger)" = "$before" ]
kill "$stray"
wait "$stray" || true
is_running running

say "reap removes the vGPUs of others when they are named"
exits 0 vgpuctl reap "$by_hand" "$by_mdevctl"
assert_gone "$by_hand"
assert_gone "$by_mdevctl"
exits 1 vgpuctl reap "$by_hand"
assert_match "$(cat said)" "vgpuctl: reap: there is no vGPU $by_hand here"
[ -z "$(shown)" ]
exits 0 vgpuctl reap
[ "$(cat said)" = "no orphan of ours is here: nothing is to be removed" ]

say "without libvirt no vGPU is an orphan; without root the list still works"
virsh -q undefine defined
# shellcheck disable=SC2016 # expanded by that shell
unshare --mount bash -euc 'mount -t tmpfs none /run/libvirt; "$@"' - \
    vgpuctl list -rn -o DEVICE,STATE >said 2>complaint
assert_match "$(cat said)" "$defined kept"
assert_match "$(cat complaint)" "^vgpuctl: list: cannot connect to qemu:///system: .*; so no vGPU is shown as an orphan"
# shellcheck disable=SC2016
exits 1 unshare --mount bash -euc 'mount -t tmpfs none /run/libvirt; "$@"' - vgpuctl reap "$defined"
assert_match "$(cat said)" "only libvirt knows which domains are defined, so nothing is removed"
setpriv --reuid 65534 --regid 65534 --clear-groups vgpuctl list -rn -o DEVICE,STATE >said
assert_match "$(cat said)" "$running held"
exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups vgpuctl reap "$defined"
cat said
exits 0 vgpuctl reap
[ "$(cat said)" = "$defined removed" ]

if is_long; then
    say "the cost of a list"
    set +x
    # microseconds COMMAND...: the time of one run, the best of three.
    microseconds() {
        local began took best=
        for _ in {1..3}; do
            began=${EPOCHREALTIME/[.,]/}
            "$@" >/dev/null
            took=$((${EPOCHREALTIME/[.,]/} - began))
            if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
        done
        echo "$best"
    }
    echo "vgpuctl list: $(microseconds vgpuctl list) us, without libvirt:" \
        "$(microseconds vgpuctl list --root /) us; mdevctl list: $(microseconds mdevctl list) us"
    set -x
fi

destroy running
virsh -q undefine user
exits 0 vgpuctl reap "$used"
assert_no_mdevs
assert_empty_ledger
