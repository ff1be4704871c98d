// SPDX-License-Identifier: GPL-2.0-only
/*
 * UML has no DMI, and libvirt tells the UUID of a host only beside the DMI's data. This device is
 * an empty one: the UUID comes from libvirtd.conf.
 */

#include <linux/device.h>
#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/module.h>

static struct class *dmi;

static int __init uml_dmi_init(void)
{
	struct device *id;

	dmi = class_create("dmi");
	if (IS_ERR(dmi))
		return PTR_ERR(dmi);
	id = device_create(dmi, NULL, MKDEV(0, 0), NULL, "id");
	if (!IS_ERR(id))
		return 0;
	class_destroy(dmi);
	return PTR_ERR(id);
}
module_init(uml_dmi_init);

MODULE_DESCRIPTION("An empty /sys/class/dmi/id for User Mode Linux");
MODULE_LICENSE("GPL");
