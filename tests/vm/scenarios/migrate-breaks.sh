# SPDX-License-Identifier: LGPL-2.1-or-later
# A migration breaks on either host: afterwards only the running guest's vGPUs exist.
# shellcheck shell=bash
# needs: qemu 8.1

# Random data that does not compress. At 1 MiB/s its migration takes about forty seconds. In that time
# the scenario breaks something, even on a busy machine. AppArmor lets a guest read this file.
filling=/usr/share/qemu/random
head -c 40M /dev/urandom >random
devices='<vgpu:device alias="ua-gpu0" type="mtty-2"/><vgpu:device alias="ua-gpu1" type="mtty-1"/>'
guest web01 --migratable --metadata "$(request "$devices")" \
    --hostdev "$(new_uuid),ua-gpu0" --hostdev "$(new_uuid),ua-gpu1" \
    --qemu-arg -device --qemu-arg loader,file=$filling,addr=0x1000000,force-raw=on
start_host2
for each in on_host1 on_host2; do
    at_end $each rm -f $filling
    $each install -m 644 random $filling
done
there=$(peer)
start web01
pid=$(qemu_pid web01)
read -ra ours <<<"$(device_of web01 | xargs)"

stream_flows() { virsh -q domjobinfo web01 | grep -q '^Memory processed: *[1-9]'; }

# begin_migration: starts a migration in the background, as $migration, and waits until data flows.
begin_migration() {
    migrate web01 --bandwidth 1 2>said &
    migration=$!
    wait_for stream_flows
    [ "$(mdevs | wc -l)" = 4 ]
}

just_ours() { [ "$(mdevs)" = "$(printf '%s\n' "${ours[@]}" | sort)" ]; }

# stays WHAT: the migration has failed. The guest runs here, and nothing of it is on the other host.
stays() {
    if wait "$migration"; then fail "migrated, although $1"; fi
    wait_for is_running web01
    [ "$(qemu_pid web01)" = "$pid" ]
    wait_for just_ours
    for device in "${ours[@]}"; do [ "$(group_held_by "$device")" = "$pid" ]; done
    [ "$(ledger | grep -c ' web01 ua-gpu[01] held made ')" = 2 ]
    wait_for on_host2 assert_empty_ledger
    [ -z "$(on_host2 virsh -q list --all --name | xargs)" ]
}

# The administrator stops vgpuctl move. It comes first: libvirt tells slowly of devices that have just come and gone.
virsh -q migrate-setspeed web01 1
vgpuctl move web01 "$there" --timeout "$PATIENCE" 2>said &
migration=$!
wait_for stream_flows
kill -TERM "$migration"
stays 'vgpuctl move was stopped'
assert_match "$(<said)" 'web01 is not moved: .*; it still runs here'

begin_migration
kill -KILL "$(on_host2 qemu_pid web01)"
stays 'the incoming QEMU was killed'

if is_long; then
    begin_migration
    virsh -q domjobabort web01
    stays 'it was cancelled'
fi

begin_migration
on_host2 kill_libvirtd
on_host2 start_libvirtd
stays 'the libvirtd over there was killed'

begin_migration
kill_libvirtd
start_libvirtd
stays 'the libvirtd over here was killed'

# The guest can still be migrated.
migrate web01 --bandwidth 1000
[ "$(mdevs | wc -l)" = 2 ]
assert_empty_ledger
on_host2 destroy web01
assert_no_mdevs
