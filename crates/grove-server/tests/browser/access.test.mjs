// Accessibility: axe finds nothing on any page in any state, in light, in dark, in forced colours, at 200 %, and on a phone, where no page is wider than the screen. Everything that can be
// clicked is large enough, and nothing moves for those who want that. Without GROVE_TEST_PAGES=all: 30 concepts, in light and on a phone.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { importVotes, taxonomy } from "./lib/crowd.mjs";
import { concept, largeCampaign, moving, smallTargets, visit } from "./lib/pages.mjs";
import { PASSWORD, Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
/** @type {{ id: string, link: string, page: string }} */
let campaign;
/** @type {{ id: string, link: string, page: string }} */
let empty;
/** @type {{ id: string, link: string, page: string }} */
let large;
/** Whether everything is looked at, also what takes long. */
const all = process.env.GROVE_TEST_PAGES === "all";
/** The page of a panel, and that of a drafted study. @type {string[]} */
let panels;
/** A server that nobody has set up yet. @type {Site} */
let bare;
/** A read-only link to the campaign. */
let shared = "";
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

before(async () => {
  site = await Site.start();
  const parents = await taxonomy("food");
  const concepts = [...parents.keys()].slice(0, 30).map((name) => ({ name, definition: name === "apple" ? "A crisp fruit." : "" }));
  campaign = await site.campaign("Food", concepts, { root: "food", currency: "EUR", price_cents: 3, consent: "Your answers are kept without your name." });
  await importVotes(site, campaign, { parents, each: 15, people: 4, perFile: 30 });
  await site.api("POST", `/campaigns/${campaign.id}/corrections`, { id: crypto.randomUUID(), rule: "top_level", concept: 5 });
  site.user(["add", "Bob"], PASSWORD);
  await site.api("PUT", `/campaigns/${campaign.id}/members`, { name: "Bob", role: "viewer" });
  empty = await site.campaign("Empty", ["piano", "drum"], { root: "instrument" });
  if (all) large = await largeCampaign(site, "Large", 1000, false);
  panels = await recruit();
  bare = await Site.bare();
  shared = await share();
});
after(() => Promise.all([site?.stop(), bare?.stop()]));

async function share() {
  const page = await site.owner.newPage();
  await page.goto(`${campaign.page}/invite`);
  await page.getByRole("button", { name: "Create read-only link" }).click();
  const link = await page.locator("#view-link").innerText();
  await page.close();
  return link;
}

/** Fills the first step of a new campaign, and goes on by so many. @param {import("playwright-core").Page} page @param {number} steps */
async function plan(page, steps) {
  await page.getByLabel("Title").fill("Cheese");
  await page.getByLabel("Root concept").fill("food");
  await page.getByRole("textbox", { name: "Concepts" }).fill("cheese\tMade of milk.\nbrie\ngouda\nfeta");
  for (let step = 0; step < steps; step++) await page.getByRole("button", { name: "Next" }).click();
  await page.frameLocator("#preview iframe").first().locator("h1").waitFor();
}

/** A panel, a drafted study and a model that has answered. */
async function recruit() {
  const entry = { id_parameter: "participantId", questions: 5, code: "C0DE", reward_cents: 150 };
  const study = { title: "What is what?", description: "Short questions.", places: 3, minutes: 5, reward_cents: 100, budget_cents: 2000 };
  const news = [{ link: { name: "A class", entry } }, { study: { connection: "sandbox", questions: 5, study } }];
  const made = [];
  for (const panel of news) made.push(await site.api("POST", `/campaigns/${campaign.id}/panels`, panel));
  await site.api("POST", `/campaigns/${campaign.id}/models/run`, { endpoint: "scripted", questions: 6 });
  while ((await site.api("GET", `/campaigns/${campaign.id}/models`)).run.is_running) await new Promise((resolve) => setTimeout(resolve, 50));
  return made.map((panel) => `${campaign.page}/recruit/${panel.id}`);
}

/** What axe finds. @param {import("playwright-core").Page} page */
async function faults(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await /** @type {any} */ (window).axe.run({ resultTypes: ["violations"] })).violations);
  return found.map((/** @type {any} */ fault) => `${fault.id}: ${fault.nodes.map((/** @type {any} */ node) => node.html).join("\n    ")}`);
}

/** All that is wrong with a page whose reader wants nothing to move. @param {import("playwright-core").Page} page @param {string} name */
async function problems(page, name) {
  const all = [...(await faults(page)), ...(await smallTargets(page)), ...(await moving(page))];
  return all.map((problem) => `${name}: ${problem}`);
}

