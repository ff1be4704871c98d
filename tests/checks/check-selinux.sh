# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The policy module for SELinux. The distribution's Makefile compiles it. It can be linked with the
# part of Debian's policy that is about libvirt. There it allows our programs what they need, and
# nothing harmful.

. "$srcdir/tests/checks/guard.sh"
parts=$srcdir/build-aux/selinux
pp=/usr/libexec/selinux/hll/pp
needs_file selinux-policy-dev /usr/share/selinux/devel/Makefile
needs_file policycoreutils $pp
needs secilc
needs sesearch
needs bzip2
needs_file "selinux-policy-default's module base" "$parts/base.pp.bz2"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The variables of the make that runs this check are not for the make below.
env -u MAKEFLAGS make -s -C "$top_builddir" selinux >"$scratch/said" 2>&1 ||
    complain "make selinux fails:" "$(cat "$scratch/said")"
if grep -i 'warning\|duplicate' "$scratch/said"; then complain "make selinux has something to say"; fi

# Debian defines its users in other modules.
for part in base virt qemu; do
    bzip2 -dc "$parts/$part.pp.bz2" | $pp | grep -v '^(selinuxuser\|^(userprefix' >"$scratch/$part.cil"
done
$pp "$top_builddir/config/selinux/libvirt_vgpu.pp" >"$scratch/libvirt_vgpu.cil"
secilc -M true -f /dev/null -o "$scratch/policy" "$scratch"/*.cil >"$scratch/said" 2>&1 ||
    complain "it does not go together with Debian's policy:" "$(cat "$scratch/said")"

# Rules as "SOURCE TARGET CLASS PERMISSION", one a line, without the rules that all programs have.
for domain in libvirt_vgpu_t libvirt_vgpu_callout_t; do
    sesearch -A -s $domain "$scratch/policy"
done | sed -n 's/^allow \(libvirt_vgpu[a-z_]*\) \([a-z_]*\):\([a-z_0-9]*\) {* *\([a-z_ ]*[a-z_]\) *}*;.*/\1 \2 \3 \4/p' |
    awk '{ for (i = 4; i <= NF; i++) print $1, $2, $3, $i }' >"$scratch/rules"
[ "$(wc -l <"$scratch/rules")" -gt 100 ] || complain "sesearch finds hardly any rule"

# may DOMAIN CLASS PERMISSION TYPE...: the domain has this permission for these types, and for no
# others.
may() {
    domain=$1 class=$2 permission=$3
    shift 3
    found=$(awk -v d="$domain" -v c="$class" -v p="$permission" \
        '$1 == d && $3 == c && $4 == p { print $2 }' "$scratch/rules" | sort | xargs)
    [ "$found" = "$*" ] || complain "$domain may $permission $class of: ${found:-none}; and should: ${*:-none}"
}

hook=libvirt_vgpu_t callout=libvirt_vgpu_callout_t state=libvirt_vgpu_runtime_t

# The domains run no other program, and cannot change to another domain.
for who in $hook $callout; do
    may "$who" file execute_no_trans
    may "$who" process transition
    may "$who" process dyntransition
    may "$who" process setexec
    may "$who" process execmem
    for kind in tcp_socket udp_socket rawip_socket netlink_route_socket; do may "$who" $kind create; done
done

# Types that the domains may change.
may $hook file write $state $hook sysfs_t
may $hook file append $state $hook sysfs_t virt_log_t
may $hook file create $state
may $hook dir add_name $state libvirt_vgpu_saved_t libvirt_vgpu_var_lib_t var_run_t
may $hook lnk_file create $state libvirt_vgpu_saved_t
may $hook chr_file write console_device_t vfio_device_t virt_image_type
may $hook capability dac_override $hook
may $hook capability sys_module
may $callout file write $callout $state
may $callout file append $callout $state
may $callout file create
may $callout dir add_name
may $callout chr_file write console_device_t
may $callout capability sys_admin

# Types that the domains have to read.
for type in sysfs_t usr_t libvirt_vgpu_etc_t libvirt_vgpu_var_lib_t virt_var_run_t svirt_var_run_t; do
    for domain in $hook $callout; do
        grep -qE "^$domain ($type|$(echo $type | sed 's/_var_run/_runtime/')) file read$" "$scratch/rules" ||
            complain "$domain may not read files of $type"
    done
done

for domain in $hook $callout; do
    grep -qx "$domain $state dir read" "$scratch/rules" || complain "$domain may not list $state"
done

# Domains that enter ours, and the type of the hook's directory.
sesearch -T "$scratch/policy" -s virtd_t -c process >"$scratch/transitions"
sesearch -T "$scratch/policy" -s $hook >>"$scratch/transitions"
for rule in "virtd_t libvirt_vgpu_exec_t:process $hook" "virtd_t libvirt_vgpu_callout_exec_t:process $callout" \
    "$hook var_run_t:dir $state libvirt-vgpu" "$hook libvirt_vgpu_var_lib_t:dir libvirt_vgpu_saved_t saved"; do
    grep -qx "type_transition $rule;" "$scratch/transitions" || complain "there is no type_transition $rule"
done

# Each type in the file contexts is known, and each of our file types has a file.
sed -n 's/^type \(libvirt_vgpu_[a-z_]*\);$/\1/p' "$srcdir/config/selinux/libvirt_vgpu.te" |
    grep -v "^$hook\$\|^$callout\$" | sort >"$scratch/types"
sed -n 's/.*object_r:\([a-z_]*\),s0.*/\1/p' "$srcdir/config/selinux/libvirt_vgpu.fc" | sort -u >"$scratch/given"
diff "$scratch/types" "$scratch/given" || complain "types of libvirt_vgpu.te ('<') are not those of libvirt_vgpu.fc ('>')"
finish
