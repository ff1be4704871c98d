/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu: how full each GPU is, which vGPUs are on it, and which types are free; and what is done
 * with a GPU.
 */

import { ask, button, element, long_name, table } from "./elements.js";
import { bring_back, evacuate } from "./evacuate.js";
import { available, change } from "./vgpuctl.js";

const COLOURS = 8; /* of page.css */

function amount(gpu, number) {
    if (gpu.unit === "MiB")
        return `${number} MiB`;
    return gpu.total === null ? `${number} vGPU` : `${number} of ${gpu.total} places`;
}

function owner(vgpu) {
    return vgpu.domain || vgpu.device;
}

function type_name(type) {
    return type.name || type.type;
}

function since(vgpu) {
    return vgpu.since ? new Date(vgpu.since).toLocaleString() : "";
}

function describe(gpu, vgpu) {
    return [owner(vgpu), type_name(vgpu), amount(gpu, vgpu.share), vgpu.state,
        vgpu.since && `since ${since(vgpu)}`].filter(Boolean).join(", ");
}

/* A part of the bar. Its width is set by script, because the content security policy forbids styles
 * in attributes. */
function part(share, attributes, ...children) {
    const made = element("li", attributes, children);

    made.style.flexGrow = share;
    return made;
}

/* The vGPUs of the bar. */
function drawn(gpu) {
    return gpu.vgpus.filter(vgpu => vgpu.share > 0);
}

/* The colour of each vGPU. A guest has one colour in all bars, and another guest beside it has another. Only with
 * more guests than colours two have the same, or a guest has two. */
function choose_colours(gpus) {
    const guests = new Map(), colours = new Map();

    for (const gpu of gpus) {
        let before = {};

        for (const vgpu of drawn(gpu)) {
            const guest = vgpu["domain-uuid"] || vgpu.device;

            if (!guests.has(guest))
                guests.set(guest, guests.size % COLOURS);
            let colour = guests.get(guest);

            if (before.guest === guest)
                colour = before.colour;
            else if (before.colour === colour)
                colour = (colour + 1) % COLOURS;
            colours.set(vgpu, colour);
            before = { guest, colour };
        }
    }
    return colours;
}

function bar(gpu, colours) {
    const parts = drawn(gpu).map(vgpu =>
        part(vgpu.share, { class: `vgpu colour${colours.get(vgpu)}`, tabindex: 0,
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
        parts.push(part(closed, { class: "closed" }, element("span", { class: "name" }, "not available")));
    return element("ul", { class: "bar", "aria-label": `How full ${gpu.gpu} is` }, parts);
}

function sum(gpu) {
    if (gpu.total === null)
        return `${gpu.vgpus.length} vGPUs in use`;
    const total = `${gpu.total} ${gpu.unit === "MiB" ? "MiB" : "vGPUs"}`;

    return gpu.used === null ? total : `${gpu.used} of ${total} in use`;
}

/* What the names of all types of a GPU begin with, up to a blank or a hyphen: "NVIDIA L40S-". "" if they have
 * nothing in common, or there is one name. */
function common_beginning(gpu) {
    const names = [...new Set([...gpu.types, ...gpu.vgpus].map(type_name).filter(Boolean))].sort();
    const [first] = names, last = names.at(-1);
    let length = 0;

    if (names.length < 2)
        return "";
    while (length < first.length - 1 && first[length] === last[length])
        length++;
    return first.slice(0, length).replace(/[^ -]*$/, "");
}

/* A type by what differs. A screen reader and the clipboard get the whole name. */
function short_type(type, beginning) {
    const name = type_name(type) || "?";

    return beginning && name.startsWith(beginning)
        ? element("span", { title: name },
            element("span", { class: "unseen" }, beginning), name.slice(beginning.length))
        : name;
}

/* Types of which there are as many are in one line. The order is vgpuctl's. */
function free_types(gpu, beginning) {
    const lines = new Map();

    for (const type of gpu.types)
        lines.set(available(type), [...lines.get(available(type)) || [], short_type(type, beginning)]);
    return lines.size > 0 && element("div", {},
        element("h3", {}, "Free by type"),
        element("ul", {}, [...lines].map(([count, types]) =>
            element("li", {}, `${count} × `, types.map((type, i) => i > 0 ? [", ", type] : type)))));
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

/* What may be done with a GPU. */
function actions(gpu, { may_change }) {
    const action = (key, act, label, name = label) => button(label, `${key} ${gpu.gpu}`, () => act(gpu),
        { disabled: !may_change, "aria-label": `${name} ${gpu.gpu}` });

    return [
        action("drain", drain, gpu.drained ? "Undrain" : "Drain"),
        action("evacuate", evacuate, "Evacuate"),
        gpu.drained && action("back", bring_back, "Bring back", "Bring back guests to"),
    ];
}

function gpu_card(gpu, colours, how) {
    const title = [gpu.name, gpu.gpu].filter(Boolean).join(" "), beginning = common_beginning(gpu);
    const facts = [Number.isInteger(gpu.numa) && `NUMA node ${gpu.numa}`, gpu.driver && `driver ${gpu.driver}`,
        beginning && `types ${beginning}…`].filter(Boolean).join(" · ");

    return element("section", { class: "card", "aria-label": title },
        element("div", { class: "title" },
            element("h2", {}, title),
            gpu.drained && element("span", { class: "label" }, "drained"),
            gpu.enabled === false && !gpu.drained && element("span", { class: "label" }, "disabled"),
            actions(gpu, how)),
        facts && element("p", { class: "facts" }, facts),
        element("p", {}, sum(gpu)),
        bar(gpu, colours),
        gpu.vgpus.length > 0 && table(`vGPUs on ${gpu.gpu}`, ["Guest", "Type", "Share", "State", "Since"],
            gpu.vgpus.map(vgpu => [long_name(owner(vgpu)), short_type(vgpu, beginning),
                vgpu.share === null ? "?" : amount(gpu, vgpu.share), vgpu.state || "?", since(vgpu)])),
        free_types(gpu, beginning));
}

export function gpu_cards(gpus, how) {
    const colours = choose_colours(gpus);

    return gpus.map(gpu => gpu_card(gpu, colours, how));
}