/** All pages of an owner. @returns {[string, string, ((page: import("playwright-core").Page) => Promise<void>)?][]} */
function pages() {
  const { page } = campaign;
  return [
    ["campaigns", `${site.url}/`],
    ["new campaign", `${site.url}/campaigns/new`],
    ["account", `${site.url}/account`],
    ["new campaign, refused", `${site.url}/campaigns/new`, async (page) => {
      await page.getByRole("textbox", { name: "Concepts" }).fill("brie\nBrie");
      await page.locator("#preview .field-error").waitFor();
    }],
    ["new campaign, question", `${site.url}/campaigns/new`, async (page) => {
      await plan(page, 1);
      await page.getByRole("radio", { name: "My own wording" }).check();
      await page.getByRole("radio", { name: /You alone/ }).check();
      await page.locator("#preview-place").waitFor();
    }],
    ["new campaign, people", `${site.url}/campaigns/new`, (page) => plan(page, 2)],
    ["new campaign, refused fields", `${site.url}/campaigns/new`, async (page) => {
      await plan(page, 1);
      const ticked = page.getByRole("checkbox", { checked: true });
      while ((await ticked.count()) > 0) await ticked.first().uncheck();
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByLabel("Price per vote").fill("cheap");
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.locator("#forms-error").waitFor();
    }],
    ["new campaign, a refused file", `${site.url}/campaigns/new`, async (page) => {
      await plan(page, 0);
      await page.getByLabel("Or upload a file").setInputFiles({ name: "cheese.csv", mimeType: "text/csv", buffer: Buffer.from("name\nbrie\nBrie\n") });
      for (let step = 0; step < 2; step++) await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("button", { name: "Create campaign" }).click();
      await page.locator("#file-error").waitFor();
    }],
    ["toast", `${page}/progress`, async (page) => {
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.locator(".toast").getByText("Resumed the campaign.").waitFor();
    }],
    ["tree", `${page}?view=tree`],
    ["outline", `${page}?view=outline`],
    ["icicle", `${page}?view=icicle`],
    ["cloud", `${page}?view=cloud`],
    ["folded", `${page}?closed=1&view=outline`],
    ["found", `${page}?find=a&view=outline`],
    ["concept", `${page}?select=4`],
    ["menu", `${page}?select=4`, (page) => page.getByText("Rename, merge or remove…").click()],
    ["confirmation", `${page}?select=4`, async (page) => {
      await page.getByText("Rename, merge or remove…").click();
      await page.getByRole("button", { name: "Remove…" }).click();
      await page.getByRole("dialog").waitFor();
    }],
    ["choices", `${page}?select=4`, async (page) => {
      await page.getByLabel("Move under").fill("e");
      await page.getByRole("option").first().waitFor();
    }],
    ["refused", `${page}?select=4`, async (page) => {
      await page.getByLabel("Move under").fill("nonsense");
      await page.getByRole("button", { name: "Move", exact: true }).click();
      await page.locator("#move-error").waitFor();
    }],
    ["replay", `${page}?at=9`],
    ["empty hierarchy", empty.page],
    ["empty progress", `${empty.page}/progress`],
    ["empty workers", `${empty.page}/workers`],
    ["empty history", `${empty.page}/history`],
    ["loading", page, async (page) => {
      await page.route("**/changes?*", () => {});
      await page.getByLabel("Find a concept").fill("apple");
      await page.getByText("Loading…").waitFor();
    }],
    ...(all ? /** @type {[string, string][]} */ ([["", "outline"], ["?view=tree", "tree"], ["?view=icicle", "icicle"], ["?view=cloud", "cloud"], ["?select=500", "a concept"], ["/progress", "progress"]]).map(
      ([address, name]) => /** @type {[string, string]} */ ([`1,000 concepts without votes, ${name}`, large.page + address]),
    ) : []),
    ["history", `${page}/history`],
    ["refused settings", `${page}/settings`, async (page) => {
      await page.getByLabel("Price per vote").fill("x");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator("#price-error").waitFor();
    }],
    ["progress", `${page}/progress`],
    ["workers", `${page}/workers`],
    ["one worker", `${page}/workers`, async (page) => {
      await page.locator(".worker-table .worker-id a").first().click();
      await page.getByRole("heading", { name: /^Worker / }).waitFor();
    }],
    ["no such account", `${page}/invite`, async (page) => {
      await page.getByLabel("Name of the account").fill("Nobody");
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.locator("#member-error").waitFor();
    }],
    ["no such number", `${page}/invite`, async (page) => {
      await page.getByLabel("Hours until it expires").fill("soon");
      await page.getByRole("button", { name: "Create link" }).click();
      await page.locator("#hours-error").waitFor();
    }],
    ["no answer", `${page}/progress`, async (page) => {
      await page.route("**/pause", (route) => route.abort());
      await page.getByRole("button", { name: "Pause" }).click();
      await page.locator(".toast.error").waitFor();
    }],
    ["hand over", `${page}/settings`, (page) => page.getByText("Hand over campaign").click()],
    ["a link that was revoked", `${site.url}/w/nothing`],
    ["invite", `${page}/invite`, (page) => page.getByRole("button", { name: "Create link" }).click()],
    ["recruit", `${page}/recruit`],
    ["recruit, refused", `${page}/recruit`, async (page) => {
      await page.getByRole("button", { name: "Draft the study" }).click();
      await page.locator("#title-error").waitFor();
    }],
    ["a panel", panels[0]],
    ["a draft", panels[1]],
    ["compare", `${page}/compare`],
    ["export", `${page}/export`],
    ["settings", `${page}/settings`],
    ["unknown", `${site.url}/nothing`],
  ];
}

