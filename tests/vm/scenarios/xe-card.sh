# SPDX-License-Identifier: LGPL-2.1-or-later
# A card of Intel's xe without our hook: its profiles, its faults, and guests on its VFs.
# shellcheck shell=bash
# tests: cards
# needs: libvirt 9.7

MIB=1048576
GIB=$((1024 * MIB))

# refuses ERROR COMMAND...: COMMAND is a single command. This is quicker than must_fail, and there
# are many.
refuses() {
    local said
    if said=$("${@:2}" 2>&1); then fail "should have failed: ${*:2}"; fi
    assert_match "$said" "$1"
}

write() { echo "$2" >"$1"; }

# says FILE VALUE
says() { [ "$(<"$1")" = "$2" ]; }

# becomes FILE TEXT VALUE: writes TEXT; then VALUE is read.
becomes() {
    write "$1" "$2"
    says "$1" "$3"
}

# load [NAME=VALUE]...: loads the driver. It is quicker than "cards", because it does not wait for
# libvirt.
load() {
    [ ! -e /sys/module/vgpu_cards ] || rmmod vgpu_cards
    modprobe vgpu-cards cards=B60 "$@"
    find_cards
}

# tree: the files with no VF enabled, and with some VFs enabled.
tree() {
    local links
    [ "$(find "$admin" -mindepth 1 -maxdepth 1 -printf '%P\n' | sort -V | xargs)" = \
        ".bulk_profile pf $(seq -f 'vf%.0f' -s ' ' 16)" ]
    diff - <(cd "$admin" && find .bulk_profile pf vf1 -type f -printf '%m %p\n' | sort -k 2) <<-'END'
		200 .bulk_profile/exec_quantum_ms
		200 .bulk_profile/preempt_timeout_us
		200 .bulk_profile/sched_priority
		200 .bulk_profile/vram_quota
		644 pf/profile/exec_quantum_ms
		644 pf/profile/preempt_timeout_us
		644 pf/profile/sched_priority
		644 vf1/profile/exec_quantum_ms
		644 vf1/profile/preempt_timeout_us
		444 vf1/profile/sched_priority
		644 vf1/profile/vram_quota
		200 vf1/stop
	END
    links=$(cd "$admin" && find . -name device | sort | xargs)
    [ "$links" = ./pf/device ]
    enable_vfs "$card" 3
    links=$(cd "$admin" && find . -name device | sort | xargs)
    [ "$links" = './pf/device ./vf1/device ./vf2/device ./vf3/device' ]
    [ "$(readlink -e "$admin/pf/device")" = "$(readlink -e "/sys/bus/pci/devices/$card")" ]
    [ "$(readlink -e "$admin/vf2/device")" = "$(readlink -e "/sys/bus/pci/devices/$card/virtfn1")" ]
    refuses 'Device or resource busy' write "/sys/bus/pci/devices/$card/sriov_numvfs" 2
}

# values: numbers that are written, and the numbers that are read then.
values() {
    local profile=$admin/vf1/profile
    becomes "$profile/exec_quantum_ms" 20 20
    becomes "$profile/preempt_timeout_us" 0x10 16
    becomes "$profile/exec_quantum_ms" 100001 100000
    becomes "$profile/preempt_timeout_us" 4294967295 100000000
    refuses 'Invalid argument' write "$profile/exec_quantum_ms" 20ms
    refuses 'Numerical result out of range' write "$profile/preempt_timeout_us" 4294967296
    says "$profile/sched_priority" '[low] normal'
    becomes "$admin/pf/profile/sched_priority" high 'low normal [high]'
    becomes "$profile/vram_quota" 1 $((2 * MIB))
    becomes "$profile/vram_quota" $((4 * GIB)) $((4 * GIB))
    becomes "$profile/vram_quota" $((4 * GIB + 1)) $((4 * GIB + 2 * MIB))
    refuses 'Invalid argument' write "$profile/vram_quota" 4G
    says "$profile/vram_quota" $((4 * GIB + 2 * MIB))
    refuses 'Invalid argument' write "$admin/vf1/stop" 7
    write "$admin/vf1/stop" 1

    write "$admin/.bulk_profile/exec_quantum_ms" 30
    says "$admin/pf/profile/exec_quantum_ms" 30
    says "$admin/vf16/profile/exec_quantum_ms" 30
    write "$admin/.bulk_profile/vram_quota" $((512 * MIB))
    says "$admin/vf3/profile/vram_quota" $((512 * MIB))
    refuses 'Invalid argument' write "$admin/.bulk_profile/sched_priority" high
    write "$admin/.bulk_profile/sched_priority" normal
    says "$profile/sched_priority" 'low [normal]'
    [ "$(counter "$card" pf_writes)" = 3 ]
    [ "$(counter "$card" writes)" = 11 ]
    write "$admin/.bulk_profile/vram_quota" 0
}

