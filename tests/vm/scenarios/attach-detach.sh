# SPDX-License-Identifier: LGPL-2.1-or-later
# vgpuctl attach and detach: before a start, in a running guest, and when the guest keeps the device.
# shellcheck shell=bash

# annotated GUEST ALIAS [OPTION]...: does the guest's XML ask for this alias?
annotated() { virsh -q dumpxml "$1" "${@:3}" | grep -q "<vgpu:device alias=\"$2\""; }

vgpu_conf <<<'classes = { serial = { types = [ "mtty-2" ]; }; };'
guest web01 --firmware --xml-filter "s,</devices>,$(ports 3)&,"
xml=$(virsh -q dumpxml web01)

say "a plain guest gets a vGPU"
must_fail vgpuctl attach web01 --class seriel
assert_match "$ERR" 'vgpuctl: attach: .*"seriel".*did you mean serial\?'
[ "$(virsh -q dumpxml web01)" = "$xml" ]
vgpuctl explain web01 --class serial --raw --noheadings --columns GPU,TYPE,VERDICT | grep -x 'mtty mtty-2 chosen'
vgpuctl explain --class serial --raw --noheadings --columns GPU,TYPE,VERDICT | grep -x 'mtty mtty-2 chosen'
[ "$(virsh -q dumpxml web01)" = "$xml" ]
vgpuctl attach web01 --class serial
annotated web01 ua-gpu0
first=$(device_of web01)
assert_gone "$first"
start web01
[ "$(mdev_type "$first")" = mtty-2 ]
vgpuctl list --raw --noheadings --columns DEVICE,STATE,DOMAIN | grep -x "$first held web01"

say "it gets a second vGPU while it runs"
second=$(new_uuid)
before=$(virsh -q dumpxml web01; virsh -q dumpxml web01 --inactive; mdevs; ledger)
where=(--parent mtty --placement spread --numa ignore --uuid "$second")
vgpuctl attach web01 --type mtty-1 --live --config "${where[@]}" --dry-run |
    grep -x "web01: would add ua-gpu1 ($second), as it runs and for its next start"
[ "$(virsh -q dumpxml web01; virsh -q dumpxml web01 --inactive; mdevs; ledger)" = "$before" ]
vgpuctl attach web01 --type mtty-1 --live --config "${where[@]}"
[ "$(device_of web01 | grep -v "$first")" = "$second" ]
[ "$(mdev_type "$second")" = mtty-1 ]
[ "$(group_held_by "$second")" = "$(qemu_pid web01)" ]
annotated web01 ua-gpu1
annotated web01 ua-gpu1 --inactive
[ "$(ledger | grep -c " web01 .* held made ")" = 2 ]
vgpuctl reconcile | grep "^$second web01 left alone: its guest runs"

before=$(virsh -q dumpxml web01; virsh -q dumpxml web01 --inactive; mdevs; ledger)
must_fail vgpuctl attach web01 --type mtty-1 --live --alias ua-gpu1
assert_match "$ERR" 'web01 has a device with the alias ua-gpu1 already'

say "the guest does not let go of the device"
status=0
vgpuctl detach web01 ua-gpu1 --live --config --timeout 1 || status=$?
[ "$status" = 4 ]
[ "$(virsh -q dumpxml web01; virsh -q dumpxml web01 --inactive; mdevs; ledger)" = "$before" ]
[ "$(group_held_by "$second")" = "$(qemu_pid web01)" ]

say "the guest lets go of the device"
# It ejects the device again and again, because detach may ask at any time.
lets_go() { eject web01 && ! mdev_exists "$second"; }
(wait_for lets_go) &
vgpuctl detach web01 ua-gpu1 --live --config --timeout "$PATIENCE"
wait
assert_gone "$second"
mdev_exists "$first"
if annotated web01 ua-gpu1 || annotated web01 ua-gpu1 --inactive; then fail "still asked for"; fi
[ "$(ledger | wc -l)" = 1 ]

say "the guest has no place left for one of several devices: libvirt refuses it, and none stays"
before=$(virsh -q dumpxml web01; virsh -q dumpxml web01 --inactive; mdevs; ledger)
(until [ -e all-out ]; do eject web01; done) &
must_fail vgpuctl attach web01 --type mtty-1 --live --config --count 12 --timeout "$PATIENCE"
touch all-out
wait
assert_match "$ERR" 'vgpuctl: attach: web01: ua-gpu[0-9]*: libvirt does not plug it in: .*PCI.*; the [0-9]* added before it were taken out again'
[ "$(virsh -q dumpxml web01; virsh -q dumpxml web01 --inactive; mdevs; ledger)" = "$before" ]

