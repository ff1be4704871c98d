# SPDX-License-Identifier: LGPL-2.1-or-later
# Many prepares and starts at once: exactly as many vGPUs are made as there are places, and nothing leaks.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
#
# tests/actions/test-crowd.c plays crowds of sixty-four on the fake kernel, in every run. Here an ordinary run has
# fewer guests than with LONG, because an emulated processor needs a second for each hook.

# All guests wait for one lock, and on an emulated processor each holds it for long.
PATIENT='lock_timeout = "300s"; prepare_timeout = "300s"; release_timeout = "300s";'

# at_once FIRST LAST COMMAND...: runs COMMAND for each guest of these numbers at once. Sets "good" to how many
# succeed. The files said$i have the messages of the others.
at_once() {
    local i pids=()
    good=0
    for ((i = $1; i <= $2; i++)); do
        "${@:3}" "g$i" 2>"said$i" &
        pids[i]=$!
    done
    for ((i = $1; i <= $2; i++)); do
        if wait "${pids[i]}"; then
            good=$((good + 1))
        else
            [ "$(grep -c "vgpu: g$i: " "said$i")" = 1 ]
        fi
    done
}

prepare() { exec libvirt-vgpu-hook "$1" prepare begin - <"$1.xml"; }

# crowd COUNT: this many guests for the functions of two cards of a shape.
crowd() {
    local i n last=$((9 + $1))
    # Half of the functions are on each card. With LONG four guests want each function.
    for n in {0..15}; do
        asking TEMPLATE "$(new_source $((n % 2)) $((n / 2)))" "$TYPE" $((n % 2))
        guest_xml "${ARGUMENTS[@]}" >"template$n"
    done
    for ((i = 10; i <= last; i++)); do
        sed -e "s/TEMPLATE/g$i/; s,<uuid>.*<,<uuid>$(new_uuid)<,; s/ uuid='[^']*'/ uuid='$(new_uuid)'/" \
            "template$((i % 16))" >"g$i.xml"
    done
    at_once 10 "$last" prepare
    [ "$good" = $((2 * MOST)) ]
    [ "$(ledger | grep -c ' held made ')" = "$good" ]
    [ "$(vgpus | wc -l)" = "$good" ]
    for i in "${GPUS[@]}"; do
        [ "$(counter "$i" created)" = "$MOST" ]
        [ "$(counter "$i" highest)" = "$MOST" ]
    done
    for ((i = 10; i <= last; i++)); do if [ ! -s "said$i" ]; then give_back "g$i"; fi; done
}

# fill FREE-OF-MTTY FREE-OF-MBOCHS: leaves this many places on the kernel's samples. mtty has 24 ports, two for each
# vGPU, and mbochs has memory for four.
fill() {
    local i
    for ((i = 12; i > $1; i--)); do make_mdev mtty mtty-2 "dddddddd-0000-4000-8000-0000000001$((10 + i))"; done
    for ((i = 4; i > $2; i--)); do make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-0000000002$((10 + i))"; done
}

empty() {
    local device
    for device in $(mdevs); do remove_mdev "$device"; done
}

part thirty-over-two
# A class takes what is free on two GPUs, in the order of its types.
vgpu_conf <<<"$PATIENT classes = { any = { types = [ \"Dual port serial\", \"mbochs-large\" ]; }; };"
serial=3 screen=2 last=19
if is_long; then serial=12 screen=4 last=39; fi
fill $serial $screen
for ((i = 10; i <= last; i++)); do
    guest_xml "g$i" --metadata "$(request '<vgpu:device class="any"/>')" --hostdev "$(new_uuid)" >"g$i.xml"
done
at_once 10 $last prepare
[ "$good" = $((serial + screen)) ]
[ "$(ledger | grep -c ' mtty-2 .* held made ')" = $serial ]
[ "$(ledger | grep -c ' mbochs-large .* held made ')" = $screen ]
[ "$(mdevs | wc -l)" = 16 ]
cat said* | grep -E 'no GPU can take .* \(any\): .*mbochs .*mtty ' >refusals
[ "$(wc -l <refusals)" = $((last - 9 - good)) ]
for ((i = 10; i <= last; i++)); do give_back "g$i" & done
wait
assert_empty_ledger
empty

part ten-for-five
# libvirt starts these, as many at once as it has workers.
vgpu_conf <<<"$PATIENT"
places=2 last=3
if is_long; then places=5 last=9; fi
fill $places 4
for ((i = 0; i <= last; i++)); do
    guest "g$i" --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$(new_uuid)"
done
at_once 0 $last start
[ "$good" = $places ]
for ((i = 0; i <= last; i++)); do
    [ ! -s "said$i" ] || grep -E "vgpu: g$i: no GPU can take .* mtty (is full|refused it)" "said$i"
done
[ "$(virsh -q list --name | sed '/^$/d' | wc -l)" = $places ]
[ "$(mdevs | wc -l)" = 12 ]
[ "$(ledger | grep -c ' held made ')" = $places ]
[ "$(ledger | wc -l)" = $places ]
for ((i = 0; i <= last; i++)); do virsh -q destroy "g$i" & done
wait
assert_empty_ledger
[ "$(mdevs | wc -l)" = $((12 - places)) ]
empty

crowds=(vf) count=20
if is_long; then crowds=(vf sriov) count=64; fi
for shape in "${crowds[@]}"; do
    use_shape "$shape"
    part "$shape: $count for the functions of two cards"
    crowd $count
done

part "two creates are under way at once: the card takes ten seconds, and no lock is held meanwhile"
fault create_ms 10000
under_way() {
    local placed held
    placed=$(counter "${GPUS[0]}" created)
    held=$(ledger | grep -c ' held ') || true
    [ $((placed - held)) = 2 ]
}
rm -f said*
for i in 10 11; do
    asking "g$i" "$(new_source 0 $((i - 10)))" "$TYPE" 0
    guest_xml "${ARGUMENTS[@]}" >"g$i.xml"
done
at_once 10 11 prepare &
crowd=$!
wait_for under_way
wait "$crowd"
[ "$(ledger | grep -c ' held made ')" = 2 ]
for i in 10 11; do give_back "g$i"; done
assert_no_vgpus
assert_empty_ledger
