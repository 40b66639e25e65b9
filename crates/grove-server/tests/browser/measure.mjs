// Measures how long an update of a large hierarchy takes in the page.
// GROVE_SERVER must be the path of the server's executable; `node measure.mjs [concepts]`.

import { taxonomy } from "./lib/crowd.mjs";
import { Site } from "./lib/site.mjs";

const wanted = Number(process.argv[2] ?? 500);
const site = await Site.start();
try {
  const parents = await taxonomy("wn_mammal");
  const names = [...parents.keys()].filter((name) => name !== "mammal").slice(0, wanted);
  const known = new Set(names);
  const campaign = await site.campaign("Mammals", names, { root: "mammal", price_cents: 1 });
  const rows = names.filter((name) => known.has(parents.get(name) ?? "")).flatMap((name) => {
    const parent = parents.get(name);
    return [`ann,"${parent}","${name}",yes`, `bob,"${parent}","${name}",yes`, `ann,"${name}","${parent}",no`];
  });
  const text = ["worker,upper,lower,answer", ...rows].join("\n");
  console.log(`${names.length} concepts, ${rows.length} votes`);
  await site.api("POST", `/campaigns/${campaign.id}/votes/import`, { name: "votes.csv", text });
  const begun = Date.now();
  await site.settled(campaign.id);
  console.log(`in the belief after ${Date.now() - begun} ms`);
  const page = await site.owner.newPage();
  await page.goto(campaign.page);
  await page.waitForTimeout(2000);
  const figures = await page.evaluate(async () => {
    const script = document.querySelector("script[src$='dashboard.js']")?.getAttribute("src") ?? "";
    const { refresh } = await import(script.replace("dashboard.js", "live.js"));
    const median = (/** @type {number[]} */ all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
    /** @type {Record<string, number[]>} */
    const times = { fetch: [], update: [], layout: [] };
    let bytes = 0;
    for (let nth = 0; nth < 15; nth++) {
      const start = performance.now();
      bytes = (await (await fetch(location.href)).text()).length;
      const fetched = performance.now();
      await refresh();
      const updated = performance.now();
      document.body.getBoundingClientRect();
      times.fetch.push(fetched - start);
      times.update.push(updated - fetched - (fetched - start));
      times.layout.push(performance.now() - updated);
    }
    const nodes = document.querySelectorAll("#tree .node").length;
    return { nodes, bytes, fetch: median(times.fetch), replace: median(times.update), layout: median(times.layout) };
  });
  console.log(figures);
  const frames = await page.evaluate(async () => {
    const canvas = /** @type {HTMLElement} */ (document.querySelector("#canvas"));
    const gaps = [];
    let last = performance.now();
    for (let nth = 0; nth < 60; nth++) {
      canvas.scrollTop += 20;
      await new Promise(requestAnimationFrame);
      gaps.push(performance.now() - last);
      last = performance.now();
    }
    gaps.sort((a, b) => a - b);
    return { median: gaps[30], worst: gaps[59] };
  });
  console.log("a frame while scrolling, ms", frames);
} finally {
  await site.stop();
}
