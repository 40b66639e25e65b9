// The hierarchy in its four views: what is in the page, the keyboard, the search, and how little an update carries.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { contrast, distance } from "./lib/colours.mjs";
import { answer, taxonomy } from "./lib/crowd.mjs";
import { PHONE, answeredCampaign, becomes, concept, largeCampaign, open, openWith, select, shownNames } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
/** @type {{ id: string, link: string, page: string }} */
let large;
before(async () => {
  site = await Site.start();
  large = await largeCampaign(site, "large", 300);
});
after(() => site?.stop());

/** Whether an element is in the visible part of the canvas. @param {import("playwright-core").Page} page @param {string} name */
const isInView = (page, name) =>
  page.evaluate((name) => {
    const row = document.querySelector(`#rows [data-name="${name}"] :is(.label, a.name:not(:has(.label)))`)?.getBoundingClientRect();
    const canvas = document.querySelector("#canvas")?.getBoundingClientRect();
    return !!row && !!canvas && row.top >= canvas.top && row.bottom <= canvas.bottom && row.left >= canvas.left && row.left < canvas.right;
  }, name);

/** Waits until a name is in view: a drawing is fitted again some moments after it has changed. @param {import("playwright-core").Page} page @param {string} name */
async function comesIntoView(page, name) {
  await becomes(() => isInView(page, name), `${name} is in view`);
}

/** The height of the first name, in pixels. @param {import("playwright-core").Page} page */
const labelHeight = (page) => page.locator("#rows .label").first().evaluate((label) => label.getBoundingClientRect().height);

test("a large hierarchy opens as an outline with its root in view, folded", async (t) => {
  const page = await open(site, t, large.page);
  assert.equal(await page.locator("ul#rows").count(), 1);
  assert.ok(await isInView(page, "mammal"));
  assert.ok((await shownNames(page)).length < 200);
  for (const view of ["Tree", "Icicle", "Cloud"]) {
    await page.getByRole("link", { name: view, exact: true }).click();
    await page.locator(`svg#rows.${view.toLowerCase()}`).waitFor();
    assert.ok(await isInView(page, "mammal"), view);
    assert.ok((await labelHeight(page)) >= 9, `${view}: too small`);
    await page.getByRole("button", { name: "Fit" }).click();
    assert.ok(await isInView(page, "mammal"), `${view}, fitted`);
    assert.ok((await labelHeight(page)) >= 9, `${view}: too small when fitted`);
    await page.getByRole("link", { name: "Fold all", exact: true }).click();
    await page.waitForURL(/depth=1/);
    await page.waitForFunction(() => {
      const levels = [...document.querySelectorAll("#rows [data-level]")].map((node) => Number(node.getAttribute("data-level")));
      return levels.length > 1 && Math.max(...levels) === 2;
    });
    await comesIntoView(page, "mammal");
    assert.ok((await labelHeight(page)) >= 9, `${view}: too small when folded`);
    await page.goto(large.page);
  }
});

test("the children that are left out at first come on a click", async (t) => {
  const names = Array.from({ length: 110 }, (_, nth) => `part ${nth}`);
  const { id, page: address } = await site.campaign("wide", names, { root: "all", engine: { name: "ensemble", trees: 16, moves: 4 } });
  for (let concept = 1; concept <= names.length; concept++) await site.api("POST", `/campaigns/${id}/corrections`, { id: randomUUID(), rule: "top_level", concept });
  for (const view of ["outline", "tree", "icicle"]) {
    const page = await open(site, t, `${address}?view=${view}&depth=9`);
    await page.locator("#rows[role=tree]").waitFor();
    await becomes(async () => (await shownNames(page)).length === 101, `a hundred and the root are shown as ${view}`);
    await page.locator("#rows a.more").click();
    await becomes(async () => (await shownNames(page)).length === 111, `all are shown as ${view}`);
    assert.equal(await page.locator("#rows a.more").count(), 0, view);
  }
});

