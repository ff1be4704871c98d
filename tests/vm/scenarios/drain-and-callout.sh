# SPDX-License-Identifier: LGPL-2.1-or-later
# Nobody makes a vGPU on a drained GPU or with our UUIDs; a broken ledger is rebuilt under a guest.
# shellcheck shell=bash

device=$(new_uuid) free=$(new_uuid)
guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"

say "the GPU is drained"
vgpuctl drain mtty
logged() { grep -e "domain=$1\$" /var/log/syslog; }
wait_for logged '- event=drain result=by root: vgpuctl drain mtty'
must_fail start web01
assert_match "$ERR" 'vgpu: web01: no GPU can take .*: .*mtty is drained \(see vgpuctl undrain\)'
# A drain passes: it is "no capacity now", no fault of the definition, and keeps nobody from changing it.
status=0
vgpuctl explain web01 >/dev/null 2>&1 || status=$?
[ "$status" = 3 ]
vgpuctl check --all 2>faults
grep -q '^mtty: warning: this GPU is drained: no guest gets a vGPU there until' faults
said=$(vgpuctl doctor -rn -o WORD,SEVERITY) || true
assert_match "$said" 'drained note'
[[ $said != *definition* ]]
vgpuctl attach web01 --type mtty-2 --config
vgpuctl detach web01 ua-gpu0 --config --dry-run
vgpuctl detach web01 ua-gpu0 --config
wait_for logged 'web01 event=detach result=by root: vgpuctl detach web01 ua-gpu0 --config'
if logged '.*dry-run'; then fail "a look is logged as a change"; fi
must_fail mdevctl start --uuid "$free" --parent mtty --type mtty-2
assert_match "$ERR" "50-libvirt-vgpu: the GPU mtty is drained; 'vgpuctl undrain mtty' ends that"
# libvirt asks mdevctl, and shows our message. If we allowed the device, libvirt would wait for it for
# half a minute.
parent=$(virsh -q nodedev-list --cap mdev_types | grep mtty)
cat >free.xml <<-END
	<device>
	  <parent>$parent</parent>
	  <capability type='mdev'><type id='mtty-2'/><uuid>$free</uuid></capability>
	</device>
END
must_fail virsh -q nodedev-create free.xml
assert_match "$ERR" "the GPU mtty is drained; 'vgpuctl undrain mtty' ends that"
assert_no_mdevs
[ "$(vgpuctl gpus -r -n -o GPU,ENABLED,DRAINED | grep '^mtty ')" = 'mtty no yes' ]
# On another GPU all works as before, and mdevctl does not complain about our call-out.
mdevctl start --uuid "$free" --parent mdpy --type mdpy-hd 2>complaints
mdev_exists "$free"
mdevctl stop --uuid "$free" 2>>complaints
assert_no_mdevs
mdevctl list 2>>complaints
[ ! -s complaints ] || fail "mdevctl complains: $(cat complaints)"

say "the GPU is not drained any more"
vgpuctl undrain mtty
mdevctl define --uuid "$free" --parent mtty --type mtty-2
mdevctl modify --uuid "$free" --auto
mdevctl start --uuid "$free"
mdev_exists "$free"
mdevctl stop --uuid "$free"
mdevctl undefine --uuid "$free"
if is_long; then
    virsh -q nodedev-create free.xml
    mdev_exists "$free"
    virsh -q nodedev-destroy "mdev_${free//-/_}_mtty"
fi
start web01
[ "$(vgpuctl drain mtty -r -n)" = "$device mtty-2 web01 held" ]
is_running web01
vgpuctl undrain mtty

say "a ledger that cannot be read"
echo rubbish >"$LEDGER"
must_fail vgpuctl reconcile
assert_match "$ERR" "'vgpuctl reconcile --rebuild' makes another"
said=$(vgpuctl reconcile --rebuild)
assert_match "$said" "is now $LEDGER.broken-"
assert_match "$said" "$device web01 adopted: "
[ "$(cat "$LEDGER".broken-*)" = rubbish ]
assert_match "$(ledger)" ' web01 .* held made '
[ "$(vgpuctl reconcile --rebuild)" = 'the ledger is sound; nothing was changed' ]
is_running web01
destroy web01
assert_no_mdevs
assert_empty_ledger

say "mdevctl stops our kept vGPU, and is refused a UUID that is ours"
vgpu_conf <<<'release = "keep";'
kept=$(new_uuid)
claim db01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$kept"
give_back db01
assert_match "$(ledger)" ' db01 .* kept made '
mdevctl stop --uuid "$kept"
assert_empty_ledger
claim db01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$kept"
remove_mdev "$kept"
must_fail mdevctl start --uuid "$kept" --parent mtty --type mtty-2
assert_match "$ERR" "the UUID $kept is that of a vGPU of the guest db01 \(held\); take another"
assert_no_mdevs
give_back db01
assert_empty_ledger
