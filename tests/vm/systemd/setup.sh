# SPDX-License-Identifier: LGPL-2.1-or-later
# vgpuctl setup: power is cut, and at the next boot all declared cards are as before, and so are their guests.
# shellcheck shell=bash
# needs: libvirt 9.7
#
# LONG=1 has one card more, guests that run when the power is cut, and each tool fails in each way. The boards of an
# ordinary run have fewer functions: an emulated processor needs long for many.

# The cards: mixed sizes, GPU instances, and a profile; with LONG before them mediated devices on functions. $spoilt is
# the card whose tool fails.
unit=libvirt-vgpu-setup.service
drivers=/etc/modules-load.d/vgpu.conf
boards=RTX6000-ADA,A30-MIG,B60
mixed=0100:10:00.0 a30=0100:20:00.0 b60=0100:30:00.0 count=3 of_mixed=16 of_b60=4 part=2
spoilt=$mixed
declare -A types=([large]=RTX6000-Ada-12Q [instance]=A30-2-12C [profile]=b60-8g)
if is_long; then
    boards=A40,L40S,A30-MIG,B60
    spoilt=0100:10:00.0 mixed=0100:20:00.0 a30=0100:30:00.0 b60=0100:40:00.0 count=4 of_mixed=32 of_b60=8 part=4
    types=([large]=L40S-12Q [profile]=b60-8g [plain]=A40-4Q [small]=L40S-4Q [instance]=A30-2-12C)
fi

# result: what vgpuctl setup says of each part, without headings.
result() { vgpuctl setup -rn -o gpu,part,now,result; }

# as_declared: all cards are, and setup has nothing to do.
as_declared() {
    {
        ! is_long || printf '%s\n' "$spoilt functions 32 as\x20declared"
        ! grep -q "$spoilt.*scheduler" "$CONF" || printf '%s\n' "$spoilt scheduler equal-share as\x20declared"
        cat <<-END
			$mixed functions $of_mixed as\x20declared
			$mixed sizes mixed as\x20declared
			$a30 MIG\x20mode on as\x20declared
			$a30 functions 16 as\x20declared
			$a30 time\x20slicing on as\x20declared
			$a30 instances 1g.6gb,\x201g.6gb,\x202g.12gb as\x20declared
			$a30 sizes equal,\x20mixed,\x20equal as\x20declared
			$a30 scheduler equal-share as\x20declared
			$b60 functions $of_b60 as\x20declared
		END
    } | sort | diff - <(result | sort)
    [ "$(vgpuctl gpus -rn -o SETUP | grep -cE '^as.x20declared(.x20at.x2020.*)?$')" = $count ]
}

# service NAME LINE...: makes a unit that stands in for NVIDIA's.
service() {
    printf '%s\n' '[Service]' "${@:2}" '[Install]' 'WantedBy=multi-user.target' >"/etc/systemd/system/$1.service"
}

# journal_says WORDS: does a line of the unit have WORDS?
journal_says() { journalctl -q -b -o cat -u "$unit" | grep "$1"; }

# functions CARD: how many it has.
functions() { cat "/sys/bus/pci/devices/$1/sriov_numvfs"; }

