/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * elements: builds what the page shows.
 *
 * All text is put in as text nodes, never as HTML. Names come from people who may define guests and
 * may not change this host. A character that would turn the direction of writing, or that nobody
 * sees, is shown as U+FFFD. vgpuctl refuses the same characters (common/base/printable.c).
 */

const UNSEEN = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\ufeff\\ufff0-\\ufffb\\ufffe\\uffff\\u{e0000}-\\u{e0fff}]", "gu");

/* A line as people see it; and a text of several lines. */
export function plain(text) {
    return String(text).replace(UNSEEN, "\ufffd");
}

export function plain_lines(text) {
    return String(text).split("\n").map(plain).join("\n");
}

/*
 * Makes an element. A key that begins with "on" is an event and its listener. `true` sets an
 * attribute without a value; null, undefined and false leave it out. Children are elements, strings,
 * or lists of them; null is left out.
 */
export function element(name, attributes, ...children) {
    const made = document.createElement(name);

    for (const [key, value] of Object.entries(attributes || {})) {
        if (key.startsWith("on"))
            made.addEventListener(key.slice(2), value);
        else if (value === true)
            made.setAttribute(key, "");
        else if (value !== null && value !== undefined && value !== false)
            made.setAttribute(key, plain(value));
    }
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false)
            continue;
        made.append(child instanceof Node ? child
            : name === "pre" ? plain_lines(child) : plain(child));
    }
    return made;
}

/* How many of its last characters a shortened name keeps. */
const END = 12;

/* A name that a narrow place shortens in its middle, because names of one scheme differ at their ends. The
 * title is the whole name. */
export function long_name(name) {
    const characters = [...name];

    if (characters.length <= 2 * END)
        return name;
    return element("span", { class: "long", dir: "auto", title: name },
        element("span", {}, characters.slice(0, -END).join("")),
        element("span", {}, characters.slice(-END).join("")));
}

/* Sentences, each on a line. */
export function told_lines(sentences) {
    return element("pre", {}, sentences.join("\n"));
}

/* A button. No other element of the page has its key. The focus finds the button by its key when the
 * page was drawn anew. */
export function button(label, key, onclick, attributes = {}) {
    return element("button", { type: "button", "data-key": key, onclick, ...attributes }, label);
}

/* A table. `rows` are lists of cells, each a string, an element or a list of them. */
export function table(caption, headings, rows) {
    return element("table", {},
        element("caption", {}, caption),
        element("thead", {}, element("tr", {},
            headings.map(heading => element("th", { scope: "col" }, heading)))),
        element("tbody", {}, rows.map(cells => element("tr", {}, cells.map((cell, i) =>
            element("td", { "data-heading": headings[i] }, cell))))));
}

/* A message. `kind` is "danger", "warning" or "info". The title may have several lines. */
export function alert(kind, title, ...children) {
    return element("div", { class: `alert ${kind}` },
        element("strong", {}, title.split("\n").map((line, i) => i > 0 ? [element("br"), line] : line)), children);
}

/* An input with its label. The label finds it by its id. */
export function labelled(label, input) {
    const is_tick = input.type === "checkbox";
    const words = element("label", { for: input.id }, label);

    return element("div", { class: is_tick ? "tick" : "field" }, is_tick ? [input, words] : [words, input]);
}

/* The focus goes to the element with this key, else to the view. */
function focus_key(key) {
    const found = key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);

    (found || document.getElementById("view")).focus({ preventScroll: true });
}

/*
 * Shows these elements in a place. An element stays if an equal one is wanted in its place: a click on
 * it is not lost, and a screen reader does not read it again. So equal elements must do the same. If
 * the element with the focus goes, the one with its key gets the focus.
 */
export function show(place, ...children) {
    const wanted = children.flat(Infinity).filter(Boolean);
    const focused = place.contains(document.activeElement) && document.activeElement;

    wanted.forEach((child, i) => {
        const old = place.childNodes[i];

        if (!old)
            place.append(child);
        else if (!old.isEqualNode(child))
            old.replaceWith(child);
    });
    while (place.childNodes.length > wanted.length)
        place.lastChild.remove();
    if (focused && !focused.isConnected)
        focus_key(focused.dataset.key);
}

/* Shows in a place the element that a promise brings. `says` has words until then, and if the promise
 * fails: the Error's message. Its `kind`, if it has one, is that of an alert. Returns whether the
 * element came. */
export async function show_found(place, says, promise) {
    show(says, element("p", {}, "Looking…"));
    try {
        show(place, await promise);
        show(says);
        return true;
    } catch (failure) {
        show(says, alert(failure.kind || "danger", failure.message));
        return false;
    }
}

/*
 * Shows a dialog. `body` is an element, or a promise of one. `act` does the work when the user
 * confirms it, and the dialog then shows the element that it returns. If it fails, the dialog says
 * why, and the user may try again. Without `act` the dialog only shows the body. Whoever
 * closes it while `act` works leaves the work behind: the event "vgpu-left" has the dialog's title,
 * and the promise of what comes of the work.
 */
export async function ask({ title, body, confirm, danger, act }) {
    const opener = document.activeElement?.dataset?.key;
    const place = element("div", {});
    const outcome = element("div", { class: "outcome", "aria-live": "polite" });
    const go = element("button", { type: "submit", class: danger ? "danger" : "primary", disabled: true }, confirm);
    const cancel = element("button", { type: "button", onclick: () => dialog.close() }, act ? "Cancel" : "Close");
    const form = element("form", { onsubmit: submit },
        element("h2", { id: "dialog-title" }, title), place, outcome,
        element("div", { class: "buttons" }, act && go, cancel));
    const dialog = element("dialog", { "aria-labelledby": "dialog-title", onclose: close }, form);

    let work = null;

    function set_working(promise) {
        work = promise;
        go.disabled = Boolean(work);
        cancel.textContent = work ? "Leave" : "Cancel";
    }

    /* Only the button "Close" is left. */
    function finish() {
        place.remove();
        go.remove();
        cancel.textContent = "Close";
        cancel.focus();
    }

    async function submit(event) {
        event.preventDefault();
        if (go.disabled)
            return;
        set_working(act(form));
        show(outcome, element("p", {}, "Working…"));
        try {
            const result = await work;

            set_working(null);
            finish();
            show(outcome, result);
        } catch (failure) {
            set_working(null);
            go.focus();
            show(outcome, alert("danger", failure.message));
        }
    }

    /* The browser tells this some time after it has put the focus back. By then the user may be
     * elsewhere, and stays there. The opener was perhaps drawn anew; then nothing has the focus. */
    function close() {
        if (work)
            document.dispatchEvent(new CustomEvent("vgpu-left", { detail: { title, work } }));
        dialog.remove();
        if (document.activeElement === document.body)
            focus_key(opener);
    }

    document.body.append(dialog);
    dialog.showModal();
    if (!await show_found(place, outcome, body)) {
        finish();
        return;
    }
    go.disabled = false;
    (place.querySelector("input:enabled, select") || (act ? go : cancel)).focus();
}
