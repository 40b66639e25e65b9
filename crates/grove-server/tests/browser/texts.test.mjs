// Texts that anybody wrote are escaped: sixty payloads, in every field that reaches a page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { visit as visitor } from "./lib/pages.mjs";
import { PAYLOADS, together } from "./lib/payloads.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
before(async () => (site = await Site.start()));
after(() => site?.stop());

/** Records everything that a payload could do in a window. @param {import("playwright-core").BrowserContext} context */
function watch(context) {
  /** @type {string[]} */
  const seen = [];
  context.on("dialog", (dialog) => {
    seen.push(`a dialog says ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  context.on("console", (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) seen.push(message.text());
  });
  context.on("weberror", (error) => seen.push(String(error.error())));
  context.on("request", (request) => {
    if (!request.url().startsWith(site.url)) seen.push(`a request to ${request.url()}`);
  });
  return seen;
}

/** A text with its white space collapsed. @param {string} text */
const plain = (text) => text.replace(/\s+/g, " ").trim();

/** All text of a page, including the values of its fields. @param {import("playwright-core").Page} page */
async function shown(page) {
  const texts = await page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, textarea")].map((field) => /** @type {HTMLInputElement} */ (field).value);
    return [document.title, document.body.textContent ?? "", ...fields].join("\n");
  });
  return plain(texts.replace(/[\u2068\u2069]/g, ""));
}

/** Asserts that a page shows texts. @param {import("playwright-core").Page} page @param {string[]} texts */
async function shows(page, ...texts) {
  const all = await shown(page);
  for (const text of texts) assert.ok(all.includes(plain(text)), `${page.url()} does not show ${text}:\n${all}`);
}

/** @param {import("playwright-core").Page} page @param {string} address */
const visit = (page, address) => page.goto(address, { waitUntil: "domcontentloaded" });

test("unescaped text would be detected", async (t) => {
  const context = await site.visitor();
  const seen = watch(context);
  const detected = new Set();
  // A busy machine needs longer to do what a payload says.
  for (let patience = 20; detected.size < 15 && patience < 5_000; patience *= 4) {
    for (const payload of PAYLOADS.slice(0, 30).filter((payload) => !detected.has(payload))) {
      const before = seen.length;
      // A page of its own: what a payload does may keep its page from ever going elsewhere.
      const page = await context.newPage();
      await page.setContent(`<p>${payload}</p>`, { waitUntil: "commit", timeout: 10_000 }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, patience));
      if (seen.length > before) detected.add(payload);
      await page.close();
    }
  }
  assert.ok(detected.size >= 15, `${detected.size}`);
});

/** Several payloads in a row, within the length limit of names and titles. */
const GROUPS = together(150);

test("sixty payloads as names, definitions, synonyms, workers and labels", async (t) => {
  assert.equal(new Set(PAYLOADS).size, 60);
  const concepts = GROUPS.map((texts) => ({ name: `name ${texts}`, definition: `means ${texts}`, synonyms: [`also ${texts}`] }));
  const campaign = await site.campaign("names", [{ name: "top" }, ...concepts]);
  const quoted = (/** @type {string} */ text) => `"${text.replaceAll('"', '""')}"`;
  const votes = GROUPS.map((texts) => [`worker ${texts}`, "top", `name ${texts}`, "yes"].map(quoted).join(","));
  await site.vote(campaign, votes);
  await site.settled(campaign.id);
  for (const texts of GROUPS) await site.api("POST", `/campaigns/${campaign.id}/invitations`, { label: `label ${texts}` });
  await site.api("POST", `/campaigns/${campaign.id}/corrections`, { id: crypto.randomUUID(), rule: "directly_under", lower: 2, upper: 1 });
  const context = await site.visitor({ storageState: await site.owner.storageState() });
  const seen = watch(context);
  const page = await context.newPage();
  for (const [nth, texts] of GROUPS.entries()) {
    await visit(page, `${campaign.page}?select=${nth + 2}&parent=1`);
    await shows(page, `name ${texts}`, `means ${texts}`, `Also: also ${texts}`);
    assert.deepEqual(seen, [], texts);
  }
  const all = (/** @type {string} */ prefix) => GROUPS.map((texts) => `${prefix} ${texts}`);
  await visit(page, campaign.page);
  await shows(page, ...all("name"), `name ${GROUPS[0]} is directly under top`);
  await visit(page, `${campaign.page}/workers`);
  await shows(page, ...all("worker"));
  await visit(page, `${campaign.page}/invite`);
  await shows(page, ...all("label"));
  assert.deepEqual(seen, []);
});

test("sixty payloads as title, root, question, consent and reason", async (t) => {
  const campaign = await site.campaign("words", "abcdefghijkl".split(""));
  const path = `/campaigns/${campaign.id}`;
  const context = await site.visitor({ storageState: await site.owner.storageState() });
  const seen = watch(context);
  const page = await context.newPage();
  for (const texts of GROUPS) {
    await site.api("PUT", `${path}/settings`, {
      title: `title ${texts}`,
      root: `root ${texts}`,
      consent: `consent ${texts}`,
      relation: `ask ${texts} {child} {parent}`,
    });
    await visit(page, `${campaign.page}/settings`);
    await shows(page, `title ${texts}`, `root ${texts}`, `consent ${texts}`, `ask ${texts}`);
    await visit(page, `${site.url}/`);
    await shows(page, `title ${texts}`);
    await context.clearCookies({ name: /worker/ });
    await visit(page, campaign.link);
    await shows(page, `title ${texts}`, `consent ${texts}`);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Answered: 0").waitFor();
    await shows(page, `ask ${texts}`);
    await site.api("POST", `${path}/pause`, { reason: `reason ${texts}` });
    await visit(page, campaign.link);
    await shows(page, `reason ${texts}`);
    await site.api("POST", `${path}/resume`);
    assert.deepEqual(seen, [], texts);
  }
});

test("sixty payloads in what is typed and refused, searched, named and uploaded", async (t) => {
  const campaign = await site.campaign("typed", ["fruit", "apple"]);
  const context = await site.visitor({ storageState: await site.owner.storageState() });
  const seen = watch(context);
  const page = await context.newPage();
  await page.goto(`${campaign.page}?select=2`);
  const search = page.getByLabel("Find a concept");
  const finder = await visitor(site, t, { storageState: await site.owner.storageState(), javaScriptEnabled: false });
  for (const texts of GROUPS) {
    await page.getByLabel("Move under").fill(texts);
    const [refused] = await Promise.all([page.waitForResponse(/correct$/), page.getByRole("button", { name: "Move", exact: true }).click()]);
    assert.equal(refused.status(), 400, texts);
    await page.locator("#move-error").waitFor();
    await search.fill(texts);
    const query = new URLSearchParams({ find: texts, next: texts });
    await visit(finder, `${campaign.page}?${query}`);
    assert.equal(plain(await finder.getByLabel("Find a concept").inputValue()), plain(texts));
  }
  await page.goto(`${campaign.page}/compare`);
  for (const payload of PAYLOADS.slice(0, 6)) {
    const file = { name: `${payload.replaceAll("/", "")}.paths`, mimeType: "text/plain", buffer: Buffer.from(`root > ${payload}\n`) };
    await page.getByLabel("File").setInputFiles(file);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForLoadState("domcontentloaded");
    assert.ok((await shown(page)).length > 0);
  }
  assert.deepEqual(seen, []);
});
