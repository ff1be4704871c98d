# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# What "make install" puts where, and that "make uninstall" takes all of it away.

. "$srcdir/tests/guard.sh"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cd "$top_builddir"
sysconfdir=$(sed -n 's/^sysconfdir = //p' Makefile)
units=/usr/lib/systemd/system tmpfiles=/usr/lib/tmpfiles.d
set -- prefix=/usr sysconfdir=/etc sbindir=/usr/sbin bindir=/usr/bin mandir=/usr/share/man \
    systemdsystemunitdir=$units tmpfilesdir=$tmpfiles DESTDIR="$stage"
[ -n "$sysconfdir" ]
make -s install-exec install-data "$@" >"$stage.log" 2>&1 || { cat "$stage.log"; exit 1; }
rm -f "$stage.log"

[ -x "$stage/usr/sbin/libvirt-vgpu-hook" ] || complain "the hook is not in /usr/sbin"
[ -x "$stage/usr/bin/vgpuctl" ] || complain "vgpuctl is not in /usr/bin"
[ "$(readlink "$stage/etc/libvirt/hooks/qemu.d/50-vgpu")" = /usr/sbin/libvirt-vgpu-hook ] ||
    complain "qemu.d/50-vgpu does not lead to /usr/sbin/libvirt-vgpu-hook"
[ -d "$stage/etc/libvirt-vgpu/conf.d" ] || complain "/etc/libvirt-vgpu/conf.d is missing"
for page in man1/vgpuctl.1 man5/vgpu.conf.5 man7/vgpu-request.7 man8/libvirt-vgpu-hook.8; do
    [ -f "$stage/usr/share/man/$page" ] || complain "$page is missing"
done
[ -f "$stage/usr/share/libvirt-vgpu/vgpu-request.rng" ] || complain "the schema is missing"
# Which of these are installed is configure's option.
service=libvirt-vgpu-reconcile.service
if grep -q '^nodist_systemdsystemunit_DATA = ' Makefile; then
    grep -qx 'ExecStart=/.*/bin/vgpuctl reconcile' "$stage$units/$service" ||
        complain "$service does not start vgpuctl"
    if grep '@[a-z]*@' "$stage$units/$service"; then complain "$service was not filled in"; fi
    [ -f "$stage$units/${service%.service}.timer" ] || complain "the timer is missing"
fi
if grep -q '^dist_tmpfiles_DATA = ' Makefile; then
    [ -f "$stage$tmpfiles/libvirt-vgpu.conf" ] || complain "the file for tmpfiles.d is missing"
fi
executables=$(find "$stage/etc" -type f -perm /111)
[ -z "$executables" ] || complain "executables in /etc, which libvirt might run: $executables"

# What an administrator wrote survives another install and an uninstall.
echo '# mine' >>"$stage/etc/libvirt-vgpu/vgpu.conf"
make -s install-exec install-data "$@" >/dev/null
make -s uninstall "$@" >/dev/null
grep -q '# mine' "$stage/etc/libvirt-vgpu/vgpu.conf" || complain "an edited vgpu.conf was lost"
rm "$stage/etc/libvirt-vgpu/vgpu.conf"
left=$(find "$stage" ! -type d)
[ -z "$left" ] || complain "left by uninstall: $left"
finish
