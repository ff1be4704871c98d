/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * browser: the page in a real browser, with a real Cockpit, on a fake host.
 *
 * check-cockpit.sh starts a libvirtd with libvirt's test driver, and says by the environment where
 * all is. A test puts a host behind the name `vgpuctl`, and opens the page. It finds elements as a
 * user does: by role and name ("aria/Drain[role=\"button\"]"), or by text. It waits for what it
 * expects, and never for a time.
 */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as net from "node:net";
import { createRequire } from "node:module";

export const { srcdir, scratch } = process.env;
const { top_builddir, CHROMIUM, COCKPIT_WS, COCKPIT_BRIDGE, VIRSH, COCKPIT_URL } = process.env;
export const modules = createRequire(`${srcdir}/build-aux/npm/node_modules/`);
const puppeteer = modules("puppeteer-core");

/* ms: only a test that fails waits so long. A test host may be busy with other scenarios first. */
const LIMIT = COCKPIT_URL ? 3600000 : 60000;
const is_root = process.getuid() === 0;
const bin = `${scratch}/bin`;
const at_end = [];

/* Ends all that was started, the last first. */
export async function end() {
    while (at_end.length > 0)
        await at_end.pop()();
}

/* Starts a program that runs until the end of the tests. Its output is in a file. */
function start(name, command, options = {}) {
    const log = fs.openSync(`${scratch}/${name}.log`, "a");
    const child = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", log], ...options });
    const ended = new Promise(resolve => child.on("exit", resolve));

    at_end.push(() => { child.kill(); return ended; });
    return { child, ended };
}

/* Waits until the function returns something. `what` is, or returns, what it waits for. */
export async function until(what, look) {
    const limit = Date.now() + LIMIT;

    for (;;) {
        const found = await look();

        if (found)
            return found;
        if (Date.now() > limit)
            assert.fail(`in vain: ${typeof what === "function" ? what() : what}`);
        await new Promise(resolve => setTimeout(resolve, 100));
    }
}

/* --- the host ------------------------------------------------------------------------------- */

let hosts = 0;

const program = `${scratch}/fake-host`; /* a copy that everybody may run */

/*
 * A fake host with a machine of tests/machines, or with a description of one, and with vgpu.conf.
 * `root` is its directory. `ask` has it carry out something (fake-host.c) and returns the output.
 */
export async function fake_host(machine, configuration = "", libvirt = process.env.LIBVIRT_DEFAULT_URI) {
    const name = `host${++hosts}`, socket = `${scratch}/${name}`;
    const known = `${srcdir}/tests/machines/${machine}`;
    const file = machine.includes("\n") ? `${socket}.machine` : known;

    if (!fs.existsSync(program))
        fs.copyFileSync(`${top_builddir}/tests/cockpit/fake-host`, program);
    if (file !== known)
        fs.writeFileSync(file, machine);
    const { child } = start(name, [program, "serve", socket, file, libvirt],
        { env: { ...process.env, TMPDIR: scratch } });
    const root = await new Promise((resolve, reject) => {
        child.stdout.once("data", data => resolve(data.toString().trim()));
        child.once("exit", () => reject(new Error(fs.readFileSync(`${socket}.log`, "utf8"))));
    });
    /* What is asked may end without a look at its input. A pipe would then fail with EPIPE. A file does not. */
    const ask = (words, input = "") => {
        fs.writeFileSync(`${socket}.input`, input);
        const stdin = fs.openSync(`${socket}.input`);

        try {
            return execFileSync(program, ["ask", socket, ...words], { encoding: "utf8", stdio: [stdin, "pipe", "pipe"] });
        } finally {
            fs.closeSync(stdin);
        }
    };

    fs.mkdirSync(`${root}/etc/libvirt-vgpu`);
    fs.writeFileSync(`${root}/etc/libvirt-vgpu/vgpu.conf`, configuration);
    /* A file that vgpuctl is told of is also the host's. */
    return { root, ask, command: `for word; do shift; case $word in /run/*) word=${root}$word ;; esac
        set -- "$@" "$word"; done; exec "${program}" ask "${socket}" vgpuctl "$@"` };
}

