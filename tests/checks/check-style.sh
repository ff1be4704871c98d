# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The house's limits: columns, sizes, SPDX lines. check-linters.sh has what needs other programs.

. "$srcdir/tests/checks/guard.sh"

sources=$(echo common/*/*.[ch] hooks/*.[ch] nodedev/*/*.[ch] tests/*/*.[ch] tests/cards/module/*.[ch])

# shellcheck disable=SC2086
awk 'length > 100 { print FILENAME ":" FNR ": over 100 columns"; bad = 1 } END { exit bad }' \
    $sources || complain "long lines"

# shellcheck disable=SC2016,SC2086 # awk's; a list of words
awk 'FNR > 3 { nextfile }
    /SPDX-License-Identifier: / { told[FILENAME] }
    END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in told)) { print ARGV[i] ": no SPDX line"; bad = 1 } exit bad }' \
    $sources tests/checks/*.sh tests/bench/*.sh tests/model/*.pml tests/model/run tests/vm/*.sh tests/vm/scenarios/*.sh tests/vm/systemd/*.sh tests/vm/apparmor/*.sh configure.ac Makefile.am ./*/local.mk ./*/*/local.mk \
    config/install-rest config/selinux/compile tests/environment.in tests/fuzz/look tests/needs tests/play bootstrap .ci/run config/*.* config/apparmor/*.in config/packaging/build-package config/packaging/*.sh config/packaging/debian/rules \
    config/packaging/debian/*.in config/packaging/debian/*.postrm config/packaging/debian/tests/[!c]* config/packaging/rpm/* hooks/*.8 nodedev/*/*.[18] nodedev/cockpit/*.js nodedev/cockpit/*.css nodedev/cockpit/*.html tests/cockpit/*.mjs tests/cards/module/Kbuild tests/cards/dkms.conf tests/cards/*.4 ||
    complain "files without a licence"

# Only nodedev/cli/say.c prints text for people, and it makes every name printable. Other files
# print help, tables, JSON, colours, figures for Prometheus, the text of a capture and of a plan, and one error of
# the call-out, which is printable already. fwrite writes XML and bytes for pipes.
if grep -nE '\<(v?[fd]?printf|v?printf|f?puts|f?putc|putchar|perror)\(' nodedev/*/*.c |
    grep -vE '^nodedev/(cli/(say|json|options|table|terminal|vgpuctl)|view/metrics|capture/[a-z-]*|callout/callout|evacuate/evacuation-move)\.c:'; then
    complain "text that is not printed by nodedev/cli/say.c"
fi
# base/text.h writes a list piece by piece, and says where the list was cut.
if grep -rnE '\<(at|used|length) \? ", ?" : ""' common hooks nodedev --include='*.c'; then
    complain "a list that is not written by base/text.h"
fi

# A function fits on a screen, and main has at most twenty lines. A body ends at the first '}' in
# column one.
awk 'FNR == 1 { start = 0 }
    /^{/ { start = FNR }
    /^}/ && start {
        size = FNR - start - 1
        if (size > 60) { print FILENAME ":" start ": a function of " size " lines"; bad = 1 }
        start = 0
    }
    END { exit bad }' common/*/*.c hooks/*.c nodedev/*/*.c tests/cards/module/*.c ||
    complain "functions too long for a screen"
# shellcheck disable=SC2016 # awk's
awk 'FNR == 501 { print FILENAME; bad = 1 } END { exit bad }' common/*/*.[ch] hooks/*.[ch] nodedev/*/*.[ch] ||
    complain "files of over 500 lines"
# shellcheck disable=SC2016
awk 'FNR == 801 { print FILENAME; bad = 1 } END { exit bad }' tests/*/*.c || complain "tests of over 800 lines"
# The licences as the FSF publishes them now: its address is not in them any more.
if grep -nE '[0-9] (Franklin|Temple)' LICENSE tests/cards/LICENSE config/packaging/debian/copyright; then
    complain "an old address of the FSF"
fi
# All files that the threat model names exist.
# shellcheck disable=SC2016 # they are no commands
grep -oE '`(common|hooks|nodedev|tests|config)/[^`]*`' .github/SECURITY.md | tr -d '`' | while read -r file; do
    [ -e "$file" ] || echo "$file"
done | grep . && complain ".github/SECURITY.md names what is not there"
for main in hooks/main.c nodedev/commands/main.c nodedev/callout/main.c; do
    awk '/^main\(/ { m = 1 } m && /^{/ { s = FNR } m && /^}/ { exit FNR - s > 14 }' "$main" ||
        complain "$main: main is more than a shim"
done
finish
