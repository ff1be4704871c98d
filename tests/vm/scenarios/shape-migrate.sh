# SPDX-License-Identifier: LGPL-2.1-or-later
# Live migration from card to card and back, also between mediated devices and virtual functions.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# needs: qemu 8.1
# takes: 70

# only CARD...: the configuration disables all other cards.
only() {
    local card gpus=''
    for card in "${T4[@]}" "${CARDS[@]}"; do
        [[ " $* " == *" $card "* ]] || gpus+="${gpus:+, }{ address = \"$card\"; enabled = false; }"
    done
    echo "gpus = ( $gpus );"
}

# hop FROM TO: migrates the guest. FROM and TO are on_host1 and on_host2.
hop() {
    local before after seal
    before=$("$1" sources_of web01)
    seal=$(seal_of "$before")
    "$1" migrate web01
    after=$("$2" sources_of web01)
    [ "$before" != "$after" ]
    [ "$(vgpus)" = "$after" ]
    [ "$(group_held_by "$after")" = "$("$2" qemu_pid web01)" ]
    [ "$(seal_of "$after")" = "$seal" ]
    assert_match "$("$2" ledger)" " $after .* web01 ua-gpu0 held made "
    "$1" assert_empty_ledger
}

# guest_address ON_HOST: the address of the vGPU in the guest.
guest_address() { "$1" virsh -q dumpxml web01 | sed -n '/<hostdev/,/<\/hostdev>/s/.*<address type=/&/p'; }

for shape in $(shapes); do
    # More virtual functions than a full card has vGPUs.
    use_shape "$shape" vfs=6
    say "$shape: from one card to the other, and back, with LONG twice"
    vgpu_conf < <(only "${GPUS[0]}")
    start_host2
    on_host2 vgpu_conf < <(only "${GPUS[1]}")
    ask web01 "$(new_source 0 0)" "$TYPE" --migratable
    start web01
    address=$(guest_address on_host1)
    hop on_host1 on_host2
    [ "$(guest_address on_host2)" = "$address" ]
    hop on_host2 on_host1
    if is_long; then
        hop on_host1 on_host2
        hop on_host2 on_host1
    fi

    say "$shape: the other card is full"
    fill=()
    for ((i = 0; i < MOST; i++)); do
        fill+=("$(new_source 1 "$i")")
        make_vgpu "${fill[-1]}" "$(type_id "$TYPE")" 1
    done
    here=$(sources_of web01)
    must_fail migrate web01
    assert_match "$ERR" "vgpu: web01: .*ua-gpu0.*${GPUS[1]} "
    is_running web01
    [ "$(group_held_by "$here")" = "$(qemu_pid web01)" ]
    on_host2 assert_empty_ledger
    remove_vgpu "${fill[0]}"

    say "$shape: after vgpuctl move the definition names the vGPU of the new host"
    vgpuctl move web01 "$(peer)" --timeout "$PATIENCE"
    there=$(on_host2 sources_of web01)
    [ "$(wc -l <<<"$there")" = 1 ]
    [ "$there" != "$here" ]
    [ "$(on_host2 sources_of web01 --inactive)" = "$there" ]
    on_host2 destroy web01
    for i in "${fill[@]:1}"; do remove_vgpu "$i"; done
    assert_no_vgpus
    stop_host2
done

if ! has_mdev_cards; then
    say "no card of this host has mediated devices"
    exit 0
fi
say "one board: from a host with mediated devices to one with virtual functions, and back"
no_cards
cards sriov vf vfs=2 boards=L40S,L40S
vgpu_conf < <(only "${CARDS[0]}")
start_host2
on_host2 vgpu_conf < <(only "${CARDS[1]}")
ask web01 "$(new_uuid)" L40S-8Q --migratable
start web01
address=$(guest_address on_host1)
[ -n "$address" ]
[ "$(device_of web01)" = "$(vgpus)" ]
hop on_host1 on_host2
[ "$(on_host2 pci_of web01)" = "$(vgpus)" ]
[ "$(guest_address on_host2)" = "$address" ]
hop on_host2 on_host1
[ "$(device_of web01)" = "$(vgpus)" ]
[ "$(guest_address on_host1)" = "$address" ]
destroy web01
assert_no_vgpus
assert_empty_ledger
