# SPDX-License-Identifier: LGPL-2.1-or-later
# The cards' driver without our hook: its rules, its faults, and guests on all three shapes.
# shellcheck shell=bash
# tests: cards
# needs: libvirt 9.7
# needs: qemu 8.1

# A process that has a vGPU open as QEMU would have it, but without a guest.
cat >holder <<-'END'
	#!/usr/bin/perl
	use Fcntl;
	my ($group, $device) = @ARGV;
	sysopen(my $container, '/dev/vfio/vfio', O_RDWR) or die "holder: container: $!";
	sysopen(my $opened, "/dev/vfio/$group", O_RDWR) or die "holder: group: $!";
	ioctl($opened, 0x3b68, pack('i', fileno $container)) or die "holder: join: $!";
	ioctl($container, 0x3b66, 1) or die "holder: iommu: $!";
	# For the answer 0, Perl's ioctl returns "0 but true". So only an error ends this program.
	ioctl($opened, 0x3b6a, "$device\0") or die "holder: device: $!";
	open(my $told, '>', 'held');
	sleep;
END
chmod +x holder

# hold DEVICE: has DEVICE open until let_go.
hold() {
    rm -f held
    ./holder "$(group_of "$1")" "$1" &
    holder=$!
    wait_for test -e held
}

let_go() {
    released=$(milliseconds)
    kill "$holder"
    wait "$holder" || true
}

# refuses ERROR COMMAND...: COMMAND is a single command. This is quicker than must_fail, and there
# are many.
refuses() {
    local said
    if said=$("${@:2}" 2>&1); then fail "should have failed: ${*:2}"; fi
    assert_match "$said" "$1"
}

# file_of DEVICE NAME: a file in the directory nvidia/ of DEVICE.
file_of() { echo "$(device_dir "$1")/nvidia/$2"; }
write() { echo "$2" >"$1"; }

# type_file PARENT TYPE NAME: the content of a file of this type.
type_file() { cat "/sys/class/mdev_bus/$1/mdev_supported_types/nvidia-$2/$3"; }

available() { type_file "$1" "$2" available_instances; }

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# takes_ms LEAST COMMAND...: COMMAND takes at least LEAST milliseconds.
takes_ms() {
    local began
    began=$(milliseconds)
    "${@:2}"
    [ $(($(milliseconds) - began)) -ge "$1" ]
}

# let_go_for LEAST: let_go was at least LEAST milliseconds ago.
let_go_for() { [ $(($(milliseconds) - released)) -ge "$1" ]; }

# transitions VF: which types the VF's type may become, and which not.
transitions() {
    [ "$(vf_type "$1")" = 0 ]
    refuses 'Operation not permitted' set_vf_type "$1" 0
    refuses 'Invalid argument' set_vf_type "$1" none
    refuses 'Numerical result out of range' set_vf_type "$1" 99999999999999999999
    refuses 'Input/output error' set_vf_type "$1" 9999
    refuses 'No such device' ./holder "$(group_of "$1")" "$1"
    [ "$(vf_type "$1")" = 0 ]

    set_vf_type "$1" 1148
    [ "$(vf_type "$1")" = 1148 ]
    refuses 'Operation not permitted' set_vf_type "$1" 1148
    refuses 'Operation not permitted' set_vf_type "$1" 1146
    hold "$1"
    refuses 'Operation not permitted' set_vf_type "$1" 0
    refuses 'in use' no_cards
    [ "$(vf_type "$1")" = 1148 ]
    let_go
    fault refuse_deletes 1
    refuses 'Input/output error' set_vf_type "$1" 0
    set_vf_type "$1" 0
    [ "$(vf_type "$1")" = 0 ]
}

# what_fits VF VF: the type of one VF limits the types of the other. The card is full before all its
# VFs have a type.
what_fits() {
    [ "$(vf_list "$1" | wc -l)" = 22 ]
    set_vf_type "$1" 1148
    [ -z "$(vf_list "$1")" ]
    [ "$(vf_list "$2" | xargs)" = '1146 1148 1158' ]
    refuses 'Input/output error' set_vf_type "$2" 1147
    set_vf_type "$2" 1158
    set_vf_type "$1" 0
    set_vf_type "$2" 0
    set_vf_type "$1" 1156
    [ -z "$(vf_list "$2")" ]
    refuses 'Input/output error' set_vf_type "$2" 1156
    set_vf_type "$1" 0
    dmesg | grep -q 'NVRM: Failed to add vgpu create request: 0x1a'
    dmesg | grep -q 'NVRM: Failed to add vgpu create request: 0x56'
}

