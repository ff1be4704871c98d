# SPDX-License-Identifier: LGPL-2.1-or-later
# The state of an emulated vGPU on its way: all changes of VFIO's states, streams in pieces, broken streams.
# shellcheck shell=bash
# tests: cards
#
# ../../vfio/vfio-states.c says what is tried. A kernel that goes wrong there says so in its log, and that fails a scenario.

# play DEVICE DEVICE-OF-THE-SAME-TYPE DEVICE-OF-ANOTHER
play() {
    local device places=()
    for device; do places+=("$(group_of "$device"):$device"); done
    /vgpu/build/vfio-states "${places[@]}"
}

cards mdev vf xe vfs=3
modprobe vgpu-cards-xe-vfio
mapfile -t vfs <<<"$(vfs_of "${CARDS[0]}")"
mapfile -t xe_vfs <<<"$(vfs_of "${CARDS[1]}")"

say "mediated devices of two cards"
uuids=("$(new_uuid)" "$(new_uuid)" "$(new_uuid)")
make_mdev "${T4[0]}" nvidia-231 "${uuids[0]}"
make_mdev "${T4[1]}" nvidia-231 "${uuids[1]}"
make_mdev "${T4[1]}" nvidia-223 "${uuids[2]}"
play "${uuids[@]}"
for uuid in "${uuids[@]}"; do remove_mdev "$uuid"; done

say "functions with a type"
set_vf_type "${vfs[0]}" 1148
set_vf_type "${vfs[1]}" 1148
set_vf_type "${vfs[2]}" 1158
play "${vfs[@]}"
for vf in "${vfs[@]}"; do set_vf_type "$vf" 0; done

say "functions with memory: of the same type are those with as much"
for vf in "${xe_vfs[@]}"; do bind_driver "$vf" vgpu-cards-xe-vfio; done
set_vram "${xe_vfs[0]}" $((4 << 30))
set_vram "${xe_vfs[1]}" $((4 << 30))
set_vram "${xe_vfs[2]}" $((3 << 30))
play "${xe_vfs[@]}"
for vf in "${xe_vfs[@]}"; do bind_driver "$vf" ''; done
