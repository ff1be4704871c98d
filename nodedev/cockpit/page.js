/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * page: the frame around the views. One view is shown at a time, and one vgpuctl watches for it. It
 * ends while nobody looks at the page.
 */

import { alert, button, element, show, told_lines } from "./elements.js";
import { guests } from "./guests.js";
import { host } from "./host.js";
import { watch } from "./vgpuctl.js";

const cockpit = window.cockpit;
const place = document.getElementById("view");
const notices = document.getElementById("notices");
const permission = cockpit.permission({ admin: true });

/* Each view: its link, what it watches, and a function that makes its elements of the list. A Map has
 * no more keys than these; an object would also have "constructor". */
const views = new Map([
    ["", { link: "to-host", ...host }],
    ["guests", { link: "to-guests", ...guests }],
]);

let view = null, stop = null, list = null;

function draw() {
    const is_awaited = !end && faults.length === 0;

    show(place, list ? view.draw(list, { may_change: permission.allowed !== false })
        : is_awaited && element("p", {}, "Looking…"));
    show_notices();
}

/* --- notices: what is wrong now ------------------------------------------------------------- */

let faults = [], end = null;

/* Work of dialogs that were closed before it was done: its title, and an element that tells what became of it. */
const left = new Map();

function left_notices() {
    return [...left].map(([work, { title, kind, told }]) => alert(kind, `${title}:`, " ", told.cloneNode(true), " ",
        kind !== "info" && button("Dismiss", `dismiss-${title}`, () => {
            left.delete(work);
            show_notices();
        })));
}

function follow({ detail }) {
    const work = detail.work, title = detail.title.replace(/\?$/, "");
    const tell = (kind, told) => {
        left.set(work, { title, kind, told });
        show_notices();
    };

    tell("info", told_lines(["vgpuctl is still at work."]));
    work.then(result => tell("success", result), failure => tell("danger", told_lines([failure.message])));
}

function show_notices() {
    show(notices,
        permission.allowed === false &&
            alert("info", "You have limited access.",
                " Turn on administrative access in Cockpit's top bar to change something."),
        faults.length > 0 && alert("warning", "vgpuctl says:", faults.map(line => [" ", line])),
        left_notices(),
        end && alert("danger", end.message, " ", button("Try again", "again", begin)));
}

/* --- watching ------------------------------------------------------------------------------- */

function begin() {
    stop?.();
    stop = null;
    faults = [];
    end = null;
    if (!cockpit.hidden)
        stop = watch(view.watches, {
            ondata: told => { list = told; draw(); },
            onfaults: lines => { faults = lines; draw(); },
            onend: failure => { end = failure; stop = null; draw(); },
        });
    draw();
}

/* The view that the address names. Cockpit throws if it cannot decode the address. */
function view_there() {
    try {
        return views.get(cockpit.location.path[0]) || views.get("");
    } catch {
        return views.get("");
    }
}

function go() {
    view = view_there();
    for (const { link } of views.values()) {
        if (link === view.link)
            document.getElementById(link).setAttribute("aria-current", "page");
        else
            document.getElementById(link).removeAttribute("aria-current");
    }
    list = null;
    begin();
}

/* --- light and dark: as Cockpit's shell has it, which tells by its storage ------------------- */

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function set_theme() {
    const style = localStorage.getItem("shell:style") || "auto";

    document.documentElement.classList.toggle("dark",
        style === "dark" || (style === "auto" && dark.matches));
}

dark.addEventListener("change", set_theme);
window.addEventListener("storage", set_theme);
window.addEventListener("cockpit-style", set_theme);
set_theme();

document.addEventListener("vgpu-change", begin);
document.addEventListener("vgpu-left", follow);
cockpit.addEventListener("locationchanged", go);
cockpit.addEventListener("visibilitychange", begin);
permission.addEventListener("changed", draw);
go();
