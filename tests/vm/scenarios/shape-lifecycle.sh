# SPDX-License-Identifier: LGPL-2.1-or-later
# NVIDIA's shapes: start, two devices, clone, other size, full card, foreign vGPU, restart, reconcile.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# takes: 40

# refused GUEST REGEX: GUEST does not start. One line says why, and nothing changes.
refused() {
    local before
    before=$(vgpus; ledger)
    must_fail start "$1"
    assert_match "$ERR" "vgpu: $1: $2"
    [ "$(grep -c 'vgpu: ' <<<"$ERR")" = 1 ]
    [ "$(vgpus; ledger)" = "$before" ]
}

# held_by GUEST SOURCE TYPE
held_by() {
    [ "$(type_of "$2")" = "$(type_id "$3")" ]
    [ "$(group_held_by "$2")" = "$(qemu_pid "$1")" ]
    assert_match "$(ledger)" " $2 .* $1 ua-gpu[01] held made "
}

lifecycle() {
    local first second third fill i kind=mdev
    first=$(new_source 0 0) second=$(new_source 0 1) third=$(new_source 0 2)
    [ "$SHAPE" != vf ] || kind=vf

    say "$SHAPE: a guest gets the requested vGPU, and leaves nothing"
    ask web01 "$first" "$TYPE" 0
    start web01
    held_by web01 "$first" "$TYPE"
    assert_match "$(ledger)" "^$kind $first $(type_id "$TYPE") 12288 |^$kind $first $(type_id "$TYPE") 8192 "

    say "$SHAPE: a clone, another size, and a restart of libvirtd"
    ask copy "$first" "$TYPE" 0
    refused copy ".*$first belongs to the guest web01 \(held\)"
    ask other "$second" "$OTHER" 0
    refused other ".*ua-gpu0.*$OTHER.* ${GPUS[0]} "
    restart_libvirtd
    held_by web01 "$first" "$TYPE"
    libvirt-vgpu-hook nobody release end - <<<"<domain><uuid>$(new_uuid)</uuid></domain>"
    vgpuctl reconcile
    held_by web01 "$first" "$TYPE"
    destroy web01
    assert_no_vgpus
    assert_empty_ledger

    say "$SHAPE: two devices, or none"
    # shellcheck disable=SC2046 # two words each
    guest unlike --metadata "$(request "<vgpu:device alias='ua-gpu0' type='$TYPE'/>
        <vgpu:device alias='ua-gpu1' type='$ALIKE'/>")" \
        $(source_option "$first" ua-gpu0) $(source_option "$second" ua-gpu1)
    refused unlike ".*$TYPE.*$ALIKE.* cannot be in one guest: NVIDIA "
    # shellcheck disable=SC2046 # two words each
    guest both --metadata "$(request "<vgpu:device alias='ua-gpu0' type='$TYPE'/>
        <vgpu:device alias='ua-gpu1' type='$TYPE'/>")" \
        $(source_option "$first" ua-gpu0) $(source_option "$second" ua-gpu1)
    start both
    held_by both "$first" "$TYPE"
    held_by both "$second" "$TYPE"
    destroy both
    assert_no_vgpus
    # Other vGPUs have all places of each card except one.
    fill=()
    for ((i = 1; i < MOST; i++)); do
        fill+=("$(new_source 0 $((i + 3)))" "$(new_source 1 $((i + 3)))")
        make_vgpu "${fill[-2]}" "$(type_id "$TYPE")" 0
        make_vgpu "${fill[-1]}" "$(type_id "$TYPE")" 1
    done
    [ "$SHAPE" != vf ] || refused both '.*ua-gpu.*'

    say "$SHAPE: the last place, and a full card"
    ask last "$third" "$TYPE" 0
    start last
    held_by last "$third" "$TYPE"
    ask late "$second" "$TYPE" 0
    refused late ".*ua-gpu0.*$TYPE.*${GPUS[0]} (is full|.*in use)"
    kill -KILL "$(qemu_pid last)"
    wait_for is_off last
    wait_for assert_empty_ledger
    [ "$(vgpus | sort)" = "$(printf '%s\n' "${fill[@]}" | sort)" ]

    say "$SHAPE: a vGPU that somebody else made is used if it is right, and never removed"
    ask right "${fill[0]}" "$ALIKE" 0
    refused right ".*${fill[0]} is there already, of type $(type_id "$TYPE") "
    ask right "${fill[0]}" "$TYPE" 0 --uuid "$(virsh -q domuuid right | xargs)"
    start right
    assert_match "$(ledger)" ' held found '
    destroy right
    [ "$(type_of "${fill[0]}")" = "$(type_id "$TYPE")" ]
    assert_empty_ledger
    for i in "${fill[@]}"; do remove_vgpu "$i"; done

    say "$SHAPE: a hook and libvirtd are killed, and reconcile cleans up"
    claim web01 "${ARGUMENTS[@]:1}" # the last asked for
    [ "$(ledger | grep -c ' held made ')" = 1 ]
    (asking orphan "$third" "$TYPE" 0 && claim "${ARGUMENTS[@]}")
    vgpuctl reconcile
    [ "$(vgpus)" = "${fill[0]}" ]
    give_back web01
    assert_no_vgpus
    assert_empty_ledger
    for i in copy other unlike both last late right web01; do virsh -q undefine "$i"; done
}

for shape in $(shapes); do
    use_shape "$shape"
    lifecycle
done
