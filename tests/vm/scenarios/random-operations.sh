# SPDX-License-Identifier: LGPL-2.1-or-later
# Random operations on six guests and two hosts: vGPUs, leases and running guests always agree.
# shellcheck shell=bash
# needs: qemu 8.1
set +x

# A long run has parts, each with a seed of its own. A part that was interrupted can be played again.
SEED=95
[ ! -e /vgpu/seed ] || SEED=$(cat /vgpu/seed)
operations=9
! is_long || operations=500
RANDOM=$SEED
echo "seed $SEED, $operations operations"

# The model's knowledge of each guest. host: where it is. state: off, running or saved. type, device: of
# its definition. given: the type of the vGPU with which it runs or was saved.
guests=(g0 g1 g2 g3 g4 g5)
declare -A host=() state=() type=() device=() given=() uuid=()
# The directories of libvirt's state, and our ledgers, of host 1 and 2. Both can be read from here.
libvirt=('' /run/libvirt "$HOST2/run")
ledgers=('' "$LEDGER" "$HOST2/vgpu-run/ledger")

# pick ITEM...: picks one as $picked. It prints nothing: in a subshell RANDOM would not advance.
pick() {
    local items=("$@")
    picked=${items[RANDOM % $#]}
}

on() { "on_host${host[$1]}" "${@:2}"; }

define() {
    on "$1" guest "$1" --uuid "${uuid[$1]}" --migratable --hostdev "${device[$1]},ua-gpu0" \
        --metadata "$(request "<vgpu:device alias=\"ua-gpu0\" type=\"${type[$1]}\"/>")"
}

# held_by GUEST: the vGPU that its QEMU has open. It is asked after each operation. So it starts only
# one process.
held_by() {
    local pid group device
    pid=$(<"${libvirt[${host[$1]}]}/qemu/$1.pid")
    group=$(find "/proc/$pid/fd" -lname '/dev/vfio/[0-9]*' -printf '%l' -quit)
    for device in "/sys/kernel/iommu_groups/${group##*/}/devices"/*; do echo "${device##*/}"; done
}

leases() {
    local file
    for file in "${ledgers[@]:1}"; do [ ! -e "$file" ] || tail -n +2 "$file"; done
}

# The operations. Each fails if it had no effect.

op_start() { on "$1" start "$1"; }
op_destroy() { on "$1" destroy "$1"; }
op_save() { on "$1" virsh -q save "$1" "$PWD/$1.saved"; }
op_restore() { on "$1" virsh -q restore "$PWD/$1.saved"; }
op_migrate() { on "$1" migrate "$1" --persistent --undefinesource; }
op_edit() { define "$1"; }
op_restart() { on "$1" restart_libvirtd; }

# QEMU's monitor writes ACPI's S5, in place of the guest.
op_poweroff() {
    on "$1" acpi_ports "$1"
    on "$1" monitor "$1" 'o /w 0x604 0x2000' >/dev/null
    on "$1" wait_for is_off "$1"
}

op_kill() {
    kill -KILL "$(cat "${libvirt[${host[$1]}]}/qemu/$1.pid")"
    on "$1" wait_for is_off "$1"
}

# The model

# propose: the next operation, as $operation on $name.
propose() {
    pick "${guests[@]}"
    name=$picked
    case ${state[$name]} in
    off) pick start start start edit restart ;;
    running) pick destroy poweroff kill save save migrate migrate edit restart ;;
    saved) pick restore restore restore edit restart ;;
    esac
    operation=$picked
    [ "$operation" != edit ] || invent_edit
}

# invent_edit: another type and UUID; sometimes the UUID of a vGPU that a guest runs with.
invent_edit() {
    pick mtty-1 mtty-2
    type[$name]=$picked
    device[$name]=$(new_uuid)
    pick new new new taken
    [ "$picked" = taken ] || return 0
    pick "${guests[@]}"
    [ "${state[$picked]}" != running ] || device[$name]=$(held_by "$picked")
}

# should_succeed: each vGPU belongs to a running guest. So a definition with its UUID cannot start. A
# guest that is restored or migrated gets another UUID.
should_succeed() { [ "$operation" != start ] || ! mdev_exists "${device[$name]}"; }

done_as_told() {
    case $operation in
    start) given[$name]=${type[$name]} ;;
    migrate) host[$name]=$((3 - ${host[$name]})) ;;
    esac
    case $operation in
    start | restore | migrate) state[$name]=running ;;
    destroy | poweroff | kill) state[$name]=off ;;
    save) state[$name]=saved ;;
    esac
}

# see: an operation failed that should have succeeded. The model takes over the real state.
see() {
    local number
    [ "${state[$name]}" != saved ] || return 0
    for number in 1 2; do
        if "on_host$number" is_running "$name" 2>/dev/null; then
            host[$name]=$number state[$name]=running
            return
        fi
    done
    for number in 1 2; do
        if "on_host$number" is_off "$name" 2>/dev/null; then host[$name]=$number; fi
    done
    state[$name]=off
}

# attempt COMMAND...: sets $status to its exit status. Do not call it in a condition: there "set -e"
# has no effect.
attempt() {
    set +e
    (trap - ERR; set -e; "$@") 2>said
    status=$?
    set -e
}

# agree: the vGPUs that guests hold, the leases, and the existing vGPUs are the same.
agree() {
    local guest held=() vgpu
    for guest in "${guests[@]}"; do
        [ "${state[$guest]}" = running ] || continue
        vgpu=$(held_by "$guest")
        [ "$(mdev_type "$vgpu")" = "${given[$guest]}" ]
        grep -q "^mdev $vgpu ${given[$guest]} .* $guest ua-gpu0 held made " \
            "${ledgers[${host[$guest]}]}"
        held+=("$vgpu")
    done
    [ "$(mdevs)" = "$(printf '%s\n' "${held[@]}" | sort)" ]
    [ "$(leases | wc -l)" = ${#held[@]} ]
}

agree_soon() {
    local end=$((SECONDS + PATIENCE))
    while attempt agree; [ "$status" != 0 ]; do
        if [ "$SECONDS" -ge "$end" ]; then
            for name in "${guests[@]}"; do
                echo "$name on host${host[$name]}: ${state[$name]} ${given[$name]-}"
            done
            leases
            mdevs
            fail "they do not agree"
        fi
        sleep 0.2
    done
}

start_host2
for name in "${guests[@]}"; do
    host[$name]=1 state[$name]=off type[$name]=mtty-2
    uuid[$name]=$(new_uuid) device[$name]=$(new_uuid)
    define "$name"
done

should=0 did=0
for ((i = 1; i <= operations; i++)); do
    propose
    predicted=fail
    if should_succeed; then predicted=succeed; fi
    began=$SECONDS
    attempt "op_$operation" "$name"
    echo "$i. $operation $name on host${host[$name]}: status $status, should $predicted" \
        "($((SECONDS - began)) s)"
    [ "$status" = 0 ] || cat said
    case $predicted:$status in
    succeed:0) should=$((should + 1)) did=$((did + 1)) && done_as_told ;;
    succeed:*) should=$((should + 1)) && see ;;
    fail:0) fail "two guests have the same vGPU" ;;
    esac
    agree_soon
done
echo "$did of $should did that should"
[ $((did * 5)) -ge $((should * 4)) ]

for name in "${guests[@]}"; do
    [ "${state[$name]}" != running ] || on "$name" destroy "$name"
done
assert_no_mdevs
assert_empty_ledger
on_host2 assert_empty_ledger
