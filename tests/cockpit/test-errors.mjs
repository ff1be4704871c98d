/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can go wrong, and that the page says it: by the tool's own line wherever there is one. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import test from "node:test";
import {
    close, confirm, define_guests, drop_rights, fake_host, find, open, press, put_vgpuctl, raise_rights, reads,
    reads_no_more, scratch, text_of,
} from "./browser.mjs";
import { look_at } from "./looks.mjs";

async function a_host(libvirt) {
    const host = await fake_host("t4-l40s", "", libvirt);

    define_guests({ name: "web01", number: 1 });
    put_vgpuctl(host.command);
    return host;
}

test("there is no vgpuctl, and then there is one", async () => {
    const host = await a_host();

    put_vgpuctl(null);
    for (const [view, sign] of [["/", "MiB in use"], ["/guests", "No vGPU."]]) {
        const opened = await open(view), { page } = opened;

        await reads(page, "vgpuctl was not found on this host: install the package libvirt-vgpu.");
        await reads_no_more(page, "Looking…");
        await look_at(page, `no-vgpuctl${view.replace("/", "-").replace(/-$/, "")}`);
        put_vgpuctl(host.command);
        await press(page, "button", "Try again");
        await reads(page, sign);
        await reads_no_more(page, "was not found");
        await close(opened);
        put_vgpuctl(null);
    }
});

/* An address is what somebody has typed, or what a link of somebody else's says. */
test("an address that names no view", async () => {
    await a_host();
    for (const view of ["/constructor", "/__proto__", "/toString/guests", "/hasOwnProperty", "/no-such", "/%"]) {
        const opened = await open(view), { page } = opened;

        await reads(page, "0 of 16384 MiB in use");
        assert.equal(await (await find(page, "link", "Host")).evaluate(found => found.getAttribute("aria-current")),
            "page", view);
        await close(opened);
    }
});

test("vgpuctl ends while one looks", async () => {
    await a_host();
    put_vgpuctl(`echo '{"status": [], "errors": [], "warnings": []}'; until [ -e "${scratch}/over" ]; do sleep 0.1; done
        echo 'vgpuctl: status: the world has ended; begin another' >&2; exit 1`);
    const opened = await open("/"), { page } = opened;

    await reads(page, "No GPU on this host offers vGPUs");
    fs.writeFileSync(`${scratch}/over`, "");
    await reads(page, "vgpuctl: status: the world has ended; begin another");
    await find(page, "button", "Try again");
    await close(opened);
});

test("libvirt does not answer", async () => {
    await a_host("test+unix:///default?socket=/nowhere");
    for (const view of ["/", "/guests"]) {
        const opened = await open(view), { page } = opened;

        await reads(page, "vgpuctl says:");
        await reads(page, "/nowhere");
        await reads_no_more(page, "Looking…");
        assert.doesNotMatch(await text_of(page), /libvirt knows no guest/);
        await look_at(page, `no-libvirt${view === "/" ? "" : "-guests"}`);
        await close(opened);
    }
});

test("vgpuctl refuses", async () => {
    const host = await a_host();
    const opened = await open("/guests"), { page } = opened;

    /* The type goes while the dialog is open. */
    await press(page, "button", "Attach vGPU to web01");
    await find(page, "combobox", "What it gets");
    fs.writeFileSync(`${host.root}/etc/libvirt-vgpu/vgpu.conf`, "classes = {\n");
    await confirm(page, "Give web01 a vGPU", "Attach");
    await reads(page, "vgpu.conf");
    await look_at(page, "refused");
    /* The dialog is still there, for another try. */
    fs.writeFileSync(`${host.root}/etc/libvirt-vgpu/vgpu.conf`, "");
    await confirm(page, "Give web01 a vGPU", "Attach");
    await reads(page, "web01: started");
    await close(opened);
});

