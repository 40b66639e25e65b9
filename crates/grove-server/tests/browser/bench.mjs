// How fast the pages are, in a browser: medians of five on a server with nothing else to do.
// `make pages-bench`, or GROVE_SERVER=... node bench.mjs [runs]

import { taxonomy, randomFrom, isAbove } from "./lib/crowd.mjs";
import { Site } from "./lib/site.mjs";

const RUNS = Number(process.argv[2] ?? 5);
/** What each figure must not exceed. */
const LIMITS = { hierarchy: 1000, why: 300, home: 300, update: 50, outline: 2000, answer: 50, painted: 50, worker: 30 };

const median = (/** @type {number[]} */ all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
/** @type {[string, number, number, string][]} */
const table = [];
const note = (/** @type {string} */ what, /** @type {number} */ value, /** @type {number} */ limit, /** @type {string} */ unit) => {
  table.push([what, value, limit, unit]);
  console.log(`${what}: ${value.toFixed(unit === "KB" ? 1 : 0)} ${unit} (at most ${limit})`);
};

/** A hierarchy of so many made-up names: the mammals, and as many of their breeds as it takes. @param {number} count */
async function names(count) {
  const parents = new Map([...(await taxonomy("wn_mammal"))].filter(([name]) => name !== "mammal"));
  const known = [...parents.keys()];
  for (let nth = 0; parents.size < count; nth++) parents.set(`${known[nth % known.length]} breed ${Math.floor(nth / known.length) + 1}`, known[nth % known.length]);
  return new Map([...parents].slice(0, count));
}

/** Imports votes of twenty people in a few files. @param {Site} site @param {string} id @param {Map<string, string>} parents @param {number} votes */
async function vote(site, id, parents, votes) {
  const random = randomFrom(7);
  const all = [...parents.keys()];
  const pick = () => all[Math.floor(random() * all.length)];
  const rows = new Set();
  while (rows.size < votes) {
    const lower = pick();
    const parent = parents.get(lower) ?? "";
    const upper = random() < 0.5 && parents.has(parent) ? parent : pick();
    if (upper === lower) continue;
    const answer = isAbove(parents, upper, lower) !== random() < 0.05 ? "yes" : "no";
    rows.add(`person ${Math.floor(random() * 20)},"${upper}","${lower}",${answer}`);
  }
  const seen = new Set();
  const lines = [...rows].filter((row) => !seen.has(row.slice(0, row.lastIndexOf(","))) && seen.add(row.slice(0, row.lastIndexOf(","))));
  await site.api("POST", `/campaigns/${id}/votes/import`, { name: "votes.csv", text: ["worker,upper,lower,answer", ...lines].join("\n") });
  return lines.length;
}

/** Milliseconds from the request until something is in view and the page is laid out. @param {import("playwright-core").Page} page @param {string} address @param {string} selector */
async function timeTo(page, address, selector) {
  const begun = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await page.locator(selector).first().waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
  return performance.now() - begun;
}

/** @param {() => Promise<number>} measure */
async function medianOf(measure) {
  const times = [];
  await measure();
  for (let nth = 0; nth < RUNS; nth++) times.push(await measure());
  return median(times);
}

/** Milliseconds from a key until the next question is painted, for so many answers. @param {import("playwright-core").Page} page @param {number} answers @param {boolean} ahead with the question that was sent ahead */
async function answerTimes(page, answers, ahead) {
  const times = [];
  for (let nth = 0; nth < answers; nth++) {
    await page.getByText(/^Answered: \d+$/).waitFor();
    const answered = Number((await page.getByText(/^Answered: \d+$/).innerText()).match(/\d+/)?.[0]);
    times.push(await page.evaluate(async (ahead) => {
      if (!ahead) document.querySelector("#ahead")?.remove();
      const shown = document.querySelector("main [name=screen]");
      const begun = performance.now();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
      while (shown?.isConnected) await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - begun;
    }, ahead));
    await page.getByText(`Answered: ${answered + 1}`, { exact: true }).waitFor();
  }
  return median(times);
}

/** The worker's page: from an answer to the next question, on this machine and over a slow network, and its size. @param {Site} site */
async function worker(site) {
  const concepts = [...(await names(40)).keys()];
  const campaign = await site.campaign("Answered", concepts, { root: "mammal" });
  await site.settled(campaign.id);
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
  note("Worker's page, uncompressed, all files", [...sizes.values()].reduce((sum, size) => sum + size, 0) / 1024, LIMITS.worker, "KB");
  page.removeAllListeners("response");
  note("Answer to next question, none sent ahead", await answerTimes(page, 15, false), LIMITS.answer, "ms");
  const network = await page.context().newCDPSession(page);
  await network.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: -1, uploadThroughput: -1 });
  note("Answer to next question, 400 ms of latency", await answerTimes(page, 15, true), LIMITS.painted, "ms");
  await page.context().close();
}

