# SPDX-License-Identifier: LGPL-2.1-or-later
# The emulated cards as DKMS built them, on a machine without special hardware: up to a live migration.
# shellcheck shell=bash
# needs: distribution
# tests: cards
# needs: libvirt 9.7
# needs: qemu 8.1
#
# LONG=1 also installs the package, removes it while the modules are loaded, and purges it. Under emulation this
# took 28 minutes in all, twelve of them for dpkg -i.

release=$(uname -r)

# only N: a configuration that enables only the N-th card of each kind.
only() {
    local i gpus=''
    for i in 0 1; do
        [ "$i" = "$1" ] || gpus+="{ address = \"${T4[$i]}\"; enabled = false; }, "
        [ "$i" = "$1" ] || gpus+="{ address = \"${CARDS[$i]}\"; enabled = false; }, "
        [ "$i" != "$1" ] || gpus+="{ address = \"${CARDS[$((i + 2))]}\"; vram = \"14096M\"; }, "
        [ "$i" = "$1" ] || gpus+="{ address = \"${CARDS[$((i + 2))]}\"; enabled = false; }, "
    done
    echo "gpus = ( ${gpus%, } ); profiles = { b60-4g = { vram = \"4G\"; }; };"
}

# wanted GUEST: which type each guest asks for.
declare -A wanted=([on-t4]=T4-4Q [on-l40s]=L40S-4Q [on-b60]=b60-4g)

# source_on HOST GUEST: the guest's vGPU there.
source_on() { "$1" device_of "$2"; "$1" pci_of "$2"; }

# install_package: dpkg -i in place of what is on our disk. DKMS built and installed that, when the disk was
# made.
install_package() {
    local version files
    version=$(basename /usr/src/vgpu-cards-* | sed 's/vgpu-cards-//')
    files=(/usr/src/vgpu-cards-* /var/lib/dkms "/lib/modules/$release/updates")
    at_end depmod "$release"
    at_end unpack_files /vgpu/cards.tar
    at_end rm -rf "${files[@]}"
    pack_files /vgpu/cards.tar "${files[@]}"
    dkms remove -m vgpu-cards -v "$version" --all
    rm -rf /usr/src/vgpu-cards-*
    must_fail modprobe vgpu-cards
    at_end dpkg --purge libvirt-vgpu-cards-dkms
    dpkg -i /vgpu/packages/cards.deb
    [ -e "/usr/src/vgpu-cards-$version/bus.c" ]
}

if is_long; then
    say "dpkg -i, by which DKMS builds and installs the modules"
    install_package
fi
dkms status vgpu-cards
[[ $(modinfo -n vgpu-cards) = */updates/dkms/vgpu-cards.ko* ]]

say "modprobe, and a guest with a vGPU of each kind"
cards mdev vf vf xe xe vfs=2
modprobe vgpu-cards-xe-vfio
vgpu_conf < <(only 0)
for guest in "${!wanted[@]}"; do
    override=$(migratable ua-gpu0 | tr -d '\n')
    guest "$guest" --xml-filter "s,</domain>,<qemu:override>$override</qemu:override>&,"
    vgpuctl attach "$guest" --type "${wanted[$guest]}" --config
    if [ "$guest" = on-b60 ]; then
        virsh -q dumpxml --inactive "$guest" | sed "s/managed='no'/managed='yes'/" >managed.xml
        virsh -q define managed.xml
    fi
    start "$guest"
    [ "$(group_held_by "$(source_on on_host1 "$guest")")" = "$(qemu_pid "$guest")" ]
done
must_fail rmmod vgpu_cards

say "saved, and restored"
declare -A seals=()
for guest in "${!wanted[@]}"; do
    seals[$guest]=$(seal_of "$(source_on on_host1 "$guest")")
    virsh -q save "$guest" "$PWD/$guest.saved"
done
assert_no_vgpus
for guest in "${!wanted[@]}"; do
    virsh -q restore "$PWD/$guest.saved"
    [ "$(seal_of "$(source_on on_host1 "$guest")")" = "${seals[$guest]}" ]
done

say "migrated live to a second libvirtd, which has other cards"
start_host2
on_host2 vgpu_conf < <(only 1)
for guest in "${!wanted[@]}"; do
    before=$(source_on on_host1 "$guest")
    migrate "$guest"
    after=$(source_on on_host2 "$guest")
    [ "$after" != "$before" ]
    [ "$(seal_of "$after")" = "${seals[$guest]}" ]
    on_host2 destroy "$guest"
done
assert_no_vgpus
assert_empty_ledger
on_host2 assert_empty_ledger
stop_host2

if is_long; then
    say "removal while the modules are in use, and purge"
    dpkg --remove libvirt-vgpu-cards-dkms
    [ -e /sys/module/vgpu_cards ]
    no_cards
    must_fail modprobe vgpu-cards
    dpkg --purge libvirt-vgpu-cards-dkms
    [ -z "$(find "/lib/modules/$release" /usr/src /var/lib/dkms -name '*vgpu-cards*')" ]
fi
