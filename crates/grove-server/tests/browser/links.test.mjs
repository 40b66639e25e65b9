// Links for workers with limits: what people see who come too late or are too many, and what the owner sees of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FEW_TREES, hasScript, open, visit } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
/** @type {{ id: string, link: string, page: string }} */
let campaign;
before(async () => {
  site = await Site.start();
  campaign = await site.campaign("Food", ["fruit", "apple", "pear", "vegetable", "leek", "carrot"], { root: "food", engine: FEW_TREES });
  await site.settled(campaign.id);
});
after(() => site?.stop());

/** Makes a link as an owner does, and returns the page and the link. @param {import("node:test").TestContext} t @param {Record<string, string>} fields */
async function makeLink(t, fields) {
  const page = await open(site, t, `${campaign.page}/invite`);
  const form = page.locator("form", { hasText: "Hours until it expires" });
  for (const [label, text] of Object.entries(fields)) await form.getByLabel(label).fill(text);
  await form.getByRole("button", { name: "Create link" }).click();
  return { page, link: await page.locator("#link").innerText() };
}

/** A worker who has started. @param {import("node:test").TestContext} t @param {string} link @param {import("playwright-core").BrowserContextOptions} [options] */
async function begin(t, link, options) {
  const page = await visit(site, t, options);
  await page.goto(link);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("Answered: 0").waitFor();
  if (options?.javaScriptEnabled !== false) await hasScript(page);
  return page;
}

/** @param {import("playwright-core").Page} page @param {string} name */
const counts = (page, name) => page.getByRole("row", { name: new RegExp(name) }).locator("td.number").allInnerTexts();

test("a link for so many answers", async (t) => {
  const { page, link } = await makeLink(t, { Name: "two answers", Answers: "2" });
  assert.deepEqual(await counts(page, "two answers"), ["0", "0 of 2"]);
  const [ann, bob] = [await begin(t, link), await begin(t, link, { javaScriptEnabled: false })];
  await ann.keyboard.press("y");
  await ann.getByText("Answered: 1").waitFor();
  await bob.getByRole("button", { name: /^Yes/ }).click();
  // The last one is thanked by what comes next.
  await bob.getByRole("heading", { name: "This link has been used up" }).waitFor();
  await bob.getByText("The person who sent it to you can send you another.").waitFor();
  // Whoever was still shown a question loses it, and is told why.
  await ann.keyboard.press("n");
  await ann.getByRole("heading", { name: "This link has been used up" }).waitFor();
  await ann.getByText("Answered: 1").waitFor();
  const late = await visit(site, t, { locale: "de" });
  await late.goto(link);
  await late.getByRole("heading", { name: "This link has been used up" }).waitFor();
  assert.equal(await late.getByRole("button", { name: "Start" }).count(), 0, "nobody agrees to what they cannot do");
  await page.reload();
  assert.deepEqual(await counts(page, "two answers"), ["2", "2 of 2"]);

  // Somebody who takes an answer back makes room.
  await bob.getByRole("button", { name: "Undo" }).click();
  await bob.getByText("Here is the question again").waitFor();
  await late.reload();
  await late.getByRole("button", { name: "Start" }).waitFor();
});

test("a link for so many people", async (t) => {
  const { page, link } = await makeLink(t, { Name: "one person", People: "1" });
  const ann = await begin(t, link);
  await ann.keyboard.press("y");
  await ann.getByText("Answered: 1").waitFor();
  const bob = await visit(site, t);
  await bob.goto(link);
  await bob.getByRole("heading", { name: "This link has been used up" }).waitFor();
  await ann.keyboard.press("n");
  await ann.getByText("Answered: 2").waitFor();
  await page.reload();
  assert.deepEqual(await counts(page, "one person"), ["1 of 1", "2"]);
});

test("a link that expires", async (t) => {
  const { page, link } = await makeLink(t, { Name: "an hour", Hours: "1" });
  const row = page.getByRole("row", { name: /an hour/ });
  await row.getByText(/^expires/).waitFor();
  const ann = await begin(t, link);
  await ann.keyboard.press("y");
  await ann.getByText("Answered: 1").waitFor();
  site.expire("an hour");
  // A link that was used a moment ago is not looked up again.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  await ann.keyboard.press("n");
  await ann.getByRole("heading", { name: "This link has expired" }).waitFor();
  for (const [locale, heading] of [["en-GB", "This link has expired"], ["de", "Dieser Link ist abgelaufen"], ["fr", "Ce lien a expiré"], ["ar", "انتهت صلاحية هذا الرابط"]]) {
    const late = await visit(site, t, { locale });
    const response = await late.goto(link);
    assert.equal(response?.status(), 404);
    await late.getByRole("heading", { name: heading }).waitFor();
    assert.equal(await late.getByRole("link").count(), 0, "there is nowhere else to go");
  }
  await page.reload();
  await row.getByText("Expired", { exact: true }).waitFor();
  assert.equal(await row.getByRole("button", { name: /Revoke/ }).count(), 0);
  assert.deepEqual(await counts(page, "an hour"), ["1", "1"]);
});
