#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# init of the test host. It loads the sample mdev drivers, starts libvirtd, does the task in /vgpu/task,
# and powers off. The tasks:
#
#   scenarios NAME...     plays these scenarios; see runner.sh
#   systemd NAME...       plays them with systemd as init, which starts all of this; see systemd.sh
#   demo                  plays demo.sh, and shows it on port "results"
#   shell ROWS COLUMNS    a shell on the serial port
set -euo pipefail

export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=${TERM:-linux}
here=/vgpu/tests/vm
# shellcheck source=/dev/null
. "$here/lib.sh"

# A kernel that is a process has no initrd.
# shellcheck source=/dev/null
! is_uml || . "$here/uml/boot.sh"

tell() { echo "[$(cut -d' ' -f1 /proc/uptime)] init: $*"; }

# The kernel rewrites its page allocator when the first cpuset comes and the last one goes, and its slab
# allocator when the first memory cgroup comes. This happens when a lone guest starts and ends. Under
# TCG another processor may fail at that moment ("Oops: int3"). A cgroup that stays, and is made while
# nothing else runs, avoids this.
keep_cgroup() {
	local controller
	for controller in cpuset memory; do
		! grep -qw "$controller" /sys/fs/cgroup/cgroup.controllers ||
			echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control
	done
	mkdir /sys/fs/cgroup/keep
}

mount_all() {
	mountpoint -q /proc || mount -t proc proc /proc
	mountpoint -q /sys || mount -t sysfs sys /sys
	mountpoint -q /run || mount -t tmpfs -o mode=755 run /run
	mkdir -p /dev/pts /dev/shm
	mount -t devpts -o gid=5,mode=620,ptmxmode=666 pts /dev/pts
	mount -t tmpfs shm /dev/shm
	mount -t tmpfs tmp /tmp
	mount -t cgroup2 cgroup /sys/fs/cgroup
	keep_cgroup
	mkdir -p /run/lock /run/dbus
}

find_devices() {
	/usr/lib/systemd/systemd-udevd --daemon
	modprobe -a mdev vfio vfio_iommu_type1 mtty mbochs mdpy
	! is_uml || modprobe uml-dmi
	udevadm trigger
	udevadm settle
}

name_host() {
	echo host1 >/proc/sys/kernel/hostname
	echo '127.0.0.1 localhost host1 host2' >/etc/hosts
	ip link set lo up
	# The hard limit of core dumps stays, because a session's libvirtd raises the limit of its guests to
	# the hard limit.
	ulimit -n 8192 -l unlimited
	ulimit -S -c 0
}

configure_libvirt() {
	local daemon uuid
	uuid=$(new_uuid)
	# Without systemd, QEMU's mount name space fails with "Unable to move /dev/pts mount".
	echo 'namespaces = []' >>/etc/libvirt/qemu.conf
	for daemon in "${DAEMONS[@]}"; do
		echo "log_outputs = \"3:file:/var/log/libvirt/$daemon.log\"" >>"/etc/libvirt/$daemon.conf"
		# A host without firmware has no UUID. Without one, nobody can tell two hosts apart.
		[ -e /sys/class/dmi/id/product_uuid ] || echo "host_uuid = \"$uuid\"" >>"/etc/libvirt/$daemon.conf"
	done
	mkdir -p /var/log/libvirt/qemu
}

# Loads the profiles of libvirt's packages and ours. virt-aa-helper makes a profile for each guest.
load_profiles() {
	mountpoint -q /sys/kernel/security || mount -t securityfs security /sys/kernel/security
	(cd /etc/apparmor.d && apparmor_parser -r usr.sbin.libvirtd usr.lib.libvirt.virt-aa-helper libvirt-vgpu)
}

# The log must not be rotated. auditd of Debian 12 never rotates it, and does not know the option.
log_messages() { busybox syslogd -O /var/log/syslog -s 0 || busybox syslogd -O /var/log/syslog; }

start_daemons() {
	if has_selinux; then start_syslogd; else log_messages; fi
	dbus-daemon --system --fork
	virtlogd -d
	start_libvirtd
}

demo() {
	local status=0
	exec 3>/dev/virtio-ports/results
	# This is a process of its own, so that "set -e" holds in it.
	# shellcheck disable=SC2016 # expanded by that process
	bash -euo pipefail -c '. "$0/lib.sh"; . "$0/demo.sh"' "$here" >&3 2>&1 3>&- || status=$?
	printf 'demo: exit status %d\n' "$status" >&3
}

shell() {
	stty -F /dev/ttyS0 sane rows "$1" columns "$2"
	# Here fail ends only the command that was typed: "exit" in it would power the machine off.
	cat >/root/.bashrc <<-END
		. "$here/lib.sh"
		fail() { local FAIL=''; : "\${FAIL:?\$*}"; }
		alias poweroff=exit
		PS1='\h:\w# '
		echo 'libvirtd runs, and what is to be tested is installed. The functions of'
		echo 'tests/vm/lib.sh are commands here, for example:'
		echo '    cards mdev      # two cards that look like a T4'
		echo '    guest web01     # a guest without a vGPU'
		echo '"exit" powers off, Ctrl-A x ends QEMU.'
	END
	cd /root
	setsid --ctty --wait bash -i <>/dev/ttyS0 >&0 2>&1 || true
}

