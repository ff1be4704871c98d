# SPDX-License-Identifier: LGPL-2.1-or-later
# A class has two types. A guest that is restored or moves keeps its type, also over a boot. Other starts are free.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# needs: qemu 8.1

record=/var/lib/libvirt-vgpu/saved

# crowd TYPE: other guests take a place of TYPE on each card. So only this size can be made there.
crowd() {
    local card
    for card in 0 1; do
        asking "other$card" "$(new_source "$card" 1)" "$1" "$card"
        claim "${ARGUMENTS[@]}"
    done
}
leave() {
    give_back other0
    give_back other1
}

# run_with TYPE: the guest starts beside others of TYPE, so the class gives it that type.
run_with() {
    crowd "$1"
    start web01
    has_type "$1"
    leave
    seal=$(seal_of "$(sources_of web01)")
}
has_type() { [ "$(type_of "$(sources_of web01)")" = "${TYPE_IDS[$1]}" ]; }

is_saved() { [ "$(virsh -q dominfo web01 | sed -n 's/^Managed save: *//p')" = yes ]; }

for shape in $(shapes); do
    use_shape "$shape" vfs=2
    classes="classes = { any = { types = [ \"$OTHER\", \"$TYPE\" ]; }; };"
    vgpu_conf <<<"$classes"
    read -ra arguments <<<"web01 $(source_option "$(new_source 0 0)" ua-gpu0) --migratable --metadata"
    guest "${arguments[@]}" "$(request '<vgpu:device alias="ua-gpu0" class="any"/>')"
    uuid=$(virsh -q domuuid web01)

    part "$shape: save and restore"
    run_with "$TYPE"
    virsh -q save web01 "$PWD/saved"
    assert_empty_ledger
    [ "$(readlink "$record/$uuid/ua-gpu0")" = "${TYPE_IDS[$TYPE]}" ]
    virsh -q restore "$PWD/saved"
    has_type "$TYPE"
    [ "$(seal_of "$(sources_of web01)")" = "$seal" ]

    say "part: $shape: managed save, a boot, and a start"
    virsh -q managedsave web01
    # A boot leaves nothing in /run.
    rm -r /run/libvirt-vgpu
    vgpuctl explain web01 | grep -A 3 'ua-gpu0' >said
    assert_match "$(cat said)" "$TYPE"
    start web01
    has_type "$TYPE"
    [ "$(seal_of "$(sources_of web01)")" = "$seal" ]

    say "part: $shape: its type is full"
    virsh -q managedsave web01
    crowd "$OTHER"
    must_fail vgpuctl explain web01
    assert_match "$ERR" "its saved state loads only into ${TYPE_IDS[$TYPE]}"
    must_fail start web01
    assert_match "$ERR" "its saved state loads only into ${TYPE_IDS[$TYPE]}"
    is_saved
    leave
    start web01
    has_type "$TYPE"
    [ "$(seal_of "$(sources_of web01)")" = "$seal" ]

    say "part: $shape: without its saved state any type will do"
    virsh -q managedsave web01
    virsh -q start --force-boot web01
    has_type "$OTHER"
    destroy web01

    say "part: $shape: images of two types may exist, so neither is known"
    run_with "$OTHER"
    virsh -q save web01 "$PWD/saved"
    [ "$(readlink "$record/$uuid/ua-gpu0")" = several ]
    virsh -q restore "$PWD/saved"
    has_type "$OTHER"
    destroy web01

    say "part: $shape: a guest that moves asks the other host for its type"
    start_host2
    on_host2 vgpu_conf <<<"$classes"
    run_with "$TYPE"
    vgpuctl migrate-check web01 "$(peer)" --timeout "$PATIENCE" >said || true
    assert_match "$(cat said)" "the class any means .*$OTHER as well, and its state loads only into .*$TYPE"
    vgpuctl move web01 "$(peer)" --timeout "$PATIENCE"
    there=$(on_host2 sources_of web01)
    [ "$(type_of "$there")" = "${TYPE_IDS[$TYPE]}" ]
    [ "$(seal_of "$there")" = "$seal" ]
    assert_match "$(on_host2 virsh -q dumpxml web01)" "<vgpu:device [^>]*type=.*$TYPE"
    assert_match "$(on_host2 virsh -q dumpxml --inactive web01)" "<vgpu:device [^>]*class=.any"
    on_host2 destroy web01
    stop_host2
    no_vgpu_conf
    assert_no_vgpus
    assert_empty_ledger
done
