# SPDX-License-Identifier: LGPL-2.1-or-later
# Guests start and end, on the kernel's samples and on NVIDIA's shapes. Its parts share their guests.
# shellcheck shell=bash disable=SC2153,SC2034 # use_shape sets them, and guest_xml reads EMULATOR
# tests: distribution

# With Debian's own QEMU, whose starts are slow in User Mode Linux.
is_uml || EMULATOR=

# held_by GUEST SOURCE TYPE-ID: only this guest has the vGPU, which we have made.
held_by() {
    [ "$(type_of "$2")" = "$3" ]
    [ "$(group_held_by "$2")" = "$(qemu_pid "$1")" ]
    ledger | grep -E " $2 $3 .* $1 ua-[a-z0-9]+ held made "
}

# refused GUEST REGEX OPTION...: the hook refuses the guest. One line says why, and nothing changes.
refused() {
    local before
    before=$(vgpus; ledger)
    must_fail claim "$1" "${@:3}"
    assert_match "$ERR" "^vgpu: $1: $2"
    [ "$(wc -l <<<"$ERR")" = 1 ]
    [ "$(vgpus; ledger)" = "$before" ]
}

# lets_go GUEST UUID: the guest lets go of the device that libvirt unplugs.
lets_go() {
    eject "$1"
    ! virsh -q dumpxml "$1" | grep -q "$2"
}

# is_adopted LEASES: libvirt reconnects to each guest in a thread of its own, and runs its hook last. libvirt
# 12.8 answers before that.
is_adopted() { [ "$(ledger | grep -c " held made $(libvirtd_pid):")" = "$1" ]; }

