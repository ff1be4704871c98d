# SPDX-License-Identifier: LGPL-2.1-or-later
# Our package for Debian is installed, upgraded, removed and purged while guests run and start.
# shellcheck shell=bash
# needs: distribution

first=/vgpu/packages/1.deb
newer=/vgpu/packages/2.deb
program=/usr/sbin/libvirt-vgpu-hook
link=/etc/libvirt/hooks/qemu.d/50-vgpu
mdevctl_links=(/etc/mdevctl.d/scripts.d/{callouts,notifiers}/50-libvirt-vgpu)
timer=libvirt-vgpu-reconcile.timer
sriov=/etc/systemd/system/multi-user.target.wants/libvirt-vgpu-sriov@0000:3d:00.0.service
device=([1]=$(new_uuid) [2]=$(new_uuid) [3]=$(new_uuid))
# QEMU before 8.1 saves no guest with a vGPU.
saves=()
if at_least "$(dpkg-query -W -f '${Version}' qemu-system-common)" 8.1; then saves=(--migratable); fi

# run_dpkg WORD...: runs the command. Its output is dpkg's usual output, and lines of ours, which begin
# with our name.
run_dpkg() {
    local usual='(Selecting|Preparing|Unpacking|Setting up|Removing|Purging|Processing triggers for) |\(Reading database '
    usual+='|Not building database; man-db|(Created symlink|Removed) .*/libvirt-vgpu-(setup\.service|reconcile\.timer)'
    "$@" >said 2>&1 </dev/null || fail "$*: $(<said)"
    cat said
    if grep -vE "^($usual|libvirt-vgpu: )" said; then fail "dpkg has something to say"; fi
}

# process_stopped N: the process of strace's Nth stop.
process_stopped() { awk -v n="$1" '/--- stopped by SIGSTOP ---/ && ++stop == n { print $1 }' trace | grep .; }

has_stopped_or_ended() { process_stopped "$1" || ! kill -0 "$2"; }

