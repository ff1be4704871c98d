# SPDX-License-Identifier: LGPL-2.1-or-later
# vgpuctl shows the same of a capture as of its host, for each kind of card; a capture has no secret.
# shellcheck shell=bash
# needs: libvirt 9.7
#
# An ordinary run records one host, with mediated devices and functions. LONG=1 records six, for tests/captures.

# The first list is also recorded for tests/captures, with its output.
commands=('gpus' 'gpus --json' 'types' 'status' 'status --json' 'list' 'list --json' 'doctor' 'doctor --json'
    'explain asking.xml' 'explain asking.xml --json')
long_ones=('types --json' 'metrics')

# show ROOT COMMAND...: prints each command, and its output for the host at ROOT, as in a golden file.
show() {
    local root=$1 command words status
    for command in "${@:2}"; do
        read -ra words <<<"$command"
        status=0
        echo "$ vgpuctl $command"
        vgpuctl "${words[@]}" --root "$root" 2>faults || status=$?
        cat faults
        echo "(exit status $status)"
    done
}

# record NAME WHAT: makes a capture of this host, and records what vgpuctl prints here. WHAT says what
# the host has.
recorded=()
record() {
    local kept=$LOGS/captures/$1 from
    from="# From our virtual machine, $(date -u +%F), Linux $(uname -r), libvirt $(virsh --version): $2."
    mkdir -p "$kept"
    vgpuctl capture --names "$1.tar.gz"
    tar -xzOf "$1.tar.gz" manifest | sed "1a $from\nhost unrecorded = absent" >"$kept/manifest"
    show / "${commands[@]}" >"$kept/shown"
    show / "${long_ones[@]}" >"$1.long"
    mv asking.xml "$kept/"
    recorded+=("$1")
}

# compare NAME: vgpuctl must print the same of the capture, as an archive and as a directory.
compare() {
    local kept=$LOGS/captures/$1
    cp "$kept/asking.xml" .
    diff -u "$kept/shown" <(show "$1.tar.gz" "${commands[@]}")
    diff -u "$1.long" <(show "$1.tar.gz" "${long_ones[@]}")
    diff -u "$kept/shown" <(show "$kept" "${commands[@]}")
}

# finish: each capture shows the same where none of these cards is.
finish() {
    local name
    say "where none of these cards is"
    for name in "${recorded[@]}"; do compare "$name"; done
    exit
}

# asking TYPE SOURCE: a guest that is not defined, of a UUID or a function.
asking() {
    local option=--hostdev
    [[ $2 != *:* ]] || option=--pci
    guest_xml late --uuid a5c00000-0000-4000-8000-000000000001 "$option" "$2,ua-gpu0" \
        --metadata "$(request "<vgpu:device alias=\"ua-gpu0\" type=\"$1\"/>")" >asking.xml
}

# forget NAME: ends the guest, and removes its definition.
forget() {
    destroy "$1"
    virsh -q undefine "$1"
}

# run_guest NAME TYPE [OPTION]...: starts a guest with a vGPU; options as for guest_xml.
run_guest() {
    guest "$1" "${@:3}"
    vgpuctl attach "$1" --type "$2" --config
    start "$1"
}

# plant: puts secrets into all places that vgpuctl reads. The first guest also has secrets in its XML.
plant() {
    install -m 755 /dev/stdin /etc/libvirt/hooks/qemu.d/80-other <<-END
		#!/bin/sh
		# tok3n-in-hook
		exit 0
	END
    vgpu_conf <<-END
		# The key of the safe is 4711-zanzibar.
		release = "keep"; // acme-comment
		classes = { big = { types = [ "T4-8Q" ]; }; };
		quotas = ( { domains = [ "payroll-*" ]; class = "big"; max = 2; } );
	END
    mkdir -p "${CONF%/*}/conf.d"
    echo '/* second-comment */' >"${CONF%/*}/conf.d/10-other.conf"
}
hidden=(payroll db01 web02 zanzibar acme-comment second-comment tok3n-in-hook ticket-4711 mallory SERIAL-0815
    Pa55w0rd hunter2 10.99.88.77 52:54:00:aa:bb:cc iqn.2001-04)
in_xml=(--qemu-arg -smbios --qemu-arg 'type=1,serial=SERIAL-0815'
    --qemu-arg -object --qemu-arg 'secret,id=s0,data=Pa55w0rd'
    --qemu-arg -fw_cfg --qemu-arg 'name=opt/key,string=hunter2'
    --metadata "<metadata><o:owner xmlns:o='urn:owner'>mallory</o:owner></metadata>"
    --xml-filter 's,<memory,<title>ticket-4711</title><description>10.99.88.77 52:54:00:aa:bb:cc iqn.2001-04</description>&,')

