# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The rules of the house. Every file is in a room, and in the local.mk of that room, which names the files of no
# other. A room includes only itself and the rooms on which it stands. No two files need each other (a .c and
# its .h count as one). A header declares what its own .c defines, and nobody else uses its names. Values stay
# pure, and the world is an argument.

. "$srcdir/tests/checks/guard.sh"

# Each room, and the other rooms that its files may include.
rooms='
common/base
common/domain       base
common/policy       base
common/device       base domain policy
common/lease        base domain policy device
common/placement    base domain policy device lease
common/apply        base domain policy device lease placement
common/actions      base domain policy device lease placement apply
nodedev/program     base
nodedev/vendor      base domain policy device lease program
nodedev/capture     base domain policy device lease placement program vendor
nodedev/cli         base domain policy device lease placement apply actions capture
nodedev/libvirt     base domain policy device lease placement apply actions cli vendor
nodedev/xml         base domain policy device lease placement apply actions cli libvirt
nodedev/sriov       base domain policy device lease placement apply actions vendor
nodedev/view        base domain policy device lease placement apply actions cli libvirt xml vendor sriov
nodedev/attach      base domain policy device lease placement apply actions cli libvirt xml view
nodedev/migrate     base domain policy device lease placement apply actions cli libvirt xml view vendor
nodedev/evacuate    base domain policy device lease placement apply actions cli libvirt xml view vendor migrate
nodedev/check       base domain policy device lease placement apply actions cli libvirt xml view
nodedev/doctor      base domain policy device lease placement apply actions cli libvirt xml view migrate evacuate check vendor sriov
nodedev/prove       base domain policy device lease placement apply actions cli sriov
nodedev/setup       base domain policy device lease placement apply actions cli libvirt xml view prove sriov vendor
nodedev/commands    base domain policy device lease placement apply actions cli libvirt xml view attach migrate evacuate check doctor prove sriov setup capture program vendor
nodedev/callout     base domain policy device lease placement apply actions
'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find common nodedev -name '*.[ch]' | sort >"$scratch/files"
[ "$(wc -l <"$scratch/files")" -gt 100 ] || complain "there are hardly any files to look at"

# Each room lists its own files, all of them, and no others. Of a program of tests/ with one source, only the
# program is listed. "make dist" may have a copy of the tree beside these folders.
find common config hooks nodedev tests -name local.mk -exec \
    grep -oE '(common|hooks|nodedev|tests)/([a-z0-9-]+/)*[a-z0-9-]+(\.[ch])?\>' -- Makefile.am {} + |
    awk -F: '{ room = $1; sub("/[^/]*$", "", room); theirs = $2; sub("/[^/]*$", "", theirs)
        if (room == theirs) print $2
        else if ($2 ~ /\.[ch]$/) print $1 " lists " $2 ", which is in another room" >"/dev/stderr" }' \
    2>"$scratch/faults" >"$scratch/listed"
find common hooks nodedev tests -name '*.[ch]' ! -path 'tests/vm/*' ! -path 'tests/cards/*' | awk -v listed="$scratch/listed" '
    BEGIN { while ((getline name <listed) > 0) there[name] = 1 }
    { program = substr($0, 1, length($0) - 2) }
    !($0 in there) && !(/^tests.*\.c$/ && program in there) { print $0 " is in no local.mk" }' >>"$scratch/faults"
[ ! -s "$scratch/faults" ] || complain "$(cat "$scratch/faults")"

# Who includes what: "ROOM NOUN HEADER", with the folders left out of a noun: "device/vgpu".
sed 's,/[^/]*$,,' "$scratch/files" | sort -u | while read -r room; do
    echo "$rooms" | grep -q "^$room\( \|$\)" || echo "$room is no room of tests/checks/check-layers.sh"
done >"$scratch/faults"
[ ! -s "$scratch/faults" ] || complain "$(cat "$scratch/faults")"
xargs grep -H '^#include ".*\.h"' <"$scratch/files" |
    sed 's,^\([^:]*\)/\([^/:]*\)\.[ch]:#include "\(.*\)\.h".*,\1 \1/\2 \3,; s, [a-z]*/, ,' >"$scratch/includes"

