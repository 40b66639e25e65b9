// Updates that come while somebody is doing something: they take nothing away, neither a click nor what is typed, ticked or pointed at.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FEW_TREES, answeredCampaign, concept, open } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Site} */
let site;
/** @type {{ id: string, link: string, page: string }} */
let campaign;
let votes = 60;
before(async () => {
  site = await Site.start();
  campaign = await answeredCampaign(site, "live");
});
after(() => site?.stop());

/** Imports one more vote, so that every page of the campaign has something to show. */
async function oneMore() {
  votes += 1;
  await site.vote(campaign, [`late ${votes},fruit,apple,yes`]);
}

/** Holds the requests that match until they are let go. Says when the first has come. @param {Page} page @param {RegExp} address @param {string} method */
async function hold(page, address, method) {
  /** @type {(value?: unknown) => void} */
  let [arrive, release] = [() => {}, () => {}];
  const arrived = new Promise((resolve) => (arrive = resolve));
  const released = new Promise((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    arrive();
    await released;
    await route.continue();
  });
  return { arrived, release };
}

/** Until the page has done what it does with a response. @param {Page} page */
const painted = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));

test("a button that is pressed stays until it is released", async (t) => {
  const page = await open(site, t, `${campaign.page}?select=4`);
  const button = page.getByRole("button", { name: "Pin under fruit" });
  await button.scrollIntoViewIfNeeded();
  const { arrived, release } = await hold(page, /\/changes/, "POST");
  await oneMore();
  await arrived;
  await button.hover();
  await page.mouse.down();
  const [response] = await Promise.all([page.waitForResponse(/\/changes/), release()]);
  await response.finished();
  await painted(page);
  await page.mouse.up();
  await page.locator(".toast").getByText("Moved “apple” under “fruit”.").waitFor();
  // And what was held back comes after it.
  await page.locator(".key-figures dd", { hasText: String(votes) }).or(page.locator(".vote-list", { hasText: `${votes - 56} yes` })).first().waitFor();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await concept(page, "apple").locator(".pin").waitFor({ state: "detached" });
});

test("what is asked before something is done stays answerable", async (t) => {
  const page = await open(site, t, `${campaign.page}/workers`);
  const { arrived, release } = await hold(page, /\/workers$/, "GET");
  await oneMore();
  await arrived;
  await page.locator(".row-menu summary").first().click();
  await page.getByRole("button", { name: "Anonymise…" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  const [response] = await Promise.all([page.waitForResponse(/\/workers$/), release()]);
  await response.finished();
  await painted(page);
  await dialog.getByRole("button", { name: "Anonymise" }).click();
  await page.getByText("erased-").first().waitFor();
});

test("what is typed while a form is on its way is kept", async (t) => {
  const page = await open(site, t, `${campaign.page}?select=7`);
  await page.getByText("Rename, merge or remove…").click();
  const { arrived, release } = await hold(page, /\/rename$/, "POST");
  await page.getByLabel("Name", { exact: true }).fill("leek");
  await page.getByRole("button", { name: "Rename" }).click();
  await arrived;
  await page.getByLabel("Definition").fill("Long and green.");
  release();
  await page.locator(".concept-panel h2", { hasText: "leek" }).waitFor();
  assert.equal(await page.getByLabel("Definition").inputValue(), "Long and green.");
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "leek");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".concept-panel p", { hasText: "Long and green." }).waitFor();
});

test("what is ticked and not sent is kept", async (t) => {
  const page = await open(site, t, `${campaign.page}/workers`);
  await page.evaluate(() => document.querySelector("#workers")?.insertAdjacentHTML("beforeend", '<label><input type="checkbox">probe</label>'));
  await page.getByLabel("probe").check();
  const [response] = await Promise.all([page.waitForResponse(/\/workers$/), oneMore()]);
  await response.finished();
  await painted(page);
  assert.ok(await page.getByLabel("probe").isChecked());
  await page.getByLabel("probe").uncheck();
  await oneMore();
  await page.getByLabel("probe").waitFor({ state: "detached" });
});