# halted WORD... -- ARGUMENT...: runs dpkg, and stops it after each call that replaces or removes the
# hook's program. At the first stop the first WORD is run, at the second stop the second, and so on.
halted() {
    local words=() paths stop strace pid
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    : >trace
    paths=(-P "$program" -P "$program.dpkg-new" -P "$program.dpkg-tmp")
    run_dpkg strace -f -o trace "${paths[@]}" -e trace=link,rename,unlink \
        -e inject=link,rename,unlink:signal=STOP dpkg "${@:2}" &
    strace=$!
    for ((stop = 1; stop <= ${#words[@]}; stop++)); do
        wait_for has_stopped_or_ended "$stop" "$strace"
        pid=$(process_stopped "$stop")
        ${words[stop - 1]}
        kill -CONT "$pid"
    done
    wait "$strace"
}

# define N: defines a guest that asks for a vGPU. has_vgpu N: the guest has its vGPU.
define() {
    guest "web$1" --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "${device[$1]}" "${saves[@]}"
}

has_vgpu() {
    [ "$(group_held_by "${device[$1]}")" = "$(qemu_pid "web$1")" ]
    assert_match "$(ledger)" " ${device[$1]} .* web$1 .* held made "
}

# files: all files, except those that libvirt, systemd and dpkg write at run time.
files() {
    find /etc /usr /var /run -xdev \( -path /run/libvirt -o -path '/run/virt*.pid' -o -path /run/systemd \
        -o -path /run/udev -o -path '/etc/libvirt/qemu*' -o -path /etc/apparmor.d/libvirt \
        -o -path '/var/*/libvirt' -o -path /var/log -o -path /var/lib/dpkg -o -path /var/tmp \) -prune -o -print | sort
}

forget_program
libvirtd=$(systemctl show -P MainPID "$DAEMON")
files >before

# This is the host's first qemu hook. The package tells libvirt, which needs no restart.
run_dpkg dpkg -i $first
[ -x $link ]
for name in "${mdevctl_links[@]}"; do [ -x "$name" ]; done
if find /etc/systemd -name '*libvirt-vgpu*' ! -name libvirt-vgpu-setup.service ! -name $timer | grep .; then
    fail "the package enables other units than these two"
fi
# The timer runs. Its service comes five minutes later, so nothing happens while an administrator looks.
[ "$(systemctl is-enabled $timer)" = enabled ]
[ "$(systemctl is-active $timer)" = active ]
systemctl show -P TimersMonotonic $timer | grep -qF '{ OnActiveUSec=5min ;'
if systemctl show -P TimersMonotonic $timer | grep OnBootUSec; then fail "it counts from the boot"; fi
[ "$(systemctl is-enabled libvirt-vgpu-setup.service)" = enabled ]
[ "$(systemctl is-active libvirt-vgpu-setup.service)" = inactive ]
# The package's own tests for Debian, as autopkgtest would play them on a machine of its own.
(cd /vgpu && autopkgtest/recorded-machines)
/vgpu/autopkgtest/guest
assert_empty_ledger
define 1
wait_for start web1
has_vgpu 1

# An upgrade. A guest starts while the program is still the old one. Then the hook is called while only
# the program is the new one. The guest that runs is not affected.
start_2() {
    define 2
    start web2
}
call_hook() {
    claim web3 --metadata "$(request '<vgpu:device type="mtty-1"/>')" --hostdev "${device[3]}"
    give_back web3
}
halted start_2 call_hook call_hook -- -i $newer
has_vgpu 1
has_vgpu 2
[ "$(ledger | wc -l)" = 2 ]
systemctl -q is-active $timer
assert_match "$(dpkg-query -W libvirt-vgpu)" '\+newer$'

# An arriving guest. The old program reads its XML. Then the program is replaced, and the new program
# makes the vGPU.
if [ -n "${saves[*]}" ]; then
    virsh -q save web2 "$PWD/saved"
    mkfifo asks answers
    cat >/etc/libvirt/hooks/qemu.d/40-wait <<-END
		#!/bin/sh
		[ "\$2" != prepare ] || { echo >$PWD/asks; read -r answer <$PWD/answers; }
	END
    chmod 755 /etc/libvirt/hooks/qemu.d/40-wait
    virsh -q restore "$PWD/saved" &
    restore=$!
    read -r _ <asks
    run_dpkg dpkg -i $newer
    echo >answers
    wait "$restore"
    rm /etc/libvirt/hooks/qemu.d/40-wait
    has_vgpu 2
fi

# A removal. The package names each guest that has a vGPU. A guest without a vGPU starts while only a
# part of our files is gone.
start_plain() {
    [ ! -L $link ] && [ ! -e $program ] && [ -e /usr/bin/vgpuctl ]
    guest plain
    start plain
}
halted start_plain -- -r libvirt-vgpu
for n in 1 2; do
    assert_match "$(<said)" "libvirt-vgpu: web$n has the vGPU ${device[n]} \(held\), and the vGPU stays when web$n ends"
done
[ "$(grep -c '^libvirt-vgpu: ' said)" = 2 ]
for name in "${mdevctl_links[@]}"; do [ ! -L "$name" ]; done
if systemctl -q is-active $timer; then fail "the timer goes on"; fi
destroy plain

# Each vGPU stays when its guest ends. The command in the package's message removes it. If our package
# is installed again before the end, our hook removes it.
cp said removed
for n in 2 1; do
    destroy "web$n"
    mdev_exists "${device[n]}"
    eval "$(sed -n "s/^libvirt-vgpu: web$n .* or run afterwards: //p" removed)"
    assert_gone "${device[n]}"
    ! is_long || break
done
if is_long; then
    run_dpkg dpkg -i $newer
    [ -x $link ]
    destroy web1
    assert_gone "${device[1]}"
    vgpuctl reconcile
    assert_empty_ledger
fi

# If the administrator has deleted our links, an upgrade does not make them again. check-packages.sh checks
# this in each run.
if is_long; then
    rm $link "${mdevctl_links[@]}"
    run_dpkg dpkg -i $newer
    for name in $link "${mdevctl_links[@]}"; do [ ! -L "$name" ]; done
fi

# After a purge no file of ours is left, not even a file that the administrator has made.
mkdir -p /etc/libvirt-vgpu/conf.d
echo 'enabled = false;' >/etc/libvirt-vgpu/conf.d/10-mine.conf
ln -s /usr/lib/systemd/system/libvirt-vgpu-sriov@.service "$sriov"
run_dpkg dpkg -P libvirt-vgpu
if files | grep -vxFf before; then fail "a purge leaves that"; fi
if dpkg-query -W libvirt-vgpu; then fail "dpkg remembers us"; fi
[ "$(systemctl show -P MainPID "$DAEMON")" = "$libvirtd" ]