test("a drawing is fitted again when it grows, unless somebody has zoomed; lines to other places end at names", async (t) => {
  const campaign = await answeredCampaign(site, "grows");
  const page = await open(site, t, `${campaign.page}?view=tree`);
  await concept(page, "apple").waitFor();
  const fits = () => page.evaluate(() => {
    const [canvas, svg] = [document.querySelector("#canvas"), document.querySelector("#rows")];
    return !!canvas && !!svg && svg.getBoundingClientRect().height <= canvas.clientHeight + 1;
  });
  const add = (/** @type {string[]} */ names) => site.api("POST", `/campaigns/${campaign.id}/concepts`, names.map((name) => ({ name })));
  await add(Array.from({ length: 12 }, (_, nth) => `new ${nth}`));
  await concept(page, "new 11").waitFor();
  assert.ok(await fits());
  await page.getByRole("button", { name: "Zoom in" }).click();
  const scale = () => page.evaluate(() => {
    const svg = /** @type {SVGSVGElement} */ (document.querySelector("svg#rows"));
    return Number(svg.getAttribute("width")) / svg.viewBox.baseVal.width;
  });
  const chosen = await scale();
  await add(["newer"]);
  await concept(page, "newer").waitFor();
  assert.ok(Math.abs((await scale()) - chosen) < 0.01, "what was chosen stays");
  // Half of the people place it under fruit, the other half under vegetable, so there is another place to draw a line to.
  const halves = ["fruit", "vegetable"].flatMap((place, half) => [0, 1, 2, 3, 4].flatMap((nth) =>
    ["fruit", "vegetable"].map((upper) => `half ${half} ${nth},${upper},newer,${upper === place ? "yes" : "no"}`)));
  await site.vote(campaign, halves);
  await page.locator('#rows [data-name="newer"][data-others]').waitFor();
  // An update may move the name away from under the mouse, so it is pointed at until the lines are there.
  await becomes(async () => {
    await concept(page, "newer").locator("a.name").hover();
    return page.locator("#rows .others path").first().waitFor({ timeout: 2_000 }).then(() => true, () => false);
  }, "there are lines to other places");
  // Lines are drawn again after an update, so they may be behind for a moment.
  await page.waitForFunction(() => {
    const boxes = [...document.querySelectorAll("#rows .node a.name > rect")].map((rect) => rect.getBoundingClientRect());
    const svg = /** @type {SVGSVGElement} */ (document.querySelector("svg#rows"));
    const near = (/** @type {DOMPoint} */ point) => boxes.some((box) => point.x >= box.left - 12 && point.x <= box.right + 12 && point.y >= box.top - 4 && point.y <= box.bottom + 4);
    return [...document.querySelectorAll("#rows .others path")].filter((line) => {
      const path = /** @type {SVGPathElement} */ (line);
      const matrix = path.getScreenCTM();
      const ends = [path.getPointAtLength(0), path.getPointAtLength(path.getTotalLength())];
      return !svg || !matrix || !ends.every((end) => near(end.matrixTransform(matrix)));
    }).length === 0;
  });
});

test("what takes long is announced", async (t) => {
  const campaign = await answeredCampaign(site, "slow");
  const page = await open(site, t, campaign.page);
  await concept(page, "apple").waitFor();
  let release = () => {};
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  await page.route("**/changes?*at=8*", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("slider", { name: "History" }).fill("8");
  await page.getByText("Loading…").waitFor();
  release();
  await page.getByText(/Entry 8 of/).waitFor();
  await page.getByText("Loading…").waitFor({ state: "hidden" });
});

test("a small hierarchy is a tree, and on a phone an outline", async (t) => {
  const campaign = await answeredCampaign(site, "small");
  const page = await open(site, t, campaign.page);
  assert.equal(await page.locator("svg#rows.tree").count(), 1);
  const phone = await openWith(site, t, campaign.page, PHONE);
  await phone.locator("ul#rows").waitFor();
});

test("the search finds what is folded, and counts", async (t) => {
  const page = await open(site, t, large.page);
  await concept(page, "mammal").waitFor();
  await page.getByLabel("Find a concept").fill("an");
  await page.getByText(/^1 of \d+$/).waitFor();
  const first = await page.locator("#rows .hit").getAttribute("data-name");
  await page.getByRole("link", { name: "Next match" }).click();
  await page.getByText(/^2 of \d+$/).waitFor();
  const second = await page.locator("#rows .hit").getAttribute("data-name");
  assert.notEqual(first, second);
  assert.ok(await isInView(page, second ?? ""));
  await page.getByRole("link", { name: "Previous match" }).click();
  await page.locator(`#rows .hit[data-name="${first}"]`).waitFor();
  await page.getByLabel("Find a concept").fill("no such animal");
  await page.getByText("No match").waitFor();
});

test("the tree has one tab stop, and arrow keys as assistive technology expects", async (t) => {
  const campaign = await answeredCampaign(site, "keys");
  for (const view of ["outline", "tree", "icicle", "cloud"]) {
    const page = await open(site, t, `${campaign.page}?view=${view}`);
    await page.locator("#rows[role=tree]").waitFor();
    const stops = await page.locator("#rows [tabindex='0']").count();
    const others = await page.locator("#rows a:not([tabindex='-1'])").count();
    assert.deepEqual([stops, others], [1, 0], view);
    await concept(page, "food").focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-name"));
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "fruit", view);
    assert.equal(await concept(page, "fruit").getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowLeft");
    await page.locator('#rows [data-name="fruit"][aria-expanded="false"]').waitFor();
    assert.equal(await focused(), "fruit", `${view}: the focus stays`);
    await page.keyboard.press("ArrowRight");
    await page.locator('#rows [data-name="fruit"][aria-expanded="true"]').waitFor();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await focused(), "fruit");
    await page.keyboard.press("ArrowLeft");
    if ((await focused()) !== "fruit") await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Home");
    assert.equal(await focused(), "food");
    // Letters count together only if they come quickly, which a busy machine might not do.
    await page.evaluate((now) => (Date.now = () => now), Date.now());
    await page.keyboard.type("veg");
    assert.equal(await focused(), "vegetable");
    await page.keyboard.press("Enter");
    await page.locator(".concept-panel h2", { hasText: "vegetable" }).waitFor();
    assert.equal(await focused(), "vegetable");
    assert.equal(await concept(page, "vegetable").getAttribute("aria-selected"), "true");
    await page.close();
  }
});

