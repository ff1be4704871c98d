#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
nova-inventory.py NOVA.CONF: the libvirt driver of OpenStack Nova, without message bus and database.

It reads commands from stdin, one a line. The answer is some lines, and then "ok" or "failed: WHY".
Nova does all that is asked; this file only calls it. A compute service calls the same functions.

  inventory          PARENT RESOURCE TOTAL: what Nova tells Placement of each GPU
  capable            PARENT TYPE AVAILABLE NAME: the types of nova.conf that each GPU has
  allocate PARENT N  UUID: the devices that a guest with N of them gets
  devices            UUID PARENT TYPE: the devices that there are
  assigned           UUID GUEST: the devices that guests have
  hostdev UUID       the XML with which Nova gives a guest this device
  pci VENDOR         ADDRESS PRODUCT KIND PARENT: the PCI devices of this vendor
"""

import json
import sys

import nova.monkey_patch  # noqa: F401: as the service does it, before anything else
from nova import config
from nova.compute import provider_tree
from nova.virt import driver as drivers
from nova.virt import virtapi
from nova.virt.libvirt import config as vconfig
from oslo_log import log
from oslo_utils import uuidutils

HOST = "host1"


class Service:
    """What of a compute service is needed here."""

    def __init__(self):
        self.driver = drivers.load_compute_driver(virtapi.VirtAPI(), "libvirt.LibvirtDriver")
        # It would tell the database that libvirt answers.
        self.driver._host._conn_event_handler = None
        self.driver._host.initialize()
        self.tree = provider_tree.ProviderTree()
        self.tree.new_root(HOST, uuidutils.generate_uuid())
        self.driver.provider_tree = self.tree

    def inventory(self):
        self.driver._update_provider_tree_for_vgpu(self.tree, HOST)
        for uuid in self.tree.get_provider_uuids(HOST)[1:]:
            provider = self.tree.data(uuid)
            for resource, inventory in provider.inventory.items():
                yield provider.name.removeprefix(HOST + "_"), resource, inventory["total"]

    def capable(self):
        types = self.driver.supported_vgpu_types
        for device in self.driver._get_mdev_capable_devices(types):
            for name, about in device["types"].items():
                yield device["dev_id"], name, about["availableInstances"], about["name"]

    def allocate(self, parent, number):
        self.driver._update_provider_tree_for_vgpu(self.tree, HOST)
        provider = self.tree.data(f"{HOST}_{parent}")
        wish = {resource: int(number) for resource in provider.inventory}
        for uuid in self.driver._allocate_mdevs({provider.uuid: {"resources": wish}}):
            yield (uuid,)

    def devices(self):
        for device in self.driver._get_mediated_devices():
            yield device["uuid"], device["parent"], device["type"]

    def assigned(self):
        return self.driver._get_all_assigned_mediated_devices().items()

    def hostdev(self, uuid):
        guest = vconfig.LibvirtConfigGuest()
        self.driver._guest_add_mdevs(guest, [uuid])
        yield (guest.devices[0].to_xml(pretty_print=False),)

    def pci(self, vendor):
        for device in json.loads(self.driver._get_pci_passthrough_devices()):
            if device["vendor_id"] == vendor:
                yield (device["address"], device["product_id"], device["dev_type"],
                       device.get("parent_addr", "-"))


def main():
    config.parse_args(["nova"], default_config_files=sys.argv[1:2],
                      configure_db=False, init_rpc=False)
    log.setup(config.CONF, "nova")
    service = Service()
    print("ok", flush=True)
    for line in sys.stdin:
        word, *values = line.split()
        try:
            for answer in getattr(service, word)(*values):
                print(*answer)
            print("ok", flush=True)
        except Exception as failure:  # whatever Nova says goes to the scenario
            print("failed:", " ".join(str(failure).split()), flush=True)


main()
