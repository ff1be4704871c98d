# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154,SC2034 # the variables are those of "run"
#
# The machine of a test host: an emulated one (QEMU with KVM or TCG), or a process (User Mode Linux, UML). "accel" is
# kvm, tcg or uml. "run" sources this file.

declare -A emulators=([amd64]=qemu-system-x86_64 [arm64]=qemu-system-aarch64)

# needs_functions NAME...: does one of these scenarios need real virtual functions, and an IOMMU?
needs_functions() {
	local name
	for name; do
		! grep -qx '# needs: nvme' "$here"/*/"$name.sh" /dev/null || return 0
	done
	return 1
}

# describe_functions: the only special hardware, and only for such a scenario. QEMU's nvme has virtual
# functions. All other cards are emulated inside the host, by ../cards.
describe_functions() {
	# shellcheck disable=SC2054 # commas are QEMU's
	machine+=(-device intel-iommu,intremap=on,aw-bits=48
		-device pcie-root-port,id=port1,chassis=1,slot=1 -device nvme-subsys,id=subsys1
		-device "nvme,id=card1,serial=card1,bus=port1,subsys=subsys1,sriov_max_vfs=16,sriov_vq_flexible=32,sriov_vi_flexible=16")
}

# describe_amd64: a PC, and what its kernel is told. Sets machine and cmdline.
describe_amd64() {
	local cpu=host
	cmdline="console=ttyS0 mitigations=off"
	# A fifth level of page tables only costs time. "rep movsb", which these two processor flags recommend for
	# copying, is emulated byte by byte: without the flags a scenario needs a sixth less.
	[ "$accel" = kvm ] || cpu=max,la57=off,erms=off,fsrm=off
	# With an IOMMU a kernel panics if its timer does not tick at once. This can happen on a busy machine.
	cmdline+=" intel_iommu=on no_timer_check"
	# shellcheck disable=SC2054 # commas are QEMU's
	machine=("${emulators[amd64]}" -machine q35,kernel-irqchip=split -cpu "$cpu")
}

# describe_arm64: QEMU's machine "virt". The emulated processor is the newest one without pointer authentication,
# which is slow under TCG.
describe_arm64() {
	local cpu=host
	cmdline="console=ttyAMA0"
	[ "$accel" = kvm ] || cpu=cortex-a76
	# shellcheck disable=SC2054 # commas are QEMU's
	machine=("${emulators[arm64]}" -machine virt,gic-version=3 -cpu "$cpu")
}

# describe_qemu KIND NAME...: the whole machine. Descriptor 3 is where its results go.
describe_qemu() {
	local cmdline
	"describe_$architecture"
	cmdline+=" root=/dev/vda rw quiet panic=-1 fsck.mode=skip"
	# QEMU's emulator translates a program again if the program is loaded to another address. So an
	# emulated host loads programs to fixed addresses, which saves a third of the time.
	[ "$accel" = kvm ] || cmdline+=" norandmaps"
	# The kernel's own drivers of such cards could not have ours, and loading them takes time.
	cmdline+=" modprobe.blacklist=nvme,nouveau,nova_core,xe,amdgpu"
	# The kernel's watchdogs would report a fault when only this machine is too busy.
	cmdline+=" sysctl.kernel.watchdog_thresh=60 sysctl.kernel.hung_task_timeout_secs=300"
	cmdline+=" rcupdate.rcu_cpu_stall_timeout=300"
	[ -z "$security" ] || cmdline+=" $security=1 security=$security"
	# The kernel logs all denials.
	[ -z "$security" ] || cmdline+=" sysctl.kernel.printk_ratelimit=0"
	# Debian's rules do not allow systemd all that it needs.
	[ "$1" != systemd ] || [ "$security" != selinux ] || cmdline+=" enforcing=0"
	# shellcheck disable=SC2054 # commas are QEMU's
	machine+=(-accel "${accel/tcg/tcg,thread=multi}" -smp "$processors" -m 3000
		-kernel "$image/vmlinuz" -initrd "$image/initrd" -append "$cmdline init=/sbin/vm-init"
		-drive "file=$image/root.img,format=raw,if=virtio,snapshot=on"
		-drive "file=$work/payload.tar,format=raw,if=virtio,readonly=on"
		-device virtio-serial
		-chardev file,id=results,path=/dev/fd/3 -device virtserialport,chardev=results,name=results
		-chardev "file,id=logs,path=$work/logs.tar" -device virtserialport,chardev=logs,name=logs
		-nic none -display none)
	# If a scenario resets the machine, the machine boots again. It ends by powering off.
	[ "$1" = systemd ] || machine+=(-no-reboot)
	if needs_functions "${@:2}"; then describe_functions; fi
	machine+=(-monitor none -serial "$([ "$1" = shell ] && echo mon:stdio || echo "file:$logs/$console")")
}

# The words before the command line of the kernel of UML. Each program of the host is a process of this machine, and ends
# with the name space. The first process of a name space cannot abort itself, as the kernel does when it panics. So
# "timeout" is the first one, and it has no limit.
in_name_space=(unshare --pid --fork --kill-child timeout --foreground 0)

# list_processors: the numbers of the processors that this process may use.
list_processors() {
	local from to
	while IFS=- read -r from to; do seq "$from" "${to:-$from}"; done \
		< <(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | tr , '\n')
}

# describe_uml: the same with a kernel that is a process. Descriptor 3 is where its results go, as with QEMU; 4 is its
# console. For each system call the kernel and a program wake each other. On one processor that takes a seventh of the
# time that it takes on two. "c" means that UML does not lock the disk. With the lock, QEMU could not open the disk for
# another host.
describe_uml() {
	local processor
	mapfile -t processor < <(list_processors)
	mkdir "$work/share"
	# shellcheck disable=SC2054 # commas are UML's
	machine=(env TMPDIR="$memory" taskset -c "${processor[lane % ${#processor[@]}]}" "${in_name_space[@]}"
		"$uml/linux" mem=2500M seccomp=on uml_dir="$work" umid=uml con=null con0=null,fd:4 ssl1=null,fd:3
		ubd0c="$work/changes,$image/root.img" ubd1r="$work/payload.tar" root=/dev/ubda rw quiet
		init=/sbin/vm-init share="$work/share")
	[ -z "${VGPU_VM_SHARE-}" ] || machine+=("VGPU_VM_SHARE=$(realpath "$VGPU_VM_SHARE")")
	[ "$1" != shell ] || machine+=("ssl0=fd:0,fd:1")
}

# describe_machine KIND NAME...: sets "machine", a command.
describe_machine() {
	if [ "$accel" = uml ]; then describe_uml "$@"; else describe_qemu "$@"; fi
}

# find_accel: sets "own" to kvm or tcg. KVM may be there and not work. It works if the disk's kernel gets so far that it
# misses its disk. This is tried once a boot of this machine.
find_accel() {
	local verdict accel=kvm machine cmdline
	verdict=$image/accel-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -e "$verdict" ]; then
		"describe_$architecture"
		if ! timeout 60 "${machine[@]}" -accel kvm -m 256 -kernel "$image/vmlinuz" \
			-append "$cmdline panic=-1" -nic none -nographic -no-reboot \
			</dev/null 2>&1 | grep -aq 'Unable to mount root'; then
			accel=tcg
		fi
		rm -f "$image"/accel-*
		echo "$accel" >"$verdict"
	fi
	own=$(cat "$verdict")
}

# find_memory: sets "memory" to a directory with room for the memory of two hosts. This memory is a file, which must be
# executable. If there is no such directory, "why" says so.
find_memory() {
	local room
	for memory in /dev/shm "${TMPDIR:-/tmp}" /var/tmp; do
		room=$(df --output=avail -m "$memory" 2>/dev/null | tail -n 1)
		[[ $(findmnt -no OPTIONS -T "$memory") != *noexec* ]] || continue
		if [ "${room:-0}" -ge 5000 ]; then return; fi
	done
	why="no directory has 5 GB of executable memory: /dev/shm, ${TMPDIR:-/tmp}, /var/tmp"
	return 1
}

# find_uml [--ready]: sets "uml" to the directory of the kernel of UML, and "memory". If UML cannot start here, this fails,
# and "why" has one line. The kernel starts if it gets so far that it misses its disk.
find_uml() {
	local said
	why="the processor is $(uname -m)"
	[ "$(uname -m)" = x86_64 ] || return
	find_memory || return
	if ! uml=$("$here/uml/kernel" "$@" 2> >(tee "$scratch/uml" >&2)); then
		why=$(tail -n 1 "$scratch/uml")
		: "${why:=there is no kernel yet}"
		return 1
	fi
	said=$(TMPDIR=$memory timeout --kill-after=1 60 "${in_name_space[@]}" "$uml/linux" mem=64M seccomp=on \
		uml_dir="$scratch" con=null con0=null,fd:2 2>&1 </dev/null) || true
	why=$(grep -v '^ *$' <<<"${said:-its kernel says nothing}" | tail -n 1)
	[[ $said = *"Unable to mount root"* ]]
}
