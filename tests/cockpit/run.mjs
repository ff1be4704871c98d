/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs all tests of the page, one after the other: they share one libvirt and one browser. With names
 * of files, runs these. */

import { after } from "node:test";
import { end } from "./browser.mjs";

const files = ["host", "evacuate", "guests", "errors", "names", "keyboard", "readme"].map(name => `test-${name}.mjs`);
const wanted = process.argv.slice(2);

for (const file of wanted.length > 0 ? wanted : files)
    await import(`./${file}`);
after(end);
