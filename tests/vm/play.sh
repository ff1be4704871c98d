#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# play.sh FILE: plays one scenario, in a shell of its own. The shell traces all commands.
set -Eeuo pipefail
shopt -s inherit_errexit

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# Whatever user runs vgpuctl may keep a document.
install -d -m 1777 "$LOGS/documents"
PATH=$(dirname "$0")/record:$PATH

# The trace has a descriptor of its own, so that a scenario can read stderr.
exec {BASH_XTRACEFD}>&2
trap 'echo "status $?: $BASH_COMMAND" >&"$BASH_XTRACEFD"' ERR
PS4='+$SECONDS ${BASH_SOURCE##*/}:$LINENO: '
set -x
# shellcheck source=/dev/null
. "$1"
