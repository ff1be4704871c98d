/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Names are text. Who may define a guest on a host may not run a script in the browser of its
 * administrator, nor turn the direction of writing on the page.
 */

import assert from "node:assert/strict";
import test from "node:test";
import {
    answers, close, confirm, define_guests, fake_host, find, open, press, put_vgpuctl, reads, start_guest, uuid_of,
} from "./browser.mjs";
import { assert_fits, look_at, picture, seen_text, under_ring } from "./looks.mjs";

const NAMES = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(2)<\u200b', /* a name has no slash */
    "web\u202e10-evil\u2066",
    "web10\u00ad\u{e0041}", /* looks like web10 */
    "javascript:alert(3)",
    "&lt;b&gt;${alert(4)}{{5}}",
    "اسم-الضيف",
    "x".repeat(200),
];

/* What nobody sees, or what turns the direction of writing. */
const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/gu;

/* As the page shows it. */
function seen(name) {
    return name.replace(UNSEEN, "\ufffd");
}

/* The page has the elements that it makes itself, and no others. It has no character of these, not
 * even in an attribute. */
async function assert_text(page, where) {
    const [strange, html] = await page.evaluate(() => [
        [...document.querySelectorAll("img, b, svg, iframe, object, embed, style, script:not([src]), [onerror]")]
            .map(element => element.outerHTML),
        document.documentElement.outerHTML,
    ]);

    assert.deepEqual(strange, [], where);
    assert.equal(html, seen(html), where);
}

async function a_host(names = NAMES) {
    const host = await fake_host("t4-l40s");

    define_guests(...names.map((name, i) => ({ name, number: i + 1 })));
    names.forEach((name, i) => {
        host.ask(["vgpuctl", "attach", "--type", "T4-2B", "--", name]);
        start_guest(host, i + 1);
    });
    put_vgpuctl(host.command);
    return host;
}

test("names on the view of the host", async () => {
    await a_host();
    const opened = await open("/"), { page } = opened;

    for (const name of NAMES)
        await reads(page, seen(name));
    await assert_text(page, "host");
    await look_at(page, "names-host");
    await page.setViewport({ width: 320, height: 900 });
    for (const part of await page.$$(".bar [tabindex]")) {
        await part.focus();
        await assert_text(page, "a tip");
        assert.deepEqual(await under_ring(page), [], "the ring lies over text");
        await assert_fits(page, "a tip");
    }
    await picture(page, "names-tip");
    await page.setViewport({ width: 1280, height: 900 });
    await press(page, "button", "Drain 0000:18:00.0");
    await confirm(page, "Drain 0000:18:00.0?", "Drain");
    await reads(page, "is drained.");
    await assert_text(page, "drain");
    await close(opened);
});

test("names on the view of the guests", async () => {
    await a_host();
    const opened = await open("/guests"), { page } = opened;

    for (const name of NAMES)
        await find(page, "region", seen(name));
    await assert_text(page, "guests");
    await look_at(page, "names-guests");
    for (const name of NAMES.map(seen)) {
        await press_of(page, name, "Attach vGPU");
        await find(page, "dialog", `Give ${name} a vGPU`);
        /* The dialog grows when vgpuctl has answered, and its buttons move away from a click. */
        await reads(page, "How many");
        await assert_text(page, "attach");
        await press(page, "button", "Cancel");
        await press_of(page, name, "Detach");
        await find(page, "dialog", `Take ua-gpu0 from ${name}?`);
        await assert_text(page, "detach");
        await press(page, "button", "Cancel");
        await press_of(page, name, "Why, or why not?");
        await find(page, "dialog", `What ${name} would get`);
        await reads(page, "ua-gpu0: type T4-2B");
        await assert_text(page, "explain");
        await press(page, "button", "Close");
    }
    await close(opened);
});

/* Every field of an evacuation has a name, and so have its errors. */
test("names in the plan of an evacuation, and in what became of it", async () => {
    const gpu = "0000:18:00.0", lines = NAMES.map((name, i) => ({ domain: name, "domain-uuid": uuid_of(i), from: name,
        how: name, to: name, framebuffer: null, pause: null, result: name, reason: name }));
    const document = { evacuation: lines, errors: NAMES.map(text => ({ text, remedy: text, advice: "" })) };
    const host = answers({ "--plan --dry-run": document, "status": { status: [{ gpu, name: null, numa: null, driver: null,
        enabled: true, drained: false, unit: "vGPU", total: 1, used: 0, free: 1, "free-at-most": 1, types: [], vgpus: [] }] } });
    const opened = await open("/"), { page } = opened;

    await press(page, "button", `Evacuate ${gpu}`);
    await find(page, "table", `Guests of ${gpu}`);
    for (const name of NAMES)
        await reads(await find(page, "table", `Guests of ${gpu}`), seen(name));
    await assert_text(page, "a plan");
    await look_at(page, "names-plan");
    await confirm(page, `Evacuate ${gpu}?`, "Evacuate");
    await press(page, "button", "Leave");
    host.put("--plan", document);
    await find(page, "table", `Guests of ${gpu}`);
    await assert_text(page, "an evacuation that was left");
    await look_at(page, "names-evacuated");
    await close(opened);
});

/* Presses a button of a guest, by its first words. */
async function press_of(page, name, words) {
    await press(await find(page, "region", name), "button", words, { begins: true });
}

/* Such names are from a scheme, and differ at their ends. */
const LONG_NAMES = ["production-accounting-department-remote-desktop-frankfurt-01",
    "production-accounting-department-remote-desktop-frankfurt-02", "y".repeat(150) + "z".repeat(50)];

test("a long name in a table is shortened in its middle, and its title is the whole", async () => {
    await a_host(LONG_NAMES);
    const opened = await open("/"), { page } = opened;

    await reads(page, LONG_NAMES[0]);
    for (const width of [320, 660, 900, 1280]) {
        await page.setViewport({ width, height: 900 });
        await assert_fits(page, `long names, ${width}`);
        for (const name of LONG_NAMES) {
            const cell = await page.waitForSelector(`td ::-p-text(${name})`);
            const seen = await seen_text(cell);

            assert.ok(seen.length < name.length, `${width}: ${seen}`);
            assert.equal(seen.slice(0, 5), name.slice(0, 5), `${width}: ${seen}`);
            assert.equal(seen.slice(-5), name.slice(-5), `${width}: ${seen}`);
            assert.equal(await cell.evaluate(found => found.closest("[title]")?.title), name);
        }
        await picture(page, `long-names-${width}`);
    }
    await close(opened);
});

/* The manifest does not loosen Cockpit's policy: no other sources, and nothing inline. */
test("Cockpit's content security policy is kept", async () => {
    put_vgpuctl((await fake_host("t4-l40s")).command);
    const opened = await open("/");
    const policy = opened.headers["content-security-policy"];

    assert.match(policy, /^default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    await close(opened);
});