echo "$rooms" | awk -v includes="$scratch/includes" '
    NF { mine = $1; sub(".*/", "", mine); for (i = 1; i <= NF; i++) { sub(".*/", "", $i); may[mine, $i] = 1 } }
    END {
        while ((getline <includes) > 0) {
            mine = $1; sub(".*/", "", mine); theirs = $3; sub("/.*", "", theirs)
            if (index($3, "/") == 0) print $2 " includes \"" $3 ".h\" without its room"
            else if (!((mine, theirs) in may)) print $2 " includes " $3 ".h, which stands above it"
        }
    }' >"$scratch/faults"
[ ! -s "$scratch/faults" ] || complain "$(cat "$scratch/faults")"

# Nouns that need each other. tsort reports them as a loop, of two nouns or of ten.
awk '$2 != $3 { print $2, $3 }' "$scratch/includes" >"$scratch/pairs"
tsort "$scratch/pairs" >/dev/null 2>"$scratch/loops" || complain "a circle:" "$(cat "$scratch/loops")"

# A header declares only what its own .c defines. The test compares nouns and names with the symbols
# that nm finds in the objects. These headers may declare more; the words behind each say why.
lawful='
common/device/vgpu              vgpu_(mdev|vf|xe|pool)         rows of vgpu_built_in, each in the file of its interface
common/device/vendor            vendor_nvidia                  a row of vendors, in the file of the vendor
nodedev/commands/commands       command_.*                     rows of commands, each in the file of its command
nodedev/vendor/card-vendor      card_vendor_(nvidia|intel|amd)       rows of vendors, each in the file of its vendor
nodedev/doctor/diagnosis        (.*_checks|diagnosis_card_has_step) tables of checks, each in the file of its subject, and what one asks another
nodedev/setup/setup-part        setup_(mig_mode|daemons|functions|shares|slicing|instances|types|sizes|scheduler|instance_(sizes|schedulers)) rows of setup_parts, each in the file of its subject
nodedev/libvirt/libvirt-library libvirt_(host|domain|job)_.*   rows of connection_calls, each in the file of its subject
nodedev/libvirt/connection      connection_calls               it is found in connection.so, which is loaded
'
# shellcheck disable=SC2016 # awk's
find common hooks nodedev -name '*.h' -print0 | xargs -0 awk '
    function tell(file,    count, parts, i, name) {
        gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
        while (gsub(/\{[^{}]*\}/, "@", text))
            ;
        gsub(/\) *@/, "@;", text)
        count = split(text, parts, ";")
        for (i = 1; i <= count; i++) {
            if (parts[i] ~ /@|^ *(static|typedef)|^ *(struct|union|enum) +[A-Za-z0-9_]+ *$/)
                continue
            if (!match(parts[i], /[A-Za-z0-9_]+ *(\(|\[|$)/))
                continue
            name = substr(parts[i], RSTART, RLENGTH)
            sub(/[^A-Za-z0-9_]+$/, "", name)
            print substr(file, 1, length(file) - 2), name
        }
        text = ""
    }
    FNR == 1 { tell(file); file = FILENAME; skips = 0 }
    /^#/ { skips = 1 }
    { if (!skips) text = text " " $0; if (!/\\$/) skips = 0 }
    END { tell(file) }' >"$scratch/declared"
[ "$(wc -l <"$scratch/declared")" -gt 500 ] || complain "headers declare hardly anything"
(cd "$top_builddir" && find common hooks nodedev -name '*.o' -exec nm -A --defined-only {} +) |
    sed 's,/connection_so-,/,; s,\.o:, ,' | awk '$(NF - 1) ~ /^[A-Z]$/ { print $1, $NF }' >"$scratch/defined"
echo "$lawful" | awk -v declared="$scratch/declared" -v defined="$scratch/defined" '
    NF { nouns[NR] = $1; names[NR] = $2 }
    END {
        while ((getline <defined) > 0) { own[$1, $2] = 1; where[$2] = where[$2] " " $1 }
        while ((getline <declared) > 0) {
            may = 0
            for (i in nouns) may = may || ($1 == nouns[i] && $2 ~ "^(" names[i] ")$")
            if (!(($1, $2) in own) && !(may && $2 in where))
                print $1 ".h declares " $2 ", which is defined in" ($2 in where ? where[$2] : " no file")
        }
    }' >"$scratch/faults"
[ ! -s "$scratch/faults" ] || complain "$(cat "$scratch/faults")"

# What a header names is defined once. A second struct of the name would mean something else in a backtrace,
# and could not be used beside the first.
find common hooks nodedev -name '*.[ch]' -exec \
    grep -HoE '(^|[^a-z_])(struct|union|enum) [a-z0-9_]+ [{]|^(struct|union|enum) [a-z0-9_]+;' {} + |
    awk -F: '
    { name = $2; sub(/^[^a-z]/, "", name); sub(/ ?[{;]$/, "", name) }
    $1 ~ /\.h$/ { named[name] = 1 }
    $2 ~ /[{]$/ { where[name] = where[name] " " $1; count[name]++ }
    END { for (name in named) if (count[name] > 1) print name " is defined in" where[name] }' >"$scratch/faults"
[ ! -s "$scratch/faults" ] || complain "$(cat "$scratch/faults")"

# The decision is pure: it calls only its own functions, those of the values, and harmless ones.
nm -A --defined-only "$top_builddir"/common/placement/*.o "$top_builddir"/common/base/*.o \
    "$top_builddir"/common/domain/*.o "$top_builddir"/common/policy/*.o "$top_builddir"/common/device/*.o "$top_builddir"/common/lease/*.o |
    grep -v '/connection_so-' | sed 's,.*/common/\([^:]*\)\.o:.* \([^ ]*\)$,\2 \1,' >"$scratch/homes"
# Such a function is defined in a pure room, and not in a room that reads the host. vendor_forbids and vgpu_at look
# at values; the other functions of their files read the host.
nm -A -u "$top_builddir"/common/placement/*.o | awk '
    BEGIN {
        harmless = "calloc|free|realloc|reallocarray|qsort|mem[^o].*|(__)?str.*|snprintf|vendor_forbids|vgpu_at" \
            "|.*_chk|fprintf|fputc|__stack_chk_fail|__isoc99_.*|__ctype_.*" \
            "|__(asan|ubsan|sanitizer)_.*|_GLOBAL_OFFSET_TABLE_|__errno_location"
        pure = "placement/.*|base/(attributes|error|memory|names|nodeset|suggest|text)" \
            "|policy/policy|device/(inventory|type-name)|lease/ledger|domain/request"
    }
    NR == FNR { home[$1] = home[$1] $2; next }
    $3 !~ "^(" harmless ")$" && home[$3] !~ "^(" pure ")$" {
        sub(".*/common/", "", $1)
        print $1 " is to be pure, and calls " $3
    }' "$scratch/homes" - >"$scratch/faults"
[ ! -s "$scratch/faults" ] || complain "$(cat "$scratch/faults")"

# Absolute paths live in main only, and libvirt nowhere below nodedev/.
if grep -nE '"/(sys|run|etc|dev|proc)(/|")' common/*/*.c hooks/hook.c; then
    complain "an absolute path below main"
fi
libvirt=$(grep -rl --include='*.[ch]' '<libvirt/' common hooks nodedev)
[ "$libvirt" = nodedev/libvirt/libvirt-library.h ] ||
    complain "libvirt's headers belong into nodedev/libvirt/libvirt-library.h alone:" "$libvirt"
if grep -l 'libvirt/libvirt-library.h' common/*/*.[ch] hooks/*.[ch] nodedev/*/*.[ch] |
    grep -v '^nodedev/libvirt/libvirt-[a-z]*\.c$'; then
    complain "libvirt's headers are for connection.so only"
fi

# calls FUNCTIONS FILE...: the functions (an expression for grep) are called in these files alone.
calls() {
    functions=$1
    shift
    called=$(grep -lE "\\b($functions)\\(" common/*/*.c nodedev/*/*.c hooks/*.c |
        grep -vE '^common/(lease|policy)/|^common/apply/transaction\.c|^nodedev/cli/watch\.c' | sort | tr '\n' ' ')
    [ "$called" = "$* " ] || complain "$functions: called in $called, and not in $*"
}

# Who goes over leases, or decides about them, does it in one way (actions/pass.h, actions/snapshot.h).
calls 'look_take|look_take_with|look_at_guests|look_at_guests_if_needed' \
    common/actions/pass.c common/actions/snapshot.c nodedev/view/availability.c
calls transaction_begin common/actions/adopt.c common/actions/assign.c common/actions/pass.c common/actions/promise.c \
    common/actions/reap.c common/actions/snapshot.c nodedev/prove/workbench.c
# A policy that cannot be read is replaced by its defaults in one place. The other two only show it (policy_fault), or
# want no more than its pools.
fallback=$(grep -lE 'if \(policy_load\([^;]*< 0\)$' common/*/*.c | tr '\n' ' ')
[ "$fallback" = 'common/actions/pass.c common/actions/snapshot.c common/actions/taken-cards.c ' ] || complain "the policy's defaults are taken in $fallback"
# What is decided about is a place, and never two numbers.
if grep -hPzo '\n[a-z][^;{}()]*\([^;{}]*size_t (gpu|parent|type)\b[^;{}]*size_t (gpu|parent|type)\b[^;{}]*\)' \
    common/*/*.[ch] nodedev/*/*.[ch] hooks/*.[ch] | tr '\0' '\n' | grep .; then
    complain "a signature with two of a GPU's, a parent's and a type's index"
fi

# Nobody asks which row of the interfaces it is (device/vgpu.h), but files of one vendor's cards.
if grep -nE '\<vgpu_(mdev|vf|xe|pool)\>' common/*/*.[ch] nodedev/*/*.[ch] hooks/*.[ch] |
    grep -vE '^common/device/|^nodedev/doctor/diagnosis-(functions|xe)\.c:'; then
    complain "a row of the interfaces, named where any row must do"
fi

# Nor which vendor, except by the functions of device/vendor.h.
if grep -nE '(->|\.)vendor->|\<vendor_nvidia\>' common/*/*.[ch] nodedev/*/*.[ch] hooks/*.[ch] |
    grep -vE '^common/device/|^nodedev/vendor/|^nodedev/setup/.*card(->|\.)vendor->'; then
    complain "a row of the vendors, read outside of common/device/"
fi

# The same holds for the rows of vendor/card-vendor.h. Only the diagnosis of NVIDIA's functions names one.
if grep -nE '\<card_vendor_(nvidia|intel|amd)\>|[!=]= *[a-z]*->vendor\>|"(0x)?(10de|1002|8086)"' nodedev/*/*.[ch] |
    grep -vE '^nodedev/vendor/|^nodedev/doctor/diagnosis-(functions|nvidia|xe)\.c:|:[0-9]+: *(/\*|\*)'; then
    complain "a vendor's row or id, in a file that is not of that vendor's cards"
fi

# One place counts what a driver offers and what limits leave. Other code that scans GPUs must not
# read these figures itself.
if grep -nE '(->|\.)(available|limits|needs|binds|held)\[|inventory_find_limit' common/*/*.c nodedev/*/*.c hooks/*.c |
    grep -vE '^common/(device/[a-z-]*|policy/[a-z-]*|placement/gpu-(load|room))\.c:|^nodedev/libvirt/node-device\.c:|policy->limits'; then
    complain "figures of a GPU that are read outside of common/placement/gpu-room.c"
fi

# Others may have made the root. Only base/host.c knows where links below it may lead.
if grep -nE '\<(open|mkdir|mknod|mkfifo|unlink|rename|link|symlink|readlink|fstat)at2?\([^,]*root' \
    common/*/*.c nodedev/*/*.c hooks/*.c | grep -v '^common/base/\(host\|safe-open\)\.c:'; then
    complain "a path below root that is not opened by common/base/host.c"
fi

# No variable at file scope can change, except the exit status of a process without memory.
objdump -t "$top_builddir"/common/*/*.o "$top_builddir"/hooks/*.o "$top_builddir"/nodedev/*/*.o |
    awk '/file format/ { object = $1; sub(/:$/, "", object); asan = 0 }
        /__asan/ { bad[object] = "" ; asan = 1 }
        !asan && $3 == "O" && $4 ~ /^(\.data|\.bss|\.tbss|\*COM\*)/ && $4 !~ /rel\.ro/ { bad[object] = bad[object] " " $NF }
        END { for (object in bad) if (bad[object] != "") print object ":" bad[object] }' |
    grep -v '/common/base/\(connection_so-\)\?memory\.o: end_status$' >"$scratch/faults" || true
[ ! -s "$scratch/faults" ] || complain "these can change:" "$(cat "$scratch/faults")"
finish
