# SPDX-License-Identifier: LGPL-2.1-or-later
# Migration: offline, refused, live there and back. UUIDs change, the definition's stay, and so does the vGPUs' state.
# shellcheck shell=bash
# needs: qemu 8.1

vgpu_conf <<<'classes = { small = { types = [ "mtty-2" ]; }; };'
defined=("$(new_uuid)" "$(new_uuid)")
devices='<vgpu:device alias="ua-gpu0" type="mtty-1"/><vgpu:device alias="ua-gpu1" class="small"/>'
guest web01 --migratable --firmware --metadata "$(request "$devices")" \
    --hostdev "${defined[0]},ua-gpu0" --hostdev "${defined[1]},ua-gpu1"
start_host2

# An offline migration needs no vGPU. libvirt moves the definition, and our hook changes nothing in it.
part migrate-persistent
on_host2 vgpu_conf <"$CONF"
migrate web01 --offline --persistent
[ "$(on_host2 device_of web01 --inactive | xargs)" = "${defined[*]}" ]
assert_no_mdevs
on_host2 virsh -q undefine web01

part migrate-refused
start web01
pid=$(qemu_pid web01)
leases=$(ledger)
read -ra ports <<<"$(scratch_ports web01)"
write_scratch web01 "${ports[0]}=0x5a" "${ports[1]}=0xa5"

# refused REGEX [OPTION]...: the migration fails with this message. It changes nothing on either host.
refused() {
    local regex=$1 before device
    before=$(mdevs)
    shift
    must_fail migrate web01 "$@"
    assert_match "$ERR" "vgpu: web01: .*$regex"
    [ "$(grep -c 'vgpu: ' <<<"$ERR")" = 1 ]
    is_running web01
    for device in "${defined[@]}"; do [ "$(group_held_by "$device")" = "$pid" ]; done
    [ "$(ledger)" = "$leases" ]
    [ "$(mdevs)" = "$before" ]
    on_host2 assert_empty_ledger
    [ -z "$(on_host2 virsh -q list --all --name | xargs)" ]
}

# The other host has no such class.
on_host2 no_vgpu_conf
refused 'ua-gpu1.*small'
if is_long; then
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
fi

# There is room for one of the two devices. Both hosts share the same 24 ports, and the guest has three.
on_host2 vgpu_conf <<<'classes = { small = { types = [ "mtty-2" ]; }; };'
for i in {10..19}; do
    make_mdev mtty mtty-2 "dddddddd-0000-4000-8000-0000000000$i"
done
refused 'ua-gpu[01] .*mtty is full'
# The same is true when libvirt itself connects to the other host.
! is_long || refused 'ua-gpu[01] .*mtty is full' --p2p
for i in {10..19}; do remove_mdev "dddddddd-0000-4000-8000-0000000000$i"; done

# hop FROM TO [OPTION]...: migrates the guest. FROM and TO are on_host1 and on_host2.
hop() {
    local before after device
    read -ra before <<<"$("$1" device_of web01 | xargs)"
    "$1" migrate web01 "${@:3}"
    read -ra after <<<"$("$2" device_of web01 | xargs)"

    for device in "${before[@]}"; do assert_gone "$device"; done
    [ "$(mdevs)" = "$(printf '%s\n' "${after[@]}" | sort)" ]
    [ "$(mdev_type "${after[0]}") $(mdev_type "${after[1]}")" = 'mtty-1 mtty-2' ]
    for device in "${after[@]}"; do
        [ "$(group_held_by "$device")" = "$("$2" qemu_pid web01)" ]
    done
    [ "$("$2" ledger | grep -c ' web01 ua-gpu[01] held made ')" = 2 ]
    "$1" assert_empty_ledger
    [ "$("$2" read_scratch web01 "${ports[@]}")" = '0x5a 0xa5' ]
}

# The guest that nobody took is migrated now. Its definition goes with it, and stays there.
say "part: migrate-there-and-back"
hop on_host1 on_host2 --persistent --undefinesource
[ "$(on_host2 device_of web01 --inactive | xargs)" = "${defined[*]}" ]
hop on_host2 on_host1
if is_long; then
    hop on_host1 on_host2
    hop on_host2 on_host1
fi
destroy web01
assert_no_mdevs
assert_empty_ledger
on_host2 assert_empty_ledger

say "the definition has the same UUIDs there, and can be started"
on_host2 virsh -q dumpxml --inactive web01 >there.xml
[ "$(sed -n "s/.*<address uuid='\(.*\)'.*/\1/p" there.xml | xargs)" = "${defined[*]}" ]
on_host2 bash -euc 'libvirt-vgpu-hook web01 prepare begin - <there.xml
    ls /sys/bus/mdev/devices >made
    libvirt-vgpu-hook web01 release end destroyed <there.xml'
[ "$(<made)" = "$(printf '%s\n' "${defined[@]}" | sort)" ]
assert_no_mdevs
on_host2 assert_empty_ledger
