// What the tests of the owner's pages have in common.

import { answer, taxonomy } from "./crowd.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./site.mjs").Site} Site */

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Opens a page for the length of a test. @param {Site} site @param {import("node:test").TestContext} t @param {string} path */
export async function open(site, t, path) {
  const page = await site.owner.newPage();
  t.after(() => page.close());
  await page.goto(path.startsWith("http") ? path : site.url + path);
  return page;
}

/** The same with a context of its own. @param {Site} site @param {import("node:test").TestContext} t @param {string} path @param {import("playwright-core").BrowserContextOptions} options */
export async function openWith(site, t, path, options) {
  const context = await site.visitor({ ...options, storageState: await site.owner.storageState() });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(path.startsWith("http") ? path : site.url + path);
  return page;
}

/** The row or node of a concept, in any view. @param {Page} page @param {string} name */
export const concept = (page, name) => page.locator(`#rows [data-name="${name}"]`);

/** Selects a concept. @param {Page} page @param {string} name */
export async function select(page, name) {
  await concept(page, name).locator("a.name").click();
  await page.locator(".concept-panel h2", { hasText: name }).waitFor();
}

/** The parent of a concept, as the tree shows it. @param {Page} page @param {string} name */
export async function parentOf(page, name) {
  const title = await concept(page, name).locator("title").first().textContent();
  return title?.match(/, under (.*), certainty/)?.[1];
}

/** @param {Page} page @param {string} name @param {string} parent */
export async function standsUnder(page, name, parent) {
  await page.waitForFunction(
    ([name, parent]) => document.querySelector(`#rows [data-name="${name}"] title`)?.textContent?.includes(`, under ${parent},`),
    [name, parent],
  );
}

/** The names in the rows, from top to bottom. @param {Page} page */
export const shownNames = (page) => page.locator("#rows [data-name]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-name")));

/** A campaign on some food that people have answered. @param {Site} site @param {string} name @param {number} votes @param {object} [settings] */
export async function answeredCampaign(site, name, votes, settings = {}) {
  const parents = await taxonomy("food");
  const concepts = ["fruit", "citrus", "lemon", "apple", "vegetable", "onion", "garlic"];
  const campaign = await site.campaign(name, concepts, { root: "food", price_cents: 4, ...settings });
  const some = new Map([...parents, ["onion", "vegetable"], ["garlic", "vegetable"]]);
  await answer(site, campaign, { parents: some, votes, people: 4, error: 0 });
  return campaign;
}

/** A campaign with many concepts of a taxonomy, and what two people said about each and its parent. @param {Site} site @param {string} name @param {number} count @param {boolean} [withVotes] */
export async function largeCampaign(site, name, count, withVotes = true) {
  const parents = await taxonomy("wn_mammal");
  const names = [...parents.keys()].filter((concept) => concept !== "mammal").slice(0, count);
  // Few trees: the pages are tested here, and not the belief.
  const engine = { name: "ensemble", trees: 16, moves: 4 };
  const campaign = await site.campaign(name, names, { root: "mammal", price_cents: 1, engine });
  if (withVotes) {
    const known = new Set(names);
    const quote = (/** @type {string | undefined} */ text) => `"${text}"`;
    const rows = names.filter((one) => known.has(parents.get(one) ?? "")).flatMap((one) => {
      const parent = parents.get(one);
      return [`ann,${quote(parent)},${quote(one)},yes`, `bob,${quote(parent)},${quote(one)},yes`, `ann,${quote(one)},${quote(parent)},no`];
    });
    await site.api("POST", `/campaigns/${campaign.id}/votes/import`, { name: "votes.csv", text: ["worker,upper,lower,answer", ...rows].join("\n") });
    await site.settled(campaign.id);
  }
  return campaign;
}
