/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* README's picture of the page. What it says is in readme.txt, so one sees when the page says something else.
 * With VGPU_GOLDEN=write both are made anew. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import test from "node:test";
import {
    close, define_guests, fake_host, open, put_vgpuctl, reads, srcdir, start_guest, text_of, uuid_of,
} from "./browser.mjs";
import { picture } from "./looks.mjs";

const GUESTS = [["web01", "T4-2Q"], ["web02", "T4-2Q"], ["desk01", "T4-2B"], ["desk02", "L40S-16Q"],
    ["render01", "L40S-16Q"]];

const WORDS = `${srcdir}/tests/cockpit/readme.txt`;

async function a_host() {
    const host = await fake_host("t4-l40s");

    define_guests(...GUESTS.map(([name], i) => ({ name, number: i + 1 })));
    GUESTS.forEach(([name, type], i) => {
        /* The page shows mediated devices in the order of their UUIDs. */
        host.ask(["vgpuctl", "attach", name, "--type", type,
            ...type.startsWith("T4") ? ["--uuid", uuid_of(100 + i)] : []]);
        start_guest(host, i + 1);
    });
    put_vgpuctl(host.command);
}

test("README's picture", async () => {
    await a_host();
    const opened = await open("/"), { page } = opened;

    await reads(page, "32768 of 49152 MiB in use");
    const shot = await picture(page, "readme");
    const words = `${await text_of(page)}\n`.replace(/\d+\/\d+\/\d+,.*$/gm, "TIME");

    if (process.env.VGPU_GOLDEN === "write") {
        fs.copyFileSync(shot, `${srcdir}/.github/cockpit.png`);
        fs.writeFileSync(WORDS, words);
    }
    assert.equal(words, fs.readFileSync(WORDS, "utf8"), "make README's picture anew, with VGPU_GOLDEN=write");
    await close(opened);
});
