# SPDX-License-Identifier: LGPL-2.1-or-later
# vgpuctl setup: power is cut, and at the next boot all declared cards are as before, and so are their guests.
# shellcheck shell=bash
# needs: libvirt 9.7
# takes: 300

# The cards, in the order of "boards": a mediated device on a function, mixed sizes, GPU instances, and a profile.
boards=A40,L40S,A30-MIG,B60
a40=0100:10:00.0 l40s=0100:20:00.0 a30=0100:30:00.0 b60=0100:40:00.0
unit=libvirt-vgpu-setup.service
drivers=/etc/modules-load.d/vgpu.conf
guests=(plain large small instance profile)

# result: what vgpuctl setup says of each part, without headings.
result() { vgpuctl setup -rn -o gpu,part,now,result; }

# as_declared: all cards are, and setup has nothing to do.
as_declared() {
    {
        printf '%s\n' "$a40 functions 32 as\x20declared"
        ! grep -q scheduler "$CONF" || printf '%s\n' "$a40 scheduler equal-share as\x20declared"
        cat <<-END
			$l40s functions 32 as\x20declared
			$l40s sizes mixed as\x20declared
			$a30 MIG\x20mode on as\x20declared
			$a30 functions 16 as\x20declared
			$a30 instances 1g.6gb,\x201g.6gb,\x202g.12gb as\x20declared
			$b60 functions 8 as\x20declared
		END
    } | diff - <(result)
    [ "$(vgpuctl gpus -rn -o SETUP | grep -cFx 'as\x20declared')" = 4 ]
}

# service NAME LINE...: makes and starts a unit that stands in for NVIDIA's.
service() {
    printf '%s\n' '[Service]' "${@:2}" '[Install]' 'WantedBy=multi-user.target' >"/etc/systemd/system/$1.service"
    systemctl daemon-reload
    systemctl -q enable --now "$1"
}

# functions CARD: how many it has.
functions() { cat "/sys/bus/pci/devices/$1/sriov_numvfs"; }

