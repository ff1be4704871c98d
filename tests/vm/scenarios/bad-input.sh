# SPDX-License-Identifier: LGPL-2.1-or-later
# Input that no libvirt sends: the hook prints one line, makes nothing, and fails only where it may.
# shellcheck shell=bash

device=$(new_uuid)
guest_xml web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device" >good.xml
head -c -20 good.xml >truncated.xml
sed '/<uuid>/d' good.xml >no-uuid.xml
sed 's/domain:1/domain:2/' good.xml >newer.xml
sed 's/mtty-2/..\/mtty-2/' good.xml >slash.xml
(echo '<domain>'; yes '<a/>') 2>/dev/null | head -c 9000000 >huge.xml || true
(echo '<!DOCTYPE d [<!ENTITY a "aaaa">]>'; cat good.xml) >dtd.xml
: >empty.xml

# hook STATUS FILE ARGUMENT...: runs the hook, which must end with STATUS. If STATUS is 1, it must
# print one line of ours.
hook() {
    local status=0 expected=$1 file=$2
    shift 2
    libvirt-vgpu-hook "$@" <"$file" >out 2>err || status=$?
    [ "$status" = "$expected" ] || fail "status $status: $* <$file: $(cat err)"
    [ ! -s out ] || fail "on stdout: $(cat out)"
    [ "$status" = 0 ] || [ "$(grep -c '^vgpu: ' err)" = 1 ] || fail "not one line: $(cat err)"
    [ "$(wc -l <err)" -le 1 ]
    assert_no_mdevs
}

# The hook needs seconds to read the huge file. It reads the file before it looks at the operation. So
# an ordinary run plays only two operations with it.
files=(truncated no-uuid dtd empty)
if is_long; then
    files+=(huge)
else
    hook 1 huge.xml web01 prepare begin -
    hook 0 huge.xml web01 release end failed
fi
for file in "${files[@]}"; do
    for operation in prepare migrate restore; do hook 1 "$file.xml" web01 $operation begin -; done
    for operation in start started reconnect; do hook 0 "$file.xml" web01 $operation begin -; done
    for operation in stopped release; do hook 0 "$file.xml" web01 $operation end failed; done
done
hook 1 newer.xml web01 prepare begin -
hook 1 slash.xml web01 prepare begin -
hook 0 newer.xml web01 reconnect begin -
hook 0 slash.xml web01 release end -
hook 1 good.xml
hook 1 good.xml web01
hook 1 good.xml web01 prepare
hook 0 good.xml web01 reconnect
hook 0 good.xml web01 invented later -
hook 1 truncated.xml '-rf' prepare begin -
hook 1 truncated.xml $'two\nlines and \e[1m' prepare begin -
hook 1 /dev/zero web01 prepare begin -
hook 0 /dev/zero web01 release end -

status=0
libvirt-vgpu-hook web01 prepare begin - <&- 2>err || status=$?
[ "$status" = 1 ]
[ "$(grep -c '^vgpu: ' err)" = 1 ]
# All three standard streams are closed. The hook must not write messages into a file that it opens.
status=0
libvirt-vgpu-hook web01 prepare begin - <&- >&- 2>&- || status=$?
[ "$status" = 1 ]
assert_no_mdevs
assert_empty_ledger
