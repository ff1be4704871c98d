#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# runner.sh NAME...: run these scenarios, inside the test host.
#
# One line for each goes to port "results" as it ends, its logs as a tar to port
# "logs". A scenario runs in a process of its own, with everything it says and does
# in its log. Afterwards what it told at_end is done, whatever became of it; then the
# host is looked at, made as it was before, and compared with that. One that cuts the
# power is gone on with, PHASE by PHASE, by this script's run in the next boot.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"

# What a scenario may change, and where it is kept as it was installed (if it was).
changed=(/etc/libvirt/hooks /etc/libvirt-vgpu /etc/mdevctl.d /var/lib/libvirt-vgpu)
installed=/vgpu/installed
logs=/vgpu/logs
# Kept over a power loss: "begun", "done" (names), "phase", when the present one "began", and what
# the host was like before it: "host".
state=/vgpu/state
# Grown by everybody; a scenario's part is what came since its start.
grown=("${DAEMONS[@]/%/.log}")
grown=("${grown[@]/#//var/log/libvirt/}" /var/log/syslog)
is_systemd && grown=()
# For one scenario, in seconds, or for what is done after it: only what hangs is ever stopped.
limit=$(is_long && echo 7200 || echo 900)
complaint='WARNING:|BUG:|Oops|general protection|blocked for more than|Call Trace|apparmor="DENIED".*profile="libvirt-vgpu|avc: +denied.*:libvirt_vgpu'

# The host as it was before

# What a scenario must not leave; nothing printed is good.
leftovers() {
	domains | sed 's/^/running domain: /' &&
		mdevs | sed 's/^/mdev: /' &&
		typed_vfs | sed 's/^/VF with a type: /' &&
		ledger | sed 's/^/lease: /' &&
		if host2_exists; then
			on_host2 timeout "$PATIENCE" virsh -q list --name | sed '/^$/d; s/^/running domain of host2: /' &&
				on_host2 ledger | sed 's/^/lease of host2: /'
		fi
}

# domains [--all]: the names of those that run, or of all.
domains() { timeout "$PATIENCE" virsh -q list --name "$@" | sed '/^$/d'; }

remove_domains() {
	local all domain
	all=$(domains --all) || return
	for domain in $all; do
		# One of both fails for a domain that does not run, or is not defined.
		virsh -q destroy "$domain" || true
		virsh -q undefine --managed-save --snapshots-metadata --checkpoints-metadata --nvram "$domain" || true
	done
	all=$(domains --all) && [ -z "$all" ]
}

# listing DIRECTORY: all that is in it, but for what is in its files.
listing() { find "$1" -printf '%P %y %m %u %s %l\n' 2>/dev/null | sort; }

# as_installed DIRECTORY
as_installed() {
	[ "$(listing "$1")" = "$(listing "$installed$1")" ] &&
		diff -rq --no-dereference "$1" "$installed$1" >/dev/null 2>&1
}

# What was installed, and no configuration. What is so already is left alone: libvirtd watches
# /etc/mdevctl.d, and its answers wait for what it makes of each change there.
restore_files() {
	local directory
	rm -rf /run/libvirt-vgpu
	for directory in "${changed[@]}"; do
		if as_installed "$directory"; then continue; fi
		rm -rf "$directory"
		[ ! -e "$installed$directory" ] || cp -a "$installed$directory" "$directory"
	done
	no_vgpu_conf
}

# kill_libvirtd_hard: and the hooks that it waits for. However it was: it may be stopping, or hang.
kill_libvirtd_hard() {
	local pid daemon
	if is_systemd; then
		systemctl kill --signal=KILL "${DAEMONS[@]}" || true
		stop_libvirtd
		systemctl reset-failed "${DAEMONS[@]}" || true
	else
		for daemon in "${DAEMONS[@]}"; do
			for pid in $(pgrep -x "$daemon"); do
				pkill -KILL -P "$pid" || true
				kill -KILL "$pid" || true
			done
		done
		wait_for libvirtd_gone
	fi
}

# clean_libvirtd ok|FAIL: it looks for hooks only when it starts, and may have been in the middle of
# something when a scenario failed; so it starts anew then.
clean_libvirtd() {
	if [ "$1" = ok ] && libvirtd_answers >/dev/null; then return; fi
	kill_libvirtd_hard
	start_libvirtd
}

