# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The recipes of vgpu-request(7). Each is taken from the page word for word, and done with the real
# tool, against a libvirtd of our own with libvirt's test driver. Then vgpuctl says what the new
# guest asks for.

. "$srcdir/tests/checks/guard.sh"
needs virt-install
needs xsltproc
needs ansible-playbook
needs_file "Ansible's collection community.libvirt" build-aux/ansible_collections
. "$srcdir/tests/checks/scratch-libvirt.sh"
trap stop_libvirt EXIT

page=config/vgpu-request.7
root=$scratch/root bin=$scratch/bin

# --- the machine and its libvirt --------------------------------------------------------------

# The machine that vgpuctl sees: a T4, and a virtual function of an L40S.
make_machine() {
    gpu=$root/sys/class/mdev_bus/0000:18:00.0/mdev_supported_types/nvidia-222
    card=$root/sys/bus/pci/devices
    mkdir -p "$gpu" "$root/proc/sys/kernel/random" "$root$configdir" "$card/0000:3d:00.0" \
        "$card/0000:3d:00.4/nvidia" "$root/sys/bus/pci/drivers/nvidia" "$bin"
    echo 'GRID T4-1B' >"$gpu/name"
    echo vfio-pci >"$gpu/device_api"
    echo 16 >"$gpu/available_instances"
    echo 'ID    : vGPU Name
1145  : NVIDIA L40S-1B' >"$card/0000:3d:00.4/nvidia/creatable_vgpu_types"
    echo 0 >"$card/0000:3d:00.4/nvidia/current_vgpu_type"
    for address in 0000:3d:00.0 0000:3d:00.4; do
        ln -s ../../drivers/nvidia "$card/$address/driver"
    done
    ln -s ../0000:3d:00.0 "$card/0000:3d:00.4/physfn"
    echo 0b6a3c55-9d2a-4e0b-8f64-2f1f4f6f7d10 >"$root/proc/sys/kernel/random/boot_id"
    echo 'classes = { small = { types = [ "T4-1B" ]; }; };' >"$root$configdir/vgpu.conf"
    chmod -R go-w "$root"
    printf '#!/bin/sh\nexec "%s" --root "%s" "$@"\n' "$top_builddir/vgpuctl" "$root" >"$bin/vgpuctl"
    printf '#!/bin/sh\ncat /proc/sys/kernel/random/uuid\n' >"$bin/uuidgen"
    chmod 755 "$bin"/*
}

# The place of the guest's disk in the recipes.
make_pool() {
    "$VIRSH" pool-create-as images dir --target /var/lib/libvirt/images
    "$VIRSH" vol-create-as images web01.qcow2 1G
}

# --- recipes ----------------------------------------------------------------------------------

# block SECTION [N]: the N-th display of a section of the page, as a reader sees it.
block() {
    awk -v section=".Ss $1" -v wanted="${2:-1}" '
        /^\.S[sh] / { inside = ($0 == section); next }
        /^\.Ed/ { shown = 0 }
        inside && shown { print }
        /^\.Bd/ && inside && ++count == wanted { shown = 1 }
    ' "$page" | sed -e 's/\\e/\\/g' -e 's/\\(aq/'"'"'/g' -e 's/\\(dq/"/g' -e 's/\\&//g' >block
    [ -s block ] || complain "$page: no display ${2:-1} in \"$1\"" >&2
    cat block
}

# do_as_shown SECTION [N]: runs the lines of this display.
do_as_shown() {
    block "$@" >typed
    sh -eu typed >said 2>&1 </dev/null || complain "$page: $1: it fails:" "$(cat typed said)"
}

# fresh: removes web01.
fresh() {
    "$VIRSH" destroy web01 >/dev/null 2>&1 || true
    "$VIRSH" undefine web01 >/dev/null 2>&1 || true
}

# plain: web01 is a guest without a vGPU.
plain() {
    fresh
    "$VIRSH" define plain.xml >/dev/null
}

# asks WHO WORDS: web01's definition is sound, and asks for WORDS.
asks() {
    "$VIRSH" dumpxml --inactive web01 >given.xml
    vgpuctl check ./given.xml >said 2>&1 || true
    grep -qx './given.xml: ok (vGPUs asked for: 1, warnings: 0)' said ||
        complain "$1: web01 is not as it should be:" "$(cat said)"
    vgpuctl explain ./given.xml >said 2>&1 || true
    grep -qx "$2" said || complain "$1: no \"$2\" in:" "$(cat said)"
}

# runs WHO: web01 runs.
runs() {
    [ "$("$VIRSH" domstate web01 2>&1 | head -n 1)" = running ] || complain "$1: web01 does not run"
}

by_request='ua-gpu0: type T4-1B (said by its <vgpu:device>)'
by_alias='ua-vgpu-small: class small (said by its alias)'

make_machine
PATH=$bin:$PATH
start_libvirt make_pool
cd "$scratch"
page=$srcdir/$page

virt-install --name web01 --memory 2048 --osinfo linux2022 --import --disk none --print-xml \
    >plain.xml

fresh
do_as_shown 'With virt-install'
runs virt-install
asks virt-install "$by_request"
virt-xml web01 --edit --memory 1024 >said 2>&1 || complain "virt-xml cannot change web01:" "$(cat said)"
asks 'virt-xml, something else' "$by_request"
fresh
do_as_shown 'With virt-install' 2
runs 'virt-install, alias'
asks 'virt-install, alias' "$by_alias"

plain
do_as_shown 'With virt-xml'
asks virt-xml "$by_alias"

plain
do_as_shown 'With virsh define'
asks 'virsh define' "$by_request"

# The second display is a file, which the third attaches. The test driver attaches no device, so the
# guest gets the file in another way.
plain
block 'With virsh metadata' 2 >gpu0.xml
sed '/<devices>/r gpu0.xml' plain.xml >with-device.xml
"$VIRSH" define with-device.xml >/dev/null
do_as_shown 'With virsh metadata' 4
asks 'virsh metadata' "$by_request"

# terraform WHICH WORDS: the XML that the provider hands to libvirt. The test driver wants its own
# type.
terraform() {
    sed 's/<domain type="kvm">/<domain type="test">/' terraform.xml >define.xml
    "$VIRSH" define define.xml >/dev/null || complain "Terraform $1: libvirt refuses it"
    asks "Terraform $1" "$2"
}

# The call is that of libvirt/utils_xslt.go of the provider.
fresh
block 'With Terraform' >vgpu.xsl
xsltproc --nomkdir --nonet --nowrite vgpu.xsl "$srcdir/tests/data/terraform-0.8.xml" >terraform.xml
terraform 0.8 "$by_request"

# The text between the two EOT goes into <metadata> unchanged.
fresh
block 'With Terraform' 2 | sed -n '/<<-EOT/,/^  EOT/p' | sed '1d;$d' >request.xml
sed -e 's/@METADATA@/\n&\n/' "$srcdir/tests/data/terraform-0.9.xml" |
    sed -e '/@METADATA@/r request.xml' -e '/@METADATA@/d' >terraform.xml
terraform 0.9 'ua-gpu0: type L40S-1B (said by its <vgpu:device>)'

# The module is from Debian's package ansible.
fresh
do_as_shown 'With Ansible'
block 'With Ansible' 2 >tasks.yml
cat >site.yml <<-'END'
		- hosts: localhost
		  gather_facts: false
		  module_defaults:
		    community.libvirt.virt:
		      uri: "{{ lookup('env', 'LIBVIRT_DEFAULT_URI') }}"
		  tasks:
		    - import_tasks: tasks.yml
	END
ANSIBLE_COLLECTIONS_PATH=$srcdir/build-aux ANSIBLE_HOME=$home ansible-playbook -c local \
    -i localhost, -e ansible_python_interpreter=/usr/bin/python3 site.yml >said 2>&1 ||
    complain "Ansible fails:" "$(cat said)"
runs Ansible
asks Ansible "$by_request"
finish
