# SPDX-License-Identifier: LGPL-2.1-or-later
# The page in Cockpit: somebody clicks, and a guest starts with a vGPU, and gets another while it runs.
# shellcheck shell=bash
# needs: cockpit 239
# needs: browser 9090
#
# The browser is outside, on the machine that runs the tests; tests/cockpit/in-vm-cockpit.mjs clicks there.
# The last click drains the GPU. So this scenario knows that the browser has seen everything.

cards mdev
guest web01 --xml-filter "s,</devices>,$(ports 3)&,"
connect_browser
serve_cockpit 9090

say "somebody attaches a vGPU, starts the guest, and attaches another"
# shellcheck disable=SC2034 # wait_for's
PATIENCE=800
drained() { compgen -G '/var/lib/libvirt-vgpu/drained/*'; }
wait_for drained

is_running web01
mapfile -t devices < <(device_of web01)
[ "${#devices[@]}" = 2 ]
for device in "${devices[@]}"; do [ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]; done
vgpuctl undrain "${T4[0]}"
destroy web01
assert_no_mdevs
assert_empty_ledger
kill "$SERVER"
