# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Words: no word is misspelt, and READMEs and manual pages are easy to read. In each of them the
# average sentence has at most 18 words, and no sentence has more than 35. See sentences.awk for what counts.

. "$srcdir/tests/checks/guard.sh"
needs codespell "$CODESPELL"
needs mandoc "$MANDOC"

pages=$(find README.md .github common hooks nodedev config tests -name '*.md' -o -name '*.[1578]' | sort)

# These pages are still too hard to read. A page that passes leaves the list; no page joins it.
too_hard='nodedev/cli/vgpuctl.1 config/vgpu.conf.5'

# Two words of troff and Make, and three typing errors that manual pages show.
$CODESPELL --ignore-words-list nd,te,tpye,devcie,domian --skip '*.o,*.a,*.pp,*.pp.build' \
    README.md .github Makefile.am bootstrap configure.ac common hooks nodedev config ||
    complain "misspelt words"
# Tests make more typing errors on purpose.
$CODESPELL --ignore-words-list nd,te,tpye,devcie,domian,smal,hel,adress,clases,nmae,froms,seriel \
    --skip '*.o,*.log,*.trs,*.xz,tests/corpus,tests/data,tests/golden,tests/vm-logs,tests/vm-results' tests ||
    complain "misspelt words"

# prose PAGE: its sentences, as Markdown. The synopsis, the list of other pages, displays (.Bd), and the
# words before a list's item (.It) are none.
prose() {
    case $1 in
        *.md) cat "$1" ;;
        *) sed -e '/^\.Sh SYNOPSIS/,/^\.Sh D/{/^\.Sh/!d}' -e '/^\.Sh SEE ALSO/,/^\.Sh C/{/^\.Sh/!d}' \
            -e '/^\.Bd/,/^\.Ed/d' -e 's/^\.It .*/.It/' "$1" | $MANDOC -T markdown ;;
    esac
}

for page in $pages; do
    is_hard=''
    prose "$page" | awk -v name="$page" -v average=18 -v longest=35 -f tests/checks/sentences.awk || is_hard=yes
    case " $too_hard " in
        *" $page "*) [ -n "$is_hard" ] || complain "$page is easy now: take it out of too_hard" ;;
        *) [ -z "$is_hard" ] || complain "$page: its sentences are too long" ;;
    esac
done
for page in $too_hard; do
    [ -e "$page" ] || complain "$page is in too_hard, and is not there"
done
finish
