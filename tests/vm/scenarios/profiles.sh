# SPDX-License-Identifier: LGPL-2.1-or-later
# Intel's virtual functions: each start writes a profile, each end restores the former values.
# shellcheck shell=bash
# needs: libvirt 9.7
# needs: qemu 8.1

GIB=$((1 << 30))
# Two small vGPUs and one large vGPU use up a card.
SMALL=$((3000 << 20))
LARGE=$((8096 << 20))
functions=/run/libvirt-vgpu/functions

# only CARD [PROFILE]: a configuration that enables only CARD, with one more profile.
only() {
    local other=${CARDS[0]}
    [ "$1" != "$other" ] || other=${CARDS[1]}
    cat <<END
        gpus = ( { address = "$1"; vram = "14096M"; }, { address = "$other"; enabled = false; } );
        profiles = { small = { vram = "3000M"; exec_quantum = "20ms"; preempt_timeout = "500ms"; };
                     large = { vram = "8096M"; }; ${2-} };
END
}

# has VF GUEST TYPE BYTES
has() {
    [ "$(readlink "$functions/$1.type")" = "$3" ]
    [ "$(vram_of "$1")" = "$4" ]
    [ "$(group_held_by "$1")" = "$(qemu_pid "$2")" ]
    assert_match "$(ledger)" "xe $1 $3 [0-9]+ .* $2 ua-gpu0 held made "
}
is_free() { [ "$(vram_of "$1")" = 0 ] && [ ! -L "$functions/$1.former" ] && [ ! -L "$functions/$1.type" ]; }

# intel NAME VF TYPE [MANAGED]: sets ARGUMENTS to those of such a guest.
intel() {
    ARGUMENTS=("$1" --metadata "$(request "<vgpu:device alias=\"ua-gpu0\" type=\"$3\"/>")"
        --pci "$2,ua-gpu0,${4-no}" --migratable)
}

# given NAME VF TYPE BYTES [MANAGED]: the hook gives this guest what it asks for.
given() {
    intel "$1" "$2" "$3" "${5-no}"
    claim "${ARGUMENTS[@]}"
    [ "$(readlink "$functions/$2.type")" = "$3" ]
    [ "$(vram_of "$2")" = "$4" ]
    assert_match "$(ledger)" "xe $2 $3 [0-9]+ .* $1 ua-gpu0 held made "
}

# refused NAME VF TYPE REGEX [MANAGED]
refused() {
    intel "$1" "$2" "$3" "${5-no}"
    must_fail claim "${ARGUMENTS[@]}"
    assert_match "$ERR" "vgpu: $1: .*$4"
}

cards xe xe vfs=4
modprobe vgpu-cards-xe-vfio
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
mapfile -t others < <(vfs_of "${CARDS[1]}")
vgpu_conf < <(only "${CARDS[0]}")

say "a card that only serves its functions shares out less than it has, and no file is blamed for that"
admin=/sys/bus/pci/devices/${CARDS[0]}/sriov_admin
echo normal >"$admin/pf/profile/sched_priority"
fault xe_admin_only 1
for count in 3 1; do
    echo 0 >"$admin/.bulk_profile/vram_quota"
    enable_vfs "${CARDS[0]}" "$count"
    [ "$(vram_of "${vfs[0]}")" = $((13312 / count / 2 * 2 << 20)) ]
    vgpuctl check >told 2>&1
    must_fail grep 'shared out' told
done
fault xe_admin_only 0

say "the driver has shared out all memory, so no guest starts; vgpuctl takes the memory back"
echo 0 >"/sys/bus/pci/devices/${CARDS[0]}/sriov_admin/.bulk_profile/vram_quota"
enable_vfs "${CARDS[0]}" 4
[ "$(vram_of "${vfs[0]}")" = $((2 * GIB)) ]
refused one "${vfs[0]}" large "its GPU ${CARDS[0]} does not offer it now" yes
vgpuctl doctor >told || [ $? = 1 ]
advice=$(grep -o 'vgpuctl sriov disable .*' told)
[ "$advice" = "vgpuctl sriov disable ${CARDS[0]} && vgpuctl sriov enable ${CARDS[0]} --count 4" ]
for vf in "${vfs[@]}"; do set_vram "$vf" $((3524 << 20)); done
sed 's/14096M/14G/' "$CONF" >told && vgpu_conf <told
vgpuctl check 2>&1 | grep 'vgpu.conf:1: warning: vram is 14336 MiB, .* only 14096 MiB among its functions'
vgpu_conf < <(only "${CARDS[0]}")
bash -c "$advice"
[ -z "$(profiled_vfs)" ]
look_anew
wait_for knows_cards
given one "${vfs[0]}" large $LARGE yes
give_back one
is_free "${vfs[0]}"
vgpuctl doctor >told || [ $? = 1 ]
must_fail grep profile-preset told