say "mediated devices, functions and samples: one guest runs, the vGPU of another is kept; also a public capture"
kinds=(mdev vf xe vfs=2)
if is_long; then kinds=(mdev); fi
cards "${kinds[@]}"
run_guest payroll-db01 T4-8Q "${in_xml[@]}"
plant
guest payroll-web02
vgpuctl attach payroll-web02 --type T4-8Q --config
claim_defined payroll-web02
devices=("$(device_of payroll-db01)" "$(device_of payroll-web02)")
hidden+=("$(virsh -q domuuid payroll-db01)" "$(virsh -q domuuid payroll-web02)" "$(</proc/sys/kernel/random/boot_id)")
give_back payroll-web02
asking T4-16Q "$(new_uuid)"
record vm-mdev "two cards like a T4, with mediated devices"
vgpuctl capture public.tar.gz
[ "$(tar -tzf public.tar.gz)" = manifest ]
tar -xzOf public.tar.gz manifest >said
for secret in "${hidden[@]}"; do
        # The secret is on this host, in a file that vgpuctl could read.
    grep -rqF "$secret" /run/libvirt/qemu /etc/libvirt "${CONF%/*}" "$LEDGER" /proc/sys/kernel/random/boot_id
    if grep -qF "$secret" said; then fail "$secret is in the capture"; fi
done
for device in "${devices[@]}"; do grep -qF "$device" said; done
[ "$(head -n 1 said)" = "libvirt-vgpu capture 1" ]
[ "$(head -n 1 "$LOGS/captures/vm-mdev/manifest")" = "libvirt-vgpu capture 1 with names" ]
for secret in "${hidden[@]}"; do grep -qF "$secret" "$LOGS/captures/vm-mdev/manifest"; done
[ ${#hidden[@]} = 18 ]
vgpuctl list --root public.tar.gz -rn -o DEVICE,STATE,GPU | wc -l >count
[ "$(<count)" = "$(vgpuctl list --root / -rn -o DEVICE | wc -l)" ]
rm /etc/libvirt/hooks/qemu.d/80-other
no_vgpu_conf
forget payroll-db01
virsh -q undefine payroll-web02
vgpuctl reap
assert_no_vgpus
no_cards

is_long || finish

say "NVIDIA's functions"
cards vf vfs=4
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
run_guest web01 L40S-12Q
asking L40S-48Q "${vfs[2]}"
record vm-vf "a card like an L40S, with NVIDIA's vendor-specific VFIO"
forget web01
no_cards

say "the kernel's own sample drivers"
guest web01 --hostdev "$(new_uuid),ua-gpu0" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="mtty-2"/>')"
start web01
asking mtty-1 "$(new_uuid)"
record vm-mtty "the kernel's samples mtty, mbochs and mdpy, which all of these hosts have"
forget web01

say "mediated devices on functions"
cards sriov vfs=4
run_guest web01 A40-12Q
asking A40-8Q "$(new_uuid)"
record vm-sriov "a card like an A40, with mediated devices on virtual functions"
forget web01
no_cards

say "Intel's functions"
cards xe vfs=4
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
modprobe vgpu-cards-xe-vfio
bind_driver "${vfs[0]}" vgpu-cards-xe-vfio
vgpu_conf <<-END
	profiles = { b60-8g = { vram = "8G"; }; b60-4g = { vram = "4G"; }; };
	gpus = ( { address = "${CARDS[0]}"; vram = "14096M"; } );
END
run_guest web01 b60-8g
asking b60-8g "${vfs[1]}"
record vm-xe "a card like an Arc Pro B60, with profiles of xe"
forget web01
no_vgpu_conf
no_cards

say "a pool of virtual functions, as AMD's cards need it: their driver says nothing about them"
cards bare vfs=2
mapfile -t vfs < <(vfs_of "${CARDS[0]}")
modprobe vgpu-cards-vfio
for vf in "${vfs[@]}"; do bind_driver "$vf" vgpu-cards-vfio; done
vgpu_conf <<-END
	pools = { parts = { functions = [ "${vfs[0]%.*}.[4-9]" ]; framebuffer = "2G"; }; };
END
run_guest web01 parts
asking parts "${vfs[0]}"
record vm-pool "a card like an MI300X, with its functions in a pool"
forget web01
no_vgpu_conf
no_cards

finish
