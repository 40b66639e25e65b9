// Simulated workers: they know a taxonomy, err sometimes, and answer through the API.

import { readFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { PATIENCE } from "./site.mjs";

/** A random number generator with a seed (mulberry32, T. Ettinger). @param {number} seed */
export function randomFrom(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A reference taxonomy of the project, as parents by name. @param {string} name @returns {Promise<Map<string, string>>} */
export async function taxonomy(name) {
  const file = new URL(`../../../../grove-sim/data/${name}.tsv`, import.meta.url);
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line && !line.startsWith("#"));
  return new Map(lines.map((line) => /** @type {[string, string]} */ (line.split("\t"))));
}

/** @param {Map<string, string>} parents @param {string} upper @param {string} lower */
export function isAbove(parents, upper, lower) {
  for (let above = parents.get(lower); above !== undefined; above = parents.get(above)) {
    if (above === upper) return true;
  }
  return false;
}

/** Informative pairs: concepts with their ancestors, the reverse, with their siblings and with top-level concepts. @param {Map<string, string>} parents */
function informativePairs(parents) {
  const names = [...parents.keys()];
  const highest = names.filter((name) => !parents.has(parents.get(name) ?? ""));
  /** @type {[string, string][]} */
  const pairs = [];
  for (const lower of names) {
    for (const upper of names) {
      const sibling = parents.get(upper) === parents.get(lower);
      const informative = isAbove(parents, upper, lower) || isAbove(parents, lower, upper) || sibling || highest.includes(upper);
      if (upper !== lower && informative) pairs.push([upper, lower]);
    }
  }
  return pairs;
}

/**
 * Imports votes in files of a few each, so that there is a history to replay.
 * @param {import("./site.mjs").Site} site @param {{ id: string }} campaign
 * @param {{ parents: Map<string, string>, each: number, perFile?: number, people?: number, seed?: number, error?: number, divided?: Record<string, [string, number]> }} crowd
 */
export async function importVotes(site, { id }, { parents, each, perFile = 25, people = 8, seed = 1, error = 0.05, divided = {} }) {
  const random = randomFrom(seed);
  const shuffled = (/** @type {any[]} */ all) => all.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at).map(({ one }) => one);
  const pairs = informativePairs(parents);
  const votes = Array.from({ length: people }, (_, nth) => {
    const mind = new Map(parents);
    for (const [child, [parent, share]] of Object.entries(divided)) if (random() < share) mind.set(child, parent);
    return shuffled(pairs).slice(0, each).map(([upper, lower]) => {
      const errs = random() < (nth === people - 1 ? 0.5 : error);
      return `person ${nth + 1},${upper},${lower},${isAbove(mind, upper, lower) !== errs ? "yes" : "no"}`;
    });
  });
  const all = shuffled(votes.flat());
  for (let from = 0; from < all.length; from += perFile) {
    await site.vote({ id }, all.slice(from, from + perFile));
    await site.settled(id);
  }
}

/**
 * Lets workers answer in turns until so many votes are cast.
 * The belief follows each turn before the next, as it would with people who take seconds to think.
 * @param {import("./site.mjs").Site} site @param {{ id: string, link: string }} campaign
 * @param {{ parents: Map<string, string>, votes: number, people?: number, seed?: number, error?: number, divided?: Record<string, [string, number]> }} crowd
 */
export async function answer(site, { id, link }, { parents, votes, people = 8, seed = 1, error = 0.05, divided = {} }) {
  const random = randomFrom(seed);
  const secret = link.split("/").pop();
  const crowd = Array.from({ length: people }, (_, at) => {
    const mind = new Map(parents);
    for (const [child, [parent, share]] of Object.entries(divided)) if (random() < share) mind.set(child, parent);
    return { name: `simulated-person-${seed}-${at}-${"x".repeat(20)}`, mind, error: at === people - 1 ? 0.5 : error };
  });
  const end = Date.now() + PATIENCE;
  for (let cast = 0; cast < votes; ) {
    const before = cast;
    /** @type {Set<string>} */
    const refused = new Set();
    for (const person of crowd) {
      if (cast >= votes) return;
      const headers = { authorization: `Bearer ${secret}`, "grove-worker": person.name };
      const next = await site.api("POST", "/work/next", undefined, headers);
      if (!next.screens) refused.add(next.status);
      for (const question of next.screens ?? []) {
        cast += 1;
        const truth = isAbove(person.mind, question.concepts[1].name, question.concepts[0].name);
        const said = random() < person.error ? !truth : truth;
        const { kind, upper, lower, ticket } = question;
        const vote = { id: randomUUID(), kind, upper, lower, ticket, answer: said ? "yes" : "no" };
        await site.api("POST", "/work/votes", vote, headers);
      }
    }
    // All may be handed out for a moment, until the belief has taken in what was answered.
    if (cast === before && (!refused.has("all_handed_out") || Date.now() > end)) throw new Error(`only ${cast} of ${votes} votes: ${[...refused]}`);
    await site.settled(id);
  }
}
