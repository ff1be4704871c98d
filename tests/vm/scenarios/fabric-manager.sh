# SPDX-License-Identifier: LGPL-2.1-or-later
# NVIDIA's hook for Fabric Manager has its place beside ours, before it or behind it. A script stands in for it.
# shellcheck shell=bash
# needs: libvirt 9.7

hooks=/etc/libvirt/hooks
fabric=/run/fabric

# NVIDIA's hook reads the domain's XML, and looks which GPUs are PCI hostdevs there. At "prepare" it has Fabric
# Manager activate the partition of these GPUs, and at "release" deactivate it. It writes to syslog, and prints
# nothing. If Fabric Manager refuses, the hook fails, at "release" too. The stand-in also notes whether the guest's
# function has a type at that moment.
cat >stand-in <<-'END'
	#!/bin/sh
	case $2 in prepare | release) ;; *) exit 0 ;; esac
	xml=$(cat)
	devices=$(echo "$xml" | grep -c "<hostdev [^>]*type='pci'")
	[ "$devices" -gt 0 ] || exit 0
	echo "$2 $(cat /run/fabric/type)" >>/run/fabric/calls
	logger -t fabric "$1 $2: $devices" || true
	[ ! -e "/run/fabric/fails-$2" ] || exit 7
	case $2 in
	prepare) echo "$devices" >"/run/fabric/active-$1" ;;
	release) rm -f "/run/fabric/active-$1" ;;
	esac
END
chmod 755 stand-in
at_end rm -rf "$fabric"
mkdir "$fabric"

# leaves_nothing: neither hook has left anything of a guest.
leaves_nothing() {
    must_fail compgen -G "$fabric/active-*"
    assert_no_vgpus
    assert_empty_ledger
}

# calls WORD...: the calls of the stand-in since the last time.
calls() {
    [ "$(xargs <"$fabric/calls")" = "$*" ] || fail "calls: $(xargs <"$fabric/calls")"
    rm "$fabric/calls"
}

# beside PLACE BEFORE AFTER: plays all with the stand-in there. The function has the type BEFORE when it prepares,
# and AFTER when it releases.
beside() {
    say "the stand-in is $1: a guest starts, and the stand-in fails at its end; our vGPU goes all the same"
    cp stand-in "$1"
    start web01
    [ "$(cat "$fabric/active-web01")" = 1 ]
    [ "$(group_held_by "$vf")" = "$(qemu_pid web01)" ]
    touch "$fabric/fails-release"
    destroy web01
    rm "$fabric/fails-release" "$fabric/active-web01"
    calls prepare "$2" release "$3"
    leaves_nothing

    say "it refuses a start: the guest does not start, and our vGPU goes"
    touch "$fabric/fails-prepare"
    must_fail start web01
    assert_match "$ERR" "$1 web01 prepare begin -\) unexpected exit status 7"
    calls prepare "$2" release "$3"
    rm "$fabric/fails-prepare"
    leaves_nothing

    say "we refuse a start: its partition goes"
    vgpu_conf <<<"gpus = ( { address = \"${CARDS[0]}\"; enabled = false; } );"
    must_fail start web01
    assert_match "$ERR" 'vgpu: web01: .*is disabled by'
    no_vgpu_conf
    calls prepare 0 release 0
    leaves_nothing
    rm "$1"
}

cards vf vfs=2
read -r vf _ <<<"$(vfs_of "${CARDS[0]}" | xargs)"
ln -s "/sys/bus/pci/devices/$vf/nvidia/current_vgpu_type" "$fabric/type"
guest web01 --metadata "$(request '<vgpu:device alias="ua-gpu0" type="L40S-12Q"/>')" --pci "$vf,ua-gpu0"

# NVIDIA's page installs the hook under this name. libvirt runs it before all of qemu.d.
beside "$hooks/qemu" 0 1153
beside "$hooks/qemu.d/90-fabric-manager" 1153 0
