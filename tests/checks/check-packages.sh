# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The packages for Debian and Fedora are made. lintian, rpmlint and blhc have nothing to say, and
# debian/copyright names the licence and the holders of each file. Two tarballs are the same bit by bit,
# all leave the tree that "make install" leaves, and installing, upgrading, removing and purging do what
# hook-link.sh says. With LONG=1 the unit tests are run once more, and each package is made twice and
# compared. Nothing here needs root.

. "$srcdir/tests/checks/guard.sh"
for program in dpkg-buildpackage dh lintian blhc rpmbuild rpmlint; do needs $program; done
needs_file selinux-policy-dev /usr/share/selinux/devel/Makefile

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
umask 022
packaging=config/packaging
packing=$srcdir/$packaging
version=$(sed -n 's/^AC_INIT(\[libvirt-vgpu\], \[\(.*\)\])$/\1/p' configure.ac)
release=libvirt-vgpu-$version

# Two builds, whose environments have nothing in common but the installed programs. The variables
# that make gives to its tests are not for these builds.
first=$scratch/first
second=$scratch/second/in-another-place
mkdir -p "$first" "$second/home"

as_first() { env -i PATH="$PATH" HOME="$scratch" LC_ALL=C TZ=UTC "$@"; }

as_second() {
    (
        umask 077
        exec env -i PATH="$PATH" HOME="$second/home" LC_ALL=C.UTF-8 TZ=Pacific/Kiritimati USER=second "$@"
    )
}

# run WORD... : runs a command silently. If it fails, the check ends.
run() {
    "$@" >"$scratch/log" 2>&1 </dev/null || {
        cat "$scratch/log"
        complain "failed: $*"
        exit 1
    }
}

# same FILE...: the second build has made the same files.
same() {
    for file; do
        cmp "$first/$file" "$second/$file" || complain "two makers make $file differently"
    done
}

# The versions that are written by hand.
[ "$(dpkg-parsechangelog -l $packaging/debian/changelog -S Version)" = "$version-1" ] ||
    complain "$packaging/debian/changelog is not of version $version"
[ "$(grep -m1 '^[0-9]' $packaging/NEWS)" = "$version" ] ||
    complain "$packaging/NEWS does not begin with version $version"
sed -n '/^%changelog/,$p' $packaging/rpm/libvirt-vgpu.spec.in | sed -n 2p | grep -q " - $version-1\$" ||
    complain "the changelog of libvirt-vgpu.spec.in does not begin with version $version"

# The manifest and the packages name the same oldest version of Cockpit.
cockpit=$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{requires}{cockpit}' nodedev/cockpit/manifest.json)
grep -qx " *cockpit-bridge (>= $cockpit)," $packaging/debian/control ||
    complain "debian/control does not need the cockpit-bridge of the page's manifest: '$cockpit'"
grep -qx "Requires: *cockpit-bridge >= $cockpit" $packaging/rpm/libvirt-vgpu.spec.in ||
    complain "libvirt-vgpu.spec.in does not need the cockpit-bridge of the page's manifest: '$cockpit'"

# Tarballs: the second is made from the first. It is configured as README.md says, because the tests
# below need it.
run as_first make -s -C "$top_builddir" dist
cp "$top_builddir/$release.tar.xz" "$first"
run as_second tar -xf "$first/$release.tar.xz" -C "$second"
cd "$second/$release"
# Also of what autoconf and automake have added to the tree.
find -- * .[!.]* -type f | LC_ALL=C awk -f "$srcdir/tests/checks/copyright.awk" $packaging/debian/copyright - ||
    complain "$packaging/debian/copyright does not match the tarball"
# As in a copy without git, whose files have the dates of the copy.
find . -exec touch -d '2026-01-01 UTC' {} +
run as_second ./configure --prefix=/usr --sysconfdir=/etc
run as_second make -s dist
mv "$release.tar.xz" "$second"
same "$release.tar.xz"

# make_deb, make_rpm FIRST|SECOND DIR
tests=--nocheck
no_tests="DEB_BUILD_OPTIONS=nocheck DEB_BUILD_PROFILES=nocheck"
if [ -n "${LONG-}" ]; then tests='' no_tests=''; fi
# shellcheck disable=SC2086 # words, or none
make_deb() { run "$1" env $no_tests "$packing/build-package" deb "$2/$release.tar.xz" "$2"; }
# shellcheck disable=SC2086 # a word, or none
make_rpm() { run "$1" "$packing/build-package" rpm "$2/$release.tar.xz" "$2" $tests; }

