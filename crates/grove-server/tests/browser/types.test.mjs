// The scripts of the pages have no type errors. They are served as they are written; nothing is built.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** @param {string[]} options */
function check(options) {
  const { status, stdout, stderr } = spawnSync("node", ["node_modules/typescript/bin/tsc", ...options], { cwd: folder, encoding: "utf8" });
  return { status, text: stdout + stderr };
}

test("the scripts of the pages have no type errors", () => {
  const { status, text } = check(["-p", "tsconfig.json"]);
  assert.equal(status, 0, text);
});

test("a type error is found", () => {
  const { status, text } = check(["-p", "tsconfig.fault.json"]);
  assert.notEqual(status, 0);
  assert.match(text, /fault\.js.*TS2339/);
});
