# SPDX-License-Identifier: LGPL-2.1-or-later
# vgpuctl explain predicts a start, for any user, and changes nothing; check reads files.
# shellcheck shell=bash

ask() { # NAME UUID
    guest "$1" --metadata "$(request '<vgpu:device alias="ua-gpu0" type="mbochs-large"/>')" \
        --hostdev "$2,ua-gpu0"
}
# snapshot: all that an explanation could change: devices, and our files with their times.
snapshot() {
    mdevs
    [ ! -e /run/libvirt-vgpu ] || ls -l --time-style=full-iso /run/libvirt-vgpu
    ledger
}
# explained STATUS ARGUMENT...: runs explain. Its output is in ./said, its complaints are in
# ./faults.
explained() {
    local wanted=$1 status=0 before
    shift
    before=$(snapshot)
    vgpuctl explain "$@" >said 2>faults || status=$?
    [ "$status" = "$wanted" ] || fail "vgpuctl explain $*: status $status: $(cat faults)"
    [ "$(snapshot)" = "$before" ] || fail "vgpuctl explain $* has changed something"
}

# A defined guest: explain says where, and makes nothing, not even our directory.
device=$(new_uuid)
ask web01 "$device"
explained 0 web01
[ ! -e /run/libvirt-vgpu ]
grep -q 'web01 asks for 1 vGPU, and can have all it asks for' said
grep -q 'ua-gpu0: type mbochs-large (said by its <vgpu:device>)' said
grep -qE '^ +mbochs +chosen ' said
grep -qE '^ +mtty +no +has no such type' said

# A running guest: explain says what it has.
start web01
explained 0 web01
grep -q "web01 runs, and has:" said
grep -q "$device (ua-gpu0): mbochs-large on mbochs, held" said
grep -qE '^ +mbochs +taken ' said
explained 0 --json "$(virsh -q domuuid web01)"
grep -q '"verdict": "taken"' said
virsh -q dumpxml web01 >web01.xml
explained 0 ./web01.xml
grep -qE '^ +mbochs +taken ' said

# A full host: explain gives the reason with which a start is refused.
for i in 1 2 3; do make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"; done
ask web02 "$(new_uuid)"
explained 3 web02
reason=$(sed 's/^vgpuctl: explain: //' faults)
assert_match "$reason" '^web02: no GPU can take ua-gpu0 \(mbochs-large\):.* mbochs is full'
must_fail start web02
[[ $ERR == *"$reason; see 'vgpuctl explain web02'"* ]] || fail "$ERR is not: $reason"

# Anybody may ask, and reads what root reads.
for question in 'explain web01' 'explain web02' 'explain web01 --json' gpus types list 'list --json' status \
    guests 'orphans -o DEVICE,TYPE,GPU,ORIGIN' 'check --all' metrics; do
    # shellcheck disable=SC2086 # words
    vgpuctl $question >said 2>faults && status=0 || status=$?
    # shellcheck disable=SC2086
    runuser -u nobody -- vgpuctl $question >said.nobody 2>faults.nobody && other=0 || other=$?
    [ "$status" = "$other" ]
    cmp said said.nobody
    cmp faults faults.nobody
done
status=0
runuser -u nobody -- vgpuctl explain web02 >/dev/null 2>said || status=$?
[ "$status" = 3 ]
grep -qF "$reason" said
explained 1 web03
grep -q 'there is no domain "web03" (did you mean web0' faults

# The configuration, and a domain's XML as libvirt writes it.
[ "$(vgpuctl check 2>&1)" = '/etc/libvirt-vgpu: ok (gpus: 0, classes: 0, quotas: 0, domains: 0, warnings: 0)' ]
[ "$(vgpuctl check web01.xml 2>&1)" = 'web01.xml: ok (vGPUs asked for: 1, warnings: 0)' ]
sed 's/type="mbochs-large"/tpye="x"/; s/type='\''mbochs-large'\''/tpye="x"/' web01.xml >bad.xml
must_fail vgpuctl check - <bad.xml
assert_match "$ERR" '^-:[0-9]+: <vgpu:device> has an unknown attribute "tpye"'
vgpu_conf <<<'gpus = ( { address = "mtyt"; } ); classes = { small = { types = [ "mtty-3" ]; }; };'
vgpuctl check 2>faults
grep -q 'vgpu.conf:1: warning: no GPU mtyt on this host' faults
grep -q 'vgpu.conf:1: warning: no guest can be given the class "small" here: it wants mtty-3' faults
vgpu_conf <<<'placemnt = "pack";'
must_fail vgpuctl check
assert_match "$ERR" '^/etc/libvirt-vgpu/vgpu.conf:1: unknown key "placemnt"'

no_vgpu_conf
destroy web01
assert_empty_ledger
for i in $(mdevs); do remove_mdev "$i"; done