/* Lets `vgpuctl` be a host's, or some lines of shell; null: there is no vgpuctl. */
export function put_vgpuctl(command) {
    fs.rmSync(`${bin}/vgpuctl`, { force: true });
    if (command !== null)
        fs.writeFileSync(`${bin}/vgpuctl`, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
}

/* vgpuctl on a host that was recorded. It changes nothing. */
export function captured(name) {
    return `exec "${top_builddir}/tests/vgpuctl" --root "${srcdir}/tests/captures/${name}" "$@"`;
}

/*
 * A `vgpuctl` that has these documents, by the options beside --json: it waits until it has the one. `put` gives it
 * another, and `step` one that comes before. `die` ends it without another word. The document of "status" is shown
 * when it is new. `asked` returns what evacuations were asked for.
 */
export function answers(documents) {
    const place = fs.mkdtempSync(`${scratch}/answers-`), log = `${place}/asked`;
    const file_of = words => `${place}/${words.replaceAll(" ", "")}`;
    const write = (file, document) =>
        fs.writeFileSync(file, `${JSON.stringify({ errors: [], warnings: [], ...document })}\n`);
    const step = (words, document) => {
        write(`${file_of(words)}.new`, document);
        fs.renameSync(`${file_of(words)}.new`, `${file_of(words)}.step`);
    };
    const put = (words, { exit = 0, ...document }) => {
        const file = file_of(words);

        write(`${file}.new`, document);
        fs.writeFileSync(`${file}.status`, `${exit}\n`);
        fs.renameSync(`${file}.new`, file);
    };

    fs.writeFileSync(log, "");
    for (const [words, document] of Object.entries(documents))
        put(words, document);
    put_vgpuctl(`PATH=/usr/bin:/bin
        while [ "$1" = status ]; do
            [ "$(cat "${place}/status")" = "$last" ] || { last=$(cat "${place}/status"); echo "$last"; }
            sleep 0.1
        done
        echo "$*" >>"${log}"
        file=${place}/
        for word; do case $word in --json) ;; --) break ;; --*) file=$file$word ;; esac; done
        until [ -e "$file" ]; do
            case $(cat "$file.step" 2>/dev/null) in "$step") ;; *) step=$(cat "$file.step"); echo "$step" ;; esac
            sleep 0.1
        done
        cat "$file"; read -r status <"$file.status"; exit "$status"`);
    const die = words => {
        fs.writeFileSync(`${file_of(words)}.status`, "137\n");
        fs.writeFileSync(file_of(words), "");
    };

    return { put, step, die, asked: () => fs.readFileSync(log, "utf8").split("\n").filter(Boolean) };
}

/* --- guests --------------------------------------------------------------------------------- */

export function virsh(...words) {
    return execFileSync(VIRSH, ["-q", ...words], { encoding: "utf8", stdio: "pipe" });
}

function escape_xml(text) {
    return text.replace(/[&<>'"]/g, mark => `&#${mark.charCodeAt(0)};`);
}

/* Has libvirt know these guests, and no others. */
export function define_guests(...guests) {
    for (const uuid of virsh("list", "--all", "--uuid").split("\n").filter(Boolean)) {
        const state = virsh("domstate", uuid).trim();

        if (state !== "shut off")
            virsh("destroy", uuid);
        virsh("undefine", uuid);
    }
    for (const { name, number } of guests) {
        const file = `${scratch}/guest.xml`;

        fs.writeFileSync(file, `<domain type="test"><name>${escape_xml(name)}</name>
            <uuid>${uuid_of(number)}</uuid><memory>65536</memory><os><type>hvm</type></os></domain>`);
        virsh("define", file);
    }
}

export function uuid_of(number) {
    return `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/* Starts and ends a guest as libvirt does for QEMU, with our hook: the test driver calls no hook. */
export function start_guest(host, number) {
    const xml = virsh("dumpxml", uuid_of(number));

    for (const operation of ["prepare", "start", "started"])
        host.ask(["hook", "guest", operation, "begin", "-"], xml);
    if (virsh("domstate", uuid_of(number)).trim() !== "running")
        virsh("start", uuid_of(number));
}

export function end_guest(host, number) {
    const xml = virsh("dumpxml", uuid_of(number));

    virsh("destroy", uuid_of(number));
    for (const operation of ["stopped", "release"])
        host.ask(["hook", "guest", operation, "end", "-"], xml);
}

/* --- Cockpit -------------------------------------------------------------------------------- */

function free_port() {
    return new Promise(resolve => {
        const server = net.createServer().listen(0, "127.0.0.1", () => {
            const { port } = server.address();

            server.close(() => resolve(port));
        });
    });
}

/* The bridge that raises rights. Cockpit names a bridge by its program (rule_superuser_id of version 287),
 * or first by its label (BridgeConfig of 337). So here they are the same. */
const RIGHTS = "unshare";

/*
 * The address of a Cockpit. Where root runs the tests, the limited one is nobody's. Cockpit can raise
 * its rights by a bridge that needs no password: it takes itself for root's, and has no other rights.
 */
async function start_cockpit(name, { is_limited }) {
    const home = `${scratch}/${name}`;
    const bridge = `${home}/bridge`;
    const become = is_root && is_limited
        ? `setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups ` : "";

    fs.mkdirSync(`${home}/cockpit/scratch`, { recursive: true });
    fs.cpSync(`${srcdir}/nodedev/cockpit`, `${home}/cockpit/libvirt-vgpu`, { recursive: true });
    fs.writeFileSync(`${home}/cockpit/scratch/index.html`, '<script src="../base1/cockpit.js"></script>' +
        '<script src="keep.js"></script>');
    fs.writeFileSync(`${home}/cockpit/scratch/keep.js`, "cockpit.transport.wait(() => {});");
    fs.writeFileSync(`${home}/cockpit/scratch/manifest.json`, JSON.stringify({ version: 0, bridges: [
        { privileged: true, label: RIGHTS,
            spawn: [`/usr/bin/${RIGHTS}`, "--map-root-user", COCKPIT_BRIDGE, "--privileged"] }] }));
    fs.writeFileSync(bridge, `#!/bin/sh\nexec ${become}env PATH="${bin}" "${COCKPIT_BRIDGE}" "$@"\n`,
        { mode: 0o755 });
    for (let tries = 0; tries < 5; tries++) {
        const port = await free_port();
        const { child } = start(name, [COCKPIT_WS, `--local-session=${bridge}`, "--no-tls",
            "--address", "127.0.0.1", "--port", String(port)],
        { env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", XDG_DATA_HOME: home,
            XDG_CONFIG_HOME: home, XDG_CONFIG_DIRS: home, XDG_RUNTIME_DIR: home } });
        const url = `http://127.0.0.1:${port}`;
        const answers = await until("Cockpit answers", () => child.exitCode !== null ? "ended"
            : new Promise(resolve => net.connect(port, "127.0.0.1")
                .on("connect", function () { this.destroy(); resolve("yes"); })
                .on("error", () => resolve(null))));

        if (answers === "yes")
            return url;
    }
    return assert.fail(fs.readFileSync(`${scratch}/${name}.log`, "utf8"));
}

const cockpits = {};

function cockpit(access) {
    cockpits[access] ||= COCKPIT_URL || start_cockpit(`cockpit-${access}`, { is_limited: access === "limited" });
    return cockpits[access];
}

/* Whether the Cockpit of a test host (COCKPIT_URL) answers. */
export function is_served() {
    return fetch(`${COCKPIT_URL}/ping`).then(answer => answer.ok, () => false);
}

/* Cockpit ends a session that no page uses for a moment. So one page stays. */
const kept = {};

async function start_keeping(access) {
    const page = await (await start_browser()).newPage();

    await page.goto(`${await cockpit(access)}/cockpit/@localhost/scratch/index.html`);
    if (access === "full" && !is_root)
        await superuser(page, "Start");
    return page;
}

function keep_session(access) {
    kept[access] ||= start_keeping(access);
    return kept[access];
}

function superuser(page, what) {
    return page.evaluate((method, args) => new Promise((resolve, reject) =>
        window.cockpit.dbus(null, { bus: "internal" }).call("/superuser", "cockpit.Superuser", method, args)
            .then(() => resolve(), failure => reject(new Error(failure.message)))),
    what, what === "Start" ? [RIGHTS] : []);
}

/* What Cockpit's button "Limited access" does, which turns administrative access on; and back. Pages
 * that are open are loaded anew. */
export async function raise_rights() {
    await superuser(await keep_session("limited"), "Start");
}
export async function drop_rights() {
    await superuser(await keep_session("limited"), "Stop");
}

/* --- the browser ---------------------------------------------------------------------------- */

let browser = null;

async function start_browser() {
    browser ||= puppeteer.launch({
        executablePath: CHROMIUM,
        headless: true,
        args: [...is_root ? ["--no-sandbox"] : [], "--disable-gpu", "--disable-dev-shm-usage",
            "--force-prefers-reduced-motion", "--lang=en-US"],
        env: { ...process.env, HOME: scratch, XDG_CONFIG_HOME: scratch, XDG_CACHE_HOME: scratch,
            LANGUAGE: "en" },
        protocolTimeout: LIMIT,
    });
    const started = await browser;

    at_end.includes(close_browser) || at_end.push(close_browser);
    return started;
}

async function close_browser() {
    await (await browser).close();
}

/* What no page of ours may do: an error or a warning on the console, such as a file that is not there
 * or a style that the content security policy forbids; or a dialog of the browser. Chromium asks for
 * an icon, which comes with Cockpit's login. */
function listen(page) {
    const faults = [];

    page.on("console", message => ["error", "warn"].includes(message.type()) &&
        !message.location().url?.endsWith("/favicon.ico") && faults.push(message.text()));
    page.on("pageerror", error => faults.push(String(error)));
    page.on("dialog", dialog => { faults.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
    return faults;
}

/* Opens a view of the page ("/" or "/guests"), or of another page in Cockpit, and waits until Cockpit's
 * socket is connected: Chromium writes an error on the console if the page goes earlier. The caller closes it. */
export async function open(view, { access = "full", name = "libvirt-vgpu" } = {}) {
    const url = await cockpit(access);

    if (!COCKPIT_URL)
        await keep_session(access);
    const context = await (await start_browser()).createBrowserContext();
    const page = await context.newPage();
    const faults = listen(page);

    page.setDefaultTimeout(LIMIT);
    await page.setViewport({ width: 1280, height: 900 });
    const answer = await page.goto(`${url}/cockpit/@localhost/${name}/index.html#${view}`);

    await page.evaluate(() => new Promise(resolve => window.cockpit.transport.wait(() => resolve())));
    return { page, faults, headers: answer.headers() };
}

/* Closes it, and says what it did that it may not do. */
export async function close({ page, faults }) {
    await page.browserContext().close();
    assert.deepEqual(faults, []);
}

/* --- as a user ------------------------------------------------------------------------------ */

/* What fails because the page is loaded or drawn anew meanwhile. */
const MEANWHILE = /context was destroyed|Cannot find context|detached|not clickable|Node with given id/;

/* Returns what the function returns; or null if the page changed under it. */
async function unless_changed(look) {
    try {
        return await look();
    } catch (failure) {
        if (MEANWHILE.test(failure.message))
            return null;
        throw failure;
    }
}

async function find_now(place, role, name, begins) {
    for (const found of await place.$$(begins ? `aria/[role="${role}"]` : `aria/${name}[role="${role}"]`)) {
        if (await found.isVisible() &&
            (!begins || (await name_of(found)).startsWith(name)))
            return found;
    }
    return null;
}

/* The element with this role and name, when it is there. With `begins` its name may go on. The place is
 * a page or an element. */
export function find(place, role, name, { begins } = {}) {
    let seen = "";

    return until(() => `${role} "${name}" in: ${seen}`, () => unless_changed(async () => {
        seen = await text_of(place);
        return find_now(place, role, name, begins);
    }));
}

/* The name that a screen reader says. */
export async function name_of(element) {
    return (await element.frame.page().accessibility.snapshot({ root: element }))?.name || "";
}

/* Presses it. */
export async function press(place, role, name, how) {
    await until(`press the ${role} "${name}"`, () => unless_changed(async () => {
        await (await find(place, role, name, how)).click();
        return true;
    }));
}

/* Presses the button of a dialog that does what it asks. */
export async function confirm(page, title, label) {
    await press(await find(page, "dialog", title), "button", label);
}

/* Chooses what a guest gets, by a part of its words. */
export async function choose(page, words) {
    const list = await find(page, "combobox", "What it gets");
    const value = await list.evaluate((element, part) =>
        [...element.options].find(option => option.textContent.includes(part)).value, words);

    await list.select(value);
}

/* Waits for a text on the page, as people see it; or until it is gone. */
export function reads(page, text) {
    let seen = "";

    return until(() => `"${text}" in: ${seen}`, async () => (seen = await text_of(page)).includes(text));
}
export function reads_no_more(page, text) {
    return until(`no more "${text}"`, async () => !(await text_of(page)).includes(text));
}

/* The text of a page or of an element. "" while the page is loaded anew. */
export async function text_of(place) {
    return await unless_changed(() =>
        place.evaluate(element => (element || document.body)?.innerText)) || "";
}
