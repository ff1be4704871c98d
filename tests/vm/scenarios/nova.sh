# SPDX-License-Identifier: LGPL-2.1-or-later
# Nova's own library with the emulated cards: it counts, makes and finds mediated devices. No message bus.
# shellcheck shell=bash
# needs: nova 31
# takes: 60

cards mdev sriov vfs=2
mapfile -t vfs < <(vfs_of "${CARDS[0]}")

cat >nova.conf <<END
[DEFAULT]
state_path = $PWD
[libvirt]
virt_type = qemu
[devices]
enabled_mdev_types = nvidia-231,nvidia-558
[mdev_nvidia-231]
device_addresses = ${T4[0]}
[mdev_nvidia-558]
device_addresses = ${vfs[0]},${vfs[1]}
END

# ask COMMAND...: asks Nova's driver for libvirt, as the compute service does.
cat >ask.py <<'END'
import json, sys
import eventlet
eventlet.monkey_patch()
from oslo_config import cfg
import nova.conf
from nova import objects
nova.conf.CONF(["--config-file", "nova.conf"], project="nova", default_config_files=[])
objects.register_all()
from nova.compute import provider_tree
from nova.virt import fake
from nova.virt.libvirt import driver

virt = driver.LibvirtDriver(fake.FakeVirtAPI())
virt._host.initialize()
virt.supported_vgpu_types = virt._get_supported_vgpu_types()
tree = provider_tree.ProviderTree()
root = tree.new_root("host1", "00000000-0000-4000-8000-000000000001")

def providers():
    virt._update_provider_tree_for_vgpu(tree, "host1")
    return {tree.data(u).name: u for u in tree.get_provider_uuids("host1")}

command = sys.argv[1]
if command == "inventory":
    said = {name: tree.data(uuid).inventory.get("VGPU", {}).get("total") for name, uuid in providers().items()}
elif command == "allocate":
    uuid = providers()["host1_" + sys.argv[2]]
    virt.provider_tree = tree
    said = virt._allocate_mdevs({uuid: {"resources": {"VGPU": 1}}})
elif command == "mdevs":
    said = {m["uuid"]: [m["parent"], m["type"]] for m in virt._get_mediated_devices()}
elif command == "assigned":
    said = virt._get_all_assigned_mediated_devices()
print(json.dumps(said, sort_keys=True))
END
ask() { python3 ask.py "$@" 2>>nova.log; }
node() { echo "pci_${1//[:.]/_}"; }
at_end sh -c 'rm -rf /var/log/nova'

say "the inventory: eight vGPUs on the T4, and one on each function"
# inventory COUNT COUNT COUNT: what Nova tells the placement service.
inventory() {
    [ "$(ask inventory)" = "{\"host1\": null, \"host1_$(node "${T4[0]}")\": $1, \"host1_$(node "${vfs[0]}")\": $2, \"host1_$(node "${vfs[1]}")\": $3}" ]
}
inventory 8 1 1

say "a mediated device is made, found and counted"
made=$(ask allocate "$(node "${T4[0]}")" | tr -d '[]"')
[ "$(mdev_type "$made")" = nvidia-231 ]
[ "$(ask mdevs)" = "{\"$made\": [\"$(node "${T4[0]}")\", \"nvidia-231\"]}" ]
inventory 8 1 1
[ "$(ask assigned)" = '{}' ]

say "a guest has it, so Nova makes another"
guest web01 --hostdev "$made"
start web01
[ "$(ask assigned)" = "{\"$made\": \"$(virsh -q domuuid web01)\"}" ]
other=$(ask allocate "$(node "${T4[0]}")" | tr -d '[]"')
[ "$other" != "$made" ]
on_vf=$(ask allocate "$(node "${vfs[1]}")" | tr -d '[]"')
[ "$(mdev_type "$on_vf")" = nvidia-558 ]
inventory 8 1 1
must_fail ask allocate "$(node "${vfs[1]}")-none"
destroy web01
for device in "$made" "$other" "$on_vf"; do mdevctl undefine --uuid "$device"; remove_mdev "$device"; done
