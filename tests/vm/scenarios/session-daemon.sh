# SPDX-License-Identifier: LGPL-2.1-or-later
# qemu:///session of an ordinary user: a guest with a vGPU is refused, a guest without one starts.
# shellcheck shell=bash

# Debian's library starts libvirtd. On a host with another daemon, the URI tells the library so.
uri=qemu:///session
[ "$DAEMON" = libvirtd ] || uri+='?mode=direct'

user() {
    setpriv --reuid guest --regid guest --init-groups env -i HOME=/home/guest USER=guest \
        PATH="$PATH" XDG_RUNTIME_DIR=/run/user/1000 virsh -q -c "$uri" "$@"
}
install -d -o guest -g guest -m 700 /run/user/1000
guest_xml plain >plain.xml
guest_xml vgpu --metadata "$(request '<vgpu:device type="mtty-2"/>')" \
    --hostdev "$(new_uuid)" >vgpu.xml
chmod 755 .
user create "$PWD/plain.xml"
must_fail user create "$PWD/vgpu.xml"
assert_match "$ERR" 'vgpu: vgpu: it asks for a vGPU, and only qemu:///system can give it one'
user destroy plain
assert_no_mdevs
[ ! -e /run/libvirt-vgpu ]