const site = await Site.start();
try {
  await worker(site);
  const parents = await names(1000);
  const campaign = await site.campaign("Thousand", [...parents.keys()], { root: "mammal", price_cents: 1 });
  const cast = await vote(site, campaign.id, parents, 20_000);
  console.log(`1,000 concepts, ${cast} votes; the belief is being computed`);
  const begun = Date.now();
  await site.settled(campaign.id);
  console.log(`computed after ${Math.round((Date.now() - begun) / 1000)} s`);
  for (let nth = 0; nth < 19; nth++) await site.campaign(`Other ${nth}`, [...parents.keys()].slice(0, 30), { root: "mammal" });
  await site.api("POST", `/campaigns/${campaign.id}/pause`, { reason: "" });
  // Until reports and checks are done.
  await new Promise((resolve) => setTimeout(resolve, 10_000));

  const page = await site.owner.newPage();
  note("Hierarchy, 1,000 concepts", await medianOf(() => timeTo(page, campaign.page, '#rows[role=tree] [data-key="0"]')), LIMITS.hierarchy, "ms");
  const rows = await page.locator("#rows [data-key]").count();
  console.log(`${rows} rows in the page`);
  const keys = await page.locator("#rows [data-key]").evaluateAll((all) => all.slice(1, 40).map((row) => row.getAttribute("data-key")).filter((key) => !key?.startsWith("more")));
  let nth = 0;
  note("Why a concept is where it is", await medianOf(async () => {
    const row = page.locator(`#rows [data-key="${keys[nth++ % keys.length]}"] a.name`);
    const name = await row.innerText();
    const begun = performance.now();
    await row.click();
    await page.locator(".concept-panel h2", { hasText: name }).waitFor();
    return performance.now() - begun;
  }), LIMITS.why, "ms");
  note("Home, 20 campaigns", await medianOf(() => timeTo(page, `${site.url}/`, ".campaign-cards li:nth-child(20)")), LIMITS.home, "ms");

  await site.api("POST", `/campaigns/${campaign.id}/resume`);
  await page.goto(campaign.page);
  await page.locator("#rows[role=tree]").waitFor();
  const sizes = [];
  for (let nth = 0; nth < RUNS; nth++) {
    const change = page.waitForResponse((response) => response.url().includes("/changes"), { timeout: 120_000 });
    const [upper, lower] = [...parents].find(([name, parent], at) => at > 30 * (nth + 1) && parents.has(parent)) ?? ["", ""];
    await site.api("POST", `/campaigns/${campaign.id}/votes/import`, { name: "votes.csv", text: `worker,upper,lower,answer\nlate ${nth},"${lower}","${upper}",yes\n` });
    sizes.push((await (await change).body()).length / 1024);
    await site.settled(campaign.id);
  }
  note("HTML of a live update", median(sizes), LIMITS.update, "KB");

  const many = await names(10_000);
  const large = await site.campaign("Ten thousand", [...many.keys()], { root: "mammal" });
  await site.settled(large.id);
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  note("Outline, 10,000 concepts", await medianOf(() => timeTo(page, `${large.page}?view=outline`, '#rows[role=tree] [data-key="0"]')), LIMITS.outline, "ms");
  const over = table.filter(([, value, limit]) => value > limit);
  for (const [what] of over) console.log(`too slow or too large: ${what}`);
  process.exitCode = over.length === 0 ? 0 : 1;
} finally {
  await site.stop();
}
