// How fast the pages are, in a browser: medians of five on a server with nothing else to do.
// `make pages-bench`, or GROVE_SERVER=... node bench.mjs [runs]

import { taxonomy, randomFrom, isAbove } from "./lib/crowd.mjs";
import { Site } from "./lib/site.mjs";

const RUNS = Number(process.argv[2] ?? 5);
/** How long the belief may take, in milliseconds; the pages do not wait for it. */
const LONG = 1_800_000;
/** What each figure must not exceed. */
const LIMITS = { hierarchy: 1000, why: 300, home: 300, update: 50, outline: 2000, answer: 50, painted: 50, requests: 1, worker: 30 };

const median = (/** @type {number[]} */ all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
/** @type {[string, number, number, string][]} */
const table = [];
const note = (/** @type {string} */ what, /** @type {number} */ value, /** @type {number} */ limit, /** @type {string} */ unit) => {
  table.push([what, value, limit, unit]);
  console.log(`${what}: ${value.toFixed(unit === "ms" ? 0 : 1)} ${unit} (at most ${limit})`);
};

/** A hierarchy of so many made-up names: the mammals, and as many of their breeds as it takes. @param {number} count */
async function names(count) {
  const parents = new Map([...(await taxonomy("wn_mammal"))].filter(([name]) => name !== "mammal"));
  const known = [...parents.keys()];
  for (let nth = 0; parents.size < count; nth++) parents.set(`${known[nth % known.length]} breed ${Math.floor(nth / known.length) + 1}`, known[nth % known.length]);
  return new Map([...parents].slice(0, count));
}

/** Imports votes of twenty people, each on other pairs. @param {Site} site @param {{ id: string }} campaign @param {Map<string, string>} parents @param {number} votes */
async function vote(site, campaign, parents, votes) {
  const random = randomFrom(7);
  const all = [...parents.keys()];
  const pick = () => all[Math.floor(random() * all.length)];
  const rows = new Map();
  while (rows.size < votes) {
    const lower = pick();
    const parent = parents.get(lower) ?? "";
    const upper = random() < 0.5 && parents.has(parent) ? parent : pick();
    const asked = `person ${Math.floor(random() * 20)},"${upper}","${lower}"`;
    if (upper !== lower) rows.set(asked, `${asked},${isAbove(parents, upper, lower) !== random() < 0.05 ? "yes" : "no"}`);
  }
  await site.vote(campaign, [...rows.values()]);
}

/** Milliseconds from the request until something is in view and the page is laid out. @param {import("playwright-core").Page} page @param {string} address @param {string} selector */
async function timeTo(page, address, selector) {
  const begun = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await page.locator(selector).first().waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
  const took = performance.now() - begun;
  const box = await page.locator(selector).first().boundingBox();
  if (!box || box.y < 0 || box.y + box.height > (page.viewportSize()?.height ?? 0)) throw new Error(`${selector} is not in view: ${JSON.stringify(box)}`);
  return took;
}

/** @param {() => Promise<number>} measure */
async function medianOf(measure) {
  const times = [];
  await measure();
  for (let nth = 0; nth < RUNS; nth++) times.push(await measure());
  return median(times);
}

/**
 * Milliseconds from an answer until the next question is painted, for so many answers.
 * @param {import("playwright-core").Page} page @param {number} answers @param {string} answer @param {boolean} ahead with the question that was sent ahead
 */
async function answerTimes(page, answers, answer, ahead) {
  const times = [];
  for (let nth = 0; nth < answers; nth++) {
    const answered = Number((await page.getByText(/^Answered: \d+$/).innerText()).match(/\d+/)?.[0]);
    times.push(await page.evaluate(async ({ answer, ahead }) => {
      if (!ahead) document.querySelector("#ahead")?.remove();
      const shown = document.querySelector("main [name=screen]");
      const button = /** @type {HTMLButtonElement} */ (document.querySelector(`main button[value="${answer}"]`));
      const begun = performance.now();
      if (button.dataset.key) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: button.dataset.key, bubbles: true }));
      else button.click();
      while (shown?.isConnected) await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - begun;
    }, { answer, ahead }));
    await page.getByText(`Answered: ${answered + 1}`, { exact: true }).waitFor();
  }
  return median(times);
}

