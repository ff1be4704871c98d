/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What somebody clicks in the page of a test host, with real libvirt: scenario "cockpit" of tests/vm. */

import { choose, close, confirm, end, find, is_served, open, press, reads, until } from "./browser.mjs";
import { picture } from "./looks.mjs";

await until("the page is there", is_served);

/* All that may be wrong is seen before the last click. */
const opened = await open("/guests"), { page } = opened;

await press(page, "button", "Attach vGPU to web01");
await find(page, "dialog", "Give web01 a vGPU");
await choose(page, "T4-2Q");
await confirm(page, "Give web01 a vGPU", "Attach");
await reads(page, "web01: started");
await picture(page, "attached");
await press(page, "button", "Close");
await reads(page, "ua-gpu0: asks for GRID T4-2Q, has GRID T4-2Q");
await press(page, "button", "Attach vGPU to web01");
await find(page, "checkbox", "Now, while it runs");
await choose(page, "T4-2Q");
await confirm(page, "Give web01 a vGPU", "Attach");
await reads(page, "web01: added ua-gpu1");
await press(page, "button", "Close");
await reads(page, "ua-gpu1: asks for GRID T4-2Q, has GRID T4-2Q on 0100:10:00.0, held");
await picture(page, "guests");
await press(page, "link", "Host");
await reads(page, "4096 of 16384 MiB in use");
await picture(page, "host");
await close(opened);

const last = await open("/");

await press(last.page, "button", "Drain 0100:10:00.0");
await confirm(last.page, "Drain 0100:10:00.0?", "Drain");
await reads(last.page, "is drained.");
await end();
