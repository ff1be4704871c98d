/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Everything can be done without a mouse, and one sees where one is. */

import assert from "node:assert/strict";
import test from "node:test";
import {
    close, define_guests, fake_host, find, open, put_vgpuctl, reads, start_guest, until,
} from "./browser.mjs";
import { under_ring } from "./looks.mjs";

const ORPHAN = "dddddddd-0000-4000-8000-000000000001";
const MOST_STEPS = 60;

async function a_host() {
    const host = await fake_host("t4-l40s");

    define_guests({ name: "web01", number: 1 });
    host.ask(["vgpuctl", "attach", "web01", "--type", "T4-2B"]);
    start_guest(host, 1);
    host.ask(["make", "0000:18:00.0", "nvidia-223", ORPHAN]);
    put_vgpuctl(host.command);
    return host;
}

/* What has the focus: its role and name; whether that is seen. */
async function focused(page) {
    const handle = (await page.evaluateHandle(() => document.activeElement)).asElement();
    const found = await page.accessibility.snapshot({ root: handle, interestingOnly: false });
    const is_seen = await handle.evaluate(element => {
        const { outlineStyle, outlineWidth } = getComputedStyle(element);

        return element === document.body || (element.matches(":focus-visible") &&
            outlineStyle !== "none" && parseFloat(outlineWidth) >= 2);
    });

    return { role: found?.role, name: found?.name || "", is_seen };
}

/* Presses Tab until an element with this role and name has the focus. */
async function tab_to(page, role, name) {
    const passed = [];

    for (let i = 0; i < MOST_STEPS; i++) {
        let now;

        await page.keyboard.press("Tab");
        /* The page may be drawing the element anew just now. */
        await until(() => `one sees that ${now.role} "${now.name}" has the focus`,
            async () => (now = await focused(page)).is_seen);
        assert.deepEqual(await under_ring(page), [], `the ring around ${now.role} "${now.name}" lies over text`);
        if (now.role === role && now.name.startsWith(name))
            return;
        passed.push(`${now.role} "${now.name}"`);
    }
    assert.fail(`Tab does not come to ${role} "${name}", but to ${passed.join(", ")}`);
}

/* The focus is again where it was when the dialog was opened. */
function comes_back(page, name) {
    return until(`the focus is on "${name}" again`, async () => (await focused(page)).name === name);
}

test("the host by keyboard", async () => {
    await a_host();
    const opened = await open("/"), { page } = opened;

    await reads(page, "4096 of 16384 MiB in use");
    await tab_to(page, "button", "Check this host");
    await page.keyboard.press("Enter");
    await reads(page, "What is wrong with this host");
    await page.keyboard.press("Escape");
    await comes_back(page, "Check this host");

    await tab_to(page, "button", "Remove orphans");
    await page.keyboard.press("Enter");
    await find(page, "checkbox", ORPHAN, { begins: true });
    await tab_to(page, "checkbox", ORPHAN);
    await page.keyboard.press("Space");
    await tab_to(page, "button", "Remove");
    await page.keyboard.press("Enter");
    await reads(page, `removed a vGPU (${ORPHAN})`);
    await page.keyboard.press("Enter"); /* the focus is on Close */
    await comes_back(page, "Remove orphans");

    await tab_to(page, "button", "Reconcile");
    await page.keyboard.press("Space");
    await find(page, "dialog", "Reconcile?");
    await page.keyboard.press("Escape");
    await comes_back(page, "Reconcile");

    await tab_to(page, "button", "Drain 0000:18:00.0");
    await page.keyboard.press("Enter");
    await find(page, "dialog", "Drain 0000:18:00.0?");
    await tab_to(page, "button", "Drain");
    await page.keyboard.press("Enter");
    await reads(page, "0000:18:00.0 is drained.");
    await page.keyboard.press("Escape");
    await find(page, "button", "Undrain 0000:18:00.0");
    await comes_back(page, "Undrain 0000:18:00.0");
    await tab_to(page, "button", "Evacuate 0000:18:00.0");
    await page.keyboard.press("Enter");
    await reads(page, "This is the plan:");
    await page.keyboard.press("Escape");
    await comes_back(page, "Evacuate 0000:18:00.0");
    await tab_to(page, "button", "Bring back guests to 0000:18:00.0");
    await page.keyboard.press("Enter");
    await reads(page, "No guest of this GPU is away.");
    await page.keyboard.press("Enter"); /* the focus is on Close */
    await comes_back(page, "Bring back guests to 0000:18:00.0");
    await tab_to(page, "button", "Undrain 0000:18:00.0");
    await page.keyboard.press("Enter");
    await tab_to(page, "button", "Undrain");
    await page.keyboard.press("Enter");
    await reads(page, "0000:18:00.0 is not drained any more.");
    await page.keyboard.press("Enter"); /* the focus is on Close */
    await find(page, "button", "Drain 0000:18:00.0");

    await tab_to(page, "listitem", "web01, GRID T4-2B");
    assert.ok(await (await page.$(".bar .tip")).isVisible());
    await close(opened);
});

test("the guests by keyboard", async () => {
    await a_host();
    const opened = await open("/"), { page } = opened;

    await reads(page, "MiB in use");
    await tab_to(page, "link", "Guests");
    await page.keyboard.press("Enter");
    await reads(page, "asks for T4-2B");

    await tab_to(page, "button", "Why, or why not? The vGPUs of web01");
    await page.keyboard.press("Enter");
    await reads(page, "ua-gpu0: type T4-2B");
    await page.keyboard.press("Escape");
    await comes_back(page, "Why, or why not? The vGPUs of web01");

    /* Somebody who goes on at once stays there, when the browser tells that the dialog has ended. */
    await page.keyboard.press("Enter");
    await reads(page, "ua-gpu0: type T4-2B");
    await page.evaluate(() => new Promise(resolve => {
        const dialog = document.querySelector("dialog");

        dialog.addEventListener("close", () => setTimeout(resolve));
        dialog.close();
        document.querySelector('[data-key^="attach "]').focus();
    }));
    assert.equal((await focused(page)).name, "Attach vGPU to web01");
    await page.keyboard.press("Enter");
    await find(page, "combobox", "What it gets");
    await tab_to(page, "checkbox", "Now, while it runs");
    await page.keyboard.press("Space");
    await tab_to(page, "combobox", "What it gets");
    await page.keyboard.type("GRID T4-2B");
    await tab_to(page, "button", "Attach");
    await page.keyboard.press("Enter");
    await reads(page, "web01: added ua-gpu1 (");
    await page.keyboard.press("Escape");
    await reads(page, "asks for GRID T4-2B");

    await tab_to(page, "button", "Detach ua-gpu1 from web01");
    await page.keyboard.press("Enter");
    await tab_to(page, "button", "Detach");
    await page.keyboard.press("Enter");
    await reads(page, "web01: removed ");
    await close(opened);
});
