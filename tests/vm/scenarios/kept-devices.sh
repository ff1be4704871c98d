# SPDX-License-Identifier: LGPL-2.1-or-later
# release = "keep": a vGPU waits for its guest, and is removed when another guest needs its place.
# shellcheck shell=bash

vgpu_conf <<<'release = "keep";'
# ask NAME TYPE UUID: sets arguments to the options of a guest. A NAME has the same UUID each time.
ask() {
    uuids[$1]=${uuids[$1]-$(new_uuid)}
    arguments=("$1" --uuid "${uuids[$1]}" --hostdev "$3"
        --metadata "$(request "<vgpu:device type=\"$2\"/>")")
}
declare -A uuids=()
large() { ask "large$1" mbochs-large "dddddddd-0000-4000-8000-00000000000$1"; }

large 1
guest "${arguments[@]}"
start large1
destroy large1
assert_match "$(ledger)" ' large1 .* kept made '
made=$(stat -c %Z /sys/bus/mdev/devices/dddddddd-0000-4000-8000-000000000001)
claim "${arguments[@]}"
[ "$(stat -c %Z /sys/bus/mdev/devices/dddddddd-0000-4000-8000-000000000001)" = "$made" ]
give_back large1
for i in 2 3 4; do
    large "$i"
    claim "${arguments[@]}"
    give_back "large$i"
done
[ "$(ledger | grep -c ' kept made ')" = 4 ]

# Kept devices of another type have all of mbochs' memory. Only one of them is removed.
small=$(new_uuid)
ask small mbochs-small "$small"
claim "${arguments[@]}"
[ "$(mdev_type "$small")" = mbochs-small ]
[ "$(ledger | grep -c ' kept made ')" = 3 ]

# A kept device that another guest names moves to this guest.
vgpu_conf <<<'release = "reap";'
ask heir mbochs-large dddddddd-0000-4000-8000-000000000004
claim "${arguments[@]}"
assert_match "$(ledger)" ' heir .* held made '
give_back heir
# This guest was started while keeping was in force.
give_back small
[ "$(ledger | grep -c ' kept made ')" = 3 ]

# The configuration says "reap" again: the next end of each guest removes its device.
for i in 2 3; do
    large "$i"
    claim "${arguments[@]}"
    give_back "large$i"
done
ask small mbochs-small "$small"
claim "${arguments[@]}"
give_back small
assert_no_mdevs
assert_empty_ledger

# A guest that asks for nothing any more starts with the vGPU that its XML names. Nobody else may have it then.
asking='default_class = "big"; classes = { big = { types = [ "mbochs-large" ]; }; };'
vgpu_conf <<<"release = \"keep\"; $asking"
guest plain --hostdev dddddddd-0000-4000-8000-000000000005
start plain
destroy plain
assert_match "$(ledger)" ' plain .* kept made '
vgpu_conf <<<''
start plain
assert_match "$(ledger)" ' plain .* held made '
vgpuctl reconcile
is_running plain
destroy plain
virsh -q undefine plain
vgpuctl reap
assert_no_mdevs
assert_empty_ledger

part drained-meanwhile
# A start waits for the removal of a kept vGPU. Its GPU is drained meanwhile, and the guest gets nothing there.
cards mdev
vgpu_conf <<<'release = "keep";'
kept=$(new_uuid) wanted=$(new_uuid)
guest owner --metadata "$(request "<vgpu:device type='T4-16Q' parent='${T4[0]}'/>")" --hostdev "$kept"
guest next --metadata "$(request "<vgpu:device type='T4-1B' parent='${T4[0]}'/>")" --hostdev "$wanted"
fault exiting_ms 300000
start owner
destroy owner
assert_match "$(ledger)" ' owner .* kept made '
virsh -q start next 2>said &
starting=$!
wait_for grep -q " owner .* removing made " "$LEDGER"
vgpuctl drain "${T4[0]}" >drained
fault exiting_ms 0
if wait $starting; then fail "the guest has started on a drained GPU"; fi
cat said drained
grep "vgpu: next: .*${T4[0]} is drained" said
! mdev_exists "$wanted"
vgpuctl undrain "${T4[0]}"
assert_no_mdevs
assert_empty_ledger
