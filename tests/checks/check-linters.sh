# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# What clang-format, cppcheck, shellcheck, mandoc, man and patch say: nothing.

. "$srcdir/tests/checks/guard.sh"
needs cppcheck
needs patch
needs shellcheck
needs mandoc
needs man
needs clang-format clang-format-19 clang-format-14

sources=$(echo common/*/*.[ch] hooks/*.[ch] nodedev/*/*.[ch] tests/*/*.[ch] tests/cards/module/*.[ch])

# shellcheck disable=SC2086 # lists of words
"$found" --dry-run --Werror $sources || complain "clang-format would change these"
# shellcheck disable=SC2086
cppcheck --quiet --std=c11 --enable=warning,portability,performance --inline-suppr \
    --error-exitcode=1 --suppress=missingIncludeSystem --suppress=ctuuninitvar -D_GNU_SOURCE -Icommon -Ihooks -Inodedev \
    common hooks nodedev || complain "cppcheck is not quiet"

shellcheck -x -P SCRIPTDIR bootstrap config/*.bash-completion config/install-rest config/selinux/compile tests/environment.in tests/fuzz/look tests/needs tests/play config/packaging/build-package config/packaging/debian/tests/[!c]* .ci/run tests/checks/*.sh tests/bench/*.sh tests/model/run tests/vm/run tests/vm/image \
    tests/vm/build tests/vm/enter tests/vm/*.sh tests/vm/scenarios/*.sh tests/vm/systemd/*.sh tests/vm/apparmor/*.sh tests/vm/hosts/*.sh ||
    complain "shellcheck is not quiet"
# The scripts of a package as they will be, without the parts that debhelper adds.
for script in config/packaging/debian/*.in config/packaging/debian/*.postrm; do
    sed -e '/^@HOOK_LINK@$/{r config/packaging/hook-link.sh' -e 'd}' "$script" | shellcheck - ||
        complain "shellcheck is not quiet on $script"
done

# A page begins with its examples, which is not the usual order of sections.
for page in hooks/*.8 nodedev/*/*.[18] config/*.5 config/*.7 tests/cards/*.4; do
    said=$(mandoc -T lint -W warning "$page" | grep -v 'out of conventional order: Sh DESCRIPTION$') || true
    [ -z "$said" ] || complain "$page: mandoc complains:" "$said"
    # On a terminal of 80 columns.
    said=$(MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null) || true
    [ -z "$said" ] || complain "$page: man complains:" "$said"
    # An example fits 80 columns. Other text is broken by mandoc.
    wide=$(mandoc -T ascii -O width=80 "$page" | sed 's/.\x08//g' | awk 'length > 80')
    [ -z "$wide" ] || complain "$page: wider than 80 columns:" "$wide"
    case $page in tests/*) continue ;; esac
    if grep -Hn -e 'tests/' -e /proc/self/ "$page"; then complain "$page: a path of our tests"; fi
done

# The planted faults can still be planted. Only "make planted" plants them, and that is seldom played.
for fault in tests/mutate/planted/*.patch; do
    patch -p1 --dry-run -s -f <"$fault" >/dev/null || complain "$fault does not apply: make it anew"
done

finish
