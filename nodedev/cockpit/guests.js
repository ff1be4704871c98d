/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * guests: what each guest asks for and has; and giving, taking and explaining vGPUs.
 */

import { ask, button, element, labelled, told_lines } from "./elements.js";
import { available, change, read, words_of } from "./vgpuctl.js";

const WATCHES = ["guests", "--all", "-o",
    "domain,domain-uuid,running,alias,wanted,device,name,gpu,state,live,config"];

/* --- attach --------------------------------------------------------------------------------- */

function free_words(type) {
    return `${available(type)} free on ${type.gpu}`;
}

/* The types, each once by its name, with its lines for all GPUs; and the classes, each with words for
 * its types. */
function group(lines) {
    const types = new Map(), classes = new Map();

    for (const line of lines) {
        const type = line.name || line.type;

        types.set(type, [...types.get(type) || [], line]);
        for (const name of line.classes || [])
            classes.set(name, [...classes.get(name) || [], `${type} (${free_words(line)})`]);
    }
    return { types, classes };
}

/* The options' values are positions in `choices`: each choice is the words for vgpuctl. */
function wanted_choice(lines, choices) {
    const { types, classes } = group(lines);
    const option = (words, label) =>
        element("option", { value: choices.push(words) - 1 }, label);

    return element("select", { id: "wanted", required: true },
        classes.size > 0 && element("optgroup", { label: "Classes" }, [...classes].map(([name, members]) =>
            option(["--class", name], `${name}: ${members.join(", ")}`))),
        element("optgroup", { label: "Types" }, [...types].map(([type, gpus]) =>
            option(["--type", type], `${type}: ${gpus.map(free_words).join("; ")}`))));
}

/* Two boxes: what a change is about, the guest that runs or its definition. */
function sides(guest, is_live, is_config) {
    return [
        labelled("Now, while it runs",
            element("input", { type: "checkbox", id: "live", checked: is_live, disabled: !guest.running })),
        labelled("From its next start on",
            element("input", { type: "checkbox", id: "config", checked: is_config })),
    ];
}

function chosen_sides(form) {
    const words = ["live", "config"].filter(id => form.elements[id].checked).map(id => `--${id}`);

    if (words.length === 0)
        throw new Error("Choose when: now, or from its next start on.");
    return words;
}

function attach_form(guest, lines, choices) {
    return element("div", { class: "fields" },
        labelled("What it gets", wanted_choice(lines, choices)),
        labelled("How many", element("input", { type: "number", id: "count", min: 1, max: 16, value: 1 })),
        guest.running ? sides(guest, true, true)
            : labelled("Start the guest with it",
                element("input", { type: "checkbox", id: "start", checked: true })),
        labelled("Show it on the guest's screen", element("input", { type: "checkbox", id: "display" })));
}

async function find_types() {
    const lines = await read("types", "-o", "gpu,type,name,available,available-at-most,classes");

    if (lines.length === 0)
        throw new Error("No GPU on this host offers vGPUs. The host view says why.");
    return lines;
}

function attach(guest) {
    const choices = [];

    ask({ title: `Give ${guest.domain} a vGPU`, confirm: "Attach",
        body: find_types().then(lines => attach_form(guest, lines, choices)),
        act: async form => {
            const { wanted, count, start, display } = form.elements;
            const when = guest.running ? chosen_sides(form) : start.checked ? ["--start"] : ["--config"];

            return told_lines(await change("attach", ...choices[wanted.value], "--count", count.value,
                ...when, ...display.checked ? ["--display"] : [], "--", guest["domain-uuid"]));
        } });
}

/* --- detach and explain --------------------------------------------------------------------- */

function detach(guest, line) {
    ask({ title: `Take ${line.alias || line.device} from ${guest.domain}?`, confirm: "Detach", danger: true,
        body: element("div", { class: "fields" }, sides(guest, line.live, line.config)),
        act: async form => told_lines(
            await change("detach", ...chosen_sides(form), "--", guest["domain-uuid"], line.device)) });
}

function explain(guest) {
    ask({ title: `What ${guest.domain} would get`,
        body: words_of("explain", "--", guest["domain-uuid"]).then(text => element("pre", {}, text)) });
}

/* --- the list ------------------------------------------------------------------------------- */

/* Until when, or from when on, if not always. */
function when(guest, line) {
    if (guest.running && !line.config)
        return ", until it ends";
    return guest.running && !line.live ? ", from its next start on" : "";
}

function vgpu_line(guest, line, { may_change }) {
    const label = line.alias || line.device;
    const has = line.gpu ? `has ${line.name || "a vGPU"} on ${line.gpu}, ${line.state}` : "has none now";

    return element("li", {},
        element("span", {}, element("strong", {}, label), ": ",
            line.wanted ? `asks for ${line.wanted}, ` : "", has, when(guest, line)),
        button("Detach", `detach ${guest["domain-uuid"]} ${line.device}`, () => detach(guest, line),
            { disabled: !may_change, "aria-label": `Detach ${label} from ${guest.domain}` }));
}

function guest_card(guest, how) {
    const uuid = guest["domain-uuid"];
    const vgpus = guest.lines.filter(line => line.device);

    return element("section", { class: "card", "aria-label": guest.domain },
        element("div", { class: "title" },
            element("h2", {}, guest.domain),
            element("span", { class: "label" }, guest.running ? "running" : "shut off"),
            button("Why, or why not?", `explain ${uuid}`, () => explain(guest),
                { "aria-label": `Why, or why not? The vGPUs of ${guest.domain}` }),
            button("Attach vGPU", `attach ${uuid}`, () => attach(guest),
                { disabled: !how.may_change, "aria-label": `Attach vGPU to ${guest.domain}` })),
        vgpus.length > 0 ? element("ul", { class: "vgpus" }, vgpus.map(line => vgpu_line(guest, line, how)))
            : element("p", { class: "facts" }, "No vGPU."));
}

function draw(lines, how) {
    const guests = new Map();

    for (const line of lines) {
        if (!guests.has(line["domain-uuid"]))
            guests.set(line["domain-uuid"], { ...line, lines: [] });
        guests.get(line["domain-uuid"]).lines.push(line);
    }
    if (guests.size === 0)
        return [element("section", { class: "card" },
            element("h2", {}, "No guest"), element("p", {}, "libvirt knows no guest on this host."))];
    return [...guests.values()].map(guest => guest_card(guest, how));
}

export const guests = { watches: WATCHES, draw };
