// The worker page: mouse, keyboard, touch, without JavaScript and over a bad connection.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hasScript, listen, visit } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
const concepts = [
  { name: "cheese", definition: "Food made from pressed curds of milk." },
  { name: "brie", definition: "A soft cheese from the east of Paris." },
  "fruit",
  "apple",
  "pear",
  "gouda",
];
before(async () => (site = await Site.start()));
after(() => site?.stop());

/** Opens the link and starts. @param {import("node:test").TestContext} t @param {string} link @param {import("playwright-core").BrowserContextOptions} [options] */
async function begin(t, link, options) {
  const page = await visit(site, t, options);
  await page.goto(link);
  await page.getByRole("button", { name: "Start" }).click();
  await answered(page, 0);
  if (options?.javaScriptEnabled !== false) await hasScript(page);
  return page;
}

/** @param {import("playwright-core").Page} page @param {number} count */
async function answered(page, count) {
  await page.getByText(`Answered: ${count}`, { exact: true }).waitFor();
}

/** @param {string} id */
const votes = (id) => site.api("GET", `/campaigns/${id}/votes`);

test("by mouse, with undo", async (t) => {
  const campaign = await site.campaign("mouse", concepts);
  const page = await begin(t, campaign.link);
  const question = await page.locator("h1").innerText();
  assert.match(question, /^(Is|Are) .+ a kind of .+\?$/);
  await page.getByRole("button", { name: "Yes" }).click();
  await answered(page, 1);
  assert.notEqual(await page.locator("h1").innerText(), question);
  await page.getByRole("button", { name: "Undo" }).click();
  await answered(page, 0);
  await page.getByRole("button", { name: "Not sure" }).click();
  await answered(page, 1);
  const all = await votes(campaign.id);
  assert.deepEqual(all.map((/** @type {any} */ vote) => [vote.answer, vote.withdrawn]), [["yes", true], ["cant_say", false]]);
});

test("by keyboard, which can be switched off", async (t) => {
  const campaign = await site.campaign("keys", concepts);
  const page = await begin(t, campaign.link);
  for (const [nth, key] of ["y", "n", "s", "Y"].entries()) {
    await page.keyboard.press(key);
    await answered(page, nth + 1);
  }
  await page.keyboard.press("z");
  await answered(page, 3);
  await page.keyboard.press("Control+y");
  await page.keyboard.press("x");
  await page.getByLabel(/Keyboard shortcuts/).uncheck();
  await page.keyboard.press("y");
  await page.reload();
  await page.keyboard.press("y");
  await answered(page, 3);
  assert.equal(await page.locator("kbd:visible").count(), 0);
  await page.getByLabel(/Keyboard shortcuts/).check();
  await page.keyboard.press("n");
  await answered(page, 4);
  const standing = (await votes(campaign.id)).filter((/** @type {any} */ vote) => !vote.withdrawn);
  assert.deepEqual(standing.map((/** @type {any} */ vote) => vote.answer), ["yes", "no", "cant_say", "no"]);
});

