// Everything that was done can be undone, and looked at by those who have a read-only link.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, taxonomy } from "./lib/crowd.mjs";
import { answeredCampaign, concept, open, standsUnder, visit } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
before(async () => (site = await Site.start()));
after(() => site?.stop());

test("a merger and a removal are undone on the history page", async (t) => {
  const campaign = await answeredCampaign(site, "undone");
  const parent = async (/** @type {string} */ name) => {
    const { concepts } = await site.api("GET", `/campaigns/${campaign.id}/hierarchy`);
    return concepts?.find((/** @type {any} */ one) => one.name === name);
  };
  const page = await open(site, t, campaign.page);
  const before = await parent("lemon");
  await site.api("POST", `/campaigns/${campaign.id}/concepts/4/merge`, { into: 3 });
  await site.api("DELETE", `/campaigns/${campaign.id}/concepts/7`);
  await concept(page, "garlic").waitFor({ state: "detached" });
  await concept(page, "apple").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "History" }).click();
  await page.getByRole("button", { name: "Undo: Removed “garlic”" }).click();
  await page.locator(".toast").getByText("Restored “garlic”.").waitFor();
  await page.getByRole("button", { name: /^Undo: Merged “apple” into/ }).click();
  await page.locator(".toast").getByText(/Separated “apple” from/).waitFor();
  await site.settled(campaign.id);
  await page.getByRole("link", { name: "Hierarchy" }).click();
  await standsUnder(page, "garlic", "vegetable");
  await standsUnder(page, "apple", "fruit");
  assert.deepEqual((await parent("lemon"))?.parent, before?.parent);
});

test("what was undone in another tab cannot be undone again, and the page says so", async (t) => {
  const campaign = await site.campaign("two tabs", ["fruit", "apple"], { root: "food" });
  await site.api("DELETE", `/campaigns/${campaign.id}/concepts/2`);
  const [first, second] = [await open(site, t, `${campaign.page}/history`), await open(site, t, `${campaign.page}/history`)];
  // The second does not hear of what the first does.
  await second.route(/\/history$/, (route) => route.abort());
  await first.getByRole("button", { name: "Undo: Removed “apple”" }).click();
  await first.locator(".toast").getByText("Restored “apple”.").waitFor();
  await second.getByRole("button", { name: "Undo: Removed “apple”" }).click();
  const error = second.locator(".toast.error");
  await error.getByText(/undo/).waitFor();
  assert.match(second.url(), /\/history$/);
  await error.getByRole("button", { name: "Dismiss" }).click();
  await error.waitFor({ state: "detached" });
});

test("a read-only link shows the live hierarchy and changes nothing, until it is revoked", async (t) => {
  const campaign = await site.campaign("shared", ["fruit", "apple", "pear"], { root: "food" });
  const page = await open(site, t, `${campaign.page}/invite`);
  await page.getByLabel("Name of the read-only link").fill("project page");
  await page.getByRole("button", { name: "Create read-only link" }).click();
  const link = await page.locator("#view-link").innerText();
  const guest = await visit(site, t);
  assert.equal((await guest.goto(link))?.status(), 200);
  await concept(guest, "apple").waitFor();
  assert.equal(await guest.locator(".tabs, .edit-form, form[method=post]").count(), 0);
  await answer(site, campaign, { parents: await taxonomy("food"), votes: 20, people: 5, error: 0 });
  await standsUnder(guest, "apple", "fruit");
  await concept(guest, "apple").locator("a.name").click();
  await guest.getByRole("heading", { name: "Why under fruit?" }).waitFor();
  assert.equal(await guest.locator("form[method=post]").count(), 0);
  const refused = await guest.evaluate(async (link) => (await fetch(`${link}/correct`, { method: "POST", body: new URLSearchParams({ rule: "pin", lower: "2", upper: "0" }) })).status, link);
  assert.equal(refused, 404);
  await page.getByRole("button", { name: "Revoke the read-only link project page" }).click();
  await page.getByText("Revoked").waitFor();
  assert.equal((await guest.goto(link))?.status(), 404);
});
