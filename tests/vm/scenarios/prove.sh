# SPDX-License-Identifier: LGPL-2.1-or-later
# 'vgpuctl prove' predicts each kind of card, reports a card that differs, and a kill leaves nothing.
# shellcheck shell=bash
# needs: libvirt 9.7
#
# LONG=1 also proves mtty, mixed sizes, and mediated devices on functions, and a T4 that differs.

# proved CARD...: the card behaves as predicted, and nothing is left.
proved() {
    local card
    for card; do
        vgpuctl prove "$card" >said
        tail -n 1 said
        assert_match "$(tail -n 1 said)" "the GPU behaves as predicted"
    done
    nothing_left
}

nothing_left() {
    assert_no_vgpus
    assert_empty_ledger
    [ -z "$(ls /run/libvirt-vgpu/proving 2>/dev/null)" ]
}

say "the kernel's mdpy, mediated devices, NVIDIA's functions, and Intel's"
cards mdev vf xe vfs=2
vgpu_conf <<-END
	profiles = { b50-4g = { vram = "4G"; }; b50-8g = { vram = "8G"; exec_quantum = "20ms"; }; };
	gpus = ( { address = "${CARDS[1]}"; vram = "15G"; } );
END
proved mdpy "${T4[0]}" "${CARDS[@]}"

if is_long; then
    proved mtty
    say "mixed sizes"
    fault rule mixed
    proved "${T4[0]}"
    fault rule same-size
fi

# differs CARD WORDS: the card does not behave as predicted, and the capture has all steps.
differs() {
    rm -f proof.tar.gz
    if vgpuctl prove "$1" --capture proof.tar.gz >said; then fail "it should have found something"; fi
    assert_match "$(<said)" "$2"
    tar -xzOf proof.tar.gz manifest >steps
    grep "^# step 1: make .* on .*: done after" steps
    nothing_left
}

say "a card has less memory than vgpu.conf says"
sed -i 's/b50-4g = { vram = "4G"; }; b50-8g = .*"8G"/large = { vram = "7400M"/' "$CONF"
differs "${CARDS[1]}" "room for 1 more large was predicted on .*; the driver (offers 0|refuses it)"

if is_long; then
    say "one type at a time, which prove does not predict"
    fault rule same-type
    differs "${T4[0]}" "room for [0-9]+ more GRID T4-.* was predicted on ${T4[0]}; the driver offers 0"
    fault rule same-size
fi

say "a guest starts meanwhile, and prove is killed"
guest one
vgpuctl attach one --type T4-16Q --config
vgpuctl drain "${T4[1]}"
vgpuctl prove "${T4[0]}" --all >said 2>&1 &
prover=$!
wait_for test -L "/run/libvirt-vgpu/proving/${T4[0]}"
must_fail start one
assert_match "$ERR" "${T4[0]} is being proved or set up by vgpuctl just now"
must_fail vgpuctl prove "${T4[0]}"
assert_match "$ERR" "${T4[0]} is being proved or set up by another"
kill -KILL "$prover"
wait "$prover" || true
start one
must_fail vgpuctl prove "${T4[0]}"
destroy one
vgpuctl undrain "${T4[1]}"
vgpuctl reconcile
nothing_left

if is_long; then
    say "mediated devices on functions"
    no_cards
    no_vgpu_conf
    cards sriov vfs=2
    proved "${CARDS[0]}"
fi
