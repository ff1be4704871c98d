# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The main job, shown to a person. Every step checks that what it says is so.

heading() { printf '\n--- %s\n' "$*"; }

# expect REGEX COMMAND...: show it, and its output must match.
expect() {
    local regex=$1 output
    shift
    output=$(show "$@" 2>&1) || fail "$output"
    echo "$output"
    assert_match "$output" "$regex"
}

heading "This host has a GPU with vGPU types: the kernel's sample, a serial card of 24 ports"
for i in 0 1 2 3 4 5 6 7 8 9; do
    make_mdev mtty mtty-2 "dddddddd-0000-4000-8000-00000000000$i"
done
foreign=$(mdevs)
for type in /sys/class/mdev_bus/mtty/mdev_supported_types/*; do
    printf '%-8s %-20s %3s available\n' "${type##*/}" "$(cat "$type/name")" \
        "$(cat "$type/available_instances")"
done
echo "(ten dual ports were made by somebody else, two are left)"

heading "A guest says what vGPU it wants, in its XML; its device does not exist yet"
for name in web01 web02 web03; do
    guest "$name" --migratable --firmware --hostdev "$(new_uuid),ua-gpu0" \
        --metadata "$(request '<vgpu:device alias="ua-gpu0" type="Dual port serial"/>')"
done
show virsh -q dumpxml web01 | sed -n '1p; /<metadata>/,/<\/metadata>/p; /<hostdev/,/<\/hostdev>/p'
if mdev_exists "$(device_of web01)"; then fail "it exists already"; fi

heading "It is started with virsh, and has its vGPU"
expect '' virsh -q start web01
device=$(device_of web01)
expect "$device" ls /sys/bus/mdev/devices
expect '^. cat .*Dual port serial' cat "/sys/bus/mdev/devices/$device/mdev_type/name"
[ "$(mdev_type "$device")" = mtty-2 ]

heading "Who owns it: the ledger; who holds it: the guest's QEMU"
expect "$device mtty-2 .* web01 ua-gpu0 held made" cat /run/libvirt-vgpu/ledger
echo "group /dev/vfio/$(group_of "$device") is open in process $(group_held_by "$device"), web01 is" \
    "process $(qemu_pid web01)"
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]

heading "A second guest gets the last place; a third is refused, and told why"
expect '' virsh -q start web02
[ "$(ledger | wc -l)" = 2 ]
echo '$ virsh -q start web03'
must_fail virsh -q start web03
echo "$ERR"
assert_match "$ERR" 'vgpu: web03: no GPU can take ua-gpu0 \(Dual port serial\): .*mtty is full \(12 in use\)'

heading "It ends, and its place is free again"
expect '' virsh -q destroy web02
[ "$(ledger | wc -l)" = 1 ]
[ "$(mdevs | wc -l)" = 11 ]

heading "There is a second host; on the same kernel, so web01's UUID cannot be had there as well"
start_host2
expect '' on_host2 virsh -q list --all
read -r port _ <<<"$(scratch_ports web01)"
write_scratch web01 "$port=0x5a" >/dev/null
echo "(the guest's firmware knows its vGPU at I/O port $((port - 7)); into the scratch register we put" \
    "$(read_scratch web01 "$port"))"

heading "The guest moves there, while it runs: its XML now names the vGPU that was made there for it"
expect '' virsh -q migrate --live --desturi "$(peer)" --migrateuri tcp://127.0.0.1 web01
expect 'web01 +running' on_host2 virsh -q list --all
moved=$(on_host2 device_of web01)
[ "$moved" != "$device" ]
expect "$moved mtty-2 .* web01 ua-gpu0 held made" on_host2 cat /run/libvirt-vgpu/ledger
[ "$(group_held_by "$moved")" = "$(on_host2 qemu_pid web01)" ]
echo "on host1 it was $device, on host2 it is $moved"
scratch=$(on_host2 read_scratch web01 "$port")
echo "and the scratch register still says $scratch"
[ "$scratch" = 0x5a ]
if mdev_exists "$device"; then fail "the old one is still there"; fi
assert_empty_ledger

heading "The guest ends, and nothing is left"
expect '' on_host2 virsh -q destroy web01
show on_host2 cat /run/libvirt-vgpu/ledger
on_host2 assert_empty_ledger
echo "(and in /sys/bus/mdev/devices are the ten that were there before)"
[ "$(mdevs)" = "$foreign" ]

heading "What the journal says of it"
expect 'web02.*event=release.*removed' grep -h 'event=' /var/log/syslog

heading "done: each step did what it says"
