# SPDX-License-Identifier: LGPL-2.1-or-later
# An administrator's script runs our hook and ends: the hook does not take it for libvirt's daemon. The start is slow.
# shellcheck shell=bash

hooks=/etc/libvirt/hooks
rm "$hooks/qemu.d/50-vgpu"
cat >"$hooks/qemu" <<-'END'
	#!/bin/sh
	# The dispatcher runs one call at a time, and has its own log, not libvirt's.
	exec 9>>/run/dispatcher.lock
	flock 9
	/usr/sbin/libvirt-vgpu-hook "$@" 2>>/var/log/libvirt/dispatcher
END
# The next script delays the start of the guest.
cat >"$hooks/qemu.d/90-slow" <<-'END'
	#!/bin/sh
	[ "$2" = prepare ] || exit 0
	touch /run/slow
	until [ -e /run/go ]; do sleep 0.1; done
END
chmod 755 "$hooks/qemu" "$hooks/qemu.d/90-slow"
at_end rm -f /run/slow /run/go /run/dispatcher.lock /var/log/libvirt/dispatcher

vgpuctl doctor >said || true
grep 'hooks/qemu runs our hook' said
if grep hook-missing said; then fail "the hook is there"; fi

# Each guest needs a quarter of mbochs' memory, and one quarter is left.
for i in 1 2 3; do make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"; done
device=$(new_uuid)
large=(--metadata "$(request '<vgpu:device type="mbochs-large"/>')" --hostdev)
guest web01 "${large[@]}" "$device"
# Our hook waits here, and may be left behind one day. Then it must not hold the script's lock.
mkdir -p /run/libvirt-vgpu
exec 8<>/run/libvirt-vgpu/lock
flock 8
start web01 8>&- &
starting=$!
wait_for pgrep -f '^/usr/sbin/libvirt-vgpu-hook web01 prepare'
hook=$(pgrep -f '^/usr/sbin/libvirt-vgpu-hook web01 prepare' | head -n 1)
lets_go() { ! readlink "/proc/$hook/fd/"* | grep -q dispatcher.lock; }
wait_for lets_go
kill -0 "$hook"
exec 8>&-
wait_for test -e /run/slow
[ "$(mdev_type "$device")" = mbochs-large ]
ledger | grep " held made $(libvirtd_pid):"
vgpuctl reconcile | grep "^$device web01 left alone: libvirt's daemon runs, and will give it back\$"
mdev_exists "$device"

# Meanwhile nobody removes the vGPU, or opens it: QEMU could not open it then.
say "part: slow-start"
group=$(group_of "$device")
[ -z "$(group_held_by "$device")" ]
guest_xml quick "${large[@]}" "$(new_uuid)" >quick.xml
must_fail strace -f -o trace libvirt-vgpu-hook quick prepare begin - <quick.xml
assert_match "$ERR" 'mbochs is full'
grep -q 'available_instances' trace
if grep "dev/vfio/$group\"" trace; then fail "the group of a starting guest was opened"; fi
[ "$(mdev_type "$device")" = mbochs-large ]
touch /run/go
wait "$starting"
is_running web01
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]
destroy web01
assert_gone "$device"
for i in $(mdevs); do remove_mdev "$i"; done
assert_empty_ledger
undo
