# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The script of vgpu-request(7), taken from the page word for word. It gives a guest a vGPU by what vgpuctl tells
# programs. The host is fake (tests/cockpit/fake-host.c), and libvirt has its test driver.

. "$srcdir/tests/checks/guard.sh"
needs jq
. "$srcdir/tests/checks/scratch-libvirt.sh"
host=''
stop_all() {
    kill $host 2>/dev/null || true
    stop_libvirt
}
trap stop_all EXIT

mkdir "$scratch/bin"
fake=$scratch/bin/fake-host socket=$scratch/host
cp "$top_builddir/tests/cockpit/fake-host" "$fake"
printf '#!/bin/sh\nexec "%s" ask "%s" vgpuctl "$@"\n' "$fake" "$socket" >"$scratch/bin/vgpuctl"
# The test driver calls no hook, so this does.
cat >"$scratch/bin/virsh" <<END
#!/bin/sh -eu
[ "\$2" != start ] || "$VIRSH" dumpxml "\$3" | "$fake" ask "$socket" hook "\$3" prepare begin -
exec "$VIRSH" "\$@"
END
chmod 755 "$scratch/bin/vgpuctl" "$scratch/bin/virsh"

start_libvirt true
TMPDIR=$scratch "$fake" serve "$socket" "$srcdir/tests/machines/t4-l40s" "$LIBVIRT_DEFAULT_URI" \
    >"$scratch/root" 2>"$scratch/host.log" &
host=$!
wait_for test -S "$socket"
echo '<domain type="test"><name>web01</name><uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>
    <memory>65536</memory><os><type>hvm</type></os></domain>' >"$scratch/web01.xml"
"$VIRSH" -q define "$scratch/web01.xml"
sed 's/web01/web03/; s/000000000001/000000000003/' "$scratch/web01.xml" >"$scratch/web03.xml"
"$VIRSH" -q define "$scratch/web03.xml"

awk '/^\.Ss With a script/ { inside = 1 } /^\.Ed/ && shown { exit } shown { print } inside && /^\.Bd/ { shown = 1 }' \
    config/vgpu-request.7 >"$scratch/script"
[ -s "$scratch/script" ]
[ "$(wc -l <"$scratch/script")" -le 30 ] || complain "the script of vgpu-request(7) has more than 30 lines"

# run STATUS WORDS ARGUMENT...: what the script says has these words, and its exit status is this one.
run() {
    wanted=$1 words=$2 status=0
    shift 2
    said=$(cd "$scratch" && PATH=$scratch/bin:$PATH sh -u ./script "$@" 2>&1) || status=$?
    [ "$status" = "$wanted" ] || complain "script $*: status $status: $said"
    case $said in
        *"$words"*) ;;
        *) complain "script $*: it says: $said" ;;
    esac
}

run 1 'there is no domain "web02"' web02 T4-2Q
# A shell's echo may change backslashes, which JSON has.
run 1 'no-domain: there is no domain "web\n02"' 'web\n02' T4-2Q
run 1 'T4-9Q' web01 T4-9Q
run 0 '0000:18:00.0
  room: 8
0000:3d:00.0
  room: 0
ua-gpu0
' web01 T4-2Q
case $said in
    *'
0000:18:00.0') ;;
    *) complain "the script does not tell the GPU last: $said" ;;
esac
# The first guest has the GPU.
run 3 '0000:18:00.0
  room: 0
0000:3d:00.0
  room: 0
no-room
0000:18:00.0 full 1 1
0000:3d:00.0 no-type' web03 T4-16Q
[ "$("$VIRSH" -q list --inactive --name)" = web03 ]
case $("$VIRSH" dumpxml web03) in
    *'<hostdev'*) complain 'the script leaves the vGPU in a guest that did not start' ;;
esac
finish
