# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The functions that scenarios use. This file is sourced, and only inside the test host.

LEDGER=/run/libvirt-vgpu/ledger
CONF=/etc/libvirt-vgpu/vgpu.conf
# The directory with the second host's own files. It is not in /run, because no hook can be executed
# there.
HOST2=/srv/host2
# The system of the second host, if that is another Debian.
HOST2_SYSTEM=/other
# The code of a guest that needs no firmware (see guest_xml).
HALT_ROM=/vgpu/halt.rom COUNT_ROM=/vgpu/count.rom
# The QEMU of guest_xml's guests. Nothing means Debian's own, as in a scenario that begins with "EMULATOR=". The other
# one is Debian's but for the speed of its monitor; see quick-monitor.
EMULATOR=
[ ! -e /vgpu/quick-monitor ] || EMULATOR=/usr/bin/qemu-system-x86_64-quick
# The last message of must_fail's command.
export ERR=
# The scenario's directory of logs. Afterwards its files are in tests/vm-logs/NAME.
: "${LOGS:=/vgpu/logs}"
# libvirt's daemons. The first one, DAEMON, runs the guests. In this file "libvirtd" means all of them,
# whatever their names are.
DAEMONS=(libvirtd)
[ ! -e /usr/sbin/virtqemud ] || DAEMONS=(virtqemud virtnodedevd)
DAEMON=${DAEMONS[0]}

# Messages and checks

say() { echo "== $*"; }

# part NAME...: a part of a scenario begins, or several that share their guests. No vGPU of the part before is
# left, and no lease.
part() {
	local name
	for name; do say "part: $name"; done
	assert_no_vgpus
	assert_empty_ledger
}

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# show COMMAND...: prints COMMAND after a prompt, then runs it (for the demo).
show() {
	echo "\$ $*"
	"$@"
}

