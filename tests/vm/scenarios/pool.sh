# SPDX-License-Identifier: LGPL-2.1-or-later
# A pool of bare virtual functions, bound to the true vfio-pci: each goes to one guest, and comes back.
# shellcheck shell=bash
# needs: nvme

for card in /sys/bus/pci/devices/*/sriov_totalvfs; do break; done
card=${card%/*}
card=${card##*/}
functions=/run/libvirt-vgpu/functions

# owned_by VF GUEST: the guest's QEMU has the function open, and no other guest may have it.
owned_by() {
    [ "$(readlink "$functions/$1")" = disks ]
    [ "$(group_held_by "$1")" = "$(qemu_pid "$2")" ]
    assert_match "$(ledger)" "^pool $1 disks 2048 .* $2 ua-gpu0 held made "
}
room() { vgpuctl types -rn -o TYPE,AVAILABLE | sed -n 's/^disks //p'; }
free() { [ ! -L "$functions/$1" ] && [ -z "$(group_held_by "$1")" ]; }

# disk_guest NAME VF [MANAGED]: sets ARGUMENTS to those of the guest.
disk_guest() {
    ARGUMENTS=("$1" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="disks"/>')"
        --pci "$2,ua-gpu0,${3-no}")
}

# given VF GUEST: the hook gives the guest this function.
given() {
    disk_guest "$2" "$1"
    claim "${ARGUMENTS[@]}"
    [ "$(readlink "$functions/$1")" = disks ]
    assert_match "$(ledger)" "^pool $1 disks 2048 .* $2 ua-gpu0 held made "
}

modprobe vfio-pci
modprobe nvme
at_end rmmod nvme nvme_core
wait_for test -e "/sys/bus/pci/devices/$card/driver"
# The card is no display controller. So it is a GPU only if vgpu.conf names it.
must_fail vgpuctl sriov enable "$card"
assert_match "$ERR" "$card is no display controller .* name it in gpus of vgpu.conf"
vgpu_conf <<<"gpus = ( { address = \"$card\"; } );"
at_end enable_vfs "$card" 0
[ "$(vgpuctl sriov enable "$card" --count 4 | head -n 1)" = "$card has 4 virtual functions now" ]
[ "$(cat "/sys/bus/pci/devices/$card/sriov_drivers_autoprobe")" = 0 ]
must_fail vgpuctl sriov enable "$card" --count 5
assert_match "$ERR" "$card has 4 virtual functions, and the kernel changes that only to 0"
mapfile -t vfs < <(vfs_of "$card")
for vf in "${vfs[@]:0:3}"; do bind_driver "$vf" vfio-pci; done
vgpu_conf <<END
    pools = { disks = { functions = [ "${vfs[0]%.*}.*" ]; framebuffer = "2G"; }; };
END

say "one guest has a function, and a restart of libvirtd changes nothing"
disk_guest one "${vfs[0]}"
guest "${ARGUMENTS[@]}"
start one
owned_by "${vfs[0]}" one
assert_match "$(vgpuctl list -rn -o DEVICE,TYPE,DOMAIN,STATE)" "^${vfs[0]} disks one held$"
disk_guest two "${vfs[0]}"
must_fail claim "${ARGUMENTS[@]}"
assert_match "$ERR" "vgpu: two: .*${vfs[0]} belongs to the guest one \(held\)"
restart_libvirtd
vgpuctl reconcile
owned_by "${vfs[0]}" one

say "functions are not disabled while a guest has one"
must_fail vgpuctl sriov disable "$card"
assert_match "$ERR" "$card is in use: ${vfs[0]} by one \(held\); "

say "the function comes back when QEMU is killed"
kill -KILL "$(qemu_pid one)"
wait_for free "${vfs[0]}"
wait_for assert_empty_ledger
given "${vfs[0]}" two
give_back two
free "${vfs[0]}"
assert_empty_ledger

say "a guest has a function that did not come from us"
guest plain --pci "${vfs[1]}"
start plain
disk_guest three "${vfs[1]}"
guest "${ARGUMENTS[@]}"
user="it is in use by process $(qemu_pid plain) \(qemu-system-x86\)"
must_fail start three
assert_match "$ERR" "vgpu: three: ua-gpu0 \(disks\) cannot be on ${vfs[1]}: $user"
must_fail vgpuctl explain three
assert_match "$ERR" "ua-gpu0 \(disks\) cannot be on ${vfs[1]}: $user"
[ "$(room)" = 3 ]
must_fail vgpuctl sriov disable "$card"
assert_match "$ERR" "$card is in use: ${vfs[1]} by plain; "
destroy plain
[ "$(room)" = 4 ]
given "${vfs[1]}" three
give_back three

say "libvirt binds the function to VFIO, and gives it back to its driver"
disk_guest bound "${vfs[3]}" yes
guest "${ARGUMENTS[@]}"
start bound
owned_by "${vfs[3]}" bound
destroy bound
free "${vfs[3]}"
assert_empty_ledger
vgpu_conf <<END
    pools = { disks = { functions = [ "${vfs[0]%.*}.*" ]; driver = "vfio-pci"; }; };
END
bind_driver "${vfs[3]}" ''
must_fail claim "${ARGUMENTS[@]}"
assert_match "$ERR" "${vfs[3]}, which is in the pool disks and bound to no driver, not to vfio-pci"

say "attach takes a function that no guest has"
guest plainer
vgpuctl attach plainer --type disks
claim_defined plainer
[ "$(find $functions -type l | wc -l)" = 1 ]
give_back plainer
[ "$(find $functions -type l | wc -l)" = 0 ]
assert_empty_ledger

say "no guest has a function: they are disabled"
[ "$(vgpuctl sriov disable "$card")" = "$card has no virtual functions any more" ]
[ "$(cat "/sys/bus/pci/devices/$card/sriov_numvfs")" = 0 ]
[ ! -e "/sys/bus/pci/devices/${vfs[0]}" ]
