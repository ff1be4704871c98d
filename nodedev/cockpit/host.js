/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host: how full the GPUs of this host are, and which vGPUs are on them; and the work on the host as a whole.
 */

import { ask, button, element, labelled, show_found, table, told_lines } from "./elements.js";
import { available, change, read } from "./vgpuctl.js";

const COLOURS = 6; /* of page.css */

/* --- one GPU -------------------------------------------------------------------------------- */

function amount(gpu, number) {
    if (gpu.unit === "MiB")
        return `${number} MiB`;
    return gpu.total === null ? `${number} vGPU` : `${number} of ${gpu.total} places`;
}

function owner(vgpu) {
    return vgpu.domain || vgpu.device;
}

function since(vgpu) {
    return vgpu.since ? new Date(vgpu.since).toLocaleString() : "";
}

function describe(gpu, vgpu) {
    return [owner(vgpu), vgpu.name || vgpu.type, amount(gpu, vgpu.share), vgpu.state,
        vgpu.since && `since ${since(vgpu)}`].filter(Boolean).join(", ");
}

/* A part of the bar. Its width is set by script, because the content security policy forbids styles
 * in attributes. */
function part(share, attributes, ...children) {
    const made = element("li", attributes, children);

    made.style.flexGrow = share;
    return made;
}

function bar(gpu) {
    const parts = gpu.vgpus.filter(vgpu => vgpu.share > 0).map((vgpu, i) =>
        part(vgpu.share, { class: `vgpu colour${i % COLOURS}`, tabindex: 0,
            "data-key": `bar ${gpu.gpu} ${vgpu.device}`, "aria-label": describe(gpu, vgpu) },
        element("span", { class: "name", "aria-hidden": "true" }, owner(vgpu)),
        element("span", { class: "tip", "aria-hidden": "true" }, describe(gpu, vgpu))));
    const free = gpu.free === null ? gpu["free-at-most"] : gpu.free;
    const used = gpu.vgpus.reduce((sum, vgpu) => sum + vgpu.share, 0); /* as far as it is known */
    const closed = gpu.total - used - free;

    if (gpu.total === null || gpu.total <= 0)
        return null;
    if (free > 0)
        parts.push(part(free, { class: gpu.free === null ? "maybe" : "free" },
            element("span", { class: "name" }, gpu.free === null ? "perhaps free" : "free")));
    if (closed > 0)
        parts.push(part(closed, { class: "closed" }, element("span", { class: "name" }, "not to be had")));
    return element("ul", { class: "bar", "aria-label": `How full ${gpu.gpu} is` }, parts);
}

function sum(gpu) {
    if (gpu.total === null)
        return `${gpu.vgpus.length} vGPUs in use`;
    const total = `${gpu.total} ${gpu.unit === "MiB" ? "MiB" : "vGPUs"}`;

    return gpu.used === null ? total : `${gpu.used} of ${total} in use`;
}

/* Types of which there are as many are in one line. The order is vgpuctl's. */
function free_types(gpu) {
    const lines = new Map();

    for (const type of gpu.types)
        lines.set(available(type), [...lines.get(available(type)) || [], type.name || type.type]);
    return lines.size > 0 && element("div", {},
        element("h3", {}, "Free by type"),
        element("ul", {}, [...lines].map(([count, names]) =>
            element("li", {}, `${count} × ${names.join(", ")}`))));
}

function drain(gpu) {
    if (gpu.drained)
        return ask({ title: `End the drain of ${gpu.gpu}?`, confirm: "Undrain",
            body: element("p", {}, "Guests can get vGPUs on this GPU again."),
            act: async () => {
                await change("undrain", "--", gpu.gpu);
                return element("p", {}, `${gpu.gpu} is not drained any more.`);
            } });
    return ask({ title: `Drain ${gpu.gpu}?`, confirm: "Drain",
        body: element("p", {}, "No guest gets a new vGPU on this GPU, now and after a reboot. " +
            "Guests that run keep theirs."),
        act: async () => {
            await change("drain", "--", gpu.gpu);
            return element("p", {}, `${gpu.gpu} is drained. The view shows the vGPUs that are still on it.`);
        } });
}

function gpu_card(gpu, { may_change }) {
    const title = [gpu.name, gpu.gpu].filter(Boolean).join(" ");
    const facts = [Number.isInteger(gpu.numa) && `NUMA node ${gpu.numa}`,
        gpu.driver && `driver ${gpu.driver}`].filter(Boolean).join(" · ");

    return element("section", { class: "card", "aria-label": title },
        element("div", { class: "title" },
            element("h2", {}, title),
            gpu.drained && element("span", { class: "label" }, "drained"),
            gpu.enabled === false && !gpu.drained && element("span", { class: "label" }, "disabled"),
            button(gpu.drained ? "Undrain" : "Drain", `drain ${gpu.gpu}`, () => drain(gpu),
                { disabled: !may_change, "aria-label": `${gpu.drained ? "Undrain" : "Drain"} ${gpu.gpu}` })),
        facts && element("p", { class: "facts" }, facts),
        element("p", {}, sum(gpu)),
        bar(gpu),
        gpu.vgpus.length > 0 && table(`vGPUs on ${gpu.gpu}`, ["Guest", "Type", "Share", "State", "Since"],
            gpu.vgpus.map(vgpu => [owner(vgpu), vgpu.name || vgpu.type || "?",
                vgpu.share === null ? "?" : amount(gpu, vgpu.share), vgpu.state || "?", since(vgpu)])),
        free_types(gpu));
}