test("an update carries what has changed", async (t) => {
  const page = await open(site, t, large.page);
  await concept(page, "mammal").waitFor();
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/changes")),
    answer(site, large, { parents: await taxonomy("wn_mammal"), votes: 1, people: 1, error: 0, seed: 5 }),
  ]);
  const html = await response.text();
  const [sent, shown] = [(html.match(/<li class="row/g) ?? []).length, await page.locator("#rows [data-key]").count()];
  assert.ok(html.length < 50_000 && sent < shown, `${html.length} characters, ${sent} of ${shown} rows`);
});

test("answers are compressed, but none that shows a secret and no stream of events", async () => {
  const cookie = (await site.owner.cookies()).map((one) => `${one.name}=${one.value}`).join("; ");
  const encoding = async (/** @type {string} */ path) => {
    const aborted = new AbortController();
    const response = await fetch(site.url + path, { headers: { cookie, "accept-encoding": "gzip" }, signal: aborted.signal });
    const found = response.headers.get("content-encoding");
    aborted.abort();
    return found;
  };
  assert.equal(await encoding(`/campaigns/${large.id}`), "gzip");
  assert.equal(await encoding("/account"), null);
  assert.equal(await encoding(`/campaigns/${large.id}/invite`), null);
  assert.equal(await encoding(`/api/v1/campaigns/${large.id}/events`), null);
});

test("without votes nothing looks like a mistake", async (t) => {
  const campaign = await site.campaign("silent", ["piano", "guitar", "electric guitar", "drum"], { root: "instrument" });
  await site.settled(campaign.id);
  const page = await open(site, t, campaign.page);
  await concept(page, "piano").getByText("not asked yet").waitFor();
  assert.equal(await page.locator(".edge.uncertain, .edge.differ").count(), 0);
  assert.equal(await page.locator(".uncertain-list li").count(), 0);
  await page.getByText("No votes yet.").waitFor();
});

test("people who differ, votes that are lacking and what is settled do not look the same, whatever colours one sees", async (t) => {
  assert.ok(distance("rgb(0, 128, 0)", "rgb(160, 100, 0)") < 20, "a green and a brown that many cannot tell apart");
  const campaign = await answeredCampaign(site, "looks");
  await site.api("POST", `/campaigns/${campaign.id}/concepts`, [{ name: "tomato" }, { name: "salt" }]);
  const halves = ["fruit", "vegetable"].flatMap((place, half) => [0, 1, 2, 3, 4, 5].flatMap((nth) =>
    ["fruit", "vegetable"].map((upper) => `half ${half} ${nth},${upper},tomato,${upper === place ? "yes" : "no"}`)));
  await site.vote(campaign, halves);
  await site.settled(campaign.id);
  const marks = /** @type {const} */ ({ outline: [".marks > :last-child", "color"], tree: [".number, .words", "fill"], icicle: ["rect", "stroke"] });
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    for (const [view, [mark, property]] of Object.entries(marks)) {
      const page = await openWith(site, t, `${campaign.page}?view=${view}`, { colorScheme });
      await page.locator("#rows[role=tree]").waitFor();
      const words = (/** @type {string} */ name) => concept(page, name).locator(".words, .chip");
      if (view === "icicle") {
        // A bar without children has no room for words: the line around it says it.
        const lines = ["tomato", "salt", "apple"].map((name) => concept(page, name).locator("rect").first().evaluate((rect) => getComputedStyle(rect).strokeDasharray));
        assert.equal(new Set(await Promise.all(lines)).size, 3, colorScheme);
      } else {
        await words("tomato").filter({ hasText: "people differ" }).waitFor();
        await words("salt").filter({ hasText: "not asked yet" }).waitFor();
        assert.equal(await words("apple").count(), 0);
      }
      const colour = (/** @type {string} */ name) => concept(page, name).locator(mark).first().evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), property);
      const [differ, unasked, settled] = [await colour("tomato"), await colour("salt"), await colour("apple")];
      for (const other of [unasked, settled]) assert.ok(distance(differ, other) >= 20, `${colorScheme}, ${view}: ${differ} and ${other}`);
      if (view === "icicle") {
        // axe does not look at drawings.
        const bars = await page.locator("#rows a.name").evaluateAll((names) => names.map((name) => {
          const [rect, text] = ["rect", "text"].map((part) => getComputedStyle(/** @type {Element} */ (name.querySelector(part))));
          const ground = getComputedStyle(/** @type {Element} */ (name.closest(".panel"))).backgroundColor;
          return { name: name.textContent, text: text.fill, fill: rect.fill, opacity: Number(rect.fillOpacity), ground };
        }));
        const pale = bars.filter((bar) => contrast(bar.text, bar.fill, bar.opacity, bar.ground) < 4.5);
        assert.deepEqual(pale, [], colorScheme);
      }
      if (view === "tree") {
        const dashes = await page.locator("#rows .edge").evaluateAll((lines) => lines.map((line) => `${line.getAttribute("class")}: ${getComputedStyle(line).strokeDasharray}`));
        assert.equal(new Set(dashes.filter((dash) => /differ|unasked|edge:/.test(dash)).map((dash) => dash.split(": ")[1])).size, 3, [...new Set(dashes)].join("; "));
      }
    }
  }
});

