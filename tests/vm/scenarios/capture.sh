# SPDX-License-Identifier: LGPL-2.1-or-later
# What vgpuctl shows of each kind of card, it shows of a capture, where the cards are not; and no secret is in it.
# shellcheck shell=bash
# needs: libvirt 9.7
# takes: 60

commands=('gpus' 'gpus --json' 'types' 'types --json' 'status' 'status --json' 'list' 'list --json'
    'doctor' 'doctor --json' 'metrics' 'explain asking.xml')

# show ROOT DIRECTORY: what all of them print of it.
show() {
    local command words
    mkdir -p "$2"
    for command in "${commands[@]}"; do
        read -ra words <<<"$command"
        vgpuctl "${words[@]}" --root "$1" >"$2/$command.out" 2>"$2/$command.faults" || echo "$?" >>"$2/$command.out"
    done
}

# record NAME: a capture, and what it is to show.
record() {
    vgpuctl capture --names "$1.tar.gz"
    show / "live-$1"
    mv asking.xml "$1.xml"
}

# compare NAME
compare() {
    cp "$1.xml" asking.xml
    show "$1.tar.gz" "played-$1"
    diff -ru "live-$1" "played-$1"
}

declare -A types
say "mediated devices, NVIDIA's functions, Intel's, and a pool"
cards mdev vf xe vfs=4
read -ra vfs <<<"$(vfs_of "${CARDS[0]}" | xargs)"
read -ra xe_vfs <<<"$(vfs_of "${CARDS[1]}" | xargs)"
modprobe vfio-pci
modprobe xe-vfio-pci
spare=$(grep -lx 0x11e8 /sys/bus/pci/devices/*/device)
spare=$(basename "${spare%/device}")
bind_driver "$spare" vfio-pci
bind_driver "${xe_vfs[0]}" xe-vfio-pci
vgpu_conf <<-END
	# The key of the safe is 4711-zanzibar.
	profiles = { b50-8g = { vram = "8G"; }; };
	gpus = ( { address = "${CARDS[1]}"; vram = "15G"; } );
	pools = { spare = { functions = [ "$spare" ]; }; };
	classes = { big = { types = [ "T4-16Q", "L40S-12Q" ]; }; };
	quotas = ( { domains = [ "payroll-*" ]; class = "big"; max = 2; } );
END
types=([payroll-db01]=T4-16Q [payroll-web02]=L40S-12Q [intel]=b50-8g [pooled]=spare)
for name in "${!types[@]}"; do
    guest "$name"
    vgpuctl attach "$name" --type "${types[$name]}" --config
    start "$name"
done
guest_xml late --pci "${vfs[2]},ua-gpu0" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="L40S-48Q"/>')" >asking.xml
record all

say "the same without names"
vgpuctl capture redacted.tar.gz
[ "$(tar -tzf redacted.tar.gz)" = manifest ]
tar -xzOf redacted.tar.gz manifest >said
for secret in payroll db01 web02 zanzibar "$(device_of payroll-db01)" "$(virsh -q domuuid payroll-db01)" \
    "$(virsh -q domuuid intel)" "$(</proc/sys/kernel/random/boot_id)"; do
    if grep -qF "$secret" said; then fail "$secret is in the capture"; fi
done
vgpuctl list --root redacted.tar.gz -rn -o DEVICE,STATE,GPU | wc -l >count
[ "$(<count)" = "$(vgpuctl list --root / -rn -o DEVICE | wc -l)" ]
for name in "${!types[@]}"; do destroy "$name"; done
bind_driver "$spare" ''

say "mediated devices on functions"
no_vgpu_conf
no_cards
cards sriov sriov vfs=4
guest one --hostdev "$(new_uuid),ua-gpu0" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="A40-12Q"/>')"
start one
guest_xml late --hostdev "$(new_uuid),ua-gpu0" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="A40-8Q"/>')" >asking.xml
record sriov
destroy one

say "where none of these cards is"
no_cards
compare sriov
compare all
