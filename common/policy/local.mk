# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/policy/policy.c common/policy/policy.h \
	common/policy/policy-consistency.c common/policy/policy-consistency.h \
	common/policy/policy-keys.c common/policy/policy-keys.h \
	common/policy/policy-load.c common/policy/policy-load.h \
	common/policy/setting.c common/policy/setting.h \
	common/policy/setting-each.h \
	common/policy/setting-text.c common/policy/setting-text.h \
	common/policy/setting-trace.c common/policy/setting-trace.h
