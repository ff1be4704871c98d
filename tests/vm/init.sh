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
	local daemon
	# Without systemd, QEMU's mount name space fails with "Unable to move /dev/pts mount".
	echo 'namespaces = []' >>/etc/libvirt/qemu.conf
	for daemon in "${DAEMONS[@]}"; do
		echo "log_outputs = \"3:file:/var/log/libvirt/$daemon.log\"" >>"/etc/libvirt/$daemon.conf"
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

make_halt_rom
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