# must_fail COMMAND...: COMMAND must fail. Its stderr is in $ERR.
must_fail() {
	local status said
	said=$(mktemp)
	# COMMAND runs in a subshell that is in no condition. So "set -e" also holds inside functions.
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

# The longest wait for an event, in seconds. It matters only if the event never comes, so it is long. On
# a busy machine libvirtd may need a minute to stop.
PATIENCE=300

# wait_for COMMAND...: waits until COMMAND succeeds.
wait_for() {
	{ local -; set +x; } 2>/dev/null
	local end=$((SECONDS + PATIENCE))
	until ("$@") >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
		sleep 0.1
	done
}

# How a scenario undoes its changes

# After each scenario the runner itself removes guests, domains and vGPUs. It restores the configuration
# of libvirt's hooks, of mdevctl and of our programs. It also restores our state, libvirtd, and the
# modules of the sample drivers. Before any other change a scenario says how to undo the change:
#
#   at_end chmod +x "$program"
#   chmod -x "$program"
#   ...
#   undo
#
# If the scenario fails or is killed, or if the host loses power, the runner undoes the rest, the
# last change first. It also does this for a scenario without "undo". The commands are kept in a
# file, one a line.
UNDO=/vgpu/undo

# at_end COMMAND...: records COMMAND, which undoes a change. COMMAND is a function of this file or a
# program. It runs in the present directory, unless the power is cut before.
at_end() {
	{ local -; set +x; } 2>/dev/null
	printf '%q ' "$@" >>"$UNDO"
	echo >>"$UNDO"
}

# undo: runs the last command of at_end now.
undo() {
	{ local -; set +x; } 2>/dev/null
	local command
	command=$(tail -n 1 "$UNDO")
	sed -i '$d' "$UNDO"
	say "undo: $command"
	eval "$command"
}

# is_long: is LONG set? Then scenarios play their whole matrix. An ordinary run plays a part of it.
is_long() { [ -e /vgpu/long ]; }

# is_uml: is the kernel a process (User Mode Linux)?
is_uml() { [ -e /dev/ubda ]; }

# has_apparmor: is AppArmor enforcing? See VGPU_VM_SECURITY in "run".
has_apparmor() { [ -e /vgpu/apparmor ]; }

# has_selinux: is SELinux enforcing?
has_selinux() { [ -e /vgpu/selinux ]; }

# label_of PROCESS: its label in the security module.
label_of() { tr -d '\0' <"/proc/$1/attr/current"; }

# selinux_type FILE
selinux_type() { stat -c %C "$1" | cut -d: -f3; }

# at_least VERSION OTHER: VERSION is OTHER or later. An epoch does not count.
at_least() { dpkg --compare-versions "${1#*:}" ge "$2"; }

# is_systemd: is systemd the init of this host? It is for the scenarios in systemd/. So their units,
# timers and boots are real.
is_systemd() { [ -d /run/systemd/system ]; }

# power_loss: cuts the power of the host, which boots again. Only the disk is left. Then the scenario is
# played once more, and PHASE is one higher. The first PHASE is 1.
power_loss() {
	cp -a /etc/libvirt-vgpu /vgpu/state/
	echo "$((PHASE + 1))" >/vgpu/state/phase
	sync
	echo b >/proc/sysrq-trigger
	sleep 60
}

# pack_files TAR WHAT..., unpack_files TAR: keep the SELinux types of the files. Otherwise the unpacked
# files would have the types of new files.
pack_files() { tar "$(has_selinux && echo --selinux || echo --no-selinux)" -cPf "$@"; }
unpack_files() { tar "$(has_selinux && echo --selinux || echo --no-selinux)" -xPf "$1"; }

# forget_program: removes our program, and not the emulated cards. Then the host is as if it never had our
# program, and libvirt has seen no hook. At the end of the scenario the host has its unpacked files
# again, and no package of ours. This is only for the host with systemd.
forget_program() {
	local unpacked=/vgpu/unpacked
	find /etc /usr /var/lib /run \( -path /etc/systemd -o -path /etc/modules-load.d \) -prune -o \
		\( -name '*libvirt-vgpu*' -o -name '50-vgpu' -o -name 'vgpu*' \) ! -name '*vgpu-cards*' -prune -print >$unpacked
	pack_files $unpacked.tar -T $unpacked
	at_end systemctl daemon-reload
	# The removal of a package takes its profiles out of the kernel.
	if has_apparmor; then at_end apparmor_parser -r /etc/apparmor.d/libvirt-vgpu; fi
	at_end unpack_files $unpacked.tar
	at_end dpkg --purge libvirt-vgpu
	at_end systemctl stop 'libvirt-vgpu-*'
	xargs -a $unpacked rm -r
	restart_libvirtd
}

new_uuid() { cat /proc/sys/kernel/random/uuid; }

# Guests

# request DEVICES: the metadata of a guest that asks for DEVICES.
request() {
	echo "<metadata><vgpu:request xmlns:vgpu=\"urn:libvirt-vgpu:domain:1\">$1</vgpu:request></metadata>"
}

# migratable ALIAS...: prints the XML that switches migration on for these devices. QEMU leaves it off
# unless the kernel tracks a VFIO device's writes to memory. The kernel's samples do not track them. The
# value is a string, because QEMU refuses a bool.
migratable() {
	local alias
	for alias; do
		echo "<qemu:device alias='$alias'><qemu:frontend>"
		echo "<qemu:property name='enable-migration' type='string' value='on'/>"
		echo "</qemu:frontend></qemu:device>"
	done
}

# pci_source ADDRESS: the source of a hostdev for an address such as 0000:01:00.4.
pci_source() {
	local domain bus slot function
	IFS=:. read -r domain bus slot function <<<"$1"
	echo "<source><address domain='0x$domain' bus='0x$bus' slot='0x$slot' function='0x$function'/></source>"
}

# ports NUMBER: the XML of this many ports, where devices can be plugged into a guest that runs.
ports() {
	local i
	echo -n "<controller type='pci' index='0' model='pcie-root'/>"
	for ((i = 0; i < $1; i++)); do echo -n "<controller type='pci' model='pcie-root-port'/>"; done
}

# is_pc: is this host a PC? Then its guests are PCs, too.
is_pc() { [ "$(uname -m)" = x86_64 ]; }

guest_machine() { if is_pc; then echo q35; else echo virt; fi; }

# guest_features: on arm64 libvirt allows ACPI only with UEFI, and QEMU's default processor has only 32 bits.
guest_features() {
	if is_pc; then echo '<features><acpi/></features>'; else echo "<cpu mode='custom'><model>cortex-a57</model></cpu>"; fi
}

# guest_xml NAME [--uuid U] [--metadata XML] [--hostdev UUID[,ALIAS[,MODEL]]]... [--pci
# ADDRESS[,ALIAS[,MANAGED]]]... [--migratable] [--firmware | --counts] [--qemu-arg ARG]... [--xml-filter
# SED]...: prints the XML of a guest without an operating system. The test host is emulated, and so is
# its guest. A real firmware would take longer than the rest of the start. So the guest has a firmware
# that halts (see init.sh). With --firmware it has the real one, which gives the devices their ports. With
# --counts it has one that counts (see count_of).
guest_xml() {
	{ local -; set +x; } 2>/dev/null
	local name=$1 uuid metadata='' hostdevs='' arguments='' filter=() device alias model managed
	local aliases=() migratable='' overrides=''
	local firmware="<loader readonly='yes' type='rom'>$HALT_ROM</loader>"
	uuid=$(new_uuid)
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--migratable)
			migratable=yes
			shift
			continue
			;;
		--firmware)
			firmware=''
			shift
			continue
			;;
		--counts)
			firmware=${firmware/$HALT_ROM/$COUNT_ROM}
			shift
			continue
			;;
		--uuid) uuid=$2 ;;
		--metadata) metadata=$2 ;;
		--hostdev)
			IFS=, read -r device alias model <<<"$2"
			hostdevs+="<hostdev mode='subsystem' type='mdev' model='${model:-vfio-pci}'>"
			hostdevs+="<source><address uuid='$device'/></source>"
			[ -z "$alias" ] || hostdevs+="<alias name='$alias'/>"
			hostdevs+="</hostdev>"
			aliases+=("${alias:-hostdev${#aliases[@]}}")
			;;
		--pci)
			IFS=, read -r device alias managed <<<"$2"
			hostdevs+="<hostdev mode='subsystem' type='pci' managed='${managed:-no}'>"
			hostdevs+=$(pci_source "$device")
			[ -z "$alias" ] || hostdevs+="<alias name='$alias'/>"
			hostdevs+="</hostdev>"
			aliases+=("${alias:-hostdev${#aliases[@]}}")
			;;
		--qemu-arg) arguments+="<qemu:arg value='$2'/>" ;;
		--xml-filter) filter+=(-e "$2") ;;
		*) fail "guest: what is $1?" ;;
		esac
		shift 2
	done
	[ -z "$migratable" ] || overrides=$(migratable "${aliases[@]}")
	sed -e '' "${filter[@]}" <<-END
		<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
		  <name>$name</name>
		  <uuid>$uuid</uuid>
		  $metadata
		  <memory unit='MiB'>64</memory>
		  <vcpu>1</vcpu>
		  <os><type arch='$(uname -m)' machine='$(guest_machine)'>hvm</type>$firmware</os>
		  $(guest_features)
		  <devices>
		    ${EMULATOR:+<emulator>$EMULATOR</emulator>}
		    <controller type='usb' model='none'/>
		    <serial type='pty'/>
		    <memballoon model='none'/>
		    $hostdevs
		  </devices>
		  ${arguments:+<qemu:commandline>$arguments</qemu:commandline>}
		  ${overrides:+<qemu:override>$overrides</qemu:override>}
		</domain>
	END
}

