// The workers: those who answer at random come first, their votes can be read, and on a phone each is a card.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { answer, isAbove, taxonomy } from "./lib/crowd.mjs";
import { PHONE, answeredCampaign, open, openWith } from "./lib/pages.mjs";
import { PATIENCE, Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
/** @type {{ id: string, link: string, page: string }} */
let campaign;
before(async () => {
  site = await Site.start();
  campaign = await answeredCampaign(site, "measured", { settings: { currency: "EUR" } });
});
after(() => site?.stop());

test("workers are summed up, sorted, paid and anonymised", async (t) => {
  const page = await open(site, t, `${campaign.page}/workers`);
  const rows = page.locator(".worker-table tbody tr");
  assert.equal(await rows.count(), 4);
  assert.equal(await page.locator(".key-figures dd").nth(0).innerText(), "4");
  assert.equal(await page.locator(".key-figures dd").nth(3).innerText(), "€2.40");
  await page.getByRole("link", { name: "Votes", exact: true }).click();
  await page.locator('th[aria-sort="descending"]', { hasText: "Votes" }).waitFor();
  const votes = await rows.locator('[data-label="Votes"]').allInnerTexts();
  assert.deepEqual(votes.map(Number), votes.map(Number).sort((a, b) => b - a));
  const [payments] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /Payment list/ }).click()]);
  const lines = (await readFile(await payments.path(), "utf8")).trim().split("\n");
  assert.equal(lines.length, 5);
  assert.equal(lines.slice(1).reduce((sum, line) => sum + Number(line.split(",")[1]), 0), 60);
  await page.locator(".row-menu summary").first().click();
  await page.getByRole("button", { name: "Anonymise…" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Anonymise" }).click();
  await page.getByText("erased-").waitFor();
});

test("a worker's votes are excluded and included again, and the belief follows", async (t) => {
  const spammed = await answeredCampaign(site, "spammed");
  const rows = ["apple,fruit", "lemon,citrus", "citrus,fruit", "onion,vegetable"].map((pair) => `spammer,${pair},yes`);
  await site.vote(spammed, rows);
  await site.settled(spammed.id);
  const page = await open(site, t, `${spammed.page}/workers`);
  const count = async () => (await site.api("GET", `/campaigns/${spammed.id}/votes`)).filter((/** @type {any} */ vote) => vote.excluded).length;
  await page.getByRole("button", { name: "Exclude votes of spammer" }).click();
  await page.locator("tr.excluded", { hasText: "spammer" }).getByText("Excluded").waitFor();
  assert.equal(await count(), 4);
  await page.goto(`${spammed.page}/history`);
  await page.getByRole("button", { name: /^Undo: Excluded the votes of/ }).click();
  await page.getByText(/^Included the votes of/).first().waitFor();
  assert.equal(await count(), 0);
});

test("while votes come, the last verdict stays, with its age", async (t) => {
  const names = ["fruit", "citrus", "lemon", "apple", "vegetable", "onion", "garlic", "leek", "plum", "pear", "carrot", "bean"];
  const kinds = new Map([["citrus", "fruit"], ["lemon", "citrus"], ["apple", "fruit"], ["onion", "vegetable"], ["garlic", "vegetable"], ["leek", "vegetable"], ["plum", "fruit"], ["pear", "fruit"], ["carrot", "vegetable"], ["bean", "vegetable"]]);
  const pairs = names.flatMap((upper) => names.filter((lower) => lower !== upper).map((lower) => [upper, lower]));
  const rows = pairs.flatMap(([upper, lower]) => {
    const said = isAbove(kinds, upper, lower) ? "yes" : "no";
    return [`ann,${upper},${lower},${said}`, `bob,${upper},${lower},${said}`, `cid,${upper},${lower},${said}`, `spammer,${upper},${lower},yes`];
  });
  const { id, page: address } = await site.campaign("flood", names, { root: "food" });
  await site.vote({ id }, rows);
  const page = await open(site, t, `${address}/workers`);
  const spammer = page.locator("tr", { hasText: "spammer" });
  await spammer.getByText("Likely random answers").waitFor();
  const age = page.getByText(/^Status and agreement are as of \d+ votes? ago\.$/);
  // Until no report is left to be made.
  await age.waitFor({ state: "detached" });
  // A report takes longer than a vote, so that while votes come one after the other, some always come after the last report.
  let isOver = false;
  const flood = async () => {
    for (let nth = 0; !isOver; nth++) {
      const [upper, lower] = pairs[nth % pairs.length];
      await site.vote({ id }, [`late ${nth},${upper},${lower},${isAbove(kinds, upper, lower) ? "yes" : "no"}`]);
    }
  };
  const look = async () => {
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      await page.goto(`${address}/workers`);
      assert.equal(await spammer.locator('[data-label="Status"]').innerText(), "⚑ Likely random answers");
      assert.match(await spammer.locator('[data-label="Agreement"]').innerText(), /\d+ %/);
      if (await age.isVisible()) return;
    }
    assert.fail("the verdict is never older than the votes");
  };
  await Promise.all([flood(), look().finally(() => (isOver = true))]);
});

test("a worker's votes are on a page of their own", async (t) => {
  const page = await open(site, t, `${campaign.page}/workers?sort=worker`);
  await page.locator(".worker-table .worker-id a").last().click();
  await page.getByRole("heading", { name: /^Worker / }).waitFor();
  const count = Number(await page.locator(".key-figures dd").first().innerText());
  assert.equal(await page.locator(".vote-table tbody tr").count(), count);
  await page.locator(".vote-table td", { hasText: /a kind of/ }).first().waitFor();
});

test("workers have the link that they came through, and an excluded link has its name", async (t) => {
  const linked = await site.campaign("linked", ["fruit", "apple", "pear"], { root: "food" });
  await answer(site, linked, { parents: await taxonomy("food"), votes: 4, people: 2, error: 0 });
  await site.vote(linked, ["imported,fruit,apple,yes"]);
  const page = await open(site, t, `${linked.page}/workers?sort=link`);
  await page.locator('th[aria-sort="ascending"]', { hasText: "Link" }).waitFor();
  assert.deepEqual(await page.locator('[data-label="Link"]').allInnerTexts(), ["tests", "tests", "–"]);
  await page.goto(`${linked.page}/invite`);
  await page.getByRole("button", { name: "Exclude answers of the link tests" }).click();
  await page.locator(".toast").getByText("Excluded the votes of the link “tests”.").waitFor();
  await page.goto(`${linked.page}/history`);
  await page.getByText("Excluded the votes of the link “tests”").waitFor();
});

test("on a phone each worker is a card", async (t) => {
  const page = await openWith(site, t, `${campaign.page}/workers`, PHONE);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  const [name, votes] = await Promise.all([
    page.locator(".worker-table .worker-id").first().boundingBox(),
    page.locator('.worker-table [data-label="Votes"]').first().boundingBox(),
  ]);
  assert.ok(name && votes && votes.y > name.y, "the fields are below one another");
});
