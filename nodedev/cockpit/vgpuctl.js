/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl: calls vgpuctl(1), the only program that this page knows. All that the page says of GPUs,
 * types and guests is vgpuctl's answer.
 *
 * A failure is an Error whose message is vgpuctl's own line, or says why vgpuctl did not run.
 */

import { plain_lines } from "./elements.js";

const cockpit = window.cockpit;

const NO_RIGHT = "Administrative access is needed for this: turn it on in Cockpit's top bar.";

/* Why vgpuctl did not run, by Cockpit's word for the problem. */
const PROBLEMS = new Map([
    ["not-found", "vgpuctl was not found on this host: install the package libvirt-vgpu."],
    ["access-denied", NO_RIGHT],
    ["not-authorized", NO_RIGHT],
]);

/* What went wrong, in words. `said` is what vgpuctl has printed. */
function failure_of(problem, said) {
    const words = PROBLEMS.get(problem.problem) || said.trim() || problem.message || String(problem) ||
        "vgpuctl has ended without an answer.";

    return new Error(plain_lines(words));
}

function spawn(words, how) {
    return cockpit.spawn(["vgpuctl", ...words], { environ: ["LC_ALL=C.UTF-8"], ...how });
}

/* What vgpuctl prints. `onpart` sees each part when it comes. */
async function call(words, how, onpart) {
    let said = "";

    try {
        await spawn(words, how).stream(text => {
            said += text;
            onpart?.(text);
        });
    } catch (problem) {
        problem.said = said;
        throw problem;
    }
    return said;
}

/* A function that takes a text in parts, and calls `ondocument` for each line: a document of its own. */
function by_lines(ondocument) {
    let rest = "";

    return text => {
        const lines = (rest + text).split("\n");

        rest = lines.pop();
        for (const line of lines)
            ondocument(JSON.parse(line));
    };
}

/* The list of a document of `--json`; undefined if the command could not make it. */
function list_of(told) {
    return Object.entries(told).find(([key, value]) =>
        Array.isArray(value) && key !== "errors" && key !== "warnings")?.[1];
}

/* What to do about an error, a warning or a finding: a command, or prose. "" if the text says all. */
export function what_to_do(note) {
    return note.remedy || note.advice;
}

/* The sentences of errors or warnings, each with what to do. */
function sentences(notes) {
    return notes.map(note => [note.text, what_to_do(note)].filter(Boolean).join("; "));
}

/* The document of `--json`, which vgpuctl prints also if it fails. Behind a "--" it would be no option. */
async function ask([command, ...words], superuser) {
    try {
        return JSON.parse(await call([command, "--json", ...words], { superuser, err: "message" }));
    } catch (problem) {
        if (!problem.said)
            throw failure_of(problem, "");
        return JSON.parse(problem.said);
    }
}

/* The list of a document, and the sentences of its errors and warnings. Some commands print their list, and have
 * errors because it matters. */
function list_and_notes(told) {
    const list = list_of(told);

    if (!list)
        throw new Error(plain_lines(sentences(told.errors).join("\n")));
    return { list, notes: sentences([...told.errors, ...told.warnings]) };
}

/* Reads: the list. */
export async function read(...words) {
    return list_and_notes(await ask(words, "try")).list;
}

/* Reads as root, and changes nothing of the host: the list, and sentences. */
export async function plan(...words) {
    return list_and_notes(await ask(words, "require"));
}

/* Reads: all that a command says to people, also if it fails. */
export async function words_of(...words) {
    try {
        return await call(words, { superuser: "try", err: "out" });
    } catch (problem) {
        if (!problem.said)
            throw failure_of(problem, "");
        return problem.said;
    }
}

/* When a change counts. */
const WHEN = new Map([["true,false", ", now"], ["false,true", ", for its next start"],
    ["true,true", ", now and for its next start"]]);

/* What was done with a vGPU, in a sentence. */
function sentence_of(vgpu) {
    const what = `${vgpu.outcome} ${vgpu.alias || "a vGPU"} (${vgpu.device || "no device"})`;
    const whose = vgpu.domain ? `${vgpu.domain}: ` : "";
    const where = vgpu.gpu ? ` on ${vgpu.gpu}` : "";

    return `${whose}${what}${where}${WHEN.get(`${vgpu.live},${vgpu.config}`) || ""}` +
        (vgpu.reason ? `: ${vgpu.reason}` : "");
}

/* Changes something step by step. vgpuctl prints a document before and after each step, and `onlist` gets its
 * list. The last document is the result: the list, and sentences. */
export async function change_by_steps([command, ...words], onlist) {
    let told;
    const hear = by_lines(document => {
        told = document;
        if (list_of(told))
            onlist(list_of(told));
    });

    try {
        await call([command, "--json", ...words], { superuser: "require", err: "message" }, hear);
    } catch (problem) {
        /* A vgpuctl that fails says so in its last document. This one has been killed. */
        if (!told?.errors.length)
            throw failure_of(problem, "");
    } finally {
        document.dispatchEvent(new Event("vgpu-change"));
    }
    return list_and_notes(told);
}

/* Changes something, as root. The event "vgpu-change" follows, also if something failed: a part may be done.
 * Returns sentences that tell what was done with vGPUs. */
export async function change(...words) {
    const told = await ask(words, "require")
        .finally(() => document.dispatchEvent(new Event("vgpu-change")));
    const done = (told.vgpus || []).map(sentence_of);

    if (told.started)
        done.push(`${told.vgpus[0].domain}: started`);
    if (told.errors.length > 0)
        throw new Error(plain_lines([...done, ...sentences(told.errors)].join("\n")));
    return [...done, ...sentences(told.warnings)];
}

/* How many more vGPUs of a type a GPU takes, as far as vgpuctl knows. */
export function available(type) {
    if (type.available !== null)
        return `${type.available}`;
    return type["available-at-most"] !== null ? `at most ${type["available-at-most"]}` : "an unknown number";
}

/*
 * Watches: whenever the document has changed, calls `onfaults` with the sentences of its errors and
 * warnings, and `ondata` with the command's list, if there is one. Calls `onend` with an Error when the
 * command has ended by itself. Returns a function that ends it.
 */
export function watch(words, { ondata, onfaults, onend }) {
    const process = spawn([...words, "--watch", "--json"], { superuser: "try", err: "message" });
    let is_over = false;

    process.stream(by_lines(told => {
        if (is_over)
            return;
        onfaults(sentences([...told.errors, ...told.warnings]));
        if (list_of(told))
            ondata(list_of(told));
    }));
    process.then(() => is_over || onend(new Error("vgpuctl has ended.")),
        problem => is_over || onend(failure_of(problem, "")));
    return () => {
        is_over = true;
        process.close("terminated");
    };
}
