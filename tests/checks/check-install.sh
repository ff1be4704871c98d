# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# "make install" puts each file where it belongs, and "make uninstall" removes all of them.

. "$srcdir/tests/checks/guard.sh"

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cd "$top_builddir"
sysconfdir=$(sed -n 's/^sysconfdir = //p' Makefile)
units=/usr/lib/systemd/system tmpfiles=/usr/lib/tmpfiles.d
completions=/usr/share/bash-completion/completions
zsh=/usr/share/zsh/site-functions fish=/usr/share/fish/vendor_completions.d
scripts='/usr/lib/mdevctl/scripts.d /etc/mdevctl.d/scripts.d'
docs=/usr/share/doc/libvirt-vgpu
set -- prefix=/usr sysconfdir=/etc sbindir=/usr/sbin bindir=/usr/bin mandir=/usr/share/man \
    libexecdir=/usr/libexec apparmordir=/etc/apparmor.d "mdevctldir=$scripts" systemdsystemunitdir=$units \
    tmpfilesdir=$tmpfiles completionsdir=$completions zshdir=$zsh fishdir=$fish docdir=$docs DESTDIR="$stage"
[ -n "$sysconfdir" ]
make -s install-exec install-data "$@" >"$stage.log" 2>&1 || { cat "$stage.log"; exit 1; }
rm -f "$stage.log"

# leads LINK PROGRAM: LINK is a relative link, and leads to PROGRAM.
leads() {
    case $(readlink "$stage$1") in
    /*) complain "$1 is not relative" ;;
    esac
    [ "$(readlink -f "$stage$1")" = "$stage$2" ] || complain "$1 does not lead to $2"
}

# Somebody who finds the two programs asks them what they are.
for program in usr/sbin/libvirt-vgpu-hook usr/libexec/libvirt-vgpu-callout; do
    "$stage/$program" --version </dev/null | grep -q "^${program##*/} (libvirt-vgpu) [0-9]" ||
        complain "$program does not tell its version"
    "$stage/$program" --help </dev/null | grep -q "man ${program##*/}" || complain "$program has no help"
done
[ -x "$stage/usr/sbin/libvirt-vgpu-hook" ] || complain "the hook is not in /usr/sbin"
[ -x "$stage/usr/bin/vgpuctl" ] || complain "vgpuctl is not in /usr/bin"
[ -f "$stage/usr/lib/libvirt-vgpu/connection.so" ] || complain "connection.so is not in /usr/lib/libvirt-vgpu"
leads /etc/libvirt/hooks/qemu.d/50-vgpu /usr/sbin/libvirt-vgpu-hook
[ -x "$stage/usr/libexec/libvirt-vgpu-callout" ] || complain "the call-out is not in /usr/libexec"
for dir in $scripts; do
    for kind in callouts notifiers; do
        leads "$dir/$kind/50-libvirt-vgpu" /usr/libexec/libvirt-vgpu-callout
    done
done
[ -d "$stage/etc/libvirt-vgpu/conf.d" ] || complain "/etc/libvirt-vgpu/conf.d is missing"
for page in man1/vgpuctl.1 man1/vgpuctl-gpu.1 man1/vgpuctl-guest.1 man1/vgpuctl-migrate.1 \
    man1/vgpuctl-repair.1 man1/vgpuctl-show.1 man5/vgpu.conf.5 man7/vgpu-request.7 man8/libvirt-vgpu-hook.8 \
    man8/libvirt-vgpu-callout.8; do
    [ -f "$stage/usr/share/man/$page" ] || complain "$page is missing"
done
commands=$(./vgpuctl --help | sed -n '1,/^Options:$/s/^  \([a-z][a-z-]*\) .*/\1/p' | grep -vx help)
for command in ${commands:?}; do
    grep -q "^\.It Cm $command " "$stage/usr/share/man/man1/vgpuctl-$command.1" ||
        complain "man vgpuctl-$command does not show the command"
done
files=$stage/usr/share/man/man1/vgpuctl.1
grep -q '^\.It Pa /usr/lib/libvirt-vgpu/connection.so$' "$files" || complain "vgpuctl.1 does not name connection.so"
if grep '@[a-z]*dir@' "$files"; then complain "vgpuctl.1 was not filled in"; fi
for file in vgpu-request.rng vgpuctl.schema.json libvirt-vgpu-alerts.yml libvirt-vgpu-dashboard.json; do
    [ -f "$stage/usr/share/libvirt-vgpu/$file" ] || complain "$file is missing"
done
profile=$stage/etc/apparmor.d/libvirt-vgpu
[ -f "$profile" ] || complain "AppArmor's profile is missing"
if grep '@[a-z]*dir@' "$profile"; then complain "AppArmor's profile was not filled in"; fi
# Cockpit finds the page by the name of its directory, and lists it by the metainfo for AppStream.
cockpit=/usr/share/cockpit metainfo=/usr/share/metainfo/org.cockpit_project.libvirt-vgpu.metainfo.xml
page=$stage$cockpit/libvirt-vgpu
for file in "$srcdir"/nodedev/cockpit/*; do
    [ "${file##*/}" != local.mk ] || continue
    [ -f "$page/${file##*/}" ] || complain "${file##*/} of the page for Cockpit is missing"
