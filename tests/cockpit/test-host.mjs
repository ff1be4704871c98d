/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The view of the host: its GPUs, how full they are, and the work on the host as a whole. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import test from "node:test";
import {
    captured, close, confirm, define_guests, end_guest, fake_host, find, name_of, open, press, put_vgpuctl, reads,
    reads_no_more, srcdir, start_guest, text_of, uuid_of, virsh,
} from "./browser.mjs";
import { look_at, seen_text } from "./looks.mjs";

const ORPHAN = "dddddddd-0000-4000-8000-000000000001";

/* A T4 and an L40S. web01 runs with a vGPU. */
async function a_host() {
    const host = await fake_host("t4-l40s");

    define_guests({ name: "web01", number: 1 }, { name: "web02", number: 2 });
    host.ask(["vgpuctl", "attach", "web01", "--type", "T4-2B"]);
    start_guest(host, 1);
    put_vgpuctl(host.command);
    return host;
}

test("the GPUs, and who has how much of them", async () => {
    await a_host();
    const opened = await open("/"), { page } = opened;

    await reads(page, "2048 of 16384 MiB in use");
    await look_at(page, "host");
    for (const [name, numa] of [["GRID T4 0000:18:00.0", 0], ["NVIDIA L40S 0000:3d:00.0", 1]])
        await reads(await find(page, "region", name), `NUMA node ${numa} · driver nvidia`);
    await reads(page, "7 × GRID T4-2B");
    await find(page, "list", "How full 0000:18:00.0 is");

    const part = await find(page, "listitem", "web01", { begins: true });
    const name = await name_of(part);
    const tip = await part.$(".tip");

    assert.match(name, /^web01, GRID T4-2B, 2048 MiB, held, since .*\d/);
    assert.equal(await tip.isVisible(), false);
    await part.focus();
    assert.equal(await tip.isVisible(), true);
    assert.equal(await tip.evaluate(element => element.textContent), name);
    await page.evaluate(() => document.activeElement.blur());
    assert.equal(await tip.isVisible(), false);
    await part.hover();
    assert.equal(await tip.isVisible(), true);
    await close(opened);
});

test("what all types of a GPU begin with is said once", async () => {
    const host = await a_host();
    const opened = await open("/"), { page } = opened;

    await reads(page, "2048 of 16384 MiB in use");
    for (const gpu of JSON.parse(host.ask(["vgpuctl", "status", "--json"])).status) {
        const card = await find(page, "region", `${gpu.name} ${gpu.gpu}`), seen = await seen_text(card);
        const begin = `${gpu.name}-`.replace(/\s/g, "");

        assert.equal(seen.split(begin).length - 1, 1, seen);
        for (const { name } of gpu.types) {
            const type = await card.$(`[title="${name}"]`);

            assert.equal(await type.evaluate(found => found.textContent), name);
            assert.equal(`${begin}${await seen_text(type)}`, name.replace(/\s/g, ""));
        }
    }
    await close(opened);
});

/* A GPU with a vGPU for each of these guests. */
function gpu_with(address, guests) {
    return { gpu: address, name: null, numa: null, driver: null, enabled: true, drained: false, unit: "vGPU",
        total: 16, used: guests.length, free: 16 - guests.length, "free-at-most": 16 - guests.length, types: [],
        vgpus: guests.map((domain, i) => ({ device: uuid_of(parseInt(address) * 100 + i), type: "small", name: null,
            share: 1, state: "held", domain, "domain-uuid": uuid_of(domain.charCodeAt(0)), since: null })) };
}

test("a guest has one colour, and neighbours have two", async () => {
    const few = ["AAB", "BCD"], many = ["ABCDEFGHIJKLMNOP", "AIAQBJ"];

    for (const rows of [few, many]) {
        const gpus = rows.map((row, i) => gpu_with(`000${i + 1}:00:00.0`, [...row]));

        put_vgpuctl(`echo '${JSON.stringify({ status: gpus, errors: [], warnings: [] })}'`);
        const opened = await open("/"), { page } = opened;

        await reads(page, `${rows[0].length} of 16 vGPUs in use`);
        const bars = await page.$$eval(".bar", lists => lists.map(list => [...list.querySelectorAll(".vgpu")].map(
            part => ({ guest: part.textContent[0], colour: getComputedStyle(part).backgroundColor }))));
        const colours = new Map(bars.flat().map(({ guest, colour }) => [guest, colour]));

        assert.deepEqual(bars.map(bar => bar.map(({ guest }) => guest).join("")), rows);
        for (const bar of bars) {
            bar.slice(1).forEach(({ guest, colour }, i) =>
                assert.equal(guest === bar[i].guest, colour === bar[i].colour, `${bar[i].guest} beside ${guest}`));
        }
        if (rows === few) {
            assert.equal(new Set(colours.values()).size, colours.size);
            for (const { guest, colour } of bars.flat())
                assert.equal(colour, colours.get(guest), guest);
        }
        await close(opened);
    }
});

