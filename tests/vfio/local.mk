# SPDX-License-Identifier: LGPL-2.1-or-later

# It runs only in the machine of tests/vm. It needs none of our libraries. It is not in tests/vm, because all of
# that folder is distributed, and a built program would be, too.
check_PROGRAMS += tests/vfio/vfio-states
tests_vfio_vfio_states_SOURCES = tests/vfio/vfio-states.c
tests_vfio_vfio_states_LDADD =
