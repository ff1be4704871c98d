# SPDX-License-Identifier: LGPL-2.1-or-later
# SELinux: libvirtd, guests, the hook and the call-out have their domains; doctor finds wrong types.
# shellcheck shell=bash

hook=/usr/sbin/libvirt-vgpu-hook

# domain_of PROCESS
domain_of() { label_of "$1" | cut -d: -f3; }

# entered DOMAIN: libvirt's daemon has run a program in this domain. host.cil makes the kernel log this.
entered() { dmesg | grep -E "avc: +granted +\{ transition \}.*:virtd_t:.*:$1:"; }

[ "$(getenforce)" = Enforcing ]
[ "$(domain_of "$(libvirtd_pid)")" = virtd_t ]
[ "$(selinux_type $hook)" = libvirt_vgpu_exec_t ]

say "the hook"
device=$(new_uuid)
guest web --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
start web
entered libvirt_vgpu_t
[ "$(domain_of "$(qemu_pid web)")" = svirt_t ]
[ "$(group_held_by "$device")" = "$(qemu_pid web)" ]
[ "$(selinux_type /run/libvirt-vgpu)" = libvirt_vgpu_runtime_t ]
[ "$(selinux_type "$LEDGER")" = libvirt_vgpu_runtime_t ]
destroy web
assert_no_mdevs
assert_empty_ledger

say "the call-out"
parent=$(virsh -q nodedev-list --cap mdev_types | grep mtty)
vgpuctl drain mtty
[ "$(selinux_type /var/lib/libvirt-vgpu/drained)" = libvirt_vgpu_var_lib_t ]
cat >free.xml <<-END
	<device>
	  <parent>$parent</parent>
	  <capability type='mdev'><type id='mtty-2'/><uuid>$(new_uuid)</uuid></capability>
	</device>
END
must_fail virsh -q nodedev-create free.xml
assert_match "$ERR" "the GPU mtty is drained; 'vgpuctl undrain mtty' ends that"
entered libvirt_vgpu_callout_t
vgpuctl undrain mtty

# This denial is intended. So it is removed from the kernel's log.
say "a file that the hook may not read"
vgpu_conf <<<'placement = "pack";'
[ "$(selinux_type "$CONF")" = libvirt_vgpu_etc_t ]
chcon -t shadow_t "$CONF"
must_fail start web
assert_match "$ERR" "$CONF: Permission denied"
assert_match "$(dmesg)" 'avc: +denied +\{ read \}.*:libvirt_vgpu_t:.*:shadow_t:.*permissive=0'
dmesg --clear
no_vgpu_conf

# wrong_type FILE: doctor finds the wrong type of FILE, and the remedy that it names works.
wrong_type() {
    at_end restorecon -R "$1"
    chcon -t var_t "$1"
    vgpuctl doctor >said || true
    cat said
    grep -qx "error: selinux-label" said
    grep -qF "$1 has the SELinux type var_t, not libvirt_vgpu_" said
    eval "$(grep -o 'restorecon -.*' said)"
    vgpuctl doctor >said || true
    if grep selinux said; then fail "the remedy is none"; fi
}

say "doctor finds wrong types"
wrong_type $hook
wrong_type /run/libvirt-vgpu
wrong_type /etc/libvirt-vgpu
start web
[ "$(group_held_by "$device")" = "$(qemu_pid web)" ]
destroy web
