# SPDX-License-Identifier: LGPL-2.1-or-later
# lspci and udevadm see the emulated cards as they see real ones, and no other driver comes for them.
# shellcheck shell=bash
# tests: cards

cards mdev vf xe bare vfs=2
vf=$(vfs_of "${CARDS[0]}" | tail -n 1)
read -r xe_vf _ <<<"$(vfs_of "${CARDS[1]}" | xargs)"

# shown ADDRESS WORDS...: lspci says all of these words.
shown() {
    local said words
    said=$(lspci -Dnnvvs "$1" 2>&1)
    for words in "${@:2}"; do grep -qF "$words" <<<"$said" || fail "lspci says no $words: $said"; done
    if grep -E 'rev ff|Unknown header|WARNING|pcilib' <<<"$said"; then fail "lspci does not understand $1"; fi
}
shown "${T4[0]}" '3D controller' '[10de:1eb8]' 'Express (v2) Root Complex Integrated Endpoint' 'Kernel driver in use: nvidia'
shown "${CARDS[0]}" '[10de:26b9]' 'Single Root I/O Virtualization (SR-IOV)' 'Number of VFs: 2' 'VF offset: 4, stride: 1' 'Total VFs: 32' 'IOVCtl:	Enable+'
shown "$vf" '[10de:26b9]' 'Kernel driver in use: nvidia'
shown "${CARDS[1]}" 'Display controller' '[8086:e211]' 'Kernel driver in use: xe'
shown "$xe_vf" '[8086:e211]'
shown "${CARDS[2]}" 'Processing accelerators' '[1002:74a1]' 'Kernel driver in use: vgpu-cards'
shown "${CARDS[2]%0}4" '[1002:74b5]'
[ "$(lspci -D | grep -c '^0100:')" = 11 ]

say "udev"
said=$(udevadm info --query=property "/sys/bus/pci/devices/${CARDS[0]}")
for words in DRIVER=nvidia PCI_CLASS=30200 PCI_ID=10DE:26B9 "PCI_SLOT_NAME=${CARDS[0]}" MODALIAS=pci:v000010DEd000026B9; do
    grep -q "^$words" <<<"$said" || fail "udev says no $words: $said"
done

say "the module says of itself what it is"
assert_match "$(modinfo -F license vgpu-cards)" '^GPL v2$'
assert_match "$(modinfo -F description vgpu-cards)" 'for tests only'
for parameter in cards rule list garbage refuse_creates refuse_deletes bound create_ms exiting_ms silent instances xe_vram; do
    grep -q "^$parameter:" <<<"$(modinfo -p vgpu-cards)" || fail "modinfo does not tell of $parameter"
done
dmesg | grep "vgpu_cards: emulated cards, for tests; there is no such hardware: ${T4[0]} T4 ${T4[1]} T4 ${CARDS[0]} L40S"
assert_match "$(vgpuctl doctor --noheadings)" "emulated +note .*${T4[0]}, ${T4[1]}, ${CARDS[0]}"
