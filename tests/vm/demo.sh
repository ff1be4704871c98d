# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Shows the main job to a person. Every step checks that its message is true.

heading() { printf '\n--- %s\n' "$*"; }

# expect REGEX COMMAND...: shows COMMAND; its output must match REGEX.
expect() {
    local regex=$1 output
    shift
    output=$(show "$@" 2>&1) || fail "$output"
    echo "$output"
    assert_match "$output" "$regex"
}

# only GPU...: the configuration disables all other GPUs.
only() {
    local gpu gpus=''
    for gpu in "${T4[@]}" "${CARDS[@]}"; do
        [[ " $* " == *" $gpu "* ]] || gpus+="${gpus:+, }{ address = \"$gpu\"; enabled = false; }"
    done
    echo "gpus = ( $gpus );"
}

shown_xml() { virsh -q dumpxml "$1" | sed -n '1p; /<metadata>/,/<\/metadata>/p; /<hostdev/,/<\/hostdev>/p'; }

heading "This host has a T4, of mediated devices, and an L40S, of virtual functions that have a type"
cards mdev vf vf
vgpu_conf < <(only "${T4[0]}" "${CARDS[0]}")
expect 'T4 .* mdev .*L40S .* vf ' vgpuctl gpus -o gpu,name,interface,vgpus,enabled
expect 'T4-8Q .* 2' vgpuctl types "${T4[0]}" -o type,name,framebuffer,max,available
echo "(the driver is a test's own, and does nothing but keep NVIDIA's rules; kernel, libvirt and QEMU are real;"
echo "a second host will have the cards that are disabled here)"

heading "A guest says what vGPU it wants, in its XML; its device does not exist yet"
for name in web01 web02 web03; do
    guest "$name" --migratable --hostdev "$(new_uuid),ua-gpu0" \
        --metadata "$(request '<vgpu:device alias="ua-gpu0" type="T4-8Q"/>')"
done
show shown_xml web01
device=$(device_of web01)
if mdev_exists "$device"; then fail "it exists already"; fi

heading "It is started with virsh, and has its vGPU"
expect '' virsh -q start web01
expect "$device" ls /sys/bus/mdev/devices
expect 'GRID T4-8Q' cat "/sys/bus/mdev/devices/$device/mdev_type/name"

heading "Who owns it: the ledger; who holds it: the guest's QEMU"
expect "$device nvidia-[0-9]+ .* web01 ua-gpu0 held made" cat /run/libvirt-vgpu/ledger
echo "group /dev/vfio/$(group_of "$device") is open in process $(group_held_by "$device"), web01 is" \
    "process $(qemu_pid web01)"
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]

heading "A second guest gets the last place; a third is refused, and told why"
expect '' virsh -q start web02
echo '$ virsh -q start web03'
must_fail virsh -q start web03
echo "$ERR"
assert_match "$ERR" "vgpu: web03: no GPU can take ua-gpu0 \\(T4-8Q\\): ${T4[0]} is full \\(2 of 2\\)"
expect '' virsh -q destroy web02
[ "$(mdevs)" = "$device" ]

heading "On the L40S a vGPU is a virtual function, which the XML names: vgpuctl chooses one"
override=$(migratable ua-gpu0 | tr -d '\n')
guest db01 --xml-filter "s,</domain>,<qemu:override>$override</qemu:override>&,"
expect 'added ua-gpu0' vgpuctl attach db01 --type L40S-12Q --config
show shown_xml db01
function=$(pci_of db01)
[ "$(vf_type "$function")" = 0 ]
expect '' virsh -q start db01
expect '^. cat [^ ]*current_vgpu_type.[1-9]' cat "/sys/bus/pci/devices/$function/nvidia/current_vgpu_type"
[ "$(group_held_by "$function")" = "$(qemu_pid db01)" ]
expect 'db01' vgpuctl list -o device,name,gpu,state,domain

heading "There is a second host, with cards of its own; both guests move there while they run"
start_host2
on_host2 vgpu_conf < <(only "${T4[1]}" "${CARDS[1]}")
before=$(seal_of "$device") function_before=$(seal_of "$function")
expect '' virsh -q migrate --live --desturi "$(peer)" --migrateuri tcp://127.0.0.1 web01
expect '' virsh -q migrate --live --desturi "$(peer)" --migrateuri tcp://127.0.0.1 db01
expect 'db01 +running.*web01 +running|web01 +running.*db01 +running' on_host2 virsh -q list --all
moved=$(on_host2 device_of web01) function_moved=$(on_host2 pci_of db01)
echo "web01's was $device, and is $moved there"
echo "db01's was $function, and is $function_moved there; the hook has rewritten the XML on the way"
[ "$moved" != "$device" ]
[ "$function_moved" != "$function" ]
echo "what was in them is in them still: $(seal_of "$moved"), $(seal_of "$function_moved")"
[ "$(seal_of "$moved") $(seal_of "$function_moved")" = "$before $function_before" ]
expect 'db01.*held' on_host2 cat /run/libvirt-vgpu/ledger
assert_empty_ledger
[ "$(vgpus)" = "$moved"$'\n'"$function_moved" ]

heading "The guests end, and nothing is left"
expect '' on_host2 virsh -q destroy web01
expect '' on_host2 virsh -q destroy db01
show on_host2 cat /run/libvirt-vgpu/ledger
on_host2 assert_empty_ledger
assert_no_vgpus

heading "What the journal says of it"
wait_for grep 'web02.*event=release.*removed' /var/log/syslog
expect 'web02.*event=release.*removed' grep -h 'event=' /var/log/syslog

heading "done: each step did what it says"