test("a vGPU that comes and goes while one looks", async () => {
    const host = await a_host();
    const opened = await open("/"), { page } = opened;

    host.ask(["vgpuctl", "attach", "web02", "--type", "T4-2B"]);
    await reads(page, "2048 of 16384 MiB in use");
    start_guest(host, 2);
    await reads(page, "4096 of 16384 MiB in use");
    await find(page, "listitem", "web02", { begins: true });
    end_guest(host, 2);
    await reads(page, "2048 of 16384 MiB in use");
    await reads_no_more(page, "web02");
    end_guest(host, 1);
    await reads(page, "0 of 16384 MiB in use");
    await close(opened);
});

test("drain and undrain", async () => {
    const host = await a_host();
    const opened = await open("/"), { page } = opened;

    await press(page, "button", "Drain 0000:3d:00.0");
    await find(page, "dialog", "Drain 0000:3d:00.0?");
    await press(page, "button", "Cancel");
    await press(page, "button", "Drain 0000:18:00.0");
    await confirm(page, "Drain 0000:18:00.0?", "Drain");
    await reads(page, "0000:18:00.0 is drained.");
    await press(page, "button", "Close");
    await find(page, "button", "Undrain 0000:18:00.0");
    await find(page, "button", "Drain 0000:3d:00.0");
    assert.deepEqual(fs.readdirSync(`${host.root}/var/lib/libvirt-vgpu/drained`), ["0000:18:00.0"]);

    await press(page, "button", "Undrain 0000:18:00.0");
    await confirm(page, "End the drain of 0000:18:00.0?", "Undrain");
    await press(page, "button", "Close");
    await find(page, "button", "Drain 0000:18:00.0");
    assert.deepEqual(fs.readdirSync(`${host.root}/var/lib/libvirt-vgpu/drained`), []);
    await close(opened);
});

test("orphans are shown, and those that were chosen are removed", async () => {
    const host = await a_host();

    host.ask(["make", "0000:18:00.0", "nvidia-223", ORPHAN]);
    const opened = await open("/"), { page } = opened;

    await press(page, "button", "Remove orphans");
    await find(page, "dialog", "Remove orphans");
    await reads(page, "An orphan is a vGPU that no running or defined guest refers to.");
    await look_at(page, "orphans");
    await reads(page, `${ORPHAN}: GRID T4-2B on 0000:18:00.0, made by somebody else`);
    await confirm(page, "Remove orphans", "Remove");
    await reads(page, "Choose a vGPU to remove.");
    await press(page, "checkbox", ORPHAN, { begins: true });
    await confirm(page, "Remove orphans", "Remove");
    await reads(page, `removed a vGPU (${ORPHAN})`);
    await press(page, "button", "Close");
    await reads(page, "2048 of 16384 MiB in use");

    await press(page, "button", "Remove orphans");
    await reads(page, "There is no orphan");
    await close(opened);
});

test("an orphan whose user is not known", async () => {
    const orphan = { device: ORPHAN, type: "nvidia-223", name: "GRID T4-2B", parent: "0000:18:00.0",
        gpu: "0000:18:00.0", origin: "ours", holder: null };
    const answer = list => JSON.stringify({ ...list, errors: [], warnings: [] });

    put_vgpuctl(`case $1 in orphans) echo '${answer({ orphans: [orphan] })}' ;;
        *) echo '${answer({ status: [gpu_with("0001:00:00.0", ["A"])] })}' ;; esac`);
    const opened = await open("/"), { page } = opened;

    await press(page, "button", "Remove orphans");
    await reads(page, `${ORPHAN}: GRID T4-2B on 0000:18:00.0, made by this package`);
    await reads(page, "perhaps in use by a process that cannot be looked at");
    await close(opened);
});

test("reconcile finishes what was left half done", async () => {
    const host = await a_host();
    const opened = await open("/"), { page } = opened;

    /* The daemon that ran web01 is gone, and nobody called the hook. */
    const ledger = `${host.root}/run/libvirt-vgpu/ledger`;

    virsh("destroy", uuid_of(1));
    fs.writeFileSync(ledger, fs.readFileSync(ledger, "utf8").replace(/ \d+:\d+ /, " 999999:1 "));
    await press(page, "button", "Reconcile");
    await reads(page, "Reconciling removes vGPUs that were never finished, and vGPUs of guests that have ended.");
    await look_at(page, "reconcile");
    await confirm(page, "Reconcile?", "Reconcile");
    await reads(page, "web01: removed ua-gpu0");
    await press(page, "button", "Close");
    await reads(page, "0 of 16384 MiB in use");
    assert.equal(host.ask(["vgpuctl", "list", "--raw", "-n"]), "");
    await close(opened);
});

