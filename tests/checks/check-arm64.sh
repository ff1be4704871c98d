# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# check-arm64.sh TARBALL: builds the tarball for arm64, and runs the tests of its programs there. It is run by
# "make check-arm64" alone, and lacking something is a failure.
#
# 1. The libraries and a kernel come from Debian's packages for arm64, of the release that this host has, into
#    a root of their own in the cache. Nothing of arm64 is installed on this host.
# 2. The tarball is built with them by Debian's cross compiler, unless it is that of the last build.
# 3. QEMU runs each test as a program of this host (qemu-user). A test that runs our programs gets scripts
#    that run these in the same way. So the kernel has not to know arm64 (binfmt_misc).
# 4. The tests in the table below cannot be run in that way. They run on a kernel of arm64, in an emulated
#    machine (qemu-system-aarch64). So do the tests that have failed: qemu-user lacks more than the table names,
#    and a program of several threads is not always seen at work by the tests' clock. What fails in the machine
#    fails the check.
#
# VGPU_ARM64_CACHE    where the root is kept; without it ~/.cache/libvirt-vgpu-arm64
# MIRROR              the mirror; without it the sources of this host's apt

. "$srcdir/tests/checks/guard.sh"

# What qemu-user cannot do, whatever we do, and what runs on no kernel of arm64 either.
table='
tests/base/test-rights    machine  qemu-user lets no program set a filter of system calls (PR_SET_SECCOMP)
tests/hooks/test-main     machine  qemu-user has no ptrace
tests/attach/test-hotplug machine  qemu-user has no PR_SET_CHILD_SUBREAPER
tests/faults/test-faults  nowhere  faults are injected on x86-64 only; see tests/faults/README.md
'

libraries='libc6-dev libxml2-dev libconfig-dev libvirt-dev libsmartcols-dev uuid-dev libcmocka-dev'
cache=${VGPU_ARM64_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/libvirt-vgpu-arm64}
tarball=$1
triplet=aarch64-linux-gnu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() { echo "check-arm64: $*"; exit 1; }
say() { echo "check-arm64: $*"; }

for program in $triplet-gcc qemu-system-aarch64 cpio apt-get; do
    command -v "$program" >/dev/null || die "$program is not there; tests/needs arm64 installs it"
done
user=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
    die "qemu-aarch64 is not there; tests/needs arm64 installs it"

# --- the root -------------------------------------------------------------------------------------

# The sources of this host's apt that are Debian's.
sources() {
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    for mirror in ${MIRROR-}; do echo "$mirror $codename main"; done
    # shellcheck disable=SC2016 # apt expands these
    [ -n "${MIRROR-}" ] || apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' | sort -u
}

# apt DIR ARGUMENT...: apt-get for arm64, with all its files in DIR.
apt() {
    dir=$1
    shift
    apt-get -q -o APT::Sandbox::User=root -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o Dir::State="$dir" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" \
        -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null "$@"
}

# make_root DIR: the packages are unpacked, and none is configured. An absolute link would lead to this host.
make_root() {
    mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/usr/lib" "$1/usr/bin" "$1/usr/sbin"
    for part in lib bin sbin; do ln -s "usr/$part" "$1/$part"; done
    : >"$1/apt/status"
    sed 's,^,deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ,' "$scratch/sources" >"$1/apt/sources.list"
    apt "$1/apt" update
    # shellcheck disable=SC2086 # a list of words
    apt "$1/apt" -y --no-install-recommends --download-only install $libraries
    kernel=$(apt "$1/apt" -s --no-install-recommends install linux-image-arm64 |
        sed -n 's/^Inst \(linux-image-[0-9][^ ]*\) .*/\1/p')
    (cd "$1/apt/cache/archives" && apt "$1/apt" download "$kernel" busybox-static)
    for package in "$1"/apt/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" |
            tar -x -C "$1" --keep-directory-symlink --exclude=./lib/modules --exclude=./usr/share/doc \
                --exclude=./usr/share/locale --exclude=./usr/share/man
    done
    rm -r "$1/apt"
    find "$1" -type l -lname '/*' | while read -r link; do
        ln -sf "$(realpath -m --relative-to="$(dirname "$link")" "$1$(readlink "$link")")" "$link"
    done
    # qemu-user takes the root for "/", and the tests read /proc below "/". Of no other directory there may be
    # such a link: a program that reads it as its own finds a loop.
    ln -s /proc "$1/proc"
}

sources >"$scratch/sources"
[ -s "$scratch/sources" ] || die "no mirror of Debian's found on this host; set MIRROR=URL"
root=$cache/$(cat "$srcdir/tests/checks/check-arm64.sh" "$scratch/sources" | sha256sum | cut -c1-16)
if [ ! -d "$root" ]; then
    say "making $root"
    rm -rf "$cache"
    mkdir -p "$cache"
    make_root "$root.new" >"$scratch/log" 2>&1 || { cat "$scratch/log"; die "the root cannot be made"; }
    mv "$root.new" "$root"
