# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Functions that work for every shape of card. The name of a vGPU is a UUID or the address of a
# virtual function, and these functions hide the difference. lib.sh sources this file.

# SHAPE: the shape in use. GPUS: the addresses of its two cards. TYPE: the requested type, by the last
# word of its name. ALIKE: a type of the same size. OTHER: a type of another size. MOST: how many vGPUs
# of the first type a card takes.
SHAPE='' GPUS=() TYPE='' ALIKE='' OTHER='' MOST=''
export ALIKE MOST
declare -A TYPE_IDS=()

# shapes: the shapes on which a scenario is played. This is one shape, or with LONG all. Before version
# 9.7 libvirt gives no guest a virtual function that is bound to its GPU's driver.
shapes() {
	local all=(vf sriov mdev)
	if ! at_least "$(virsh --version)" 9.7; then all=(sriov mdev); fi
	if is_long; then echo "${all[@]}"; else echo "${all[0]}"; fi
}

# use_shape SHAPE [NAME=VALUE]...: loads two cards of this shape.
use_shape() {
	SHAPE=$1
	shift
	no_cards
	if [ "$SHAPE" = mdev ]; then
		cards mdev "$@"
		GPUS=("${T4[@]}") TYPE=T4-8Q ALIKE=T4-8A OTHER=T4-4Q MOST=2
	else
		cards "$SHAPE" "$SHAPE" "$@"
		GPUS=("${CARDS[@]}")
		case $SHAPE in
		sriov) TYPE=A40-12Q ALIKE=A40-12A OTHER=A40-8Q MOST=4 ;;
		vf) TYPE=L40S-12Q ALIKE=L40S-12A OTHER=L40S-8Q MOST=4 ;;
		esac
	fi
	find_type_ids
}

# new_source CARD N: the source of a new device on card CARD (0 or 1). It is the card's N-th VF, or a
# new UUID.
new_source() {
	local vfs
	if [ "$SHAPE" = vf ]; then
		mapfile -t vfs < <(vfs_of "${GPUS[$1]}")
		echo "${vfs[$2]}"
	else
		new_uuid
	fi
}

# source_option SOURCE ALIAS: the option of guest_xml for this source.
source_option() {
	case $1 in
	*:*) echo "--pci $1,$2" ;;
	*) echo "--hostdev $1,$2" ;;
	esac
}

# asking GUEST SOURCE TYPE [CARD]: sets $ARGUMENTS to the arguments of guest_xml for one device, ua-gpu0.
# If SOURCE is a UUID, the device is on the card with the number CARD.
asking() {
	local parent=''
	if [ $# -gt 3 ] && [ "$SHAPE" != vf ]; then parent=" parent=\"${GPUS[$4]}\""; fi
	read -ra ARGUMENTS <<<"$1 $(source_option "$2" ua-gpu0) --metadata"
	ARGUMENTS+=("$(request "<vgpu:device alias=\"ua-gpu0\" type=\"$3\"$parent/>")")
}

# ask GUEST SOURCE TYPE [CARD] [OPTION]...: defines a guest with the arguments of "asking".
ask() {
	local card=()
	if [[ ${4-} =~ ^[01]$ ]]; then card=("$4"); fi
	asking "$1" "$2" "$3" "${card[@]}"
	shift $((3 + ${#card[@]}))
	guest "${ARGUMENTS[@]}" "$@"
}

# sources_of GUEST [OPTION]...: the sources of the vGPUs in the guest's present XML.
sources_of() {
	device_of "$@"
	pci_of "$@"
}

# vgpus: all present vGPUs, of every kind.
vgpus() {
	mdevs
	typed_vfs
	profiled_vfs
}

# type_of SOURCE: the type of the vGPU, such as "nvidia-222", or its profile. Fails if there is no such
# vGPU.
type_of() {
	case $1 in
	*:*)
		if [ -n "$(profile_of "$1")" ]; then
			basename "$(readlink "/run/libvirt-vgpu/functions/$1.type")"
			return
		fi
		[ "$(vf_type "$1")" != 0 ]
		echo "nvidia-$(vf_type "$1")"
		;;
	*) mdev_type "$1" ;;
	esac
}

# find_type_ids: finds the ids of the requested types in the lists of the empty cards.
find_type_ids() {
	{ local -; set +x; } 2>/dev/null
	local file id name
	TYPE_IDS=()
	for file in /sys/class/mdev_bus/????:*/mdev_supported_types/*/name; do
		if [ -e "$file" ]; then
			name=$(<"$file")
			file=${file%/name}
			TYPE_IDS[${name##* }]=${file##*/}
		fi
		# Each parent of a card has the same ids.
		[ -z "${TYPE_IDS[$TYPE]-}" ] || [ -z "${TYPE_IDS[$ALIKE]-}" ] || [ -z "${TYPE_IDS[$OTHER]-}" ] || return 0
	done
	while read -r id _ name; do
		TYPE_IDS[${name##* }]=nvidia-$id
	done < <(cat "$NVIDIA"/????:*/nvidia/creatable_vgpu_types 2>/dev/null)
}

# type_id WORD: the id, "nvidia-1145", of a type that use_shape has set.
type_id() { echo "${TYPE_IDS[$1]:?no card has the type $1}"; }

# empty_vfs CARD: the VFs without a mediated device.
empty_vfs() {
	local vf
	for vf in $(vfs_of "$1"); do
		compgen -G "/sys/bus/pci/devices/$vf/????????-*" >/dev/null || echo "$vf"
	done
}

# make_vgpu SOURCE TYPE-ID [CARD]: makes a vGPU by hand, without our hook.
make_vgpu() {
	local parent=${GPUS[${3-0}]}
	case $1 in
	*:*) set_vf_type "$1" "${2#nvidia-}" ;;
	*)
		if [ "$SHAPE" = sriov ]; then parent=$(empty_vfs "$parent" | tail -n 1); fi
		make_mdev "$parent" "$2" "$1"
		;;
	esac
}

remove_vgpu() {
	case $1 in
	*:*) set_vf_type "$1" 0 ;;
	*) remove_mdev "$1" ;;
	esac
}