# guest NAME ...: defines a guest. Arguments as for guest_xml.
guest() {
	virsh -q define /dev/stdin < <(guest_xml "$@")
}

# claim NAME ..., give_back NAME: call our hook as libvirt does at a start and at an end. They start no
# QEMU, which takes most of the time of a start. Arguments as for guest_xml. The calling shell stands
# for the daemon. So do not call them in a subshell: when it ends, the daemon of its claims is gone.
claim() {
	guest_xml "$@" >"$1.xml"
	libvirt-vgpu-hook "$1" prepare begin - < <(cat "$1.xml")
}

# claim_defined NAME: the same for a guest that is defined, as it is defined.
claim_defined() {
	virsh -q dumpxml --inactive "$1" >"$1.xml"
	libvirt-vgpu-hook "$1" prepare begin - < <(cat "$1.xml")
}

give_back() { libvirt-vgpu-hook "$1" release end destroyed < <(cat "$1.xml"); }

start() { virsh -q start "$1"; }
destroy() { virsh -q destroy "$1"; }
qemu_pid() { cat "/run/libvirt/qemu/$1.pid"; }
is_running() { [ "$(virsh -q domstate "$1" | head -n 1)" = running ]; }
is_off() { [ "$(virsh -q domstate "$1" | head -n 1)" = "shut off" ]; }

# device_of GUEST [OPTION]...: the UUIDs of the mdevs in the guest's present XML.
device_of() { virsh -q dumpxml "$@" | sed -n "s/.*<address uuid='\(.*\)'.*/\1/p"; }

# pci_of GUEST [OPTION]...: the addresses, on the host, of the guest's PCI host devices. An address in
# the guest has the attribute type first, so it does not match.
pci_of() {
	virsh -q dumpxml "$@" | sed -n \
		"s/.*<address domain='0x\(....\)' bus='0x\(..\)' slot='0x\(..\)' function='0x\(.\)'.*/\1:\2:\3.\4/p"
}

# The guest's side of a device

# monitor GUEST COMMAND...: the answer of QEMU's monitor to each COMMAND, in one connection.
monitor() {
	local guest=$1 command commands=''
	shift
	for command; do commands+="qemu-monitor-command $guest --hmp \"$command\";"; done
	virsh -q "$commands"
}

