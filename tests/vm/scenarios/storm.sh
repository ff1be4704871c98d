# SPDX-License-Identifier: LGPL-2.1-or-later
# Four guests start and end while administrators type commands that are killed, and a user has odd files open.
# shellcheck shell=bash
# needs: libvirt 9.7
# plays: LONG

# What may refuse a start: what an administrator does at that moment, and nothing else.
may_refuse="is drained|is being proved or set up by vgpuctl|no GPU can take|has no virtual function|not found|which this host does not have"
end=$((SECONDS + 60))

cards mdev vf vfs=4
modprobe fuse
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
nodes=()
for vf in "${vfs[@]}"; do nodes+=("/dev/vfio/$(group_of "$vf")"); done
at_end rm -rf /usr/lib/nvidia /usr/bin/nvidia-smi /run/nvidia-tools
install -D /vgpu/tests/vm/tools/sriov-manage /usr/lib/nvidia/sriov-manage
install /vgpu/tests/vm/tools/nvidia-smi /usr/bin/nvidia-smi
vgpu_conf <<<"gpus = ( { address = \"${CARDS[0]}\"; setup = { functions = \"all\"; }; } );"
for i in 0 1; do
    guest "mdev$i" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="T4-1B"/>')" --hostdev "$(new_uuid),ua-gpu0"
    guest "vf$i" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="L40S-12Q"/>')" --pci "${vfs[i]},ua-gpu0"
done

at_end sh -c 'rm -rf --one-file-system /tmp/odd-files-*'
/vgpu/build/odd-files "$PWD/ready" "${nodes[@]}" &
odd=$!
wait_for test -e ready

# live GUEST: starts and ends it, again and again. While it runs, its device is there, and its QEMU has it open.
live() {
    local round=0 device said
    while [ "$SECONDS" -lt $end ]; do
        if said=$(virsh -q start "$1" 2>&1); then
            round=$((round + 1))
            device=$(device_of "$1")
            [ -n "$device" ] || device=$(pci_of "$1")
            # The user's files look as if the user had the node open, too.
            grep -qx "$(qemu_pid "$1")" <<<"$(group_held_by "$device")" || return
            destroy "$1" || return
        else
            echo "$1: $said"
            grep -qE "$may_refuse" <<<"$said" || return
        fi
    done
    echo "$1: $round rounds"
    [ $round -gt 0 ]
}

# now_and_then COMMAND...: an administrator types this as long as the guests live. Each third call is killed. The pause
# waits for nothing: without it these calls would leave the guests no processor time.
now_and_then() {
    local n=0
    while [ ! -e over ]; do
        n=$((n + 1))
        if [ $((n % 3)) = 0 ]; then timeout -s KILL 0.3 "$@"; else timeout "$PATIENCE" "$@"; fi >/dev/null 2>&1 || true
        sleep 0.2
    done
}

lives=() others=()
for name in mdev0 mdev1 vf0 vf1; do
    live $name >"$name.said" 2>&1 &
    lives+=($!)
done
now_and_then sh -c "vgpuctl drain ${T4[0]}; vgpuctl undrain ${T4[0]}" & others+=($!)
now_and_then vgpuctl reap & others+=($!)
now_and_then vgpuctl reconcile & others+=($!)
now_and_then vgpuctl capture storm.tar.gz & others+=($!)
now_and_then sh -c "vgpuctl sriov disable ${CARDS[0]}; vgpuctl setup" & others+=($!)
failed=''
for i in "${!lives[@]}"; do wait "${lives[i]}" || failed+=" $i"; done
touch over
wait "${others[@]}"
tail -n 20 ./*.said
[ -z "$failed" ] || fail "guests failed:$failed"
kill -0 $odd
kill $odd

say "nothing is left"
vgpuctl undrain "${T4[0]}"
vgpuctl setup
[ "$(vfs_of "${CARDS[0]}" | wc -l)" -ge 4 ]
vgpuctl reconcile
assert_no_vgpus
assert_empty_ledger