done
entries=$(perl -MJSON::PP -0777 -ne 'my $all = decode_json($_);
    for my $menu (map { $all->{$_} || {} } qw(menu tools)) {
        print $menu->{$_}{path} || "$_.html", "\n" for keys %$menu;
    }' "$page/manifest.json")
[ -n "$entries" ] || complain "the manifest for Cockpit has no entry for its menu"
for entry in $entries; do
    [ -f "$page/${entry%%[#?]*}" ] || complain "the manifest for Cockpit names $entry, which is missing"
done
launched=$(sed -n 's,.*<launchable type="cockpit-manifest">\(.*\)</launchable>.*,\1,p' "$stage$metainfo")
[ -f "$stage$cockpit/$launched/manifest.json" ] || complain "$metainfo names no page for Cockpit: '$launched'"

for document in README.md NEWS examples/vgpu.conf packaging/README.md; do
    [ -f "$stage$docs/$document" ] || complain "$document is missing"
done
perl "$srcdir/tests/checks/dead-links.pl" "$stage$docs" || complain "dead links in what is installed"
# Options of configure decide which of these are installed.
if grep -q '^nodist_systemdsystemunit_DATA = ' Makefile; then
    for unit in metrics.service metrics.timer ready.service reconcile.service reconcile.timer \
        setup.service sriov@.service; do
        [ -f "$stage$units/libvirt-vgpu-$unit" ] || complain "libvirt-vgpu-$unit is missing"
    done
    for command in metrics ready reconcile setup; do
        service=$stage$units/libvirt-vgpu-$command.service
        grep -Eqx "ExecStart=/.*/bin/vgpuctl $command( .*)?" "$service" ||
            complain "$service does not start vgpuctl $command"
    done
    grep -Eqx 'ExecStart=/.*/bin/vgpuctl sriov enable %I' "$stage$units/libvirt-vgpu-sriov@.service" ||
        complain "libvirt-vgpu-sriov@.service does not start vgpuctl sriov enable"
    if grep '@[a-z]*@' "$stage$units"/*; then complain "units were not filled in"; fi
fi
if grep -q '^dist_tmpfiles_DATA = ' Makefile; then
    [ -f "$stage$tmpfiles/libvirt-vgpu.conf" ] || complain "the file for tmpfiles.d is missing"
fi
if ! grep -qx 'completionsdir = no' Makefile; then
    grep -q '^complete .* vgpuctl$' "$stage$completions/vgpuctl" ||
        complain "bash will not find the completion of vgpuctl"
    # The installed completions of the other shells call bash's.
    for file in "$stage$zsh/_vgpuctl" "$stage$fish/vgpuctl.fish"; do
        grep -q "'$completions/vgpuctl'" "$file" || complain "$file does not ask bash's completion"
    done
fi
executables=$(find "$stage/etc" -type f -perm /111)
[ -z "$executables" ] || complain "executables in /etc, which libvirt might run: $executables"

# Files that an administrator wrote survive another install and an uninstall.
echo '# mine' >>"$stage/etc/libvirt-vgpu/vgpu.conf"
make -s install-exec install-data "$@" >/dev/null
make -s uninstall "$@" >/dev/null
grep -q '# mine' "$stage/etc/libvirt-vgpu/vgpu.conf" || complain "an edited vgpu.conf was lost"
rm "$stage/etc/libvirt-vgpu/vgpu.conf"
left=$(find "$stage" ! -type d)
[ -z "$left" ] || complain "left by uninstall: $left"
rm -rf "$stage"

# uninstalls WHAT MAKE-VARIABLE...: an uninstall leaves the tree that was before the installation, also of what
# has a package of its own. Nobody need have compiled the policy module: any file is good for that.
# shellcheck disable=SC2317 # it is called
uninstalls() {
    what=$1
    shift
    (cd "$stage" && find . | sort) >"$stage.before"
    make -s install-exec install-data install-cards "$@" >/dev/null
    share=$(dirname "$(dirname "$(find "$stage" -name '*.schema.json')")")
    mkdir -p "$share/selinux/packages"
    : >"$share/selinux/packages/libvirt_vgpu.pp"
    make -s uninstall "$@" >/dev/null
    (cd "$stage" && find . | sort) | diff "$stage.before" - || complain "$what: uninstall leaves another tree"
    rm -rf "$stage" "$stage.before"
}

# On a host. These directories are those of others, which stay, be they empty or not.
for dir in usr/bin usr/sbin usr/lib usr/libexec usr/src usr/share/bash-completion/completions usr/share/doc \
    usr/share/cockpit usr/share/man/man1 usr/share/man/man4 usr/share/man/man5 usr/share/man/man7 \
    usr/share/man/man8 usr/share/metainfo usr/share/selinux/packages ".$units" ".$tmpfiles" ".$zsh" ".$fish" \
    etc/apparmor.d etc/libvirt/hooks etc/mdevctl.d/scripts.d/callouts etc/mdevctl.d/scripts.d/notifiers \
    usr/lib/mdevctl/scripts.d/callouts usr/lib/mdevctl/scripts.d/notifiers; do
    mkdir -p "$stage/$dir"
done
uninstalls "of /usr" "$@"

# With a prefix that nobody else has, all directories in it are ours. The prefix itself stays, because "make
# distcheck" looks there for what is left.
mkdir -p "$stage/opt/x"
set -- prefix=/opt/x sysconfdir=/opt/x/etc sbindir=/opt/x/sbin bindir=/opt/x/bin mandir=/opt/x/share/man \
    libexecdir=/opt/x/libexec apparmordir=/opt/x/etc/apparmor.d mdevctldir=/opt/x/etc/mdevctl.d/scripts.d \
    systemdsystemunitdir=/opt/x$units tmpfilesdir=/opt/x$tmpfiles completionsdir=/opt/x$completions \
    zshdir=/opt/x$zsh fishdir=/opt/x$fish docdir=/opt/x/share/doc/libvirt-vgpu DESTDIR="$stage"
uninstalls "of a prefix of our own" "$@"
# What somebody else has there stays.
mkdir -p "$stage/opt/x/share/man/man1" "$stage/opt/x/other"
touch "$stage/opt/x/share/man/man1/other.1"
uninstalls "of a prefix with another's files" "$@"
finish
