/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * elements: builds what the page shows.
 *
 * All text is put in as text nodes, never as HTML. Names come from people who may define guests and
 * may not change this host. A character that would turn the direction of writing, or that nobody
 * sees, is shown as U+FFFD.
 */

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

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

/* A button. `key` is its own on the page: with it the focus is found again after a change. */
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

/* A message that screen readers say at once. `kind` is "danger", "warning" or "info". */
export function alert(kind, title, ...children) {
    return element("div", { class: `alert ${kind}`, role: kind === "danger" ? "alert" : "note" },
        element("strong", {}, title), children);
}

/* An input with its label. The label finds it by its id. */
export function labelled(label, input) {
    const is_tick = input.type === "checkbox";
    const words = element("label", { for: input.id }, label);

    return element("div", { class: is_tick ? "tick" : "field" }, is_tick ? [input, words] : [words, input]);
}

/* Shows other elements in a place. The focus stays on the element with the same key. */
export function show(place, ...children) {
    const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;

    place.replaceChildren(...children.flat(Infinity).filter(Boolean));
    if (focused)
        find_key(focused)?.focus({ preventScroll: true });
}

export function find_key(key) {
    return document.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

/*
 * Asks in a dialog. `act` does the work when the user confirms it, and the dialog then shows the
 * elements that it returns. If it fails, the dialog shows why, and the user may try again. Without
 * `act` the dialog only shows the body. Returns the place below the body.
 */
export function ask({ title, body, confirm, danger, act }) {
    const opener = document.activeElement?.dataset?.key;
    const outcome = element("div", { class: "outcome", "aria-live": "polite" });
    const go = act && element("button", { type: "submit", class: danger ? "danger" : "primary" }, confirm);
    const cancel = element("button", { type: "button", onclick: () => dialog.close() }, act ? "Cancel" : "Close");
    const heading = element("h2", { id: "dialog-title" }, title);
    const form = element("form", { onsubmit: submit }, heading, body, outcome,
        element("div", { class: "buttons" }, go, cancel));
    const dialog = element("dialog", { "aria-labelledby": "dialog-title" }, form);

    async function submit(event) {
        event.preventDefault();
        if (!act || go.disabled)
            return;
        go.disabled = true;
        show(outcome, element("p", {}, "Working…"));
        try {
            const result = await act(form);

            body.remove();
            go.remove();
            cancel.textContent = "Close";
            cancel.focus();
            show(outcome, result);
        } catch (failure) {
            go.disabled = false;
            show(outcome, alert("danger", failure.message));
        }
    }

    dialog.addEventListener("close", () => {
        dialog.remove();
        if (opener)
            find_key(opener)?.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
    return outcome;
}

/* Shows in a place the elements that a promise brings, or why it fails. */
export function show_found(place, promise) {
    show(place, element("p", {}, "Looking…"));
    promise.then(found => show(place, found), failure => show(place, alert("danger", failure.message)));
}

/* The same in a dialog. */
export function tell(title, promise) {
    show_found(ask({ title, body: element("div", {}) }), promise);
}
