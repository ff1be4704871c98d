# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/domain/annotation.c common/domain/annotation.h \
	common/domain/hostdev.c common/domain/hostdev.h \
	common/domain/request.c common/domain/request.h \
	common/domain/request-parser.c common/domain/request-parser.h \
	common/domain/rewrite.c common/domain/rewrite.h \
	common/domain/status-files.c common/domain/status-files.h \
	common/domain/stream.c common/domain/stream.h
