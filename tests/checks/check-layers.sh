# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The house: every file is in a room; and the world is an argument. (Which room may include which
# follows as soon as the circles are gone.)

. "$srcdir/tests/checks/guard.sh"

# Each room and the rooms that its files may include, itself apart.
rooms='
common/base
common/domain       base
common/policy       base
common/device       base domain policy
common/lease        base domain policy device
common/placement    base domain policy device lease
common/apply        base domain policy device lease placement
common/actions      base domain policy device lease placement apply
nodedev/libvirt     base domain policy device lease placement apply actions
nodedev/xml         base domain policy device lease placement apply actions libvirt
nodedev/view        base domain policy device lease placement apply actions libvirt xml
nodedev/cli         base domain policy device lease placement apply actions libvirt xml view
nodedev/attach      base domain policy device lease placement apply actions libvirt xml view cli
nodedev/migrate     base domain policy device lease placement apply actions libvirt xml view cli
nodedev/check       base domain policy device lease placement apply actions libvirt xml view cli
nodedev/doctor      base domain policy device lease placement apply actions libvirt xml view cli
nodedev/commands    base domain policy device lease placement apply actions libvirt xml view cli attach migrate check doctor
nodedev/callout     base domain policy device lease placement apply actions
'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find common nodedev -name '*.[ch]' | sort >"$scratch/files"
[ "$(wc -l <"$scratch/files")" -gt 100 ] || complain "there are hardly any files to look at"

# Who includes what: "ROOM NOUN HEADER", with the folders left out of a noun: "device/vgpu".
while read -r file; do
    room=${file%/*}
    echo "$rooms" | awk -v room="$room" '$1 == room { found = 1 } END { exit !found }' ||
        complain "$file: $room is no room of tests/checks/check-layers.sh"
    noun=${file%.[ch]}
    sed -n "s,^#include \"\(.*\)\.h\",$room ${noun#*/} \1,p" "$file"
done <"$scratch/files" >"$scratch/includes"

# Absolute paths live in main only, and libvirt nowhere below nodedev/.
if grep -nE '"/(sys|run|etc|dev|proc)(/|")' common/*/*.c hooks/hook.c; then
    complain "an absolute path below main"
fi
libvirt=$(grep -rl --include='*.[ch]' '<libvirt/' common hooks nodedev)
[ "$libvirt" = nodedev/libvirt/connection.c ] ||
    complain "libvirt's headers belong into nodedev/libvirt/connection.c alone:" "$libvirt"

# No variable at file scope that can change.
for object in "$top_builddir"/common/*/*.o "$top_builddir"/hooks/*.o "$top_builddir"/nodedev/*/*.o; do
    nm "$object" | grep -q __asan && continue
    variables=$(objdump -t "$object" |
        awk '$3 == "O" && $4 ~ /^(\.data|\.bss|\.tbss|\*COM\*)/ && $4 !~ /rel\.ro/ { print $NF }')
    [ -z "$variables" ] || complain "$(basename "$object"): can change: $variables"
done
finish
