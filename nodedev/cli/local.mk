# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/cli/reply.c nodedev/cli/reply.h \
	nodedev/cli/command.c nodedev/cli/command.h \
	nodedev/cli/end-signals.c nodedev/cli/end-signals.h \
	nodedev/cli/finding.c nodedev/cli/finding.h \
	nodedev/cli/json.c nodedev/cli/json.h \
	nodedev/cli/options.c nodedev/cli/options.h \
	nodedev/cli/output.c nodedev/cli/output.h \
	nodedev/cli/pick.c nodedev/cli/pick.h \
	nodedev/cli/say.c nodedev/cli/say.h \
	nodedev/cli/table.c nodedev/cli/table.h \
	nodedev/cli/table-layout.c nodedev/cli/table-layout.h \
	nodedev/cli/terminal.c nodedev/cli/terminal.h \
	nodedev/cli/typed-line.c nodedev/cli/typed-line.h \
	nodedev/cli/vgpuctl.c nodedev/cli/vgpuctl.h \
	nodedev/cli/watch.c nodedev/cli/watch.h

dist_man_MANS += \
	nodedev/cli/vgpuctl.1 \
	nodedev/cli/vgpuctl-gpu.1 \
	nodedev/cli/vgpuctl-guest.1 \
	nodedev/cli/vgpuctl-migrate.1 \
	nodedev/cli/vgpuctl-repair.1 \
	nodedev/cli/vgpuctl-show.1
