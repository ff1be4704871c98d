# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Words: no word is misspelt, and READMEs and manual pages are easy to read. In each of them the
# average sentence has at most 18 words, and no sentence has more than 35. See sentences.awk for what counts.

. "$srcdir/tests/checks/guard.sh"
needs codespell
needs mandoc

pages=$(find README.md .github common hooks nodedev config tests -name '*.md' -o -name '*.[14578]' | sort)

# Two words of troff and Make, and three typing errors that manual pages show.
codespell --ignore-words-list nd,te,tpye,devcie,domian --skip '*.o,*.a,*.pp,*.pp.build' \
    README.md .github Makefile.am bootstrap configure.ac common hooks nodedev config ||
    complain "misspelt words"
# Tests make more typing errors on purpose.
codespell --ignore-words-list nd,te,tpye,devcie,domian,smal,hel,adress,clases,nmae,froms,seriel \
    --skip '*.o,*.log,*.trs,*.xz,tests/corpus,tests/data,tests/golden,tests/fuzz/learned,tests/fuzz/found,tests/vm-logs,tests/vm-results' tests ||
    complain "misspelt words"

# prose PAGE: its sentences, as Markdown. The synopsis, the list of other pages, displays (.Bd), and the
# words before a list's item (.It) are none.
prose() {
    case $1 in
        *.md) cat "$1" ;;
        *) sed -e '/^\.Sh SYNOPSIS/,/^\.Sh [DE]/{/^\.Sh/!d}' -e '/^\.Sh SEE ALSO/,/^\.Sh C/{/^\.Sh/!d}' \
            -e '/^\.Bd/i .Pp' -e '/^\.Bd/,/^\.Ed/d' -e 's/^\.It .*/.It/' "$1" |
            mandoc -T markdown | sed 's/^\(> *\)*//; s/^\t*//' ;;
    esac
}

for page in $pages; do
    prose "$page" | awk -v name="$page" -v average=18 -v longest=35 -f tests/checks/sentences.awk ||
        complain "$page: its sentences are too long"
done
finish