say "devices that the guest does not let go of stay"
must_fail vgpuctl attach web01 --type mtty-1 --live --config --count 12 --timeout 1
assert_match "$ERR" 'libvirt does not plug it in: .*PCI.*; and ua-gpu2, added before it, stays: web01 has not released'
many=$(device_of web01 | wc -l)
[ "$many" -gt 2 ]
[ "$(device_of web01 --inactive | wc -l)" = "$many" ]
[ "$(mdevs | wc -l)" = "$many" ]
[ "$(ledger | grep -c " web01 .* held made ")" = "$many" ]

say "when the guest ends, nothing is left"
destroy web01
assert_no_mdevs
assert_empty_ledger
must_fail vgpuctl detach web01
assert_match "$ERR" 'web01 has several vGPUs: say which one goes, or --all; it has ua-gpu0, ua-gpu1'
for ((i = 2; i < many; i++)); do vgpuctl detach web01 "ua-gpu$i"; done
virsh -q dumpxml web01 | vgpuctl detach - ua-gpu1 --print-xml | vgpuctl detach - --print-xml >without.xml
if grep -E 'hostdev|metadata' without.xml; then fail "something is left in the printed XML"; fi
[ "$(vgpuctl detach web01 --all | grep -c '^web01: removed ua-gpu')" = 2 ]
if virsh -q dumpxml web01 | grep -E 'hostdev|metadata'; then fail "something is left in its XML"; fi

say "a vGPU that is the guest's screen"
guest seen --xml-filter "s,</devices>,<graphics type='vnc' port='-1'/>&,"
vgpuctl attach seen --type mdpy-vga --display --start
[ "$(mdev_type "$(device_of seen)")" = mdpy-vga ]
tr '\0' '\n' <"/proc/$(qemu_pid seen)/cmdline" | grep -F '"display":"on"' | grep -F '"ramfb":true'
destroy seen
assert_no_mdevs

say "a start without room has the word and the exit status that explain has"
for i in 1 2 3 4; do make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"; done
guest full
before=$(virsh -q dumpxml full --inactive)
# ends STATUS WORD COMMAND...: the command ends with this status, and its document has this word.
ends() {
    local status=0
    vgpuctl "${@:3}" --json >said 2>faults || status=$?
    [ "$status" = "$1" ] || fail "vgpuctl ${*:3}: status $status: $(cat faults)"
    grep -q "\"$2\"" said || fail "vgpuctl ${*:3}: $(cat said)"
}
ends 3 no-room attach full --type mbochs-large --start
ends 3 no-room explain full --type mbochs-large
ends 1 never attach full --type mbochs-lorge --start
ends 1 never explain full --type mbochs-lorge
[ "$(virsh -q dumpxml full --inactive)" = "$before" ]
for i in 1 2 3 4; do remove_mdev "dddddddd-0000-4000-8000-00000000000$i"; done
virsh -q undefine full

say "ten calls at once: each vGPU is in the definition"
no_vgpu_conf
guest many
calls=()
for _ in 0 1 2 3 4 5 6 7 8 9; do
    vgpuctl attach many --type mtty-2 --config &
    calls+=($!)
done
for call in "${calls[@]}"; do wait "$call"; done
[ "$(virsh -q dumpxml many --inactive | grep -c '<hostdev ')" = 10 ]
[ "$(virsh -q dumpxml many --inactive | grep -c '<vgpu:device ')" = 10 ]
vgpuctl detach many --all --config
virsh -q undefine many

if at_least "libvirt-daemon:$(dpkg-query -Wf '${Version}' libvirt-daemon)" 9.7; then
    say "four guests at once: each has a function of its own"
    cards vf vfs=4
    calls=()
    for i in 0 1 2 3; do guest "four$i"; done
    for i in 0 1 2 3; do
        vgpuctl attach "four$i" --type L40S-12Q --config &
        calls+=($!)
    done
    for call in "${calls[@]}"; do wait "$call"; done
    [ "$(for i in 0 1 2 3; do pci_of "four$i" --inactive; done | sort -u | wc -l)" = 4 ]
fi
