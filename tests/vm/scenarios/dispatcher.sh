# SPDX-License-Identifier: LGPL-2.1-or-later
# An administrator's script runs our hook and ends: the hook does not take it for libvirt's daemon.
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

guest web01 --metadata "$(request '<vgpu:device alias="ua-gpu0" type="mtty-2"/>')" \
    --hostdev "$(new_uuid),ua-gpu0"
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
device=$(mdevs)
ledger | grep " held made $(libvirtd_pid):"
vgpuctl reconcile | grep "^$device web01 left alone: libvirt's daemon runs, and will give it back\$"
mdev_exists "$device"
touch /run/go
wait "$starting"
is_running web01
destroy web01
assert_gone "$device"
assert_empty_ledger
undo
