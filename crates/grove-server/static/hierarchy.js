// The rows of a hierarchy: clicks fold and select, the search box searches. What is shown is in the address of the page, so that it can be
// shared and reloaded; the server decides which rows there are.

import { go, onSwap, present } from "./live.js";

/** Milliseconds after the last key until the search begins. */
const SEARCH_DELAY = 200;

/** @returns {Element | null} */
const rows = () => document.querySelector("#rows[data-tree]");

/** The present address with other parameters; an empty text removes one. @param {Record<string, string>} changes */
function address(changes) {
  const url = present();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

/** The numbers in a parameter, separated by dots. @param {string} name */
function listed(name) {
  const text = present().searchParams.get(name) ?? "";
  return new Set(text.split(".").filter((number) => number !== ""));
}

/** Folds or unfolds a row. @param {Element} row */
export function toggle(row) {
  const key = row.getAttribute("data-key") ?? "";
  const isOpen = row.getAttribute("data-fold") === "open";
  const [open, closed] = [listed("open"), listed("closed")];
  (isOpen ? open : closed).delete(key);
  (isOpen ? closed : open).add(key);
  return go(address({ open: [...open].join("."), closed: [...closed].join(".") }), { history: "replace" });
}

/** Selects the concept of a row, or shows more rows where it stands for them. @param {Element} row */
export function select(row) {
  const key = row.getAttribute("data-key") ?? "";
  if (key.startsWith("more-")) {
    const counts = listed("more");
    const href = row.querySelector("a.more")?.getAttribute("href") ?? "";
    const wanted = new URL(href, location.href).searchParams.get("more")?.split(".").pop() ?? "";
    const concept = key.slice("more-".length);
    const others = [...counts].filter((one) => !one.startsWith(`${concept}-`));
    return go(address({ more: [...others, wanted].join(".") }), { history: "replace" });
  }
  return go(address({ select: key === "0" ? "" : key, parent: "" }), { history: "push" });
}

/** @param {MouseEvent} event */
function click(event) {
  const target = /** @type {Element} */ (event.target);
  const row = target.closest("#rows [data-key]");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const link = target.closest("a");
  if (!link && row.localName !== "li") return;
  event.preventDefault();
  const done = link?.classList.contains("fold") ? toggle(row) : select(row);
  done.catch(() => location.reload());
}

/** Brings what was searched for, or else what is selected, into view. @param {boolean} quietly */
function reveal(quietly) {
  const row = rows()?.querySelector(".hit") ?? (quietly ? null : rows()?.querySelector(".selected"));
  row?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function listenToSearch() {
  const search = /** @type {HTMLInputElement | null} */ (document.querySelector("#find"));
  if (!search) return;
  let timer = 0;
  const run = () => {
    clearTimeout(timer);
    go(address({ find: search.value.trim(), hit: "" })).then(() => reveal(true), () => {});
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, SEARCH_DELAY);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const next = document.querySelector(`#search-status a.step${event.shiftKey ? "" : ":last-child"}`);
    const isSearched = new URL(location.href).searchParams.get("find") === search.value.trim();
    if (isSearched && next) go(/** @type {HTMLAnchorElement} */ (next).href).then(() => reveal(true), () => {});
    else run();
  });
}

/** Activates the hierarchy, if the page has one. */
export function start() {
  if (!document.querySelector("[data-hierarchy]")) return;
  const isNarrow = matchMedia("(max-width: 40rem)").matches;
  const url = new URL(location.href);
  if (isNarrow && !url.searchParams.has("view") && rows()?.localName === "svg") {
    location.replace(address({ view: "outline" }));
    return;
  }
  document.addEventListener("click", click);
  onSwap({ after: (changed) => changed.some((element) => element.classList.contains("hit")) && reveal(true) });
  listenToSearch();
  reveal(false);
}
