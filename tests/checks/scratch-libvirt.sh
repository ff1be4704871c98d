# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# scratch-libvirt: a libvirtd of our own with libvirt's test driver. A check sources it after
# guard.sh. It gets a directory $scratch, with the daemon's $home in it, and virsh knows the daemon by
# LIBVIRT_DEFAULT_URI. stop_libvirt is to run at exit.

needs libvirtd
LIBVIRTD=$found
needs virsh
VIRSH=$found

scratch=$(mktemp -d)
chmod 755 "$scratch"
home=$scratch/home
mkdir "$home"
export LIBVIRT_DEFAULT_URI="test+unix:///default?socket=$home/libvirt-sock"
export HOME="$home" XDG_CACHE_HOME="$home" XDG_CONFIG_HOME="$home"

# start_libvirt COMMAND...: starts it, and repeats the command until it succeeds. This libvirtd runs
# as nobody, loads no driver, and knows nothing of the machine on which it runs.
daemon='' holder=''
start_libvirt() {
    printf '%s\n' "unix_sock_dir = \"$home\"" 'auth_unix_rw = "none"' 'auth_unix_ro = "none"' \
        'unix_sock_rw_perms = "0777"' >"$scratch/libvirtd.conf"
    (
        set -- "$LIBVIRTD" --config "$scratch/libvirtd.conf" --pid-file "$home/pid" --timeout 600
        if [ "$(id -u)" = 0 ]; then
            chown nobody "$home"
            set -- setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
        fi
        LIBVIRT_DRIVER_DIR=$scratch/none XDG_RUNTIME_DIR=$home exec "$@" \
            >"$scratch/libvirtd.log" 2>&1 </dev/null
    ) &
    daemon=$!
    wait_for "$VIRSH" version
    # The test driver forgets all when its last connection closes. So one connection stays open.
    "$VIRSH" event --event lifecycle --loop >"$scratch/events" 2>&1 </dev/null &
    holder=$!
    wait_for "$@"
}

# wait_for COMMAND...: waits until it succeeds.
wait_for() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -gt 600 ] || ! kill -0 "$daemon" 2>/dev/null; then
            echo "there is no libvirtd:" "$(cat "$scratch/libvirtd.log")"
            exit 1
        fi
        sleep 0.1
    done
}

stop_libvirt() {
    for process in $holder $daemon; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
