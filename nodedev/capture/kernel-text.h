/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * kernel-text: what a capture keeps of files of the kernel, of drivers, and of libvirt's host.
 *
 * Each function keeps what vgpuctl reads of one kind of file, if it has the form that it should
 * have, and hides the rest. Each returns a text that the caller frees.
 */

#pragma once

#include "capture/stand-ins.h"

typedef char *kernel_text(struct stand_ins *stand_ins, const char *text);

/* These get the first line of a file. */

/* /sys and /proc: a number, or a harmless word. */
kernel_text kernel_text_value;
/* A version, of a driver or of the kernel. */
kernel_text kernel_text_version;
/* The name of a type. */
kernel_text kernel_text_type_name;
/* The label of a process. */
kernel_text kernel_text_current;
/* The number of a device. */
kernel_text kernel_text_device;

/* These get the whole file. */

/* Types: the figures that NVIDIA's driver tells of one; a list of those that can be made. */
kernel_text kernel_text_description;
kernel_text kernel_text_creatable;
/* NVIDIA's number of a GPU. */
kernel_text kernel_text_minor;
/* Parameters of NVIDIA's module: which scheduler it has, and on which card. */
kernel_text kernel_text_params;
/* /proc/PID: the status in one line, and that of many. */
kernel_text kernel_text_stat;
kernel_text kernel_text_status;
/* /proc/PID/fdinfo: how a file was opened. */
kernel_text kernel_text_flags;
/* An SELinux context: only its type is looked at. */
kernel_text kernel_text_context;
/* Rules of udev: the paths at which they run mdevctl. */
kernel_text kernel_text_rules;
/* The name of SELinux's policy; whether the policy knows us; paths that AppArmor allows. */
kernel_text kernel_text_policy;
kernel_text kernel_text_contexts;
kernel_text kernel_text_profile;
/* A device of mdevctl: whether mdevctl starts it. */
kernel_text kernel_text_mdevctl;
/* Our cache of types: "GPU ID NAME" in each line. */
kernel_text kernel_text_cache;
