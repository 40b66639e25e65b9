// Several people at once: everybody gets other questions, and everybody sees the tree change.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isAbove, taxonomy } from "./lib/crowd.mjs";
import { visit } from "./lib/pages.mjs";
import { Site } from "./lib/site.mjs";

/** @type {Site} */
let site;
before(async () => (site = await Site.start()));
after(() => site?.stop());

/** The question on a page, as numbers and names. @param {import("playwright-core").Page} page */
async function question(page) {
  const names = await page.locator(".question b").allInnerTexts();
  const { upper, lower } = JSON.parse(await page.locator("main [name=screen]").inputValue());
  return { key: `${upper} above ${lower}`, child: names[0], parent: names[1] };
}

test("two browsers never get the same question at once, and both see the tree change", async (t) => {
  const parents = await taxonomy("food");
  const campaign = await site.campaign("two", ["fruit", "citrus", "lemon", "apple", "vegetable"], { root: "food" });
  const people = [];
  for (let nth = 0; nth < 2; nth++) {
    // Separate windows, because browsers suspend background pages.
    const tree = await visit(site, t, { storageState: await site.owner.storageState() });
    const work = await visit(site, t);
    await tree.goto(campaign.page);
    await work.goto(campaign.link);
    await work.getByRole("button", { name: "Start" }).click();
    await work.getByText("Answered: 0").waitFor();
    people.push({ work, tree, votes: 0 });
  }
  const moves = await Promise.all(people.map(({ tree }) => tree.locator("#rows").innerHTML()));
  for (let turn = 0; turn < 24; turn++) {
    const asked = await Promise.all(people.map(({ work }) => question(work)));
    assert.notEqual(asked[0].key, asked[1].key, `turn ${turn}`);
    // Sometimes one answers, sometimes the other, sometimes both at the same moment.
    const turns = people.map((person, nth) => ({ person, asked: asked[nth] })).filter((_, nth) => turn % 3 === 2 || turn % 3 === nth);
    await Promise.all(
      turns.map(async ({ person, asked }) => {
        person.votes += 1;
        await person.work.getByRole("button", { name: isAbove(parents, asked.parent, asked.child) ? "Yes" : /^No\b/ }).click();
        await person.work.getByText(`Answered: ${person.votes}`, { exact: true }).waitFor();
      }),
    );
  }
  const cast = people[0].votes + people[1].votes;
  for (const [nth, { tree }] of people.entries()) {
    await tree.locator(".key-figures dd").first().filter({ hasText: String(cast) }).waitFor();
    assert.notEqual(await tree.locator("#rows").innerHTML(), moves[nth], "the tree has changed");
  }
  const votes = await site.api("GET", `/campaigns/${campaign.id}/votes`);
  assert.equal(votes.length, cast);
});

test("in bundles of two, two people do get the same question", async (t) => {
  const campaign = await site.campaign("bundles", ["fruit", "apple", "pear"], { votes_per_question: 2 });
  const asked = [];
  for (let nth = 0; nth < 2; nth++) {
    const work = await visit(site, t);
    await work.goto(campaign.link);
    await work.getByRole("button", { name: "Start" }).click();
    asked.push((await question(work)).key);
  }
  assert.equal(asked[0], asked[1]);
});
