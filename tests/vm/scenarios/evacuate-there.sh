# SPDX-License-Identifier: LGPL-2.1-or-later
# The guest of a GPU that has to be empty goes live to another host, and comes back.
# shellcheck shell=bash
# needs: distribution
# needs: libvirt 9.7
# needs: qemu 8.1

cards mdev
vgpu_conf <<<'evacuate = [ "live" ];'
guest web01 --metadata "$(request "<vgpu:device alias='ua-gpu0' type='T4-2Q'/>")" --hostdev "$(new_uuid),ua-gpu0" --migratable
start web01
gpu=$(vgpuctl list -rn -o GPU)
start_host2
there=$(peer)
is_sure() { [ "$(vgpuctl where web01 -c "$there" -rn -o ANSWER)" = yes ]; }
wait_for is_sure

say "there"
must_fail vgpuctl evacuate "$gpu" --dry-run
assert_match "$ERR" 'what stays: 1 of 1'
vgpuctl evacuate "$gpu" --connect "$there" -rn -o DOMAIN,HOW,TO,RESULT | tee moves
grep -Fx "web01 live $there moved" moves
on_host2 is_running web01
must_fail virsh -q domuuid web01
assert_empty_ledger

say "and back"
vgpuctl evacuate --back -rn -o DOMAIN,FROM,HOW,RESULT | tee moves
grep -Fx "web01 $there live moved" moves
is_running web01
[ -z "$(on_host2 virsh -q list --all --name | xargs)" ]
[ -z "$(ls /var/lib/libvirt-vgpu/evacuated)" ]
[ "$(vgpuctl gpus -rn -o DRAINED | sort -u)" = no ]
destroy web01
assert_empty_ledger