# has_functions CARD COUNT
has_functions() { [ "$(functions "$1")" = "$2" ]; }

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
    systemctl -q enable --now nvidia-vgpud nvidia-vgpu-mgr
    echo "options vgpu-cards cards=$boards" >/etc/modprobe.d/vgpu-cards.conf
    printf '%s\n' vgpu-cards vgpu-cards-xe-vfio >>"$drivers"
    modprobe -a vgpu-cards vgpu-cards-xe-vfio
    vgpu_conf <<-END
		boot_wait = "10m"; # a slow machine may need this time
		gpus = ($(! is_long || echo "{ address = \"$spoilt\"; setup = { functions = \"all\"; }; },")
		    { address = "$mixed"; setup = { functions = "all"; sizes = "mixed"; }; },
		    { address = "$a30"; setup = { functions = "all"; instances = [ "1g.6gb", "2g.12gb", "1g.6gb" ];
		      time_slicing = "on"; sizes = [ "equal", "mixed", "equal" ]; scheduler = "equal-share"; }; },
		    { address = "$b60"; setup = { functions = $of_b60; }; vram = "24480M"; }
		);
		profiles = { b60-8g = { vram = "8G"; }; };
	END
    vgpuctl check
    vgpuctl setup --dry-run
    [ "$(cat "/sys/bus/pci/devices/"{$spoilt,$mixed,$a30,$b60}/sriov_numvfs | sort -u)" = 0 ]
    since=$(systemctl show -P ExecMainStartTimestampMonotonic nvidia-vgpu-mgr)
    vgpuctl setup
    as_declared
    # For a reset the daemon was stopped and started again.
    [ "$(systemctl show -P ExecMainStartTimestampMonotonic nvidia-vgpu-mgr)" -gt "$since" ]
    systemctl -q is-active nvidia-vgpu-mgr
    # Shares that Intel's driver gave the functions are taken back.
    [ "$(cat /sys/bus/pci/devices/$b60/sriov_admin/vf1/profile/vram_quota)" = 0 ]
    look_anew

    for name in "${!types[@]}"; do
        guest "$name"
        vgpuctl attach "$name" --type "${types[$name]}" --config
        virsh -q autostart "$name"
        if is_long; then start "$name"; else claim_defined "$name"; fi
    done

    say "a card in use is not touched, and its user is named; the others are set up"
    sed -i "/$mixed/s/\"mixed\"/\"equal\"/; /$b60/s/functions = $of_b60/functions = $part/" "$CONF"
    before=$(vgpuctl list --raw)
    status=0
    vgpuctl setup 2>said || status=$?
    cat said
    [ "$status" = 4 ]
    grep "$mixed is in use: .* is that of \(large\|small\) (held)" said
    grep "$b60 is in use: .* is that of profile (held)" said
    [ "$(vgpuctl list --raw)" = "$before" ]
    sed -i "/$mixed/s/\"equal\"/\"mixed\"/; /$b60/s/functions = $part/functions = $of_b60/" "$CONF"
    as_declared

    say "the tool sets no scheduler while there is a vGPU"
    status=0
    nvidia-smi vgpu set-scheduler-state -i "$mixed" -p 2 || status=$?
    [ "$status" = 19 ]

    say "an older driver: a scheduler that differs is told, with the line for the module"
    touch /run/nvidia-tools/old
    sed -i "/$spoilt/s/functions = \"all\";/& scheduler = \"equal-share\";/" "$CONF"
    must_fail vgpuctl setup "$spoilt"
    assert_match "$ERR" "$spoilt: NVIDIA's driver is told its scheduler when it is loaded, and it is best-effort"
    grep -Fx "$spoilt scheduler best-effort failed" <(result 2>/dev/null || :)
    vgpuctl gpus -rn -o GPU,SETUP | grep -Fx "$spoilt differs"
    line=$(sed -n "s/.*write 'options nvidia \([^']*\)' into a file of .etc.modprobe.d.*/\1/p" <<<"$ERR")
    echo "options vgpu-cards cards=$boards $line" | tee /etc/modprobe.d/vgpu-cards.conf
    [ -n "$line" ]

    say "of instances, its tool knows only their profiles: that is a warning"
    must_fail vgpuctl setup "$a30"
    assert_match "$ERR" "$a30: its driver sets no sizes of GPU instances"
    grep -Fx "$a30 sizes equal cannot" <(result 2>/dev/null || :)
    rm /run/nvidia-tools/old

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
    for name in "${!types[@]}"; do wait_for is_running "$name"; done
    vgpuctl list
    [ "$(ledger | grep -c ' held made ')" = ${#types[@]} ]
    for name in "${!types[@]}"; do destroy "$name"; done
    assert_empty_ledger

    say "the scheduler of an instance, and of a card, is set"
    sed -i '/1g.6gb/,/equal-share/s/scheduler = "equal-share"/scheduler = "best-effort"/' "$CONF"
    vgpuctl setup
    [ "$(cat /run/nvidia-tools/$a30/scheduler-* | sort -u)" = 1 ]
    sed -i '/1g.6gb/,/best-effort/s/scheduler = "best-effort"/scheduler = "equal-share"/' "$CONF"
    sed -i "/$spoilt/s/scheduler = \"equal-share\"/scheduler = \"best-effort\"/" "$CONF"
    vgpuctl setup
    [ "$(cat /run/nvidia-tools/$spoilt/scheduler-)" = 1 ]
    sed -i "/$spoilt/s/scheduler = \"best-effort\"/scheduler = \"equal-share\"/" "$CONF"
    vgpuctl setup
    as_declared

    say "somebody uses a card for a while: libvirt does not wait for long, and the card is set up in the end"
    sed -i "s/^boot_wait = .*/boot_wait = \"60m\";/; /$b60/s/functions = $of_b60/functions = $part/" "$CONF"
    read -r user _ <<<"$(vfs_of $b60 | xargs)"
    bind_driver "$user" vgpu-cards-xe-vfio
    exec 9<"/dev/vfio/$(group_of "$user")"
    timeout 90 systemctl restart $unit
    wait_for journal_says "$b60 is in use: .* by process .*; it is tried again for .* s, and libvirt does not wait"
    [ "$(systemctl show -P SubState $unit)" = running ]
    exec 9<&-
    bind_driver "$user" ''
    # Until the unit's process ends, it has the card.
    is_over() { [ "$(systemctl show -P SubState $unit)" = exited ]; }
    wait_for is_over
    has_functions $b60 $part
    sed -i "/$b60/s/functions = $part/functions = $of_b60/" "$CONF"
    vgpuctl setup
    as_declared

    say "a tool fails, and with LONG lies: the answer is right, the other cards are set up, and the next call finishes"
    sed -i 's/^boot_wait = .*/boot_wait = "1s";/' "$CONF"
    faults=(fails)
    ! is_long || faults+=(lies)
    for fault in "${faults[@]}"; do
        echo 0 >/sys/bus/pci/devices/$spoilt/sriov_numvfs
        echo 0 >/sys/bus/pci/devices/$b60/sriov_numvfs
        echo "$fault" >/run/nvidia-tools/fault
        must_fail vgpuctl setup
        case $fault in
        fails) assert_match "$ERR" 'sriov-manage -e .* failed \(exit status 1\); see journalctl -k' ;;
        lies) assert_match "$ERR" "$spoilt has no virtual functions, although sriov-manage ended well" ;;
        esac
        [ "$(functions $b60)" = "$of_b60" ]
        vgpuctl setup
        as_declared
        if is_long; then
            rm -f /run/nvidia-tools/$mixed/mixed
            echo "$fault" >/run/nvidia-tools/fault
            must_fail vgpuctl setup
            vgpuctl setup
            as_declared
        fi
    done

    say "the unit is up when boot_wait is over, although a tool hangs"
    echo 0 >/sys/bus/pci/devices/$spoilt/sriov_numvfs
    echo hangs >/run/nvidia-tools/fault
    # A unit that waits for the tool comes back when the tool is no longer there.
    systemctl restart $unit
    systemctl -q is-active $unit
    [ "$(functions $spoilt)" = 0 ]
    wait_for pgrep -fx 'sleep 1000'
    systemctl stop $unit
    vgpuctl setup
    as_declared
    ;;
esac
