# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/apply/apply.c common/apply/apply.h \
	common/apply/recovery.c common/apply/recovery.h \
	common/apply/remove-all.c common/apply/remove-all.h \
	common/apply/transaction.c common/apply/transaction.h \
	common/apply/writer.c common/apply/writer.h
