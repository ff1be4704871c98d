# SPDX-License-Identifier: LGPL-2.1-or-later
# OpenStack Nova's libvirt driver, as it is, on the emulated cards: inventory, devices made, found and counted.
# shellcheck shell=bash
# needs: nova 31
#
# tools/nova-inventory.py calls Nova. Our hook serves a guest beside a guest of Nova's.

# read_answer: what Nova answers. Fails if Nova fails.
read_answer() {
    { local -; set +x; } 2>/dev/null
    local line
    while read -r -t "$PATIENCE" line <&"$answers"; do
        case $line in
        ok) return ;;
        failed:*) echo "$line" >&2; return 1 ;;
        esac
        echo "$line"
    done
    fail "Nova has ended, or says nothing"
}

# ask WORDS...: has Nova do this.
ask() {
    echo "$*" >&"$questions"
    read_answer
}

start_nova() {
    mkfifo questions answers
    /vgpu/tests/vm/tools/nova-inventory.py nova.conf <questions >answers &
    exec {questions}>questions {answers}<answers
    read_answer
}

# expect WORDS LINE...: Nova answers these lines, in any order.
expect() { diff <(printf '%s\n' "${@:2}" | sort) <(ask "$1" | sort); }

# name_of ADDRESS: libvirt's name.
name_of() { echo "pci_${1//[:.]/_}"; }

# left PARENT TYPE: how many more there can be, as the kernel says.
left() { cat "/sys/class/mdev_bus/$1/mdev_supported_types/$2/available_instances"; }

# Nova takes every device with types for a PCI device, and ends at the kernel's samples.
modprobe -ra mtty mbochs mdpy
cards mdev sriov vfs=3
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
t4=$(name_of "${T4[0]}") other=$(name_of "${T4[1]}")
vf0=$(name_of "${vfs[0]}") vf1=$(name_of "${vfs[1]}") vf2=$(name_of "${vfs[2]}")
cat >nova.conf <<END
[DEFAULT]
compute_driver = libvirt.LibvirtDriver
state_path = $PWD
log_file = $LOGS/nova.log
[libvirt]
virt_type = qemu
[devices]
enabled_mdev_types = nvidia-233,nvidia-565
[mdev_nvidia-233]
device_addresses = ${T4[0]},${T4[1]}
[mdev_nvidia-565]
device_addresses = ${vfs[0]},${vfs[1]},${vfs[2]}
mdev_class = CUSTOM_A40
END
start_nova

say "the inventory is what the kernel says"
expect capable "$t4 nvidia-233 $(left "${T4[0]}" nvidia-233) GRID T4-8Q" \
    "$other nvidia-233 $(left "${T4[1]}" nvidia-233) GRID T4-8Q" \
    "$vf0 nvidia-565 $(left "${vfs[0]}" nvidia-565) NVIDIA A40-24Q" \
    "$vf1 nvidia-565 $(left "${vfs[1]}" nvidia-565) NVIDIA A40-24Q" \
    "$vf2 nvidia-565 $(left "${vfs[2]}" nvidia-565) NVIDIA A40-24Q"
all=("$t4 VGPU 2" "$other VGPU 2" "$vf0 CUSTOM_A40 1" "$vf1 CUSTOM_A40 1" "$vf2 CUSTOM_A40 1")
expect inventory "${all[@]}"
[ -z "$(ask devices)" ]
expect 'pci 10de' "${T4[0]} 1eb8 type-PCI -" "${T4[1]} 1eb8 type-PCI -" "${CARDS[0]} 2235 type-PF -" \
    "${vfs[0]} 2235 type-VF ${CARDS[0]}" "${vfs[1]} 2235 type-VF ${CARDS[0]}" "${vfs[2]} 2235 type-VF ${CARDS[0]}"

say "Nova makes devices, and finds and counts them"
one=$(ask "allocate $t4 1")
[ "$(mdev_type "$one")" = nvidia-233 ]
[ "$(left "${T4[0]}" nvidia-233)" = 1 ]
expect devices "$one $t4 nvidia-233"
expect inventory "${all[@]}"
# A device that no guest has is taken first.
mapfile -t both < <(ask "allocate $t4 2")
[ "${both[0]}" = "$one" ]
two=${both[1]}
[ "$(left "${T4[0]}" nvidia-233)" = 0 ]
must_fail ask "allocate $t4 3"
assert_match "$ERR" 'mdev-capable resource is not available'
[ "$(counter "${T4[0]}" created) $(counter "${T4[0]}" refused)" = '2 0' ]
expect inventory "${all[@]}"

say "a GPU has two of this type, on any of its functions: Nova counts three until it is full"
first=$(ask "allocate $vf0 1")
expect inventory "${all[@]}"
second=$(ask "allocate $vf2 1")
[ "$(left "${vfs[1]}" nvidia-565)" = 0 ]
all=("$t4 VGPU 2" "$other VGPU 2" "$vf0 CUSTOM_A40 1" "$vf2 CUSTOM_A40 1")
expect inventory "${all[@]}"
made=("$one $t4 nvidia-233" "$two $t4 nvidia-233" "$first $vf0 nvidia-565" "$second $vf2 nvidia-565")
expect devices "${made[@]}"

say "a guest of Nova's, and one of ours beside it"
guest nova1 --xml-filter "s,</devices>,$(ask "hostdev $one")&,"
start nova1
[ "$(group_held_by "$one")" = "$(qemu_pid nova1)" ]
expect assigned "$one $(virsh -q domuuid nova1)"
assert_empty_ledger
ours=$(new_uuid)
guest web01 --metadata "$(request '<vgpu:device type="GRID T4-8Q"/>')" --hostdev "$ours"
start web01
vgpuctl status
diff <(vgpuctl list -rn -o device,parent,state | sort) <(sort <<END
$one ${T4[0]} foreign
$two ${T4[0]} orphan
$first ${vfs[0]} orphan
$second ${vfs[2]} orphan
$ours ${T4[1]} held
END
)
[ "$(vgpuctl list nova1 -rn -o device,domain)" = "$one nova1" ]
expect devices "${made[@]}" "$ours $other nvidia-233"
expect inventory "${all[@]}"

say "we take nothing of Nova's"
destroy web01
assert_gone "$ours"
destroy nova1
vgpuctl reconcile
vgpuctl reap >said
cat said
for device in "$two" "$first" "$second"; do grep "^$device left alone: mdevctl defines it" said; done
[ "$(wc -l <said)" = 3 ]
for device in "$one" "$two" "$first" "$second"; do mdev_exists "$device"; done
expect devices "${made[@]}"
[ "$(ask "allocate $t4 1")" = "$two" ]

exec {questions}>&-
no_cards
