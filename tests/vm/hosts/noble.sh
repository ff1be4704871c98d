# SPDX-License-Identifier: LGPL-2.1-or-later
# Ubuntu 24.04 LTS with its updates: libvirt 10.0, QEMU 8.2, kernel 6.8, mdevctl 1.3.
# shellcheck shell=bash disable=SC2034

suite=noble
distribution=ubuntu
script=gutsy
updates=noble-updates
options=("--components=main,universe")
more=(systemd-dev)
# The kernel is the generic one. This package of it needs no firmware.
kernel=(linux-image-virtual linux-headers-virtual initramfs-tools zstd)

# Debian 13 and later have a package of Ubuntu's keys. If this host does not have it, it is fetched for
# this disk only, and apt checks it with Debian's keys. It goes when the build's mount name space goes.
find_keys() {
	local keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg dir=$cache/keys
	if [ ! -e "$keys" ]; then
		say "Ubuntu's keys"
		mkdir -p "$dir"
		mount -t tmpfs keys "$dir"
		(cd "$dir" && download "$(mirror_of_host)" trixie ubuntu-keyring && dpkg-deb -x ./*.deb .) >&2
		keys=$dir$keys
	fi
	options+=(--keyring="$keys" --force-check-gpg)
}
