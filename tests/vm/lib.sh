# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The words a scenario is written in. Sourced, inside the test host only.

LEDGER=/run/libvirt-vgpu/ledger
CONF=/etc/libvirt-vgpu/vgpu.conf
# What the last must_fail heard.
export ERR=

# What is said and checked

say() { echo "== $*"; }

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# show COMMAND...: print it like a prompt would, then run it (for the demo).
show() {
	echo "\$ $*"
	"$@"
}

# must_fail COMMAND...: it fails, and what it said on stderr is in $ERR.
must_fail() {
	local status said
	said=$(mktemp)
	# A subshell outside any condition: there "set -e" also holds inside functions.
	set +e
	(trap - ERR; set -e; "$@") 2>"$said"
	status=$?
	set -e
	ERR=$(cat "$said")
	rm "$said"
	[ "$status" != 0 ] || fail "should have failed: $*"
}

assert_match() {
	[[ $1 =~ $2 ]] || fail "'$1' does not match '$2'"
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
	{ local -; set +x; } 2>/dev/null
	local end=$((SECONDS + $1))
	shift
	until ("$@") >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
		sleep 0.1
	done
}

# Is all of the matrix asked for, and not only the part that an ordinary run has time for?
is_long() { [ -e /vgpu/long ]; }

# The host of the scenarios in systemd/, where units, timers and boots are real.
is_systemd() { [ -d /run/systemd/system ]; }

# power_loss: the host is cut off and boots again, and its disk is all that is left of it. The
# scenario is played once more then, with PHASE one higher; its first is 1.
power_loss() {
	cp -a /etc/libvirt-vgpu /vgpu/state/
	echo "$((PHASE + 1))" >/vgpu/state/phase
	sync
	echo b >/proc/sysrq-trigger
	sleep 60
}

new_uuid() { cat /proc/sys/kernel/random/uuid; }

# Guests

# request DEVICES: the metadata that asks for them.
request() {
	echo "<metadata><vgpu:request xmlns:vgpu=\"urn:libvirt-vgpu:domain:1\">$1</vgpu:request></metadata>"
}

# guest_xml NAME [--uuid U] [--metadata XML] [--hostdev UUID[,ALIAS[,MODEL]]]...
#           [--qemu-arg ARG]... [--xml-filter SED]...
# A guest that needs no system: it runs its firmware, and that is enough.
guest_xml() {
	{ local -; set +x; } 2>/dev/null
	local name=$1 uuid metadata='' hostdevs='' arguments='' filter=() device alias model
	uuid=$(new_uuid)
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--uuid) uuid=$2 ;;
		--metadata) metadata=$2 ;;
		--hostdev)
			IFS=, read -r device alias model <<<"$2"
			hostdevs+="<hostdev mode='subsystem' type='mdev' model='${model:-vfio-pci}'>"
			hostdevs+="<source><address uuid='$device'/></source>"
			[ -z "$alias" ] || hostdevs+="<alias name='$alias'/>"
			hostdevs+="</hostdev>"
			;;
		--qemu-arg) arguments+="<qemu:arg value='$2'/>" ;;
		--xml-filter) filter+=(-e "$2") ;;
		*) fail "guest: what is $1?" ;;
		esac
		shift 2
	done
	sed -e '' "${filter[@]}" <<-END
		<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
		  <name>$name</name>
		  <uuid>$uuid</uuid>
		  $metadata
		  <memory unit='MiB'>64</memory>
		  <vcpu>1</vcpu>
		  <os><type arch='x86_64' machine='q35'>hvm</type></os>
		  <features><acpi/></features>
		  <devices>
		    <controller type='usb' model='none'/>
		    <serial type='pty'/>
		    <memballoon model='none'/>
		    $hostdevs
		  </devices>
		  ${arguments:+<qemu:commandline>$arguments</qemu:commandline>}
		</domain>
	END
}

# guest NAME ...: define it; arguments as for guest_xml.
guest() {
	virsh -q define /dev/stdin < <(guest_xml "$@")
}

# claim NAME ... and give_back NAME: what libvirt makes of our hook at a start and an end, without
# QEMU, which takes most of a start's time; arguments as for guest_xml. The calling shell stands
# for the daemon, so no subshell: what that claims is nobody's once it has ended.
claim() {
	guest_xml "$@" >"$1.xml"
	libvirt-vgpu-hook "$1" prepare begin - <"$1.xml"
}

give_back() { libvirt-vgpu-hook "$1" release end destroyed <"$1.xml"; }

start() { virsh -q start "$1"; }
destroy() { virsh -q destroy "$1"; }
qemu_pid() { cat "/run/libvirt/qemu/$1.pid"; }

# Mediated devices

mdevs() { ls /sys/bus/mdev/devices; }
mdev_exists() { [ -e "/sys/bus/mdev/devices/$1" ]; }

# link_of UUID NAME: the last word of where a link of this mdev points; fails without one.
link_of() {
	local target
	target=$(readlink -e "/sys/bus/mdev/devices/$1/$2") && echo "${target##*/}"
}

mdev_type() { link_of "$1" mdev_type; }
group_of() { link_of "$1" iommu_group; }

# make_mdev PARENT TYPE UUID
make_mdev() { echo "$3" >"/sys/class/mdev_bus/$1/mdev_supported_types/$2/create"; }

# Writing "remove" for a device in use blocks for good: look first.
remove_mdev() {
	local users
	users=$(group_held_by "$1") || fail "no such mdev: $1"
	[ -z "$users" ] || fail "mdev $1 is in use by process $users"
	echo 1 >"/sys/bus/mdev/devices/$1/remove"
}

# group_held_by UUID: the processes that have its group open.
group_held_by() {
	local group
	group=$(group_of "$1") || return
	# Processes that end meanwhile are no error.
	{ find /proc/[0-9]*/fd -lname "/dev/vfio/$group" 2>/dev/null || true; } | cut -d/ -f3 | sort -u
}

assert_no_mdevs() {
	local left
	left=$(mdevs)
	[ -z "$left" ] || fail "there are still mdevs: $left"
}

# Our own state

# ledger: its leases, without the header.
ledger() {
	[ ! -e "$LEDGER" ] || tail -n +2 "$LEDGER"
}

assert_empty_ledger() {
	local left
	left=$(ledger)
	[ -z "$left" ] || fail "the ledger is not empty: $left"
}

# vgpu_conf <<END: the configuration.
vgpu_conf() {
	mkdir -p "${CONF%/*}"
	install -m 644 /dev/stdin "$CONF"
}

no_vgpu_conf() { rm -f "$CONF" "${CONF%/*}"/conf.d/*; }

# libvirtd

libvirtd_answers() { timeout 10 virsh -q list; }
libvirtd_runs() { pgrep -x libvirtd; }
libvirtd_gone() { ! libvirtd_runs; }

start_libvirtd() {
	if is_systemd; then
		systemctl start libvirtd
	else
		libvirtd -d -p /run/libvirtd.pid
	fi
	wait_for 60 libvirtd_answers
}

stop_libvirtd() {
	if is_systemd; then
		# Not its sockets: they would start it again at the next call.
		systemctl stop libvirtd.socket libvirtd-ro.socket libvirtd-admin.socket libvirtd
	else
		pkill -x libvirtd
	fi
	wait_for 30 libvirtd_gone
}

restart_libvirtd() {
	stop_libvirtd
	start_libvirtd
}
