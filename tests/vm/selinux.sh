# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The test host with SELinux. init.sh sources this file. init.sh runs once without a policy. Then it
# runs again in the domain of scripts by which init starts daemons. So its daemons get their domains
# as on a host without systemd.

is_init_script() { [[ $(tr -d '\0' </proc/self/attr/current) == *:initrc_t:* ]]; }

# set_type TYPE FILE...
set_type() { chcon -R "system_u:object_r:$1:s0" "${@:2}"; }

# label_files FILE...: labels them as if they had been installed. No policy is loaded yet.
label_files() { setfiles -F /etc/selinux/default/contexts/files/file_contexts "$@"; }

# label_payload: labels the unpacked files. An earlier boot has kept files in /vgpu, to put them back.
# These files keep the types of their original places.
label_payload() {
	local files
	mapfile -t files < <(tar -tf /dev/vdb | sed -n 's,^\./,/,; /\/$/d; /^\//p')
	label_files "${files[@]}" /etc/libvirt-vgpu /etc/libvirt/hooks /etc/mdevctl.d
	find /vgpu \( -path /vgpu/state -o -path /vgpu/installed \) -prune -o -print0 |
		xargs -0 chcon -h system_u:object_r:usr_t:s0
	set_type bin_t "$here"
	set_type virt_content_t "$HALT_ROM" "$COUNT_ROM"
	set_type initrc_exec_t "$here"/{init,runner}.sh
}

# Labels the directories that are in memory only.
label_memory() {
	restorecon -RF /dev /run
	restorecon -F /tmp
}

# Starts syslogd from a copy of busybox. The name of the copy gives it the domain of syslogd.
start_syslogd() {
	cp /usr/bin/busybox /usr/sbin/syslogd
	restorecon /usr/sbin/syslogd
	syslogd -O /var/log/syslog -s 0
}

become_init_script() {
	mount -t selinuxfs selinuxfs /sys/fs/selinux
	load_policy
	label_memory
	exec runcon system_u:system_r:initrc_t:s0 "$here/init.sh"
}
