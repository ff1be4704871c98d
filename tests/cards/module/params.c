// SPDX-License-Identifier: GPL-2.0-only
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "params.h"

#define DIRECTORY "driver/nvidia"

static char *NVreg_RegistryDwords = "";
module_param(NVreg_RegistryDwords, charp, 0444);
MODULE_PARM_DESC(NVreg_RegistryDwords, "shown in /proc/driver/nvidia/params, as of all cards");

static char *NVreg_RegistryDwordsPerDevice = "";
module_param(NVreg_RegistryDwordsPerDevice, charp, 0444);
MODULE_PARM_DESC(NVreg_RegistryDwordsPerDevice, "the same, as of one card");

static int
params_show(struct seq_file *file, void *data)
{
    seq_printf(file, "RegistryDwords: \"%s\"\n", NVreg_RegistryDwords);
    seq_printf(file, "RegistryDwordsPerDevice: \"%s\"\n", NVreg_RegistryDwordsPerDevice);
    return 0;
}

int
params_init(void)
{
    struct proc_dir_entry *directory = proc_mkdir(DIRECTORY, NULL);

    if (directory && proc_create_single("params", 0444, directory, params_show))
        return 0;
    proc_remove(directory);
    return -ENOMEM;
}

void
params_exit(void)
{
    remove_proc_subtree(DIRECTORY, NULL);
}
