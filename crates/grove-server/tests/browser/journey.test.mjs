// A whole campaign on a phone: create, invite, watch, correct, exclude a worker, look at the history, export.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { answer } from "./lib/crowd.mjs";
import { PHONE, concept } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
before(async () => (site = await Site.start()));
after(() => site?.stop());

test("an owner's whole journey on a phone", async () => {
  const context = await site.visitor({ ...PHONE, storageState: await site.owner.storageState() });
  const page = await context.newPage();
  const tab = (/** @type {string} */ name) => page.locator(".tabs").getByRole("link", { name });

  // Create.
  await page.goto(site.url);
  await page.getByRole("link", { name: "New campaign" }).tap();
  await page.getByLabel("Title").fill("Kitchen");
  await page.getByLabel("Root concept").fill("food");
  await page.getByRole("textbox", { name: "Concepts" }).fill("fruit\napple\nlemon\nvegetable\nonion\ngarlic");
  await page.getByRole("button", { name: "Next" }).tap();
  // The simulated people below answer yes and no only.
  await page.getByRole("checkbox", { name: /Pick one/ }).uncheck();
  await page.getByRole("checkbox", { name: /Tick all/ }).uncheck();
  await page.getByRole("button", { name: "Next" }).tap();
  await page.getByLabel("Currency").selectOption("USD");
  await page.getByLabel("Price per vote").fill("0.04");
  await page.getByRole("button", { name: "Create campaign" }).tap();

  // Invite.
  const link = await page.locator("#link").innerText();
  const id = new URL(page.url()).pathname.split("/")[2];
  assert.ok(await page.getByRole("img", { name: "QR code of the link" }).isVisible());

  // They answer as often as they are asked to.
  const settings = await site.api("GET", `/campaigns/${id}/settings`);
  assert.deepEqual(settings.forms, ["yesno"]);
  await site.api("PUT", `/campaigns/${id}/settings`, { ...settings, least_gain_per_second: null });

  // Watch.
  await tab("Hierarchy").tap();
  await page.locator("ul#rows").waitFor();
  await concept(page, "apple").getByText("not asked yet").waitFor();
  const parents = new Map([["fruit", "food"], ["apple", "fruit"], ["lemon", "fruit"], ["vegetable", "food"], ["onion", "vegetable"], ["garlic", "vegetable"]]);
  await answer(site, { id, link }, { parents, votes: 60, people: 5, error: 0 });
  await page.locator(".key-figures dd", { hasText: /^60/ }).waitFor();
  await page.locator('#rows [data-name="apple"][data-level="3"]').waitFor();

  // Correct.
  await concept(page, "lemon").locator("a.name").tap();
  await page.getByLabel("Move under").fill("veg");
  await page.getByRole("option", { name: "vegetable" }).tap();
  await page.getByRole("button", { name: "Move", exact: true }).tap();
  await page.locator(".toast").getByText("Moved “lemon” under “vegetable”.").waitFor();
  await concept(page, "lemon").getByRole("img", { name: "pinned" }).waitFor();
  await page.getByRole("link", { name: "Back to the overview" }).tap();

  // Exclude a worker, and include them again.
  await tab("Workers").tap();
  await page.getByRole("button", { name: /^Exclude votes of/ }).first().tap();
  await page.locator(".toast").getByText(/^Excluded the votes of/).waitFor();
  await page.locator(".worker-table tr.excluded").waitFor();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).tap();
  await page.locator(".worker-table tr.excluded").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Exclude votes of/ }).first().tap();
  await page.getByRole("button", { name: /^Include again:/ }).waitFor();

  // What was done, and undone.
  await tab("History").tap();
  await page.getByRole("button", { name: /Undo: Moved “lemon”/ }).tap();
  await page.getByText("Undid the correction").first().waitFor();

  // Export.
  await tab("Export").tap();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Spreadsheet" }).tap()]);
  assert.match(await readFile(await file.path(), "utf8"), /lemon/);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await context.close();
});