# capacity: a card can give out 14,096 MiB, and not a byte more. If a write asks for too much, the VF
# also loses the memory that it had.
capacity() {
    set_vram "${vfs[0]}" $((10000 * MIB))
    set_vram "${vfs[1]}" $((4096 * MIB))
    refuses 'Cannot allocate memory' set_vram "${vfs[2]}" 1
    fault full ENOSPC
    refuses 'No space left on device' set_vram "${vfs[1]}" $((4 * GIB + 1))
    [ "$(vram_of "${vfs[1]}")" = 0 ]
    refuses 'No space left on device' set_vram "${vfs[1]}" 18446744073709551615
    fault full ENOMEM
    set_vram "${vfs[1]}" $((4 * GIB))
    set_vram "${vfs[0]}" 0
}

refusals() {
    fault pass_writes 1
    fault refuse_writes 2
    set_vram "${vfs[2]}" $((2 * MIB))
    refuses 'Input/output error' set_vram "${vfs[2]}" 0
    fault refuse_with EPERM
    refuses 'Operation not permitted' write "$admin/vf3/profile/exec_quantum_ms" 1
    [ "$(vram_of "${vfs[2]}")" = $((2 * MIB)) ]
    set_vram "${vfs[2]}" 0
    fault refuse_with EIO
    fault unclean 1
    refuses 'Structure needs cleaning' cat "$admin/vf1/profile/exec_quantum_ms"
    refuses 'Structure needs cleaning' cat "$admin/vf1/profile/sched_priority"
    [ "$(vram_of "${vfs[1]}")" = $((4 * GIB)) ]
    fault unclean 0
}

# enabled_anew: VFs lose all memory when they are disabled. VFs that are enabled get equal shares,
# unless a VF has memory already. A 0 that was written before counts as no memory.
enabled_anew() {
    enable_vfs "$card" 0
    says "$admin/vf2/profile/vram_quota" 0
    says "$admin/vf1/profile/exec_quantum_ms" 0
    write "$admin/.bulk_profile/vram_quota" 0
    write "$admin/vf1/profile/vram_quota" 0
    enable_vfs "$card" 2
    says "$admin/vf1/profile/vram_quota" $((4 * GIB))
    says "$admin/vf2/profile/vram_quota" $((4 * GIB))
    enable_vfs "$card" 3
    says "$admin/vf3/profile/vram_quota" $((2 * GIB))
    says "$admin/vf4/profile/vram_quota" 0
    enable_vfs "$card" 0
    write "$admin/vf2/profile/vram_quota" $((3 * GIB))
    echo 3 >"/sys/bus/pci/devices/$card/sriov_numvfs"
    says "$admin/vf2/profile/vram_quota" $((3 * GIB))
    says "$admin/vf3/profile/vram_quota" 0
    enable_vfs "$card" 0
    fault xe_auto 0
    enable_vfs "$card" 3
    says "$admin/vf3/profile/vram_quota" 0
}

# shares RULE ADMIN_ONLY MIB...: by this rule of the driver, one VF has so many MiB, each of two VFs has ...
shares() {
    local count=0 mib
    fault xe_shares "$1"
    fault xe_admin_only "$2"
    for mib in "${@:3}"; do
        enable_vfs "$card" $((++count))
        says "$admin/vf1/profile/vram_quota" $((mib * MIB))
        says "$admin/vf$count/profile/vram_quota" $((mib * MIB))
    done
}

# rules: what the driver's three rules give of 14,096 MiB. The last one is the present rule.
rules() {
    fault xe_auto 1
    shares 1 0 8192 4096 4096
    shares 2 0 14096 7048 4698
    shares 3 1 13312 6656 4436
    shares 3 0 4096 4096 2048 2048
    enable_vfs "$card" 0
    write "$admin/.bulk_profile/vram_quota" 0
    fault xe_auto 0
    enable_vfs "$card" 3
}

