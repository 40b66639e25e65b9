// Questions of every form on the worker page: by mouse, keys and touch, without JavaScript, for screen readers, and how fast they are.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { FEW_TREES, hasScript, listen, visit } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const concepts = ["cheese", "brie", "fruit", "apple", "pear", "gouda", "vegetable", "leek", "plum", "carrot"];
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

before(async () => (site = await Site.start()));
after(() => site?.stop());

/** A campaign in one form, and its page for a worker who has started. @param {import("node:test").TestContext} t @param {string} form @param {import("playwright-core").BrowserContextOptions} [options] */
async function begin(t, form, options) {
  const campaign = await site.campaign(`${form} ${Math.random()}`, concepts, { forms: [form], root: "food", language: "en", engine: FEW_TREES });
  await site.settled(campaign.id);
  const page = await visit(site, t, options);
  await page.goto(campaign.link);
  await page.getByRole("button", { name: "Start" }).click();
  await answered(page, 0);
  if (options?.javaScriptEnabled !== false) await hasScript(page);
  if (options?.javaScriptEnabled !== false && form === "place") await page.getByRole("option").first().waitFor();
  return { campaign, page };
}

/** @param {import("playwright-core").Page} page @param {number} count */
const answered = (page, count) => page.getByText(`Answered: ${count}`, { exact: true }).waitFor();

/** @param {{ id: string }} campaign */
const votes = ({ id }) => site.api("GET", `/campaigns/${id}/votes`);

/** @param {import("playwright-core").Page} page */
const screen = async (page) => JSON.parse(await page.locator("main [name=screen]").first().inputValue());

/** @param {number} number */
const name = (number) => concepts[number - 1];

test("a pick, by mouse and by keys", async (t) => {
  const { campaign, page } = await begin(t, "pick");
  const first = await screen(page);
  assert.match(await page.locator("h1").innerText(), /^What (is|are) .+ a kind of\?$/);
  await page.getByRole("button", { name: name(first.options[1]), exact: false }).click();
  await answered(page, 1);
  const second = await screen(page);
  await page.keyboard.press("1");
  await answered(page, 2);
  await page.keyboard.press("0");
  await answered(page, 3);
  await page.keyboard.press("9");
  await page.keyboard.press("s");
  await answered(page, 4);
  const all = await votes(campaign);
  assert.deepEqual(
    all.map((/** @type {any} */ vote) => vote.answer),
    [{ picked: first.options[1] }, { picked: second.options[0] }, "none", "cant_say"],
  );
  assert.deepEqual(all[0].options, first.options, "in the order shown");
  assert.ok(all.every((/** @type {any} */ vote) => vote.took_ms > 0));
});

test("a tick, by mouse and by keys", async (t) => {
  const { campaign, page } = await begin(t, "tick");
  const first = await screen(page);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Tick at least one").waitFor();
  await page.getByLabel(name(first.options[0])).check();
  await page.getByRole("button", { name: "Send" }).click();
  await answered(page, 1);
  const second = await screen(page);
  await page.keyboard.press("1");
  const expected = [second.options[0]];
  if (second.options.length > 1) {
    // Space on a box that has the focus.
    await page.getByRole("checkbox").nth(1).focus();
    await page.keyboard.press("Space");
    expected.push(second.options[1]);
  }
  await page.keyboard.press("Enter");
  await answered(page, 2);
  await page.keyboard.press("0");
  await answered(page, 3);
  const said = (await votes(campaign)).map((/** @type {any} */ vote) => vote.answer);
  assert.deepEqual(said, [{ ticked: [first.options[0]] }, { ticked: expected }, "none"]);
});

test("a place, by typing and in the tree", async (t) => {
  const { campaign, page } = await begin(t, "place");
  const first = await screen(page);
  assert.match(await page.locator("h1").innerText(), /^Where (does|do) .+ belong\?$/);
  const target = first.lower === 1 ? 3 : 1;
  const search = page.getByRole("combobox");
  await page.getByRole("option", { name: name(target), exact: true }).waitFor();
  assert.equal(await page.getByRole("option").count(), concepts.length - 1, "all but itself");
  await search.fill(name(target).slice(0, 4).toUpperCase());
  assert.equal(await page.getByRole("option", { selected: true }).innerText(), name(target));
  await search.press("Enter");
  await answered(page, 1);
  const second = await screen(page);
  const other = second.lower === 7 ? 3 : 7;
  await page.getByRole("combobox").fill("no such thing");
  await page.getByRole("combobox").press("Enter");
  await page.getByText("There is no concept of this name").waitFor();
  await page.getByRole("combobox").fill("");
  await page.getByRole("option", { name: name(other), exact: true }).click();
  await answered(page, 2);
  await page.getByRole("button", { name: "Directly under food" }).click();
  await answered(page, 3);
  const said = (await votes(campaign)).map((/** @type {any} */ vote) => vote.answer);
  assert.deepEqual(said, [{ under: target }, { under: other }, "top"]);
});

