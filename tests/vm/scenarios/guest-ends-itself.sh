# SPDX-License-Identifier: LGPL-2.1-or-later
# A power-off, a panic or a reset: the vGPU stays if the guest lives, else it goes.
# shellcheck shell=bash

# io GUEST ADDRESS VALUE [SIZE]: writes VALUE to an I/O port of the guest; SIZE is b, h or w: 1, 2 or
# 4 bytes. The guest has no operating system, so QEMU writes.
io() { virsh -q qemu-monitor-command "$1" --hmp "o /${4:-b} $2 $3"; }

# q35's ACPI: sleep type 0 with "sleep enable" is the power-off. QEMU may end before it answers.
power_off() { io "$1" 0x604 0x2000 h || true; }
# pvpanic: the guest says that it panicked.
panic() { io "$1" 0x505 1; }
# The chipset's reset control register: a full reset.
reset() { io "$1" 0xcf9 6; }

# ready GUEST: puts the ACPI ports where power_off writes. A reset undoes that.
ready() { acpi_ports "$1"; }

# The domain is off shortly before libvirt calls release.
is_gone() { is_off "$1" && [ -z "$(ledger)" ]; }

# gone GUEST REASON: GUEST ended for this reason, and its vGPU is gone.
gone() {
    wait_for is_gone "$1"
    assert_match "$(virsh domstate --reason "$1")" "$2"
    assert_no_mdevs
}

# lives_on GUEST PID UUID MADE: the same QEMU still has the same vGPU.
lives_on() {
    [ "$(virsh domstate "$1" | head -n 1)" = running ]
    [ "$(qemu_pid "$1")" = "$2" ]
    [ "$(group_held_by "$3")" = "$2" ]
    [ "$(made "$3")" = "$4" ]
    assert_match "$(ledger)" " $1 .* held made "
}

# made UUID: the time when the device was made. It distinguishes a device from a later one of the
# same name.
made() { stat -c %Z "/sys/bus/mdev/devices/$1/"; }

# resets GUEST: how often GUEST was reset, according to QEMU's events.
resets() { grep -c "event 'reboot'" "events-$1" || true; }
was_reset() { [ "$(resets "$1")" -ge "$2" ]; }

first=$(new_uuid) second=$(new_uuid)
devices='<vgpu:device alias="ua-1" type="mtty-1"/><vgpu:device alias="ua-2" type="mtty-2"/>'
guest ends --metadata "$(request "$devices")" --hostdev "$first,ua-1" --hostdev "$second,ua-2" \
    --xml-filter "s,</devices>,<panic model='isa'/></devices>," \
    --xml-filter 's,<devices>,<on_crash>restart</on_crash>&,'
start ends
pid=$(qemu_pid ends) birth=$(made "$first")
virsh -q event ends --all --loop >events-ends &
listener=$!
# The listener does not say when it begins to listen. So this waits for its first event.
is_heard() { virsh -q desc ends --live "is this heard?" && grep -q "event 'metadata-change'" events-ends; }
wait_for is_heard

say "a reset by the guest, by virsh, and by a panic with on_crash restart: the vGPUs stay"
ready ends
reset ends
wait_for was_reset ends 1
lives_on ends "$pid" "$first" "$birth"
virsh -q reset ends
wait_for was_reset ends 2
lives_on ends "$pid" "$first" "$birth"
ready ends
panic ends
wait_for was_reset ends 3
wait_for is_running ends
lives_on ends "$pid" "$first" "$birth"
kill "$listener"

say "a panic with on_crash destroy"
virsh -q set-lifecycle-action ends crash destroy --live
ready ends
panic ends
gone ends 'crashed'

count=2
! is_long || count=10
say "$count guests power off at once"
for ((i = 0; i < count; i++)); do
    guest "g$i" --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "$(new_uuid)"
    start "g$i" &
done
wait
[ "$(ledger | grep -c ' held made ')" = $count ]
for ((i = 0; i < count; i++)); do ready "g$i"; done
for ((i = 0; i < count; i++)); do power_off "g$i" & done
wait
all_off() { [ -z "$(virsh -q list --name | sed '/^$/d')" ] && [ -z "$(ledger)" ]; }
wait_for all_off
assert_match "$(virsh domstate --reason g0)" 'shutdown'
assert_no_mdevs