params() {
    local file
    file=$(file_of "$1" vgpu_params)
    refuses 'No such device or address' write "$file" 'a=1'
    refuses 'No such device or address' cat "$(file_of "$1" placement_id)" "$(file_of "$1" gpu_instance_id)"
    set_vf_type "$1" 1148
    write "$file" 'frame_rate_limiter=0'
    [ "$(cat "$file")" = 'frame_rate_limiter=0' ]
    refuses 'Argument list too long' write "$file" "$(printf '%1024s' x)"
    hold "$1"
    refuses 'Operation not permitted' write "$file" 'a=1'
    let_go
    write "$file" ' '
    [ -z "$(cat "$file")" ]
    set_vf_type "$1" 0
}

# room_of PARENT: how many vGPUs of 2 GB, and how many of 4 GB, the parent has room for.
room_of() { echo "$(available "$1" "$small") $(available "$1" "$large")"; }

# mdev_types PARENT SIBLING BEFORE AFTER BESIDE: room_of PARENT is BEFORE. After a vGPU of 2 GB is made,
# room_of PARENT is AFTER, and room_of SIBLING is BESIDE.
mdev_types() {
    local uuid
    uuid=$(new_uuid)
    [ "$(room_of "$1")" = "$3" ]
    make_mdev "$1" "nvidia-$small" "$uuid"
    [ "$(room_of "$1")" = "$4" ]
    [ "$(room_of "$2")" = "$5" ]
    refuses 'Input/output error' make_mdev "$1" "nvidia-$large" "$(new_uuid)"
    [ -z "$(cat "$(file_of "$uuid" vm_name)")" ]
    remove_mdev "$uuid"
    [ "$(room_of "$1")" = "$3" ]
}

# The list of types in each of its formats. The last one is the list of a VF that has a type.
lists() {
    local format file first all
    file=$(file_of "$1" creatable_vgpu_types)
    all=$(vf_list "$1")
    while IFS='|' read -r format first; do
        fault list "$format"
        [ "$(head -n 1 "$file")" = "$first" ]
        [ "$(vf_list "$1")" = "$all" ]
    done <<-'END'
		plain|1145 : NVIDIA L40S-1B
		name-first|NVIDIA L40S-1B 1145
		header|ID    : vGPU Name
		header-always|ID    : vGPU Name
	END
    fault garbage 1
    grep -qx 'this is no type' "$file"
    [ "$(vf_list "$1")" = "$all" ]
    fault garbage 0
    set_vf_type "$1" 1145
    [ "$(cat "$file")" = 'ID    : vGPU Name' ]
    fault list header
    [ -z "$(cat "$file")" ]
    set_vf_type "$1" 0
}

# refused VF PARENT: the driver refuses a vGPU although there is room.
refused() {
    local uuid before
    uuid=$(new_uuid)
    before=$(counter "${CARDS[0]}" refused)
    fault refuse_creates 2
    refuses 'Input/output error' set_vf_type "$1" 1148
    refuses 'Input/output error' make_mdev "$2" nvidia-558 "$uuid"
    [ "$(counter "${CARDS[0]}" refused)" = $((before + 1)) ]
    set_vf_type "$1" 1148
    set_vf_type "$1" 0
}

# slow VF PARENT VF: a vGPU needs time to be made, and time to exit.
slow() {
    local uuid
    uuid=$(new_uuid)
    fault create_ms 400
    takes_ms 400 set_vf_type "$1" 1148
    takes_ms 400 make_mdev "$2" nvidia-558 "$uuid"
    fault create_ms 0

    fault exiting_ms 3600000
    set_vf_type "$3" 1148
    hold "$3"
    let_go
    refuses 'Device or resource busy' ./holder "$(group_of "$3")" "$3"
    fault exiting_ms 3000
    hold "$1"
    let_go
    set_vf_type "$1" 0
    let_go_for 3000
    hold "$uuid"
    let_go
    remove_mdev "$uuid"
    let_go_for 3000

    fault exiting_ms 3600000
    set_vf_type "$1" 1148
    hold "$1"
    let_go
    takes_ms 4900 refuses 'Device or resource busy' set_vf_type "$1" 0
    [ "$(vf_type "$1")" = 1148 ]
    fault exiting_ms 0
    set_vf_type "$1" 0
    set_vf_type "$3" 0
    assert_no_vgpus
}

