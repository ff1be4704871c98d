# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The completions of bash, zsh and fish, with the built vgpuctl on an artificial machine. The test
# calls bash's completion as bash does. The other two call bash's completion, and each shell shows
# what it offers then.

. "$srcdir/tests/checks/guard.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root bin=$scratch/bin

# make_type GPU ID NAME DESCRIPTION
make_type() {
    type=$root/sys/class/mdev_bus/$1/mdev_supported_types/$2
    mkdir -p "$type"
    echo "$3" >"$type/name"
    echo "$4" >"$type/description"
    echo vfio-pci >"$type/device_api"
    echo 1 >"$type/available_instances"
}

# The figures that make_machine writes.
one=b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e20 two=6fa459ea-ee8a-4ca4-894e-db77e160355e
make_machine() {
    boot=0b6a3c55-9d2a-4e0b-8f64-2f1f4f6f7d10
    mkdir -p "$root/sys/bus/mdev/devices" "$root/proc/sys/kernel/random" "$root$configdir" \
        "$root/run/libvirt-vgpu" "$bin"
    make_type 0000:18:00.0 nvidia-222 'GRID T4-1B' 'framebuffer=1024M, max_instance=16'
    make_type 0000:18:00.0 nvidia-231 'GRID T4-2Q' 'framebuffer=2048M, max_instance=8'
    make_type mtty mtty-2 'Dual port serial' ''
    echo $boot >"$root/proc/sys/kernel/random/boot_id"
    echo 'classes = { small = { types = [ "T4-1B" ]; }; smart = { types = [ "T4-1B" ]; };
        big = { framebuffer = "2G"; }; elsewhere = { types = [ "A40-1B" ]; }; };' \
        >"$root$configdir/vgpu.conf"
    lease='nvidia-222 1024 0000:18:00.0 0000:18:00.0'
    cat >"$root/run/libvirt-vgpu/ledger" <<-END
		libvirt-vgpu-ledger 1 $boot 8
		mdev $one $lease $two web01 ua-gpu0 held made 4711:815 6 reap 99
		mdev $two $lease $one db01 ua-gpu1 held made 4711:815 7 reap 99
	END
    for device in $one $two; do
        mkdir -p "$root/sys/class/mdev_bus/0000:18:00.0/$device"
        ln -s "../../../class/mdev_bus/0000:18:00.0/$device" "$root/sys/bus/mdev/devices/$device"
        ln -s ../mdev_supported_types/nvidia-222 "$root/sys/class/mdev_bus/0000:18:00.0/$device/mdev_type"
    done
    chmod -R go-w "$root"
}

# The programs that the completion calls: the built vgpuctl on that machine, and a virsh that knows
# two domains.
make_programs() {
    cat >"$bin/vgpuctl" <<-END
		#!/bin/sh
		exec "$top_builddir/vgpuctl" --root "$root" "\$@"
	END
    cat >"$bin/virsh" <<-'END'
		#!/bin/sh
		[ "$*" != "-q -r list --all --name" ] || printf 'web01\ndb 02\n\n'
		[ "$*" != "-q -r dumpxml --inactive off01" ] || echo '<vgpu:device alias="ua-gpu7" type="a"/>'
	END
    chmod +x "$bin/vgpuctl" "$bin/virsh"
}

