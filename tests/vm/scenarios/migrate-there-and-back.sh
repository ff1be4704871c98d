# SPDX-License-Identifier: LGPL-2.1-or-later
# Live migration there and back, with LONG twice: the UUIDs change, the state of the vGPUs stays.
# shellcheck shell=bash
# needs: qemu 8.1
# takes: 20

devices='<vgpu:device alias="ua-gpu0" type="mtty-2"/><vgpu:device alias="ua-gpu1" type="mtty-1"/>'
guest web01 --migratable --firmware --metadata "$(request "$devices")" \
    --hostdev "$(new_uuid),ua-gpu0" --hostdev "$(new_uuid),ua-gpu1"
start_host2
start web01
read -ra ports <<<"$(scratch_ports web01)"
write_scratch web01 "${ports[0]}=0x5a" "${ports[1]}=0xa5"

# hop FROM TO: migrates the guest. FROM and TO are on_host1 and on_host2.
hop() {
    local before after device
    read -ra before <<<"$("$1" device_of web01 | xargs)"
    "$1" migrate web01
    read -ra after <<<"$("$2" device_of web01 | xargs)"

    for device in "${before[@]}"; do assert_gone "$device"; done
    [ "$(mdevs)" = "$(printf '%s\n' "${after[@]}" | sort)" ]
    [ "$(mdev_type "${after[0]}") $(mdev_type "${after[1]}")" = 'mtty-2 mtty-1' ]
    for device in "${after[@]}"; do
        [ "$(group_held_by "$device")" = "$("$2" qemu_pid web01)" ]
    done
    [ "$("$2" ledger | grep -c ' web01 ua-gpu[01] held made ')" = 2 ]
    "$1" assert_empty_ledger
    [ "$("$2" read_scratch web01 "${ports[@]}")" = '0x5a 0xa5' ]
}

hop on_host1 on_host2
hop on_host2 on_host1
if is_long; then
    hop on_host1 on_host2
    hop on_host2 on_host1
fi
destroy web01
assert_no_mdevs
assert_empty_ledger