# other_rules VF VF: the other rules of which sizes may share a card.
other_rules() {
    set_vf_type "$1" 1148
    fault rule same-type
    [ "$(vf_list "$2")" = 1148 ]
    fault rule mixed
        # All types for which the 46 GB are enough.
    [ "$(vf_list "$2" | xargs)" = "$(seq -s ' ' 1145 1155) $(seq -s ' ' 1157 1165)" ]
    set_vf_type "$2" 1155
    set_vf_type "$2" 0
    fault rule same-size
    set_vf_type "$1" 0
}

# taken_away VF: a VF that was taken from the driver can have no vGPU until the VFs are made anew.
taken_away() {
    set_vf_type "$1" 1148
    echo "$1" >"$NVIDIA/unbind"
    echo "$1" >"$NVIDIA/bind"
    [ "$(vf_type "$1")" = 0 ]
    refuses 'Invalid argument' set_vf_type "$1" 1148
    enable_vfs "${CARDS[0]}" 2
    set_vf_type "$1" 1148
    set_vf_type "$1" 0
}

# Guests. A place is where a vGPU can be: a VF, or the parent of an mdev.

# occupy PLACE TYPE: makes a vGPU there, and prints its name.
occupy() {
    local uuid
    if [ -e "$(file_of "$1" current_vgpu_type)" ]; then
        set_vf_type "$1" "$2"
        echo "$1"
    else
        uuid=$(new_uuid)
        make_mdev "$1" "nvidia-$2" "$uuid"
        echo "$uuid"
    fi
}

# vacate DEVICE: removes the vGPU.
vacate() {
    case $1 in
    *:*) set_vf_type "$1" 0 ;;
    *) remove_mdev "$1" ;;
    esac
}

# option_for DEVICE ALIAS: the option of "guest" for this device.
option_for() {
    case $1 in
    *:*) echo "--pci $1,ua-$2" ;;
    *) echo "--hostdev $1,ua-$2" ;;
    esac
}

# with_device OLD NEW <XML: prints the XML with another vGPU.
with_device() {
    local old new
    case $1 in
    *:*)
                # The address in the guest has the attribute type first. So it does not match.
        old=$(pci_source "$1") new=$(pci_source "$2")
        old=${old#<source>} new=${new#<source>}
        sed "s,${old%</source>},${new%</source>},"
        ;;
    *) sed "s,$1,$2," ;;
    esac
}

# is_with HOST GUEST DEVICE: only this guest's QEMU has the device open.
is_with() { [ "$(group_held_by "$3")" = "$("$1" qemu_pid "$2")" ]; }

# start_with DEVICE...: starts one guest with all of these vGPUs.
start_with() {
    local device options=() count=0
    for device; do
        # shellcheck disable=SC2207 # two words
        options+=($(option_for "$device" "gpu$count"))
        count=$((count + 1))
    done
    guest web01 "${options[@]}"
    start web01
    for device; do is_with on_host1 web01 "$device"; done
}

# begin PLACE TYPE: starts web02 with a vGPU there.
begin() {
    device=$(occupy "$1" "$2")
    # shellcheck disable=SC2046 # two words
    guest web02 --migratable $(option_for "$device" gpu0)
    start web02
    is_with on_host1 web02 "$device"
    seal=$(seal_of "$device")
}

# arrives HOST NEW: the guest has the vGPU NEW with the old state, and the old vGPU is free.
arrives() {
    is_with "$1" web02 "$2"
    [ "$(seal_of "$2")" = "$seal" ]
    [ -z "$(group_held_by "$device")" ] || fail "$device is still in use"
    [ "$2" = "$device" ] || vacate "$device"
    device=$2
}

# save_to PLACE TYPE: saves the guest, and restores it with a vGPU there.
save_to() {
    local new
    virsh -q save web02 "$PWD/saved"
    new=$(occupy "$1" "$2")
    virsh -q save-image-dumpxml --security-info "$PWD/saved" | with_device "$device" "$new" >saved.xml
    virsh -q restore "$PWD/saved" --xml saved.xml
    arrives on_host1 "$new"
}

# move_to PLACE TYPE: migrates the guest to the second host, with a vGPU there.
move_to() {
    local new
    new=$(occupy "$1" "$2")
    virsh -q dumpxml --migratable web02 | with_device "$device" "$new" >moved.xml
    migrate web02 --xml moved.xml
    arrives on_host2 "$new"
}

# refuses_move PLACE TYPE: a vGPU of another type does not take the state.
refuses_move() {
    local new
    new=$(occupy "$1" "$2")
    virsh -q dumpxml --migratable web02 | with_device "$device" "$new" >moved.xml
    must_fail migrate web02 --xml moved.xml
    is_running web02
    is_with on_host1 web02 "$device"
    [ "$(seal_of "$device")" = "$seal" ]
    vacate "$new"
}

