# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# When a package is removed, hook-link.sh says what to do about the vGPU of each running guest. That depends
# on the interface of the vGPU. Recorded hosts play the guests.
#
# The scripts of the .deb make links to the hook and to the call-out, and leave an administrator's choice
# alone. They are played here without dpkg. check-packages.sh plays them with dpkg, and those of the .rpm.

. "$srcdir/tests/checks/guard.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
builddir=$(cd "$top_builddir" && pwd)

# told CAPTURE: what the removal says on that host.
told() {
    mkdir -p "$scratch/$1/usr/bin" "$scratch/$1/etc/libvirt/hooks/qemu.d"
    cat >"$scratch/$1/usr/bin/vgpuctl" <<END
#!/bin/sh
shift 3 # list --root DIRECTORY
exec '$builddir/vgpuctl' list --root '$srcdir/tests/captures/$1' "\$@"
END
    chmod +x "$scratch/$1/usr/bin/vgpuctl"
    ln -s ../../../../usr/sbin/libvirt-vgpu-hook "$scratch/$1/etc/libvirt/hooks/qemu.d/50-vgpu"
    DPKG_ROOT=$scratch/$1 sh -eu -c '. "$1"; remove_links' - "$srcdir/config/packaging/hook-link.sh" 2>&1
    [ ! -L "$scratch/$1/etc/libvirt/hooks/qemu.d/50-vgpu" ] || complain "$1: the link is still there"
}

# expect CAPTURE WORDS: the first guest there is told of with these words.
expect() {
    said=$(told "$1" | head -n 1)
    [ "$said" = "libvirt-vgpu: $2" ] || complain "$1: it says:" "$said" "-- and not:" "libvirt-vgpu: $2"
}

# stays GUEST: what becomes of the guest's vGPU, and what to do.
stays() { echo "and the vGPU stays when $1 ends: install libvirt-vgpu again before that, or run afterwards:"; }
# A capture that is made anew has other UUIDs.
# first CAPTURE: the device, the state and the guest of the first vGPU, in the order of the devices' names.
first() {
    "$builddir/vgpuctl" list --root "$srcdir/tests/captures/$1" -rn -o DEVICE,STATE,DOMAIN |
        grep -e ' held ' -e ' kept ' | sort | head -n 1
}
read -r device state guest <<END
$(first vm-mdev)
END
expect vm-mdev "$guest has the vGPU $device ($state), $(stays "$guest") \
echo 1 >/sys/bus/mdev/devices/$device/remove"
function=0100:10:00.4
expect vm-vf "web01 has the vGPU $function (held), $(stays web01) \
echo 0 >/sys/bus/pci/devices/$function/nvidia/current_vgpu_type"
expect vm-xe "web01 has the vGPU $function (held), $(stays web01) \
echo 0 >/sys/bus/pci/devices/0100:10:00.0/sriov_admin/vfN/profile/vram_quota, where vfN/device is the link to \
$function"
expect vm-pool "web01 has the vGPU $function (held), a function of a pool: no command is needed when web01 ends"

expect no-such-capture "'vgpuctl list' fails, so guests that have a vGPU are not named"

# dpkg_runs SCRIPT WORD...: runs a script of the .deb, without what debhelper adds.
host=$scratch/host
dpkg_runs() {
    sed -e '/^@HOOK_LINK@$/{r config/packaging/hook-link.sh' -e 'd}' "config/packaging/debian/$1.in" >"$scratch/$1"
    (
        script=$scratch/$1
        shift
        DPKG_ROOT=$host sh "$script" "$@" 2>"$scratch/said"
    ) || complain "$* fails: $(cat "$scratch/said")"
}

# links_are WHEN LINK...: the host has these links, and no others, and each leads to its program.
hook=etc/libvirt/hooks/qemu.d/50-vgpu
asks=etc/mdevctl.d/scripts.d/callouts/50-libvirt-vgpu
tells=etc/mdevctl.d/scripts.d/notifiers/50-libvirt-vgpu
links_are() {
    when=$1
    shift
    have=$(cd "$host" && find etc -type l | sort | tr '\n' ' ')
    [ "$have" = "$*${1:+ }" ] || complain "$when: the links are '$have', and not '$*'"
    for name; do
        case $name in "$hook") program=usr/sbin/libvirt-vgpu-hook ;; *) program=usr/libexec/libvirt-vgpu-callout ;; esac
        [ "$(realpath -m "$host/$name")" = "$host/$program" ] || complain "$when: $name does not lead to $program"
    done
}

mkdir -p "$host/etc" "$host/usr/bin"
dpkg_runs postinst configure ''
links_are "a first installation" $hook $asks $tells

# What an administrator removes stays removed, and the rest stays.
rm "$host/$asks"
dpkg_runs prerm upgrade 2
dpkg_runs postinst configure 1
links_are "an upgrade" $hook $tells
dpkg_runs prerm remove
links_are "a removal"
dpkg_runs postinst configure 1
links_are "another installation" $hook $tells
rm "$host/$hook" "$host/$tells"
dpkg_runs prerm remove
dpkg_runs postinst configure 1
links_are "another installation without any link"

# A removal that fails gives back what it has taken.
ln -s ../../../../usr/libexec/libvirt-vgpu-callout "$host/$tells"
dpkg_runs prerm remove
dpkg_runs postinst abort-remove
links_are "a removal that failed" $tells

# A script of somebody else is not ours to replace or to remove.
rm "$host/$tells"
echo '# mine' >"$host/$tells"
dpkg_runs postinst configure ''
links_are "a first installation beside another's script" $hook $asks
dpkg_runs prerm remove
grep -qx '# mine' "$host/$tells" || complain "another's script was replaced or removed"
finish
