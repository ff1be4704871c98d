# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 with SELinux and Debian's own policy. All files are labelled.
# shellcheck shell=bash disable=SC2034

suite=trixie
more=(systemd-dev selinux-policy-default selinux-policy-dev policycoreutils selinux-utils semodule-utils checkpolicy)

# Says which policy the host has. systemd and libselinux read this file.
finish_tree() {
	printf '%s\n' SELINUX=enforcing SELINUXTYPE=default >"$1/etc/selinux/config"
}

# Labels the tree under another name. Under this name nothing is mounted in the tree.
label_tree() {
	"$here/enter" "$1" sh -ec '
		mkdir /tmp/root
		mount --bind / /tmp/root
		setfiles -F -r /tmp/root /etc/selinux/default/contexts/files/file_contexts /tmp/root'
}
