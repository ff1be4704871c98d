# SPDX-License-Identifier: LGPL-2.1-or-later
# AppArmor: libvirtd, guests, the hook and the call-out are confined; doctor finds a hook that may not run.
# shellcheck shell=bash
# needs: libvirtd

other=/usr/local/sbin/libvirt-vgpu-hook
link=/etc/libvirt/hooks/qemu.d/50-vgpu
profile=/etc/apparmor.d/usr.sbin.libvirtd
local=/etc/apparmor.d/local/usr.sbin.libvirtd

# is_confined PROCESS PROFILE
is_confined() { [[ $(label_of "$1") =~ ^$2\ \(enforce\)$ ]]; }

# shows_profile PROFILE COMMAND...: COMMAND has this profile. It is asked while COMMAND waits for its
# standard input, which stays empty.
shows_profile() {
    "${@:2}" < <(sleep 10) &
    while kill -0 $!; do
        if is_confined $! "$1"; then return; fi
    done
    false
}

is_confined "$(libvirtd_pid)" libvirtd
wait_for shows_profile libvirt-vgpu libvirt-vgpu-hook web prepare begin -
wait_for shows_profile libvirt-vgpu-callout /usr/libexec/libvirt-vgpu-callout \
    -t mtty-1 -e pre -a start -s none -u "$(new_uuid)" -p mtty

device=$(new_uuid)
guest web --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
start web
is_confined "$(qemu_pid web)" 'libvirt-[0-9a-f-]{36}'
[ "$(group_held_by "$device")" = "$(qemu_pid web)" ]
destroy web
assert_no_mdevs
assert_empty_ledger

# apparmor_found: does doctor find that libvirtd may not run the hook? The remedy is in the file "said".
apparmor_found() {
    vgpuctl doctor >said || true
    grep -qx 'error: apparmor' said
}

# The hook is at a place that libvirtd may not run. The remedy is carried out word by word.
if apparmor_found; then fail "it may run $(readlink $link)"; fi
at_end rm -f $other
cp "$(command -v libvirt-vgpu-hook)" $other
ln -sf $other $link
must_fail start web
apparmor_found
cat said
grep -qF "AppArmor does not let libvirt run $other" said
at_end apparmor_parser -r $profile
at_end cp -p "$PWD/local" $local
cp -p $local local
sed -n "s,.*write \"\(.*\)\" to $local.*,\1,p" said >>$local
eval "$(sed -n 's/.*, then: \(apparmor_parser .*\)/\1/p' said)"
if apparmor_found; then fail "the remedy is none"; fi
start web
[ "$(group_held_by "$device")" = "$(qemu_pid web)" ]
destroy web
