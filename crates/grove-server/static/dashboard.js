// What makes the owner's pages live.

import { refresh } from "./live.js";
import * as replay from "./replay.js";
import * as tree from "./tree.js";

const main = document.querySelector("main");
const events = main?.getAttribute("data-events");
/** Milliseconds between two updates, and until the next try when there is no connection. */
const PACE = 700;
const PATIENCE = 3000;
let behind = false;
let following = false;

/** @param {number} time */
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Whether the page is looked at, and shows the present. */
const attends = () => !document.hidden && !new URL(location.href).searchParams.has("at");

/** Brings the page up to date, one fetch at a time; what happens meanwhile is fetched after it. */
async function follow() {
  behind = true;
  if (following) return;
  following = true;
  while (behind && attends()) {
    await sleep(PACE);
    behind = false;
    const shown = await refresh().catch(() => sleep(PATIENCE));
    behind ||= shown !== true;
  }
  following = false;
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
