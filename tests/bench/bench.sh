#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# bench.sh BUILD-DIRECTORY: the cost of the hook, as ratios that are measured in one run.
set -eu

build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkfifo "$scratch/hold" "$scratch/said"

# show_list [vf]: prints the cost of a list on a large host. The tree of this host, $tree, stays
# until drop_tree. The output comes through a pipe, and this waits until it is complete, or until
# the program has ended.
show_list() {
    "$build/tests/bench/bench-list" 32 200 "$@" <"$scratch/hold" >"$scratch/said" &
    exec 3>"$scratch/hold" 4<"$scratch/said"
    if ! { read -r figures && read -r tree; } <&4; then
        echo "bench.sh: bench-list $* has failed" >&2
        exit 1
    fi
    echo "  $figures"
}

drop_tree() {
    exec 3>&- 4<&-
    wait
}

# The yardsticks: a shell that does nothing, a program that does, and one that also loads our
# libraries.
printf '#!/bin/bash\nexit 0\n' >"$scratch/shell"
chmod +x "$scratch/shell"
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
"${CC:-cc}" -O2 -o "$scratch/empty" "$scratch/empty.c"
# shellcheck disable=SC2046 # a list of flags
"${CC:-cc}" -O2 -o "$scratch/libraries" "$scratch/empty.c" -Wl,--no-as-needed \
    $(pkg-config --libs libxml-2.0 libconfig)

"$build/tests/bench/bench" "$scratch" "$build/libvirt-vgpu-hook" | tee "$scratch/figures"
if grep -q FAILED "$scratch/figures"; then
    echo "bench.sh: a figure above is beyond its limit, or a run of it failed" >&2
    exit 1
fi
ours=$(sed -n 's/^ *256 parents:.*, \([0-9.]*\) ms$/\1/p' "$scratch/figures")
ours_on_functions=$(sed -n 's/^ *256 functions:.*, \([0-9.]*\) ms$/\1/p' "$scratch/figures")

"$build/tests/bench/bench-guests"
"$build/tests/bench/bench-growth"

echo "vgpuctl list, in one process, libvirt's test driver included, best of 5:"
"$build/tests/bench/bench-list" 1 6 </dev/null | sed '$d'
show_list

command -v python3 >/dev/null || { echo "(no python3: no comparisons on that tree)"; exit 0; }
# The same decision by an obvious scan in Python, standard library only, of the same tree: every
# attribute of every type of every parent, as the tools that exist do it.
python3 - "$tree" "$ours" <<'END'
import os, sys, time
root = sys.argv[1] + "/sys/class/mdev_bus"
best, files = None, 0
for _ in range(3):
    began, files, place = time.perf_counter(), 0, None
    for parent in sorted(os.listdir(root)):
        types = os.path.join(root, parent, "mdev_supported_types")
        for kind in sorted(os.listdir(types)):
            values = {}
            for name in ("name", "device_api", "description", "available_instances"):
                with open(os.path.join(types, kind, name)) as attribute:
                    values[name] = attribute.read().strip()
                files += 1
            if place is None and values["name"].endswith("A40-2Q") and int(values["available_instances"]) > 0:
                place = parent
    took = time.perf_counter() - began
    best = took if best is None else min(best, took)
print(f"An obvious Python scan of the same tree of 256 parents, best of 3, found {place}:")
print(f"  {files} files opened, {best * 1e3:.2f} ms: {best * 1e3 / float(sys.argv[2]):.0f} times the prepare above")
END

# The same list by mdevctl, on the same tree. mdevctl sees this tree in a name space of our own.
if command -v mdevctl >/dev/null && unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016 # expanded by that shell
    unshare -m sh -c 'mount --rbind "$1/sys" /sys && shift && exec python3 - "$@"' - \
        "$tree" "$build/tests/vgpuctl" <<'END'
import subprocess, sys, time
commands = {"mdevctl list": ["mdevctl", "list"], "vgpuctl --root / list": [sys.argv[1], "--root", "/", "list"]}
best, lines = {}, {}
for _ in range(20):
    for name, command in commands.items():
        began = time.perf_counter()
        out = subprocess.run(command, capture_output=True, check=True).stdout
        took = time.perf_counter() - began
        best[name] = min(took, best.get(name, took))
        lines[name] = sum(b"nvidia-555" in line for line in out.splitlines())
print("A whole process that lists the vGPUs of that tree, best of 20 in turns:")
for name, took in best.items():
    print(f"  {name:32}{took / best['mdevctl list']:9.2f}   ({took * 1e3:.2f} ms, {lines[name]} vGPUs)")
END
else
    echo "(no mdevctl, or not root: no comparison with its list)"
fi
drop_tree

echo "The same list of functions of vendor-specific VFIO:"
show_list vf
# A scan of that tree which first reads all files of each function.
python3 - "$tree" "$ours_on_functions" <<'END'
import os, sys, time
root = sys.argv[1] + "/sys/bus/pci/devices"
best, files = None, 0
for _ in range(3):
    began, files, place = time.perf_counter(), 0, None
    for device in sorted(os.listdir(root)):
        here, values = os.path.join(root, device), {}
        for name in ("vendor", "device", "nvidia/current_vgpu_type", "nvidia/creatable_vgpu_types",
                     "nvidia/vgpu_params"):
            try:
                with open(os.path.join(here, name)) as attribute:
                    values[name] = attribute.read()
            except OSError:
                continue
            files += 1
        if place is None and "A40-2Q" in values.get("nvidia/creatable_vgpu_types", ""):
            place = device
    took = time.perf_counter() - began
    best = took if best is None else min(best, took)
print(f"An obvious Python scan of the same tree of 256 functions, best of 3, found {place}:")
print(f"  {files} files opened, {best * 1e3:.2f} ms: {best * 1e3 / float(sys.argv[2]):.1f} times the prepare above")
END
drop_tree

# Ten hosts, of which one takes the connection and never answers.
python3 - "$build/tests/vgpuctl" "$scratch/dead" <<'END'
import socket, subprocess, sys, time
timeout, listener = 2, socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[2])
listener.listen()
hosts = ["test:///default"] * 9 + ["qemu+unix:///system?socket=" + sys.argv[2]]
command = [sys.argv[1], "list", "--timeout", str(timeout)] + [word for host in hosts for word in ("-c", host)]
began = time.perf_counter()
status = subprocess.run(command, capture_output=True).returncode
took = time.perf_counter() - began
print(f"Ten hosts, of which one does not answer: {took / timeout:.2f} of its timeout of {timeout} s (exit status {status})")
END