# count_of GUEST: two numbers of a guest that counts: which run of it this is, and how far it has counted.
# A guest that is booted anew has another run, and begins at 0.
count_of() { monitor "$1" 'xp /2uw 0x500' | awk 'NF == 3 { print $3, $2 }'; }

# acpi_ports GUEST: sets q35's ACPI ports as a firmware does. After this the power-off is at 0x604.
acpi_ports() {
	monitor "$1" 'o /w 0xcf8 0x8000f840' 'o /w 0xcfc 0x601' \
		'o /w 0xcf8 0x8000f844' 'o /b 0xcfc 0x80' >/dev/null
	[[ $(monitor "$1" 'i /h 0x604') != *0xffff* ]]
}

# eject GUEST: lets go of the devices that GUEST is asked to let go of. An operating system would do this, but
# GUEST has none. q35's ACPI hot-plug registers: select a bus, read which of its slots are asked for, eject these
# slots.
eject() {
	local bus=0 slots commands=()
	for ((bus = 0; bus < 8; bus++)); do commands+=("o /w 0xcd0 $bus" 'i /w 0xcc4'); done
	bus=0
	for slots in $(monitor "$1" "${commands[@]}" | sed -n 's/.* = \(0x[0-9a-f]*\).*/\1/p'); do
		[ $((slots)) = 0 ] || monitor "$1" "o /w 0xcd0 $bus" "o /w 0xcc8 $slots"
		bus=$((bus + 1))
	done
}

# scratch_ports GUEST: for each mtty device, the I/O port of the first UART's scratch register. This
# register keeps the written byte. The ports are in the order of the aliases, on one line. The function
# waits until the firmware has assigned them.
scratch_ports() {
	{ local -; set +x; } 2>/dev/null
	local end=$((SECONDS + PATIENCE)) devices port
	until devices=$(monitor "$1" 'info pci' | awk '
			/^ *Bus / { serial = 0; port = "none" }
			/PCI device 4348:3253/ { serial = 1 }
			/BAR0: I\/O at 0x....  *\[/ { port = $4 }
			serial && /^ *id "/ { print $2, port }' | sort) &&
		[ -n "$devices" ] && [[ $devices != *none* ]]; do
		[ "$SECONDS" -lt "$end" ] || fail "the firmware of $1 assigns no ports"
		sleep 0.5
	done
	while read -r _ port; do echo $((port + 7)); done <<<"$devices" | xargs
}

# write_scratch GUEST PORT=BYTE...
write_scratch() {
	local guest=$1 pair commands=()
	shift
	for pair; do commands+=("o /b ${pair%=*} ${pair#*=}"); done
	monitor "$guest" "${commands[@]}"
}

# read_scratch GUEST PORT...: "0x5a 0xa5".
read_scratch() {
	local guest=$1 port commands=()
	shift
	for port; do commands+=("i /b $port"); done
	monitor "$guest" "${commands[@]}" | sed -n 's/.* = \(0x[0-9a-f]*\).*/\1/p' | xargs
}

# Mediated devices

mdevs() { ls /sys/bus/mdev/devices; }
mdev_exists() { [ -e "/sys/bus/mdev/devices/$1" ]; }

# device_dir DEVICE: the directory in sysfs. DEVICE is the UUID of an mdev, or a PCI address.
device_dir() {
	case $1 in
	*:*) echo "/sys/bus/pci/devices/$1" ;;
	*) echo "/sys/bus/mdev/devices/$1" ;;
	esac
}

# link_of DEVICE NAME: the last part of the target of DEVICE's link NAME. Fails if there is no such link.
link_of() {
	local target
	target=$(readlink -e "$(device_dir "$1")/$2") && echo "${target##*/}"
}

mdev_type() { link_of "$1" mdev_type; }
group_of() { link_of "$1" iommu_group; }

# make_mdev PARENT TYPE UUID
make_mdev() { echo "$3" >"/sys/class/mdev_bus/$1/mdev_supported_types/$2/create"; }

# remove_mdev UUID: removes the mdev. A "remove" of a device in use would block for good, so this looks
# first.
remove_mdev() {
	local users
	users=$(group_held_by "$1") || fail "no such mdev: $1"
	[ -z "$users" ] || fail "mdev $1 is in use by process $users"
	echo 1 >"/sys/bus/mdev/devices/$1/remove"
}

# group_held_by DEVICE: the processes that have the group of an mdev or a VF open.
group_held_by() {
	local group
	group=$(group_of "$1") || return
	# Processes that end meanwhile are no error.
	{ find /proc/[0-9]*/fd -lname "/dev/vfio/$group" 2>/dev/null || true; } | cut -d/ -f3 | sort -u
}

assert_gone() {
	if mdev_exists "$1"; then fail "mdev $1 is still there"; fi
}

