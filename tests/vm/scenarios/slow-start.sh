# SPDX-License-Identifier: LGPL-2.1-or-later
# Another hook sleeps between our prepare and QEMU: nobody removes or opens the vGPU meanwhile.
# shellcheck shell=bash

slow=$(new_uuid) quick=$(new_uuid)
cat >/etc/libvirt/hooks/qemu.d/60-slow <<-'END'
	#!/bin/sh
	[ "$1 $2" = "slow start" ] || exit 0
	touch /run/slow-waits
	while [ -e /run/slow-waits ]; do sleep 0.1; done
END
chmod +x /etc/libvirt/hooks/qemu.d/60-slow
at_end rm -f /run/slow-waits
# Each guest needs all of mbochs' memory, so the second guest needs the place of the first.
guest slow --metadata "$(request '<vgpu:device type="mbochs-large"/>')" --hostdev "$slow"
guest quick --metadata "$(request '<vgpu:device type="mbochs-large"/>')" --hostdev "$quick"
for i in 1 2 3; do
    make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"
done

virsh -q start slow &
pid=$!
wait_for test -e /run/slow-waits
group=$(group_of "$slow")
must_fail start quick
assert_match "$ERR" 'mbochs is full'
[ "$(mdev_type "$slow")" = mbochs-large ]
[ -z "$(group_held_by "$slow")" ]

# The hook that refuses must not open that group itself.
virsh -q dumpxml quick >quick.xml
must_fail strace -f -o trace libvirt-vgpu-hook quick prepare begin - <quick.xml
grep -q 'available_instances' trace
if grep "dev/vfio/$group\"" trace; then fail "the group of a starting guest was opened"; fi

undo
wait "$pid"
[ "$(group_held_by "$slow")" = "$(qemu_pid slow)" ]
destroy slow
for device in $(mdevs); do remove_mdev "$device"; done
assert_empty_ledger
