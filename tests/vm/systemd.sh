# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The test host with systemd as init. At each boot init.sh sources this file, and then becomes systemd.

# These units have no part in the tests, and make a boot seconds longer.
unwanted=(getty.target systemd-logind.service systemd-user-sessions.service systemd-firstboot.service
	ldconfig.service systemd-hwdb-update.service systemd-journal-catalog-update.service
	systemd-update-done.service systemd-sysusers.service systemd-random-seed.service
	systemd-machine-id-commit.service systemd-binfmt.service systemd-pstore.service
	systemd-tpm2-setup.service systemd-tpm2-setup-early.service systemd-pcrmachine.service
	systemd-pcrphase.service systemd-pcrphase-sysinit.service systemd-hibernate-clear.service
	systemd-journal-flush.service proc-sys-fs-binfmt_misc.automount dev-hugepages.mount
	dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount
	sys-fs-fuse-connections.mount remote-fs.target machines.target libvirt-guests.service
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer logrotate.timer
	e2scrub_all.timer e2scrub_reap.service systemd-tmpfiles-clean.timer prometheus.service apparmor.service)

mask() {
	local unit
	for unit; do ln -sf /dev/null "/etc/systemd/system/$unit"; done
}

# Lists the GPUs' drivers for systemd, which loads them at boot.
load_drivers() {
	printf '%s\n' mdev vfio vfio_iommu_type1 mtty mbochs >/etc/modules-load.d/vgpu.conf
}

# unit_runner NAME...: what plays the scenarios once the host is up. AllowedCPUs makes a cpuset
# that stays (see keep_cgroup).
unit_runner() {
	cat >/etc/systemd/system/vgpu-runner.service <<-END
		[Unit]
		After=multi-user.target
		[Service]
		Environment=HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
		ExecStart=/vgpu/tests/vm/runner.sh $*
		ExecStopPost=/bin/sh -c 'sync; echo o >/proc/sysrq-trigger'
		StandardOutput=journal+console
		LimitCORE=0
		AllowedCPUs=0
	END
	mkdir -p /etc/systemd/system/default.target.wants
	ln -sf ../vgpu-runner.service /etc/systemd/system/default.target.wants/
}

# become_systemd NAME...: writes the files of this boot, and becomes systemd. init has unpacked the
# installed files again. A scenario that cut the power gets its configuration back.
become_systemd() {
	if [ -d /vgpu/state/libvirt-vgpu ]; then
		rm -rf /etc/libvirt-vgpu
		mv /vgpu/state/libvirt-vgpu /etc/
	fi
	if [ ! -d /vgpu/state ]; then
		mkdir /vgpu/state
		echo host1 >/etc/hostname
		echo '127.0.0.1 localhost host1' >/etc/hosts
		echo 0123456789abcdef0123456789abcdef >/etc/machine-id
		ln -sf /usr/lib/systemd/system/multi-user.target /etc/systemd/system/default.target
		mask "${unwanted[@]}"
		load_drivers
		unit_runner "$@"
	fi
	# With "quiet" systemd may write nothing to the console, and "run" would take the machine for hung.
	echo "init: systemd follows"
	exec /usr/lib/systemd/systemd
}