assert_no_mdevs() {
	local left
	left=$(mdevs)
	[ -z "$left" ] || fail "there are still mdevs: $left"
}

# Emulated cards (see ../cards/README.md)

NVIDIA=/sys/bus/pci/drivers/nvidia
XE=/sys/bus/pci/drivers/xe
BARE=/sys/bus/pci/drivers/vgpu-cards
# The addresses of the cards, after "cards": T4 has those without virtual functions, and CARDS has those
# with virtual functions.
T4=()
CARDS=()

# cards WORD... [NAME=VALUE]...: loads the driver. The WORD "mdev" is for two T4. A WORD "sriov", "vf", "xe"
# or "bare" is for a card with virtual functions: A40, L40S, B60 or MI300X, or the next of "boards=A,B". The
# functions are enabled. "vfs=N" enables N functions on each card. Without "vfs" only 8 are enabled,
# because libvirt is slow with functions. All other words are parameters of the module. This ends when
# libvirt knows all devices. The VFs of xe have no driver, and no memory.
cards() {
	local word list=() options=() boards=() vfs=8
	for word; do
		case $word in
		boards=*) IFS=, read -ra boards <<<"${word#*=}" ;;
		vfs=*) vfs=${word#*=} ;;
		*=*) options+=("$word") ;;
		esac
	done
	for word; do
		case $word in
		mdev) list=(T4 T4 "${list[@]}") ;;
		sriov) list+=("${boards[0]-A40}:mdev") boards=("${boards[@]:1}") ;;
		vf) list+=("${boards[0]-L40S}:vf") boards=("${boards[@]:1}") ;;
		xe) list+=("${boards[0]-B60}") boards=("${boards[@]:1}") ;;
		bare) list+=("${boards[0]-MI300X}") boards=("${boards[@]:1}") ;;
		*=*) ;;
		*) fail "cards: what is $word?" ;;
		esac
	done
	modprobe vgpu-cards "cards=$(IFS=,; echo "${list[*]}")" "${options[@]}"
	find_cards
	for word in "${CARDS[@]}"; do
		enable_vfs "$word" "$vfs"
		word=/sys/bus/pci/devices/$word/sriov_admin/.bulk_profile/vram_quota
		if [ -e "$word" ]; then echo 0 >"$word"; fi
	done
	look_anew
	wait_for knows_cards
	! host2_exists || on_host2 wait_for knows_cards
}

# look_anew: restarts libvirtd, so that it looks at all devices once. A running libvirtd runs mdevctl
# twice for each device that comes or goes. For the virtual functions of a card this takes minutes on an
# emulated processor. look_anew does nothing while guests run.
look_anew() {
	if host2_exists || [ -n "$(timeout "$PATIENCE" virsh -q list --name)" ]; then return; fi
	if is_systemd; then stop_libvirtd; else kill_libvirtd; fi
	start_libvirtd
}

# find_cards: sets T4 and CARDS. A physical function has no physfn.
find_cards() {
	local card
	T4=() CARDS=()
	for card in /sys/bus/pci/devices/*; do
		if [ -e "$card/physfn" ]; then continue; fi
		case $(readlink "$card/driver") in
		*/nvidia | */xe | */vgpu-cards) ;;
		*) continue ;;
		esac
		if [ -e "$card/sriov_totalvfs" ]; then CARDS+=("${card##*/}"); else T4+=("${card##*/}"); fi
	done
}

# has_mdev_cards: can the emulated cards have mediated devices? With Debian's kernels for arm64 they cannot.
has_mdev_cards() { grep -q '^CONFIG_VFIO_MDEV=' "/boot/config-$(uname -r)"; }

# enable_vfs CARD COUNT: enables COUNT virtual functions, or none. Only NVIDIA's functions get the host's
# own driver. The others have no driver.
enable_vfs() {
	local device=/sys/bus/pci/devices/$1 autoprobe=0
	[ ! -e "$NVIDIA/$1" ] || autoprobe=1
	echo "$autoprobe" >"$device/sriov_drivers_autoprobe"
	if [ "$2" != 0 ]; then echo 0 >"$device/sriov_numvfs"; fi
	echo "$2" >"$device/sriov_numvfs"
}

# knows_cards: does libvirt know the cards as they are now? libvirt notices changes slowly. When asked
# about an mdev's parent, libvirt reads all types again. So this first asks whether the cards are in
# libvirt's list.
knows_cards() {
	local device name devices='' there='' all='' xml
	devices=$(functions_of "${T4[@]}" "${CARDS[@]}")
	for device in $devices; do
		name=pci_$device
		there+="nodedev-info ${name//[:.]/_};"
		all+="nodedev-dumpxml ${name//[:.]/_};"
	done
	virsh -q "$there" >/dev/null
	xml=$(virsh -q "$all")
	[ "$(grep -cE "<vendor id='0x(10de|8086|1002)'" <<<"$xml")" = "$(wc -l <<<"$devices")" ]
	[ "$(grep -c "type='mdev_types'" <<<"$xml")" = "$(find /sys/class/mdev_bus/ -name '????:*' | wc -l)" ]
}

