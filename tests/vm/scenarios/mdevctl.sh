# SPDX-License-Identifier: LGPL-2.1-or-later
# mdevctl, as it is, with the emulated cards: types, define, start, stop, list, and autostart.
# shellcheck shell=bash
# tests: cards

uuid=$(new_uuid)

# is_running: as mdevctl and the kernel see it.
is_running() {
    mdev_exists "$uuid"
    [ "$(mdevctl list | grep -c "^$uuid ${T4[0]} nvidia-231 ")" = 1 ]
}

# Debian's rule for udev runs /usr/sbin/mdevctl, but the program is in /usr/bin.
if [ ! -e /usr/sbin/mdevctl ]; then
    at_end rm -f /usr/sbin/mdevctl
    ln -s ../bin/mdevctl /usr/sbin/mdevctl
fi

cards mdev sriov vfs=2
read -r vf _ <<<"$(vfs_of "${CARDS[0]}" | xargs)"

say "types"
types=$(mdevctl types)
for parent in "${T4[@]}" "$vf"; do grep -qx "$parent" <<<"$types"; done
[ "$(mdevctl types --parent "${T4[0]}" | grep -c '^  nvidia-')" = 14 ]
said=$(mdevctl types --parent "${T4[0]}" --dumpjson | tr -d ' \n')
assert_match "$said" '"nvidia-231":\{"available_instances":8,"device_api":"vfio-pci","name":"GRIDT4-2Q","description":"num_heads=4,frl_config=60,framebuffer=2048M,'
assert_match "$(mdevctl types --parent "$vf" | grep -A 1 nvidia-558)" 'Available instances: 1'

say "define, start, list and stop"
mdevctl define --uuid "$uuid" --parent "${T4[0]}" --type nvidia-231
must_fail is_running
mdevctl start --uuid "$uuid"
is_running
assert_match "$(mdevctl types --parent "${T4[0]}" | grep -A 1 nvidia-231)" 'Available instances: 7'
must_fail mdevctl start --parent "${T4[0]}" --type nvidia-232 --uuid "$(new_uuid)"
mdevctl stop --uuid "$uuid"
must_fail is_running

say "autostart, when the card comes again as after a boot"
mdevctl modify --uuid "$uuid" --auto
rmmod vgpu_cards
modprobe vgpu-cards cards=T4,T4
wait_for is_running
# mdevctl's rule acts on two events of the card, "add" and "change". The second would start the device again.
udevadm settle
mdevctl stop --uuid "$uuid"
mdevctl undefine --uuid "$uuid"
[ -z "$(mdevctl list --defined)" ]
