// Accessibility: axe finds nothing serious on any page, in light and in dark.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { answer, taxonomy } from "./lib/crowd.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
/** @type {{ id: string, link: string, page: string }} */
let campaign;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

before(async () => {
  site = await Site.start();
  campaign = await site.campaign("Food", ["fruit", "citrus", "lemon", { name: "apple", definition: "A crisp fruit." }, "vegetable"], {
    root: "food",
    consent: "Your answers are kept without your name.",
  });
  await answer(site, campaign, { parents: await taxonomy("food"), votes: 24, people: 3 });
  await site.api("POST", `/campaigns/${campaign.id}/corrections`, { id: crypto.randomUUID(), rule: "top_level", concept: 5 });
});
after(() => site?.stop());

/** What axe rates as serious or critical. @param {import("playwright-core").Page} page */
async function faults(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await /** @type {any} */ (window).axe.run()).violations);
  const serious = found.filter((/** @type {any} */ fault) => ["serious", "critical"].includes(fault.impact));
  return serious.map((/** @type {any} */ fault) => `${fault.id}: ${fault.nodes.map((/** @type {any} */ node) => node.html).join("\n    ")}`);
}

/** All pages of an owner. @returns {[string, string, ((page: import("playwright-core").Page) => Promise<void>)?][]} */
function pages() {
  const { page } = campaign;
  return [
    ["campaigns", `${site.url}/`],
    ["new campaign", `${site.url}/campaigns/new`],
    ["account", `${site.url}/account`],
    ["hierarchy", page],
    ["folded", `${page}?closed=1`],
    ["concept", `${page}?select=4`],
    ["replay", `${page}?at=9`],
    ["progress", `${page}/progress`],
    ["workers", `${page}/workers`],
    ["invite", `${page}/invite`, (page) => page.getByRole("button", { name: "Create link" }).click()],
    ["compare", `${page}/compare`],
    ["export", `${page}/export`],
    ["settings", `${page}/settings`],
    ["unknown", `${site.url}/nothing`],
  ];
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

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`the owner's pages, ${colorScheme}`, async () => {
    const context = await site.visitor({ reducedMotion: "reduce", colorScheme, storageState: await site.owner.storageState() });
    for (const [name, address, act] of pages()) {
      const page = await context.newPage();
      await page.goto(address);
      await act?.(page);
      await page.waitForLoadState();
      assert.deepEqual(await faults(page), [], name);
      await page.close();
    }
    await context.close();
  });

  test(`logging in, ${colorScheme}`, async () => {
    const page = await (await site.visitor({ reducedMotion: "reduce", colorScheme })).newPage();
    await page.goto(`${site.url}/login`);
    assert.deepEqual(await faults(page), []);
  });

  test(`the worker's pages, ${colorScheme}`, async () => {
    const page = await (await site.visitor({ reducedMotion: "reduce", colorScheme, viewport: { width: 390, height: 844 } })).newPage();
    await walkAsWorker(page, async () => assert.deepEqual(await faults(page), [], await page.title()));
  });
}

test("axe detects a fault", async () => {
  const page = await (await site.visitor()).newPage();
  await page.goto(`${site.url}/login`);
  await page.evaluate(() => document.querySelectorAll("label").forEach((label) => label.remove()));
  assert.equal((await faults(page)).length, 1);
});

test("no page is wider than a phone", async () => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const context = await site.visitor({ ...phone, storageState: await site.owner.storageState() });
  for (const [name, address, act] of pages()) {
    const page = await context.newPage();
    await page.goto(address);
    await act?.(page);
    await page.waitForLoadState();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, name);
    await page.close();
  }
});

test("an owner's page works with the keyboard alone", async () => {
  const page = await (await site.visitor({ storageState: await site.owner.storageState() })).newPage();
  await page.goto(campaign.page);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to content");
  await page.locator('#tree .node[data-name="apple"] a').first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /Why under/ }).waitFor();
  assert.match(page.url(), /select=4/);
  assert.equal(await page.evaluate(() => document.activeElement?.closest(".node")?.getAttribute("data-name")), "apple", "focus stays");
});
