// A server for one test file, and browsers to use it.

import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

export const NAME = "Ada";
export const PASSWORD = "correct horse battery";
/**
 * How long a test waits for anything, in milliseconds. No test says how fast a page is; this only ends those that would wait forever. The belief computes at a
 * low priority, so that on a busy machine it may take minutes to follow.
 */
export const PATIENCE = 240_000;

/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").BrowserContextOptions} Options */

export class Site {
  /** Starts a server with an empty database, without accounts, and a browser. */
  static async bare() {
    const site = new Site();
    site.folder = await mkdtemp(join(tmpdir(), "grove-browser-"));
    await site.serve("127.0.0.1:0");
    site.browser = await chromium.launch({
      executablePath: process.env.GROVE_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
    return site;
  }

  /** The same, and creates the first account. */
  static async start() {
    const site = await Site.bare();
    site.owner = await site.visitor();
    const page = await site.owner.newPage();
    await page.goto(site.setup);
    await page.getByLabel("Name").fill(NAME);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL(`${site.url}/`);
    await page.goto(`${site.url}/account`);
    await page.getByLabel("Name of the new token").fill("tests");
    await page.getByRole("button", { name: "Create token" }).click();
    site.token = await page.locator("code.secret").innerText();
    await page.close();
    return site;
  }

  /** @param {string} listen */
  async serve(listen) {
    const binary = process.env.GROVE_SERVER;
    if (!binary) throw new Error("GROVE_SERVER must be the path of the server's executable");
    this.process = spawn(binary, [join(this.folder, "grove.db"), listen, "sandbox"], { stdio: ["ignore", "pipe", "inherit"] });
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    let listens = false;
    for await (const line of createInterface({ input: this.process.stdout })) {
      const url = line.match(/listens at (\S+)/)?.[1];
      if (url) [this.url, listens] = [url, true];
      // There is a link to the first account once only.
      this.setup ??= line.match(/(http\S+\/setup\/\S+)/)?.[1];
      if (listens && this.setup) break;
    }
    this.process.stdout.resume();
  }

  /** Stops the server and starts it again, with the same database and at the same address. */
  async restart() {
    this.process.kill("SIGTERM");
    await this.ended;
    await this.serve(new URL(this.url).host);
  }

  async stop() {
    await this.browser?.close();
    this.process.kill("SIGTERM");
    await this.ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Runs `grove user ...` on the server's database, as an administrator would. @param {string[]} words @param {string} password */
  user(words, password) {
    const grove = join(dirname(process.env.GROVE_SERVER ?? ""), "..", "grove");
    const options = { input: password, encoding: /** @type {const} */ ("utf8") };
    const { status, stderr } = spawnSync(grove, ["--database", join(this.folder, "grove.db"), "user", ...words], options);
    if (status !== 0) throw new Error(`grove user ${words.join(" ")}: ${stderr}`);
  }

  /** Lets the time of a link run out, which takes an hour at least. @param {string} label */
  expire(label) {
    const sql = `UPDATE credentials SET until = created + 1 WHERE label = '${label}'`;
    const { status, stderr } = spawnSync("sqlite3", ["-cmd", ".timeout 5000", join(this.folder, "grove.db"), sql], { encoding: "utf8" });
    if (status !== 0) throw new Error(`sqlite3: ${stderr}`);
  }

  /** Another account, made by an administrator, and a browser in which it is logged in. @param {string} name @param {Options} [options] */
  async account(name, options) {
    this.user(["add", name], PASSWORD);
    const context = await this.visitor(options);
    const page = await context.newPage();
    await this.logIn(page, name, PASSWORD);
    await page.close();
    return context;
  }

  /** @param {import("playwright-core").Page} page @param {string} name @param {string} password */
  async logIn(page, name, password) {
    await page.goto(`${this.url}/login`);
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForURL(`${this.url}/`);
  }

  /** A browser context without cookies. @param {Options} [options] */
  async visitor(options) {
    const context = await this.browser.newContext({ locale: "en-GB", ...options });
    context.setDefaultTimeout(PATIENCE);
    return context;
  }

  /** Sends a request to the API as the owner. @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers] */
  async api(method, path, body, headers) {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** Creates a campaign, of yes/no questions unless the settings say otherwise, and an invitation to it. @param {string} name @param {(string | object)[]} concepts @param {object} [settings] */
  async campaign(name, concepts, settings) {
    const named = concepts.map((one) => (typeof one === "string" ? { name: one } : one));
    const { id } = await this.api("POST", "/campaigns", { name, concepts: named, settings: { forms: ["yesno"], least_gain_per_second: null, ...settings } });
    const { link } = await this.api("POST", `/campaigns/${id}/invitations`, { label: "tests" });
    return { id, link, page: `${this.url}/campaigns/${id}` };
  }

  /** Imports votes, each as "worker,upper,lower,answer". @param {{ id: string }} campaign @param {string[]} rows */
  vote({ id }, rows) {
    return this.api("POST", `/campaigns/${id}/votes/import`, { name: "votes.csv", text: ["worker,upper,lower,answer", ...rows].join("\n") });
  }

  /** Waits until the belief has read all votes. @param {string} id @param {number} [patience] */
  async settled(id, patience = PATIENCE) {
    for (const end = Date.now() + patience; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 30))) {
      const campaign = await this.api("GET", `/campaigns/${id}`);
      if (campaign.lag === 0 && campaign.position > 0) return campaign;
    }
    throw new Error("the belief does not catch up with the votes");
  }
}
