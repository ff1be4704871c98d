#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# runner.sh NAME...: run these scenarios, inside the test host.
#
# One line for each goes to port "results" as it ends, its logs as a tar to port
# "logs". A scenario runs in a process of its own, with everything it says and does
# in its log; afterwards the host is looked at, then made as it was before. One that
# cuts the power is gone on with, PHASE by PHASE, by this script's run in the next boot.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"

# What a scenario may change, and where it is kept as it was installed (if it was).
changed=(/etc/libvirt/hooks /etc/libvirt-vgpu /var/lib/libvirt-vgpu)
installed=/vgpu/installed
logs=/vgpu/logs
# Kept over a power loss: "begun", "done" (names), "phase", and when the present one "began".
state=/vgpu/state
# Grown by everybody; a scenario's part is what came since its start.
grown=(/var/log/libvirt/libvirtd.log /var/log/syslog)
is_systemd && grown=()
# For one scenario, in seconds, or for what is done after it: only what hangs is ever stopped.
limit=$(is_long && echo 7200 || echo 900)
complaint='WARNING:|BUG:|Oops|general protection|blocked for more than|Call Trace'

# The host as it was before

# What a scenario must not leave; nothing printed is good.
leftovers() {
	timeout "$PATIENCE" virsh -q list --name | sed '/^$/d; s/^/running domain: /' &&
		mdevs | sed 's/^/mdev: /' &&
		typed_vfs | sed 's/^/VF with a type: /' &&
		ledger | sed 's/^/lease: /' &&
		if host2_exists; then
			on_host2 timeout "$PATIENCE" virsh -q list --name | sed '/^$/d; s/^/running domain of host2: /' &&
				on_host2 ledger | sed 's/^/lease of host2: /'
		fi
}

domains() { timeout "$PATIENCE" virsh -q list --all --name | sed '/^$/d'; }

clean_domains() {
	local all domain
	all=$(domains)
	[ -n "$all" ] || return 0
	while read -r domain; do
		# One of both fails for a domain that does not run, or is not defined.
		virsh -q destroy "$domain" || true
		virsh -q undefine --managed-save --snapshots-metadata --checkpoints-metadata --nvram "$domain" || true
	done <<<"$all"
	all=$(domains)
	[ -z "$all" ] || fail "domains that stay: $all"
}

clean_libvirtd() {
	if libvirtd_answers >/dev/null; then return; fi
	pkill -KILL -x libvirtd || true
	if is_systemd; then systemctl reset-failed libvirtd || true; fi
	wait_for libvirtd_gone
	start_libvirtd
}

clean_host() {
	local device
	pkill -KILL -u guest || true
	stop_host2
	clean_libvirtd
	clean_domains
	modprobe -a mtty mbochs mdpy
	for device in $(mdevs); do
		remove_mdev "$device"
	done
	no_cards
	rm -rf /run/libvirt-vgpu "${changed[@]}"
	find /etc/mdevctl.d -type f -delete
	cp -a "$installed/." /
	no_vgpu_conf
}

# One scenario

# with_limit SECONDS COMMAND...: in a session of its own, of which nothing survives.
# A process stuck in the kernel survives even that; it is not waited for.
with_limit() {
	local limit=$1 pid status=0
	shift
	setsid timeout --kill-after=5 "$limit" "$@" 3>&- 4>&- &
	pid=$!
	if timeout $((limit + 15)) tail --pid="$pid" -s 0.1 -f /dev/null; then
		wait "$pid" || status=$?
		case $status in 124 | 137) echo "FAIL: not done after $limit seconds" ;; esac
	else
		echo "FAIL: not done after $limit seconds, and cannot be killed"
		status=137
	fi
	pkill -KILL -s "$pid" || true
	return "$status"
}

# file_of NAME
file_of() {
	local file=$here/systemd/$1.sh
	[ -e "$file" ] || file=$here/scenarios/$1.sh
	echo "$file"
}

