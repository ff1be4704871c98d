# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# When a package is removed, hook-link.sh says what to do about the vGPU of each running guest. That depends
# on the interface of the vGPU. Recorded hosts play the guests. check-packages.sh runs the scripts of the packages.

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
    DPKG_ROOT=$scratch/$1 sh -eu -c '. "$1"; remove_link' - "$srcdir/config/packaging/hook-link.sh" 2>&1
    [ ! -L "$scratch/$1/etc/libvirt/hooks/qemu.d/50-vgpu" ] || complain "$1: the link is still there"
}

# expect CAPTURE WORDS: the first guest there is told of with these words.
expect() {
    said=$(told "$1" | head -n 1)
    [ "$said" = "libvirt-vgpu: $2" ] || complain "$1: it says:" "$said" "-- and not:" "libvirt-vgpu: $2"
}

stays="which stays when it ends: install libvirt-vgpu again before that, or then:"
# A capture that is made anew has other UUIDs.
device=$("$builddir/vgpuctl" list --root "$srcdir/tests/captures/vm-mdev" -rn -o DEVICE,DOMAIN |
    sed -n 's/ payroll-db01$//p')
expect vm-mdev "payroll-db01 has the vGPU $device (held), $stays \
echo 1 >/sys/bus/mdev/devices/$device/remove"
expect vm-vf "web01 has the vGPU 0000:01:00.1 (held), $stays \
echo 0 >/sys/bus/pci/devices/0000:01:00.1/nvidia/current_vgpu_type"
expect vm-xe "web01 has the vGPU 0000:01:00.1 (held), $stays \
echo 0 >/sys/bus/pci/devices/0000:01:00.0/sriov_admin/vfN/profile/vram_quota, where vfN/device is the link to \
0000:01:00.1"
expect vm-pool "web01 has the vGPU 0000:01:00.1 (held), a function of a pool: nothing is to be done when it ends"

expect no-such-capture "'vgpuctl list' fails, so guests that have a vGPU are not named"
finish
