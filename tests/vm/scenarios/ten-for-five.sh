# SPDX-License-Identifier: LGPL-2.1-or-later
# Ten guests start at once, with five places left: five run, five are refused, and nothing leaks.
# shellcheck shell=bash
# takes: 30

# All ten wait for one lock, and for each other's QEMU.
vgpu_conf <<<'lock_timeout = "300s"; prepare_timeout = "300s"; release_timeout = "300s";'
# Leave ten of mtty's 24 ports: five vGPUs with two ports each.
for i in 1 2 3 4 5 6 7; do
    make_mdev mtty mtty-2 "dddddddd-0000-4000-8000-00000000000$i"
done
for i in {0..9}; do
    guest "g$i" --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$(new_uuid)"
done

pids=()
for i in {0..9}; do
    virsh -q start "g$i" 2>"said$i" &
    pids+=($!)
done
good=0
for i in {0..9}; do
    if wait "${pids[i]}"; then
        good=$((good + 1))
    else
        assert_match "$(cat "said$i")" "vgpu: g$i: no GPU can take .* mtty (is full|refused it)"
    fi
done
[ "$good" = 5 ]
[ "$(virsh -q list --name | sed '/^$/d' | wc -l)" = 5 ]
[ "$(mdevs | wc -l)" = 12 ]
[ "$(ledger | grep -c ' held made ')" = 5 ]
[ "$(ledger | wc -l)" = 5 ]

for i in {0..9}; do
    virsh -q destroy "g$i" &
done
wait
assert_empty_ledger
[ "$(mdevs | wc -l)" = 7 ]
for device in $(mdevs); do remove_mdev "$device"; done