test("a vote that supports is not drawn as one that opposes", async (t) => {
  const campaign = await answeredCampaign(site, "signs");
  await site.vote(campaign, ["zoe,apple,fruit,no"]);
  await site.settled(campaign.id);
  const page = await open(site, t, campaign.page);
  await select(page, "apple");
  const reverse = page.locator(".vote-list li", { hasText: "Is fruit a kind of apple?" });
  await reverse.getByText("supports").waitFor();
  assert.match((await reverse.getAttribute("class")) ?? "", /supports/);
});

test("on a phone, what is tapped and what is refused is in view", async (t) => {
  const campaign = await answeredCampaign(site, "on a phone");
  const page = await openWith(site, t, campaign.page, PHONE);
  await page.locator("ul#rows").waitFor();
  await concept(page, "garlic").locator("a.name").tap();
  const heading = page.locator(".concept-panel h2");
  await heading.waitFor();
  const comesIntoSight = (/** @type {import("playwright-core").Locator} */ element, /** @type {string} */ what) =>
    becomes(async () => {
      const box = await element.boundingBox();
      return !!box && box.y >= 0 && box.y + box.height <= 844;
    }, `${what} is in view`);
  await comesIntoSight(heading, "the panel of the tapped concept");
  await page.getByLabel("Move under").fill("nonsense");
  await page.getByRole("button", { name: "Move", exact: true }).tap();
  const error = page.locator("#move-error");
  await error.waitFor();
  await comesIntoSight(error, "the message");
  assert.equal(await page.getByLabel("Move under").inputValue(), "nonsense");
});

test("what was pinned has a mark in every view", async (t) => {
  const campaign = await answeredCampaign(site, "marked");
  await site.api("POST", `/campaigns/${campaign.id}/corrections`, { id: crypto.randomUUID(), rule: "directly_under", lower: 3, upper: 2 });
  for (const view of ["outline", "tree", "icicle", "cloud"]) {
    const page = await open(site, t, `${campaign.page}?view=${view}`);
    await concept(page, "lemon").locator(".pin").waitFor();
    assert.equal(await page.locator("#rows .pin").count(), 1, view);
    await page.close();
  }
});

