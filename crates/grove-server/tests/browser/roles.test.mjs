// Several accounts in one campaign: a viewer looks, an editor edits, the owner pays and decides who takes part.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answeredCampaign, concept, open, select, standsUnder } from "./lib/pages.mjs";
import { NAME, PASSWORD, Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
before(async () => (site = await Site.start()));
after(() => site?.stop());

/** Shares a campaign by its page. @param {import("playwright-core").Page} page @param {string} name @param {string} role */
async function share(page, name, role) {
  await page.getByLabel("Name of the account").fill(name);
  await page.getByLabel("Role").selectOption(role);
  await page.getByRole("button", { name: "Share", exact: true }).click();
}

/** @param {import("playwright-core").Page} page */
const tabs = (page) => page.locator(".tabs a").allInnerTexts();

test("a viewer looks, an editor edits, and the owner decides", async (t) => {
  const campaign = await answeredCampaign(site, "shared by role", { settings: { currency: "EUR" } });
  const context = await site.account("Bob");
  const bob = await context.newPage();
  const owner = await open(site, t, `${campaign.page}/invite`);
  assert.equal((await bob.goto(campaign.page))?.status(), 404, "not shared yet");

  await share(owner, "Bobby", "viewer");
  await owner.locator("#member-error").getByText("There is no account \"Bobby\"").waitFor();
  assert.equal(await owner.getByLabel("Name of the account").inputValue(), "Bobby", "what was typed stays");
  await share(owner, "Bob", "viewer");
  await owner.getByRole("row", { name: /Bob Viewer/ }).waitFor();

  // A viewer.
  await bob.goto(site.url);
  await bob.locator(".campaign-cards li", { hasText: "shared by role" }).getByText("You can view").waitFor();
  await bob.getByRole("link", { name: "shared by role" }).click();
  await concept(bob, "garlic").waitFor();
  assert.deepEqual(await tabs(bob), ["Hierarchy", "Progress", "Workers", "History", "Compare", "Export"]);
  assert.equal(await bob.locator("main form[method=post]").count(), 0);
  await select(bob, "garlic");
  await bob.getByRole("heading", { name: "Why under vegetable?" }).waitFor();
  assert.equal(await bob.locator("main form[method=post]").count(), 0);
  await bob.goto(`${campaign.page}/workers`);
  assert.equal(await bob.locator(".worker-table tbody tr").count(), 4);
  assert.equal(await bob.getByText("€").count(), 0, "what people earn is not shown");
  await bob.goto(`${campaign.page}/history`);
  assert.equal(await bob.getByRole("button", { name: /Undo/ }).count(), 0);
  for (const path of ["/settings", "/invite", "/payments.csv"]) {
    assert.equal((await context.request.get(campaign.page + path)).status(), 403, path);
  }
  const move = await context.request.post(`${campaign.page}/correct`, { form: { rule: "pin", lower: "7", upper: "6" }, headers: { origin: site.url } });
  assert.equal(move.status(), 403);

  // An editor.
  await owner.getByRole("button", { name: "Make editor: Bob" }).click();
  await owner.getByRole("row", { name: /Bob Editor/ }).waitFor();
  await bob.goto(campaign.page);
  await bob.getByText("You can edit").waitFor();
  await select(bob, "garlic");
  await bob.getByLabel("Move under").fill("onion");
  await bob.getByRole("button", { name: "Move", exact: true }).click();
  await standsUnder(bob, "garlic", "onion");
  await bob.getByRole("link", { name: "Settings" }).click();
  assert.ok(await bob.getByLabel("Price per vote").isDisabled());
  await bob.getByLabel("Consent text for workers").fill("Thank you.");
  await bob.getByRole("button", { name: "Save" }).click();
  await bob.locator(".toast").getByText("Changed the settings.").waitFor();
  assert.equal(await bob.getByText("Delete campaign").count() + (await bob.getByText("Hand over campaign").count()), 0);
  assert.ok(!(await tabs(bob)).includes("Invite"));
  await owner.goto(`${campaign.page}/history`);
  await owner.locator(".edit-list li", { hasText: "Moved “garlic” under “onion”" }).getByText("Bob").waitFor();

  // No longer.
  await owner.goto(`${campaign.page}/invite`);
  await owner.getByRole("button", { name: "Remove Bob" }).click();
  await owner.getByRole("row", { name: /Bob/ }).waitFor({ state: "detached" });
  assert.equal((await bob.goto(campaign.page))?.status(), 404);
});

test("a campaign is handed over, and its former owner stays as an editor", async (t) => {
  const campaign = await site.campaign("handed over", ["fruit", "apple"]);
  const cid = await (await site.account("Cid")).newPage();
  const owner = await open(site, t, `${campaign.page}/settings`);
  await owner.getByText("Hand over campaign").click();
  await owner.getByLabel("Name of the account").fill("Nobody");
  await owner.getByRole("button", { name: "Hand over" }).click();
  await owner.getByRole("alert").filter({ hasText: "There is no account" }).waitFor();
  await owner.getByText("Hand over campaign").click();
  await owner.getByLabel("Name of the account").fill("Cid");
  await owner.getByRole("button", { name: "Hand over" }).click();
  await owner.getByText("You can edit").waitFor();
  await cid.goto(`${campaign.page}/invite`);
  await cid.getByRole("row", { name: new RegExp(`${NAME} Editor`) }).waitFor();
});

test("an administrator resets a forgotten password, which ends the sessions", async () => {
  const context = await site.account("Dan");
  site.user(["reset-password", "Dan"], "another long password");
  const page = await context.newPage();
  await page.goto(`${site.url}/account`);
  assert.equal(new URL(page.url()).pathname, "/login");
  await page.getByLabel("Name").fill("Dan");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").waitFor();
  await site.logIn(page, "Dan", "another long password");
});
