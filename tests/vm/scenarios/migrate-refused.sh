# SPDX-License-Identifier: LGPL-2.1-or-later
# The other host is full, or lacks the type: virsh migrate says why, and the guest runs on here.
# shellcheck shell=bash
# needs: qemu 8.1
# takes: 25

vgpu_conf <<<'classes = { small = { types = [ "mtty-2" ]; }; };'
devices='<vgpu:device alias="ua-gpu0" type="mtty-1"/><vgpu:device alias="ua-gpu1" class="small"/>'
guest web01 --migratable --metadata "$(request "$devices")" \
    --hostdev "$(new_uuid),ua-gpu0" --hostdev "$(new_uuid),ua-gpu1"
start_host2
start web01
pid=$(qemu_pid web01)
read -ra ours <<<"$(device_of web01 | xargs)"
leases=$(ledger)

# refused REGEX [OPTION]...: the migration fails with this message. It changes nothing on either host.
refused() {
    local regex=$1 before device
    before=$(mdevs)
    shift
    must_fail migrate web01 "$@"
    assert_match "$ERR" "vgpu: web01: .*$regex"
    [ "$(grep -c 'vgpu: ' <<<"$ERR")" = 1 ]
    is_running web01
    for device in "${ours[@]}"; do [ "$(group_held_by "$device")" = "$pid" ]; done
    [ "$(ledger)" = "$leases" ]
    [ "$(mdevs)" = "$before" ]
    on_host2 assert_empty_ledger
    [ -z "$(on_host2 virsh -q list --all --name | xargs)" ]
}

# The other host has no such class.
refused 'ua-gpu1.*small'
# The other host does not allow one of the two types.
on_host2 vgpu_conf <<-'END'
	classes = { small = { types = [ "mtty-2" ]; }; };
	gpus = ( { address = "mtty"; types = [ "mtty-1" ]; } );
END
refused 'ua-gpu1 .*mtty may not have that type'
# There the class has a type that no GPU has.
on_host2 vgpu_conf <<<'classes = { small = { types = [ "nvidia-222" ]; }; };'
refused 'ua-gpu1 .*'
on_host2 vgpu_conf <<-'END'
	classes = { small = { types = [ "mtty-2" ]; }; };
	gpus = ( { address = "mtty"; enabled = false; } );
END
refused 'ua-gpu[01] .*mtty is disabled'
# The other host's configuration cannot be read.
on_host2 vgpu_conf <<<'classes = {'
refused '/etc/libvirt-vgpu/vgpu.conf:'

# There is room for one of the two devices. Both hosts share the same 24 ports, and the guest has three.
on_host2 vgpu_conf <<<'classes = { small = { types = [ "mtty-2" ]; }; };'
for i in {10..19}; do
    make_mdev mtty mtty-2 "dddddddd-0000-4000-8000-0000000000$i"
done
refused 'ua-gpu[01] .*mtty is full'
# The same is true when libvirt itself connects to the other host.
! is_long || refused 'ua-gpu[01] .*mtty is full' --p2p

destroy web01
assert_empty_ledger
for device in $(mdevs); do remove_mdev "$device"; done