play() {
	local file=$1 work status=0
	if [ ! -e "$file" ]; then
		echo "FAIL: not in the tarball: $file"
		return 1
	fi
	work=$(mktemp -d)
	(cd "$work" && with_limit "$limit" "$here/play.sh" "$file") || status=1
	rm -rf "$work"
	return "$status"
}

# judge NAME: did it leave the host as it should?
judge() {
	local file status=0 left
	file=$(file_of "$1")
	if ! left=$(leftovers); then
		echo "FAIL: the host cannot be asked for leftovers"
		status=1
	elif [ -n "$left" ]; then
		echo "left over:" "$left"
		grep -qs LEFTOVERS=ok "$file" || status=1
	fi
	return "$status"
}

# Results

now() { echo $((${EPOCHREALTIME/[.,]/} / 100000)); }

# report WORD NAME TENTHS
report() { printf '%-4s %s (%d.%d s)\n' "$1" "$2" $(($3 / 10)) $(($3 % 10)) >&3; }

send_logs() { tar -C "$logs" -c "$1" >&4; }

# run_one NAME: fails when the host is not fit for another one afterwards.
run_one() {
	local name=$1 log=$logs/$1 began took word=ok fit=0 file size=()
	mkdir -p "$log"
	for file in "${grown[@]}"; do
		touch "$file"
		size+=("$(stat -c %s "$file")")
	done
	dmesg --clear

	PHASE=1 began=$(now)
	if [ -e "$state/phase" ]; then
		PHASE=$(cat "$state/phase")
		began=$(cat "$state/began")
		rm "$state/phase"
	fi
	export PHASE
	echo "$began" >"$state/began"
	play "$(file_of "$name")" >>"$log/output" 2>&1 || word=FAIL
	took=$(($(now) - began))
	judge "$name" >>"$log/output" 2>&1 || word=FAIL
	# Its own process, so that "set -e" holds in it.
	if ! with_limit "$limit" "$0" --clean >"$log/clean" 2>&1; then
		cat "$log/clean" >>"$log/output"
		echo "FAIL: the host cannot be cleaned" >>"$log/output"
		word=FAIL fit=1
	fi
	report "$word" "$name" "$took"

	for file in "${grown[@]}"; do
		tail -c +$((size[0] + 1)) "$file" >"$log/${file##*/}"
		size=("${size[@]:1}")
	done
	dmesg >"$log/dmesg"
	[ ! -e "$HOST2/log" ] || mv "$HOST2/log" "$log/host2"
	if is_systemd; then journalctl -q -b -o short-monotonic >"$log/journal"; fi
	cp -r /var/log/libvirt/qemu "$log/"
	rm -rf /var/log/libvirt/qemu/*
	send_logs "$name"
	return "$fit"
}

# The kernel's own verdict over the whole run.
kernel_log() {
	local name=kernel-log
	is_systemd && name+=-systemd
	mkdir -p "$logs/$name"
	if grep -E "$complaint" "$logs"/*/dmesg >"$logs/$name/output"; then
		report FAIL "$name" 0
		send_logs "$name"
	fi
}

if [ "${1-}" = --clean ]; then
	clean_host
	exit
fi

# begin: once, not at each boot.
begin() {
	local directory
	mkdir -p "$installed" "$logs/boot" "$state"
	for directory in "${changed[@]}"; do
		[ ! -e "$directory" ] || cp -a --parents "$directory" "$installed"
	done
	dmesg >"$logs/boot/dmesg"
	with_limit "$limit" "$0" --clean
	touch "$state/begun" "$state/done"
}

run_all() {
	local name
	for name; do
		if grep -qxF "$name" "$state/done"; then continue; fi
		run_one "$name" || break
		echo "$name" >>"$state/done"
	done
}

wait_for test -e /dev/virtio-ports/results -a -e /dev/virtio-ports/logs
exec 3>/dev/virtio-ports/results 4>/dev/virtio-ports/logs
if [ -e "$state/begun" ] && [ ! -e "$state/phase" ]; then
	# Nobody asked for this boot: no more of it.
	report FAIL unexpected-reset 0
else
	[ -e "$state/begun" ] || begin
	run_all "$@"
	kernel_log
fi
echo end >&3
