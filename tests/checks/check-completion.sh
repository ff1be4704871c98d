# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The completion of bash, with the built vgpuctl on an artificial machine. The test calls it as bash does.

. "$srcdir/tests/checks/guard.sh"
. "$srcdir/tests/checks/completion-machine.sh"

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

expect 'vgpuctl ' "$commands"
expect 'vgpuctl gp' gpus
expect 'vgpuctl help ' "$commands"
expect 'vgpuctl list --color ' 'always auto never'
expect 'vgpuctl attach --numa p' prefer
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

expect 'vgpuctl gpus -o ' 'DRAINED DRIVER ENABLED FREE FREE-AT-MOST GPU INTERFACE MADE NAME NUMA PARENTS SETUP SIZE TOTAL USED'
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
finish
