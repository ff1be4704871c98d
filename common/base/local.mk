# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/base/array.h \
	common/base/attributes.c common/base/attributes.h \
	common/base/cleanup.h \
	common/base/deadline.c common/base/deadline.h \
	common/base/descriptors.c common/base/descriptors.h \
	common/base/document.c common/base/document.h \
	common/base/durable.c common/base/durable.h \
	common/base/error.c common/base/error.h \
	common/base/file-lock.c common/base/file-lock.h \
	common/base/host.c common/base/host.h \
	common/base/lock-holder.c common/base/lock-holder.h \
	common/base/memory.c common/base/memory.h \
	common/base/names.c common/base/names.h \
	common/base/nodeset.c common/base/nodeset.h \
	common/base/printable.c common/base/printable.h \
	common/base/process.c common/base/process.h \
	common/base/reader.c common/base/reader.h \
	common/base/rights.c common/base/rights.h \
	common/base/run-links.c common/base/run-links.h \
	common/base/safe-open.c common/base/safe-open.h \
	common/base/shell-word.c common/base/shell-word.h \
	common/base/suggest.c common/base/suggest.h \
	common/base/text.c common/base/text.h \
	common/base/usage.c common/base/usage.h \
	common/base/utf8.c common/base/utf8.h \
	common/base/words.c common/base/words.h

# connection.so has these once more.
module_base_sources = common/base/error.c common/base/memory.c common/base/names.c common/base/printable.c \
	common/base/suggest.c common/base/text.c common/base/utf8.c