# no_cards: unloads the driver, which removes all vGPUs of the cards. Unloading waits for a vGPU that is
# exiting. This ends when libvirt has forgotten the virtual functions. The next functions have the same
# names, and libvirt would take late events for events of the next functions.
no_cards() {
	local vf module names=''
	[ -e /sys/module/vgpu_cards ] || return 0
	fault exiting_ms 0
	for vf in "$NVIDIA"/????:*/virtfn* "$XE"/????:*/virtfn* "$BARE"/????:*/virtfn*; do
		if [ -e "$vf" ]; then names+=" $(readlink "$vf")"; fi
	done
	for module in vgpu_cards_vfio vgpu_cards_xe_vfio vgpu_cards; do
		[ ! -e "/sys/module/$module" ] || rmmod "$module" || return
	done
	look_anew
	wait_for has_forgotten "$names"
	! host2_exists || on_host2 wait_for has_forgotten "$names"
}

# has_forgotten ADDRESSES: does libvirt know none of these addresses?
has_forgotten() {
	local known address
	known=$(virsh -q nodedev-list --cap pci) || return
	for address in $1; do
		address=${address##*/}
		if grep -qx "pci_${address//[:.]/_}" <<<"$known"; then return 1; fi
	done
}

# fault NAME VALUE: sets a parameter of the module.
fault() { echo "$2" >"/sys/module/vgpu_cards/parameters/$1"; }

# counter CARD created|highest|refused
counter() { cat "/sys/bus/pci/devices/$1/emulated/$2"; }

# vfs_of CARD: its virtual functions in their order.
vfs_of() {
	local n=0 vf
	while vf=$(readlink "/sys/bus/pci/devices/$1/virtfn$n"); do
		echo "${vf##*/}"
		n=$((n + 1))
	done
}

# functions_of CARD...: the card itself and its virtual functions.
functions_of() {
	local card
	for card; do
		echo "$card"
		vfs_of "$card"
	done
}

# bind_driver VF DRIVER: binds VF to DRIVER, or to no driver if DRIVER is empty.
bind_driver() {
	local device=/sys/bus/pci/devices/$1
	if [ -e "$device/driver" ]; then echo "$1" >"$device/driver/unbind"; fi
	echo "$2" >"$device/driver_override"
	[ -z "$2" ] || echo "$1" >/sys/bus/pci/drivers_probe
}

# driver_of VF: the driver of VF. Fails if VF has no driver.
driver_of() { link_of "$1" driver; }

# profile_of VF [NAME]: the directory of VF's profile, or the file NAME in it. For a card of xe.
profile_of() {
	local vf=/sys/bus/pci/devices/$1 directory
	for directory in "$vf"/physfn/sriov_admin/vf*; do
		if [ "$directory/device" -ef "$vf" ]; then echo "$directory/profile${2+/$2}"; fi
	done
}

vram_of() { echo "$(<"$(profile_of "$1" vram_quota)")"; }

# set_vram VF BYTES
set_vram() { echo "$2" >"$(profile_of "$1" vram_quota)"; }

vf_type() { cat "/sys/bus/pci/devices/$1/nvidia/current_vgpu_type"; }

# set_vf_type VF ID: sets the type of VF. The ID 0 removes the vGPU.
set_vf_type() { echo "$2" >"/sys/bus/pci/devices/$1/nvidia/current_vgpu_type"; }

# vf_list VF: the ids of the types that VF could have now. It reads each format of the driver's list.
vf_list() {
	awk '$1 ~ /^[0-9]+$/ && $2 == ":" { print $1; next }
		$NF ~ /^[0-9]+$/ { print $NF }' "/sys/bus/pci/devices/$1/nvidia/creatable_vgpu_types"
}

# typed_vfs: the VFs that have a type.
typed_vfs() {
	local file vf
	for file in "$NVIDIA"/????:*/nvidia/current_vgpu_type; do
		if [ ! -e "$file" ] || [ "$(cat "$file")" = 0 ]; then continue; fi
		vf=${file%/nvidia/*}
		echo "${vf##*/}"
	done
}

# profiled_vfs: the VFs of xe that have memory.
profiled_vfs() {
	local vf
	for vf in "$XE"/????:*/virtfn*; do
		if [ ! -e "$vf" ]; then continue; fi
		vf=$(basename "$(readlink "$vf")")
		if [ "$(vram_of "$vf")" != 0 ]; then echo "$vf"; fi
	done
}

assert_no_vgpus() {
	local left
	assert_no_mdevs
	left=$(typed_vfs; profiled_vfs)
	[ -z "$left" ] || fail "there are still VFs with a type, or memory: $left"
}

# seal_of DEVICE: the seal of an mdev or a VF. The seal travels with the state of a vGPU in a save or a
# migration.
seal_of() { cat "$(device_dir "$1")/emulated/seal"; }

# Our own state

# ledger: the leases of the ledger, without its header.
ledger() {
	[ ! -e "$LEDGER" ] || tail -n +2 "$LEDGER"
}

assert_empty_ledger() {
	local left
	left=$(ledger)
	[ -z "$left" ] || fail "the ledger is not empty: $left"
}

# vgpu_conf <<END: writes the configuration.
vgpu_conf() {
	mkdir -p "${CONF%/*}"
	install -m 644 /dev/stdin "$CONF"
}

no_vgpu_conf() { rm -f "$CONF" "${CONF%/*}"/conf.d/*; }

# libvirtd

libvirtd_answers() { timeout "$PATIENCE" virsh -q list; }
libvirtd_pid() { pid_of "$DAEMON"; }

pid_of() { cat "/run/libvirt/$1.pid"; }
daemon_runs() { [ -e "/run/libvirt/$1.pid" ] && kill -0 "$(pid_of "$1")"; }

libvirtd_gone() {
	local daemon
	for daemon in "${DAEMONS[@]}"; do
		if daemon_runs "$daemon"; then return 1; fi
	done
}

start_libvirtd() {
	local daemon
	if is_systemd; then
		systemctl start "${DAEMONS[@]}"
	else
		mkdir -p /run/libvirt
		for daemon in "${DAEMONS[@]}"; do "$daemon" -d -p "/run/libvirt/$daemon.pid"; done
	fi
	wait_for libvirtd_answers
}

# end_libvirtd SIGNAL
end_libvirtd() {
	local daemon
	for daemon in "${DAEMONS[@]}"; do kill -s "$1" "$(pid_of "$daemon")"; done
	wait_for libvirtd_gone
}

stop_libvirtd() {
	if is_systemd; then
		# The sockets are stopped, too. They would start the daemon again at the next call.
		systemctl stop "${DAEMONS[@]/%/.socket}" "${DAEMONS[@]/%/-ro.socket}" \
			"${DAEMONS[@]/%/-admin.socket}" "${DAEMONS[@]}"
	else
		end_libvirtd TERM
	fi
}

kill_libvirtd() { end_libvirtd KILL; }

restart_libvirtd() {
	stop_libvirtd
	start_libvirtd
}

# A browser on the machine that runs the tests (see "needs: browser" in run)

# connect_browser: the only network of this host is a way from a port of that machine to this port here.
connect_browser() {
	local card
	modprobe virtio_net
	udevadm settle
	card=$(basename /sys/class/net/[!l]*)
	ip address add 10.0.2.15/24 dev "$card"
	ip link set "$card" up
	at_end ip address flush dev "$card"
	at_end ip link set "$card" down
}

# serve_cockpit PORT: starts Cockpit at this port, and sets SERVER to its process. Whoever comes is root.
serve_cockpit() {
	/usr/lib/cockpit/cockpit-ws --local-session=/usr/bin/cockpit-bridge --no-tls --port "$1" \
		</dev/null >cockpit.log 2>&1 &
	# shellcheck disable=SC2034 # for the scenario
	SERVER=$!
}

# The second host runs on the same kernel. So it has the same devices, and a UUID that is taken on
# one host is taken on both. All else is its own, in name spaces. Files keep these name spaces alive, so
# the second host does not end when a process ends.

# Directories of this host. The second host has its own directories in their place.
host2_private=(/run/libvirt=run /etc/libvirt=etc /var/lib/libvirt=lib /var/cache/libvirt=cache
	/var/log/libvirt=log /run/libvirt-vgpu=vgpu-run /etc/libvirt-vgpu=vgpu-etc
	/var/lib/libvirt-vgpu=vgpu-lib)

host2_is_still() { [ -z "$(host2_processes)" ]; }
host2_exists() { mountpoint -q "$HOST2/ns/mnt"; }

# enter_host2_system: makes the second host's system the root directory of this process. The process is
# in the second host's name spaces. Directories that are not installed, such as /proc, are shared with
# this host.
enter_host2_system() {
	local shared
	[ -d "$HOST2_SYSTEM" ] || return 0
	mount --bind "$HOST2_SYSTEM" "$HOST2_SYSTEM"
	for shared in dev proc sys run tmp root srv vgpu; do
		mkdir -p "$HOST2_SYSTEM/$shared"
		mount --rbind "/$shared" "$HOST2_SYSTEM/$shared"
	done
	cp /etc/hosts "$HOST2_SYSTEM/etc"
	cd "$HOST2_SYSTEM"
	pivot_root . mnt
	cd /
	umount -l /mnt
	mkdir -p "${host2_private[@]/%=*/}"
}

