#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# bench.sh BUILD-DIRECTORY: what the hook costs, as ratios measured in one run.
set -eu

build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The yardsticks: a shell that does nothing, a program that does, and one that also loads our
# libraries.
printf '#!/bin/bash\nexit 0\n' >"$scratch/shell"
chmod +x "$scratch/shell"
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
"${CC:-cc}" -O2 -o "$scratch/empty" "$scratch/empty.c"
# shellcheck disable=SC2046 # a list of flags
"${CC:-cc}" -O2 -o "$scratch/libraries" "$scratch/empty.c" -Wl,--no-as-needed \
    $(pkg-config --libs libxml-2.0 libconfig)

"$build/tests/bench" "$scratch" "$build/libvirt-vgpu-hook" | tee "$scratch/figures"
ours=$(sed -n 's/^ *256 parents:.*, \([0-9.]*\) ms$/\1/p' "$scratch/figures")

# The same decision by an obvious scan in Python, standard library only, of the same tree: every
# attribute of every type of every parent, as the tools that exist do it.
command -v python3 >/dev/null || { echo "(no python3: no comparison with an obvious scan)"; exit 0; }
mkfifo "$scratch/hold"
"$build/tests/bench" stand 8 32 <"$scratch/hold" >"$scratch/tree" &
exec 3>"$scratch/hold"
while [ ! -s "$scratch/tree" ]; do sleep 0.1; done
python3 - "$(cat "$scratch/tree")" "$ours" <<'END'
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
exec 3>&-
wait
