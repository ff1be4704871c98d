# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# configure keeps the prefix that it is given: all directories are below it, unless an option names another.
# Then configure says at its end what systemd, AppArmor, libvirt and others would not find there.

. "$srcdir/tests/checks/guard.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A copy of what configure reads. This tree itself may be configured already.
mkdir -p "$scratch/hooks" "$scratch/tests" "$scratch/config/packaging/rpm"
cp -R configure build-aux Makefile.in "$scratch"
cp hooks/hook.c "$scratch/hooks"
cp tests/environment.in "$scratch/tests"
cp config/packaging/hook-link.sh "$scratch/config/packaging"
cp config/packaging/rpm/libvirt-vgpu.spec.in "$scratch/config/packaging/rpm"

dirs="bindir sbindir libexecdir libdir sysconfdir datadir mandir docdir hooksdir mdevctldir apparmordir
    systemdsystemunitdir tmpfilesdir completionsdir zshdir fishdir"
for name in PACKAGE_TARNAME prefix exec_prefix datarootdir $dirs; do echo "$name=\"@$name@\""; done >"$scratch/dirs.in"

# configured OPTION...: configures the copy. $scratch/dirs has its directories, $scratch/said its last lines.
configured() {
    (
        cd "$scratch"
        ./configure --cache-file=cache --disable-dependency-tracking "$@" >log 2>&1 &&
            ./config.status --file=dirs:dirs.in >/dev/null
    ) || {
        cat "$scratch/log"
        complain "configure $* fails"
        exit 1
    }
    sed '1,/executing depfiles/d' "$scratch/log" >"$scratch/said"
}

# directory NAME: what its value is, with all variables filled in.
directory() {
    (
        # Twice, as the first of two variables may come after the second.
        # shellcheck disable=SC1091 # it is made here
        . "$scratch/dirs"
        # shellcheck disable=SC1091
        . "$scratch/dirs"
        eval "value=\$$1"
        eval "echo \"$value\""
    )
}

# all_below PREFIX
all_below() {
    for name in $dirs; do
        case $(directory "$name") in
        "$1"/*) ;;
        *) complain "--prefix=$1: $name is $(directory "$name")" ;;
        esac
    done
}

# says WORDS...: a line with these words is among configure's last. says_nothing_of WORDS
says() { grep -qF -- "$*" "$scratch/said" || complain "configure does not say: $*" "$(cat "$scratch/said")"; }
says_nothing_of() { ! grep -F -- "$*" "$scratch/said" || complain "configure speaks of $*"; }

configured --prefix=/opt/x
all_below /opt/x
# Who only builds must not take the rest for a failure.
case $(head -n 1 "$scratch/said") in
"configure: ready to build and to test."*) ;;
*) complain "configure does not begin its last lines by saying that all is well:" "$(cat "$scratch/said")" ;;
esac
says "systemd does not look in /opt/x/lib/systemd/system: --with-systemdsystemunitdir=/usr/local/lib/systemd/system"
says "systemd does not look in /opt/x/lib/tmpfiles.d: --with-tmpfilesdir=/usr/local/lib/tmpfiles.d"
says "AppArmor does not look in /opt/x/etc/apparmor.d: --with-apparmor-dir=/etc/apparmor.d"
says "AppArmor does not let libvirt run the hook in /opt/x/sbin: --sbindir=/usr/sbin"
says "libvirt does not look in /opt/x/etc/libvirt/hooks: --with-hooks-dir=/etc/libvirt/hooks"
says "mdevctl does not look in /opt/x/etc/mdevctl.d/scripts.d: --with-mdevctl-dir=/etc/mdevctl.d/scripts.d"
says "Cockpit does not look in /opt/x/share/cockpit: --datadir=/usr/local/share"
says "all of them look where --prefix=/usr --sysconfdir=/etc installs"

# What configure advises is what helps.
# shellcheck disable=SC2046 # words
configured --prefix=/opt/x $(sed -n 's/.*: \(--[a-z-]*=[^ ,]*\).*/\1/p' "$scratch/said")
[ ! -s "$scratch/said" ] || complain "configure, told what it advises, says:" "$(cat "$scratch/said")"
[ "$(directory bindir)" = /opt/x/bin ] || complain "one directory is told, and bindir is $(directory bindir)"

# Without a word it is /usr/local, where systemd and Cockpit look, too.
configured
all_below /usr/local
says_nothing_of systemd
says_nothing_of Cockpit
says "libvirt does not look in /usr/local/etc/libvirt/hooks"
says "AppArmor does not let libvirt run the hook in /usr/local/sbin"

# What is left out need not be found.
configured --prefix=/opt/x --without-apparmor-dir --without-mdevctl-dir --without-systemdsystemunitdir \
    --without-tmpfilesdir
says_nothing_of "AppArmor does not look"
says_nothing_of mdevctl
says_nothing_of systemd

configured --prefix=/usr --sysconfdir=/etc
[ ! -s "$scratch/said" ] || complain "configure for a real host says:" "$(cat "$scratch/said")"
finish
