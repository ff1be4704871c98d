# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 with virtqemud and virtnodedevd in place of libvirtd. Sockets start them. Debian has no
# package of them, so they are built from the source of Debian's libvirt. The rest of libvirt, also its
# library and drivers, comes from Debian's packages.
# shellcheck shell=bash disable=SC2034

suite=trixie
more=(systemd-dev meson ninja-build patch xsltproc python3-docutils
	libglib2.0-dev libgnutls28-dev libjson-c-dev libnl-3-dev libnl-route-3-dev libpciaccess-dev
	libtirpc-dev libudev-dev)

# A mirror may lack the .dsc. So this fetches the two parts of the source, and puts them together.
finish_tree() {
	say "virtqemud"
	"$here/enter" "$1" bash -euo pipefail -s <<-'END'
		cd /tmp
		sed 's/^deb /deb-src /' /etc/apt/sources.list >/etc/apt/sources.list.d/source.list
		apt-get -q update
		source=libvirt=$(dpkg-query -W -f '${source:Version}' libvirt-daemon)
		for part in --tar-only --diff-only; do
			apt-get -q -o APT::Sandbox::User=root source --download-only "$part" "$source"
		done
		rm /etc/apt/sources.list.d/source.list
		mkdir source
		cd source
		tar -xf ../libvirt_*.orig.tar.xz --strip-components=1
		tar -xf ../libvirt_*.debian.tar.xz
		while read -r patch; do patch -s -p1 <"debian/patches/$patch"; done <debian/patches/series

		meson setup build --prefix=/usr --sysconfdir=/etc --localstatedir=/var --libexecdir=/usr/lib/libvirt \
			-Dauto_features=disabled -Dno_git=true -Drunstatedir=/run -Dinitconfdir=/etc/default \
			-Dunitdir=/usr/lib/systemd/system -Dinit_script=systemd \
			-Ddriver_remote=enabled -Ddriver_libvirtd=enabled -Ddriver_qemu=enabled \
			-Dqemu_user=libvirt-qemu -Dqemu_group=libvirt-qemu \
			-Djson_c=enabled -Dlibnl=enabled -Dpciaccess=enabled -Dudev=enabled
		ninja -j2 -C build src/virtqemud src/virtnodedevd
		for daemon in virtqemud virtnodedevd; do
			install -s "build/src/$daemon" /usr/sbin/
			install -m 644 "build/src/$daemon.service" "build/src/$daemon"*.socket /usr/lib/systemd/system/
		done

		# Enables what libvirt's own packages enable: the sockets of both daemons, and the service that
		# starts guests at boot.
		systemctl disable libvirtd.service libvirtd{,-ro,-admin}.socket
		systemctl enable virtqemud.service virt{qemu,nodedev}d{,-ro,-admin}.socket
		# Without a URI Debian's library would ask libvirtd.
		rm /usr/sbin/libvirtd
		echo 'uri_default = "qemu:///system"' >>/etc/libvirt/libvirt.conf
	END
}