# samples: a guest with a vGPU on each of two parents, which the kernel's own sample drivers make.
samples() {
    local serial screen wish pid firmware=()
    serial=$(new_uuid) screen=$(new_uuid)
    wish=(--hostdev "$serial,ua-serial" --hostdev "$screen,ua-screen" --metadata
        "$(request '<vgpu:device alias="ua-serial" type="mtty-2" parent="mtty"/>
            <vgpu:device alias="ua-screen" type="mbochs-small"/>')")

    # Only the firmware of a PC gives a device a port where it can be unplugged.
    if is_pc; then firmware=(--firmware); fi

    part start-and-destroy two-devices-two-parents
    guest web01 "${firmware[@]}" "${wish[@]}"
    start web01
    held_by web01 "$serial" mtty-2
    held_by web01 "$screen" mbochs-small
    ledger | grep "^mdev $serial mtty-2 0 mtty mtty .* web01 ua-serial held made "
    destroy web01
    assert_no_mdevs
    assert_empty_ledger
    wait_for grep 'event=prepare .*result=ok' /var/log/syslog
    wait_for grep 'event=release .*result=removed' /var/log/syslog
    # There is no room for the second vGPU. So the first does not stay either.
    vgpu_conf <<<'gpus = ( { address = "mbochs"; enabled = false; } );'
    refused both 'no GPU can take ua-screen \(mbochs-small\):.*mbochs is disabled' "${wish[@]}"
    no_vgpu_conf

    # The guest starts again under the same UUIDs.
    part clone libvirtd-restart unplugged
    start web01
    pid=$(qemu_pid web01)
    refused copy ".*$serial belongs to the guest web01 \(held\)" "${wish[@]}"
    stop_libvirtd
    rm "$LEDGER"
    start_libvirtd
    is_running web01
    [ "$(qemu_pid web01)" = "$pid" ]
    wait_for is_adopted 2
    held_by web01 "$serial" mtty-2
    held_by web01 "$screen" mbochs-small
    if is_pc; then
        virsh -q dumpxml web01 | xmllint --xpath "//hostdev[source/address/@uuid='$screen']" - >hostdev.xml
        virsh -q detach-device web01 hostdev.xml
        wait_for lets_go web01 "$screen"
        [ "$(group_held_by "$serial")" = "$pid" ]
        [ -z "$(group_held_by "$screen")" ]
        [ "$(mdev_type "$screen")" = mbochs-small ]
    fi
    destroy web01
    assert_no_mdevs
    claim copy "${wish[@]}"
    give_back copy

    part qemu-fails
    guest broken "${wish[@]}" --qemu-arg -no-such-option
    must_fail start broken
    assert_match "$ERR" 'no-such-option'
    [[ $ERR != *vgpu:* ]]

    part removed-before-start
    cat >/etc/libvirt/hooks/qemu.d/10-thief <<-END
		#!/bin/sh
		[ "\$2" != start ] || echo 1 >/sys/bus/mdev/devices/$serial/remove
	END
    chmod +x /etc/libvirt/hooks/qemu.d/10-thief
    must_fail start web01
    assert_match "$ERR" "vgpu: web01: the vGPU $serial \(mtty-2\) was made on mtty, and is not there"
    rm /etc/libvirt/hooks/qemu.d/10-thief

    part foreign-device
    make_mdev mtty mtty-2 "$serial"
    wish=(--hostdev "$serial" --metadata)
    refused wrong ".*a vGPU $serial is there already, of type mtty-2 .* not mtty-1" \
        "${wish[@]}" "$(request '<vgpu:device type="mtty-1"/>')"
    claim right "${wish[@]}" "$(request '<vgpu:device type="mtty-2"/>')"
    assert_match "$(ledger)" ' held found '
    give_back right
    assert_empty_ledger
    remove_mdev "$serial"
    for domain in web01 broken; do virsh -q undefine "$domain"; done
}

# shaped: the same on cards of a shape.
shaped() {
    local first second third fill=() i kind=mdev wish places id
    first=$(new_source 0 0) second=$(new_source 0 1) third=$(new_source 0 2) id=$(type_id "$TYPE")
    [ "$SHAPE" != vf ] || kind=vf
    read -ra places <<<"$(source_option "$first" ua-gpu0) $(source_option "$second" ua-gpu1) --metadata"
    wish="<vgpu:device alias='ua-gpu0' type='$TYPE'/><vgpu:device alias='ua-gpu1' type="

    part "$SHAPE: a guest has two vGPUs; a clone, another size, and a killed libvirtd"
    guest both "${places[@]}" "$(request "$wish'$TYPE'/>")"
    start both
    held_by both "$first" "$id"
    held_by both "$second" "$id"
    ledger | grep -E "^$kind $first $id (12288|8192) "
    asking copy "$first" "$TYPE" 0
    refused copy ".*$first belongs to the guest both \(held\)" "${ARGUMENTS[@]:1}"
    asking other "$third" "$OTHER" 0
    refused other ".*ua-gpu0.*$OTHER.* ${GPUS[0]} " "${ARGUMENTS[@]:1}"
    kill_libvirtd
    start_libvirtd
    wait_for is_adopted 2
    held_by both "$first" "$id"
    libvirt-vgpu-hook nobody release end - <<<"<domain><uuid>$(new_uuid)</uuid></domain>"
    vgpuctl reconcile
    held_by both "$first" "$id"
    destroy both
    assert_no_vgpus
    assert_empty_ledger
    refused unlike ".*$TYPE.*$ALIKE.* cannot be in one guest: NVIDIA " "${places[@]}" "$(request "$wish'$ALIKE'/>")"

    part "$SHAPE: the last place, a full card, and a killed QEMU"
    # Other vGPUs have all places of each card except one.
    for ((i = 1; i < MOST; i++)); do
        fill+=("$(new_source 0 $((i + 3)))" "$(new_source 1 $((i + 3)))")
        make_vgpu "${fill[-2]}" "$id" 0
        make_vgpu "${fill[-1]}" "$id" 1
    done
    [ "$SHAPE" != vf ] || refused both '.*ua-gpu.*' "${places[@]}" "$(request "$wish'$TYPE'/>")"
    ask last "$third" "$TYPE" 0
    start last
    held_by last "$third" "$id"
    # Through libvirt, whoever starts a guest reads the same line.
    ask late "$second" "$TYPE" 0
    must_fail start late
    assert_match "$ERR" "vgpu: late: .*ua-gpu0.*$TYPE.*${GPUS[0]} (is full|.*in use)"
    [ "$(grep -c 'vgpu: ' <<<"$ERR")" = 1 ]
    kill -KILL "$(qemu_pid last)"
    wait_for is_off last
    wait_for assert_empty_ledger
    [ "$(vgpus | sort)" = "$(printf '%s\n' "${fill[@]}" | sort)" ]

    say "part: $SHAPE: a vGPU that somebody else made is used if it is right, and never removed"
    asking right "${fill[0]}" "$ALIKE" 0
    refused right ".*${fill[0]} is there already, of type $id " "${ARGUMENTS[@]:1}"
    asking right "${fill[0]}" "$TYPE" 0
    claim "${ARGUMENTS[@]}"
    assert_match "$(ledger)" ' held found '
    give_back right
    [ "$(type_of "${fill[0]}")" = "$id" ]
    for i in "${fill[@]}"; do remove_vgpu "$i"; done

    part "$SHAPE: a hook and libvirtd are killed, and reconcile cleans up"
    claim "${ARGUMENTS[@]}"
    [ "$(ledger | grep -c ' held made ')" = 1 ]
    (asking orphan "$third" "$TYPE" 0 && claim "${ARGUMENTS[@]}")
    vgpuctl reconcile
    [ "$(vgpus)" = "${fill[0]}" ]
    give_back right
    assert_no_vgpus
    assert_empty_ledger
    for i in both last late; do virsh -q undefine "$i"; done
}

samples
for shape in $(shapes); do
    use_shape "$shape"
    shaped
done
