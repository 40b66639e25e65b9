// Keeps the owner's pages up to date.

import * as chart from "./chart.js";
import * as combobox from "./combobox.js";
import * as drawing from "./drawing.js";
import * as hierarchy from "./hierarchy.js";
import { refresh } from "./live.js";
import * as messages from "./messages.js";
import * as replay from "./replay.js";
import * as treekeys from "./treekeys.js";
import * as wizard from "./wizard.js";

const main = document.querySelector("main");
const events = main?.getAttribute("data-events");
/** Milliseconds between two updates, and until the next try without a connection. */
const UPDATE_DELAY = 700;
const RETRY_DELAY = 3000;
let outdated = false;
let updating = false;

/** @param {number} time */
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Whether the page is visible and shows the present. */
const isCurrent = () => !document.hidden && !new URL(location.href).searchParams.has("at");

/** Brings the page up to date, one fetch at a time; changes during a fetch cause another one. */
async function update() {
  outdated = true;
  if (updating) return;
  updating = true;
  while (outdated && isCurrent()) {
    await sleep(UPDATE_DELAY);
    outdated = false;
    const updated = await refresh().catch(() => sleep(RETRY_DELAY));
    outdated ||= updated !== true;
  }
  updating = false;
}

/** Listens while the page is visible: browsers allow few connections, and background tabs would use them up. @param {string} url */
function listen(url) {
  /** @type {EventSource | null} */
  let source = null;
  const connect = () => {
    source?.close();
    source = document.hidden ? null : new EventSource(url);
    source?.addEventListener("moved", update);
  };
  connect();
  document.addEventListener("visibilitychange", () => {
    connect();
    update();
  });
  window.addEventListener("pagehide", () => source?.close());
}

/** Scrolls to the present tab on a narrow screen. Not with scrollIntoView, which also moves where the Tab key starts. */
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

document.documentElement.classList.add("has-script");
showTab();
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copy(/** @type {HTMLElement} */ (button)).catch(() => {}));
}
for (const part of [messages, hierarchy, treekeys, drawing, combobox, replay, chart, wizard]) part.start();
if (events) listen(events);