test("GPUs become what vgpu.conf declares, after the steps were shown", async () => {
    const host = await fake_host("gpu 0000:03:00.0 xe vfs 3 memory 24480\n",
        'gpus = ( { address = "0000:03:00.0"; setup = { functions = 2; }; } );');
    const functions = () => fs.readFileSync(`${host.root}/sys/devices/0000:03:00.0/sriov_numvfs`, "utf8").trim();

    put_vgpuctl(host.command);
    const opened = await open("/"), { page } = opened;

    await press(page, "button", "Set up");
    await find(page, "dialog", "Set up GPUs as vgpu.conf declares them?");
    await reads(page, "0000:03:00.0: functions: disable (now 3, declared 2)");
    await reads(page, "0000:03:00.0: functions: enable (now 3, declared 2)");
    await look_at(page, "setup");
    assert.equal(functions(), "3");
    await confirm(page, "Set up GPUs as vgpu.conf declares them?", "Set up");
    await reads(page, "All GPUs are as vgpu.conf declares them.");
    assert.equal(functions(), "2");
    await press(page, "button", "Close");

    await press(page, "button", "Set up");
    await reads(page, "All GPUs are as vgpu.conf declares them.");
    await press(page, "button", "Close");
    fs.writeFileSync(`${host.root}/etc/libvirt-vgpu/vgpu.conf`, "");
    await press(page, "button", "Set up");
    await reads(page, "vgpu.conf declares no setup of a GPU.");
    await close(opened);
});

test("what doctor finds, and what to do", async () => {
    const host = await a_host();

    fs.chmodSync(`${host.root}/usr/sbin/libvirt-vgpu-hook`, 0o644);
    const [found] = JSON.parse(doctor(host)).findings;
    const opened = await open("/"), { page } = opened;

    await press(page, "button", "Check this host");
    await reads(page, found.text);
    await look_at(page, "doctor");
    for (const line of found.remedy.split("\n"))
        await reads(page, line);
    await press(page, "button", "Close");
    fs.chmodSync(`${host.root}/usr/sbin/libvirt-vgpu-hook`, 0o755);
    await press(page, "button", "Check this host");
    await reads(page, "doctor finds nothing wrong with this host.");
    await close(opened);
});

/* doctor says by its exit status that it found something. */
function doctor(host) {
    try {
        return host.ask(["vgpuctl", "doctor", "--json"]);
    } catch (failure) {
        return failure.stdout;
    }
}

test("a host without a GPU says why", async () => {
    const host = await fake_host("pci 0000:00:1f.2 driver ahci\n");

    put_vgpuctl(host.command);
    const [found] = JSON.parse(doctor(host)).findings;

    const opened = await open("/"), { page } = opened;

    await reads(page, found.text);
    await look_at(page, "empty");
    await close(opened);
});

test("figures that nobody knows", async () => {
    const vgpu = { device: "dddddddd-0000-4000-8000-000000000001", type: null, name: null, share: null,
        state: "foreign", domain: null, "domain-uuid": null, since: null };
    const gpu = { gpu: "0000:18:00.0", name: null, numa: null, driver: null, enabled: true, drained: false,
        unit: "MiB", total: 16384, used: null, free: null, "free-at-most": null, vgpus: [vgpu],
        types: [{ type: "nvidia-222", name: null, asked: 0, available: null, "available-at-most": null }] };

    const silent = { ...gpu, gpu: "mtty", unit: "vGPU", total: null, vgpus: [{ ...vgpu, share: 1 }] };

    put_vgpuctl(`echo '${JSON.stringify({ status: [gpu, silent], errors: [], warnings: [] })}'`);
    const opened = await open("/"), { page } = opened;

    await reads(page, "16384 MiB");
    await reads(page, "1 vGPUs in use");
    await reads(page, "an unknown number × nvidia-222");
    assert.doesNotMatch(await text_of(page), /undefined|null|NaN/);
    await close(opened);
});

test("hosts that were recorded", async () => {
    for (const name of fs.readdirSync(`${srcdir}/tests/captures`)) {
        put_vgpuctl(captured(name));
        const opened = await open("/"), { page } = opened;

        await find(page, "button", "Reconcile");
        await reads(page, " in use");
        assert.doesNotMatch(await text_of(page), /undefined|null|NaN/);
        await close(opened);
    }
});
