# SPDX-License-Identifier: LGPL-2.1-or-later
# A start is refused: the message names the domain, the device, the type and the GPUs.
# shellcheck shell=bash

# refused TYPE REGEX: a guest that asks for TYPE does not start. One line of ours says why.
refused() {
    guest web01 --metadata "$(request "<vgpu:device alias=\"ua-gpu0\" type=\"$1\"/>")" \
        --hostdev "$(new_uuid),ua-gpu0"
    must_fail start web01
    assert_match "$ERR" "vgpu: web01: $2"
    [ "$(grep -c 'vgpu:' <<<"$ERR")" = 1 ]
    virsh -q undefine web01
    assert_empty_ledger
}

refused nvidia-999 'ua-gpu0 wants nvidia-999, which no GPU here has; there are: .*mtty-1'
refused 'a/b' '<vgpu:device type="a/b">: no type has a slash'

for i in 1 2 3 4; do
    make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"
done
refused mbochs-large 'no GPU can take ua-gpu0 \(mbochs-large\):.* mbochs is full \(4 in use\)'
refused mbochs-small 'no GPU can take ua-gpu0 \(mbochs-small\):.* mbochs holds mbochs-large'
for device in $(mdevs); do remove_mdev "$device"; done

vgpu_conf <<<'gpus = ( { address = "mtty"; enabled = false; } );'
refused mtty-2 'no GPU can take ua-gpu0 \(mtty-2\):.* mtty is disabled by /etc/libvirt-vgpu/'
vgpu_conf <<<'gpus = ( { address = "mtty"; types = [ "mtty-1" ]; } );'
refused mtty-2 'no GPU can take ua-gpu0 \(mtty-2\):.* mtty may not have that type'
assert_no_mdevs
