# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libvirt finds the hook by a link, which is no file of the package. The first installation makes
# the link, and the removal takes it away. So a link that an administrator has deleted stays
# deleted. And libvirt never sees a second link that a package manager puts beside the first for a
# moment.
root=${DPKG_ROOT:-}
hooks=$root/etc/libvirt/hooks
link=$hooks/qemu.d/50-vgpu

is_first_hook() {
    for hook in "$hooks/qemu" "$hooks"/qemu.d/*; do
        if [ -f "$hook" ] && [ -x "$hook" ]; then return 1; fi
    done
}

# libvirt looks for hooks when its daemon starts or reloads. Once it has found one, it looks for
# others at each call.
reload_libvirt() {
    if [ -n "$root" ] || [ ! -d /run/systemd/system ]; then return 0; fi
    reload=$(command -v deb-systemd-invoke || command -v systemctl)
    for unit in libvirtd.service virtqemud.service; do
        if [ "$(systemctl is-active "$unit")" = active ] && ! "$reload" reload "$unit"; then
            echo "libvirt-vgpu: libvirt runs the hook after: systemctl reload $unit" >&2
        fi
    done
}

# A script of somebody else with this name stays.
make_link() {
    if [ -f "$link" ] && [ ! -L "$link" ]; then return 0; fi
    first=
    if is_first_hook; then first=yes; fi
    mkdir -p "$hooks/qemu.d"
    ln -sf ../../../../usr/sbin/libvirt-vgpu-hook "$link"
    if [ -n "$first" ]; then reload_libvirt; fi
}

# Running guests keep their vGPUs. Guests start without our hook from now on. This prints the vGPUs
# that nobody gives back any more.
remove_link() {
    if [ -L "$link" ]; then rm "$link"; fi
    vgpus=$("$root/usr/bin/vgpuctl" list ${root:+--root "$root"} --timeout 10 -n -r \
        -o device,domain,state,interface,gpu 2>/dev/null) ||
        echo "libvirt-vgpu: 'vgpuctl list' fails, so guests that have a vGPU are not named" >&2
    echo "$vgpus" | while read -r device domain state interface gpu; do
        case $domain in - | '') continue ;; esac
        stays="which stays when it ends: install libvirt-vgpu again before that"
        case $interface in
        mdev) then=", or then: echo 1 >/sys/bus/mdev/devices/$device/remove" ;;
        vf) then=", or then: echo 0 >/sys/bus/pci/devices/$device/nvidia/current_vgpu_type" ;;
        xe)
            then=", or then: echo 0 >/sys/bus/pci/devices/$gpu/sriov_admin/vfN/profile/vram_quota"
            then="$then, where vfN/device is the link to $device"
            ;;
        pool) stays="a function of a pool: nothing is to be done when it ends" then='' ;;
        *) then='' ;;
        esac
        echo "libvirt-vgpu: $domain has the vGPU $device ($state), $stays$then" >&2
    done
}