fi

# --- the build ------------------------------------------------------------------------------------

build=$top_builddir/arm64
if ! cmp -s "$tarball" "$build/built"; then
    say "building ${tarball##*/}"
    rm -rf "$build"
    mkdir -p "$build"
    tar -xf "$tarball" -C "$build" --strip-components=1 --no-same-owner
    (
        cd "$build" || exit
        PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig \
            PKG_CONFIG_SYSROOT_DIR=$root \
            ./configure --host=$triplet CC="$triplet-gcc --sysroot=$root" --enable-werror \
            --disable-dependency-tracking >said.configure 2>&1 ||
            { cat said.configure; die "it cannot be configured"; }
        make -j2 all check TESTS= >said.make 2>&1 || { tail -n 40 said.make; die "it does not build"; }
    )
    cp "$tarball" "$build/built"
fi
cd "$build" || exit
srcdir=.

# --- the tests ------------------------------------------------------------------------------------

# listed WHERE: the tests of the table. reason TEST
listed() { echo "$table" | awk -v where="$1" '$2 == where { print $1 }'; }
reason() { echo "$table" | sed -n "s,^$1  *[a-z]*  *,,p"; }

# by_user: those that the table does not name. The programs that they run are scripts.
by_user() {
    rm -rf programs
    mkdir programs
    ln -s ../connection.so programs/
    for program in vgpuctl libvirt-vgpu-hook libvirt-vgpu-callout; do
        printf '#!/bin/sh\nexec %s -L %s %s/%s "$@"\n' "$user" "$root" "$build" "$program" >"programs/$program"
        chmod 755 "programs/$program"
    done
    tests=
    for test in $unit_tests $bare_tests; do
        echo "$table" | grep -q "^$test " || tests="$tests $test"
    done
    # shellcheck disable=SC2086 # a list of words
    ROUNDS=10% make -j2 -k check TESTS="$tests" LOG_COMPILER="$user -L $root" \
        TESTS_ENVIRONMENT="top_builddir=$build/programs"
}

# by_machine TEST...: all that they need is in the machine's initrd.
by_machine() {
    rm -rf initrd
    mkdir -p initrd/bin initrd/dev initrd/proc initrd/sys initrd/tmp initrd/usr/lib/$triplet initrd/vgpu
    tar -xf built -C initrd/vgpu --strip-components=1 --no-same-owner
    ln -s usr/lib initrd/lib
    cp -L "$root/bin/busybox" initrd/
    cp -L "$root"/usr/lib/ld-linux-aarch64.so.1 initrd/usr/lib/
    cp -a "$root"/usr/lib/$triplet/*.so* initrd/usr/lib/$triplet/
    cp vgpuctl libvirt-vgpu-hook libvirt-vgpu-callout connection.so initrd/vgpu/
    cat >initrd/init <<-'END'
		#!/busybox sh
		/busybox --install -s /bin
		export PATH=/bin srcdir=/vgpu top_builddir=/vgpu
		mount -t devtmpfs dev /dev
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mkdir /dev/shm
		sh /play
		poweroff -f
	END
    # A shell between, because the parent of a hook is libvirt's daemon, and process 1 never is.
    cat >initrd/play <<-'END'
		cd /vgpu
		for test in $(cat listed); do
		    echo "begin $test"
		    "$test" 2>&1
		    echo "end $test $?"
		done
	END
    chmod 755 initrd/init
    echo "$*" >initrd/vgpu/listed
    for test; do cp "$test" "initrd/vgpu/$test"; done
    (cd initrd && find . | cpio --quiet -o -H newc) >initrd.cpio
    timeout 1800 qemu-system-aarch64 -machine virt -cpu cortex-a76 -smp 1 -m 1500 -kernel "$root"/boot/vmlinuz-* \
        -initrd initrd.cpio -append "console=ttyAMA0 quiet panic=-1" -nic none -nographic -no-reboot \
        </dev/null >said.machine 2>&1 || echo "the machine ended with $?" >>said.machine
}

say "tests under qemu-user"
status=0
by_user >said.tests 2>&1 || status=$?
grep -E '^# (TOTAL|PASS|FAIL|ERROR|SKIP)' said.tests || complain "no test ran; see $build/said.tests"
failed=$(sed -n 's/^\(FAIL\|ERROR\): //p' said.tests)
[ "$status" = 0 ] || [ -n "$failed" ] || complain "$(tail said.tests)"

say "tests in a machine"
# shellcheck disable=SC2046,SC2086 # lists of words
by_machine $(listed machine) $failed
for test in $(listed machine) $failed; do
    say "$test: $(reason "$test" | grep . || echo "failed under qemu-user, see arm64/$test.log")"
    if tr -d '\r' <said.machine | grep -qx "end $test 0"; then
        say "$test: passed in the machine"
    else
        complain "$test fails in the machine; see $build/said.machine"
    fi
done
for test in $(listed nowhere); do say "$test: not run: $(reason "$test")"; done
finish
