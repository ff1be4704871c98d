# SPDX-License-Identifier: LGPL-2.1-or-later
# The script of vgpu-request(7), word for word: a guest gets a vGPU by jq.
# shellcheck shell=bash
#
# check-script.sh plays it with libvirt's test driver, which starts no QEMU.

awk '/^\.Ss With a script/ { inside = 1 }
    /^\.Ed/ && shown { exit }
    shown { print }
    inside && /^\.Bd/ { shown = 1 }' /usr/share/man/man7/vgpu-request.7 >script
[ "$(head -n 1 script)" = '#!/bin/sh -u' ]
chmod +x script

guest web01
xml=$(virsh -q dumpxml web01)

say "it says why a guest gets none"
must_fail ./script web02 mtty-2
assert_match "$ERR" 'there is no domain "web02"'
must_fail ./script web01 mtty-9
assert_match "$ERR" 'mtty-9'
[ "$(virsh -q dumpxml web01)" = "$xml" ]
assert_no_mdevs

say "it says what room each GPU has, and tells alias, UUID and GPU of the vGPU that the guest has"
./script web01 mtty-2 | tee said
device=$(device_of web01)
gpu=$(basename "$(dirname "$(readlink -e "$(device_dir "$device")")")")
[ "$(tail -n 3 said)" = "ua-gpu0"$'\n'"$device"$'\n'"$gpu" ]
[ "$(mdev_type "$device")" = mtty-2 ]
grep -A 1 -xF "$gpu" said | grep -x '  room: [1-9][0-9]*'
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]
destroy web01
assert_no_mdevs
assert_empty_ledger
