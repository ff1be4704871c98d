# SPDX-License-Identifier: LGPL-2.1-or-later
# A running guest moves to another GPU of the same host: saved, and restored where a place waited for it.
# shellcheck shell=bash
# needs: libvirt 9.7
# needs: qemu 8.1

# gpu_of GUEST: the GPU of the guest's vGPU, by the ledger.
gpu_of() { vgpuctl list -rn -o GPU,DOMAIN | sed -n "s/ $1$//p"; }

# runs_again GUEST: starts the guest, unless it runs. libvirt may still do what a killed command asked of it; then
# the start may fail.
runs_again() { is_running "$1" || start "$1" || wait_for is_running "$1"; }

cards mdev vf vf vfs=4
say "a mediated device: its UUID stays"
uuid=$(new_uuid)
guest web01 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='T4-2Q'/>")" --hostdev "$uuid,ua-gpu0" --migratable
start web01
from=$(gpu_of web01)
[ "$from" = "${T4[0]}" ] || [ "$from" = "${T4[1]}" ]
before=$(qemu_pid web01)
vgpuctl move web01 --here | tee said
to=$(gpu_of web01)
assert_match "$(cat said)" "web01: ua-gpu0 is on $to now"
[ "$to" != "$from" ]
is_running web01
[ "$(qemu_pid web01)" != "$before" ]
mdev_exists "$uuid"
[ -e "/sys/class/mdev_bus/$to/$uuid" ]
[ "$(vgpuctl list -rn -o STATE)" = held ]
[ -z "$(find /var/lib/libvirt/qemu/save -name 'web01*')" ]
# The guest was restored, and not booted anew.
[ "$(grep -c -e '-incoming' /var/log/libvirt/qemu/web01.log)" = 1 ]

say "back, by name"
vgpuctl drain "$from"
must_fail vgpuctl move web01 --here
assert_match "$ERR" "$to is not one that it is to move to"
assert_match "$ERR" "$from is drained"
is_running web01
[ "$(gpu_of web01)" = "$to" ]
vgpuctl undrain "$from"
must_fail vgpuctl move web01 --here --parent "$to"
vgpuctl move web01 --here --parent "$from"
[ "$(gpu_of web01)" = "$from" ]
is_running web01

say "the new GPU does not take the guest: it runs where it was"
fault refuse_creates 1
must_fail vgpuctl move web01 --here
fault refuse_creates 0
assert_match "$ERR" 'web01 runs again, but not where it was to go: '
is_running web01
[ "$(gpu_of web01)" = "$from" ]
[ "$(vgpuctl list -rn -o STATE)" = held ]

say "two calls at once: at least one moves the guest, and only what the guest has is left"
statuses=
vgpuctl move web01 --here >said.1 2>&1 &
other=$!
vgpuctl move web01 --here >said.2 2>&1 && statuses=0 || statuses=$?
wait $other && statuses+=0 || statuses+=$?
cat said.1 said.2
assert_match "$statuses" 0
is_running web01
[ "$(vgpuctl list -rn -o STATE)" = held ]
[ "$(mdevs)" = "$uuid" ]

say "what cannot be saved stays"
must_fail vgpuctl move web02 --here
guest web03 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='T4-2Q'/>")" --hostdev "$(new_uuid),ua-gpu0"
must_fail vgpuctl move web03 --here
assert_match "$ERR" "web03 does not run"
destroy web01
assert_empty_ledger

say "a virtual function: the restored guest and its definition name the new one"
mapfile -t first < <(vfs_of "${CARDS[0]}")
guest web05 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='L40S-8Q'/>")" --pci "${first[0]},ua-gpu0" --migratable
start web05
must_fail vgpuctl move web05 --here
assert_match "$ERR" 'its memory and its vGPUs have 8256 MiB, and /var/lib/libvirt/qemu/save has'
is_running web05
destroy web05
guest web04 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='L40S-1Q'/>")" --pci "${first[0]},ua-gpu0" --migratable
start web04
[ "$(gpu_of web04)" = "${CARDS[0]}" ]
vgpuctl move web04 --here
[ "$(gpu_of web04)" = "${CARDS[1]}" ]
is_running web04
mapfile -t second < <(vfs_of "${CARDS[1]}")
[ "$(pci_of web04)" = "${second[0]}" ]
[ "$(pci_of web04 --inactive)" = "${second[0]}" ]
[ "$(cat "/sys/bus/pci/devices/${first[0]}/nvidia/current_vgpu_type")" = 0 ]

say "a kill after the save: the guest is off with its image, and its next start restores it"
destroy web04
start web04
(exec vgpuctl move web04 --here --json >json 2>err) &
child=$!
wait_for test -e /var/lib/libvirt/qemu/save/web04.save
kill -KILL $child
wait $child || true
settled() { is_off web04 || is_running web04; }
wait_for settled
runs_again web04

say "the process that asks libvirt is killed alone: the command says where the guest is in the end"
status=0
(exec vgpuctl move web04 --here >said 2>&1) &
child=$!
wait_for test -e /var/lib/libvirt/qemu/save/web04.save
pkill -KILL -P $child || true
wait $child || status=$?
cat said
if [ $status = 0 ]; then is_running web04; else is_running web04 || grep 'virsh start web04' said; fi
runs_again web04
destroy web04
vgpuctl reconcile
assert_empty_ledger

say "guests that arrive get new UUIDs by vgpu.conf: one that moves here finds its place by the old one"
vgpu_conf <<<'migrate_uuid = "new"; default_class = "half"; classes = { half = { types = [ "T4-2Q" ]; }; };'
guest web06 --hostdev "$(new_uuid)" --migratable
start web06
from=$(gpu_of web06)
vgpuctl move web06 --here
[ "$(gpu_of web06)" != "$from" ]
is_running web06
destroy web06
assert_empty_ledger
