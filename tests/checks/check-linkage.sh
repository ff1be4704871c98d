# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The hook and the call-out are not linked to libvirt, and have no means to start a program. vgpuctl
# is not linked to libvirt either. connection.so is, and only commands that ask libvirt load it.

. "$srcdir/tests/checks/guard.sh"

# needed FILE: the libraries to which FILE is linked.
needed() { readelf -d "$top_builddir/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

for program in libvirt-vgpu-hook libvirt-vgpu-callout; do
    for library in $(needed $program); do
        case $library in
        libxml2.so.* | libconfig.so.* | libc.so.* | libasan.so.* | libubsan.so.* | libm.so.*) ;;
        *) complain "$program is linked to $library" ;;
        esac
    done
    for symbol in $(nm -u "$top_builddir/$program" | awk '{ sub(/@.*/, "", $2); print $2 }'); do
        case $symbol in
        exec* | popen | system | posix_spawn* | vfork | fexecve | dlopen | wordexp)
            complain "$program can start something: $symbol"
            ;;
        esac
    done
done

# connection.so is linked to libvirt and no other library, and exports only the symbols that others
# look for.
for library in $(needed connection.so); do
    case $library in
    libvirt.so.* | libc.so.* | libasan.so.* | libubsan.so.* | libm.so.* | ld-linux*) ;;
    *) complain "connection.so is linked to $library" ;;
    esac
done
needed connection.so | grep -q '^libvirt\.so\.' || complain "connection.so is not linked to libvirt"
if ldd -r "$top_builddir/connection.so" 2>&1 | grep 'undefined symbol'; then
    complain "connection.so lacks something"
fi
symbols=$(nm -D --defined-only "$top_builddir/connection.so" | awk '{ print $NF }' | grep -v '^__[au]')
[ "$symbols" = connection_calls ] || complain "connection.so gives away:" "$symbols"

# The libraries that each command loads, according to the dynamic loader.
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/sys" "$root/run"

# loads WORD...: whether vgpuctl loads libvirt's library for this command.
loads() {
    LD_DEBUG=files LD_DEBUG_OUTPUT="$root/said" "$top_builddir/tests/vgpuctl" "$@" >"$root/out" 2>&1 || true
    cat "$root"/said.* >"$root/loaded"
    rm -f "$root"/said.*
    grep -q 'libxml2\.so' "$root/loaded" || complain "the dynamic loader tells nothing of: $*"
    grep -q 'libvirt\.so' "$root/loaded"
}

for line in --help --version gpus types "explain $srcdir/tests/data/no-such.xml" check \
    "list --root $root" "status --root $root" "metrics --root $root" "reconcile --root $root" \
    "doctor --root $root"; do
    # shellcheck disable=SC2086 # words
    if loads $line; then complain "vgpuctl $line loads libvirt"; fi
done
loads list --connect test:///default || complain "vgpuctl list --connect does without libvirt:" "$(cat "$root/out")"
finish
