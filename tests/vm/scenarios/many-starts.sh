# SPDX-License-Identifier: LGPL-2.1-or-later
# Eight guests with a vGPU start at once, and libvirt has five workers: what other guests wait for.
# shellcheck shell=bash
# takes: 120
#
# The verdict is about what ends before what, so a busy machine does not change it.

conf=/etc/libvirt/$DAEMON.conf
at_end restart_libvirtd
at_end sed -i '/^max_workers/d' "$conf"

# workers NUMBER: libvirt's daemon has this many.
workers() {
    sed -i '/^max_workers/d' "$conf"
    echo "max_workers = $1" >>"$conf"
    restart_libvirtd
}

# Each guest notes when libvirt calls the hooks for it. While /run/starts-wait is there, a start of a guest with a
# vGPU goes no further. It stands for a card that takes long, and ends when this scenario says so.
at_end rm -rf /run/starts-wait /run/starts
mkdir /run/starts
cat >/etc/libvirt/hooks/qemu.d/60-wait <<-'END'
	#!/bin/sh
	[ "$2" = prepare ] || exit 0
	touch "/run/starts/$1"
	case $1 in gpu*) while [ -e /run/starts-wait ]; do sleep 0.1; done ;; esac
END
chmod +x /etc/libvirt/hooks/qemu.d/60-wait

have_begun() { [ "$(find /run/starts -name "$1*" | wc -l)" -ge "$2" ]; }
ends() { ! kill -0 "$1"; }
# waiting NUMBER: this many calls wait for a worker.
waiting() { virt-admin -q server-threadpool-info "$DAEMON" | grep -x "jobQueueDepth *: $1"; }

# starts WORD: all guests of this name start.
starts() {
    local i
    pids=()
    rm -f /run/starts/*
    for i in {0..7}; do
        start "$1$i" &
        pids+=($!)
    done
}

# ended PROCESS...: all have succeeded.
ended() {
    local pid
    for pid; do wait "$pid"; done
}

destroy_all() {
    local i
    for i in {0..7}; do destroy "$1$i"; done
}

cards mdev
for i in {0..7}; do
    guest "gpu$i" --hostdev "$(new_uuid),ua-gpu0" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="T4-2Q"/>')"
done
for name in plain running other; do guest "$name"; done

say "five starts that wait hold all workers: some calls go on, others wait"
workers 5
start running
start other
touch /run/starts-wait
starts gpu
wait_for have_begun gpu 5
# The calls that libvirt's workers of priority do: they take nothing from a guest that starts.
destroy running
is_running other
# These wait for a worker.
start plain &
start=$!
virsh -q shutdown other &
shutdown=$!
# This waits for each guest that starts, one after the other. So this is so with any number of workers.
virsh -q list >listed &
list=$!
# Three more guests with a vGPU, and two of these.
wait_for waiting 5
is_off running
for pid in "$start" "$shutdown" "$list"; do
    if ends "$pid"; then fail "it did not wait"; fi
done
have_begun gpu 5
if have_begun gpu 6; then fail "there are more than five workers"; fi
rm /run/starts-wait
ended "$start" "$shutdown" "$list" "${pids[@]}"
is_running plain
destroy_all gpu
destroy plain
destroy other

assert_no_mdevs
assert_empty_ledger
