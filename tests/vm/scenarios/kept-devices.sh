# SPDX-License-Identifier: LGPL-2.1-or-later
# release = "keep": the vGPU waits for its guest; one in another guest's way is reaped on demand.
# shellcheck shell=bash

vgpu_conf <<<'release = "keep";'
for i in 1 2 3 4; do
    guest "large$i" --metadata "$(request '<vgpu:device type="mbochs-large"/>')" \
        --hostdev "dddddddd-0000-4000-8000-00000000000$i"
done
start large1
destroy large1
assert_match "$(ledger)" ' large1 .* kept made '
made=$(stat -c %Z /sys/bus/mdev/devices/dddddddd-0000-4000-8000-000000000001)
start large1
[ "$(stat -c %Z /sys/bus/mdev/devices/dddddddd-0000-4000-8000-000000000001)" = "$made" ]
destroy large1
for i in 2 3 4; do
    start "large$i"
    destroy "large$i"
done
[ "$(ledger | grep -c ' kept made ')" = 4 ]

# All of mbochs' memory lies in kept devices of another type: one of them goes, no more.
small=$(new_uuid)
guest small --metadata "$(request '<vgpu:device type="mbochs-small"/>')" --hostdev "$small"
start small
[ "$(mdev_type "$small")" = mbochs-small ]
[ "$(ledger | grep -c ' kept made ')" = 3 ]

# One that is named by another guest moves to it.
vgpu_conf <<<'release = "reap";'
guest heir --metadata "$(request '<vgpu:device type="mbochs-large"/>')" \
    --hostdev dddddddd-0000-4000-8000-000000000004
start heir
assert_match "$(ledger)" ' heir .* held made '
destroy heir
# This one was started while keeping was in force.
destroy small
[ "$(ledger | grep -c ' kept made ')" = 3 ]

# Back to reaping: each guest's next end takes its own away.
for domain in large2 large3 small; do
    start "$domain"
    destroy "$domain"
done
assert_no_mdevs
assert_empty_ledger
