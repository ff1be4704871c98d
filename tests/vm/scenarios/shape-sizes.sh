# SPDX-License-Identifier: LGPL-2.1-or-later
# Mixed sizes, GPU instances (MIG), refusals by the driver, and a kept vGPU of the wrong size.
# shellcheck shell=bash disable=SC2153 # use_shape sets them
# takes: 15

# try NAME VF TYPE [PARAM=VALUE]: calls only the hook's prepare.
try() {
    local params=''
    [ $# -lt 4 ] || params="<vgpu:param name=\"${4%=*}\" value=\"${4#*=}\"/>"
    claim "$1" --pci "$2,ua-gpu0" \
        --metadata "$(request "<vgpu:device alias=\"ua-gpu0\" type=\"$3\">$params</vgpu:device>")"
}

say "a card has vGPUs of one size, until its driver offers other sizes"
use_shape vf vfs=2
read -ra vfs <<<"$(vfs_of "${GPUS[0]}" | xargs)"
try a "${vfs[0]}" "$TYPE"
must_fail try b "${vfs[1]}" "$OTHER"
assert_match "$ERR" "cannot be on ${vfs[1]}: its GPU ${GPUS[0]} holds $(type_id "$TYPE") \(1 in use\); ua-gpu0 could be on $(vfs_of "${GPUS[1]}" | head -n 1), "
fault rule mixed
try b "${vfs[1]}" "$OTHER" vgpu-placement-id=3
[ "$(cat "/sys/bus/pci/devices/${vfs[1]}/nvidia/vgpu_params")" = vgpu-placement-id=3 ]
vgpuctl gpus --json | tr -d ' \n' | grep -o "\"gpu\":\"${GPUS[0]}\"[^}]*" >told
grep -q '"vgpus":2' told
must_fail grep -q '"size":' told
give_back b
try c "${vfs[1]}" "$OTHER"
[ -z "$(tr -d ' \n' <"/sys/bus/pci/devices/${vfs[1]}/nvidia/vgpu_params")" ]
give_back c
give_back a
fault rule same-size

say "a kept vGPU goes when its size keeps another guest from starting"
vgpu_conf <<<'release = "keep";'
try a "${vfs[0]}" "$TYPE"
give_back a
[ "$(type_of "${vfs[0]}")" = "$(type_id "$TYPE")" ]
try b "${vfs[1]}" "$OTHER"
[ "$(typed_vfs)" = "${vfs[1]}" ]
no_vgpu_conf
give_back b
vgpuctl reap
assert_no_vgpus

say "a driver that has just started refuses twice what it offers"
fault refuse_creates 2
try a "${vfs[0]}" "$TYPE"
[ "$(counter "${GPUS[0]}" refused)" = 2 ]
fault refuse_creates 100
must_fail try b "${vfs[1]}" "$TYPE"
assert_match "$ERR" "^vgpu: b: ua-gpu0 .* cannot be on ${vfs[1]}: its GPU ${GPUS[0]} refused it \(Input/output error\)"
fault refuse_creates 0
give_back a

say "with MIG a vGPU needs a GPU instance of its own profile"
no_cards
cards vf vfs=2 boards=A30-MIG instances=1-6C:1
read -ra vfs <<<"$(vfs_of "${CARDS[0]}" | xargs)"
vgpuctl types
try a "${vfs[0]}" A30-1-6C
must_fail try b "${vfs[1]}" A30-1-6C
assert_match "$ERR" "cannot be on ${vfs[1]}: its GPU ${CARDS[0]} "
must_fail try c "${vfs[1]}" A30-4C
fault instances 1-6C:1,2-12C:1
try b "${vfs[1]}" A30-2-12C
[ "$(type_of "${vfs[1]}")" = nvidia-690 ]
give_back a
give_back b
assert_no_vgpus
assert_empty_ledger