# end_on HOST: ends web02 there, and removes its vGPU.
end_on() {
    "$1" destroy web02
    vacate "$device"
    virsh -q undefine web02
    assert_no_vgpus
}

# there PLACE PLACE TYPE: a guest is saved at the first place and restored at the second. Then one is
# migrated from the first place to the second. The places are on two cards.
there() {
    begin "$1" "$3"
    save_to "$2" "$3"
    end_on on_host1
    begin "$1" "$3"
    move_to "$2" "$3"
    end_on on_host2
}

mig() {
    local vfs
    cards vf vf vfs=2 boards=A30-MIG,A30
    mapfile -t vfs <<<"$(vfs_of "${CARDS[0]}")"
    [ -z "$(vf_list "${vfs[0]}")" ]
    refuses 'Input/output error' set_vf_type "${vfs[0]}" 684
    fault instances 1-6C:1,2-12C:1
    [ "$(vf_list "${vfs[0]}" | xargs)" = '689 690' ]
    set_vf_type "${vfs[0]}" 689
    [ "$(vf_list "${vfs[1]}" | xargs)" = 690 ]
    refuses 'Input/output error' set_vf_type "${vfs[1]}" 689
    set_vf_type "${vfs[0]}" 0
    mapfile -t vfs <<<"$(vfs_of "${CARDS[1]}")"
    [ "$(vf_list "${vfs[0]}" | xargs)" = '684 685 686 687 688' ]
    refuses 'Input/output error' set_vf_type "${vfs[0]}" 689
}

say "all three shapes at once"
cards mdev vf sriov vfs=2
[ "${#T4[@]} ${#CARDS[@]}" = '2 2' ]
mapfile -t vfs <<<"$(vfs_of "${CARDS[0]}")"
mapfile -t parents <<<"$(vfs_of "${CARDS[1]}")"
[ "${#vfs[@]} ${#parents[@]}" = '2 2' ]

transitions "${vfs[0]}"
what_fits "${vfs[0]}" "${vfs[1]}"
[ "$(type_file "${T4[0]}" 230 name)" = 'GRID T4-1Q' ]
[ "$(type_file "${T4[0]}" 230 description)" = \
    'num_heads=4, frl_config=60, framebuffer=1024M, max_resolution=5120x2880, max_instance=16' ]
small=223 large=232 mdev_types "${T4[0]}" "${T4[1]}" '8 4' '7 0' '8 4'
small=558 large=560 mdev_types "${parents[0]}" "${parents[1]}" '1 1' '0 0' '1 0'
refused "${vfs[0]}" "${parents[0]}"
if is_long; then
    params "${vfs[0]}"
    lists "${vfs[0]}"
    other_rules "${vfs[0]}" "${vfs[1]}"
    slow "${vfs[0]}" "${parents[0]}" "${vfs[1]}"
    taken_away "${vfs[1]}"
fi

say "one guest with a vGPU of each kind"
made=("$(occupy "${T4[0]}" 231)" "$(occupy "${parents[0]}" 558)" "$(occupy "${vfs[0]}" 1148)")
start_with "${made[@]}"
[ "$(cat "$(file_of "${made[0]}" vm_name)") $(cat "$(file_of "${made[1]}" vm_name)")" = 'web01 web01' ]
refuses 'Operation not permitted' set_vf_type "${made[2]}" 0
destroy web01
for device in "${made[@]}"; do vacate "$device"; done
assert_no_vgpus
[ "$(counter "${CARDS[0]}" created) $(counter "${CARDS[1]}" created)" = '0 0' ]
[ "$(counter "${CARDS[0]}" highest) $(counter "${CARDS[1]}" highest)" = '2 1' ]

if is_long; then
    say "T4 and A40, saved and restored, and migrated live"
    start_host2
    there "${T4[0]}" "${T4[1]}" 222
    no_cards
    cards sriov sriov vfs=1
    there "$(vfs_of "${CARDS[0]}")" "$(vfs_of "${CARDS[1]}")" 558
    no_cards
    mig
fi

say "L40S: migrated live to a VF of the other card; with LONG, first restored on another VF"
no_cards
cards vf vf vfs=2
mapfile -t vfs <<<"$(vfs_of "${CARDS[0]}")"
mapfile -t others <<<"$(vfs_of "${CARDS[1]}")"
is_long || start_host2
begin "${vfs[0]}" 1148
if is_long; then
    save_to "${vfs[1]}" 1148
    refuses_move "${others[0]}" 1158
fi
move_to "${others[1]}" 1148
end_on on_host2
no_cards
