/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The guests of a GPU leave it, and come back: the plan is shown, and done as it was shown. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import test from "node:test";
import {
    answers, close, confirm, define_guests, fake_host, find, open, press, put_vgpuctl, reads, reads_no_more,
    start_guest, uuid_of,
} from "./browser.mjs";
import { look_at } from "./looks.mjs";

/* A row of a table as people copy it. */
const row = (...cells) => cells.join("\t");

const T4 = "0000:18:00.0", OTHER = "0000:19:00.0";

/* --- vgpuctl itself ------------------------------------------------------------------------- */

/* Two T4. web01 runs on the first. libvirt's test driver moves nobody; tests/vm does. */
async function a_host() {
    const host = await fake_host([T4, OTHER].map(gpu => `gpu ${gpu} rule size board "GRID T4"\n`).join(""));

    define_guests({ name: "web01", number: 1 });
    host.ask(["vgpuctl", "attach", "web01", "--type", "T4-2B"]);
    start_guest(host, 1);
    put_vgpuctl(host.command);
    return { ...host, plan: `${host.root}/run/libvirt-vgpu/page-evacuation-plan-${T4}` };
}

test("a plan changes nothing, and what became impossible since stays", async () => {
    const host = await a_host();
    const opened = await open("/"), { page } = opened;

    await press(page, "button", `Evacuate ${T4}`);
    await reads(page, `${row("Guest", "From", "How", "To")}\n${row("web01", T4, "here", OTHER)}`);
    await press(page, "button", "Cancel");
    assert.match(fs.readFileSync(host.plan, "utf8"), new RegExp(`name = "web01";[^]*to = \\( "${OTHER}" \\)`));
    await find(page, "button", `Drain ${T4}`);

    await press(page, "button", `Evacuate ${T4}`);
    await reads(page, "This is the plan:");
    host.ask(["vgpuctl", "drain", OTHER]);
    await confirm(page, `Evacuate ${T4}?`, "Evacuate");
    await reads(page, row("web01", T4, "stays", "stayed", ""));
    await reads(page, `${OTHER} is drained`);
    await reads(page, "what stays: 1 of 1");
    await press(page, "button", "Close");
    await find(page, "button", `Undrain ${T4}`);

    await press(page, "button", `Bring back guests to ${T4}`);
    await reads(page, "No guest of this GPU is away.");
    await press(page, "button", "Close");
    await press(page, "button", `Evacuate ${OTHER}`);
    await reads(page, "No vGPU is on this GPU.");
    await close(opened);
});

test("vgpuctl cannot read the plan, and then it can", async () => {
    const host = await a_host();
    const opened = await open("/"), { page } = opened;

    host.ask(["vgpuctl", "drain", OTHER]);
    await press(page, "button", `Evacuate ${T4}`);
    await reads(page, "what stays: 1 of 1");
    const plan = fs.readFileSync(host.plan, "utf8");

    fs.writeFileSync(host.plan, "moves = (");
    await confirm(page, `Evacuate ${T4}?`, "Evacuate");
    await reads(page, `page-evacuation-plan-${T4}:1: `);
    fs.writeFileSync(host.plan, plan);
    await confirm(page, `Evacuate ${T4}?`, "Evacuate");
    await reads(page, row("stayed", "the plan says so"));
    await close(opened);
});

test("a vgpuctl that does not know evacuate", async () => {
    const host = await a_host();

    put_vgpuctl(`[ "$1" != evacuate ] || { shift; set -- no-such-command "$@"; }; ${host.command}`);
    const opened = await open("/"), { page } = opened;

    await press(page, "button", `Evacuate ${T4}`);
    await reads(page, 'there is no command "no-such-command"');
    await press(page, "button", "Close");
    await close(opened);
});

/* --- guests that move ----------------------------------------------------------------------- */

function gpu(address, drained, vgpus) {
    return { gpu: address, name: null, numa: null, driver: null, enabled: !drained, drained, unit: "vGPU",
        total: 4, used: vgpus.length, free: 4 - vgpus.length, "free-at-most": 4 - vgpus.length, types: [],
        vgpus: vgpus.map(([number, state]) => ({ device: uuid_of(100 + number), type: "small", name: null, share: 1,
            state, domain: `web0${number}`, "domain-uuid": uuid_of(number), since: null })) };
}

function line(number, how, more) {
    return { domain: `web0${number}`, "domain-uuid": uuid_of(number), from: T4, how, to: "", framebuffer: 2048,
        pause: null, result: "", reason: "", ...more };
}

function note(text) {
    return { word: "failed", text, remedy: "", advice: "" };
}

