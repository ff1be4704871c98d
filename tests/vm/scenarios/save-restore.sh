# SPDX-License-Identifier: LGPL-2.1-or-later
# Save and restore: the guest keeps a free UUID, else it gets another; the state of the vGPU stays.
# shellcheck shell=bash
# needs: qemu 8.1
# takes: 25

guest web01 --migratable --firmware --metadata "$(request '<vgpu:device type="mtty-2"/>')" \
    --hostdev "$(new_uuid)"
start web01
port=$(scratch_ports web01)
write_scratch web01 "$port=0x5a"

save_with() {
    case $1 in
    save) virsh -q save web01 "$PWD/saved" ;;
    managedsave) virsh -q managedsave web01 ;;
    esac
}

restore_with() {
    case $1 in
    save) virsh -q restore "$PWD/saved" ;;
    managedsave) start web01 ;;
    esac
}

# there_and_back save|managedsave free|foreign|guest: the second word says who has the UUID
# meanwhile.
there_and_back() {
    local device now
    device=$(device_of web01)
    save_with "$1"
    assert_no_mdevs
    assert_empty_ledger
    case $2 in
    foreign) make_mdev mtty mtty-2 "$device" ;;
    guest)
        guest other --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
        start other
        ;;
    esac

    restore_with "$1"
    now=$(device_of web01)
    [ "$(group_held_by "$now")" = "$(qemu_pid web01)" ]
    [ "$(mdev_type "$now")" = mtty-2 ]
    [ "$(read_scratch web01 "$port")" = 0x5a ]
    [ "$(ledger | grep -c ' web01 .* held made ')" = 1 ]
    case $2 in
    free) [ "$now" = "$device" ] ;;
    foreign)
        [ "$now" != "$device" ]
        [ -z "$(group_held_by "$device")" ]
        remove_mdev "$device"
        ;;
    guest)
        [ "$now" != "$device" ]
        [ "$(group_held_by "$device")" = "$(qemu_pid other)" ]
        destroy other
        assert_gone "$device"
        ;;
    esac
    [ "$(mdevs)" = "$now" ]
}

there_and_back save free
there_and_back save foreign
there_and_back managedsave guest
if is_long; then
    there_and_back save guest
    there_and_back managedsave free
    there_and_back managedsave foreign
fi
destroy web01
assert_no_mdevs
assert_empty_ledger