# is_with GUEST VF DRIVER: only this guest has the VF, and its VRAM cannot be changed.
is_with() {
    [ "$(group_held_by "$2")" = "$(qemu_pid "$1")" ]
    [ "$(driver_of "$2")" = "$3" ]
    refuses 'Input/output error' set_vram "$2" 0
    write "$(profile_of "$2" exec_quantum_ms)" 40
}

# with_vf OLD NEW <XML: prints the XML with another VF.
with_vf() {
    local old new
    # The address in the guest has the attribute type first. So it does not match.
    old=$(pci_source "$1") new=$(pci_source "$2")
    old=${old#<source>} new=${new#<source>}
    sed "s,${old%</source>},${new%</source>},"
}

# restore_on VF
restore_on() {
    virsh -q save-image-dumpxml --security-info "$PWD/saved" | with_vf "${vfs[0]}" "$1" >saved.xml
    virsh -q restore "$PWD/saved" --xml saved.xml
}

say "the files"
load
card=${CARDS[0]}
admin=/sys/bus/pci/devices/$card/sriov_admin
tree
mapfile -t vfs < <(vfs_of "$card")
values
capacity
refusals
enabled_anew
rules

say "the host's own driver may take VFs, and then they run"
echo 1 >"/sys/bus/pci/devices/$card/sriov_drivers_autoprobe"
echo "${vfs[2]}" >/sys/bus/pci/drivers_probe
[ "$(driver_of "${vfs[2]}")" = xe ]
refuses 'Input/output error' set_vram "${vfs[2]}" $((2 * MIB))
echo 0 >"/sys/bus/pci/devices/$card/sriov_drivers_autoprobe"
bind_driver "${vfs[2]}" ''

say "a guest with a bare VF, and a VF that libvirt binds to the most specific driver"
look_anew
wait_for knows_cards
modprobe vgpu-cards-vfio
bind_driver "${vfs[1]}" vgpu-cards-vfio
guest plain --pci "${vfs[1]}" --pci "${vfs[2]},,yes"
start plain
is_with plain "${vfs[1]}" vgpu-cards-vfio
is_with plain "${vfs[2]}" vgpu-cards-xe-vfio
destroy plain
[ "$(driver_of "${vfs[1]}")" = vgpu-cards-vfio ]
must_fail driver_of "${vfs[2]}"

say "a guest is saved, and restored on a VF with as much VRAM"
for vf in "${vfs[@]}"; do bind_driver "$vf" vgpu-cards-xe-vfio; done
set_vram "${vfs[0]}" $((4 * GIB))
set_vram "${vfs[1]}" $((3 * GIB))
set_vram "${vfs[2]}" $((4 * GIB))
guest web --migratable --pci "${vfs[0]},ua-gpu0"
start web
is_with web "${vfs[0]}" vgpu-cards-xe-vfio
seal=$(seal_of "${vfs[0]}")
virsh -q save web "$PWD/saved"
set_vram "${vfs[0]}" 0
must_fail restore_on "${vfs[1]}"
restore_on "${vfs[2]}"
is_with web "${vfs[2]}" vgpu-cards-xe-vfio
[ "$(seal_of "${vfs[2]}")" = "$seal" ]
destroy web

say "older kernels"
rmmod vgpu_cards_xe_vfio vgpu_cards_vfio
load xe_quota=0
[ "$(cd "$admin" && echo vf1/profile/* .bulk_profile/v*)" = \
    'vf1/profile/exec_quantum_ms vf1/profile/preempt_timeout_us vf1/profile/sched_priority .bulk_profile/v*' ]
load xe_admin=0
enable_vfs "$card" 1
[ ! -e "$admin" ]

say "cards without LMTT, and cards that do not share their time"
load xe_fixed=1 xe_times=0
enable_vfs "$card" 1
[ "$(cd "$admin" && find .bulk_profile pf vf1 -type f -printf '%m %p\n' | sort | xargs)" = \
    '200 vf1/stop 444 vf1/profile/vram_quota' ]
says "$admin/vf1/profile/vram_quota" 0
refuses 'Permission denied' write "$admin/vf1/profile/vram_quota" $((2 * MIB))