test("of two clicks in a row, both count", async (t) => {
  const page = await open(site, t, `${campaign.page}?view=outline`);
  await page.locator("#rows[role=tree]").waitFor();
  const { arrived, release } = await hold(page, /\/changes/, "POST");
  await concept(page, "fruit").locator("a.fold").click();
  await arrived;
  await concept(page, "onion").locator("a.name").click();
  release();
  await page.locator(".concept-panel h2", { hasText: "onion" }).waitFor();
  await concept(page, "apple").waitFor({ state: "detached" });
  assert.match(page.url(), /closed=1/);
});

test("a button that has the focus keeps it", async (t) => {
  const page = await open(site, t, `${campaign.page}/workers`);
  const button = page.getByRole("button", { name: "Exclude votes of cid" });
  await button.focus();
  await oneMore();
  await page.locator(".worker-table", { hasText: `late ${votes}` }).waitFor();
  assert.ok(await button.evaluate((element) => element === document.activeElement));
});

test("a form that gets no answer says so, and can be sent again", async (t) => {
  const page = await open(site, t, `${campaign.page}?select=6`);
  await page.route(/\/correct$/, (route) => route.abort());
  const button = page.getByRole("button", { name: "Pin under vegetable" });
  await button.click();
  await page.locator(".toast.error").getByText("The server did not answer.").waitFor();
  assert.match(page.url(), /\?select=6$/, "the page stays");
  await page.unroute(/\/correct$/);
  await button.click();
  await page.locator(".toast").getByText("Moved “onion” under “vegetable”.").waitFor();
  assert.equal(await page.locator(".toast.error").count(), 0);
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
});

test("a refusal without a field to stand beside is shown", async (t) => {
  const page = await open(site, t, `${campaign.page}/progress`);
  await page.route(/\/pause$/, (route) => route.fulfill({ status: 429, contentType: "application/json", body: "{}" }));
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".toast.error").getByText("That did not work.").waitFor();
});

test("what screen readers announce changes within elements that stay", async (t) => {
  const page = await open(site, t, `${campaign.page}?view=outline`);
  await page.locator("#rows[role=tree]").waitFor();
  await page.evaluate(() => Object.assign(window, { statuses: ["toasts", "search-status"].map((id) => document.getElementById(id)) }));
  await page.getByLabel("Find a concept").fill("a");
  await page.locator("#search-status").getByText(/ of \d/).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".toast").getByText("Paused the campaign.").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".toast").getByText("Resumed the campaign.").waitFor();
  assert.equal(await page.locator("ul#rows").count(), 1, "the view stays");
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).statuses.map((/** @type {Element} */ one) => one.isConnected)), [true, true]);
});

test("an update is small, however many workers and votes there are", async (t) => {
  const names = Array.from({ length: 20 }, (_, nth) => `concept number ${nth}`);
  const crowd = await site.campaign("crowd", names, { root: "food", price_cents: 4, currency: "EUR", engine: FEW_TREES });
  const workers = Array.from({ length: 200 }, (_, nth) => `${String(nth).padStart(8, "0")}-with-as-many-letters-as-a-uuid`);
  const pairs = names.flatMap((upper) => names.filter((lower) => lower !== upper).map((lower) => `${upper},${lower}`));
  await site.vote(crowd, [...workers.map((worker) => `${worker},${pairs[0]},yes`), ...pairs.map((pair) => `busy,${pair},no`)]);
  await site.settled(crowd.id);
  for (const path of ["/workers", "/workers?sort=votes&page=3", "/workers/votes?worker=busy", "/progress", "/history", "/invite", "/recruit"]) {
    const page = await open(site, t, crowd.page + path);
    const updated = page.waitForResponse(crowd.page + path);
    await site.vote(crowd, [`late for ${path},${pairs[0]},yes`]);
    const size = (await (await updated).body()).length;
    assert.ok(size <= 50_000, `${path}: ${size} bytes`);
    await page.close();
  }
  const home = await open(site, t, "/");
  assert.equal(await home.locator("[data-events]").count(), 0, "the list of campaigns does not follow");
});
