# SPDX-License-Identifier: LGPL-2.1-or-later
# A new card of each kind becomes a guest's vGPU, also after a boot, by the commands of doctor and nothing else.
# shellcheck shell=bash
# needs: libvirt 9.7
#
# LONG=1 has two boards more: one without functions, and one whose functions have mediated devices.
#
# The boot is the module's: it is loaded anew, so all functions are gone, and systemd starts the unit that a boot starts.

at_end rm -rf /usr/lib/nvidia /usr/bin/nvidia-smi /run/nvidia-tools
at_end rm -f /usr/sbin/mdevctl /etc/libvirt-vgpu/conf.d/50-*.conf
at_end systemctl -q disable --now libvirt-vgpu-setup.service libvirt-vgpu-reconcile.timer
install -D /vgpu/tests/vm/tools/sriov-manage /usr/lib/nvidia/sriov-manage
install /vgpu/tests/vm/tools/nvidia-smi /usr/bin/nvidia-smi

# new_card BOARD: the host's only card, as its driver finds it.
new_card() {
    no_cards
    modprobe vgpu-cards "cards=$1"
    find_cards
    # AMD's driver makes the functions itself when it is loaded.
    [ "$1" != MI300X ] || enable_vfs "${CARDS[0]}" 4
}

# follow: does all that doctor says, until doctor names no command any more. Ten times are more than any card needs.
follow() {
    local i
    for ((i = 0; i < 10; i++)); do
        vgpuctl doctor >said || true
        cat said
        # The cards of this host are for tests, so they stay.
        sed -n 's/^      //p' said | grep -v '^modprobe -r vgpu_cards$' >commands || true
        [ -s commands ] || return 0
        bash -ex commands </dev/null
    done
    fail "doctor has still something to say"
}

# day BOARD: from the card to a guest with a vGPU.
day() {
    local type
    part "$1"
    new_card "$1"
    follow
    grep -x 'no fault found' said
    look_anew
    wait_for knows_cards
    type=$(vgpuctl types --available -rn -o type | head -n 1)
    guest web01
    vgpuctl attach web01 --type "$type" --start
    is_running web01
    [ -n "$(vgpus)" ]
    destroy web01
    assert_no_vgpus

    say "part: $1, after a boot"
    new_card "$1"
    systemctl restart libvirt-vgpu-setup.service
    look_anew
    wait_for knows_cards
    start web01
    is_running web01
    destroy web01
    assert_no_vgpus
    virsh -q undefine web01
    rm -f /etc/libvirt-vgpu/conf.d/50-*.conf
}

boards=(L40S:vf B60 MI300X)
if is_long; then boards+=(T4 A40:mdev); fi
for board in "${boards[@]}"; do day "$board"; done
no_cards
