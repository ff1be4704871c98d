# SPDX-License-Identifier: LGPL-2.1-or-later
# Our units: the directories made at boot, the timer that starts the service, and what that mends.
# shellcheck shell=bash

service=libvirt-vgpu-reconcile.service
timer=libvirt-vgpu-reconcile.timer
device=$(new_uuid)

systemd-analyze verify --man=no $service $timer 2>said
cat said
[ ! -s said ]

# Made by the first boot's systemd-tmpfiles; the runner has taken away one of them since.
systemd-tmpfiles --create libvirt-vgpu.conf
for directory in /run/libvirt-vgpu /var/lib/libvirt-vgpu; do
    [ "$(stat -c '%U %G %a' $directory)" = "root root 755" ]
done

# abandon: a lease and a device whose daemon is gone before QEMU came.
abandon() {
    guest_xml web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device" >web01.xml
    # The shell stands for the daemon; it waits, so as not to be replaced by the hook.
    bash -c 'libvirt-vgpu-hook web01 prepare begin - <web01.xml; true'
    [ "$(mdevs)" = "$device" ]
    assert_match "$(ledger)" " web01 .* held made "
}

abandon
systemctl start $service
assert_no_mdevs
assert_empty_ledger
# The directory with the ledger outlives the service.
[ -e "$LEDGER" ]

# It takes nothing from a guest that runs, whose QEMU is another user's.
guest web02 --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "$(new_uuid)"
start web02
ledger >before
systemctl start $service
diff before <(ledger)
destroy web02

# The timer, with the times of a test. The host has been up for longer than a second.
abandon
mkdir -p /run/systemd/system/$timer.d
printf '[Timer]\nOnBootSec=\nOnUnitInactiveSec=\nOnBootSec=1s\nOnUnitInactiveSec=5s\nAccuracySec=1s\n' \
    >/run/systemd/system/$timer.d/quick.conf
systemctl daemon-reload
systemctl start $timer
is_mended() { [ -z "$(mdevs)$(ledger)" ]; }
wait_for 30 is_mended
abandon
wait_for 30 is_mended
systemctl stop $timer
rm -r /run/systemd/system/$timer.d
systemctl daemon-reload
systemctl start $timer
systemctl list-timers $timer
assert_match "$(systemctl list-timers --no-legend $timer)" "$service"
systemctl stop $timer
