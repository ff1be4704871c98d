# SPDX-License-Identifier: LGPL-2.1-or-later
# Thirty guests start at once, for sixteen places on two GPUs: exactly sixteen of them run.
# shellcheck shell=bash

vgpu_conf <<-'END'
	classes = { any = { types = [ "Dual port serial", "mbochs-large" ]; }; };
	lock_timeout = "300s";
	prepare_timeout = "300s";
	release_timeout = "300s";
END
# An ordinary run calls only the hook. Thirty hooks come closer together than thirty starts, which
# take QEMU's time. ten-for-five.sh goes through libvirt.
for i in {10..39}; do
    arguments=("g$i" --metadata "$(request '<vgpu:device class="any"/>')" --hostdev "$(new_uuid)")
    guest_xml "${arguments[@]}" >"g$i.xml"
    if is_long; then guest "${arguments[@]}"; fi
done

pids=()
for i in {10..39}; do
    if is_long; then
        virsh -q start "g$i" 2>"said$i" &
    else
        libvirt-vgpu-hook "g$i" prepare begin - <"g$i.xml" 2>"said$i" &
    fi
    pids+=($!)
done
good=0
for i in {10..39}; do
    if wait "${pids[i - 10]}"; then
        good=$((good + 1))
    else
        assert_match "$(cat "said$i")" "vgpu: g$i: no GPU can take .* \(any\): .*mbochs .*mtty "
    fi
done
[ "$good" = 16 ]
[ "$(ledger | grep -c ' mtty-2 .* held made ')" = 12 ]
[ "$(ledger | grep -c ' mbochs-large .* held made ')" = 4 ]
[ "$(mdevs | wc -l)" = 16 ]
for i in {10..39}; do
    if is_long; then
        virsh -q destroy "g$i" 2>/dev/null &
    else
        give_back "g$i" &
    fi
done
wait
