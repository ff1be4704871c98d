# SPDX-License-Identifier: LGPL-2.1-or-later
# Save, restore, and return to a snapshot: the guest gets its vGPU again, or another if it is taken; its state stays.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# needs: qemu 8.1

save_with() {
    before=$(sources_of web01)
    case $1 in
    save) virsh -q save web01 "$PWD/saved" ;;
    managedsave) virsh -q managedsave web01 ;;
    esac
    assert_no_vgpus
    assert_empty_ledger
}

# restore_with HOW: sets "now" to the vGPU with which the guest runs.
restore_with() {
    case $1 in
    save) virsh -q restore "$PWD/saved" ;;
    managedsave) start web01 ;;
    esac
    now=$(sources_of web01)
    [ "$(group_held_by "$now")" = "$(qemu_pid web01)" ]
    [ "$(ledger | grep -c " $now .* web01 .* held made ")" = 1 ]
}

# there_and_back save|managedsave free|foreign|guest: the second word says who has the UUID
# meanwhile.
there_and_back() {
    save_with "$1"
    case $2 in
    foreign) make_mdev mtty mtty-2 "$before" ;;
    guest) claim other --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$before" ;;
    esac

    restore_with "$1"
    [ "$(mdev_type "$now")" = mtty-2 ]
    [ "$(read_scratch web01 "$port")" = 0xa5 ]
    case $2 in
    free) [ "$now" = "$before" ] ;;
    foreign)
        [ "$now" != "$before" ]
        [ -z "$(group_held_by "$before")" ]
        remove_mdev "$before"
        ;;
    guest)
        [ "$now" != "$before" ]
        mdev_exists "$before"
        give_back other
        assert_gone "$before"
        ;;
    esac
    [ "$(mdevs)" = "$now" ]
    [ "$(ledger | wc -l)" = 1 ]
}

# samples: the state of a kernel's sample is in a register, which a PC's ports show.
samples() {
    local older port
    part save-restore
    older=$(new_uuid)
    guest web01 --migratable --firmware --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$older"
    start web01
    port=$(scratch_ports web01)
    write_scratch web01 "$port=0x5a"
    virsh -q snapshot-create-as web01 old --memspec "file=$PWD/memory,snapshot=external"
    write_scratch web01 "$port=0xa5"
    there_and_back save foreign
    if is_long; then
        there_and_back save free
        there_and_back save guest
        there_and_back managedsave free
        there_and_back managedsave foreign
        there_and_back managedsave guest
    fi

    # The guest that is restored runs with another UUID than the snapshot has. So this part begins with its lease.
    say "part: snapshot-revert"
    [ "$now" != "$older" ]
    virsh -q snapshot-revert web01 old
    [ "$(mdevs)" = "$older" ]
    [ "$(device_of web01)" = "$older" ]
    [ "$(group_held_by "$older")" = "$(qemu_pid web01)" ]
    [ "$(ledger | grep -c "^mdev $older .* held made ")" = 1 ]
    [ "$(ledger | wc -l)" = 1 ]
    [ "$(read_scratch web01 "$port")" = 0x5a ]
    destroy web01
    virsh -q undefine --snapshots-metadata web01
}

# save_shaped HOW, back_with HOW: the seal travels with the state of the vGPU.
save_shaped() {
    seal=$(seal_of "$(sources_of web01)")
    save_with "$1"
}
back_with() {
    restore_with "$1"
    [ "$(seal_of "$now")" = "$seal" ]
}

if is_pc; then samples; fi
for shape in $(shapes); do
    use_shape "$shape" vfs=2
    part "$shape: its vGPU is free, and it gets this vGPU again"
    ask web01 "$(new_source 0 0)" "$TYPE" --migratable
    start web01
    save_shaped save
    back_with save
    [ "$now" = "$before" ]

    say "part: $shape: another guest has its vGPU, with a size that occupies the whole card"
    save_shaped managedsave
    asking other "$before" "$OTHER" 0
    claim "${ARGUMENTS[@]}"
    back_with managedsave
    [ "$now" != "$before" ]
    if [ "$SHAPE" = vf ]; then
        [ "$(readlink -f "/sys/bus/pci/devices/$now/physfn")" = "$(readlink -f "/sys/bus/pci/devices/${GPUS[1]}")" ]
    fi
    give_back other
    destroy web01
    assert_no_vgpus
    assert_empty_ledger
    virsh -q undefine web01
done
