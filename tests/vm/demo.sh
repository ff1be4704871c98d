# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Shows to a person what our program does. Every step checks that its message is true.

heading() { printf '\n--- %s\n' "$*"; }

# expect REGEX COMMAND...: shows COMMAND. Its output must match REGEX.
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

heading "This host has a T4 (mediated devices) and an L40S (virtual functions that have a type)"
cards mdev vf vf
vgpu_conf < <(only "${T4[0]}" "${CARDS[0]}")
expect 'T4 .* mdev .*L40S .* vf ' vgpuctl gpus -o gpu,name,interface,made,enabled
expect 'T4-8Q .* 2' vgpuctl types "${T4[0]}" -o type,name,framebuffer,max,available
echo "(The cards are emulated. Their driver only keeps NVIDIA's rules. Kernel, libvirt and QEMU are real."
echo "A second host will use the cards that are disabled here.)"

heading "A guest asks for a vGPU in its XML; the device does not exist yet"
for name in web01 web02 web03; do
    guest "$name" --migratable --hostdev "$(new_uuid),ua-gpu0" \
        --metadata "$(request '<vgpu:device alias="ua-gpu0" type="T4-8Q"/>')"
done
show shown_xml web01
device=$(device_of web01)
if mdev_exists "$device"; then fail "it exists already"; fi

heading "virsh starts the guest, and the guest has its vGPU"
expect '' virsh -q start web01
expect "$device" ls /sys/bus/mdev/devices
expect 'GRID T4-8Q' cat "/sys/bus/mdev/devices/$device/mdev_type/name"

heading "The ledger says which guest owns the vGPU; the guest's QEMU has it open"
expect "$device nvidia-[0-9]+ .* web01 ua-gpu0 held made" cat /run/libvirt-vgpu/ledger
echo "group /dev/vfio/$(group_of "$device") is open in process $(group_held_by "$device"), web01 is" \
    "process $(qemu_pid web01)"
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]

heading "A second guest gets the last place; a third is refused, and the message says why"
expect '' virsh -q start web02
echo '$ virsh -q start web03'
must_fail virsh -q start web03
echo "$ERR"
assert_match "$ERR" "vgpu: web03: no GPU can take ua-gpu0 \\(T4-8Q\\): ${T4[0]} is full \\(2 of 2\\)"
expect '' virsh -q destroy web02
[ "$(mdevs)" = "$device" ]

heading "On the L40S a vGPU is a virtual function, which the XML must name: vgpuctl chooses one"
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

heading "A second host has cards of its own; both guests move there while they run"
start_host2
on_host2 vgpu_conf < <(only "${T4[1]}" "${CARDS[1]}")
before=$(seal_of "$device") function_before=$(seal_of "$function")
expect '' virsh -q migrate --live --desturi "$(peer)" --migrateuri tcp://127.0.0.1 web01
expect '' virsh -q migrate --live --desturi "$(peer)" --migrateuri tcp://127.0.0.1 db01
expect 'db01 +running.*web01 +running|web01 +running.*db01 +running' on_host2 virsh -q list --all
moved=$(on_host2 device_of web01) function_moved=$(on_host2 pci_of db01)
echo "The vGPU of web01 was $device here, and is $moved there."
echo "The vGPU of db01 was $function here, and is $function_moved there. The hook has rewritten the XML."
[ "$moved" != "$device" ]
[ "$function_moved" != "$function" ]
echo "Both vGPUs still have their state: $(seal_of "$moved"), $(seal_of "$function_moved")"
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

heading "The journal tells what happened"
wait_for grep 'web02.*event=release.*removed' /var/log/syslog
expect 'web02.*event=release.*removed' grep -h 'event=' /var/log/syslog

heading "done: each step did what its heading says"