/* --- the host as a whole -------------------------------------------------------------------- */

const KINDS = new Map([["error", "danger"], ["warning", "warning"], ["note", "info"]]);

function finding(found) {
    const what_to_do = found.remedy || found.advice;

    return element("li", { class: `alert ${KINDS.get(found.severity) || "info"}` },
        element("strong", {}, `${found.severity}: ${found.word}`),
        element("p", {}, found.text),
        what_to_do && element("div", {}, "What to do:", element("pre", {}, what_to_do)));
}

async function findings() {
    const found = await read("doctor");

    return found.length === 0 ? element("p", {}, "doctor finds nothing wrong with this host.")
        : element("ul", { class: "findings" }, found.map(finding));
}

const MAKERS = new Map([["ours", "this package"], ["mdevctl", "mdevctl"], ["foreign", "somebody else"]]);

function holder(orphan) {
    if (orphan.holder === "?")
        return ", perhaps in use by a process that cannot be looked at";
    return orphan.holder ? `, in use by ${orphan.holder}` : "";
}

function orphan_choice(orphan, i) {
    return labelled(`${orphan.device}: ${orphan.name || orphan.type || "no type"} on ${orphan.gpu}, ` +
        `made by ${MAKERS.get(orphan.origin) || orphan.origin}${holder(orphan)}`,
    element("input", { type: "checkbox", id: `orphan-${i}`, checked: orphan.origin === "ours" }));
}

function reap() {
    const reading = read("orphans");

    async function choices() {
        const orphans = await reading;

        if (orphans.length === 0)
            throw Object.assign(new Error("There is no orphan: some guest refers to each vGPU."), { kind: "info" });
        return element("fieldset", {}, element("legend", {}, "vGPUs that no guest refers to"),
            orphans.map(orphan_choice));
    }

    ask({ title: "Remove orphans", confirm: "Remove", danger: true, body: choices(),
        act: async form => {
            const chosen = (await reading).filter((_, i) => form.elements[`orphan-${i}`].checked);

            if (chosen.length === 0)
                throw new Error("Choose a vGPU to remove.");
            return told_lines(await change("reap", "--", ...chosen.map(orphan => orphan.device)));
        } });
}

function reconcile() {
    ask({ title: "Reconcile?", confirm: "Reconcile",
        body: element("p", {}, "This finishes or undoes what a hook, a daemon or a driver left half done. " +
            "No guest that runs is touched."),
        act: async () => {
            const told = await change("reconcile");

            return told.length > 0 ? told_lines(told) : element("p", {}, "Nothing was left half done.");
        } });
}

/* What vgpuctl would do with a part of a GPU, or has found there. */
function setup_line(line) {
    return [line.gpu, line.part, line.step && `${line.step} (now ${line.now}, declared ${line.declared})`,
        !line.step && line.result, line.reason].filter(Boolean).join(": ");
}

function set_up() {
    async function steps() {
        const lines = await read("setup", "--dry-run", "--columns", "gpu,part,step,now,declared,result,reason");

        if (lines.length === 0)
            throw Object.assign(new Error("vgpu.conf declares no setup of a GPU."), { kind: "info" });
        if (lines.every(line => line.result === "as declared"))
            throw Object.assign(new Error("All GPUs are as vgpu.conf declares them."), { kind: "info" });
        return [element("p", {}, "No GPU that anybody uses is touched. These are the steps:"),
            told_lines(lines.filter(line => line.result !== "as declared").map(setup_line))];
    }

    ask({ title: "Set up GPUs as vgpu.conf declares them?", confirm: "Set up", danger: true,
        body: steps().then(children => element("div", {}, children)),
        act: async () => {
            await change("setup");
            return element("p", {}, "All GPUs are as vgpu.conf declares them.");
        } });
}

/* What was made for the last list. doctor takes a moment, so it is asked once for each list. */
let empty = { gpus: null, element: null };

function empty_host(gpus) {
    if (empty.gpus !== gpus)
        empty = { gpus, element: make_empty() };
    return empty.element;
}

function make_empty() {
    const place = element("div", {}), says = element("div", {});

    show_found(place, says, findings());
    return element("section", { class: "card" },
        element("h2", {}, "No GPU on this host offers vGPUs"), says, place);
}

function draw(gpus, how) {
    return [
        element("div", { class: "tools" },
            button("Check this host", "doctor",
                () => ask({ title: "What is wrong with this host", body: findings() })),
            button("Remove orphans", "reap", reap, { disabled: !how.may_change }),
            button("Reconcile", "reconcile", reconcile, { disabled: !how.may_change }),
            button("Set up", "setup", set_up, { disabled: !how.may_change })),
        gpus.length === 0 && empty_host(gpus),
        gpus.map(gpu => gpu_card(gpu, how)),
    ];
}

export const host = { watches: ["status"], draw };
