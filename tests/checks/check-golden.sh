# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Some test compares with every file in tests/golden. No file is left of a test that was removed, or
# that changed the name. The output of vgpuctl in README.md is one of these files, word for word.

. "$srcdir/tests/checks/guard.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each test has named them in its log. make runs the tests before this check.
# shellcheck disable=SC2154 # make's
for test in $unit_tests; do
    sed -n 's/^golden: //p' "$top_builddir/$test.log"
done | sort -u >"$scratch/used"
[ -s "$scratch/used" ]
find tests/golden -type f -printf '%P\n' | sort >"$scratch/there"

unused=$(comm -13 "$scratch/used" "$scratch/there")
[ -z "$unused" ] || complain "files in tests/golden that no test compares with:" "$unused"

# Each file is in the folder of its command.
for golden in tests/golden/*/*; do
    folder=${golden#tests/golden/} folder=${folder%/*}
    read -r first <"$golden"
    case $folder/$first in
        readme/* | 'help/$ vgpuctl --help' | "$folder/\$ vgpuctl $folder" | "$folder/\$ vgpuctl $folder "*) ;;
        *) complain "$golden: another command's" "$first" ;;
    esac
done

# Each "$ vgpuctl ..." of the README, with the output below it.
awk -v to="$scratch/shown." '/^    \$ vgpuctl / { n++ } !/^    / { inside = 0 } /^    \$ vgpuctl / { inside = 1 }
    inside { print substr($0, 5) >(to n) }' README.md
[ "$(find "$scratch" -name 'shown.*' | wc -l)" = "$(find tests/golden/readme -type f | wc -l)" ] ||
    complain "README.md shows other commands of vgpuctl than tests/golden/readme has"
for shown in "$scratch"/shown.*; do
    found=
    for golden in tests/golden/readme/*; do
        [ "$(head -n 1 "$golden")" != "$(head -n 1 "$shown")" ] || found=$golden
    done
    [ -n "$found" ] || { complain "README.md: nothing checks its" "$(head -n 1 "$shown")"; continue; }
    sed '$d' "$found" | diff "$shown" - || complain "README.md shows ('<') what is not so ('>')"
done
# Each example of a manual page, from "$ vgpuctl ..." on, is what some test was shown. The last line of a golden
# file is the exit status. A page may break a line, and has four blanks before the rest of it.
# shellcheck disable=SC2016 # awk's
awk 'function add(line) {
        if (sub(/^    +/, " ", line)) sub(/\n$/, "", text)
        text = text line "\n"
    }
    FNR == 1 { known[text]; text = "" }
    FILENAME ~ /^tests\/golden\// { if (FNR > 1) add(last); last = $0; next }
    /^\.Ed/ && inside {
        if (!(text in known)) { print FILENAME ": no test was ever shown its " text; bad = 1 }
        inside = 0; text = ""
    }
    /^\$ vgpuctl / { inside = 1 }
    inside { gsub(/\\e/, "\\"); add($0) }
    END { exit bad }' tests/golden/*/* hooks/*.8 nodedev/*/*.[18] config/*.5 config/*.7 ||
    complain "examples that nobody has seen"
finish
