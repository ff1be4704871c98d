# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The man pages know exactly what the programs know: vgpu.conf(5) the keys,
# vgpuctl(1) and the pages of its groups the commands, their options and columns, and what doctor finds. What --help says
# decides, also which page a command is on. check-linters.sh sees that they are well formed.

. "$srcdir/tests/checks/guard.sh"

known=$(sed -n 's/^    {"\([a-z_]*\)", [a-z_]*,.*/\1/p' common/policy/policy-keys.c | sort -u)
written=$(sed -n 's/^\.It Ic \([a-z_]*\).*/\1/p' config/vgpu.conf.5 | sort -u)
[ "$known" = "$written" ] || complain "keys in common/policy/policy-keys.c:" "$known" \
    "-- keys in config/vgpu.conf.5:" "$written"

# What doctor can find. The page may explain several words at once.
words=$(sed -n 's/^    {"\([a-z-]*\)", FINDING_.*/\1/p' nodedev/doctor/*.c)
[ -n "$words" ]
for word in $words; do
    grep -q "^\.It Li \(.* \)\?$word\( \|$\)" nodedev/cli/vgpuctl-repair.1 ||
        complain "nodedev/cli/vgpuctl-repair.1: not a word on what doctor calls $word"
done

# The words of errors and warnings, and their exit statuses, in the order of the code.
known=$(sed -n -e 's/COMMAND_DONE/0/; s/COMMAND_FAILED/1/; s/COMMAND_USAGE/2/; s/COMMAND_NO_CAPACITY/3/' \
    -e 's/COMMAND_BUSY/4/; s/^    \[ERROR_[A-Z_]*\] = {"\([a-z-]*\)", \([0-4]\)},$/\1 \2/p' nodedev/cli/command.c)
written=$(sed -n 's/^\.It Li \([a-z-]*\) Pq \([0-4]\)$/\1 \2/p' nodedev/cli/vgpuctl.1)
if [ -z "$known" ] || [ "$known" != "$written" ]; then
    complain "words of errors in nodedev/cli/command.c:" "$known" "-- in nodedev/cli/vgpuctl.1:" "$written"
fi

pages='nodedev/cli/vgpuctl.1 nodedev/cli/vgpuctl-*.1'

vgpuctl() { "$top_builddir/vgpuctl" "$@"; }

# options < HELP: "LETTER|NAME|ARGUMENT" of each option.
options() { sed -n 's/^  \(-\(.\),\|   \) --\([a-z-]*\) \([A-Z=]*\) .*/\2|\3|\4/p'; }

# differ WHAT: compares the page with the program.
differ() {
    diff -U0 "$scratch/written" "$scratch/known" >"$scratch/diff" ||
        complain "vgpuctl(1): its $1 ('-') are not those of vgpuctl --help ('+'):" \
            "$(sed 1,2d "$scratch/diff")"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

commands=$(vgpuctl --help | sed -n '1,/^Options:$/s/^  \([a-z][a-z-]*\) .*/\1/p')
[ -n "$commands" ]
commands=$(echo "$commands" | grep -vx help)

# For each command the line that it has in the man page of its group, and in the page's synopsis.
for command in $commands; do
    vgpuctl "$command" --help >"$scratch/help"
    page=nodedev/cli/$(sed -n 's/^See \(vgpuctl-[a-z]*\)(1)\.$/\1/p' "$scratch/help").1
    usage=$(sed -n "1s/^Usage: vgpuctl $command\(.*\) \[OPTION\]\.\.\.\$/\1/p" "$scratch/help")
    usage=$(echo "$usage" | sed 's/\[\([^]]*\)\]/Oo \1 Oc/g; s/|/ | /g; s/[A-Z][A-Z-]\{2,\}/Ar &/g')
    echo "$page:.Nm vgpuctl Cm $command$usage Op Ar option ..." >>"$scratch/synopses"
    printf '%s:.It Cm %s%s' "$page" "$command" "$usage"
    options <"$scratch/help" | while IFS='|' read -r _ name argument; do
        [ "$name" = help ] || printf ' Oo Fl -%s%s Oc' "$name" "${argument:+ Ar $argument}"
    done
    echo
done | sort >"$scratch/known"
# shellcheck disable=SC2086 # patterns
grep '^\.It Cm ' $pages | sort >"$scratch/written" || true
differ commands

sort "$scratch/synopses" >"$scratch/known"
# shellcheck disable=SC2086 # patterns
grep '^\.Nm vgpuctl Cm ' $pages | sort >"$scratch/written" || true
differ synopses

vgpuctl --help | options | while IFS='|' read -r letter name argument; do
    echo ".It Fl ${letter:+$letter , Fl }-$name${argument:+ Ar $argument}"
done | sort >"$scratch/known"
# shellcheck disable=SC2086 # patterns
grep -h '^\.It Fl ' $pages | sort >"$scratch/written" || true
differ options

# The page explains a table's columns beside its command. Asked for an unknown column, the command
# lists all.
for command in $commands; do
    vgpuctl "$command" --help | grep -q -e ' --columns ' || continue
    needed=$(vgpuctl "$command" --help | sed -n '1s/\[[^]]*\]\.*//gp' | cut -d' ' -f4-)
    # shellcheck disable=SC2086 # words
    said=$(vgpuctl "$command" $needed -o '?' 2>&1) && complain "$command: there is a column \"?\""
    columns=$(echo "$said" | sed -n 's/.*there are: //p' | tr -d ';')
    [ -n "$columns" ] || complain "$command: it does not tell its columns: $said"
    # shellcheck disable=SC2086 # patterns
    page=$(grep -l "^\.It Cm $command " $pages)
    sed -n "/^\.It Cm $command /,/^\.It Cm /p" "$page" | sed '1!{/^\.It Cm/d}' >"$scratch/item"
    for column in $columns; do
        grep -qw "^\.It Li .*$column" "$scratch/item" ||
            complain "$page: $command: not a word on its column $column"
    done
done
finish