test("each of several errors is on its line", async () => {
    const host = await a_host();
    const errors = ["one is wrong", "another is wrong"].map(text => ({ text, remedy: "", advice: "" }));

    put_vgpuctl(`[ "$1" != drain ] || { echo '${JSON.stringify({ errors, warnings: [] })}'; exit 1; }; ${host.command}`);
    const opened = await open("/"), { page } = opened;

    await press(page, "button", "Drain 0000:18:00.0");
    await confirm(page, "Drain 0000:18:00.0?", "Drain");
    await reads(page, "one is wrong\nanother is wrong");
    await close(opened);
});

/* Whoever closes the dialog is told later what became of the work. */
test("a command that takes long may be left", async () => {
    const host = await a_host();

    put_vgpuctl(`[ "$1" != drain ] || until [ -e "${scratch}/drain" ]; do sleep 0.1; done; ${host.command}`);
    const opened = await open("/"), { page } = opened;

    await press(page, "button", "Drain 0000:18:00.0");
    await confirm(page, "Drain 0000:18:00.0?", "Drain");
    await reads(page, "Working…");
    await press(page, "button", "Leave");
    await reads(page, "Drain 0000:18:00.0: vgpuctl is still at work.");
    assert.equal((await page.$$("dialog")).length, 0);
    fs.writeFileSync(`${scratch}/drain`, "");
    await reads(page, "0000:18:00.0 is drained. The view shows");
    await reads(page, "Drain 0000:18:00.0:");
    await find(page, "button", "Undrain 0000:18:00.0");
    await press(page, "button", "Dismiss");
    await reads_no_more(page, "is drained.");
    await close(opened);
});

test("two clicks open one dialog", async () => {
    const host = await a_host();

    put_vgpuctl(`[ "$1" != types ] || until [ -e "${scratch}/types" ]; do sleep 0.1; done; ${host.command}`);
    const opened = await open("/guests"), { page } = opened;

    await (await find(page, "button", "Attach vGPU to web01")).click({ count: 2 });
    await reads(page, "Looking…");
    assert.equal((await page.$$("dialog")).length, 1);
    fs.writeFileSync(`${scratch}/types`, "");
    await find(page, "combobox", "What it gets");
    await close(opened);
});

test("who may look and not change", async () => {
    const host = await a_host();
    const opened = await open("/", { access: "limited" }), { page } = opened;

    await reads(page, "You have limited access.");
    await reads(page, "0 of 16384 MiB in use");
    for (const name of ["Remove orphans", "Reconcile", "Drain 0000:18:00.0", "Evacuate 0000:3d:00.0"])
        assert.equal(await (await find(page, "button", name)).evaluate(found => found.disabled), true, name);
    assert.equal(await (await find(page, "button", "Check this host")).evaluate(found => found.disabled), false);
    await look_at(page, "limited");
    /* A screen reader does not read the notice again when something else has changed. */
    const notice = await page.$("#notices > *");
    const card = await find(page, "region", "NVIDIA L40S 0000:3d:00.0");

    host.ask(["make", "0000:18:00.0", "nvidia-223", "dddddddd-0000-4000-8000-000000000001"]);
    await reads(page, "2048 of 16384 MiB in use");
    for (const element of [notice, card])
        assert.equal(await element.evaluate(found => found.isConnected), true);
    await press(page, "link", "Guests");
    assert.equal(await (await find(page, "button", "Attach vGPU to web01")).evaluate(found => found.disabled),
        true);
    await close(opened);
});

test("who has Cockpit's administrative access, and not the right", async running => {
    const host = await a_host();

    fs.chmodSync(host.root, 0o555);
    await raise_rights();
    running.after(async () => {
        fs.chmodSync(host.root, 0o755);
        await drop_rights();
    });
    const opened = await open("/", { access: "limited" }), { page } = opened;

    await reads(page, "0 of 16384 MiB in use");
    await reads_no_more(page, "You have limited access.");
    await press(page, "button", "Drain 0000:18:00.0");
    await confirm(page, "Drain 0000:18:00.0?", "Drain");
    await reads(page, "cannot ");
    await reads(page, "Permission denied; run it as root");
    await close(opened);
});