# set_up_host2: gives the name spaces of this process the second host's name and directories.
set_up_host2() {
	local pair
	echo host2 >/proc/sys/kernel/hostname
	mount --bind /run/libvirt "$HOST2/peer"
	enter_host2_system
	for pair in "${host2_private[@]}"; do mount --bind "$HOST2/${pair#*=}" "${pair%=*}"; done
}

# start_host2: starts the second host. It has this host's libvirt, or the libvirt of its own system. It
# has none of this host's guests. Of our programs it has only the hook.
start_host2() {
	local pair
	rm -rf "$HOST2"
	mkdir -p "$HOST2/ns" "$HOST2/peer" "$HOST2/log/qemu" "${host2_private[@]/#*=/$HOST2/}" "${host2_private[@]/%=*/}"
	# This copies libvirt's cache of QEMU's abilities, too, because libvirt needs seconds to find them out.
	cp -a /etc/libvirt/. "$HOST2/etc"
	cp -a /var/cache/libvirt/. "$HOST2/cache"
	find "$HOST2/etc/qemu" -name '*.xml' -delete
	sed -i '/^host_uuid /d' "$HOST2/etc/$DAEMON.conf"
	echo "host_uuid = \"$(new_uuid)\"" >>"$HOST2/etc/$DAEMON.conf"
	# The second host has ports of its own, and its log needs no virtlogd. It uses no control groups.
	# These have a guest's name and number, and guests of both hosts may have the same ones.
	printf '%s\n' 'migration_port_min = 49300' 'migration_port_max = 49400' \
		'stdio_handler = "file"' 'cgroup_controllers = []' >>"$HOST2/etc/qemu.conf"

	if has_selinux; then
		for pair in "${host2_private[@]}"; do chcon --reference="${pair%=*}" "$HOST2/${pair#*=}"; done
	fi

	touch "$HOST2/ns/mnt" "$HOST2/ns/uts"
	# shellcheck disable=SC2016 # expanded by that shell
	unshare --mount="$HOST2/ns/mnt" --uts="$HOST2/ns/uts" \
		bash -Eeuo pipefail -c '. "$0"; set_up_host2' "${BASH_SOURCE[0]}"
	on_host2 start_libvirtd
}

