# SPDX-License-Identifier: LGPL-2.1-or-later
# Requests by a type's full name, by a class whose first type is full, by alias, by default class.
# shellcheck shell=bash

vgpu_conf <<-END
	classes = { small = { types = [ "mbochs-large", "Dual port serial" ]; }; };
	default_class = "small";
END

# Fill mbochs: four vGPUs of mbochs-large take all its memory.
for i in 1 2 3 4; do
    make_mdev mbochs mbochs-large "dddddddd-0000-4000-8000-00000000000$i"
done

name=$(new_uuid) class=$(new_uuid) alias=$(new_uuid) default=$(new_uuid)
claim by-name --metadata "$(request '<vgpu:device type="Single port serial"/>')" --hostdev "$name"
claim by-class --metadata "$(request "<vgpu:device uuid=\"$class\" class=\"small\"/>")" \
    --hostdev "$class"
guest by-alias --hostdev "$alias,ua-vgpu-small-7"
claim by-default --hostdev "$default"
start by-alias
[ "$(mdev_type "$name")" = mtty-1 ]
[ "$(mdev_type "$class")" = mtty-2 ]
[ "$(mdev_type "$alias")" = mtty-2 ]
[ "$(mdev_type "$default")" = mtty-2 ]
destroy by-alias
for domain in by-name by-class by-default; do give_back "$domain"; done
assert_empty_ledger
[ "$(mdevs | wc -l)" = 4 ]
for device in $(mdevs); do remove_mdev "$device"; done
