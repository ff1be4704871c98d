/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vendor-tool: runs a program of NVIDIA's as root, or systemctl for a unit of NVIDIA's.
 *
 * A process that has NVIDIA's library open makes sriov-manage fail ("Cannot obtain unbindLock"). So
 * one tool runs at a time on this host: the lock is /run/libvirt-vgpu/tools. A tool is run only if
 * nobody but root could have changed it. No tool gets a word that was not parsed.
 *
 * A tool may outlive its vgpuctl, whatever ended that one, and may not end by SIGKILL. So a tool
 * inherits that lock, and the claim on each GPU that its vgpuctl has for itself (workbench.h). Both
 * last as long as the tool, or a process that the tool left behind.
 */

#pragma once

#include "base/error.h"
#include "base/lock-holder.h"

#define SRIOV_MANAGE "/usr/lib/nvidia/sriov-manage"
#define NVIDIA_SMI   "/usr/bin/nvidia-smi"
#define SYSTEMCTL    "/usr/bin/systemctl"

/*
 * Runs a tool for at most 100 seconds. argv[0] is one of the paths above. Returns 0; -EIO if the
 * tool fails; or the errors of program_run; with a line in error. What the tool prints goes to
 * stderr.
 */
int vendor_tool_run(const struct host *host, const char *const argv[],
                    struct error *error) CHECKED NONNULL;

/* The same with words that an older nvidia-smi, or a card, may lack: then -EOPNOTSUPP. */
int vendor_tool_try(const struct host *host, const char *const argv[],
                    struct error *error) CHECKED NONNULL;

/* Runs a tool and reads what it prints, up to 64 KiB. Returns its exit status, or -errno with a
 * line in error. The caller frees the text in every case. */
int vendor_tool_ask(const struct host *host, const char *const argv[], char **text,
                    struct error *error) CHECKED NONNULL;

/* Finds a process other than this one that has the lock of the tools. False: none has, or it may
 * not be looked at. */
bool vendor_tool_find(const struct host *host, struct lock_holder *ret) CHECKED NONNULL;
