# SPDX-License-Identifier: LGPL-2.1-or-later
# vgpuctl --connect shows the other host; a migration never contradicts migrate-check.
# shellcheck shell=bash
# needs: qemu 8.1

guest web01 --migratable --metadata "$(request '<vgpu:device alias="ua-gpu0" type="mtty-2"/>')" \
    --hostdev "$(new_uuid),ua-gpu0"
guest never --metadata "$(request '<vgpu:device type="nvidia-222"/>')" --hostdev "$(new_uuid)"
start_host2
start web01
there=$(peer)

# far COMMAND [OPTION]...: asks the other host. One blank separates the columns.
far() { vgpuctl "$@" --raw --noheadings --connect "$there" --timeout "$PATIENCE"; }

# Both libvirts run on one kernel. So the other libvirt knows our devices, but none of our domains.
has_gpu() { far gpus -o GPU,INTERFACE,SIZE,ENABLED | grep -Fx 'mtty mdev - -'; }
wait_for has_gpu
room=$(cat /sys/class/mdev_bus/mtty/mdev_supported_types/mtty-2/available_instances)
[ "$(far types -o TYPE,AVAILABLE,AVAILABLE-AT-MOST | grep '^mtty-2 ')" = "mtty-2 - $room" ]
shows() { far list -o DEVICE,TYPE,STATE,DOMAIN | grep -Fx "$1"; }
wait_for shows "$(device_of web01) mtty-2 orphan -"
near() { vgpuctl list -o DOMAIN --raw --noheadings -c qemu:///system | grep -Fx web01; }
wait_for near

# One host hangs for good: vgpuctl stops waiting for it, and shows the other hosts.
pid=$(on_host2 libvirtd_pid)
at_end kill -CONT "$pid"
kill -STOP "$pid"
must_fail vgpuctl list -o HOST,DOMAIN -c "$there" -c qemu:///system --timeout 15 >shown
[[ $(ps -o stat= -p "$pid") = T* ]]
undo
[[ $ERR = "vgpuctl: $there: no answer within 15 s"* ]]
grep -E '^qemu:///system +web01$' shown

unknowns=0 untold=0
# check GUEST URI ANSWER: migrate-check must give this answer. Its output is also in the file "said".
check() {
    local status=0
    vgpuctl migrate-check "$1" "$2" --timeout "$PATIENCE" >said 2>complaint || status=$?
    cat said
    [ "$(tail -n 1 said) $status" = "$3" ] || fail "migrate-check: $(cat said complaint)"
}
# refused GUEST [OPTION]...: the migration must be refused.
refused() {
    must_fail migrate "$@"
    say "$ERR"
}
unknown() {
    check "$@" 'unknown 1'
    unknowns=$((unknowns + 1))
}

check web01 qemu:///system 'no 3'
must_fail virsh -q migrate --live web01 qemu:///system

check never "$there" 'no 3'
grep '^NO .*no GPU there has nvidia-222$' said
refused never --offline --persistent
status=0
vgpuctl move never "$there" --timeout "$PATIENCE" || status=$?
[ "$status" = 3 ]

on_host2 guest web01
check web01 "$there" 'no 3'
refused web01
on_host2 virsh -q undefine web01

# The other host is full of devices without a guest. Only the hook there knows who owns them.
for i in $(seq 10 $((9 + room))); do
    make_mdev mtty mtty-2 "dddddddd-0000-4000-8000-0000000000$i"
done
full() { check web01 "$there" 'unknown 1'; }
wait_for full
unknown web01 "$there"
must_fail vgpuctl move web01 "$there" --timeout "$PATIENCE"
assert_match "$ERR" "move: whether .* takes web01 is not known: "
assert_match "$ERR" 'web01 is not moved: libvirt does not migrate it: .*; it still runs here'
for device in $(mdevs); do
    [ "$device" = "$(device_of web01)" ] || remove_mdev "$device"
done

# libvirt does not tell which GPUs the other host allows. So migrate-check prints a note, and the
# answer does not depend on it.
on_host2 vgpu_conf <<<'gpus = ( { address = "mtty"; enabled = false; } );'
check web01 "$there" 'yes 0'
grep '^NOTE .*vgpu.conf there' said
untold=$((untold + 1))
refused web01
on_host2 no_vgpu_conf

say "move: the check, the migration, and the result"
check web01 "$there" 'yes 0'
vgpuctl move web01 --best -c "$there" -c qemu+unix:///system?socket=/nowhere --timeout "$PATIENCE" >said
device=$(on_host2 device_of web01)
diff said - <<-END
	web01: moved to $there
	web01: ua-gpu0 has the UUID $device there
END
must_fail virsh -q dominfo web01
[ "$(on_host2 virsh -q list --all --name --persistent | xargs)" = web01 ]
[ "$(group_held_by "$device")" = "$(on_host2 qemu_pid web01)" ]
[ "$(on_host2 device_of web01 --inactive)" = "$device" ]
wait_for shows "$device mtty-2 - web01"
assert_empty_ledger
say "not known to migrate-check: $unknowns; not told by libvirt: $untold"
on_host2 destroy web01
assert_no_mdevs
