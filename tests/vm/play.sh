#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# play.sh FILE: plays one scenario, in a shell of its own. The shell traces all commands.
set -Eeuo pipefail
shopt -s inherit_errexit

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# The trace has a descriptor of its own, so that a scenario can read stderr.
exec {BASH_XTRACEFD}>&2
trap 'echo "status $?: $BASH_COMMAND" >&"$BASH_XTRACEFD"' ERR
PS4='+$SECONDS ${BASH_SOURCE##*/}:$LINENO: '
set -x
# shellcheck source=/dev/null
. "$1"
