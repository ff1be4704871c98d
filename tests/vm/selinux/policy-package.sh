# SPDX-License-Identifier: LGPL-2.1-or-later
# SELinux: the package of our policy module adds the module to the host's policy, and removes it again.
# shellcheck shell=bash

hook=/usr/sbin/libvirt-vgpu-hook
host=/vgpu/tests/vm/selinux/host.cil

has_module() { semodule -l | grep -qx libvirt_vgpu; }

# The host boots with the module in its policy, but without the package. The whole policy is saved, and
# put back at the end.
at_end restorecon -RFi /usr/sbin /usr/libexec /etc/libvirt-vgpu /run/libvirt-vgpu /var/lib/libvirt-vgpu
at_end load_policy
at_end unpack_files "$PWD/policy.tar"
at_end rm -rf /etc/selinux /var/lib/selinux
pack_files policy.tar /etc/selinux /var/lib/selinux
if has_module; then fail "it is in the host's modules already"; fi

say "in"
at_end dpkg --purge --force-depends libvirt-vgpu-selinux
dpkg -i --force-depends /vgpu/packages/selinux.deb
has_module
semodule -i "$host"
[ "$(selinux_type $hook)" = libvirt_vgpu_exec_t ]
[ "$(selinux_type /etc/libvirt-vgpu)" = libvirt_vgpu_etc_t ]
device=$(new_uuid)
guest web --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
start web
[ "$(group_held_by "$device")" = "$(qemu_pid web)" ]
if vgpuctl doctor | grep -E '^(error|warning): selinux'; then fail "doctor is not content"; fi
destroy web
assert_no_mdevs
assert_empty_ledger

say "out"
semodule -r host
dpkg -P --force-depends libvirt-vgpu-selinux
if has_module; then fail "it is still there"; fi
[ "$(selinux_type $hook)" = bin_t ]
[ "$(selinux_type /etc/libvirt-vgpu)" = etc_t ]
vgpuctl doctor >said || true
grep -x 'warning: selinux' said
