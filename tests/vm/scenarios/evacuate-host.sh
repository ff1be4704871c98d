# SPDX-License-Identifier: LGPL-2.1-or-later
# Three GPUs of a host are emptied at once: guests go to another GPU, or live to another host, or stay. They come back,
# also after vgpuctl was killed. Each goes on with its run.
# shellcheck shell=bash
# needs: libvirt 9.7
# needs: qemu 8.1

# new NAME TYPE OPTION...: a guest that counts, with a vGPU. It starts.
new() {
    guest "$1" --counts --metadata "$(request "<vgpu:device alias='ua-gpu0' type='$2'/>")" "${@:3}"
    start "$1"
    GUESTS+=("$1")
}

# on NAME: the GPU of the guest's vGPU, by the ledger.
on() { vgpuctl list -rn -o GPU,DOMAIN | sed -n "s/ $1$//p"; }

# asked COMMAND NAME: the answer of the host that has the guest.
asked() {
    if virsh -q domstate "$2" >/dev/null 2>&1; then "$@"; else on_host2 "$@"; fi
}

# begins NAME: has the guest begun to count?
begins() {
    local run number
    read -r run number < <(asked count_of "$1")
    [ "$number" -gt 0 ]
}

# goes_on NAME: is the guest in the same run, and has it counted further? A guest that is booted anew has another run.
goes_on() {
    local run number
    read -r run number < <(asked count_of "$1")
    [ "$run" = "${RUNS[$1]}" ] && [ "$number" -gt "${COUNTS[$1]}" ]
}

# Each guest goes on with its run. The next call compares with this one.
declare -A RUNS=() COUNTS=()
GUESTS=()
count() {
    local name run number
    for name in "${GUESTS[@]}"; do
        [ -n "${RUNS[$name]-}" ] || wait_for begins "$name"
        read -r run number < <(asked count_of "$name")
        if [ -n "${RUNS[$name]-}" ]; then
            [ "$run" = "${RUNS[$name]}" ]
            [ "$number" -ge "${COUNTS[$name]}" ]
        fi
        RUNS[$name]=$run COUNTS[$name]=$number
    done
    for name in "${GUESTS[@]}"; do wait_for goes_on "$name"; done
}

# libvirt finds out what QEMU can do, which takes long while guests run. The second host copies that.
virsh capabilities >told
cards mdev sriov vf vfs=4
gpus=("${T4[0]}" "${CARDS[@]}")
vgpu_conf <<'END'
domains = ( { name = "stays"; evacuate = [ ]; }, { name = "live"; evacuate = [ "live" ]; },
            { name = "no-place"; evacuate = [ "here" ]; } );
END
vgpuctl drain "${T4[1]}"
# On an emulated processor only four of the nine guests are played.
moving=(web01)
! is_uml || moving=(web01 web02 web03 web04)
for name in "${moving[@]}"; do new "$name" T4-2Q --hostdev "$(new_uuid),ua-gpu0" --migratable; done
new stays T4-2Q --hostdev "$(new_uuid),ua-gpu0" --migratable
# QEMU saves no device whose migration is not asked for.
new unsaved T4-2Q --hostdev "$(new_uuid),ua-gpu0"
vgpuctl undrain "${T4[1]}"
new live A40-4Q --hostdev "$(new_uuid),ua-gpu0" --migratable
if is_uml; then
    new no-place L40S-2Q --pci "$(vfs_of "${CARDS[1]}" | head -n 1),ua-gpu0" --migratable
    vgpuctl drain "${T4[0]}"
    new there T4-2Q --hostdev "$(new_uuid),ua-gpu0" --migratable
    vgpuctl undrain "${T4[0]}"
fi
start_host2
there=$(peer)
is_sure() { [ "$(vgpuctl where live -c "$there" -rn -o ANSWER)" = yes ]; }
wait_for is_sure
count

say "the plan"
status=0
vgpuctl evacuate "${gpus[@]}" --connect "$there" --dry-run -rn -o DOMAIN,HOW,REASON >plan || status=$?
cat plan
[ $status = 4 ]
for name in "${moving[@]}" unsaved; do grep -qx "$name here -" plan; done
grep -qx 'live live -' plan
grep -q '^stays stays .*vgpu.conf' plan
! is_uml || grep -q '^no-place stays no.x20GPU.x20can.x20take' plan

say "it is done"
status=0
vgpuctl evacuate "${gpus[@]}" --connect "$there" -rn -o DOMAIN,RESULT,REASON >moves || status=$?
cat moves
[ $status = 1 ]
for name in live "${moving[@]}"; do grep -qx "$name moved -" moves; done
grep -q '^stays stayed' moves
grep -q '^unsaved stayed .*libvirt.x20does.x20not.x20save' moves
! is_uml || grep -q '^no-place stayed' moves
! grep '^there ' moves
for name in "${moving[@]}"; do [ "$(on "$name")" = "${T4[1]}" ]; done
on_host2 is_running live
for name in stays unsaved; do [ "$(on "$name")" = "${T4[0]}" ]; done
count

say "and back"
vgpuctl evacuate --back -rn -o DOMAIN,RESULT >moves
[ "$(sort moves)" = "$(printf '%s moved\n' live "${moving[@]}" | sort)" ]
for name in "${moving[@]}"; do [ "$(on "$name")" = "${T4[0]}" ]; done
[ "$(on live)" = "${CARDS[0]}" ]
[ -z "$(on_host2 virsh -q list --all --name | xargs)" ]
[ -z "$(ls /var/lib/libvirt-vgpu/evacuated)" ]
[ "$(vgpuctl gpus -rn -o DRAINED | sort -u)" = no ]
count

# Three moments of a move. The place is held and the guest is saved; the guest is saved; its place waits for its start.
saving() { grep -q ' pending ' /run/libvirt-vgpu/ledger; }
saved() { compgen -G '/var/lib/libvirt/qemu/save/*.save' && ! are_running; }
restoring() { grep -q ' reserved ' /run/libvirt-vgpu/ledger; }
are_running() { for name in "${moving[@]}"; do [ -e "/run/libvirt/qemu/$name.pid" ] || return 1; done; }
# A guest runs, or is off with its image.
is_safe() { is_running "$1" || { is_off "$1" && [ -e "/var/lib/libvirt/qemu/save/$1.save" ]; }; }
settled() { ! pgrep -x vgpuctl && for name in "${moving[@]}"; do is_safe "$name" || return 1; done; }
for moment in saving saved restoring; do
    say "a kill while $moment: no guest is lost, and the same command goes on"
    (exec vgpuctl evacuate "${T4[0]}" --except unsaved --json >json 2>err) &
    child=$!
    # The moment may pass unseen on a busy machine. Then this round plays an evacuation that ends.
    { until $moment || ! kill -0 $child; do :; done; } >/dev/null 2>&1
    if kill -KILL $child; then say "killed"; fi
    wait $child || true
    wait_for settled
    must_fail vgpuctl evacuate "${T4[0]}" --except unsaved
    for name in "${moving[@]}"; do [ "$(on "$name")" = "${T4[1]}" ]; done
    count
    vgpuctl evacuate --back
    for name in "${moving[@]}"; do [ "$(on "$name")" = "${T4[0]}" ]; done
    [ -z "$(ls /var/lib/libvirt-vgpu/evacuated)" ]
    count
done
for name in "${GUESTS[@]}"; do destroy "$name"; done
assert_empty_ledger
