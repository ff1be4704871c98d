# SPDX-License-Identifier: LGPL-2.1-or-later
# What README says about the first vGPU, typed as it stands there: from nothing to a guest with a vGPU.
# What a terminal shows is what README shows, but for the UUID of the device.
# shellcheck shell=bash
#
# It prints the seconds from the package to the guest with a vGPU. They are no verdict.

cp /usr/share/doc/libvirt-vgpu/README.md .

# section HEADING: its indented lines, up to the next heading.
section() { sed -n "/^##* $1\$/,/^##/s/^    //p" README.md; }
masked() { sed -E 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UUID/g' "$1"; }
# since MOMENT: the seconds since then, a moment being microseconds.
since() { printf '%d.%d s' $((($(moment) - $1) / 1000000)) $((($(moment) - $1) / 100000 % 10)); }
moment() { echo "${EPOCHREALTIME/[.,]/}"; }
# typed COMMAND: what a terminal without colours shows of it.
typed() { NO_COLOR=1 script -qec "$1" /dev/null </dev/null | tr -d '\r'; }

# README's two cards and its guest, and no others. The first line there installs the module, which this
# machine has on its disk; the scenario cards-package installs it.
modprobe -r mtty mbochs mdpy
forget_program
section 'Without a GPU' | sed 's/^# //' >preparations
[ "$(wc -l <preparations)" = 2 ]
grep -q '^apt install .*cards-dkms' preparations
eval "$(tail -n 1 preparations)"
find_cards
wait_for knows_cards
guest web01

mkdir -p packages/deb
cp /vgpu/packages/1.deb packages/deb/libvirt-vgpu_1_amd64.deb
install=$(section 'Install on Debian' | grep '^apt install ')
say "$install"
began=$(moment)
bash -ec "$install" </dev/null

installed=$(since "$began")
section 'The first vGPU' >shown
sed -n 's/^# //p' shown >commands
[ "$(wc -l <commands)" = 3 ]
while read -ru 3 command; do
    echo "# $command"
    typed "$command"
done 3<commands >printed
took=$(since "$began")
cat printed
diff <(masked shown) <(masked printed)

is_running web01
device=$(device_of web01)
[ "$(mdev_type "$device")" = nvidia-222 ]
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]
destroy web01
assert_gone "$device"

# The same three commands with the kernel's sample driver, which every Debian has the source of.
no_cards
modprobe mtty
guest web02
began=$(moment)
typed 'vgpuctl gpus'
typed 'vgpuctl attach web02 --type mtty-1 --start'
typed 'vgpuctl list -o device,name,gpu,state,domain'
sample=$(since "$began")
device=$(device_of web02)
[ "$(mdev_type "$device")" = mtty-1 ]
[ "$(group_held_by "$device")" = "$(qemu_pid web02)" ]
destroy web02
assert_gone "$device"
say "the package was installed after $installed, and the guest had its vGPU after $took"
say "with the kernel's sample mtty the three commands took $sample"
