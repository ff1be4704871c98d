# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/device/gpu.c common/device/gpu.h \
	common/device/ineligible.c common/device/ineligible.h \
	common/device/inventory.c common/device/inventory.h \
	common/device/limit.h \
	common/device/maxima.c common/device/maxima.h \
	common/device/mdev.c \
	common/device/nvidia.c common/device/nvidia.h \
	common/device/nvidia-extract.c common/device/nvidia-extract.h \
	common/device/nvidia-number.c common/device/nvidia-number.h \
	common/device/nvidia-table.c common/device/nvidia-table.h \
	common/device/occupant.c common/device/occupant.h \
	common/device/open-files.c common/device/open-files.h \
	common/device/partition.c common/device/partition.h \
	common/device/pci.c common/device/pci.h \
	common/device/pool.c common/device/pool.h \
	common/device/profile.c common/device/profile.h \
	common/device/scan.c common/device/scan.h \
	common/device/share.c common/device/share.h \
	common/device/table-xml.c common/device/table-xml.h \
	common/device/tag.c common/device/tag.h \
	common/device/topology.c common/device/topology.h \
	common/device/type-cache.c common/device/type-cache.h \
	common/device/type-name.c common/device/type-name.h \
	common/device/vf.c \
	common/device/vendor.c common/device/vendor.h \
	common/device/vfio.c common/device/vfio.h \
	common/device/vgpu.c common/device/vgpu.h \
	common/device/xe.c
