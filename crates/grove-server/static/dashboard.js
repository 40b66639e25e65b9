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
  await refresh().catch(() => {});
  due = false;
}

/** Listens as long as the page is looked at: browsers keep few connections, and tabs in the background would use them up. @param {string} url */
function listen(url) {
  /** @type {EventSource | null} */
  let source = null;
  const attend = () => {
    source?.close();
    source = document.hidden ? null : new EventSource(url);
    source?.addEventListener("moved", follow);
  };
  attend();
  document.addEventListener("visibilitychange", () => {
    attend();
    follow();
  });
  window.addEventListener("pagehide", () => source?.close());
}

/** On a narrow screen the tabs scroll. Not by scrollIntoView, which would also move where the Tab key begins. */
function showTab() {
  const tabs = /** @type {HTMLElement | null} */ (document.querySelector(".tabs"));
  const tab = /** @type {HTMLElement | null} */ (tabs?.querySelector("[aria-current]"));
  if (tabs && tab) tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
}

/** Copies the text of the element that a button names. @param {HTMLElement} button */
async function copy(button) {
  const text = document.getElementById(button.getAttribute("data-copy") ?? "")?.textContent ?? "";
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
}

document.documentElement.classList.add("script");
showTab();
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copy(/** @type {HTMLElement} */ (button)).catch(() => {}));
}
tree.start();
replay.start();
if (events) listen(events);
