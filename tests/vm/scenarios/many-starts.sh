# SPDX-License-Identifier: LGPL-2.1-or-later
# More guests with a vGPU start at once than libvirt has workers: what other guests wait for.
# shellcheck shell=bash
#
# The verdict is about what ends before what. LONG=1 has eight guests for five workers, and also prints the times, of
# which there is no verdict: a busy machine changes them.

conf=/etc/libvirt/$DAEMON.conf
at_end restart_libvirtd
at_end sed -i '/^max_workers/d' "$conf"

# workers NUMBER: libvirt's daemon has this many.
workers() {
    sed -i '/^max_workers/d' "$conf"
    echo "max_workers = $1" >>"$conf"
    restart_libvirtd
}

# Each guest notes when libvirt calls the hooks for it. While /run/starts-wait is there, a start of
# a guest with a vGPU goes no further. It stands for a card that takes long. Such a start then fails if
# /run/starts-fail is there, because QEMU's start would show no more.
at_end rm -rf /run/starts-wait /run/starts-fail /run/starts
mkdir /run/starts
cat >/etc/libvirt/hooks/qemu.d/60-wait <<-'END'
	#!/bin/sh
	[ "$2" = prepare ] || exit 0
	touch "/run/starts/$1"
	case $1 in gpu*) ;; *) exit 0 ;; esac
	while [ -e /run/starts-wait ]; do sleep 0.1; done
	[ ! -e /run/starts-fail ]
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
    for ((i = 0; i < guests; i++)); do
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
    for ((i = 0; i < guests; i++)); do destroy "$1$i"; done
}

workers=2 guests=3 type=mtty-2
if is_long; then
    workers=5 guests=8 type=T4-2Q
    cards mdev
fi
for ((i = 0; i < guests; i++)); do
    guest "gpu$i" --hostdev "$(new_uuid),ua-gpu0" \
        --metadata "$(request "<vgpu:device alias='ua-gpu0' type='$type'/>")"
done
for name in plain running; do guest "$name"; done

say "doctor says that there are too few workers, and its command gives the daemon more"
workers $workers
vgpuctl doctor >said || true
assert_match "$(<said)" "domains with vGPUs: $guests; workers of $DAEMON: $workers "
eval "$(grep -o 'virt-admin server-threadpool-set .*' said)"
virt-admin -q server-threadpool-info "$DAEMON" | grep -x "maxWorkers *: $((guests + 20))"

say "starts that wait hold all workers: some calls go on, others wait"
workers $workers
start running
touch /run/starts-wait /run/starts-fail
starts gpu
wait_for have_begun gpu $workers
# These wait for a worker.
start plain &
start=$!
virsh -q shutdown running 2>said &
shutdown=$!
# This waits for each guest that starts, one after the other, with any number of workers.
virsh -q list >listed &
list=$!
wait_for waiting $((guests - workers + 2))
# The calls that libvirt's workers of priority do: they take nothing from a guest that starts.
is_running running
destroy running
is_off running
for pid in "$start" "$shutdown" "$list"; do
    if ends "$pid"; then fail "it did not wait"; fi
done
have_begun gpu $workers
if have_begun gpu $((workers + 1)); then fail "there are more than $workers workers"; fi
rm /run/starts-wait
ended "$start" "$list"
if wait "$shutdown"; then fail "the guest was off when its shutdown got a worker"; fi
assert_match "$(<said)" 'not running'
for pid in "${pids[@]}"; do
    if wait "$pid"; then fail "started, although another hook refused"; fi
done
is_running plain
destroy plain
assert_no_mdevs
assert_empty_ledger
is_long || exit 0
rm /run/starts-fail
fault create_ms 1000
guest other
for ((i = 0; i < guests; i++)); do guest "bare$i"; done

# timed WORD COMMAND...: the microseconds are in the file WORD.
timed() {
    local began=${EPOCHREALTIME/[.,]/}
    "${@:2}" >/dev/null
    echo $((${EPOCHREALTIME/[.,]/} - began)) >"$1"
}

# measure ROW [WORD]: what four calls take, while the guests of this name start.
measure() {
    local calls=()
    mkdir "$1"
    start running
    start other
    pids=()
    if [ $# = 2 ]; then
        starts "$2"
        wait_for have_begun "$2" 5
    fi
    timed "$1/list" virsh -q list &
    calls+=($!)
    timed "$1/start" start plain &
    calls+=($!)
    timed "$1/shutdown" virsh -q shutdown other &
    calls+=($!)
    timed "$1/destroy" destroy running &
    calls+=($!)
    ended "${calls[@]}" "${pids[@]}"
    [ $# = 1 ] || destroy_all "$2"
    destroy plain
    destroy other
}

say "the times of calls for other guests, while eight guests start; a create takes a second"
measure bare-5 bare
measure gpu-5 gpu
workers 20
measure alone
measure bare-20 bare
measure gpu-20 gpu
set +x
# milliseconds ROW: what the call took in this row. ratio ROW ROW: in percent.
milliseconds() { echo $(($(<"$1/$call") / 1000)); }
ratio() { echo $((100 * $(<"$1/$call") / $(<"$2/$call"))); }
for call in list start shutdown destroy; do
    echo "virsh $call: alone $(milliseconds alone) ms"
    for number in 5 20; do
        echo "    $number workers: without vGPUs $(milliseconds "bare-$number") ms," \
            "with vGPUs $(milliseconds "gpu-$number") ms," \
            "ratio $(ratio "gpu-$number" "bare-$number") %"
    done
done
set -x
assert_no_mdevs
assert_empty_ledger
