# SPDX-License-Identifier: LGPL-2.1-or-later
# Live migration from card to card and back, also between mediated devices and virtual functions.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# needs: qemu 8.1
#
# LONG=1 also migrates between two cards of each shape.

# only CARD...: the configuration disables all other cards.
only() {
    local card gpus=''
    for card in "${T4[@]}" "${CARDS[@]}"; do
        [[ " $* " == *" $card "* ]] || gpus+="${gpus:+, }{ address = \"$card\"; enabled = false; }"
    done
    echo "gpus = ( $gpus );"
}

# guest_address ON_HOST: the address of the vGPU in the guest.
guest_address() { "$1" virsh -q dumpxml web01 | sed -n '/<hostdev/,/<\/hostdev>/s/.*<address type=/&/p'; }

# hop FROM TO COMMAND...: COMMAND migrates the guest. FROM and TO are on_host1 and on_host2.
hop() {
    local before after seal
    before=$("$1" sources_of web01)
    seal=$(seal_of "$before")
    "${@:3}"
    after=$("$2" sources_of web01)
    [ "$before" != "$after" ]
    if mdev_exists "$before"; then fail "$before is still there"; fi
    [ "$(group_held_by "$after")" = "$("$2" qemu_pid web01)" ]
    [ "$(seal_of "$after")" = "$seal" ]
    [ "$(guest_address "$2")" = "$address" ]
    "$2" ledger | grep " $after .* web01 ua-gpu0 held made "
    "$1" assert_empty_ledger
}

# journey SOURCE CARD CARD CARD CARD: a guest starts on the first card, and is migrated to each of the others, from
# host to host. The second card is the second of GPUS.
journey() {
    local fill=() i here there address
    vgpu_conf < <(only "$2")
    start_host2
    on_host2 vgpu_conf < <(only "$3")
    ask web01 "$1" "$TYPE" --migratable
    start web01
    address=$(guest_address on_host1)
    [ -n "$address" ]
    hop on_host1 on_host2 on_host1 migrate web01
    [ "$(vgpus)" = "$(on_host2 sources_of web01)" ]
    vgpu_conf < <(only "$4")
    hop on_host2 on_host1 on_host2 migrate web01
    here=$(sources_of web01)
    [ "$(vgpus)" = "$here" ]

    say "the other card is full"
    for ((i = 0; i < MOST; i++)); do
        fill+=("$(new_source 1 "$i")")
        make_vgpu "${fill[-1]}" "$(type_id "$TYPE")" 1
    done
    must_fail migrate web01
    assert_match "$ERR" "vgpu: web01: .*ua-gpu0.*$3 "
    is_running web01
    [ "$(group_held_by "$here")" = "$(qemu_pid web01)" ]
    on_host2 assert_empty_ledger
    remove_vgpu "${fill[0]}"

    say "after vgpuctl move the definition names the vGPU of the new host"
    on_host2 vgpu_conf < <(only "$5")
    hop on_host1 on_host2 vgpuctl move web01 "$(peer)" --timeout "$PATIENCE"
    there=$(on_host2 sources_of web01)
    [ "$(wc -l <<<"$there")" = 1 ]
    [ "$(on_host2 sources_of web01 --inactive)" = "$there" ]
    on_host2 destroy web01
    for i in "${fill[@]:1}"; do remove_vgpu "$i"; done
    assert_no_vgpus
    stop_host2
}

if is_long || ! has_mdev_cards; then
    for shape in $(shapes); do
        # More virtual functions than a full card has vGPUs.
        use_shape "$shape" vfs=6
        part "$shape: from one card to the other, and back"
        journey "$(new_source 0 0)" "${GPUS[@]}" "${GPUS[@]}"
    done
    no_cards
fi

if ! has_mdev_cards; then
    say "no card of this host has mediated devices"
    exit 0
fi
# As use_shape sets them.
# shellcheck disable=SC2034
SHAPE=vf TYPE=L40S-12Q ALIKE=L40S-12A OTHER=L40S-8Q MOST=4
cards sriov vf vf vfs=5 boards=L40S,L40S,L40S
GPUS=("${CARDS[@]:1}")
find_type_ids
part "one board: from mediated devices to virtual functions, from card to card, and back"
journey "$(new_uuid)" "${CARDS[0]}" "${CARDS[2]}" "${CARDS[1]}" "${CARDS[0]}"