# on_host2 COMMAND...: runs COMMAND on the second host. It is a function of this file or a program.
on_host2() {
	# shellcheck disable=SC2016 # expanded by that shell
	nsenter --mount="$HOST2/ns/mnt" --uts="$HOST2/ns/uts" --wdns="$PWD" \
		bash -Eeuo pipefail -O inherit_errexit -c '. "$0"; "$@"' "${BASH_SOURCE[0]}" "$@"
}

on_host1() { "$@"; }

# The processes of the second host.
host2_processes() {
	{ local -; set +x; } 2>/dev/null
	local number
	number=$(stat -L -c %i "$HOST2/ns/uts")
	{ find /proc/[0-9]*/ns/uts -lname "uts:\\[$number\\]" 2>/dev/null || true; } | cut -d/ -f3
}

# stop_host2: ends the second host as a loss of power would. The devices stay, because they belong to
# the kernel. The caller removes them. The logs stay, too.
stop_host2() {
	local pid kept
	host2_exists || return 0
	for pid in $(host2_processes); do kill -KILL "$pid" || true; done
	wait_for host2_is_still
	umount "$HOST2/ns/mnt" "$HOST2/ns/uts"
	for kept in "$HOST2"/*; do
		[ "$kept" = "$HOST2/log" ] || rm -rf "$kept"
	done
}

# The URI of the other of the two hosts.
peer() {
	local theirs=run
	[ "$(uname -n)" = host1 ] || theirs=peer
	echo "qemu+unix:///system?socket=$HOST2/$theirs/${DAEMON/%libvirtd/libvirt}-sock"
}

# migrate GUEST [OPTION]...: migrates GUEST to the other host. It is live, unless OPTION is --offline.
migrate() {
	local live=(--live)
	[[ " $* " != *' --offline '* ]] || live=()
	virsh -q migrate "${live[@]}" --desturi "$(peer)" --migrateuri tcp://127.0.0.1 "$@"
}

# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/shapes.sh"