/** The pages of those who have no campaign, or no account. @returns {[string, string][]} */
function pagesOfOthers() {
  return [
    ["no campaigns", `${site.url}/`],
    ["set up", bare.setup],
    ["shared", shared],
    ["shared, a concept", `${shared}?select=4`],
    ["shared, tree", `${shared}?view=tree`],
  ];
}

/** Everything wrong with some pages. @param {import("playwright-core").BrowserContext} context @param {import("playwright-core").BrowserContextOptions} options @param {[string, string, ((page: import("playwright-core").Page) => Promise<void>)?][]} pages */
async function look(context, options, pages) {
  const found = [];
  for (const [name, address, act] of pages) {
    const page = await context.newPage();
    await page.goto(address);
    await act?.(page);
    await page.waitForLoadState();
    found.push(...(await problems(page, name)));
    if (options.isMobile) assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), options.viewport?.width, name);
    await page.close();
  }
  return found;
}

/** All pages of a worker, in order. @param {import("playwright-core").Page} page @param {() => Promise<void>} look */
async function walkAsWorker(page, look) {
  await page.goto(campaign.link);
  await look();
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("Answered: 0").waitFor();
  await look();
  await site.api("POST", `/campaigns/${campaign.id}/pause`, { reason: "Lunch." });
  await page.reload();
  await look();
  await site.api("POST", `/campaigns/${campaign.id}/resume`);
}

/** @type {Record<string, import("playwright-core").BrowserContextOptions>} */
const VARIANTS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  "at 200 %": { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  "in forced colours": { forcedColors: "active" },
};

for (const [variant, options] of Object.entries(VARIANTS).filter(([name]) => all || name === "light" || name === "phone")) {
  test(`the owner's pages, ${variant}`, async () => {
    const context = await site.visitor({ reducedMotion: "reduce", ...options, storageState: await site.owner.storageState() });
    const found = await look(context, options, pages());
    assert.deepEqual(found, []);
    await context.close();
  });

  test(`the pages of others, ${variant}`, async (t) => {
    const context = await site.account(`Eve, ${variant}`, { reducedMotion: "reduce", ...options });
    t.after(() => context.close());
    assert.deepEqual(await look(context, options, pagesOfOthers()), []);
  });
}

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`logging in, ${colorScheme}`, async (t) => {
    const page = await visit(site, t, { reducedMotion: "reduce", colorScheme });
    await page.goto(`${site.url}/login`);
    assert.deepEqual(await problems(page, "login"), []);
  });

  test(`the worker's pages, ${colorScheme}`, async (t) => {
    const page = await visit(site, t, { reducedMotion: "reduce", colorScheme, viewport: { width: 390, height: 844 } });
    await walkAsWorker(page, async () => assert.deepEqual(await problems(page, await page.locator("h1").innerText()), []));
  });
}

for (const [variant, options] of Object.entries(VARIANTS)) {
  test(`the exported report, ${variant}`, async (t) => {
    for (const { id } of all ? [campaign, empty, large] : [campaign, empty]) {
      const html = await (await fetch(`${site.url}/api/v1/campaigns/${id}/export/html`, { headers: { authorization: `Bearer ${site.token}` } })).text();
      const page = await visit(site, t, { reducedMotion: "reduce", ...options });
      await page.setContent(html);
      assert.deepEqual(await problems(page, id), []);
    }
  });
}

test("faults are detected", async (t) => {
  const page = await visit(site, t);
  await page.goto(`${site.url}/login`);
  assert.deepEqual([await smallTargets(page), await moving(page)], [[], []]);
  await page.evaluate(() => {
    document.querySelectorAll("label").forEach((label) => label.remove());
    const button = /** @type {HTMLElement} */ (document.querySelector("main button"));
    Object.assign(button.style, { height: "20px", transitionDuration: "1s" });
  });
  assert.ok((await faults(page)).length > 0);
  assert.deepEqual([(await smallTargets(page)).length, (await moving(page)).length], [1, 1]);
});

test("the methods paragraph can be copied", async (t) => {
  const context = await site.visitor({ storageState: await site.owner.storageState(), permissions: ["clipboard-read", "clipboard-write"] });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${campaign.page}/recruit`);
  const text = await page.locator("#methods-text").innerText();
  assert.match(text, /^Concepts were arranged in a hierarchy, with Grove.* were given by language models \(scripted-1, prompt version 1\)/);
  await page.getByRole("button", { name: "Copy text" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  if (process.env.GROVE_PICTURE) await page.screenshot({ path: process.env.GROVE_PICTURE, fullPage: true });
});

test("an owner's page works with the keyboard alone", async (t) => {
  const page = await visit(site, t, { storageState: await site.owner.storageState() });
  await page.goto(campaign.page);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to content");
  const key = await concept(page, "apple").getAttribute("data-key");
  await concept(page, "apple").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /Why under/ }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("select"), key);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-name")), "apple", "focus stays");
});
