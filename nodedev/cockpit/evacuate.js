/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * evacuate: the guests of a GPU leave it, and come back. vgpuctl makes the plan, and does what it says.
 */

import { ask, element, long_name, show, table, told_lines } from "./elements.js";
import { change_by_steps, plan } from "./vgpuctl.js";

/* Where the plan of a GPU waits until the user has seen it. Only root can write there. */
const PLAN = "/run/libvirt-vgpu/page-evacuation-plan-";

/* What is said of a guest: its line of vgpuctl's list. */
const COLUMNS = [
    ["Guest", line => line.domain && long_name(line.domain)],
    ["From", line => line.from],
    ["How", line => line.how],
    ["To", line => line.to],
    ["Pause", line => line.pause !== null && `${line.pause} s`],
    ["Result", line => line.result],
    ["Reason", line => line.reason],
];

/* The guests of a plan, or what was done with them. A column is left out if it has nothing to say. */
function guests_table(gpu, lines) {
    const columns = COLUMNS.filter(([, cell]) => lines.some(cell));

    return table(`Guests of ${gpu.gpu}`, columns.map(([heading]) => heading),
        lines.map(line => columns.map(([, cell]) => cell(line))));
}

function told(gpu, { list, notes }) {
    return element("div", { class: "fields" }, guests_table(gpu, list), notes.length > 0 && told_lines(notes));
}

/* Shows the plan, asks, and does it. `words` are vgpuctl's for both. */
function move(gpu, words, { says, nobody, ...question }) {
    const place = element("div", {}), command = ["evacuate", ...words];

    async function body() {
        const found = await plan(...command, "--dry-run", "--", gpu.gpu);

        if (found.list.length === 0)
            throw Object.assign(new Error(nobody), { kind: "info" });
        show(place, told(gpu, found));
        return [element("p", {}, says), place];
    }

    return ask({ ...question, danger: true, body: body(),
        act: async () => told(gpu, await change_by_steps([...command, "--", gpu.gpu],
            list => show(place, guests_table(gpu, list)))) });
}

export function evacuate(gpu) {
    return move(gpu, ["--plan", PLAN + gpu.gpu], { title: `Evacuate ${gpu.gpu}?`, confirm: "Evacuate",
        says: "The GPU is drained, and its guests leave it one after the other. This is the plan:",
        nobody: "No vGPU is on this GPU." });
}

export function bring_back(gpu) {
    return move(gpu, ["--back"], { title: `Bring guests back to ${gpu.gpu}?`, confirm: "Bring back",
        says: "Guests that were evacuated come back one after the other. This is the plan:",
        nobody: "No guest of this GPU is away." });
}
