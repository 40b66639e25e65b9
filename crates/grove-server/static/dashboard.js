// What makes the owner's pages live.

import { refresh } from "./live.js";
import * as replay from "./replay.js";
import * as tree from "./tree.js";

const main = document.querySelector("main");
const events = main?.getAttribute("data-events");
let due = false;

/** At most one fetch at a time, and none while the page is not looked at or shows the past. */
async function follow() {
  if (document.hidden || new URL(location.href).searchParams.has("at")) return;
  if (due) return;
  due = true;
  await new Promise((resolve) => setTimeout(resolve, 700));
  await refresh();
  due = false;
}

/** Copies the text of the element that a button names. @param {HTMLElement} button */
async function copy(button) {
  const text = document.getElementById(button.getAttribute("data-copy") ?? "")?.textContent ?? "";
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
}

document.documentElement.classList.add("script");
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copy(/** @type {HTMLElement} */ (button)).catch(() => {}));
}
tree.start();
replay.start();
if (events) {
  new EventSource(events).addEventListener("moved", follow);
  document.addEventListener("visibilitychange", follow);
}
