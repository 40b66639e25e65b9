// Pictures of every page into docs/screenshots: each page in light, in dark and on a phone beside one another, and some by themselves.

import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { importVotes, taxonomy } from "./lib/crowd.mjs";
import { Site } from "./lib/site.mjs";

/** @typedef {(page: import("playwright-core").Page) => Promise<unknown>} Act */

const folder = fileURLToPath(new URL("../../../../docs/screenshots/", import.meta.url));
const desk = { viewport: { width: 1200, height: 760 } };
const VARIANTS = {
  light: desk,
  dark: { ...desk, colorScheme: /** @type {const} */ ("dark") },
  phone: { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true },
};
/** These are also shown at their full size. */
const ALONE = ["hierarchy-light", "hierarchy-dark", "question-phone"];

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
  const campaign = await site.campaign("Food", concepts, { root: "food", language: "en", price_cents: 4, consent });
  const divided = { tomato: /** @type {[string, number]} */ (["vegetable", 0.4]), soda: /** @type {[string, number]} */ (["packaged food", 0.4]) };
  await importVotes(site, campaign, { parents, each: 55, people: 12, error: 0.04, divided, seed: 3 });
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

/** @param {string} name @param {string} address @param {{ act?: Act, stranger?: boolean }} [how] */
async function picture(name, address, { act, stranger } = {}) {
  const pictures = [];
  for (const [variant, options] of Object.entries(VARIANTS)) {
    const storageState = stranger ? undefined : await site.owner.storageState();
    const context = await site.visitor({ ...options, storageState });
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    await page.goto(address);
    await act?.(page);
    await page.waitForTimeout(400);
    const png = await page.screenshot();
    pictures.push(`<img src="data:image/png;base64,${png.toString("base64")}">`);
    if (ALONE.includes(`${name}-${variant}`)) await writeFile(`${folder}${name}-${variant}.png`, png);
    await context.close();
  }
  const context = await site.browser.newContext({ viewport: { width: 1500, height: 420 } });
  const page = await context.newPage();
  const style = "body{margin:0;padding:10px;display:flex;gap:10px;background:#8a938d}img{height:400px;border-radius:6px}";
  await page.setContent(`<style>${style}</style>${pictures.join("")}`);
  const width = await page.evaluate(() => document.body.lastElementChild?.getBoundingClientRect().right ?? 0);
  await page.screenshot({ path: `${folder}${name}.png`, clip: { x: 0, y: 0, width: width + 10, height: 420 } });
  await context.close();
  console.log(name);
}

try {
  const [, campaign] = [await body(), await food()];
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { page, link } = campaign;
  const { head } = await site.api("GET", `/campaigns/${campaign.id}`);
  const old = "food > fruit > apple\nfood > fruit > banana\nfood > fruit > tomato\nfood > vegetable > mushroom\nfood > sweets > soda\n";
  const file = { name: "old.paths", mimeType: "text/plain", buffer: Buffer.from(old) };
  /** @type {Act} */
  const plan = async (page) => {
    await page.getByLabel("Title").fill("Cheese");
    await page.getByLabel("Concepts").fill("cheese\nbrie\ngouda\ncamembert\nhard cheese\nsoft cheese\nblue cheese\nroquefort");
    await page.getByLabel("Root concept").fill("food");
    await page.getByRole("button", { name: "Show example questions" }).click();
    await page.locator(".examples").scrollIntoViewIfNeeded();
  };
  /** @type {Act} */
  const begin = async (page) => {
    await page.getByRole("button", { name: "Start" }).click();
    for (let count = 0; count < 4; count++) {
      await page.getByText(`Answered: ${count}`).waitFor();
      if (count < 3) await page.getByRole("button", { name: "Not sure" }).click();
    }
  };
  await picture("login", `${site.url}/login`, { stranger: true });
  await picture("campaigns", `${site.url}/`);
  await picture("new", `${site.url}/campaigns/new`, { act: plan });
  await picture("hierarchy", page);
  await picture("why", `${page}?select=10`);
  await picture("replay", `${page}?at=${Math.round(head / 2)}`);
  await picture("progress", `${page}/progress`);
  await picture("workers", `${page}/workers`);
  await picture("invite", `${page}/invite`, { act: (page) => page.getByRole("button", { name: "Create link" }).click() });
  await picture("compare", `${page}/compare`, {
    act: async (page) => {
      await page.getByLabel("File").setInputFiles(file);
      await page.getByRole("button", { name: "Compare" }).click();
    },
  });
  await picture("export", `${page}/export`);
  await picture("settings", `${page}/settings`);
  await picture("account", `${site.url}/account`);
  await picture("welcome", link, { stranger: true });
  await picture("question", link, { stranger: true, act: begin });
  await site.api("POST", `/campaigns/${campaign.id}/pause`, { reason: "We go on next Monday." });
  await picture("pause", link, { stranger: true, act: (page) => page.getByRole("button", { name: "Start" }).click() });
  execFileSync("sh", ["-c", "pngquant --force --skip-if-larger --ext .png --quality 60-95 -- *.png || test $? -eq 98"], { cwd: folder });
} finally {
  await site.stop();
}