test("targets are at least 24 pixels high and wide", async (t) => {
  const campaign = await answeredCampaign(site, "targets");
  for (const view of ["outline", "tree", "icicle", "cloud"]) {
    const page = await openWith(site, t, `${campaign.page}?view=${view}&select=3`, PHONE);
    await page.locator("#rows[role=tree]").waitFor();
    if (view !== "outline") await page.getByRole("button", { name: "Fit" }).click();
    const small = await page.evaluate(() => {
      const targets = [...document.querySelectorAll("#rows a, .toolbar a, .toolbar button, .concept-panel button, .concept-panel .close, .tabs a")];
      const seen = targets.map((target) => [target.outerHTML.slice(0, 80), target.getBoundingClientRect()]);
      return seen.filter(([, box]) => box.width > 0 && (box.width < 23.5 || box.height < 23.5)).map(([html, box]) => `${html} ${Math.round(box.width)} x ${Math.round(box.height)}`);
    });
    assert.deepEqual(small, [], view);
    await page.close();
  }
});

test("two fingers zoom a drawing", async (t) => {
  const campaign = await answeredCampaign(site, "pinched");
  const page = await openWith(site, t, `${campaign.page}?view=tree`, PHONE);
  await page.locator("#rows[role=tree]").waitFor();
  const width = async () => Number(await page.locator("#rows").getAttribute("width"));
  const before = await width();
  const touch = await page.context().newCDPSession(page);
  const box = await page.locator("#canvas").boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const points = (/** @type {number} */ apart) => [{ x: x - apart, y, id: 1 }, { x: x + apart, y, id: 2 }];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(30) });
  for (const apart of [40, 60, 80]) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(apart) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.waitForFunction((before) => Number(document.querySelector("#rows")?.getAttribute("width")) > before * 1.3, before);
});

test("in forced colours one tab looks chosen, and motion is reduced where that is wished", async (t) => {
  const page = await openWith(site, t, large.page, { forcedColors: "active", reducedMotion: "reduce" });
  const colours = await page.locator(".tabs a").evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomColor));
  assert.equal(colours.filter((colour) => colour === colours[0]).length, 1);
  await page.getByRole("link", { name: "Tree", exact: true }).click();
  await page.locator("svg#rows").waitFor();
  await page.getByRole("link", { name: "Fold all", exact: true }).click();
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

// The last two, because they leave the server with much to do.
test("neither the list of campaigns nor the reasons for a place wait for the belief", async (t) => {
  // With as many trees as usual, and more votes than can be taken in meanwhile, or else with more again.
  const parents = await taxonomy("wn_mammal");
  const names = [...parents.keys()].filter((name) => name !== "mammal").slice(0, 300);
  const campaign = await site.campaign("busy", names, { root: "mammal" });
  await site.settled(campaign.id);
  const page = await open(site, t, campaign.page);
  await concept(page, "mammal").waitFor();
  const said = (/** @type {number} */ nth, /** @type {number} */ step) => `person ${nth % 9},"${names[(nth + step) % names.length]}","${names[nth]}",no`;
  let lag = 0;
  for (let round = 0; lag === 0 && round < 5; round++) {
    const steps = Array.from({ length: 4 + round }, (_, nth) => 1 + 16 * nth + 2 * round);
    await site.vote(campaign, names.flatMap((_, nth) => steps.map((step) => said(nth, step))));
    await page.goto(site.url);
    await page.getByRole("link", { name: "busy" }).waitFor();
    await page.goto(`${campaign.page}?select=2`);
    await page.getByRole("heading", { name: /^Why under/ }).waitFor();
    ({ lag } = await site.api("GET", `/campaigns/${campaign.id}`));
  }
  assert.ok(lag > 0, "the belief was ready before the pages: this tells nothing");
});

test("after a restart the list of campaigns does not wait until they have started", async (t) => {
  const page = await open(site, t, site.url);
  const titles = await page.locator(".campaign-cards .card-link").allInnerTexts();
  await site.restart();
  await page.reload();
  assert.deepEqual(await page.locator(".campaign-cards .card-link").allInnerTexts(), titles);
  await page.locator(".campaign-cards li", { hasText: "busy" }).getByText("Starting").waitFor();
  await page.getByRole("link", { name: "busy" }).click();
  await concept(page, "mammal").waitFor();
});
