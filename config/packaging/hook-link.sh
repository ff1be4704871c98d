# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libvirt finds the hook by a link, and mdevctl finds the call-out by two. These links are no files of the
# package. The first installation makes them, and the removal takes them away. So a link that an
# administrator has deleted stays deleted. And libvirt never sees a second link that a package manager
# puts beside the first for a moment.
root=${DPKG_ROOT:-}
hooks=$root/etc/libvirt/hooks
link=$hooks/qemu.d/50-vgpu
# The .rpm names another directory.
scripts=$root/etc/mdevctl.d/scripts.d

# own_links: the names of all our links, one a line.
own_links() { printf '%s\n' "$link" "$scripts/callouts/50-libvirt-vgpu" "$scripts/notifiers/50-libvirt-vgpu"; }

# links_there: the names of those that the host has.
links_there() { own_links | while read -r name; do if [ -L "$name" ]; then echo "$name"; fi; done; }

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

# make_links: makes the links whose names it reads. They are relative. A script of somebody else with such a
# name stays.
make_links() {
    while read -r name; do
        if [ -f "$name" ] && [ ! -L "$name" ]; then continue; fi
        program=usr/libexec/libvirt-vgpu-callout first=
        if [ "$name" = "$link" ]; then
            program=usr/sbin/libvirt-vgpu-hook
            if is_first_hook; then first=yes; fi
        fi
        mkdir -p "${name%/*}"
        ln -sf "$(echo "${name#"$root"/}" | sed 's,[^/]*$,,; s,[^/]*/,../,g')$program" "$name"
        if [ -n "$first" ]; then reload_libvirt </dev/null; fi
    done
}

# Running guests keep their vGPUs. Guests start without our hook from now on. This prints the vGPUs
# that nobody gives back any more.
remove_links() {
    links_there | while read -r name; do rm "$name"; done
    vgpus=$("$root/usr/bin/vgpuctl" list ${root:+--root "$root"} --timeout 10 -n -r \
        -o device,domain,state,interface,gpu 2>/dev/null) ||
        echo "libvirt-vgpu: 'vgpuctl list' fails, so guests that have a vGPU are not named" >&2
    echo "$vgpus" | while read -r device domain state interface gpu; do
        case $domain in - | '') continue ;; esac
        stays="and the vGPU stays when $domain ends: install libvirt-vgpu again before that"
        case $interface in
        mdev) then=", or run afterwards: echo 1 >/sys/bus/mdev/devices/$device/remove" ;;
        vf) then=", or run afterwards: echo 0 >/sys/bus/pci/devices/$device/nvidia/current_vgpu_type" ;;
        xe)
            then=", or run afterwards: echo 0 >/sys/bus/pci/devices/$gpu/sriov_admin/vfN/profile/vram_quota"
            then="$then, where vfN/device is the link to $device"
            ;;
        pool) stays="a function of a pool: no command is needed when $domain ends" then='' ;;
        *) then='' ;;
        esac
        echo "libvirt-vgpu: $domain has the vGPU $device ($state), $stays$then" >&2
    done
}
