# SPDX-License-Identifier: LGPL-2.1-or-later
# Traits, quotas, reserve, frame buffers, NUMA, allow and domains decide which guest gets which vGPU.
# shellcheck shell=bash

vgpu_conf <<-'END'
	gpus = ( { address = "mtty"; traits = [ "SERIAL" ]; reserve = 22; },
	         { address = "mbochs"; traits = [ "SCREEN" ]; types = [ "mbochs-small" ]; } );
	classes = { any = { types = [ "mtty-1", "mbochs-medium", "mbochs-small" ]; };
	            screen = { types = [ "mtty-1", "mbochs-small" ]; traits = [ "SCREEN" ]; }; };
	quotas = ( { domains = [ "ci-*" ]; class = "any"; max = 2; } );
	domains = ( { name = "listed*"; devices = ( { alias = "ua-card"; class = "screen"; } ); } );
	allow = [ "class", "type", "traits", "numa" ];
END

# given NAME TYPE DEVICE-ATTRIBUTES: the guest may start, gets that type, and keeps it.
given() {
    local device
    device=$(new_uuid)
    claim "$1" --metadata "$(request "<vgpu:device $3/>")" --hostdev "$device"
    [ "$(mdev_type "$device")" = "$2" ]
}

# refused NAME REGEX DEVICE-ATTRIBUTES
refused() {
    must_fail claim "$1" --metadata "$(request "<vgpu:device $3/>")" --hostdev "$(new_uuid)"
    assert_match "$ERR" "vgpu: $1: .*$2"
}

given web1 mtty-1 'class="any"'
given web2 mbochs-small 'class="any" traits="SCREEN"'
given web3 mbochs-small 'class="screen"'
refused web4 'mtty lacks a trait asked for' 'type="mtty-1" traits="SCREEN"'
refused web4 'mtty has a trait that is forbidden' 'type="mtty-1" traits="!SERIAL"'
refused web4 'mbochs may not have that type' 'type="mbochs-medium"'
refused web4 'vgpu.conf \(allow\) does not let a request say placement' \
    'type="mtty-1" placement="spread"'
refused web4 'the guest is bound to none' 'type="mtty-1" numa="require"'

given ci-1 mtty-1 'type="mtty-1"'
refused web4 'mtty has only reserved places left' 'type="mtty-1"'
given ci-2 mbochs-small 'class="any"'
refused ci-3 'the quota of 2 for class any is used up \(2; /etc/libvirt-vgpu/vgpu.conf:5\)' \
    'type="mbochs-small"'
given web5 mbochs-small 'type="mbochs-small"'

# One guest goes through libvirt. The hook gets the same input from libvirt.
listed=$(new_uuid)
guest listed1 --hostdev "$listed,ua-card"
start listed1
[ "$(mdev_type "$listed")" = mbochs-small ]

# If nobody can meet a request, the message says what there is instead.
refused web6 'asks for the class "smal", and vgpu.conf has none of that name; there are: any, screen' \
    'class="smal"'
destroy listed1
for domain in web1 web2 web3 web5 ci-1 ci-2; do give_back "$domain"; done
assert_no_mdevs
assert_empty_ledger
