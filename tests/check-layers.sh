# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# A file includes only what stands below it; values stay pure; the world is an argument.

. "$srcdir/tests/guard.sh"

# From the ground up: what stands on a line may include its own line's and what is above here.
layers='
cleanup array
error deadline names nodeset guess document
host
counters setting process topology drained
holders vfio request annotation span hostdev rewrite guests policy policy-keys inventory nvidia catalogue ceiling vgpu mdev vf
ledger demand
stranger
statedir writer origin placement room rules candidate clearance others reason outlook log boot
intent
plan job judge
apply
release adopt leftovers verify
arrival
incoming
reconcile
reap
assign forecast
hook
tree
options survey domains entry edit
connection node-device exposition
owners remote berth
vacancy
passenger
crossing
subject report
explanation schema policy-check
domain-check
command table diagnosis
clone
target
plug addition
remote-table
diagnosis-hook diagnosis-security diagnosis-kernel diagnosis-functions diagnosis-state diagnosis-domains
NAME-command callout
vgpuctl
main callout-main
'

rank() {
    echo "$layers" | awk -v word="$1" '{ for (i = 1; i <= NF; i++) if ($i == word) print NR }'
}

for file in common/*.[ch] hooks/*.[ch] nodedev/*.[ch]; do
    noun=$(basename "${file%.[ch]}")
    mine=$(rank "$(echo "$noun" | sed 's/.*-command$/NAME-command/')")
    [ -n "$mine" ] || { complain "$file: $noun has no place in tests/check-layers.sh"; continue; }
    # shellcheck disable=SC2013 # words are meant
    for header in $(sed -n 's/^#include "\(.*\)\.h"/\1/p' "$file"); do
        theirs=$(rank "$header")
        [ "$theirs" -le "$mine" ] || complain "$file: includes $header.h, which stands above it"
    done
done

for pure in placement room rules candidate clearance others reason outlook plan demand; do
    for symbol in $(nm -u "$top_builddir/common/$pure.o" | awk '{ print $2 }'); do
        case $symbol in
        calloc | free | realloc | reallocarray | mem* | str* | __str* | snprintf | __snprintf_chk) ;;
        __printf_chk | fprintf | __fprintf_chk | fputc | __stack_chk_fail | __isoc99_* | __ctype_*) ;;
        __asan_* | __ubsan_* | __sanitizer_*) ;;
        candidate_* | clearance_* | placement_* | outlook_* | others_* | guess_* | room_* | rules_* | reason_* | nodeset_* | qsort | policy_* | inventory_* | ledger_* | lease_* | name_* | names_has | error_*) ;;
        demand* | _GLOBAL_OFFSET_TABLE_ | __errno_location) ;;
        *) complain "common/$pure.c is to be pure, and calls $symbol" ;;
        esac
    done
done

# Absolute paths live in main only, and libvirt nowhere below nodedev/.
if grep -nE '"/(sys|run|etc|dev|proc)(/|")' common/*.c hooks/hook.c; then
    complain "an absolute path below main"
fi
if grep -ln '<libvirt/' common/*.[ch] hooks/*.[ch]; then
    complain "libvirt below nodedev/"
fi

if [ "$(grep -ln '<libvirt/' nodedev/*.[ch])" != nodedev/connection.c ]; then
    complain "libvirt's headers belong into nodedev/connection.c alone"
fi

# No variable at file scope that can change.
for object in "$top_builddir"/common/*.o "$top_builddir"/hooks/*.o \
    "$top_builddir"/nodedev/*.o; do
    nm "$object" | grep -q __asan && continue
    variables=$(objdump -t "$object" |
        awk '$3 == "O" && $4 ~ /^(\.data|\.bss|\.tbss|\*COM\*)/ && $4 !~ /rel\.ro/ { print $NF }')
    [ -z "$variables" ] || complain "$(basename "$object"): can change: $variables"
done
finish