/** The worker's page: its size, and from an answer to the next question, on this machine and over a slow network. @param {Site} site */
async function worker(site) {
  const concepts = [...(await names(40)).keys()];
  for (const [form, answer] of [["yesno", "no"], ["pick", "none"], ["tick", "none"], ["place", "top"]]) {
    const campaign = await site.campaign(`Answered, ${form}`, concepts, { root: "mammal", forms: [form] });
    await site.settled(campaign.id, LONG);
    const page = await (await site.visitor()).newPage();
    /** @type {Map<string, number>} */
    const sizes = new Map();
    page.on("response", async (response) => {
      if (response.status() === 200) sizes.set(response.url(), (await response.body()).length);
    });
    await page.goto(campaign.link);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Answered: 0").waitFor();
    await page.waitForLoadState("networkidle");
    note(`Worker's page, ${form}, uncompressed, all files`, [...sizes.values()].reduce((sum, size) => sum + size, 0) / 1000, LIMITS.worker, "KB");
    page.removeAllListeners("response");
    note(`Answer to next question, ${form}, none sent ahead`, await answerTimes(page, 15, answer, false), LIMITS.answer, "ms");
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    let requests = 0;
    // What comes from the browser's cache has no length.
    network.on("Network.loadingFinished", ({ encodedDataLength }) => (requests += Number(encodedDataLength > 0)));
    await network.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: -1, uploadThroughput: -1 });
    note(`Answer to next question, ${form}, 400 ms of latency`, await answerTimes(page, 15, answer, true), LIMITS.painted, "ms");
    note(`An answer, ${form}`, requests / 15, LIMITS.requests, "requests");
    await page.context().close();
  }
}

/** The root of a hierarchy whose page can be used. */
const ROOT = '#rows[role=tree] [data-key="0"]';
const CARDS = ".campaign-cards:has(li:nth-child(20)) li";
const site = await Site.start();
try {
  const parents = await names(1000);
  const campaign = await site.campaign("Thousand", [...parents.keys()], { root: "mammal", price_cents: 1 });
  // Few trees: the pages are measured, and 64 of them keep two cores busy for eight minutes.
  const engine = { name: "ensemble", trees: 16, moves: 4 };
  const large = await site.campaign("Ten thousand", [...(await names(10_000)).keys()], { root: "mammal", engine });
  for (let nth = 0; nth < 18; nth++) await site.campaign(`Other ${nth}`, [...parents.keys()].slice(0, 30), { root: "mammal" });
  await vote(site, campaign, parents, 20_000);
  console.log("20 campaigns, one with 1,000 concepts and 20,000 votes, one with 10,000 concepts; the belief is being computed");
  const begun = Date.now();
  for (const { id } of [campaign, large]) await site.settled(id, LONG);
  console.log(`computed after ${Math.round((Date.now() - begun) / 1000)} s`);
  await site.api("POST", `/campaigns/${campaign.id}/pause`, { reason: "" });
  // Until reports and checks are done.
  await new Promise((resolve) => setTimeout(resolve, 20_000));

  const page = await site.owner.newPage();
  note("Hierarchy, 1,000 concepts", await medianOf(() => timeTo(page, campaign.page, ROOT)), LIMITS.hierarchy, "ms");
  const keys = await page.locator("#rows [data-key]").evaluateAll((all) => all.slice(1, 40).map((row) => row.getAttribute("data-key")).filter((key) => !key?.startsWith("more")));
  let nth = 0;
  note("Why a concept is where it is", await medianOf(async () => {
    const row = page.locator(`#rows [data-key="${keys[nth++ % keys.length]}"] a.name`);
    const name = await row.innerText();
    const begun = performance.now();
    await row.click();
    await page.locator(".concept-panel", { has: page.getByRole("heading", { name, exact: true }) }).getByRole("heading", { name: /^Why under/ }).waitFor();
    return performance.now() - begun;
  }), LIMITS.why, "ms");
  note("Outline, 10,000 concepts", await medianOf(() => timeTo(page, `${large.page}?view=outline`, ROOT)), LIMITS.outline, "ms");
  note("Home, 20 campaigns", await medianOf(() => timeTo(page, `${site.url}/`, CARDS)), LIMITS.home, "ms");
  await worker(site);

  await site.api("POST", `/campaigns/${campaign.id}/resume`);
  await page.goto(campaign.page);
  await page.locator("#rows[role=tree]").waitFor();
  const sizes = [];
  for (let nth = 0; nth < RUNS; nth++) {
    const change = page.waitForResponse((response) => response.url().includes("/changes"), { timeout: LONG });
    const [lower, upper] = [...parents].find(([, parent], at) => at > 30 * (nth + 1) && parents.has(parent)) ?? ["", ""];
    await site.vote(campaign, [`late ${nth},"${upper}","${lower}",yes`]);
    sizes.push((await (await change).body()).length / 1000);
    await site.settled(campaign.id, LONG);
  }
  note("HTML of a live update", median(sizes), LIMITS.update, "KB");

  const [homes, hierarchies] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let nth = 0; nth < RUNS; nth++) {
    await site.restart();
    homes.push(await timeTo(page, `${site.url}/`, CARDS));
    hierarchies.push(await timeTo(page, campaign.page, ROOT));
  }
  note("Home after a restart", median(homes), LIMITS.home, "ms");
  note("Hierarchy after a restart", median(hierarchies), LIMITS.hierarchy, "ms");
  const over = table.filter(([, value, limit]) => value > limit);
  for (const [what] of over) console.log(`over the limit: ${what}`);
  process.exitCode = over.length === 0 ? 0 : 1;
} finally {
  await site.stop();
}
