// What the tests of the owner's pages have in common.

import { taxonomy } from "./crowd.mjs";
import { PATIENCE } from "./site.mjs";

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

/** Waits until something is so: pages follow what is done to them in their own time. @param {() => Promise<boolean>} isSo @param {string} what */
export async function becomes(isSo, what) {
  for (const end = Date.now() + PATIENCE; !(await isSo()); await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (Date.now() > end) throw new Error(`it does not become true that ${what}`);
  }
}

/** A page in a context of its own, without cookies, for the length of a test. @param {Site} site @param {import("node:test").TestContext} t @param {import("playwright-core").BrowserContextOptions} [options] */
export async function visit(site, t, options) {
  const context = await site.visitor(options);
  t.after(() => context.close());
  return context.newPage();
}

/** The same with a context of its own. @param {Site} site @param {import("node:test").TestContext} t @param {string} path @param {import("playwright-core").BrowserContextOptions} options */
export async function openWith(site, t, path, options) {
  const page = await visit(site, t, { ...options, storageState: await site.owner.storageState() });
  await page.goto(path.startsWith("http") ? path : site.url + path);
  return page;
}

/** Waits until a worker's page has its script: a key that is pressed before is lost, and a button loads the next page as it does without one. @param {Page} page */
export const hasScript = (page) => page.locator("html.has-script").waitFor({ state: "attached" });

/** What a worker's page says beside the question from now on, also what it says for a moment only. @param {Page} page */
export async function listen(page) {
  await page.evaluate(() => {
    /** @type {string[]} */
    const said = [];
    Object.assign(window, { said });
    const note = () => said.push(document.querySelector(".status")?.textContent ?? "");
    new MutationObserver(note).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  return (/** @type {string} */ text) =>
    page.waitForFunction((text) => /** @type {any} */ (window).said.some((/** @type {string} */ one) => one.includes(text)), text);
}

/**
 * What can be clicked and is less than 24 pixels high or wide. A link within a text may be, and a box counts with its label. So may a link that covers what is
 * around it.
 * @param {Page} page
 */
export const smallTargets = (page) =>
  page.evaluate(() => {
    const area = (/** @type {Element} */ target) => {
      const boxes = [target, ...(/** @type {HTMLInputElement} */ (target).labels ?? [])].map((part) => part.getBoundingClientRect());
      if (getComputedStyle(target, "::after").position === "absolute") boxes.push(/** @type {Element} */ (target.closest("li")).getBoundingClientRect());
      const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
      return [Math.max(...boxes.map((box) => box.right)) - left, Math.max(...boxes.map((box) => box.bottom)) - top];
    };
    const isWithinText = (/** @type {Element} */ target) => {
      const around = [...(target.parentElement?.childNodes ?? [])].filter((node) => node.nodeType === Node.TEXT_NODE);
      return target.localName === "a" && getComputedStyle(target).display === "inline" && around.some((node) => /\p{L}/u.test(node.textContent ?? ""));
    };
    const targets = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [role=option], li[role=treeitem]")];
    return targets
      .filter((target) => target.checkVisibility({ visibilityProperty: true }) && !target.matches(".skip-link") && !isWithinText(target))
      .map((target) => ({ target, size: area(target) }))
      .filter(({ size }) => Math.min(...size) < 23.9)
      .map(({ target, size }) => `${size.map(Math.round).join(" x ")}: ${target.outerHTML.slice(0, 120)}`);
  });

/** What moves although its reader wants nothing to. @param {Page} page */
export const moving = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("*")].flatMap((element) =>
      [null, "::before", "::after"].flatMap((part) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element, part);
        const moves = animationName !== "none" || !/^0s(, 0s)*$/.test(transitionDuration) || scrollBehavior === "smooth";
        return moves ? [`${element.localName}.${element.getAttribute("class")}${part ?? ""}`] : [];
      }),
    ),
  );

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

/** Where the pages are tested, and not the belief. */
export const FEW_TREES = { name: "ensemble", trees: 64, moves: 8 };

/** What four people say about some food. They agree, on enough pairs that only one hierarchy fits all of it. */
const SAID = [
  "fruit,citrus,yes", "citrus,lemon,yes", "fruit,lemon,yes", "fruit,apple,yes", "citrus,apple,no", "apple,citrus,no", "vegetable,onion,yes", "vegetable,garlic,yes",
  "onion,garlic,no", "garlic,onion,no", "fruit,vegetable,no", "vegetable,fruit,no", "vegetable,lemon,no", "fruit,onion,no", "fruit,garlic,no",
];

/**
 * A campaign on some food about which four people have cast 15 votes each: fruit has citrus with lemon, and apple; vegetable has onion and garlic.
 * They come in so many files, after each of which the belief moves, so that there is a history to replay.
 * @param {Site} site @param {string} name @param {{ files?: 1 | 2 | 4, settings?: object }} [options]
 */
export async function answeredCampaign(site, name, { files = 1, settings = {} } = {}) {
  const concepts = ["fruit", "citrus", "lemon", "apple", "vegetable", "onion", "garlic"];
  const campaign = await site.campaign(name, concepts, { root: "food", price_cents: 4, engine: FEW_TREES, ...settings });
  const people = ["ann", "bob", "cid", "dan"];
  for (let nth = 0; nth < files; nth++) {
    const some = people.slice((nth * people.length) / files, ((nth + 1) * people.length) / files);
    await site.vote(campaign, some.flatMap((person) => SAID.map((said) => `${person},${said}`)));
    await site.settled(campaign.id);
  }
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
    await site.vote(campaign, rows);
    await site.settled(campaign.id);
  }
  return campaign;
}
