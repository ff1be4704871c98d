# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The page in Cockpit, in a real browser, with a real Cockpit: tests/cockpit/*.mjs, which say what
# they look for. The host is fake; libvirt is a libvirtd of our own. Pictures of each view are in
# tests/cockpit-pictures.

. "$srcdir/tests/checks/guard.sh"
needs chromium chromium-browser google-chrome
CHROMIUM=$found
needs cockpit-ws
COCKPIT_WS=$found
needs cockpit-bridge
COCKPIT_BRIDGE=$found
needs node
for module in puppeteer-core axe-core; do needs_file $module "build-aux/npm/node_modules/$module"; done
# A bridge without a right, which takes itself for root's.
become=
[ "$(id -u)" != 0 ] || become="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"
if ! $become unshare --map-root-user true; then
    echo "skipped: this system gives ordinary users no namespace of their own"
    exit 77
fi
. "$srcdir/tests/checks/scratch-libvirt.sh"
trap stop_libvirt EXIT

mkdir "$scratch/bin"
pictures=$top_builddir/tests/cockpit-pictures
rm -rf "$pictures"
export scratch pictures top_builddir CHROMIUM COCKPIT_WS COCKPIT_BRIDGE VIRSH
start_libvirt true
# page_tests="test-host.mjs" in the environment chooses among them.
# shellcheck disable=SC2086 # a list of words
node --test-reporter=spec tests/cockpit/run.mjs ${page_tests-} || complain "the page is not as it should be"
finish