for (const form of ["yesno", "pick", "tick", "place"]) {
  test(`${form}: by touch on a phone`, async (t) => {
    const { page } = await begin(t, form, phone);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    for (const box of await page.locator("button:visible, .boxes label:visible").all()) {
      const size = await box.boundingBox();
      assert.ok(size && size.height >= 44 && size.x >= 0 && size.x + size.width <= 390, await box.innerText());
    }
    if (form === "tick") await page.locator(".boxes label").first().tap();
    if (form === "place") await page.getByRole("option").first().tap();
    else await page.locator("form[data-vote] button").first().tap();
    await answered(page, 1);
  });

  test(`${form}: without JavaScript`, async (t) => {
    const { campaign, page } = await begin(t, form, { javaScriptEnabled: false });
    const asked = await screen(page);
    if (form === "tick") {
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("Tick at least one").waitFor();
      await page.getByRole("checkbox").first().check();
    }
    if (form === "place") {
      const target = name(asked.lower === 1 ? 3 : 1);
      await page.getByRole("textbox").fill(target);
      await page.getByRole("button", { name: "Send" }).click();
      await answered(page, 1);
      await page.getByRole("link", { name: "Choose from all concepts" }).click();
      await page.getByRole("listitem").first().getByRole("button").click();
      await answered(page, 2);
    } else {
      await page.locator("form[data-vote] button").first().click();
      await answered(page, 1);
    }
    const question = await page.locator("h1").innerText();
    const before = await screen(page);
    await page.getByRole("button", { name: "Not sure" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Here is the question again").waitFor();
    assert.equal(await page.locator("h1").innerText(), question);
    assert.deepEqual(await screen(page), before, "with its options in the same order");
    const all = await votes(campaign);
    assert.ok(all.at(-1).withdrawn && !all[0].withdrawn);
  });

  test(`${form}: undo brings the question back, and axe finds nothing`, async (t) => {
    const { page } = await begin(t, form);
    const asked = await screen(page);
    await page.getByRole("button", { name: "Not sure" }).click();
    await answered(page, 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Here is the question again").waitFor();
    assert.deepEqual(await screen(page), asked);
    await page.evaluate(axe);
    for (const scheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme: scheme });
      const found = await page.evaluate(async () => (await /** @type {any} */ (window).axe.run({ resultTypes: ["violations"] })).violations);
      assert.deepEqual(found.map((/** @type {any} */ fault) => `${fault.id}: ${fault.nodes[0].html}`), []);
    }
  });
}

test("the next question is there before the server has the answer, and costs one request", async (t) => {
  const { page } = await begin(t, "yesno");
  let release = () => {};
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  /** @type {string[]} */
  const requests = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname.replace(/.*\//, "")));
  await page.route("**/vote", async (route) => {
    await held;
    await route.continue();
  });
  const first = await page.locator("h1").innerText();
  await page.keyboard.press("y");
  const ahead = await page.locator("h1").innerText();
  assert.notEqual(ahead, first);
  await page.getByText("Sending").waitFor();
  release();
  await answered(page, 1);
  assert.equal(await page.locator("h1").innerText(), ahead, "it stays");
  assert.deepEqual(requests, ["vote"]);
});

test("what was sent ahead does not stay if its form is no longer asked, and what was answered in it can be undone", async (t) => {
  const { campaign, page } = await begin(t, "yesno");
  assert.equal(await page.locator("#ahead").count(), 1);
  await site.api("PUT", `/campaigns/${campaign.id}/settings`, { ...(await site.api("GET", `/campaigns/${campaign.id}/settings`)), forms: ["tick"] });
  await page.keyboard.press("y");
  await answered(page, 1);
  await page.locator("main .screen[data-form=tick]").waitFor();
  assert.equal((await screen(page)).form, "tick");
  await page.getByRole("button", { name: "Undo" }).click();
  await answered(page, 0);
  await page.getByText("Your last answer is undone.", { exact: true }).waitFor();
  await page.locator("main .screen[data-form=tick]").waitFor();
});

test("too many requests are not a lost connection", async (t) => {
  const { page } = await begin(t, "yesno");
  let times = 0;
  await page.route("**/vote", (route) => (times++ ? route.continue() : route.fulfill({ status: 429, headers: { "retry-after": "1" } })));
  const says = await listen(page);
  await page.keyboard.press("y");
  await says("Too many requests");
  await answered(page, 1);
});

test("without storage", async (t) => {
  const campaign = await site.campaign("no storage", concepts, { forms: ["pick"] });
  await site.settled(campaign.id);
  const context = await site.visitor();
  await context.addInitScript(() => {
    Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("denied", "SecurityError"); } });
  });
  const page = await context.newPage();
  await page.goto(campaign.link);
  await page.getByRole("button", { name: "Start" }).click();
  await answered(page, 0);
  await hasScript(page);
  await page.keyboard.press("1");
  await answered(page, 1);
  await page.getByLabel(/Keyboard shortcuts/).uncheck();
  await page.keyboard.press("1");
  await page.getByRole("button", { name: "None of these" }).click();
  await answered(page, 2);
  assert.equal((await votes(campaign)).length, 2);
});

