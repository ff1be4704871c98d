# SPDX-License-Identifier: LGPL-2.1-or-later
# A stray process holds the vGPU when its guest ends: the vGPU stays, and only that guest has to wait.
# shellcheck shell=bash

device=$(new_uuid)
uuid=$(new_uuid)
wish=(--uuid "$uuid" --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device")
guest web01 "${wish[@]}"

# This program copies a descriptor of another process (pidfd_open, pidfd_getfd), and keeps it open.
cat >stray <<-'END'
	#!/usr/bin/perl
	my ($pid, $fd) = map { 0 + $_ } @ARGV;
	my $copy = syscall(438, syscall(434, $pid, 0), $fd, 0);
	die "stray: $!" if $copy < 0;
	open(my $told, '>', "taken");
	sleep;
END
chmod +x stray

# fd_of PID LINK: the number of the process's descriptor that leads to LINK.
fd_of() { find "/proc/$1/fd" -lname "$2" | head -n 1 | sed 's,.*/,,'; }

# hold LINK: a stray process keeps open the file LINK that web01's QEMU has open.
hold() {
    local qemu fd
    qemu=$(qemu_pid web01)
    fd=$(fd_of "$qemu" "$1")
    rm -f taken
    ./stray "$qemu" "$fd" &
    stray=$!
    wait_for test -e taken
}

# made: the time when the device was made. It distinguishes the device from a later one of the same
# name.
made() { stat -c %Z "/sys/bus/mdev/devices/$device/"; }

# waits WHO: checks what must hold while the stray process lives. The refusal matches WHO.
waits() {
    # The guest's release ends, although the stray process lives.
    destroy web01
    [ "$(made)" = "$birth" ]
    kill -0 "$stray"
    assert_match "$(ledger)" " web01 .* leaving made "

    must_fail start web01
    assert_match "$ERR" "vgpu: web01: .*the vGPU $device on mtty is $1"
    [ "$(made)" = "$birth" ]
    kill -0 "$stray"
    claim web02 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$(new_uuid)"
    give_back web02
}

# again: the guest gets the same vGPU.
again() {
    claim web01 "${wish[@]}"
    [ "$(made)" = "$birth" ]
    assert_match "$(ledger)" " web01 .* held made "
    give_back web01
}

vgpu_conf <<<'release_timeout = "2s";'
start web01
birth=$(made)
say "the group"
hold "/dev/vfio/$(group_of "$device")"
waits "in use by process $stray \(stray\)"
kill "$stray"
wait "$stray" || true
again

# If a process has only the device open, /proc does not say which device. So the message cannot name
# the process.
if is_long; then
    say "the device itself"
    start web01
    birth=$(made)
    hold 'anon_inode:\[vfio-device\]'
    waits 'still in use'
    kill "$stray"
    wait "$stray" || true
    again
fi
assert_no_mdevs
assert_empty_ledger