make_deb as_first "$first"
mv "$scratch/log" "$first/deb.log"
make_rpm as_first "$first"
cd "$first"
if [ -n "${LONG-}" ]; then
    make_deb as_second "$second"
    same deb/*.deb deb/*.dsc deb/*.debian.tar.xz
    make_rpm as_second "$second"
    # An .src.rpm contains the name of the place where it was made.
    same rpm/RPMS/*/*.rpm
fi
deb=$(echo "$first"/deb/libvirt-vgpu_*.deb)
rpm=$(echo "$first"/rpm/RPMS/*/libvirt-vgpu-[0-9]*.rpm)
policy_deb=$(echo "$first"/deb/libvirt-vgpu-selinux_*.deb)
policy_rpm=$(echo "$first"/rpm/RPMS/*/libvirt-vgpu-selinux-[0-9]*.rpm)
page_deb=$(echo "$first"/deb/cockpit-libvirt-vgpu_*.deb)
page_rpm=$(echo "$first"/rpm/RPMS/*/cockpit-libvirt-vgpu-[0-9]*.rpm)

# Each compiler and linker line of the build has the hardening flags that debian/rules asks for. PIE is no
# flag: it is the default of Debian's gcc, and lintian looks at the programs.
blhc --bindnow deb.log || complain "blhc has something to say about the build"

# Not a word, but of what is overridden, with its reason, in debian and in libvirt-vgpu.rpmlintrc. Two
# of its notes cannot be overridden, as what one of Debian 12 and 13 knows is an error in the other: that
# our version of the policy is newer than lintian's, and that libvirt-vgpu-ready.service, which orders
# services of systemd, has no script for other inits.
known='newer-standards-version|package-supports-alternative-init-but-no-init.d-script'
lintian --allow-root -EvIL +pedantic deb/*.changes >lintian.out 2>&1 || complain "lintian fails"
if grep -vE "^[NO]: |: ($known) " lintian.out; then complain "lintian has something to say"; fi
# A filter that a version of rpmlint does not use is an error, too. rpmlint of Debian 13 does not accept our
# words.
known='unused-rpmlintrc-filter|spelling-error'
rpmlint -r "$packing/rpm/libvirt-vgpu.rpmlintrc" rpm/RPMS/*/*.rpm rpm/SRPMS/*.rpm \
    "$second/$release/$packaging/rpm/libvirt-vgpu.spec" >rpmlint.out 2>&1 || true
grep -q '^ *5 packages and 1 specfiles checked' rpmlint.out || complain "rpmlint fails:" "$(cat rpmlint.out)"
if grep -E ': [EW]: ' rpmlint.out | grep -vE ": E: ($known) "; then
    complain "rpmlint has something to say"
fi

# A package of ours goes with those of the same build, and no others.
evr=$(rpm -qp --qf '%{VERSION}-%{RELEASE}' "$rpm")
rpm -qp --requires "$rpm" >requires
grep -Fqx "(libvirt-vgpu-selinux = $evr if selinux-policy-targeted)" requires ||
    complain "the .rpm takes another version of its policy:" "$(grep selinux requires)"
rpm -qp --requires "$page_rpm" >requires
grep -Fqx "libvirt-vgpu = $evr" requires ||
    complain "the .rpm of the page takes another version of vgpuctl:" "$(grep vgpu requires)"
if sed -n '/^%build/,/^%install/p' "$packing/rpm/libvirt-vgpu.spec.in" | grep '^make'; then
    complain "libvirt-vgpu.spec.in builds without %make_build"
fi

# new_root DIR: an empty host, where /lib is part of /usr.
new_root() {
    mkdir -p "$1/usr/lib" "$1/var/lib/dpkg/info" "$1/var/lib/dpkg/updates" "$1/run"
    ln -s usr/lib "$1/lib"
    : >"$1/var/lib/dpkg/status"
}

# tree DIR: the files below DIR: kind, mode, path, the target of a link, and the content of a file
# that is no program. The distribution decides whether files are compressed. It also decides about
# licences, changelogs, overrides and links by build ids, and where libraries are, and whether they
# count as programs. So all these are left out.
tree() {
    (
        cd "$1"
        find etc usr -mindepth 1 ! -path '*/.build-id*' ! -path '*/share/licenses*' ! -name copyright \
            ! -path '*/share/doc/cockpit-*' ! -name 'changelog.Debian*' ! -path '*/share/lintian*' ! -path 'etc/systemd*' -printf '%y %m %p\n' |
            while read -r kind mode path; do
                case $kind$path in
                f*/connection.so) what=module mode=any ;;
                l*) what=$(realpath -m "./$path") what=${what#"$PWD"} ;;
                f*/sbin/* | f*/bin/* | f*/libexec/*) what=program ;;
                # The page names the directory of libraries.
                f*/vgpuctl.1*) what=$(zcat -f "$path" | sed 's,/usr/lib.*/libvirt-vgpu,LIB,' | cksum) path=${path%.gz} ;;
                f*.gz) what=$(zcat "$path" | cksum) path=${path%.gz} ;;
                f*) what=$(cksum <"$path") ;;
                *) what= ;;
                esac
                # Each distribution decides where zsh looks.
                path=$(echo "$path" | sed 's,/zsh/vendor-completions,/zsh/site-functions,')
                # Each distribution decides where libraries are.
                path=$(echo "$path" | sed 's,^usr/lib\(64\|/[a-z0-9_]*-linux-gnu[a-z0-9]*\)\(/\|$\),usr/lib\2,')
                [ "$path" != usr/lib ] || continue
                # Only the RPM enables units by a preset.
                case $path in usr/lib/systemd/system-preset*) continue ;; esac
                # A link to an absolute path leads out of here.
                if [ "$kind" = l ]; then case $(readlink "$path") in /*) what=$(readlink "$path") ;; esac; fi
                case $path in usr/share/man/*) path=${path%.gz} what=${what%.gz} ;; esac
                echo "$kind $mode $path $what"
            done | sort -k3
    )
}

# The programs that were compiled for the package need not be compiled again.
installed=$scratch/installed
new_root "$installed"
(cd "deb/$release" && find . -name '*.[oa]' -o -name libvirt-vgpu-hook -type f -o -name vgpuctl -type f \
    -o -name libvirt-vgpu-callout -type f -o -name connection.so | tar -c --exclude=./debian -T -) | tar -x -C "$second/$release"
run as_first make -s -C "$second/$release" install DESTDIR="$installed"
tree "$installed" >expected-dpkg
# Fedora has no AppArmor, and its own directory for mdevctl's scripts.
scripts=/usr/lib/mdevctl/scripts.d
new_root "$installed-rpm"
run as_first make -s -C "$second/$release" install DESTDIR="$installed-rpm" apparmordir= mdevctldir=$scripts
tree "$installed-rpm" >expected-rpm
for file in etc/apparmor.d/libvirt-vgpu etc/mdevctl.d/scripts.d/callouts/50-libvirt-vgpu; do
    grep -q " $file " expected-dpkg || complain "make install does not leave $file"
    if grep " ${file%/*}" expected-rpm; then complain "make install for Fedora leaves $file"; fi
done

# leaves_it WHO ROOT
leaves_it() {
    tree "$2" >"tree-$1"
    diff -U0 "expected-$1" "tree-$1" || complain "$1 ('+') leaves another tree than make install ('-')"
}

# have_all TARGET DEB RPM: packages of their own have what "make TARGET" leaves, and nothing else.
have_all() {
    run as_first make -s -C "$second/$release" "$1" DESTDIR="$scratch/$1/make"
    mkdir "$scratch/$1/deb" "$scratch/$1/rpm"
    dpkg-deb -x "$2" "$scratch/$1/deb"
    rpm2archive - <"$3" | tar -xz -C "$scratch/$1/rpm"
    rm -r "$scratch/$1/deb/usr/share/doc" "$scratch/$1/deb/usr/share/lintian" "$scratch/$1/rpm/usr/share/licenses"
    for kind in deb rpm; do
        diff -r "$scratch/$1/make" "$scratch/$1/$kind" || complain "the .$kind ('>') is not what make $1 ('<') leaves"
    done
}

# Each build compiles the same policy module.
have_all install-selinux "$policy_deb" "$policy_rpm"
have_all install-cockpit "$page_deb" "$page_rpm"

# has_live_links DIRECTORY: its pages lead to what is there.
has_live_links() { perl "$srcdir/tests/checks/dead-links.pl" "$1" || complain "a package has dead links"; }

# links_in DIRECTORY: our links, the hook's and those in this directory of mdevctl's.
links_in() { echo "etc/libvirt/hooks/qemu.d/50-vgpu ${1#/}/callouts/50-libvirt-vgpu ${1#/}/notifiers/50-libvirt-vgpu"; }

# dpkg runs Debian's scripts, in a root of their own.
host=$scratch/host
links=$(links_in /etc/mdevctl.d/scripts.d)
new_root "$host"

dpkg_there() {
    run dpkg --root="$host" --force-not-root,script-chrootless,depends,bad-path --log=/dev/null "$@"
}

# has_links, has_no_links WHEN: all of $links, or none. remove_links: an administrator removes all.
has_links() {
    for link in $links; do [ -x "$host/$link" ] || complain "no $link that leads to a program after: $1"; done
}
has_no_links() { for link in $links; do [ ! -L "$host/$link" ] || complain "there is $link after: $1"; done; }
remove_links() { for link in $links; do rm "$host/$link"; done; }

# has_no_page WHAT: a host without Cockpit gets no page for it.
has_no_page() { [ ! -e "$host/usr/share/cockpit" ] || complain "there is a page for Cockpit after: $1"; }

wants=$host/etc/systemd/system/multi-user.target.wants
mkdir -p "$wants" "$host/var/lib/systemd"
(cd "$host" && find . ! -path './var/lib/dpkg*') >before
dpkg_there -i "$deb"
has_links "the first installation"
has_no_page "the first installation"
dpkg_there -i "$page_deb"
leaves_it dpkg "$host"
has_live_links "$host/usr/share/doc"
mkdir "$scratch/cards"
dpkg-deb -x deb/libvirt-vgpu-cards-dkms_*.deb "$scratch/cards"
has_live_links "$scratch/cards"
dpkg_there -P cockpit-libvirt-vgpu
has_no_page "a purge of the page"
if find "$host/etc" -path '*.wants/*' ! -name libvirt-vgpu-setup.service \
    ! -name libvirt-vgpu-reconcile.timer | grep .; then
    complain "the package enables other units than these two"
fi

dpkg_there -i "$deb"
has_links "an upgrade"
remove_links
dpkg_there -i "$deb"
has_no_links "an upgrade of a host whose administrator has deleted them"
dpkg_there -r libvirt-vgpu
dpkg_there -i "$deb"
has_no_links "a removal and an installation there"
for link in $links; do ln -s /usr/bin/true "$host/$link"; done

# The package is removed while a guest runs, and installed again before the guest ends.
mkdir -p "$host/proc/sys/kernel/random" "$host/run/libvirt-vgpu"
cp "$srcdir/tests/corpus/ledger/one" "$host/run/libvirt-vgpu/ledger"
sed -n '1s/^libvirt-vgpu-ledger 1 \([^ ]*\) .*/\1/p' "$host/run/libvirt-vgpu/ledger" \
    >"$host/proc/sys/kernel/random/boot_id"