# completed LINE: the words that bash would get.
completed() {
    (cd "$scratch" && PATH=$bin:$PATH bash -u -c '. "$0"
        COMP_LINE=$1 COMP_POINT=${#1}
        _vgpuctl
        printf "%s\n" "${COMPREPLY[@]-}"' "$srcdir/config/vgpuctl.bash-completion" "$1") 2>&1 |
        LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'
}

# expect LINE REPLIES: the words with which the line may end, sorted, as bash gets them.
expect() {
    got=$(completed "$1")
    [ "$got" = "$2" ] || complain "'$1': '$got', not '$2'"
}

# The completions as they are installed. The other two contain the path of bash's.
make_completions() {
    mkdir "$scratch/completions"
    cp config/vgpuctl.bash-completion "$scratch/completions/vgpuctl"
    sed "s,@completionsdir@,$scratch/completions," config/vgpuctl.zsh-completion >"$scratch/_vgpuctl"
    sed "s,@completionsdir@,$scratch/completions," config/vgpuctl.fish-completion >"$scratch/vgpuctl.fish"
}

make_machine
make_programs

# The commands are those of --help.
commands=$("$top_builddir/vgpuctl" --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' |
    LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')
expect 'vgpuctl ' "$commands"
expect 'vgpuctl gp' gpus
expect 'vgpuctl --root /tmp gp' gpus
expect 'vgpuctl --json gp' gpus
expect 'vgpuctl reconcile --ro' --root
expect 'vgpuctl types --no' --noheadings
expect 'vgpuctl reconcile --no' ''
expect 'vgpuctl no-such-command --' ''
expect 'vgpuctl reconcile ' ''

# Bash splits words at each colon, and replaces only the part behind the last.
expect 'vgpuctl types ' '0000:18:00.0 mtty'
expect 'vgpuctl types 00' 0000:18:00.0
expect 'vgpuctl types 0000:1' 18:00.0
expect 'vgpuctl types 0000:18:0' 00.0
expect 'vgpuctl types --json 0000:18:' 00.0
expect 'vgpuctl types mtty ' ''
expect 'vgpuctl types 18:' 00.0
expect 'vgpuctl types 19:' ''

expect 'vgpuctl gpus -o ' 'DRAINED DRIVER ENABLED FRAMEBUFFER FREE FREE-AT-MOST GPU INTERFACE NAME NUMA PARENTS SIZE USED VGPUS'
expect 'vgpuctl gpus -o GPU,N' 'GPU,NAME GPU,NUMA'
expect 'vgpuctl gpus -o gpu,n' 'gpu,name gpu,numa'
expect 'vgpuctl gpus --columns=GPU,D' 'GPU,DRAINED GPU,DRIVER'
expect 'vgpuctl types --root ' 'bin/ root/'
expect 'vgpuctl types --root=root/r' root/run/

# Kinds that perhaps no present command takes. This tests the words that they offer.
expect 'vgpuctl any --type nv' 'nvidia-222 nvidia-231'
expect 'vgpuctl any --type T4' 'T4-1B T4-2Q'
expect 'vgpuctl any --class ' 'big small smart'
expect 'vgpuctl any --class=sm' 'small smart'
expect 'vgpuctl any --alias ' ''
expect 'vgpuctl any --connect ' ''

# kind NAME LINE REPLIES: of a command "thing" whose usage has this argument.
kind() {
    cat >"$bin/vgpuctl" <<-END
		#!/bin/sh
		[ "\$1 \$2" != "thing --help" ] || { echo "Usage: vgpuctl thing $1 [OPTION]..."; exit; }
		exec "$top_builddir/vgpuctl" --root "$root" "\$@"
	END
    expect "$2" "$3"
}
kind DOMAIN 'vgpuctl thing ' 'db\ 02 web01'
kind DOMAIN 'vgpuctl thing web01 ' ''
kind DOMAIN 'vgpuctl thing --connect qemu+ssh://host2/system ' ''
kind 'DOMAIN|FILE' 'vgpuctl thing ' 'bin/ db\ 02 root/ web01'
kind 'DOMAIN|FILE' 'vgpuctl thing root/sy' root/sys/
kind 'DOMAIN ALIAS' 'vgpuctl thing web01 ' ua-gpu0
kind 'DOMAIN ALIAS' 'vgpuctl thing web01 --live ua' ua-gpu0
kind 'DOMAIN ALIAS' 'vgpuctl thing gone ' ''
kind 'DOMAIN ALIAS' 'vgpuctl thing off01 ua' ua-gpu7
kind '[DEVICE...]' 'vgpuctl thing ' "$two $one"
kind '[DEVICE]...' "vgpuctl thing $two b1" "$one"
kind GPU 'vgpuctl thing m' mtty
kind 'enable|disable GPU' 'vgpuctl thing ' 'disable enable'
kind 'enable|disable GPU' 'vgpuctl thing en' enable
kind 'enable|disable GPU' 'vgpuctl thing enable ' '0000:18:00.0 mtty'

# Words that the command itself knows are offered as well.
cat >"$bin/vgpuctl" <<-END
	#!/bin/sh
	case "\$*" in
	"thing --help") echo 'Usage: vgpuctl thing enable|disable GPU [OPTION]...' ;;
	"thing enable ?") echo 'there are: 0000:3d:00.0; 0000:18:00.0' >&2 ;;
	*) exec "$top_builddir/vgpuctl" --root "$root" "\$@" ;;
	esac
END
expect 'vgpuctl thing enable ' '0000:18:00.0 0000:3d:00.0 mtty'
expect 'vgpuctl thing enable 3d:' 00.0

make_programs
make_completions

# As with bash above, but each word is complete.
# shellcheck disable=SC2016 # it is for fish to expand
in_fish() {
    got=$(cd "$scratch" && HOME=$scratch PATH=$bin:$PATH fish --no-config -c 'source vgpuctl.fish
        complete --do-complete "$argv[1]"' "$1" 2>&1 | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')
    [ "$got" = "$2" ] || complain "fish: '$1': '$got', not '$2'"
}

if command -v fish >/dev/null; then
    in_fish 'vgpuctl ' "$commands"
    in_fish 'vgpuctl types 0000:18:0' 0000:18:00.0
    in_fish 'vgpuctl reconcile --ro' --root
    in_fish 'vgpuctl gpus -o GPU,N' 'GPU,NAME GPU,NUMA'
    in_fish 'vgpuctl any --class=sm' '--class=small --class=smart'
    in_fish 'vgpuctl explain w' web01
    in_fish 'vgpuctl types --root ro' root/
fi

# The test types a line into zsh, with a tab where zsh is to complete, and runs it. The output shows
# the completed words.
# in_zsh LINE WORDS
# shellcheck disable=SC2016 # it is for zsh to expand
in_zsh() {
    got=$(cd "$scratch" && HOME=$scratch PATH=$bin:$PATH zsh -f -c 'zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1=; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; print -n REA; print DY"
        zpty -r -m shell text "*READY*"
        zpty -n -w shell "$1"; zpty -w shell "; print -n DO; print NE"
        zpty -r -m shell text "*DONE*"
        print -r -- "$text"' zsh "$(printf %b "$1")" 2>&1)
    case $got in
    *"$2"*) ;;
    *) complain "zsh: '$1': '$got' has no '$2'" ;;
    esac
}

if command -v zsh >/dev/null; then
    in_zsh 'vgpuctl types 0000:18:0\t-rn -o type' nvidia-222
    in_zsh 'vgpuctl li\t--columns=DEVICE,AL\t-rn' ua-gpu0
    in_zsh 'echo vgpuctl; vgpuctl expl\t--he\t' 'Usage: vgpuctl explain'
fi
finish
