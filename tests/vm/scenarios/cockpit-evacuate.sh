# SPDX-License-Identifier: LGPL-2.1-or-later
# The page in Cockpit: somebody evacuates a GPU, and brings its guest back.
# shellcheck shell=bash
# needs: cockpit 239
# needs: libvirt 9.7
# needs: qemu 8.1
# needs: browser 9092
#
# The browser is outside, on the machine that runs the tests; tests/cockpit/in-vm-cockpit-evacuate.mjs clicks there.
# The last click drains the other GPU. So this scenario knows that the browser has seen everything.

cards mdev
vgpuctl drain "${T4[1]}"
guest web01 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='T4-2Q'/>")" \
    --hostdev "$(new_uuid),ua-gpu0" --migratable
start web01
vgpuctl undrain "${T4[1]}"
connect_browser
serve_cockpit 9092

say "somebody evacuates the GPU, and brings the guest back"
# shellcheck disable=SC2034 # wait_for's
PATIENCE=800
drained() { [ -e "/var/lib/libvirt-vgpu/drained/${T4[1]}" ]; }
wait_for drained

[ "$(vgpuctl list -rn -o GPU,DOMAIN)" = "${T4[0]} web01" ]
is_running web01
[ "$(stat -c '%U %a' "/run/libvirt-vgpu/page-evacuation-plan-${T4[0]}")" = "root 644" ]
vgpuctl undrain "${T4[1]}"
destroy web01
assert_no_mdevs
assert_empty_ledger
kill "$SERVER"
