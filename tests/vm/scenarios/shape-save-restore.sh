# SPDX-License-Identifier: LGPL-2.1-or-later
# Save and restore: the guest gets its virtual function again, or one of another card if it is taken.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# needs: qemu 8.1
# takes: 25

# back_with HOW: restores the guest. The state of its vGPU is the same.
back_with() {
    local now
    case $1 in
    save) virsh -q restore "$PWD/saved" ;;
    managedsave) start web01 ;;
    esac
    now=$(sources_of web01)
    [ "$(group_held_by "$now")" = "$(qemu_pid web01)" ]
    [ "$(seal_of "$now")" = "$seal" ]
    assert_match "$(ledger)" " $now .* web01 ua-gpu0 held made "
}

save_with() {
    before=$(sources_of web01)
    seal=$(seal_of "$before")
    case $1 in
    save) virsh -q save web01 "$PWD/saved" ;;
    managedsave) virsh -q managedsave web01 ;;
    esac
    assert_no_vgpus
    assert_empty_ledger
}

for shape in $(shapes); do
    use_shape "$shape" vfs=2
    ask web01 "$(new_source 0 0)" "$TYPE" --migratable
    start web01

    say "$shape: its vGPU is free, and it gets this vGPU again"
    save_with save
    back_with save
    [ "$(sources_of web01)" = "$before" ]

    say "$shape: another guest has its vGPU, with a size that occupies the whole card"
    save_with managedsave
    ask other "$before" "$OTHER" 0
    start other
    back_with managedsave
    [ "$(sources_of web01)" != "$before" ]
    if [ "$SHAPE" = vf ]; then
        [ "$(readlink -f "/sys/bus/pci/devices/$(sources_of web01)/physfn")" = \
            "$(readlink -f "/sys/bus/pci/devices/${GPUS[1]}")" ]
    fi
    destroy other
    destroy web01
    assert_no_vgpus
    assert_empty_ledger
    for i in web01 other; do virsh -q undefine "$i"; done
done