test("buttons stay where they are, yes and no weigh the same", async (t) => {
  const { page } = await begin(t, "yesno");
  const yes = page.getByRole("button", { name: "Yes" });
  const no = page.getByRole("button", { name: /^No\b/ });
  const look = (/** @type {import("playwright-core").Locator} */ button) =>
    button.evaluate((element) => ["backgroundColor", "color", "borderColor", "width", "fontWeight"].map((of) => getComputedStyle(element)[/** @type {any} */ (of)]));
  assert.deepEqual(await look(yes), await look(no));
  const places = new Set();
  for (let count = 1; count <= 8; count += 1) {
    places.add(JSON.stringify(await yes.boundingBox()));
    await page.keyboard.press("n");
    await answered(page, count);
  }
  assert.equal(places.size, 1, [...places].join(" "));
});

test("buttons stay where they are, however long the names and with or without definitions", async (t) => {
  const various = ["brie", "a soft cheese from the east of Paris", "milk products that are kept for a month or longer", "jam", { name: "curd", definition: "What milk becomes when it is warm and sour, before it is pressed." }, "rye"];
  const campaign = await site.campaign("various", various, { root: "food", engine: FEW_TREES });
  await site.settled(campaign.id);
  for (const options of [{}, phone]) {
    const page = await visit(site, t, options);
    await page.goto(campaign.link);
    await page.getByRole("button", { name: "Start" }).click();
    await answered(page, 0);
    await hasScript(page);
    const [places, heights] = [new Set(), new Set()];
    for (let count = 1; count <= 10; count += 1) {
      places.add(JSON.stringify(await page.getByRole("button", { name: "Yes" }).boundingBox()));
      heights.add((await page.locator("h1").boundingBox())?.height);
      await page.keyboard.press("n");
      await answered(page, count);
    }
    assert.ok(heights.size > 1, "the questions are not of the same length");
    assert.equal(places.size, 1, [...places].join(" "));
  }
});

test("from the answer to the next screen", async (t) => {
  for (const form of ["yesno", "pick", "tick", "place"]) {
    const { page } = await begin(t, form);
    const times = [];
    for (let count = 1; count <= 8; count += 1) {
      // What the server takes, without what was sent ahead.
      await page.evaluate(() => document.querySelector("#ahead")?.remove());
      const before = await screen(page);
      const took = await page.evaluate(async (t) => {
        const began = performance.now();
        const shown = /** @type {HTMLInputElement} */ (document.querySelector("main [name=screen]"));
        /** @type {HTMLButtonElement} */ (document.querySelector("[value=cant_say]")).click();
        while (shown.isConnected) await new Promise((resolve) => setTimeout(resolve, 1));
        return performance.now() - began;
      });
      await answered(page, count);
      assert.notDeepEqual(await screen(page), before);
      times.push(took);
    }
    times.sort((a, b) => a - b);
    console.log(`${form}: answer to next screen ${times[4].toFixed(0)} ms in the median`);
  }
});
