# SPDX-License-Identifier: LGPL-2.1-or-later
# What README's first screen says, typed as it stands there: from nothing to a guest with a vGPU.
# shellcheck shell=bash

# The lines that are indented, up to the next heading.
sed -n '/^## Three commands$/,/^## /s/^    //p' /usr/share/doc/libvirt-vgpu/README.md >commands
[ "$(wc -l <commands)" = 3 ]

# Two T4. libvirt starts anew, and knows them.
modprobe nvidia-shaped mdev=1
forget_program
guest web01
cp /vgpu/packages/1.deb libvirt-vgpu_1_amd64.deb
while read -ru 3 command; do
    say "$command"
    bash -ec "$command" </dev/null
done 3<commands

is_running web01
device=$(device_of web01)
[ "$(mdev_type "$device")" = nvidia-222 ]
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]
vgpuctl list --raw --noheadings --columns DEVICE,STATE,DOMAIN | grep -x "$device held web01"
destroy web01
assert_gone "$device"
