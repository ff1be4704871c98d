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
    const words = PROBLEMS.get(problem.problem) || said.trim() || problem.message || String(problem);

    return new Error(plain_lines(words));
}

function spawn(words, how) {
    return cockpit.spawn(["vgpuctl", ...words], { environ: ["LC_ALL=C.UTF-8"], ...how });
}

async function call(words, how) {
    let said = "";

    try {
        await spawn(words, how).stream(text => { said += text; });
    } catch (problem) {
        problem.said = said;
        throw problem;
    }
    return said;
}

/* Reads: the list of the one object that `--json` prints. */
export async function read(...words) {
    let text;

    try {
        text = await call([...words, "--json"], { superuser: "try", err: "message" });
    } catch (problem) {
        /* Some commands print their list, and then say by their exit status that it matters. */
        if (problem.exit_status !== 1 || !problem.said)
            throw failure_of(problem, "");
        text = problem.said;
    }
    return Object.values(JSON.parse(text))[0];
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

/* Changes something, as root. Returns what the command said. */
export async function change(...words) {
    try {
        return await call(words, { superuser: "require", err: "out" });
    } catch (problem) {
        throw failure_of(problem, problem.said);
    }
}

/* How many more vGPUs of a type a GPU takes, as far as vgpuctl knows. */
export function available(type) {
    if (type.available !== null)
        return `${type.available}`;
    return type["available-at-most"] !== null ? `at most ${type["available-at-most"]}` : "an unknown number";
}

/*
 * Watches: calls `ondata` with the command's list each time that it has changed, `onfaults` with the
 * lines of its complaints when these have changed, and `onend` with an Error when it has ended by
 * itself. Returns a function that ends it.
 */
export function watch(words, { ondata, onfaults, onend }) {
    const process = spawn([...words, "--watch", "--json"], { superuser: "try", err: "message" });
    let is_over = false, rest = "";

    process.stream(text => {
        const lines = (rest + text).split("\n");

        rest = lines.pop();
        for (const line of lines) {
            const told = JSON.parse(line);

            if (is_over)
                return;
            if (told.faults)
                onfaults(told.faults);
            else
                ondata(Object.values(told)[0]);
        }
    });
    process.then(() => is_over || onend(new Error("vgpuctl has ended.")),
        problem => is_over || onend(failure_of(problem, "")));
    return () => {
        is_over = true;
        process.close("terminated");
    };
}