case $PHASE in
1)
    at_end rm -rf /usr/lib/nvidia /usr/bin/nvidia-smi /run/nvidia-tools /etc/modprobe.d/vgpu-cards.conf
    at_end rm -f /etc/systemd/system/nvidia-vgpu{d,-mgr}.service
    at_end systemctl -q disable --now nvidia-vgpud nvidia-vgpu-mgr
    cp -a "$drivers" /vgpu/state/drivers
    at_end mv /vgpu/state/drivers "$drivers"
    install -D /vgpu/tests/vm/tools/sriov-manage /usr/lib/nvidia/sriov-manage
    install /vgpu/tests/vm/tools/nvidia-smi /usr/bin/nvidia-smi
    install /vgpu/tests/vm/tools/nvidia-vgpud /usr/lib/nvidia/nvidia-vgpud
    service nvidia-vgpud 'Type=oneshot' 'ExecStart=/usr/lib/nvidia/nvidia-vgpud'
    service nvidia-vgpu-mgr 'ExecStart=sleep infinity'
    echo "options vgpu-cards cards=$boards" >/etc/modprobe.d/vgpu-cards.conf
    printf '%s\n' vgpu-cards vgpu-cards-xe-vfio >>"$drivers"
    modprobe -a vgpu-cards vgpu-cards-xe-vfio
    vgpu_conf <<-END
		boot_wait = "10m"; # a slow machine may need this time
		gpus = (
		    { address = "$a40"; setup = { functions = "all"; }; },
		    { address = "$l40s"; setup = { functions = "all"; sizes = "mixed"; }; },
		    { address = "$a30"; setup = { functions = "all"; instances = [ "1g.6gb", "2g.12gb", "1g.6gb" ]; }; },
		    { address = "$b60"; setup = { functions = 8; }; vram = "24480M"; }
		);
		profiles = { b60-8g = { vram = "8G"; }; };
	END
    vgpuctl check
    vgpuctl setup --dry-run
    [ "$(functions $a40)$(functions $l40s)$(functions $a30)$(functions $b60)" = 0000 ]
    since=$(systemctl show -P ExecMainStartTimestampMonotonic nvidia-vgpu-mgr)
    vgpuctl setup
    as_declared
    # For a reset the daemon was stopped and started again.
    [ "$(systemctl show -P ExecMainStartTimestampMonotonic nvidia-vgpu-mgr)" -gt "$since" ]
    systemctl -q is-active nvidia-vgpu-mgr
    # Shares that Intel's driver gave the functions are taken back.
    [ "$(cat /sys/bus/pci/devices/$b60/sriov_admin/vf1/profile/vram_quota)" = 0 ]
    look_anew

    guest plain && vgpuctl attach plain --type A40-4Q --config
    guest large && vgpuctl attach large --type L40S-12Q --config
    guest small && vgpuctl attach small --type L40S-4Q --config
    guest instance && vgpuctl attach instance --type A30-2-12C --config
    guest profile && vgpuctl attach profile --type b60-8g --config
    for name in "${guests[@]}"; do
        virsh -q autostart "$name"
        start "$name"
    done

    say "a card in use is not touched, and its user is named; the others are set up"
    sed -i 's/"mixed"/"equal"/; s/functions = 8/functions = 4/' "$CONF"
    before=$(vgpuctl list --raw)
    status=0
    vgpuctl setup 2>said || status=$?
    cat said
    [ "$status" = 4 ]
    grep "$l40s is in use: .* is that of \(large\|small\) (held)" said
    grep "$b60 is in use: .* is that of profile (held)" said
    [ "$(vgpuctl list --raw)" = "$before" ]
    sed -i 's/"equal"/"mixed"/; s/functions = 4/functions = 8/' "$CONF"
    as_declared

    say "a scheduler that differs is told, with the line for the module"
    sed -i "/$a40/s/functions = \"all\";/& scheduler = \"equal-share\";/" "$CONF"
    must_fail vgpuctl setup
    assert_match "$ERR" "$a40: NVIDIA's driver is told its scheduler when it is loaded, and it is best-effort"
    grep -Fx "$a40 scheduler best-effort failed" <(result 2>/dev/null || :)
    vgpuctl gpus -rn -o GPU,SETUP | grep -Fx "$a40 differs"
    line=$(sed -n "s/.*write 'options nvidia \([^']*\)' into a file of .etc.modprobe.d.*/\1/p" <<<"$ERR")
    echo "options vgpu-cards cards=$boards $line" | tee /etc/modprobe.d/vgpu-cards.conf
    [ -n "$line" ]

    systemctl -q enable $unit
    power_loss
    ;;
2)
    at_end systemctl -q disable $unit
    at_end systemctl stop $unit
    wait_for libvirtd_answers
    systemctl status $unit --no-pager
    systemctl -q is-active $unit
    as_declared
    for name in "${guests[@]}"; do wait_for is_running "$name"; done
    vgpuctl list
    [ "$(ledger | grep -c ' held made ')" = 5 ]
    for name in "${guests[@]}"; do destroy "$name"; done
    assert_empty_ledger

    say "each tool fails, hangs or lies once: the answer is right, and the next call finishes"
    sed -i 's/^boot_wait = .*/boot_wait = "1s";/' "$CONF"
    for fault in fails lies; do
        echo 0 >/sys/bus/pci/devices/$a40/sriov_numvfs
        echo 0 >/sys/bus/pci/devices/$b60/sriov_numvfs
        echo $fault >/run/nvidia-tools/fault
        must_fail vgpuctl setup
        case $fault in
        fails) assert_match "$ERR" 'sriov-manage -e .* failed \(exit status 1\); see journalctl -k' ;;
        lies) assert_match "$ERR" "$a40 has no virtual functions, although sriov-manage ended well" ;;
        esac
        [ "$(functions $b60)" = 8 ]
        vgpuctl setup
        as_declared
        rm -f /run/nvidia-tools/$l40s/mixed
        echo $fault >/run/nvidia-tools/fault
        must_fail vgpuctl setup
        vgpuctl setup
        as_declared
    done

    say "the unit is up when boot_wait is over, although a tool hangs"
    echo 0 >/sys/bus/pci/devices/$a40/sriov_numvfs
    echo hangs >/run/nvidia-tools/fault
    # A unit that waits for the tool comes back when the tool is no longer there.
    systemctl restart $unit
    systemctl -q is-active $unit
    [ "$(functions $a40)" = 0 ]
    wait_for pgrep -fx 'sleep 1000'
    systemctl stop $unit
    vgpuctl setup
    as_declared
    ;;
esac
