// The owner's pages: from a list of names to a hierarchy that is corrected, replayed and exported.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { answer, taxonomy } from "./lib/crowd.mjs";
import { FEW_TREES, answeredCampaign, concept, open as openPage, openWith, parentOf, select, shownNames, standsUnder, visit } from "./lib/pages.mjs";
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

/** @param {import("node:test").TestContext} t @param {string} path */
const open = (t, path) => openPage(site, t, path);

test("a campaign is made in three steps, with a preview, and ends on its first link", async (t) => {
  const page = await open(t, "/");
  await page.getByText("No campaigns yet.").waitFor();
  await page.getByRole("link", { name: "New campaign" }).click();
  await page.getByLabel("Title").fill("Cheese");
  await page.getByLabel("Root concept").fill("food");
  await page.getByRole("textbox", { name: "Concepts" }).fill("cheese\nbrie\nBrie\n");
  await page.locator("#preview .field-error").filter({ hasText: "line 3" }).waitFor();
  await page.getByRole("textbox", { name: "Concepts" }).fill("cheese\nbrie\n");
  await page.locator("#preview").getByText("2 concepts").waitFor();
  const table = "name,definition\ncheese,made of milk\nbrie,soft\ngouda,\n";
  await page.getByLabel("Or upload a file").setInputFiles({ name: "cheese.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
  await page.locator("#preview").getByText("3 concepts").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  assert.ok(await page.getByLabel("Your own wording").isHidden(), "only where it is chosen");
  await page.getByRole("radio", { name: /Would you look for/ }).check();
  const asked = page.frameLocator("#preview iframe").first().locator("h1");
  await asked.getByText("Would you look for cheese under").waitFor();
  await page.getByLabel("Language").selectOption("Deutsch");
  await asked.getByText("Würden Sie").waitFor();
  await page.getByLabel("Language").selectOption("English");
  const forms = () => page.getByRole("group", { name: "Forms of question" }).getByRole("checkbox", { checked: true }).evaluateAll((boxes) => boxes.map((box) => box.getAttribute("name")));
  assert.deepEqual(await forms(), ["yesno", "pick", "tick"]);
  await page.getByRole("radio", { name: /as in the paper/ }).check();
  assert.deepEqual(await forms(), ["yesno"]);
  await page.getByRole("radio", { name: /You alone/ }).check();
  assert.deepEqual(await forms(), ["yesno", "pick", "tick", "place"]);
  await page.getByRole("checkbox", { name: /Pick one/ }).uncheck();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Currency").selectOption("EUR");
  await page.getByLabel("Budget", { exact: true }).fill("12.50");
  await page.getByLabel("Price per vote").fill("cheap");
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.getByRole("alert").getByText("One field was refused").waitFor();
  assert.ok(await page.getByLabel("Price per vote").isVisible(), "at the step of the field");
  assert.equal(await page.getByLabel("Title").inputValue(), "Cheese");
  await page.getByLabel("Price per vote").fill("0.05");
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.getByRole("heading", { name: "Invitations" }).waitFor();
  const link = await page.locator("#link").innerText();
  const settings = await site.api("GET", `/campaigns/${new URL(page.url()).pathname.split("/")[2]}/settings`);
  assert.deepEqual([settings.forms, settings.budget.cents, settings.divided], [["yesno", "tick", "place"], 1250, 0]);
  assert.ok(await page.getByRole("img", { name: "QR code of the link" }).isVisible());
  const worker = await visit(site, t);
  assert.equal((await worker.goto(link))?.status(), 200);
  const count = await page.locator("tbody tr").count();
  await page.reload();
  assert.equal(await page.locator("tbody tr").count(), count, "reloading makes no other link");
  assert.equal(await page.locator("#link").innerText(), link);
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Revoked").waitFor();
  assert.equal((await worker.goto(link))?.status(), 404);
});

test("an uploaded hierarchy is a start, also when it is refused and edited in between, and its IRIs stay", async (t) => {
  const page = await openWith(site, t, "/campaigns/new", { javaScriptEnabled: false });
  const skos = (/** @type {string} */ name, /** @type {string} */ parent) => `<https://example.org/${name}> a skos:Concept; skos:prefLabel "${name}"@en; skos:note "two\\nlines"@en${parent && `; skos:broader <https://example.org/${parent}>`} .`;
  const file = ["@prefix skos: <http://www.w3.org/2004/02/skos/core#> .", skos("cheese", ""), skos("brie", "cheese"), skos("fruit", ""), skos("plum", "fruit")].join("\n");
  /** @param {string} title */
  const upload = async (title) => {
    await page.goto(`${site.url}/campaigns/new`);
    await page.getByLabel("Title").fill(title);
    await page.getByLabel("Root concept").fill("food");
    await page.getByLabel("Or upload a file").setInputFiles({ name: "food.ttl", mimeType: "text/turtle", buffer: Buffer.from(file) });
    await page.getByRole("button", { name: "Show example questions" }).click();
    await page.getByText("The campaign starts from the hierarchy").waitFor();
  };
  /** Creates the campaign; its reasons for the place of a concept that are nobody's vote, and its concepts. @param {string} concept */
  const create = async (concept) => {
    await page.getByRole("button", { name: "Create campaign" }).click();
    await page.getByRole("heading", { name: "Invitations" }).waitFor();
    const id = new URL(page.url()).pathname.split("/")[2];
    await site.settled(id);
    const concepts = await site.api("GET", `/campaigns/${id}/concepts`);
    const number = concepts.find((/** @type {any} */ one) => one.name === concept).number;
    await page.goto(`${site.url}/campaigns/${id}?select=${number}`);
    return { concepts, reasons: await page.locator(".concept-panel").innerText() };
  };
  await upload("Started");
  await page.getByLabel("Price per vote").fill("cheap");
  await page.getByRole("button", { name: "Create campaign" }).click();
  await page.locator("#price-error").waitFor();
  await page.getByLabel("Price per vote").fill("0");
  const kept = await create("brie");
  assert.match(kept.reasons, /“brie” under “cheese”\s+the hierarchy at the start/);
  assert.deepEqual(kept.concepts.map((/** @type {any} */ one) => one.iri).sort(), ["brie", "cheese", "fruit", "plum"].map((name) => `https://example.org/${name}`));
  // Who edits what was read from the file has a table without IRIs, but with the hierarchy.
  await upload("Edited");
  const text = page.getByRole("textbox", { name: "Concepts" });
  await text.fill(`${await text.inputValue()}pear\tfruit\n`);
  const edited = await create("pear");
  assert.match(edited.reasons, /“pear” under “fruit”\s+the hierarchy at the start/);
  assert.equal(edited.concepts.length, 5);
});

test("a token is made once, however often the page is reloaded", async (t) => {
  const page = await open(t, "/account");
  await page.getByLabel("Name of the new token").fill("reloaded");
  await page.getByRole("button", { name: "Create token" }).click();
  const secret = await page.locator("code.secret").innerText();
  const count = await page.locator("tbody tr").count();
  await page.reload();
  assert.equal(await page.locator("tbody tr").count(), count);
  assert.equal(await page.locator("code.secret").innerText(), secret);
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
  await site.vote(campaign, ["ann", "bob", "cid", "dan"].flatMap((one) => [`${one},fruit,apple,yes`, `${one},pear,apple,no`, `${one},apple,fruit,no`]));
  await standsUnder(page, "apple", "fruit");
  assert.equal(await page.getByLabel("Names, one per line").inputValue(), "plum");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await concept(page, "plum").waitFor();
});

test("edits: move, undo, rule out, pin, add, merge, rename, describe, remove", async (t) => {
  const campaign = await answeredCampaign(site, "corrected");
  const page = await open(t, campaign.page);
  await standsUnder(page, "garlic", "vegetable");
  await select(page, "garlic");
  await page.getByRole("heading", { name: "Why under vegetable?" }).waitFor();
  assert.match(page.url(), /select=7/);
  await page.locator(".vote-list li", { hasText: "Is garlic a kind of vegetable?" }).getByText(/\d yes/).waitFor();

  await page.getByLabel("Move under").fill("oni");
  await page.getByRole("option", { name: "onion" }).click();
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await standsUnder(page, "garlic", "onion");
  await page.locator(".toast").getByText("Moved “garlic” under “onion”.").waitFor();
  await concept(page, "garlic").locator(".pin").waitFor();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await standsUnder(page, "garlic", "vegetable");

  await select(page, "apple");
  await page.getByRole("button", { name: "Rule out fruit" }).click();
  await page.waitForFunction(() => !document.querySelector('#rows [data-name="apple"] title')?.textContent?.includes("under fruit"));
  await page.getByRole("link", { name: "Back to the overview" }).click();
  await page.getByText("apple is not under fruit").waitFor();
  await page.locator(".correction-list").getByRole("button", { name: "Undo" }).click();
  await standsUnder(page, "apple", "fruit");

  await select(page, "lemon");
  await page.getByRole("button", { name: /under citrus$/ }).click();
  await concept(page, "lemon").locator(".pin").waitFor();
  await page.locator(".toast").getByText("Moved “lemon” under “citrus”.").waitFor();
  await page.getByLabel("Move under").fill("lemmon");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.locator("#move-error").getByText("did you mean").waitFor();
  assert.equal(await page.getByLabel("Move under").inputValue(), "lemmon", "what was typed stays");

  await page.getByRole("link", { name: "Back to the overview" }).click();
  await page.getByLabel("Names, one per line").fill("plum\ncherry");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await select(page, "cherry");
  await page.getByText("Rename, merge or remove…").click();
  await page.getByLabel("Merge into").fill("apple");
  await page.getByRole("button", { name: "Merge…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Merge…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
  await concept(page, "cherry").waitFor({ state: "detached" });
  await select(page, "plum");
  await page.getByText("Rename, merge or remove…").click();
  await page.getByLabel("Name", { exact: true }).fill("damson");
  await page.getByRole("button", { name: "Rename" }).click();
  await concept(page, "damson").waitFor();
  await page.getByLabel("Definition").fill("A small, sour plum.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".sidebar p", { hasText: "A small, sour plum." }).waitFor();
  await page.getByRole("button", { name: "Remove…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await concept(page, "damson").waitFor({ state: "detached" });
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await concept(page, "damson").waitFor();
});

test("the article of a concept is set beside it, shows in its questions, and can be undone", async (t) => {
  const campaign = await answeredCampaign(site, "articles");
  const page = await open(t, `${campaign.page}?select=4`);
  const question = page.locator(".vote-list li").first();
  await question.getByText("Is an apple a kind of fruit?").waitFor();
  await page.getByText("Rename, merge or remove…").click();
  const article = page.getByLabel("Article", { exact: true });
  assert.equal(await article.inputValue(), "", "the rules decide");
  await article.fill("the");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await question.getByText("Is the apple a kind of fruit?").waitFor();
  await page.locator(".toast").getByText("Changed the article of “apple”.").waitFor();
  assert.equal(await article.inputValue(), "the");
  await article.fill("x".repeat(31));
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await page.locator("#article-error").getByText("is not an article").waitFor();
  assert.equal(await article.inputValue(), "x".repeat(31), "what was typed stays");
  assert.equal(await article.getAttribute("aria-describedby"), "article-hint article-error");
  await article.fill("plural");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await question.getByText("Are apple a kind of fruit?").waitFor();
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await question.getByText("Is the apple a kind of fruit?").waitFor();
});

test("a refused move keeps the pin, and a pin keeps what was ruled out", async (t) => {
  const campaign = await answeredCampaign(site, "kept");
  const corrections = async () => {
    const all = await site.api("GET", `/campaigns/${campaign.id}/corrections`);
    return all.map((/** @type {any} */ one) => `${one.rule} ${one.lower} ${one.upper}`).sort();
  };
  const page = await open(t, `${campaign.page}?select=4`);
  await page.getByRole("button", { name: "Pin under fruit" }).click();
  await concept(page, "apple").locator(".pin").waitFor();
  await page.getByLabel("Move under").fill("apple");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.locator("#move-error").waitFor();
  assert.deepEqual(await corrections(), ["directly_under 4 1"], "the pin is still there");
  await page.goto(`${campaign.page}?select=7&parent=6`);
  await site.api("POST", `/campaigns/${campaign.id}/corrections`, { id: crypto.randomUUID(), rule: "not_under", lower: 7, upper: 6 });
  await page.getByRole("button", { name: "Pin under vegetable" }).click();
  await concept(page, "garlic").locator(".pin").waitFor();
  assert.deepEqual(await corrections(), ["directly_under 4 1", "directly_under 7 5", "not_under 7 6"]);
});

test("the tree folds, can be searched and zoomed, and keeps its order", async (t) => {
  const campaign = await answeredCampaign(site, "looked at");
  const page = await open(t, campaign.page);
  await standsUnder(page, "apple", "fruit");
  const before = await shownNames(page);
  await concept(page, "fruit").locator(".fold").click();
  await concept(page, "apple").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Unfold all" }).click();
  await concept(page, "apple").waitFor();
  assert.deepEqual(await shownNames(page), before);
  await page.getByLabel("Find a concept").fill("LEM");
  await page.locator("#rows .found").waitFor();
  assert.deepEqual(await page.locator("#rows .found").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-name"))), ["lemon"]);
  const width = async () => Number(await page.locator("#rows").getAttribute("width"));
  const was = await width();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok((await width()) > was * 1.2);
  await page.getByRole("button", { name: "Fit" }).click();
  const canvas = await page.locator("#canvas").boundingBox();
  assert.ok(canvas && (await width()) <= canvas.width + 1);
});

test("the history is replayed", async (t) => {
  const campaign = await answeredCampaign(site, "replayed", { files: 2 });
  const page = await open(t, campaign.page);
  await standsUnder(page, "apple", "fruit");
  const slider = page.getByRole("slider", { name: "History" });
  await slider.fill("8");
  await page.getByText(/Entry 8 of/).waitFor();
  await standsUnder(page, "apple", "food");
  assert.match(page.url(), /at=8/);
  await page.getByRole("button", { name: "Play the history" }).click();
  await page.getByText("Now", { exact: true }).waitFor();
  await standsUnder(page, "apple", "fruit");
  await slider.fill("8");
  await page.getByText(/Entry 8 of/).waitFor();
  await page.getByRole("link", { name: "Back to now" }).click();
  await standsUnder(page, "apple", "fruit");
  assert.equal(await slider.inputValue(), await slider.getAttribute("max"));
});

test("progress and comparison", async (t) => {
  const campaign = await answeredCampaign(site, "measured", { files: 2, settings: { currency: "EUR" } });
  const page = await open(t, `${campaign.page}/progress`);
  await page.getByRole("img", { name: /After 60 votes/ }).waitFor();
  assert.equal(await page.locator(".key-figures dd").nth(2).innerText(), "€2.40");
  await page.locator("section", { has: page.getByRole("heading", { name: "Cost" }) }).getByRole("img", { name: /: €2\.40/ }).waitFor();
  await page.locator(".plot").hover({ position: { x: 5, y: 50 } });
  await page.locator("[data-readout]").getByText(/votes: \d+ of 7 expected correct/).waitFor();
  await page.getByRole("link", { name: "Compare" }).click();
  const old = { name: "old.paths", mimeType: "text/plain", buffer: Buffer.from("food > fruit > apple\nfood > onion\nfood > nut\n") };
  await page.getByLabel("File").setInputFiles(old);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("heading", { name: "2 of 3 shared concepts" }).waitFor();
  await page.getByRole("row", { name: /onion vegetable/ }).waitFor();
});

test("exports are downloads with names for people", async (t) => {
  const campaign = await site.campaign("exported", ["fruit", "apple"]);
  const page = await open(t, `${campaign.page}/export`);
  for (const format of ["SKOS", "Spreadsheet", "Drawing", "Web page"]) {
    const link = page.getByRole("link", { name: format, exact: true });
    const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.match(await readFile(await file.path(), "utf8"), /apple/, format);
  }
});

test("a campaign that has reached its target says so everywhere, or asks whether to stop", async (t) => {
  const names = ["fruit", "apple", "pear"];
  const kinds = new Map([["apple", "fruit"], ["pear", "fruit"]]);
  const pairs = names.flatMap((upper) => names.filter((lower) => lower !== upper).map((lower) => [upper, lower]));
  const people = ["ann", "bob", "cid", "dan", "eve", "fay"];
  const rows = people.flatMap((person) => pairs.map(([upper, lower]) => `${person},${upper},${lower},${kinds.get(lower) === upper ? "yes" : "no"}`));
  /** @param {string} name @param {object} settings */
  const agreed = async (name, settings) => {
    const campaign = await site.campaign(name, names, { root: "food", price_cents: 4, currency: "EUR", budget: { votes: 100 }, ...settings });
    await site.vote(campaign, rows);
    return campaign;
  };
  const ends = await agreed("ends by itself", { target: { certainty: 0.8 } });
  const page = await open(t, ends.page);
  await page.locator("#header .badge", { hasText: "Stopped" }).waitFor();
  const worker = await visit(site, t);
  await worker.goto(ends.link);
  await worker.getByRole("button", { name: "Start" }).click();
  await worker.getByRole("heading", { name: "This study has ended" }).waitFor();
  await page.goto(site.url);
  await page.locator(".campaign-cards li", { hasText: "ends by itself" }).getByText("Stopped").waitFor();
  const goes = await agreed("goes on", {});
  await page.goto(`${goes.page}/progress`);
  await page.getByText("Target reached: stop now?").waitFor();
  // 64 of the 100 votes of the budget are left.
  assert.match(await page.locator(".target-reached").innerText(), /It saves about €2\.56\./);
  await page.getByRole("button", { name: "Stop campaign" }).click();
  await page.locator("#header .badge", { hasText: "Stopped" }).waitFor();
  assert.ok(await page.getByText("Target reached").isHidden());
});

test("one bad setting keeps the others, and pausing keeps the page", async (t) => {
  const campaign = await site.campaign("settled", ["fruit", "apple"]);
  const page = await open(t, `${campaign.page}/settings`);
  await page.getByLabel("Price per vote").fill("many");
  await page.getByLabel("Title", { exact: true }).fill("Renamed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#price-error").getByText("number").waitFor();
  assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "Renamed", "the other edits stay");
  await page.getByLabel("Price per vote").fill("0.025");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".toast").getByText("Changed the settings.").waitFor();
  assert.equal((await site.api("GET", `/campaigns/${campaign.id}/settings`)).price_cents, 2.5);
  await page.getByRole("heading", { name: "Renamed" }).waitFor();

  await page.getByLabel("Consent text for workers").fill("not saved yet");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/campaigns/${campaign.id}/settings`);
  assert.equal(await page.getByLabel("Consent text for workers").inputValue(), "not saved yet");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Collecting", { exact: true }).waitFor();
  await page.getByText("Delete campaign").click();
  await page.getByLabel("Type the title to confirm").fill("Renamed");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.waitForURL(`${site.url}/`);
  assert.equal(await page.getByText("Renamed").count(), 0);
});

test("a campaign without a title is called by its name", async (t) => {
  const campaign = await site.campaign("mammals300", ["cat", "dog"], { root: "mammal" });
  await site.api("PUT", `/campaigns/${campaign.id}/settings`, { ...(await site.api("GET", `/campaigns/${campaign.id}/settings`)), title: "" });
  const page = await open(t, campaign.page);
  await page.getByRole("heading", { name: "mammals300" }).waitFor();
  await page.goto(site.url);
  await page.getByRole("link", { name: "mammals300" }).waitFor();
});

test("everything works without JavaScript", async (t) => {
  const campaign = await answeredCampaign(site, "plain");
  const state = await site.owner.storageState();
  const page = await visit(site, t, { javaScriptEnabled: false, storageState: state });
  await page.goto(campaign.page);
  await concept(page, "garlic").locator("a.name").click();
  await page.getByLabel("Move under").fill("onion");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByText("Moved “garlic” under “onion”.").waitFor();
  await page.getByRole("link", { name: "Outline" }).click();
  await concept(page, "fruit").locator("a.fold").click();
  assert.ok(!(await shownNames(page)).includes("apple"));
  await page.goto(`${campaign.page}?find=lem&view=outline&closed=1`);
  assert.ok((await shownNames(page)).includes("lemon"), "what is searched for is unfolded");
  await page.getByText("1 of 1").waitFor();
  await page.goto(`${campaign.page}?at=8`);
  await page.getByText(/Entry 8 of/).waitFor();
});

test("without JavaScript the example questions are in view when asked for", async (t) => {
  const state = await site.owner.storageState();
  const page = await visit(site, t, { javaScriptEnabled: false, storageState: state, viewport: { width: 390, height: 844 } });
  await page.goto(`${site.url}/campaigns/new`);
  await page.getByLabel("Title").fill("Cheese");
  await page.getByLabel("Root concept").fill("food");
  await page.getByRole("textbox", { name: "Concepts" }).fill("cheese\nbrie\n");
  await page.getByRole("button", { name: "Show example questions" }).click();
  const example = await page.frameLocator("#preview iframe").first().locator("h1").boundingBox();
  assert.ok(example && example.y >= 0 && example.y + example.height <= 844, JSON.stringify(example));
  assert.equal(await page.getByLabel("Title").inputValue(), "Cheese");
});

for (const javaScriptEnabled of [true, false]) {
  test(`a bad field of a new campaign says so itself and has the focus, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async (t) => {
    const page = await visit(site, t, { javaScriptEnabled, storageState: await site.owner.storageState() });
    await page.goto(`${site.url}/campaigns/new`);
    /** Goes on by so many steps, where there are steps. @param {number} steps */
    const goOn = async (steps) => {
      for (let step = 0; javaScriptEnabled && step < steps; step++) await page.getByRole("button", { name: "Next" }).click();
    };
    /** @param {string} selector @param {string} text */
    const isRefused = async (selector, text) => {
      const field = page.locator(`${selector}[aria-invalid=true]`);
      await field.waitFor();
      const said = page.locator(`#${await field.getAttribute("aria-describedby")}`);
      assert.ok((await said.innerText()).includes(text), await said.innerText());
      assert.ok(await said.isVisible());
      assert.ok(await field.evaluate((element) => element === document.activeElement), `${selector} has the focus`);
    };
    const create = () => page.getByRole("button", { name: "Create campaign" }).click();
    await page.getByLabel("Title").fill(`Refused ${javaScriptEnabled}`);
    await page.getByLabel("Root concept").fill("food");
    await page.locator("#concepts").fill("brie\nBrie");
    await goOn(2);
    await page.getByLabel("Price per vote").fill("cheap");
    await create();
    await isRefused("#concepts", "line 2");
    await page.locator("#concepts").fill("brie\ngouda");
    await goOn(1);
    const ticked = page.getByRole("checkbox", { checked: true });
    while ((await ticked.count()) > 0) await ticked.first().uncheck();
    await goOn(1);
    await create();
    await isRefused("[name=yesno]", "Tick at least one");
    await page.getByRole("checkbox", { name: /Yes or no/ }).check();
    await page.getByRole("radio", { name: "My own wording" }).check();
    await page.getByLabel("Your own wording").fill("Is it so?");
    await goOn(1);
    await page.getByLabel("Price per vote").fill("0");
    await create();
    await isRefused("#own", "{child}");
    await page.getByLabel("Your own wording").fill("Is {child} in {parent}?");
    await goOn(1);
    await page.getByLabel("Price per vote").fill("cheap");
    await page.getByLabel("Vote limit").fill("many");
    await create();
    await isRefused("#price", "number");
    assert.equal(await page.locator("#votes-error").innerText(), "This must be a number, not “many”.");
    assert.equal(await page.getByLabel("Vote limit").inputValue(), "many");
    await page.getByLabel("Price per vote").fill("0.1");
    await page.getByLabel("Vote limit").fill("100");
    await create();
    await page.getByRole("heading", { name: "Invitations" }).waitFor();
  });
}

test("the preview is the worker's page in every form, and cannot be used", async (t) => {
  const names = ["cheese", "brie", "gouda", "feta", "camembert"];
  const page = await open(t, "/campaigns/new");
  await page.getByLabel("Title").fill("Preview");
  await page.getByLabel("Root concept").fill("food");
  await page.getByRole("textbox", { name: "Concepts" }).fill(`cheese\tMade of milk.\n${names.slice(1).join("\n")}`);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("radio", { name: /You alone/ }).check();
  const parts = page.locator("#preview details");
  await parts.nth(3).waitFor();
  assert.deepEqual(await parts.locator("summary").allInnerTexts(), ["Yes or no", "Pick one", "Tick all that apply", "Place"]);
  const requests = /** @type {string[]} */ ([]);
  page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  for (const [nth, form] of ["yesno", "pick", "tick", "place"].entries()) {
    if (nth > 0) await parts.nth(nth).locator("summary").click();
    const shown = parts.nth(nth).frameLocator("iframe");
    const screen = shown.locator(`.screen[data-form=${form}]`);
    await screen.waitFor();
    assert.equal(await page.locator("#preview details[open]").count(), 1);

    // The same elements, classes and sizes as on the page of a worker who is asked about the same concept.
    const campaign = await site.campaign(`preview ${form}`, names.map((name) => ({ name, definition: name === "cheese" ? "Made of milk." : "" })), { forms: [form], root: "food", title: "Preview", engine: FEW_TREES });
    await site.settled(campaign.id);
    const box = await parts.nth(nth).locator("iframe").boundingBox();
    const worker = await visit(site, t, { viewport: { width: Math.round(box?.width ?? 0) - 2, height: Math.round(box?.height ?? 0) - 2 } });
    await worker.goto(campaign.link);
    await worker.getByRole("button", { name: "Start" }).click();
    await worker.getByText("Answered: 0").waitFor();
    if (form === "place") await worker.getByRole("option").first().waitFor();
    // However many options there are.
    const outline = (/** @type {Element} */ main) => {
      const all = [...main.querySelectorAll("*")].filter((one) => !one.closest("template, dl"));
      return [...new Set(all.map((one) => [one.localName, one.className, getComputedStyle(one).display, getComputedStyle(one).fontSize].join(" ")))];
    };
    assert.deepEqual(await shown.locator("main").evaluate(outline), await worker.locator("main").evaluate(outline), form);
    await worker.close();

    if (form === "yesno") {
      assert.equal(await shown.locator("dl").innerText(), "cheese\nMade of milk.");
      const yes = await shown.locator(".answers button").first().boundingBox();
      await page.mouse.click((yes?.x ?? 0) + 10, (yes?.y ?? 0) + 10);
      await page.keyboard.press("y");
    }
  }
  await page.getByRole("checkbox", { name: /Pick one/ }).uncheck();
  await parts.nth(3).waitFor({ state: "detached" });
  assert.equal(await page.locator("#preview details[open] summary").innerText(), "Place", "what was chosen to look at stays");
  assert.deepEqual([...new Set(requests.filter((one) => one.startsWith("POST")))], ["POST /campaigns/new/preview"], "nothing was answered");
});

test("sessions end", async (t) => {
  const page = await visit(site, t);
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

test("a new link and new concepts that are refused say so beside their fields, and keep what was typed", async (t) => {
  const campaign = await site.campaign("refused fields", ["fruit", "apple"], { root: "food" });
  const page = await open(t, `${campaign.page}/invite`);
  const form = page.locator("form.form-row", { hasText: "Hours until it expires" });
  await form.getByLabel("Name").fill("mailing list");
  await form.getByLabel("People").fill("12");
  for (const [hours, problem] of [["soon", "whole number"], ["0", "at least an hour"]]) {
    await form.getByLabel("Hours until it expires").fill(hours);
    await form.getByRole("button", { name: "Create link" }).click();
    await page.locator("#hours-error").getByText(problem).waitFor();
    assert.equal(await form.getByLabel("Hours until it expires").inputValue(), hours);
  }
  assert.deepEqual([await form.getByLabel("Name").inputValue(), await form.getByLabel("People").inputValue()], ["mailing list", "12"]);
  await form.getByLabel("Hours until it expires").fill("48");
  await form.getByRole("button", { name: "Create link" }).click();
  const row = page.getByRole("row", { name: /mailing list/ });
  await row.getByText(/^expires in|^expires tomorrow/).waitFor();
  await row.getByRole("button", { name: "Revoke the link mailing list" }).waitFor();

  await page.goto(campaign.page);
  await page.getByLabel("Names, one per line").fill("pear\napple");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator("#add-error").getByText("apple").waitFor();
  assert.equal(await page.getByLabel("Names, one per line").inputValue(), "pear\napple");
  assert.equal(await page.locator("#notice .notice").count(), 0);
});
