/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * looks: what a person sees of an open page, and what is true of every view: nothing is wider than the window,
 * no word is broken, the ring of the focus lies over no text, and axe-core finds no barrier.
 */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { modules } from "./browser.mjs";

const axe_source = fs.readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
const { pictures } = process.env;

/* Keeps a picture of the page as it is. Returns its file. */
export async function picture(page, name) {
    const path = `${pictures}/${name}.png`;

    fs.mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path, fullPage: true });
    return path;
}

/* --- characters ----------------------------------------------------------------------------- */

/* In the page: the characters in an element that are seen, each with its node, its place there and its
 * rectangle. An ancestor that hides what is outside it may hide a character, or a part of it. */
function characters(root) {
    const found = [], texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), range = document.createRange();

    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        let at = 0, from = -Infinity, to = Infinity;

        for (let i = node.parentElement; i && i !== document.documentElement; i = i.parentElement) {
            const { overflowX, textOverflow, paddingLeft, paddingRight } = getComputedStyle(i);
            const wall = i.getBoundingClientRect(), is_short = textOverflow === "ellipsis";

            if (overflowX !== "visible") {
                from = Math.max(from, wall.left + (is_short && parseFloat(paddingLeft)));
                to = Math.min(to, wall.right - (is_short && parseFloat(paddingRight)));
            }
        }

        for (const text of node.data) {
            range.setStart(node, at);
            range.setEnd(node, at += text.length);
            const { left, right, top, bottom } = range.getBoundingClientRect(), middle = (left + right) / 2;

            if (left < right && from <= middle && middle <= to)
                found.push({ node, text, at: at - text.length,
                    box: { left: Math.max(left, from), right: Math.min(right, to), top, bottom } });
        }
    }
    return found;
}

/* Has the page know the function above. It does not know it any more when it was loaded anew. */
async function teach(page) {
    await page.evaluate(`window.characters = ${characters}`);
}

/* The text of an element that is seen, without blanks. */
export async function seen_text(element) {
    await teach(element.frame.page());
    return element.evaluate(root => window.characters(root).map(({ text }) => text).join("").replace(/\s/g, ""));
}

/* A longer word has to break somewhere in a narrow window. */
const LONGEST_WORD = 24;

/* No word is broken: a line ends after a blank or a mark. */
async function assert_whole_words(page, where) {
    await teach(page);
    const broken = await page.evaluate(longest => {
        const words = [];
        let last = null;

        for (const { node, text, at, box } of window.characters(document.body)) {
            const is_letter = /[\p{L}\p{M}\p{N}]/u.test(text);

            if (is_letter && last?.node === node && last.end === at)
                Object.assign(last, { word: last.word + text, end: at + text.length,
                    is_broken: last.is_broken || box.top >= last.bottom });
            else if (is_letter)
                words.push(last = { node, word: text, end: at + text.length, bottom: box.bottom, is_broken: false });
        }
        return words.filter(({ word, is_broken }) => is_broken && word.length <= longest).map(({ word }) => word);
    }, LONGEST_WORD);

    assert.deepEqual(broken, [], `${where}: words that are broken`);
}

/* The texts that the ring around the focus lies over. */
export async function under_ring(page) {
    await teach(page);
    return page.evaluate(() => {
        const focused = document.activeElement, box = focused.getBoundingClientRect();
        const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(focused);
        const wide = outlineStyle === "none" ? 0 : parseFloat(outlineWidth) + parseFloat(outlineOffset);
        const found = new Set();

        for (const { node, box: other } of window.characters(document.querySelector("dialog") || document.body)) {
            if (!focused.contains(node) && other.left < box.right + wide && other.right > box.left - wide &&
                other.top < box.bottom + wide && other.bottom > box.top - wide)
                found.add(node.data);
        }
        return [...found];
    });
}

/* --- every view ----------------------------------------------------------------------------- */

/* What axe-core finds: nothing. */
export async function assert_accessible(page, where) {
    await page.evaluate(axe_source);
    const { violations } = await page.evaluate(() => window.axe.run());

    assert.deepEqual(violations.map(({ id, nodes }) =>
        `${where}: ${id}: ${nodes.map(node => `${node.html} ${node.failureSummary}`).join("; ")}`), []);
}

/* Nothing is wider than the window, and no word is broken. */
export async function assert_fits(page, where) {
    const [needs, has] = await page.evaluate(() =>
        [document.documentElement.scrollWidth, document.documentElement.clientWidth]);

    assert.ok(needs <= has, `${where}: ${needs} px wide in a window of ${has}`);
    await assert_whole_words(page, where);
}

const LOOKS = [
    { look: "light", scheme: "light", style: "auto", width: 1280, checked: true },
    { look: "dark", scheme: "dark", style: "auto", width: 700 },
    { look: "light-narrow", scheme: "dark", style: "light", width: 320 },
    { look: "dark-narrow", scheme: "light", style: "dark", width: 320, checked: true },
];

/*
 * Looks at an open page in light and dark, by the desktop's scheme and by Cockpit's style, in windows of
 * three widths: in that of 700 a table still is one. Keeps pictures, and has axe-core look once in light and once in dark.
 */
export async function look_at(page, name) {
    for (const { look, scheme, style, width, checked } of LOOKS) {
        const where = `${name}, ${look}`;

        await page.setViewport({ width, height: 900 });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        await page.evaluate(value => {
            localStorage.setItem("shell:style", value);
            window.dispatchEvent(new StorageEvent("storage", { key: "shell:style" }));
        }, style);
        const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const brightness = back.match(/\d+/g).slice(0, 3).reduce((sum, value) => sum + Number(value), 0);

        assert.equal(brightness > 384, look.startsWith("light"), `${where}: ${back}`);
        await assert_fits(page, where);
        await picture(page, `${name}-${look}`);
        if (checked)
            await assert_accessible(page, where);
    }
    await page.setViewport({ width: 1280, height: 900 });
}