test("on a phone, by touch", async (t) => {
  const campaign = await site.campaign("phone", concepts);
  const page = await begin(t, campaign.link, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  for (const name of ["Yes", /^No\b/, "Not sure"]) {
    const box = await page.getByRole("button", { name }).boundingBox();
    assert.ok(box && box.height >= 48 && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, `${name} is within reach`);
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.getByRole("button", { name: /^No\b/ }).tap();
  await answered(page, 1);
});

test("without JavaScript", async (t) => {
  const campaign = await site.campaign("plain", concepts);
  const page = await begin(t, campaign.link, { javaScriptEnabled: false });
  await page.getByRole("button", { name: "Yes" }).click();
  await answered(page, 1);
  await page.getByRole("button", { name: /^No\b/ }).click();
  await answered(page, 2);
  await page.getByRole("button", { name: "Undo" }).click();
  await answered(page, 1);
  // Going back must not send anything.
  await page.goBack();
  assert.equal(await page.getByLabel(/Keyboard shortcuts/).isVisible(), false);
  assert.equal((await votes(campaign.id)).length, 2);
});

test("over a broken connection: the answer is stored and counts once", async (t) => {
  const campaign = await site.campaign("cut", concepts);
  const page = await begin(t, campaign.link);
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByText("Your answer is saved").waitFor();
  await page.keyboard.press("n");
  await page.context().setOffline(false);
  await answered(page, 1);
  // The server receives the answer, but its response is lost.
  let lost = 0;
  await page.route("**/vote", async (route) => {
    if (lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    await route.abort("connectionreset");
  });
  const says = await listen(page);
  await page.keyboard.press("n");
  await says("Your answer is saved");
  await answered(page, 2);
  assert.equal(lost, 1);
  // The page is closed before the answer is sent, and opened again later.
  await page.context().setOffline(true);
  await page.keyboard.press("y");
  await page.getByText("Your answer is saved").waitFor();
  const later = await page.context().newPage();
  await page.close();
  await later.context().setOffline(false);
  await later.goto(campaign.link);
  await answered(later, 3);
  const all = await votes(campaign.id);
  assert.deepEqual(all.map((/** @type {any} */ vote) => vote.answer), ["yes", "no", "yes"]);
});

test("the same question after a reload, and another for somebody else", async (t) => {
  const campaign = await site.campaign("reload", concepts);
  const page = await begin(t, campaign.link);
  const question = await page.locator("h1").innerText();
  await page.reload();
  assert.equal(await page.locator("h1").innerText(), question);
  const other = await begin(t, campaign.link);
  assert.notEqual(await other.locator("h1").innerText(), question);
});

test("definitions are shown", async (t) => {
  const campaign = await site.campaign("meanings", concepts.slice(0, 2));
  const page = await begin(t, campaign.link);
  assert.deepEqual((await page.locator("dt").allInnerTexts()).sort(), ["brie", "cheese"]);
  await page.getByText("Food made from pressed curds of milk.").waitFor();
});

test("thanks after a set, progress within it", async (t) => {
  const campaign = await site.campaign("sets", concepts, { questions_per_task: 2 });
  const page = await begin(t, campaign.link);
  const progress = page.getByRole("progressbar");
  assert.equal(await progress.getAttribute("value"), "0");
  await page.keyboard.press("n");
  await answered(page, 1);
  assert.equal(await progress.getAttribute("value"), "1");
  await page.keyboard.press("n");
  await page.getByText("2 done, thanks!").waitFor();
});

test("a message when there are no questions", async (t) => {
  const campaign = await site.campaign("rest", concepts.slice(0, 2));
  const page = await begin(t, campaign.link);
  await site.api("POST", `/campaigns/${campaign.id}/pause`, { reason: "Back on Monday." });
  await page.keyboard.press("y");
  await page.getByRole("heading", { name: "Paused" }).waitFor();
  await page.getByText("Back on Monday.").waitFor();
  await site.api("POST", `/campaigns/${campaign.id}/resume`);
  await page.getByRole("link", { name: "Check again" }).click();
  await page.getByRole("button", { name: "Yes" }).waitFor();
  // The answer given during the pause counts: its question had been asked before.
  const done = page.getByRole("heading", { name: "All done, thank you!" });
  while (!(await done.isVisible())) {
    const count = Number((await page.locator("body").innerText()).match(/Answered: (\d+)/)?.[1] ?? 0);
    await page.keyboard.press("n");
    await page.getByText(`Answered: ${count + 1}`).or(done).first().waitFor();
  }
  await site.api("POST", `/campaigns/${campaign.id}/stop`, { reason: "" });
  await page.getByRole("link", { name: "Check again" }).click();
  await page.getByRole("heading", { name: "This study has ended" }).waitFor();
});

test("in other languages and scripts", async (t) => {
  const arabic = await site.campaign("arabic", ["جبن", "فاكهة", "تفاح"], { language: "ar", relation: "هل {child} نوع من {parent}؟" });
  const page = await visit(site, t);
  await page.goto(arabic.link);
  assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
  await page.getByRole("button", { name: "ابدأ" }).click();
  await page.getByRole("button", { name: "نعم" }).click();
  await page.getByText("الإجابات: 1").waitFor();
});

test("question and buttons are in the campaign's language", async (t) => {
  for (const [language, question, yes] of [["de", /^Ist .+ eine Art von .+\?$/, "Ja"], ["fr", /^Est-ce que .+ est une sorte de .+\?$/, "Oui"]]) {
    const campaign = await site.campaign(`in ${language}`, ["Käse", "Brie", "Obst"], { root: "Essen", language: String(language), relation: "is-a" });
    const page = await visit(site, t);
    await page.goto(campaign.link);
    await page.locator("button.start").click();
    await page.getByRole("button", { name: String(yes) }).waitFor();
    assert.match(await page.locator("h1").innerText(), /** @type {RegExp} */ (question));
    assert.doesNotMatch(await page.locator("body").innerText(), /kind of|Answered|Undo|Keyboard/);
  }
});

test("a link that was revoked, or whose campaign was deleted, says so to people who have no account", async (t) => {
  const campaign = await site.campaign("revoked", concepts);
  const [{ id }] = await site.api("GET", `/campaigns/${campaign.id}/invitations`);
  await site.api("DELETE", `/campaigns/${campaign.id}/invitations/${id}`);
  const page = await visit(site, t);
  assert.equal((await page.goto(campaign.link))?.status(), 404);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  await page.getByText("Ask the person who sent it to you for a new one.").waitFor();
  assert.equal(await page.getByRole("link").count(), 0, "they have no campaigns to go back to");
  const german = await visit(site, t, { locale: "de-AT" });
  await german.goto(campaign.link);
  await german.getByRole("heading", { name: "Dieser Link gilt nicht mehr" }).waitFor();
  const deleted = await site.campaign("deleted", concepts);
  await site.api("DELETE", `/campaigns/${deleted.id}`);
  assert.equal((await page.goto(deleted.link))?.status(), 404);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
});

test("the page is smaller than 30 KB", async (t) => {
  const campaign = await site.campaign("weight", concepts);
  const page = await visit(site, t);
  /** @type {Map<string, number>} */
  const sizes = new Map();
  page.on("response", async (response) => {
    if (response.status() === 200) sizes.set(response.url(), (await response.body()).length);
  });
  await page.goto(campaign.link);
  await page.getByRole("button", { name: "Start" }).click();
  await answered(page, 0);
  await page.waitForLoadState("networkidle");
  const sum = [...sizes.values()].reduce((a, b) => a + b, 0);
  console.log(`worker page: ${sum} bytes in ${sizes.size} files`);
  assert.ok(sizes.size >= 5 && sum < 30_000, `${sum}`);
});
