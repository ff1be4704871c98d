/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Somebody evacuates a GPU of a test host, with real libvirt: scenario "cockpit-evacuate" of tests/vm. */

import { close, confirm, end, find, is_served, open, press, reads, reads_no_more, until } from "./browser.mjs";
import { picture } from "./looks.mjs";

const T4 = "0100:10:00.0", OTHER = "0100:20:00.0";

/* A row of the table of guests. */
const row = (...cells) => cells.join("\t");

await until("the page is there", is_served);

/* All that may be wrong is seen before the last click. */
const opened = await open("/"), { page } = opened;

await press(page, "button", `Evacuate ${T4}`);
await reads(page, row("web01", T4, "here", OTHER));
await picture(page, "plan");
await confirm(page, `Evacuate ${T4}?`, "Evacuate");
await reads(page, row("web01", T4, "here", OTHER, "moved"));
await picture(page, "evacuated");
await press(page, "button", "Close");
await press(page, "button", `Bring back guests to ${T4}`);
await reads(page, row("web01", OTHER, "here", T4));
await confirm(page, `Bring guests back to ${T4}?`, "Bring back");
await reads(page, row("web01", OTHER, "here", T4, "moved"));
await picture(page, "back");
await press(page, "button", "Close");
await find(page, "button", `Drain ${T4}`);
await reads_no_more(page, "drained");
await close(opened);

const last = await open("/");

await press(last.page, "button", `Drain ${OTHER}`);
await confirm(last.page, `Drain ${OTHER}?`, "Drain");
await reads(last.page, "is drained.");
await end();