say "libvirt binds a function to vgpu-cards-xe-vfio; a start writes its profile, and libvirtd's restart changes nothing"
for vf in "${vfs[@]:1:2}" "${others[@]:0:2}"; do bind_driver "$vf" vgpu-cards-xe-vfio; done
bind_driver "${vfs[0]}" ''
intel one "${vfs[0]}" small yes
guest "${ARGUMENTS[@]}"
start one
has "${vfs[0]}" one small $SMALL
[ "$(driver_of "${vfs[0]}")" = vgpu-cards-xe-vfio ]
[ "$(cat "$(profile_of "${vfs[0]}" exec_quantum_ms)") $(cat "$(profile_of "${vfs[0]}" preempt_timeout_us)")" = \
    "20 500000" ]
refused two "${vfs[0]}" large "${vfs[0]} belongs to the guest one \(held\)"
restart_libvirtd
vgpuctl reconcile
has "${vfs[0]}" one small $SMALL

say "the card can be used to the last MiB"
given three "${vfs[1]}" large $LARGE
[ "$(vgpuctl types "${CARDS[0]}" -rn -o TYPE,AVAILABLE)" = $'large 0\nsmall 1' ]
refused four "${vfs[2]}" large "${CARDS[0]} "
is_free "${vfs[2]}"
given four "${vfs[2]}" small $SMALL
[ "$(vgpuctl gpus -rn -o GPU,FREE | grep "${CARDS[0]}")" = "${CARDS[0]} 0" ]
give_back three
is_free "${vfs[1]}"
give_back four

say "the function comes back when QEMU is killed, also to libvirt, and the next start gets the new profile"
kill -KILL "$(qemu_pid one)"
wait_for is_free "${vfs[0]}"
wait_for assert_empty_ledger
must_fail driver_of "${vfs[0]}"
bind_driver "${vfs[0]}" vgpu-cards-xe-vfio
vgpu_conf < <(only "${CARDS[0]}" 'tiny = { vram = "1001M"; };')
set_vram "${vfs[0]}" "$GIB"
given one "${vfs[0]}" tiny $((1002 << 20))
give_back one
[ "$(vram_of "${vfs[0]}")" = "$GIB" ]
set_vram "${vfs[0]}" 0

say "a guest is restored on another function"
intel saved "${vfs[0]}" small
guest "${ARGUMENTS[@]}"
start saved
virsh -q save saved "$PWD/saved"
is_free "${vfs[0]}"
given one "${vfs[0]}" large $LARGE
virsh -q restore "$PWD/saved"
now=$(pci_of saved)
[ "$now" != "${vfs[0]}" ]
has "$now" saved small $SMALL
give_back one

say "a guest is migrated live to another host's card"
start_host2
on_host2 vgpu_conf < <(only "${CARDS[1]}")
migrate saved
is_free "$now"
now=$(on_host2 pci_of saved)
[[ " ${others[*]} " == *" $now "* ]]
[ "$(vram_of "$now")" = $SMALL ]
[ "$(group_held_by "$now")" = "$(on_host2 qemu_pid saved)" ]
assert_match "$(on_host2 ledger)" "xe $now small [0-9]+ .* saved ua-gpu0 held made "
[ "$(<"$admin/pf/profile/sched_priority")" = 'low [normal] high' ]
[ "$(counter "${CARDS[0]}" pf_writes)" = 1 ]
on_host2 destroy saved
[ "$(vram_of "$now")" = 0 ]
assert_empty_ledger
on_host2 assert_empty_ledger
