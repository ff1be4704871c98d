# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# completion-machine: what the checks of completions share: an artificial machine in $root, and in $bin the
# programs that the completions call. A check sources it after guard.sh.

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root bin=$scratch/bin

# make_type GPU ID NAME DESCRIPTION
make_type() {
    type=$root/sys/class/mdev_bus/$1/mdev_supported_types/$2
    mkdir -p "$type"
    echo "$3" >"$type/name"
    echo "$4" >"$type/description"
    echo vfio-pci >"$type/device_api"
    echo 1 >"$type/available_instances"
}

# The figures that make_machine writes.
one=b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e20 two=6fa459ea-ee8a-4ca4-894e-db77e160355e
make_machine() {
    boot=0b6a3c55-9d2a-4e0b-8f64-2f1f4f6f7d10
    mkdir -p "$root/sys/bus/mdev/devices" "$root/proc/sys/kernel/random" "$root$configdir" \
        "$root/run/libvirt-vgpu" "$bin"
    make_type 0000:18:00.0 nvidia-222 'GRID T4-1B' 'framebuffer=1024M, max_instance=16'
    make_type 0000:18:00.0 nvidia-231 'GRID T4-2Q' 'framebuffer=2048M, max_instance=8'
    make_type mtty mtty-2 'Dual port serial' ''
    echo $boot >"$root/proc/sys/kernel/random/boot_id"
    echo 'classes = { small = { types = [ "T4-1B" ]; }; smart = { types = [ "T4-1B" ]; };
        big = { framebuffer = "2G"; }; elsewhere = { types = [ "A40-1B" ]; }; };' \
        >"$root$configdir/vgpu.conf"
    lease='nvidia-222 1024 0000:18:00.0 0000:18:00.0'
    cat >"$root/run/libvirt-vgpu/ledger" <<-END
		libvirt-vgpu-ledger 1 $boot 8
		mdev $one $lease $two web01 ua-gpu0 held made 4711:815 6 reap 99
		mdev $two $lease $one db01 ua-gpu1 held made 4711:815 7 reap 99
	END
    for device in $one $two; do
        mkdir -p "$root/sys/class/mdev_bus/0000:18:00.0/$device"
        ln -s "../../../class/mdev_bus/0000:18:00.0/$device" "$root/sys/bus/mdev/devices/$device"
        ln -s ../mdev_supported_types/nvidia-222 "$root/sys/class/mdev_bus/0000:18:00.0/$device/mdev_type"
    done
    chmod -R go-w "$root"
}

# The programs that the completion calls: the built vgpuctl on that machine, and a virsh that knows
# two domains.
make_programs() {
    cat >"$bin/vgpuctl" <<-END
		#!/bin/sh
		exec "$top_builddir/vgpuctl" --root "$root" "\$@"
	END
    cat >"$bin/virsh" <<-'END'
		#!/bin/sh
		[ "$*" != "-q -r list --all --name" ] || printf 'web01\ndb 02\n\n'
		[ "$*" != "-q -r dumpxml --inactive off01" ] || echo '<vgpu:device alias="ua-gpu7" type="a"/>'
	END
    chmod +x "$bin/vgpuctl" "$bin/virsh"
}

make_machine
make_programs

# The commands are those of --help.
# shellcheck disable=SC2034 # for the checks
commands=$("$top_builddir/vgpuctl" --help | sed -n '1,/^Options:$/s/^  \([a-z][a-z-]*\) .*/\1/p' |
    LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')
