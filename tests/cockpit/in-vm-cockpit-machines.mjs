/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What somebody clicks in Cockpit's own page of virtual machines, in a test host with emulated cards:
 * scenario "cockpit-machines" of tests/vm. The page is Debian's, so what it writes on its console is not
 * judged. */

import { confirm, end, find, is_served, open, press, reads, text_of, until } from "./browser.mjs";
import { picture } from "./looks.mjs";

await until("the page is there", is_served);
const { page } = await open("/vms", { name: "machines" });

/* The emulated host has no KVM. The page says so first, and shows its list when that is ignored. */
async function reach_list() {
    const text = await text_of(page);

    if (text.includes("Hardware virtualization is disabled"))
        await press(page, "button", "Ignore");
    return text.includes("web01");
}

/* The page shows a host device: a row with all these words. */
function has_row(place, ...words) {
    let seen = "";

    return until(() => `${words} in: ${seen}`, async () => {
        const rows = await page.$$(`${place} tbody tr`);

        seen = "";
        for (const row of rows) {
            const text = await text_of(row);

            if (words.every(word => text.includes(word)))
                return row;
            seen += `${text}\n`;
        }
        return null;
    });
}

/* The scenario has put its devices' names into the guest's description. */
async function described(name) {
    const [, value] = (await text_of(page)).match(new RegExp(`\\b${name}=(\\S+)`)) || [];

    return value;
}

await until("web01 in the list", reach_list);
await picture(page, "list");
await press(page, "link", "web01");
await reads(page, "Shut off");

const mdev = await until("the description", () => described("mdev"));
const first = await described("vf");

await has_row("#vm-web01-hostdevs", "mdev", mdev);
await has_row("#vm-web01-hostdevs", "pci", "Display controller", "L40S", "NVIDIA Corporation", first);
await picture(page, "devices");

/* An emulated host takes minutes for the rest. */
if (process.env.LONG) {
    const second = await described("other");

    await press(page, "button", "Run");
    await reads(page, "Running");
    await has_row("#vm-web01-hostdevs", "mdev", mdev);
    await picture(page, "runs");

    /* This button has no name. */
    await page.locator("#vm-web01-system-action-kebab").click();
    await press(page, "menuitem", "Force shut down");
    await press(await find(page, "dialog", "Force shut down web01?"), "button", "Force shut down");
    await reads(page, "Shut off");

    await press(page, "button", "Add host device");
    await find(page, "dialog", "Add host device");
    await press(page, "radio", "PCI");
    const row = await has_row("#vm-web01-hostdevs-dialog", "Battlemage", "Intel Corporation", second);

    await picture(page, "add");
    await press(row, "checkbox", "Select row", { begins: true });
    await confirm(page, "Add host device", "Add");
    await until("the dialog is closed", async () => !await page.$("#vm-web01-hostdevs-dialog"));
    await has_row("#vm-web01-hostdevs", "pci", "Display controller", "Battlemage", "Intel Corporation", second);
    await picture(page, "added");
}

/* All that may be wrong is seen before the last click. */
await press(page, "button", "Run");
await end();
