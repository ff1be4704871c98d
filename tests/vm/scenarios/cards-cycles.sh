# SPDX-License-Identifier: LGPL-2.1-or-later
# The emulated cards are loaded and unloaded a hundred times: no memory is lost, and the kernel is quiet.
# shellcheck shell=bash
# needs: distribution
# tests: cards

# cycle: the cards come and go.
cycle() {
    modprobe vgpu-cards cards=T4,L40S,B60
    rmmod vgpu_cards
}

# long_cycle: so do eight virtual functions of each card, and the drivers for guests. The kernel needs a
# second to disable the functions of a card.
long_cycle() {
    local card
    modprobe vgpu-cards cards=T4,L40S,B60,MI300X
    for card in /sys/bus/pci/devices/01*/sriov_numvfs; do echo 8 >"$card"; done
    modprobe -a vgpu-cards-vfio vgpu-cards-xe-vfio
    rmmod vgpu_cards_vfio vgpu_cards_xe_vfio vgpu_cards
}

# cycles: twenty.
cycles() {
    { local -; set +x; } 2>/dev/null
    local i
    for ((i = 0; i < 19; i++)); do cycle; done
    long_cycle
}

# count: how many objects each kind of the kernel's memory has, and how many pages are in objects that are
# too large for any kind. The kernel frees some memory after a grace period. The driver of a filesystem
# waits for that when it is unloaded. What a processor keeps for itself counts as used, so it gives that back.
count() {
    local kind
    echo 3 >/proc/sys/vm/drop_caches
    modprobe isofs
    rmmod isofs
    for kind in /sys/kernel/slab/*/shrink; do echo 1 >"$kind"; done
    cat /proc/sys/vm/stat_refresh
    awk '/^Slab:/ { pages = $2 / 4 }
        /^[^ ]+ +[0-9]+ +[0-9]+ / { print $1, $2; pages -= $6 * $(NF - 1) }
        END { print "large", pages }' /proc/meminfo /proc/slabinfo | sort
}

# settled FILE: counts, and succeeds if no kind has fewer objects than in any count before. Memory that the
# kernel is still to free would hide a loss. FILE has the least number of each kind: the number of some kinds
# goes up and down for ever.
settled() {
    local shrunk=unknown
    count >now
    if [ -e "$1" ]; then
        join "$1" now >both
        shrunk=$(awk '$3 < $2 - 10' both)
        awk '{ print $1, $2 < $3 ? $2 : $3 }' both >now
    fi
    mv now "$1"
    [ -z "$shrunk" ]
}

# grown: the kinds of memory that have grown in this round and in each round before. One object for each virtual
# function of one card is eight.
grown() { join before after | awk '$3 >= $2 + 8 { print $1 }' | join suspects -; }

# rounds: five rounds of twenty cycles. Other processes take memory too, but not in each round.
rounds() {
    local round
    cut -d ' ' -f 1 before >suspects
    for ((round = 1; round <= 5; round++)); do
        cycles
        rm -f after
        wait_for settled after
        grown >still
        mv still suspects
        echo "round $round: $(join suspects before | join - after | paste -s -d ,)"
        mv after before
    done
    [ ! -s suspects ] || fail "memory that grows each time the cards come and go: $(xargs <suspects)"
}

# libvirtd and udev would run mdevctl for each card.
stop_libvirtd
at_end start_libvirtd
udevadm control --exit
at_end /usr/lib/systemd/systemd-udevd --daemon
long_cycle
wait_for settled before
rounds
undo
undo

# refused WHY MODPROBE'S-ARGUMENT...: the module is not loaded, and the kernel's log has the reason.
refused() {
    must_fail modprobe vgpu-cards "${@:2}"
    dmesg | tail -n 5 | grep -F "vgpu_cards: $1"
    [ ! -e /sys/module/vgpu_cards ]
}

if modinfo xe >/dev/null 2>&1; then
    say "a machine that has the real driver of such cards"
    modprobe xe
    at_end modprobe -r xe
    refused 'this machine has a driver xe for real cards, and the emulated cards need this name'
    undo
fi

say "wrong words"
while IFS='|' read -r words why; do
    refused "cards=$why" "cards=$words"
done <<-END
	T5|T5: there is no such board
	T4,L40S,T5|T5: there is no such board
	T4:vf|T4:vf: this board has no vGPUs of the kind vf
	B60:mdev|B60:mdev: this board has no vGPUs of the kind mdev
	T4@7|T4@7: this machine has no NUMA node 7
END

say "stable addresses, NUMA nodes, and a board with four GPUs"
modprobe vgpu-cards cards=T4@0,A16,L40S
[ "$(cd /sys/bus/pci/devices && echo 0100:*)" = '0100:10:00.0 0100:20:00.0 0100:21:00.0 0100:22:00.0 0100:23:00.0 0100:30:00.0' ]
[ "$(cat /sys/bus/pci/devices/0100:{10,20}:00.0/numa_node | xargs)" = '0 -1' ]
[ "$(cat /sys/bus/pci/devices/0100:20:00.0/subsystem_device)" = 0x14a9 ]
