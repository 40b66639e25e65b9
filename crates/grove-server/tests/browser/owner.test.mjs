// The owner's pages: from a list of names to a hierarchy that is corrected, replayed and exported.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { answer, taxonomy } from "./lib/crowd.mjs";
import { NAME, PASSWORD, Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
/** @type {Map<string, string>} */
let parents;
before(async () => {
  site = await Site.start();
  parents = await taxonomy("food");
});
after(() => site?.stop());

/** Opens a page for the length of a test. @param {import("node:test").TestContext} t @param {string} path */
async function open(t, path) {
  const page = await site.owner.newPage();
  t.after(() => page.close());
  await page.goto(path.startsWith("http") ? path : site.url + path);
  return page;
}

/** A campaign on some food that people have answered. @param {string} name @param {number} votes */
async function answeredCampaign(name, votes) {
  const campaign = await site.campaign(name, ["fruit", "citrus", "lemon", "apple", "vegetable", "onion", "garlic"], { root: "food", price_cents: 4 });
  const some = new Map([...parents, ["onion", "vegetable"], ["garlic", "vegetable"]]);
  await answer(site, campaign, { parents: some, votes, people: 4, error: 0 });
  return campaign;
}

/** The parent of a concept, as the page shows it. @param {import("playwright-core").Page} page @param {string} name */
async function parentOf(page, name) {
  const title = await page.locator(`#tree .node[data-name="${name}"] title`).first().textContent();
  return title?.match(/, under (.*), certainty/)?.[1];
}

/** @param {import("playwright-core").Page} page @param {string} name @param {string} parent */
async function standsUnder(page, name, parent) {
  await page.waitForFunction(
    ([name, parent]) => document.querySelector(`#tree .node[data-name="${name}"] title`)?.textContent?.includes(`, under ${parent},`),
    [name, parent],
  );
}

test("a campaign is previewed, created and shared", async (t) => {
  const page = await open(t, "/");
  await page.getByText("No campaigns yet.").waitFor();
  await page.getByRole("link", { name: "New campaign" }).click();
  await page.getByLabel("Title").fill("Cheese");
  await page.getByLabel("Concepts").fill("cheese\nbrie\nbrie\n");
  await page.getByLabel("Root concept").fill("food");
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Title").inputValue(), "Cheese");
  await page.getByLabel("Concepts").fill("");
  const table = "name,definition\ncheese,made of milk\nbrie,soft\ngouda,\n";
  await page.getByLabel("Or upload a file").setInputFiles({ name: "cheese.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
  await page.getByLabel("Question", { exact: true }).selectOption("Would you look for a … under …?");
  await page.getByRole("button", { name: "Show example questions" }).click();
  await page.getByText("Would you look for cheese under").first().waitFor();
  assert.equal(await page.getByLabel("Concepts").inputValue(), "cheese\tmade of milk\nbrie\tsoft\ngouda\n");
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.getByRole("heading", { name: "Invitations" }).waitFor();
  await page.getByLabel("Name").fill("colleagues");
  await page.getByRole("button", { name: "Create link" }).click();
  const link = await page.locator("#link").innerText();
  assert.ok(await page.getByRole("img", { name: "QR code of the link" }).isVisible());
  const worker = await (await site.visitor()).newPage();
  assert.equal((await worker.goto(link))?.status(), 200);
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Revoked").waitFor();
  assert.equal((await worker.goto(link))?.status(), 404);
});

test("the hierarchy page updates without a reload", async (t) => {
  const campaign = await site.campaign("growing", ["fruit", "apple", "pear"], { root: "food" });
  const page = await open(t, campaign.page);
  await page.evaluate(() => Object.assign(window, { stayed: true }));
  assert.deepEqual([await parentOf(page, "apple"), await parentOf(page, "pear")], ["food", "food"]);
  await answer(site, campaign, { parents, votes: 40, people: 10, error: 0 });
  await standsUnder(page, "apple", "fruit");
  await standsUnder(page, "pear", "fruit");
  await page.locator(".key-figures dd", { hasText: "40" }).first().waitFor();
  assert.equal(await page.evaluate(() => "stayed" in window), true);
});

test("text being typed survives an update", async (t) => {
  const campaign = await site.campaign("typing", ["fruit", "apple", "pear"], { root: "food" });
  const page = await open(t, campaign.page);
  await page.getByLabel("Names, one per line").fill("plum");
  await answer(site, campaign, { parents, votes: 12, people: 6, error: 0 });
  await standsUnder(page, "apple", "fruit").catch(() => {});
  assert.equal(await page.getByLabel("Names, one per line").inputValue(), "plum");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator('#tree .node[data-name="plum"]').waitFor();
});

test("edits: pin, undo, forbid, move, add, merge, rename, remove", async (t) => {
  const campaign = await answeredCampaign("corrected", 60);
  const page = await open(t, campaign.page);
  await standsUnder(page, "garlic", "vegetable");
  await page.locator('#tree .node[data-name="garlic"] a').first().click();
  await page.getByRole("heading", { name: "Why under vegetable?" }).waitFor();
  assert.match(page.url(), /select=7/);
  await page.getByText("Is garlic a kind of vegetable?").first().waitFor();

  await page.getByLabel("Move under").fill("onion");
  await page.getByRole("button", { name: "Move" }).click();
  await standsUnder(page, "garlic", "onion");
  await page.getByRole("link", { name: "← Overview" }).click();
  await page.getByText("garlic is directly under onion").waitFor();
  assert.ok(await page.getByText(NAME, { exact: true }).last().isVisible(), "who made it");
  await page.getByRole("button", { name: "Undo" }).click();
  await standsUnder(page, "garlic", "vegetable");
  assert.equal(await page.getByText("directly under").count(), 0);

  await page.locator('#tree .node[data-name="apple"] a').first().click();
  await page.getByRole("row", { name: /fruit/ }).getByRole("button", { name: "Forbid" }).click();
  await page.waitForFunction(() => !document.querySelector('#tree .node[data-name="apple"] title')?.textContent?.includes("under fruit"));
  await page.goBack();
  await page.getByText("apple is not under fruit").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await standsUnder(page, "apple", "fruit");

  await page.locator('#tree .node[data-name="lemon"] a').first().click();
  await page.getByRole("row", { name: /citrus/ }).getByRole("button", { name: "Pin" }).click();
  await page.waitForFunction(() => document.querySelector('#tree .node[data-name="lemon"] title')?.textContent?.includes("certainty 1.00"));
  await page.getByLabel("Move under").fill("lemmon");
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByText("did you mean").waitFor();

  await page.getByRole("link", { name: "← Overview" }).click();
  await page.getByLabel("Names, one per line").fill("plum\ncherry");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator('#tree .node[data-name="cherry"] a').first().click();
  await page.getByLabel("Merge with").fill("apple");
  await page.getByRole("button", { name: "Merge" }).click();
  await page.locator('#tree .node[data-name="cherry"]').waitFor({ state: "detached" });
  await page.locator('#tree .node[data-name="plum"] a').first().click();
  await page.getByLabel("Name", { exact: true }).fill("damson");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.locator('#tree .node[data-name="damson"]').waitFor();
  await page.getByLabel("Definition").fill("A small, sour plum.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".sidebar p", { hasText: "A small, sour plum." }).waitFor();
  await page.locator("summary", { hasText: "Remove" }).click();
  await page.getByRole("button", { name: /^Remove/ }).click();
  await page.locator('#tree .node[data-name="damson"]').waitFor({ state: "detached" });
});

test("the tree folds, can be searched and zoomed, and keeps its order", async (t) => {
  const campaign = await answeredCampaign("looked at", 60);
  const page = await open(t, campaign.page);
  await standsUnder(page, "apple", "fruit");
  const order = () => page.locator("#tree .node").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-name")).join());
  const before = await order();
  await page.getByRole("link", { name: /^Hide the .* below fruit/ }).click();
  await page.locator('#tree .node[data-name="apple"]').waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Unfold all" }).click();
  await page.locator('#tree .node[data-name="apple"]').waitFor();
  assert.equal(await order(), before);
  await page.getByLabel("Find a concept").fill("LEM");
  assert.deepEqual(await page.locator("#tree .found").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-name"))), ["lemon"]);
  const width = async () => Number(await page.locator("#tree").getAttribute("width"));
  const was = await width();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok((await width()) > was * 1.2);
  await page.getByRole("button", { name: "Fit" }).click();
  const canvas = await page.locator("#canvas").boundingBox();
  assert.ok(canvas && (await width()) <= canvas.width + 1);
});

test("the history is replayed", async (t) => {
  const campaign = await answeredCampaign("replayed", 60);
  const page = await open(t, campaign.page);
  await standsUnder(page, "apple", "fruit");
  const slider = page.getByRole("slider", { name: "History" });
  await slider.fill("8");
  await page.getByText(/Entry 8 of/).waitFor();
  await standsUnder(page, "apple", "food");
  assert.match(page.url(), /at=8/);
  await page.getByRole("button", { name: "Play the history" }).click();
  await page.getByText("Now", { exact: true }).waitFor({ timeout: 60_000 });
  await standsUnder(page, "apple", "fruit");
  await slider.fill("8");
  await page.getByText(/Entry 8 of/).waitFor();
  await page.getByRole("link", { name: "Back to now" }).click();
  await standsUnder(page, "apple", "fruit");
  assert.equal(await slider.inputValue(), await slider.getAttribute("max"));
});

test("workers, payments, progress and comparison", async (t) => {
  const campaign = await answeredCampaign("measured", 60);
  const page = await open(t, `${campaign.page}/workers`);
  assert.equal(await page.locator("tbody tr").count(), 4);
  const [payments] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /Payment list/ }).click()]);
  const lines = (await readFile(await payments.path(), "utf8")).trim().split("\n");
  assert.equal(lines.length, 5);
  assert.equal(lines.slice(1).reduce((sum, line) => sum + Number(line.split(",")[1]), 0), 60);
  await page.locator("summary", { hasText: "Anonymise" }).first().click();
  await page.getByRole("button", { name: "Anonymise this worker" }).click();
  await page.getByText("erased-").waitFor();
  await page.getByRole("link", { name: "Progress" }).click();
  await page.getByRole("img", { name: /After 60 votes/ }).waitFor();
  assert.equal(await page.locator(".key-figures dd").nth(2).innerText(), "2.40");
  await page.getByRole("link", { name: "Compare" }).click();
  const old = { name: "old.paths", mimeType: "text/plain", buffer: Buffer.from("food > fruit > apple\nfood > onion\nfood > nut\n") };
  await page.getByLabel("File").setInputFiles(old);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("heading", { name: "2 of 3 shared concepts" }).waitFor();
  await page.getByRole("row", { name: /onion vegetable/ }).waitFor();
});

test("exports are downloads", async (t) => {
  const campaign = await site.campaign("exported", ["fruit", "apple"]);
  const page = await open(t, `${campaign.page}/export`);
  for (const format of ["skos", "csv", "svg", "html"]) {
    const link = page.getByRole("link", { name: format, exact: true });
    const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.match(await readFile(await file.path(), "utf8"), /apple/, format);
  }
});

test("settings, pause, delete", async (t) => {
  const campaign = await site.campaign("settled", ["fruit", "apple"]);
  const page = await open(t, `${campaign.page}/settings`);
  await page.getByLabel("Price per vote, in cents").fill("many");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".notice.error").waitFor();
  await page.getByLabel("Price per vote, in cents").fill("2.5");
  await page.getByLabel("Title", { exact: true }).fill("Renamed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  assert.equal((await site.api("GET", `/campaigns/${campaign.id}/settings`)).price_cents, 2.5);
  await page.getByRole("heading", { name: "Renamed" }).waitFor();
  await page.getByRole("link", { name: "Hierarchy" }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Collecting", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Delete campaign").click();
  await page.getByLabel("Type the title to confirm").fill("Renamed");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.waitForURL(`${site.url}/`);
  assert.equal(await page.getByText("Renamed").count(), 0);
});

test("everything works without JavaScript", async (t) => {
  const campaign = await answeredCampaign("plain", 40);
  const state = await site.owner.storageState();
  const page = await (await site.visitor({ javaScriptEnabled: false, storageState: state })).newPage();
  await page.goto(campaign.page);
  await page.locator('#tree .node[data-name="garlic"] a').first().click();
  await page.getByLabel("Move under").fill("onion");
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByRole("link", { name: "← Overview" }).click();
  await page.getByText("garlic is directly under onion").waitFor();
  await page.goto(`${campaign.page}?at=8`);
  await page.getByText(/Entry 8 of/).waitFor();
});

test("sessions end", async (t) => {
  const page = await (await site.visitor()).newPage();
  await page.goto(`${site.url}/account`);
  assert.equal(new URL(page.url()).pathname, "/login");
  await page.getByLabel("Name").fill(NAME);
  await page.getByLabel("Password").fill("not this one");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Name").fill(NAME);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`${site.url}/account`);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.goto(`${site.url}/account`);
  assert.equal(new URL(page.url()).pathname, "/login");
});
