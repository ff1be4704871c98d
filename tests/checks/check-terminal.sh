# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# vgpuctl in a real terminal, that of tmux. The check tests what `status --watch` shows and when, and
# how it ends. It also tests where there are colours.

. "$srcdir/tests/checks/guard.sh"
needs tmux

scratch=$(mktemp -d)
root=$scratch/root gpu=$scratch/root/sys/class/mdev_bus/0000:18:00.0
vgpuctl=$top_builddir/tests/vgpuctl
unset TMUX NO_COLOR

# Each start has its own tmux server, because the last server may not have ended yet.
starts=0
tm() { command tmux -f /dev/null -S "$scratch/socket$starts" "$@"; }
trap 'tm kill-server 2>/dev/null || true; rm -rf "$scratch"' EXIT

# make_type ID NAME MIB MAX AVAILABLE
make_type() {
    mkdir -p "$gpu/mdev_supported_types/$1"
    echo "$2" >"$gpu/mdev_supported_types/$1/name"
    echo "framebuffer=$3M, max_instance=$4" >"$gpu/mdev_supported_types/$1/description"
    echo vfio-pci >"$gpu/mdev_supported_types/$1/device_api"
    echo "$5" >"$gpu/mdev_supported_types/$1/available_instances"
}

# make_device NUMBER: a vGPU of nvidia-222, made by somebody else.
make_device() {
    uuid=dddddddd-0000-4000-8000-00000000000$1
    mkdir -p "$gpu/$uuid" "$root/sys/bus/mdev/devices"
    ln -s ../mdev_supported_types/nvidia-222 "$gpu/$uuid/mdev_type"
    ln -s "../../../class/mdev_bus/0000:18:00.0/$uuid" "$root/sys/bus/mdev/devices/$uuid"
}

make_type nvidia-222 'GRID T4-1B' 1024 16 16
make_type nvidia-231 'GRID T4-2Q' 2048 8 8
mkdir -p "$root/proc/sys/kernel/random"
echo 0b6a3c55-9d2a-4e0b-8f64-2f1f4f6f7d10 >"$root/proc/sys/kernel/random/boot_id"
chmod -R go-w "$root"

# screen [OPTION]: the text that the terminal shows.
screen() { tm capture-pane -p "$@"; }

# wait_for WORDS: waits until the terminal shows WORDS. After a minute it gives up.
wait_for() {
    tries=0
    until screen | grep -qF -e "$1"; do
        tries=$((tries + 1))
        if [ $tries -gt 600 ]; then
            complain "the terminal never showed '$1', but:" "$(screen)"
            finish
        fi
        sleep 0.1
    done
}

# start ENVIRONMENT COMMAND [HOSTS]: runs it on the artificial machine, or on other hosts, in a
# terminal of 80 columns. When the command has ended, the terminal shows "ended STATUS".
start() {
    [ $starts -eq 0 ] || tm kill-server
    starts=$((starts + 1))
    tm new-session -d -x 80 -y 24 "trap : INT; env TERM=screen $1 sh -c '$vgpuctl ${3:---root $root} $2'
        echo ended \$?; echo that was all; exec cat" \; set status off
}

# The picture is the same as in a pipe, and follows each change.
start NO_COLOR=1 'status --watch'
wait_for '0 of 16384 MiB in use'
"$vgpuctl" --root "$root" status >"$scratch/plain"
screen | head -n "$(wc -l <"$scratch/plain")" | diff "$scratch/plain" - >"$scratch/diff" ||
    complain "--watch draws something else ('>') than what is drawn once ('<'):" \
        "$(cat "$scratch/diff")"
screen -e | grep -q "$(printf '\033')" && complain "colours, although NO_COLOR is set"
# The card takes one size at a time, so its other type goes.
echo 0 >"$gpu/mdev_supported_types/nvidia-231/available_instances"
make_device 1
echo 15 >"$gpu/mdev_supported_types/nvidia-222/available_instances"
wait_for '1024 of 16384 MiB in use'
screen | grep -q '^ a dddddddd.* T4-1B *1024 MiB foreign$' || complain "no line for its vGPU:" "$(screen)"

# ^C ends the program.
end() {
    tm send-keys C-c
    wait_for 'that was all'
    screen | grep -q 'ended 130$' || complain "$1: ^C does not end it:" "$(screen)"
}
end 'status'

# One of the other hosts does not answer. The picture says so.
hosts="-c test://$PWD/tests/data/t4-host.xml -c test:///no/such/host/that/anybody/knows"
start '' "status --watch" "$hosts"
wait_for '1 of 2 hosts gave no answer'
screen | grep -q 'free: at most 14 T4-1B' || complain "the other host is not shown:" "$(screen)"
screen | tr -d '\n ' | grep -qF 'cannotconnecttotest:///no/such/host/that/anybody/knows' ||
    complain "the host that is not there is not named:" "$(screen)"
end 'status of other hosts'

# Colours are for terminals.
start '' 'status'
wait_for 'that was all'
screen -e | grep -q "$(printf '\033\\[[0-9;]*45m')" || complain "no colour on a terminal:" "$(screen -e)"
start '' 'list'
wait_for 'that was all'
screen -e | grep -q "$(printf '\033\[[0-9;]*45m').*foreign" ||
    complain "no colour in a table:" "$(screen -e)"
start '' 'status | cat'
wait_for 'that was all'
screen -e | grep -q "$(printf '\033')" && complain "colours in a pipe"
start NO_COLOR=1 'status --color=always | cat'
wait_for 'that was all'
screen -e | grep -q "$(printf '\033\[[0-9;]*45m')" || complain "no colour with --color=always"
start '' 'status --color=never'
wait_for 'that was all'
screen -e | grep -q "$(printf '\033')" && complain "colours with --color=never"

# Tables are watched as well.
start '' 'list --watch --interval 1'
wait_for 'foreign'
make_device 2
wait_for 'dddddddd-0000-4000-8000-000000000002'
end 'list'

# Only terminals get tables that fit.
start '' 'types'
wait_for 'that was all'
screen | grep -q '^0000:18:00.0 nvidia-222 GRID T4-1B .* 14$' ||
    complain "a table that does not fit:" "$(screen)"
start '' 'types | cat'
wait_for 'that was all'
screen | grep -q 'SLICES$' ||
    complain "a table in a pipe that has not all of its columns:" "$(screen)"
finish
