// Puts fresh parts of a page in place of old ones. The server renders every page whole; parts marked data-live are exchanged.

/** @typedef {{ before?: () => void, after: () => void }} Watcher */

/** @type {Set<Watcher>} */
const watchers = new Set();
let latest = 0;
let underWay = 0;

/** Tells before and after parts are exchanged. @param {Watcher} watcher */
export function onSwap(watcher) {
  watchers.add(watcher);
}

/** @param {Element} element whether somebody is typing in it */
function isBusy(element) {
  const active = document.activeElement;
  return active !== null && element.contains(active) && active.matches("input, textarea, select");
}

/** How to find an element again in a fresh part. @param {Element | null} element */
function trace(element) {
  if (!element) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  return href ? `[href="${CSS.escape(href)}"]` : null;
}

/** Exchanges one part; whoever uses keys stays where they are, and what was unfolded stays so. @param {Element} old @param {Element} fresh */
function exchange(old, fresh) {
  const focused = old.contains(document.activeElement) ? trace(document.activeElement) : null;
  const open = new Set([...old.querySelectorAll("details[open][id]")].map((details) => details.id));
  old.replaceWith(fresh);
  for (const details of fresh.querySelectorAll("details[id]")) {
    if (open.has(details.id)) details.setAttribute("open", "");
  }
  if (focused) /** @type {HTMLElement | null} */ (fresh.querySelector(focused))?.focus({ preventScroll: true });
}

/** @param {string} html @param {boolean} gently leaves alone what somebody is typing in */
function swap(html, gently) {
  const page = new DOMParser().parseFromString(html, "text/html");
  watchers.forEach((watcher) => watcher.before?.());
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(old.id);
    if (fresh && !(gently && isBusy(old))) exchange(old, fresh);
  }
  const note = page.getElementById("note");
  if (!gently || note) {
    document.getElementById("note")?.remove();
    if (note) document.querySelector(".tabs")?.after(note);
  }
  watchers.forEach((watcher) => watcher.after());
}

/** @param {string} url @param {RequestInit} [how] @returns {Promise<[Response, string]>} */
async function load(url, how) {
  const response = await fetch(url, how);
  return [response, await response.text()];
}

/**
 * Fetches an address and shows its parts.
 * @param {string} url
 * @param {RequestInit & { address?: "keep" | "replace" | "push" }} [how] what becomes of the address that the browser shows
 */
export async function go(url, how = {}) {
  const mine = ++latest;
  underWay += 1;
  const [response, html] = await load(url, how).finally(() => (underWay -= 1));
  // A later click has overtaken this one.
  if (mine !== latest) return;
  const shown = new URL(response.url);
  const address = how.address ?? "replace";
  if (shown.pathname === "/login") return location.assign(shown);
  // A refused form is told on the page itself; anything else that leads elsewhere is another page.
  if (address !== "keep" && response.ok && shown.pathname !== location.pathname) return location.assign(shown);
  if (response.ok && address === "push" && shown.href !== location.href) history.pushState(null, "", shown);
  else if (response.ok && address === "replace") history.replaceState(null, "", shown);
  swap(html, false);
}

/** Shows the page as it is now, unless its reader is on the way to something else. */
export async function refresh() {
  if (underWay > 0) return;
  const before = latest;
  const [response, html] = await load(location.href);
  if (before === latest && response.ok) swap(html, true);
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-soft]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  go(url.href, { address: "push" }).catch(() => location.assign(url));
});

window.addEventListener("popstate", () => {
  go(location.href, { address: "keep" }).catch(() => location.reload());
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("form[data-soft]")) return;
  event.preventDefault();
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, event.submitter)) body.append(name, String(value));
  go(form.action, { method: "POST", body, address: "push" }).catch(() => form.submit());
});
