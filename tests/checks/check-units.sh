# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# What systemd says of the units, and AppStream of the metainfo: nothing. The programs that the units start are
# where they look. No unit leaves more open than it did (tests/checks/README.md has the figures).

. "$srcdir/tests/checks/guard.sh"
needs systemd-analyze
needs appstreamcli

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
said=$stage/said units=$stage/units metainfo=config/org.cockpit_project.libvirt-vgpu.metainfo.xml

# finds_fault FILE: AppStream has something to say about it. There is no homepage yet, which AppStream 1.0.3
# and later warn of.
finds_fault() { appstreamcli validate --no-net "$1" | grep '^[EW]: ' | grep -v ': url-homepage-missing'; }

if finds_fault $metainfo; then complain "AppStream has something to say about the metainfo"; fi
grep -v '<extends>' $metainfo >"$stage/wrong.metainfo.xml"
finds_fault "$stage/wrong.metainfo.xml" >"$said" ||
    complain "AppStream does not notice that an addon extends nothing"

# The units as they are installed, but for where the program is. Only messages about our units count.
mkdir "$units"
for unit in config/libvirt-vgpu-*.timer "$top_builddir"/config/libvirt-vgpu-*.service; do
    sed "s,^ExecStart=/.*/vgpuctl,ExecStart=$top_builddir/vgpuctl," "$unit" >"$units/${unit##*/}"
done
for unit in config/libvirt-vgpu-*.service.in; do
    unit=${unit##*/}
    [ -e "$units/${unit%.in}" ] || complain "${unit%.in} was not filled in"
done
systemd-analyze verify --man=no "$units"/* >"$said" 2>&1 || true
if grep libvirt-vgpu "$said"; then complain "systemd does not understand this"; fi

# Ten times that figure, and a little more for other versions of systemd.
systemd-analyze --help | grep -q -e --offline || lacks "systemd 250"
for unit in metrics:15 ready:11 reconcile:26 setup:38 sriov@:36; do
    systemd-analyze security --no-pager --offline=yes --threshold="${unit#*:}" \
        "$units/libvirt-vgpu-${unit%:*}.service" >"$said" 2>&1 ||
        complain "more open than it was:" "$(tail -n 1 "$said")"
done
finish
