# SPDX-License-Identifier: LGPL-2.1-or-later
# A GPU is drained, and its running guests move to another GPU, or are shut down and started there. They come back.
# evacuate-host plays it with more cards and guests, and with kills.
# shellcheck shell=bash
# needs: libvirt 9.7
# needs: qemu 8.1

# on GUEST: the GPU of the guest's vGPU, by the ledger.
on() { vgpuctl list -rn -o GPU,DOMAIN | sed -n "s/ $1$//p"; }

cards mdev
vgpuctl drain "${T4[1]}"
for n in 1 2; do
    guest "web0$n" --metadata "$(request "<vgpu:device alias='ua-gpu0' type='T4-2Q'/>")" \
        --hostdev "$(new_uuid),ua-gpu0" --migratable
    start "web0$n"
done
guest web03 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='T4-2Q' parent='${T4[0]}'/>")" \
    --hostdev "$(new_uuid),ua-gpu0" --migratable
start web03
for n in 1 2 3; do [ "$(on "web0$n")" = "${T4[0]}" ]; done

say "nowhere to go"
must_fail vgpuctl evacuate "${T4[0]}" --dry-run
assert_match "$ERR" 'what stays: 3 of 3'
vgpuctl undrain "${T4[1]}"

say "the plan changes nothing, and the evacuation does what the plan says"
status=0
vgpuctl evacuate "${T4[0]}" --dry-run -rn -o DOMAIN,HOW,TO >plan || status=$?
[ $status = 4 ]
grep -qx "web01 here ${T4[1]}" plan
grep -qx "web02 here ${T4[1]}" plan
grep -q '^web03 stays' plan
[ "$(vgpuctl list -rn -o GPU | sort -u)" = "${T4[0]}" ]
status=0
runuser -u nobody -- vgpuctl evacuate "${T4[0]}" --dry-run -rn -o DOMAIN,HOW,TO >plan.nobody || status=$?
[ $status = 4 ]
cmp plan plan.nobody
must_fail runuser -u nobody -- vgpuctl evacuate "${T4[0]}"
[ "$(vgpuctl gpus -rn -o DRAINED | sort -u)" = no ]
status=0
vgpuctl evacuate "${T4[0]}" -rn -o DOMAIN,RESULT,TO >moves || status=$?
[ $status = 4 ]
grep -qx "web01 moved ${T4[1]}" moves
grep -qx "web02 moved ${T4[1]}" moves
grep -q '^web03 stayed' moves
[ "$(on web01)" = "${T4[1]}" ]
[ "$(on web02)" = "${T4[1]}" ]
[ "$(on web03)" = "${T4[0]}" ]
for n in 1 2 3; do is_running "web0$n"; done

say "they come home"
away=/var/lib/libvirt-vgpu/evacuated
[ "$(find $away -type f -printf "%f\n" | sort)" = "$(for n in 1 2; do virsh -q domuuid "web0$n" | xargs; done | sort)" ]
[ "$(vgpuctl evacuate --back --dry-run -rn -o DOMAIN,HOW,TO)" = "web01 here ${T4[0]}
web02 here ${T4[0]}" ]
[ "$(vgpuctl evacuate --back -rn -o DOMAIN,RESULT,REASON)" = "web01 moved -
web02 moved -" ]
for n in 1 2 3; do
    [ "$(on "web0$n")" = "${T4[0]}" ]
    is_running "web0$n"
done
[ -z "$(ls $away)" ]
[ "$(vgpuctl gpus -rn -o DRAINED | sort -u)" = no ]
destroy web03

say "the GPU is empty once the last guest is off, and takes its guests back"
vgpuctl evacuate "${T4[0]}" --json >steps
# Each of two moves begins and ends, and then the whole has ended. "-": no result yet.
[ "$(sed 's/^.*"result": *"\([a-z]*\)".*"result": *"\([a-z]*\)".*$/\1 \2/' steps | sed "s/ $/ -/")" = "moving -
moved -
moved moving
moved moved
moved moved" ]
vgpuctl evacuate "${T4[0]}" 2>&1 | grep 'nothing is there'
must_fail claim web04 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='T4-2Q' parent='${T4[0]}'/>")" \
    --hostdev "$(new_uuid),ua-gpu0"
vgpuctl undrain "${T4[0]}"
vgpuctl evacuate "${T4[1]}"
[ "$(vgpuctl list -rn -o GPU | sort -u)" = "${T4[0]}" ]
for n in 1 2; do is_running "web0$n"; done
# They are at home, where the first evacuation has found them.
[ -z "$(ls $away)" ]

say "a guest that vgpu.conf forbids to save is shut down, and started on the other GPU"
vgpu_conf <<<'domains = ( { name = "web01"; evacuate = [ "live" ]; } );'
vgpuctl undrain "${T4[1]}"
pid=$(qemu_pid web01)
must_fail vgpuctl evacuate "${T4[0]}" --stop --timeout 1 --except web02
assert_match "$ERR" 'guests that could not be moved: 1 of 2'
is_running web01
(vgpuctl evacuate "${T4[0]}" --stop --except web02 -rn -o DOMAIN,HOW,RESULT >moves) || true &
child=$!
has_place() { ledger | grep pending; }
wait_for has_place
acpi_ports web01
monitor web01 'o /h 0x604 0x2000' || true
wait $child
grep -x 'web01 stop moved' moves
grep -x 'web02 stays stayed' moves
is_running web01
[ "$(qemu_pid web01)" != "$pid" ]
[ "$(on web01)" = "${T4[1]}" ]
for n in 1 2; do destroy "web0$n"; done
assert_empty_ledger
