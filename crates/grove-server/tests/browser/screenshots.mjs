// Pictures of the pages into docs/screenshots: each in light, in dark and on a phone beside one another, at 0, 30, 300 and 1,000 concepts.

import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { importVotes, taxonomy } from "./lib/crowd.mjs";
import { largeCampaign } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @typedef {(page: import("playwright-core").Page) => Promise<unknown>} Act */

const folder = process.env.GROVE_SCREENSHOTS ?? fileURLToPath(new URL("../../../../docs/screenshots/", import.meta.url));
const desk = { viewport: { width: 1280, height: 800 } };
const VARIANTS = {
  light: desk,
  dark: { ...desk, colorScheme: /** @type {const} */ ("dark") },
  phone: { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true },
};
/** These are also shown at their full size. */
const ALONE = ["hierarchy-light", "hierarchy-dark"];
/** Only those whose name contains one of these words, if there are any. */
const wanted = process.argv.slice(2);

const site = await Site.start();

/** Food as a crowd sees it: some of them take tomatoes for vegetables, and one answers at random. */
async function food() {
  const parents = await taxonomy("food");
  /** @type {Record<string, string>} */
  const meanings = {
    fruit: "The sweet, fleshy part of a plant that holds its seeds.",
    tomato: "The red, juicy fruit of Solanum lycopersicum, eaten raw or cooked.",
    vegetable: "A plant, or a part of one, that is eaten with a meal.",
  };
  const concepts = [...parents.keys()].map((name) => ({ name, definition: meanings[name] ?? "" }));
  const consent = "Your answers help to arrange foods in a shop. They are stored without your name.";
  const campaign = await site.campaign("Food", concepts, { root: "food", language: "en", currency: "USD", price_cents: 4, consent });
  const divided = { tomato: /** @type {[string, number]} */ (["vegetable", 0.4]), soda: /** @type {[string, number]} */ (["packaged food", 0.4]) };
  await importVotes(site, campaign, { parents, each: 55, people: 12, error: 0.04, divided, seed: 3 });
  // Something for the history.
  const correct = (/** @type {string} */ rule, /** @type {number} */ lower, /** @type {number} */ upper) =>
    site.api("POST", `/campaigns/${campaign.id}/corrections`, { id: crypto.randomUUID(), rule, lower, upper });
  const number = (/** @type {string} */ name) => [...parents.keys()].indexOf(name) + 1;
  await correct("not_under", number("garlic"), number("greens"));
  await correct("directly_under", number("potato"), number("vegetable"));
  await site.api("PATCH", `/campaigns/${campaign.id}/concepts/${number("soda")}`, { name: "soft drink" });
  await site.settled(campaign.id);
  return campaign;
}

/** A second campaign for the list. */
async function body() {
  const parents = await taxonomy("body_parts");
  const campaign = await site.campaign("Parts of the body", [...parents.keys()], { root: "body", relation: "part-of" });
  await importVotes(site, campaign, { parents, each: 25, people: 4 });
  await site.api("POST", `/campaigns/${campaign.id}/pause`, { reason: "" });
}

/** A picture of a page, or of some below one another. @param {string} name @param {string | string[]} addresses @param {{ act?: Act, stranger?: boolean }} [how] */
async function picture(name, addresses, how = {}) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) return;
  const rows = [];
  for (const address of [addresses].flat()) rows.push(await row(name, address, how));
  const height = rows.length * 510 + 10;
  const context = await site.browser.newContext({ viewport: { width: 1920, height } });
  const page = await context.newPage();
  const style = "body{margin:0;padding:10px;display:grid;gap:10px;background:#8a938d}div{display:flex;gap:10px}img{height:500px;border-radius:6px}";
  await page.setContent(`<style>${style}</style>${rows.map((row) => `<div>${row}</div>`).join("")}`);
  const width = await page.evaluate(() => Math.max(...[...document.images].map((image) => image.getBoundingClientRect().right)));
  await page.screenshot({ path: `${folder}/${name}.png`, clip: { x: 0, y: 0, width: width + 10, height } });
  await context.close();
  console.log(name);
}

/** A page in all variants, as HTML. @param {string} name @param {string} address @param {{ act?: Act, stranger?: boolean }} how */
async function row(name, address, { act, stranger }) {
  const pictures = [];
  for (const [variant, options] of Object.entries(VARIANTS)) {
    const storageState = stranger ? undefined : await site.owner.storageState();
    const context = await site.visitor({ ...options, storageState });
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    await page.goto(address);
    await act?.(page);
    await page.waitForTimeout(600);
    const png = await page.screenshot();
    pictures.push(`<img src="data:image/png;base64,${png.toString("base64")}">`);
    if (ALONE.includes(`${name}-${variant}`)) await writeFile(`${folder}/${name}-${variant}.png`, png);
    await context.close();
  }
  return pictures.join("");
}

try {
  const [, campaign] = [await body(), await food()];
  const empty = await site.campaign("Instruments", ["piano", "violin", "cello", "flute", "oboe", "drum", "string instrument", "wind instrument"], { root: "instrument" });
  const mammals = await largeCampaign(site, "Mammals, 300", 300);
  const many = await largeCampaign(site, "Mammals, 1,000", 1000);
  if (wanted.length === 0) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { page, link } = campaign;
  /** @type {Act} */
  const plan = async (page) => {
    await page.getByLabel("Title").fill("Cheese");
    await page.getByLabel("Root concept").fill("food");
    await page.getByRole("textbox", { name: "Concepts" }).fill("cheese\nbrie\ngouda\ncamembert\nhard cheese\nsoft cheese\nblue cheese\nroquefort");
    await page.getByRole("button", { name: "Next" }).click();
    await page.frameLocator("#preview iframe").first().locator("h1").waitFor();
  };
  const parents = await taxonomy("food");
  const table = ["child,parent", ...[...parents].map(([child, parent]) => `${child},${child === "tomato" ? "vegetable" : parent}`)].join("\n");
  /** @type {Act} */
  const compare = async (page) => {
    await page.getByLabel("File").setInputFiles({ name: "shop.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText(/shared concepts/).waitFor();
  };
  /** @type {Act} */
  const begin = async (page) => {
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Answered: 0").waitFor();
  };
  await picture("campaigns", `${site.url}/`);
  await picture("new", `${site.url}/campaigns/new`, { act: plan });
  await picture("hierarchy", page);
  await picture("views", ["outline", "icicle", "cloud"].map((view) => `${page}?view=${view}`));
  await picture("why", `${page}?select=10`);
  await picture("empty", empty.page);
  await picture("mammals-300", `${mammals.page}?view=tree`);
  await picture("mammals-1000", many.page);
  await picture("progress", `${page}/progress`);
  await picture("workers", `${page}/workers`);
  await picture("invite", `${page}/invite`, { act: (page) => page.getByRole("button", { name: "Create link" }).click() });
  await picture("recruit", `${page}/recruit`);
  await picture("history", `${page}/history`);
  await picture("compare", `${page}/compare`, { act: compare });
  await picture("export", `${page}/export`);
  await picture("settings", `${page}/settings`);
  await picture("account", [`${site.url}/login`, `${site.url}/account`]);
  await picture("question", link, { stranger: true, act: begin });
  execFileSync("sh", ["-c", "pngquant --force --skip-if-larger --ext .png --quality 60-95 -- *.png || test $? -eq 98"], { cwd: folder });
} finally {
  await site.stop();
}
