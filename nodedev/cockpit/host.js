/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host: the GPUs of this host, and the work on the host as a whole.
 */

import { ask, button, element, labelled, show_found, told_lines } from "./elements.js";
import { gpu_cards } from "./gpu.js";
import { change, read, what_to_do } from "./vgpuctl.js";

const KINDS = new Map([["error", "danger"], ["warning", "warning"], ["note", "info"]]);

function finding(found) {
    return element("li", { class: `alert ${KINDS.get(found.severity) || "info"}` },
        element("strong", {}, `${found.severity}: ${found.word}`),
        element("p", {}, found.text),
        what_to_do(found) && element("div", {}, "What to do:", element("pre", {}, what_to_do(found))));
}

async function findings() {
    const found = await read("doctor");

    return found.length === 0 ? element("p", {}, "doctor finds nothing wrong with this host.")
        : element("ul", { class: "findings" }, found.map(finding));
}

const MAKERS = new Map([["ours", "this package"], ["mdevctl", "mdevctl"], ["foreign", "somebody else"]]);

function holder(orphan) {
    if (orphan.holder === null)
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
        return element("div", { class: "fields" },
            element("p", {}, "An orphan is a vGPU that no running or defined guest refers to. " +
                "The orphans that you choose are removed. An orphan that a process has open stays."),
            element("fieldset", {}, element("legend", {}, "Orphans"), orphans.map(orphan_choice)));
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
        body: element("p", {}, "When libvirt or the hook crashes, a guest's start or end may stop halfway. " +
            "Reconciling removes vGPUs that were never finished, and vGPUs of guests that have ended. " +
            "Guests that run keep theirs. The package's timer does the same every ten minutes."),
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
        return [element("p", {}, "A GPU in use is left as it is. These are the steps:"),
            told_lines(lines.filter(line => line.result !== "as declared").map(setup_line))];
    }

    ask({ title: "Set up GPUs as vgpu.conf declares them?", confirm: "Set up", danger: true,
        body: steps().then(children => element("div", { class: "fields" }, children)),
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
        gpu_cards(gpus, how),
    ];
}

export const host = { watches: ["status"], draw };