host() {
	mount_all
	find_devices
	name_host
	configure_libvirt
	if has_apparmor; then load_profiles; fi
	if has_selinux; then
		label_memory
		setenforce 1
	fi
	start_daemons
}

# A PC starts 16 bytes before the end of its ROM. The code there disables interrupts and halts, in a loop.
# QEMU's machine "virt" starts at the first byte of its ROM. The code there waits for an interrupt, in a loop.
make_halt_rom() {
	if is_pc; then
		head -c 65520 /dev/zero >"$HALT_ROM"
		printf '\xfa\xf4\xeb\xfd%012d' 0 >>"$HALT_ROM"
	else
		printf '\x7f\x20\x03\xd5\xff\xff\xff\x17' >"$HALT_ROM"
	fi
	chmod 644 "$HALT_ROM"
}

# A guest with this ROM shows that it goes on with its run. At its start it writes the processor's time
# stamp to 0x504, and 0 to 0x500. Then its clock adds 1 to the number at 0x500, twice a second. The guest
# halts meanwhile. See count_of in lib.sh.
make_count_rom() {
	local code handler segments
	# cli, ds = ss = 0, sp = 0x1000
	code='\xfa\x31\xc0\x8e\xd8\x8e\xd0\xbc\x00\x10'
	# The first interrupt controller passes on only what the second one has: the clock, as vector 0x70.
	code+='\xb0\x11\xe6\x20\xb0\x08\xe6\x21\xb0\x04\xe6\x21\xb0\x01\xe6\x21\xb0\xfb\xe6\x21'
	code+='\xb0\x11\xe6\xa0\xb0\x70\xe6\xa1\xb0\x02\xe6\xa1\xb0\x01\xe6\xa1\xb0\xfe\xe6\xa1'
	# Vector 0x70 is F000:0100, where the handler is.
	code+='\xc7\x06\xc0\x01\x00\x01\xc7\x06\xc2\x01\x00\xf0'
	# dword [0x500] = 0, dword [0x504] = rdtsc
	code+='\x66\xc7\x06\x00\x05\x00\x00\x00\x00\x0f\x31\x66\xa3\x04\x05'
	# The processor's own controller passes nothing on at first: [0xfee00350] = 0x700. This address needs a
	# segment of 4 GB, which is loaded in protected mode.
	code+='\x2e\x0f\x01\x16\x20\x01\x0f\x20\xc0\x0c\x01\x0f\x22\xc0\xbb\x08\x00\x8e\xc3\x24\xfe\x0f\x22\xc0'
	code+='\x66\xbf\x50\x03\xe0\xfe\x26\x67\x66\xc7\x07\x00\x07\x00\x00'
	# The clock: twice a second, and it interrupts. Then sti, and hlt in a loop.
	code+='\xb0\x0a\xe6\x70\xb0\x2f\xe6\x71\xb0\x0b\xe6\x70\xb0\x42\xe6\x71\xfb\xf4\xeb\xfd'
	# inc dword [0x500]; the clock and both controllers are told that it was seen; iret
	handler='\x66\xff\x06\x00\x05\x50\xb0\x0c\xe6\x70\xe4\x71\xb0\x20\xe6\xa0\xe6\x20\x58\xcf'
	# Where the table of segments is, and at F000:0130 the table.
	segments='\x0f\x00\x30\x01\x0f\x00%010d\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x00\x92\xcf\x00'
	head -c 65536 /dev/zero >"$COUNT_ROM"
	# shellcheck disable=SC2059 # the bytes
	printf "$code" | dd of="$COUNT_ROM" conv=notrunc status=none
	# shellcheck disable=SC2059
	printf "$handler" | dd of="$COUNT_ROM" bs=1 seek=256 conv=notrunc status=none
	# shellcheck disable=SC2059
	printf "$segments" 0 | dd of="$COUNT_ROM" bs=1 seek=288 conv=notrunc status=none
	# The processor starts here: jmp F000:0000.
	printf '\xea\x00\x00\x00\xf0' | dd of="$COUNT_ROM" bs=1 seek=65520 conv=notrunc status=none
	chmod 644 "$COUNT_ROM"
}

make_halt_rom
make_count_rom
read -ra task </vgpu/task
if has_selinux; then
	# shellcheck source=/dev/null
	. "$here/selinux.sh"
	is_init_script || label_payload
fi
if [ "${task[0]}" = systemd ]; then
	# shellcheck source=/dev/null
	. "$here/systemd.sh"
	if has_apparmor; then load_profiles; fi
	become_systemd "${task[@]:1}"
fi

if has_selinux && ! is_init_script; then become_init_script; fi

# power_off: does not end, because a kernel without init panics. It starts no program, because the
# kernel takes the disk away before the power.
power_off() {
	tell "off"
	sync
	echo o >/proc/sysrq-trigger
	SECONDS=0
	until [ "$SECONDS" -ge 60 ]; do :; done
}

# The machine powers off in any case.
trap power_off EXIT

host
tell "libvirtd answers"
case ${task[0]} in
scenarios) "$here/runner.sh" "${task[@]:1}" ;;
demo) demo ;;
shell) shell "${task[@]:1}" ;;
esac
