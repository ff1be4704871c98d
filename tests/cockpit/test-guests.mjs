/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The view of the guests: what each has and asks for; attach, detach and explain. */

import assert from "node:assert/strict";
import test from "node:test";
import {
    choose, close, confirm, define_guests, end_guest, fake_host, find, open, press, put_vgpuctl, reads,
    reads_no_more, start_guest, until, uuid_of, virsh,
} from "./browser.mjs";
import { look_at } from "./looks.mjs";

const CLASSES = 'classes = { small = { types = [ "T4-1B", "T4-2B" ]; }; big = { types = [ "L40S-48Q" ]; }; };';

/* web01 runs with a vGPU, web02 asks for one, and web03 is a guest like any other. */
async function a_host() {
    const host = await fake_host("t4-l40s", CLASSES);

    define_guests({ name: "web01", number: 1 }, { name: "web02", number: 2 }, { name: "web03", number: 3 });
    host.ask(["vgpuctl", "attach", "web01", "--type", "T4-2B"]);
    start_guest(host, 1);
    host.ask(["vgpuctl", "attach", "web02", "--class", "small"]);
    put_vgpuctl(host.command);
    return host;
}

test("who has what, and who asks for what", async () => {
    await a_host();
    const opened = await open("/guests"), { page } = opened;

    await reads(page, "web03");
    await look_at(page, "guests");
    await reads(page, "asks for T4-2B, has GRID T4-2B on 0000:18:00.0, held");
    await reads(page, "asks for small, has none now");
    await reads(page, "No vGPU.");
    await find(page, "region", "web01");
    await find(page, "region", "web02");
    await find(page, "region", "web03");
    await close(opened);
});

test("from one view to the other", async () => {
    await a_host();
    const opened = await open("/"), { page } = opened;

    await reads(page, "MiB in use");
    await press(page, "link", "Guests");
    await reads(page, "asks for small, has none now");
    await reads_no_more(page, "MiB in use");
    await page.goBack();
    await reads(page, "MiB in use");
    await close(opened);
});

test("a guest gets a vGPU of a type for its next start, and starts with it", async () => {
    const host = await a_host();
    const opened = await open("/guests"), { page } = opened;

    await press(page, "button", "Attach vGPU to web03");
    await find(page, "dialog", "Give web03 a vGPU");
    await choose(page, "GRID T4-2Q: 7 free on 0000:18:00.0");
    await press(page, "checkbox", "Start the guest with it");
    await confirm(page, "Give web03 a vGPU", "Attach");
    await reads(page, "web03: added ua-gpu0 (");
    await press(page, "button", "Close");
    await reads(page, "asks for GRID T4-2Q, has none now");
    start_guest(host, 3);
    await reads(page, "has GRID T4-2Q on 0000:18:00.0, held");
    end_guest(host, 3);
    await close(opened);
});

test("a guest gets two vGPUs of a class, and is started", async () => {
    await a_host();
    const opened = await open("/guests"), { page } = opened;

    await press(page, "button", "Attach vGPU to web03");
    await find(page, "dialog", "Give web03 a vGPU");
    await look_at(page, "attach");
    await choose(page, "small: GRID T4-1B (");
    await (await find(page, "spinbutton", "How many")).evaluate(element => { element.value = 2; });
    await confirm(page, "Give web03 a vGPU", "Attach");
    await reads(page, "web03: started");
    await press(page, "button", "Close");
    await reads(page, "ua-gpu1");
    assert.equal(virsh("domstate", uuid_of(3)).trim(), "running");
    assert.equal(virsh("dumpxml", "--inactive", uuid_of(3)).match(/class="small"/g).length, 2);
    await close(opened);
});

/* libvirt's test driver plugs nothing into a guest that runs. So the change fails as a whole, and the
 * one for the next start is made. tests/vm sees a vGPU plugged in. */
test("a guest that runs", async () => {
    await a_host();
    const opened = await open("/guests"), { page } = opened;

    await press(page, "button", "Attach vGPU to web01");
    await choose(page, "GRID T4-2B");
    await confirm(page, "Give web01 a vGPU", "Attach");
    await reads(page, "web01: ua-gpu1: libvirt does not plug it in");
    await press(page, "checkbox", "Now, while it runs");
    await press(page, "checkbox", "From its next start on");
    await confirm(page, "Give web01 a vGPU", "Attach");
    await reads(page, "Choose when: now, or from its next start on.");
    await press(page, "checkbox", "From its next start on");
    await confirm(page, "Give web01 a vGPU", "Attach");
    await reads(page, "web01: added ua-gpu1 (");
    await press(page, "button", "Close");
    await find(page, "button", "Detach ua-gpu1 from web01");
    await reads(page, "has none now, from its next start on");
    await close(opened);
});

test("detach", async () => {
    const host = await a_host();
    const opened = await open("/guests"), { page } = opened;

    await press(page, "button", "Detach ua-gpu0 from web02");
    await find(page, "dialog", "Take ua-gpu0 from web02?");
    await look_at(page, "detach");
    await confirm(page, "Take ua-gpu0 from web02?", "Detach");
    await reads(page, "web02: removed ");
    await press(page, "button", "Close");
    await reads_no_more(page, "asks for small");
    await until("the focus is on the view", () => page.evaluate(() => document.activeElement.id === "view"));
    assert.doesNotMatch(virsh("dumpxml", uuid_of(2)), /hostdev|vgpu/);
    end_guest(host, 1);
    await close(opened);
});

test("why a guest would not start, and that another would", async () => {
    const host = await a_host();

    define_guests({ name: "web04", number: 4 }, { name: "web05", number: 5 });
    host.ask(["vgpuctl", "attach", "web04", "--type", "T4-16Q"]);
    host.ask(["vgpuctl", "attach", "web05", "--type", "T4-2Q"]);
    const opened = await open("/guests"), { page } = opened;

    for (const name of ["web04", "web05"]) {
        await press(page, "button", `Why, or why not? The vGPUs of ${name}`);
        for (const line of said(host, name).split("\n"))
            await reads(page, line);
        await look_at(page, `explain-${name}`);
        await press(page, "button", "Close");
    }
    await close(opened);
});

/* explain says by its exit status that there is no room. */
function said(host, name) {
    try {
        return host.ask(["vgpuctl", "explain", name]);
    } catch (failure) {
        return failure.stdout + failure.stderr;
    }
}

test("guests come and go while one looks", async () => {
    define_guests();
    const host = await fake_host("t4-l40s");

    put_vgpuctl(host.command);
    const opened = await open("/guests"), { page } = opened;

    await reads(page, "libvirt knows no guest on this host.");
    define_guests({ name: "web09", number: 9 });
    await find(page, "region", "web09");
    define_guests();
    await reads(page, "libvirt knows no guest on this host.");
    await close(opened);
});
