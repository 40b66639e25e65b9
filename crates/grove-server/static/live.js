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

/** @param {Element} element whether somebody is typing in it, or has typed what is not sent yet */
function isBusy(element) {
  const fields = [...element.querySelectorAll("input:not([type=hidden]), textarea")];
  const typed = (/** @type {any} */ field) => field === document.activeElement || field.value !== field.defaultValue;
  return fields.some(typed);
}

/** How to find an element again in a fresh part. @param {Element | null} element */
function trace(element) {
  if (!element) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  return href ? `[href="${CSS.escape(href)}"]` : null;
}

/** Takes over what differs, child by child: of a large drawing most stays as it is, and need not be laid out again. @param {Element} old @param {Element} fresh */
function patch(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    // How large it is drawn is the reader's choice.
    const own = name === "width" || name === "height";
    if (!own && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const known = new Map([...old.children].map((child) => [child.getAttribute("data-key"), child]));
  let place = old.firstElementChild;
  for (const child of [...fresh.children]) {
    const same = known.get(child.getAttribute("data-key"));
    known.delete(child.getAttribute("data-key"));
    if (same && same.hasAttribute("data-parts")) patch(same, child);
    else if (same && !same.isEqualNode(child)) {
      if (same === place) place = child;
      same.replaceWith(child);
    }
    const kept = child.parentNode === old || !same ? child : same;
    if (kept === place) place = place.nextElementSibling;
    else old.insertBefore(kept, place);
  }
  known.forEach((gone) => gone.remove());
}

/** Exchanges one part; whoever uses keys stays where they are, and what was unfolded stays so. @param {Element} old @param {Element} fresh */
function exchange(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const focused = old.contains(document.activeElement) ? trace(document.activeElement) : null;
  const open = new Set([...old.querySelectorAll("details[open][id]")].map((details) => details.id));
  if (old.hasAttribute("data-parts")) patch(old, fresh);
  else old.replaceWith(fresh);
  const now = old.isConnected ? old : fresh;
  for (const details of now.querySelectorAll("details[id]")) {
    if (open.has(details.id)) details.setAttribute("open", "");
  }
  const lost = focused && !now.contains(document.activeElement);
  if (lost) /** @type {HTMLElement | null} */ (now.querySelector(focused))?.focus({ preventScroll: true });
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

/** Shows the page as it is now, unless its reader is on the way to something else. @returns {Promise<boolean>} whether it did */
export async function refresh() {
  if (underWay > 0) return false;
  const before = latest;
  const [response, html] = await load(location.href);
  if (before !== latest || !response.ok) return false;
  swap(html, true);
  return true;
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
