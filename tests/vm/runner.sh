#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# runner.sh NAME...: runs these scenarios, inside the test host.
#
# When a scenario ends, a line about it goes to port "results", and its logs go as a tar to port
# "logs". A scenario runs in a process of its own. Its log has all its messages and commands.
# Afterwards the runner runs the commands of at_end, whatever the result. Then it inspects the host,
# restores it, and compares it with its state before the scenario. If a scenario cuts the power, this
# script goes on with the next PHASE in the next boot.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"

# A scenario may change these directories. Their installed versions, if any, are kept in "installed".
changed=(/etc/libvirt/hooks /etc/libvirt-vgpu /etc/mdevctl.d /var/lib/libvirt-vgpu)
installed=/vgpu/installed
logs=/vgpu/logs
# This directory survives a power loss. Its files are "begun", "done" (the names of played scenarios),
# "phase", "began" (when the present scenario began), and "host" (the host before this scenario).
state=/vgpu/state
# These logs grow all the time. The log of a scenario is the part that was written after its start.
grown=("${DAEMONS[@]/%/.log}")
grown=("${grown[@]/#//var/log/libvirt/}" /var/log/syslog)
is_systemd && grown=()
# The time limit for one scenario, and for the work after it, in seconds. The limit is long, so only
# a process that hangs reaches it.
limit=$(is_long && echo 7200 || echo 900)
complaint='WARNING:|BUG:|Oops|general protection|blocked for more than|Call Trace|apparmor="DENIED".*profile="libvirt-vgpu|avc: +denied.*:libvirt_vgpu'

# The host as it was before

# Prints all that a scenario must not leave. No output is good.
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

# domains [--all]: the names of the domains that run, or of all domains.
domains() { timeout "$PATIENCE" virsh -q list --name "$@" | sed '/^$/d'; }

remove_domains() {
	local all domain
	all=$(domains --all) || return
	for domain in $all; do
		# One of the two commands fails for a domain that does not run, or is not defined.
		virsh -q destroy "$domain" || true
		virsh -q undefine --managed-save --snapshots-metadata --checkpoints-metadata --nvram "$domain" || true
	done
	all=$(domains --all) && [ -z "$all" ]
}

# listing DIRECTORY: the names of all files in it, without their content.
listing() { find "$1" -printf '%P %y %m %u %s %l\n' 2>/dev/null | sort; }

# as_installed DIRECTORY
as_installed() {
	[ "$(listing "$1")" = "$(listing "$installed$1")" ] &&
		diff -rq --no-dereference "$1" "$installed$1" >/dev/null 2>&1
}

# Restores the installed files, and removes all configuration. It does not touch files that are right
# already. libvirtd watches /etc/mdevctl.d, and its answers wait until it has read each change there.
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

# kill_libvirtd_hard: kills libvirtd and the hooks for which it waits. libvirtd may be stopping, or hang.
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

# clean_libvirtd ok|FAIL: restarts libvirtd if it does not answer, or if the scenario failed. Then
# libvirtd may be in the middle of an operation. libvirtd looks for hooks only when it starts.
clean_libvirtd() {
	if [ "$1" = ok ] && libvirtd_answers >/dev/null; then return; fi
	kill_libvirtd_hard
	start_libvirtd
}

# clean_host ok|FAIL: cleans the host. The argument is the result of the scenario.
clean_host() {
	local device
	pkill -KILL -u guest || true
	stop_host2
	restore_files
	modprobe -a mtty mbochs mdpy
	clean_libvirtd "$1"
	wait_for remove_domains
	for device in $(mdevs); do
		# A process that was killed may still have the device open.
		wait_for remove_mdev "$device"
	done
	wait_for no_cards
	restore_files
}

# describe_host: prints all other things that a scenario could leave, one a line. It is called when the
# host is clean.
describe_host() {
	local label=
	if has_selinux; then label=' %Z'; fi
	find /etc /usr/bin /usr/sbin /usr/lib/nvidia /usr/lib/systemd/system /var/lib/libvirt-vgpu \
		\( -path /etc/libvirt/qemu -o -path /etc/libvirt/nwfilter -o -path /etc/apparmor.d/libvirt \) -prune -o \
		\( -type f -printf "file %p %M %u %s$label\n" -o -printf "file %p %M %u %l$label\n" \) 2>/dev/null || true
	# A daemon that a socket starts ends when it is idle. So it may run or not. mount(8) of Debian 12 makes
	# a directory.
	find /run -mindepth 1 -maxdepth 1 ! -name user ! -name mount ! -name 'virt*d.pid' -printf 'file %p\n'
	sed 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .*/mount on \1/; /credentials/d' /proc/self/mountinfo
	cut -d' ' -f1 /proc/modules | sed -nE '/^(mtty|mbochs|mdpy|vgpu_cards|vgpu_cards_vfio|vgpu_cards_xe_vfio)$/s/^/module /p'
	if is_systemd; then
		systemctl -q list-units --plain --no-legend --state=active,activating,failed 'libvirt-vgpu*' |
			awk '{ print "unit", $1, $3 }'
		systemctl -q list-units --plain --no-legend --state=failed | awk '{ print "failed unit", $1 }'
	fi
}

# compare_host: compares the host with its state before the scenario, and prints each difference.
# The next scenario is compared with the new state, so it is not blamed for the difference.
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

# with_limit SECONDS COMMAND...: runs COMMAND in a session of its own, and kills the whole session
# at the end. A process that hangs in the kernel survives this kill. The runner does not wait for it.
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

# undo_all: runs the commands of at_end that are left.
undo_all() {
	local status=0
	while [ -s "$UNDO" ]; do
		# This is a process of its own, so that "set -e" holds in it. "undo" first takes the command from
		# the file.
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
	# While a guest has its device, a module cannot be unloaded, and the kernel waits for ever.
	[ "$status" = 0 ] || remove_domains || true
	undo_all || status=1
	cd /
	rm -rf "$work"
	return "$status"
}

# judge NAME: has the scenario left anything?
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

# run_one NAME: runs one scenario. Fails if the host cannot be used for another one afterwards.
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
	# This is a process of its own, so that "set -e" holds in it.
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

# kernel_log: fails if the kernel complained in any scenario.
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

# begin: prepares the run. It is called once, not at each boot.
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
exec 3>/dev/virtio-ports/results 4>>/dev/virtio-ports/logs
if [ -e "$state/begun" ] && [ ! -e "$state/phase" ]; then
	# Nobody asked for this boot, so the runner ends here.
	report FAIL unexpected-reset 0
else
	[ -e "$state/begun" ] || begin
	run_all "$@"
	kernel_log
fi
echo end >&3
