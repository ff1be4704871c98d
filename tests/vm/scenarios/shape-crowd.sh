# SPDX-License-Identifier: LGPL-2.1-or-later
# Sixty-four prepares at once on two cards: exactly as many vGPUs are made as the driver's rule allows.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# takes: 20

# All sixty-four guests wait for one lock, and on an emulated processor each holds it for long.
vgpu_conf <<<'lock_timeout = "300s"; prepare_timeout = "300s"; release_timeout = "300s";'

crowd() {
    local i n pids=() good=0
    # Four guests for each virtual function, half of the functions on each card.
    for n in {0..15}; do
        asking TEMPLATE "$(new_source $((n % 2)) $((n / 2)))" "$TYPE" $((n % 2))
        guest_xml "${ARGUMENTS[@]}" >"template$n"
    done
    for i in {10..73}; do
        sed -e "s/TEMPLATE/g$i/; s,<uuid>.*<,<uuid>$(new_uuid)<,; s/ uuid='[^']*'/ uuid='$(new_uuid)'/" \
            "template$((i % 16))" >"g$i.xml"
    done
    for i in {10..73}; do
        libvirt-vgpu-hook "g$i" prepare begin - <"g$i.xml" 2>"said$i" &
        pids+=($!)
    done
    for i in {10..73}; do
        if wait "${pids[i - 10]}"; then
            good=$((good + 1))
        else
            [ "$(grep -c "^vgpu: g$i: " "said$i")" = 1 ]
        fi
    done
    [ "$good" = $((2 * MOST)) ]
    [ "$(ledger | grep -c ' held made ')" = "$good" ]
    [ "$(vgpus | wc -l)" = "$good" ]
    for i in "${GPUS[@]}"; do
        [ "$(counter "$i" created)" = "$MOST" ]
        [ "$(counter "$i" highest)" = "$MOST" ]
    done
    for i in {10..73}; do give_back "g$i"; done
    assert_no_vgpus
    assert_empty_ledger
}

# tests/actions/test-crowd.c plays the same with mediated devices on functions, in every run.
crowds=(vf)
! is_long || crowds+=(sriov)
for shape in "${crowds[@]}"; do
    use_shape "$shape"
    crowd
done