const HERE = line(1, "here", { to: OTHER, pause: 7 }), STAYS = line(2, "stays", { to: T4, reason: "no room" });
const BEFORE = { status: [gpu(T4, false, [[1, "held"], [2, "held"]]), gpu(OTHER, false, [])] };
const AFTER = { status: [gpu(T4, true, [[2, "held"]]), gpu(OTHER, false, [[1, "held"]])] };

test("guests leave, while one sees who is moved, and come back", async () => {
    const host = answers({
        "status": BEFORE,
        "--plan --dry-run": { evacuation: [HERE, STAYS], errors: [note("what stays: 1 of 2")], exit: 4 },
    });
    const opened = await open("/"), { page } = opened;

    await press(page, "button", `Evacuate ${T4}`);
    await reads(page, row("Guest", "From", "How", "To", "Pause", "Reason"));
    await reads(page, row("web01", T4, "here", OTHER, "7 s", ""));
    await reads(page, "no room\nwhat stays: 1 of 2");
    await look_at(page, "evacuate");
    await confirm(page, `Evacuate ${T4}?`, "Evacuate");
    await reads(page, "Working…");
    host.step("--plan", { evacuation: [{ ...HERE, result: "moving" }, STAYS] });
    await reads(page, row("web01", T4, "here", OTHER, "7 s", "moving", ""));
    host.step("--plan", { evacuation: [{ ...HERE, result: "moved" }, STAYS] });
    await reads(page, row("web01", T4, "here", OTHER, "7 s", "moved", ""));
    await reads(page, "Working…");
    host.put("status", AFTER);
    host.put("--plan", { evacuation: [{ ...HERE, pause: null, result: "moved" }, { ...STAYS, result: "stayed" }],
        errors: [note("what stays: 1 of 2")], exit: 4 });
    await reads(page, row("Guest", "From", "How", "To", "Result", "Reason"));
    await reads(page, row("web01", T4, "here", OTHER, "moved", ""));
    await reads(page, row("web02", T4, "stays", T4, "stayed", "no room"));
    await reads_no_more(page, "Working…");
    await look_at(page, "evacuated");
    await press(page, "button", "Close");

    const home = { ...HERE, from: OTHER, to: T4 };

    host.put("--back --dry-run", { evacuation: [home] });
    host.put("--back", { evacuation: [{ ...home, result: "saved", reason: "it did not start" }],
        errors: [note("guests that could not be moved: 1 of 1")], exit: 1 });
    await press(page, "button", `Bring back guests to ${T4}`);
    await reads(page, row("web01", OTHER, "here", T4, "7 s"));
    await confirm(page, `Bring guests back to ${T4}?`, "Bring back");
    await reads(page, `${row("saved", "it did not start")}\nguests that could not be moved: 1 of 1`);
    await press(page, "button", "Close");
    const file = `/run/libvirt-vgpu/page-evacuation-plan-${T4}`;

    assert.deepEqual(host.asked(), [
        `evacuate --json --plan ${file} --dry-run -- ${T4}`, `evacuate --json --plan ${file} -- ${T4}`,
        `evacuate --json --back --dry-run -- ${T4}`, `evacuate --json --back -- ${T4}`]);
    await close(opened);
});

test("whoever leaves an evacuation is told what became of each guest", async () => {
    const host = answers({ "status": BEFORE, "--plan --dry-run": { evacuation: [HERE] } });
    const opened = await open("/"), { page } = opened;

    await press(page, "button", `Evacuate ${T4}`);
    await reads(page, "This is the plan:");
    await confirm(page, `Evacuate ${T4}?`, "Evacuate");
    await press(page, "button", "Leave");
    await reads(page, `Evacuate ${T4}: vgpuctl is still at work.`);
    await press(page, "link", "Guests");
    host.put("status", AFTER);
    host.put("--plan", { evacuation: [{ ...HERE, result: "moved" }] });
    await reads(page, row("web01", T4, "here", OTHER, "7 s", "moved"));
    await look_at(page, "evacuation-left");
    await press(page, "button", "Dismiss");
    await reads_no_more(page, "moved");
    await close(opened);
});

/* A document of a step is no result. */
test("a vgpuctl that is killed while guests move", async () => {
    const host = answers({ "status": BEFORE, "--plan --dry-run": { evacuation: [HERE] } });
    const opened = await open("/"), { page } = opened;

    await press(page, "button", `Evacuate ${T4}`);
    await reads(page, "This is the plan:");
    host.step("--plan", { evacuation: [{ ...HERE, result: "moving" }] });
    await confirm(page, `Evacuate ${T4}?`, "Evacuate");
    await reads(page, row("7 s", "moving"));
    host.die("--plan");
    await reads(page, "vgpuctl has ended without an answer.");
    await close(opened);
});