# clean_host ok|FAIL: how the scenario ended.
clean_host() {
	local device
	pkill -KILL -u guest || true
	stop_host2
	restore_files
	modprobe -a mtty mbochs mdpy
	clean_libvirtd "$1"
	wait_for remove_domains
	for device in $(mdevs); do
		# Whoever was killed may still have it open.
		wait_for remove_mdev "$device"
	done
	wait_for no_cards
	restore_files
}

# describe_host: whatever else a scenario could leave, a thing a line, when the host is clean.
describe_host() {
	local label=
	if has_selinux; then label=' %Z'; fi
	find /etc /usr/bin /usr/sbin /usr/lib/nvidia /usr/lib/systemd/system /var/lib/libvirt-vgpu \
		\( -path /etc/libvirt/qemu -o -path /etc/libvirt/nwfilter -o -path /etc/apparmor.d/libvirt \) -prune -o \
		\( -type f -printf "file %p %M %u %s$label\n" -o -printf "file %p %M %u %l$label\n" \) 2>/dev/null || true
	# Who is started by a socket, and ends when nobody asks any more, may be there or not; mount(8) of
	# Debian 12 makes a directory.
	find /run -mindepth 1 -maxdepth 1 ! -name user ! -name mount ! -name 'virt*d.pid' -printf 'file %p\n'
	sed 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .*/mount on \1/; /credentials/d' /proc/self/mountinfo
	cut -d' ' -f1 /proc/modules | sed -nE '/^(mtty|mbochs|mdpy|nvidia_shaped|xe_vfio_pci)$/s/^/module /p'
	if is_systemd; then
		systemctl -q list-units --plain --no-legend --state=active,activating,failed 'libvirt-vgpu*' |
			awk '{ print "unit", $1, $3 }'
		systemctl -q list-units --plain --no-legend --state=failed | awk '{ print "failed unit", $1 }'
	fi
}

# compare_host: with what it was before the scenario; what is different is told, and from then on
# it is so: the next scenario is not blamed for it.
compare_host() {
	local status=0
	describe_host | sort >"$state/host.now"
	if [ -e "$state/host" ]; then
		diff --old-line-format='missing: %L' --new-line-format='left: %L' \
			--unchanged-line-format='' "$state/host" "$state/host.now" || status=1
	fi
	mv "$state/host.now" "$state/host"
	return "$status"
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
	local file
	for file in "$here"/{systemd,apparmor,selinux,scenarios}/"$1.sh"; do
		[ ! -e "$file" ] || break
	done
	echo "$file"
}

# undo_all: what is left of what the scenario told at_end.
undo_all() {
	local status=0
	while [ -s "$UNDO" ]; do
		# Its own process, so that "set -e" holds in it. "undo" takes the command from the file first.
		# shellcheck disable=SC2016 # expanded by that process
		with_limit "$limit" bash -Eeuo pipefail -O inherit_errexit -c '. "$0"; undo' "$here/lib.sh" || status=1
	done
	[ "$status" = 0 ] || echo "FAIL: what it told at_end cannot be done"
	return "$status"
}

play() {
	local file=$1 work status=0
	if [ ! -e "$file" ]; then
		echo "FAIL: not in the tarball: $file"
		return 1
	fi
	work=$(mktemp -d)
	cd "$work"
	with_limit "$limit" "$here/play.sh" "$file" || status=1
	# A module is not unloaded, and the kernel waits for ever, while a guest has its device.
	[ "$status" = 0 ] || remove_domains || true
	undo_all || status=1
	cd /
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
	export LOGS=$log
	echo "$began" >"$state/began"
	play "$(file_of "$name")" >>"$log/output" 2>&1 || word=FAIL
	took=$(($(now) - began))
	judge "$name" >>"$log/output" 2>&1 || word=FAIL
	# Its own process, so that "set -e" holds in it.
	if ! with_limit "$limit" "$0" --clean "$word" >"$log/clean" 2>&1; then
		cat "$log/clean" >>"$log/output"
		echo "FAIL: the host cannot be cleaned" >>"$log/output"
		word=FAIL fit=1
	elif ! compare_host >"$log/left" 2>&1; then
		{ echo "FAIL: it leaves the host changed:"; cat "$log/left"; } >>"$log/output"
		word=FAIL
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
	clean_host "$2"
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
	with_limit "$limit" "$0" --clean ok
	compare_host
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
