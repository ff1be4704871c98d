# SPDX-License-Identifier: LGPL-2.1-or-later
# A release and a reconcile start together on one lease, many times: exactly one of them removes it.
# shellcheck shell=bash
set +x

device=$(new_uuid)
guest_xml web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device" >web01.xml
hook() { libvirt-vgpu-hook web01 "$@" <web01.xml; }

before=$(wc -l </var/log/syslog)
rounds=15
! is_long || rounds=100
for ((round = 1; round <= rounds; round++)); do
    # At the guest's end its vGPU is still open. So the lease stays, in the state leaving.
    vgpu_conf <<<'release_timeout = "1ms";'
    hook prepare begin -
    exec {stray}<>"/dev/vfio/$(group_of "$device")"
    hook release end destroyed
    assert_match "$(ledger)" ' leaving made '
    exec {stray}>&-

    no_vgpu_conf
    hook release end destroyed &
    release=$!
    vgpuctl reconcile >>reconcile.out 2>>reconcile.err &
    wait "$release" || fail "the release of round $round"
    wait $! || fail "the reconcile of round $round"
    [ -z "$(mdevs)$(ledger)" ] || fail "left after round $round"
done
set -x
logged() { tail -n +$((before + 1)) /var/log/syslog | grep "device=$device"; }
are_logged() { [ "$(logged | grep -c 'result=removed')" -ge $rounds ]; }
wait_for are_logged
logged >said
removed=$(grep -c 'result=removed' said)
echo "of $removed removals: $(grep -c 'event=release.*result=removed' said) by release," \
    "$(grep -c 'event=reconcile.*result=removed' said) by reconcile"
[ "$removed" = $rounds ]
[ ! -s reconcile.err ]