guest=$(sed -n '2s/^[^ ]* \([^ ]*\) .* \(web[0-9]*\) .*/\2 has the vGPU \1/p' "$host/run/libvirt-vgpu/ledger")
[ -n "$guest" ]
dpkg_there -r libvirt-vgpu
has_no_links "a removal"
grep -q "^libvirt-vgpu: $guest " "$scratch/log" ||
    complain "dpkg -r does not say that $guest:" "$(cat "$scratch/log")"
dpkg_there -i "$deb"
has_links "another installation"
[ -e "$host/run/libvirt-vgpu/ledger" ] || complain "a removal forgets who has what"

# An administrator's own files and units do not keep any file of ours.
echo 'enabled = false;' >"$host/etc/libvirt-vgpu/conf.d/10-mine.conf"
mkdir -p "$wants"
ln -s /lib/systemd/system/libvirt-vgpu-sriov@.service "$wants/libvirt-vgpu-sriov@0000:3d:00.0.service"
dpkg_there -P libvirt-vgpu
rm -r "$host/proc"
(cd "$host" && find . ! -path './var/lib/dpkg*') >after
grep -vxFf before after >left || true
if [ -s left ]; then complain "purging leaves:" "$(cat left)"; fi

# Fedora's scripts, as rpm would run them, but without the parts that its macros for systemd add.
host=$scratch/rpm-host
links=$(links_in $scripts)
new_root "$host"
rpm2archive - <"$rpm" | tar -xz -C "$host"

# scriptlet NAME COUNT: COUNT is how many versions of our package are installed then.
scriptlet() {
    rpm -qp --qf "%{$1}" "$rpm" >"$scratch/scriptlet"
    run env DPKG_ROOT="$host" sh -e "$scratch/scriptlet" "$2"
}

has_no_links "unpacking the .rpm"
has_no_page "unpacking the .rpm"
rpm2archive - <"$page_rpm" | tar -xz -C "$host"
scriptlet POSTIN 1
has_links "the first installation of the .rpm"
leaves_it rpm "$host"
has_live_links "$host/usr/share/doc"
remove_links
scriptlet POSTIN 2
scriptlet PREUN 1
has_no_links "an upgrade of the .rpm where they were deleted"
scriptlet POSTIN 1
scriptlet PREUN 0
has_no_links "the removal of the .rpm"
scriptlet POSTUN 0
finish
