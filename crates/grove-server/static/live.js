// Updates parts of a page. The server renders whole pages; elements marked data-live are replaced by their new versions.

/** @typedef {{ before?: () => void, after: () => void }} Listener */

/** @type {Set<Listener>} */
const listeners = new Set();
let latest = 0;
let pending = 0;

/** Calls a listener before and after parts are replaced. @param {Listener} listener */
export function onSwap(listener) {
  listeners.add(listener);
}

/** Whether an element has the focus of typing, or text that is not sent yet. @param {Element} element */
function isBeingEdited(element) {
  const fields = [...element.querySelectorAll("input:not([type=hidden]), textarea")];
  const typed = (/** @type {any} */ field) => field === document.activeElement || field.value !== field.defaultValue;
  return fields.some(typed);
}

/** A selector that finds an element in a new version of its part. @param {Element | null} element */
function selectorOf(element) {
  if (!element) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  return href ? `[href="${CSS.escape(href)}"]` : null;
}

/** Applies the differences child by child. Most of a large drawing stays the same and need not be laid out again. @param {Element} old @param {Element} fresh */
function patch(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    // The zoom is the reader's choice.
    const isZoom = name === "width" || name === "height";
    if (!isZoom && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const known = new Map([...old.children].map((child) => [child.getAttribute("data-key"), child]));
  let place = old.firstElementChild;
  for (const child of [...fresh.children]) {
    const same = known.get(child.getAttribute("data-key"));
    known.delete(child.getAttribute("data-key"));
    if (same && same.hasAttribute("data-keyed")) patch(same, child);
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

/** Replaces one part and keeps the keyboard focus and open details. @param {Element} old @param {Element} fresh */
function replace(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const focused = old.contains(document.activeElement) ? selectorOf(document.activeElement) : null;
  const open = new Set([...old.querySelectorAll("details[open][id]")].map((details) => details.id));
  if (old.hasAttribute("data-keyed")) patch(old, fresh);
  else old.replaceWith(fresh);
  const now = old.isConnected ? old : fresh;
  for (const details of now.querySelectorAll("details[id]")) {
    if (open.has(details.id)) details.setAttribute("open", "");
  }
  const lost = focused && !now.contains(document.activeElement);
  if (lost) /** @type {HTMLElement | null} */ (now.querySelector(focused))?.focus({ preventScroll: true });
}

/** @param {string} html @param {boolean} gently leave alone what somebody is editing */
function swap(html, gently) {
  const page = new DOMParser().parseFromString(html, "text/html");
  listeners.forEach((listener) => listener.before?.());
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(old.id);
    if (fresh && !(gently && isBeingEdited(old))) replace(old, fresh);
  }
  const notice = page.getElementById("notice");
  if (!gently || notice) {
    document.getElementById("notice")?.remove();
    if (notice) document.querySelector(".tabs")?.after(notice);
  }
  listeners.forEach((listener) => listener.after());
}

/** @param {string} url @param {RequestInit} [options] @returns {Promise<[Response, string]>} */
async function load(url, options) {
  const response = await fetch(url, options);
  return [response, await response.text()];
}

/**
 * Fetches a page and shows its parts.
 * @param {string} url
 * @param {RequestInit & { history?: "keep" | "replace" | "push" }} [options] what happens to the URL that the browser shows
 */
export async function go(url, options = {}) {
  const mine = ++latest;
  pending += 1;
  const [response, html] = await load(url, options).finally(() => (pending -= 1));
  // A later click came first.
  if (mine !== latest) return;
  const shown = new URL(response.url);
  const mode = options.history ?? "replace";
  if (shown.pathname === "/login") return location.assign(shown);
  // An error is shown on this page; a redirect elsewhere is another page.
  if (mode !== "keep" && response.ok && shown.pathname !== location.pathname) return location.assign(shown);
  if (response.ok && mode === "push" && shown.href !== location.href) history.pushState(null, "", shown);
  else if (response.ok && mode === "replace") history.replaceState(null, "", shown);
  swap(html, false);
}

/** Updates the page unless a navigation is pending. @returns {Promise<boolean>} whether it was updated */
export async function refresh() {
  if (pending > 0) return false;
  const before = latest;
  const [response, html] = await load(location.href);
  if (before !== latest || !response.ok) return false;
  swap(html, true);
  return true;
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-swap]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  go(url.href, { history: "push" }).catch(() => location.assign(url));
});

window.addEventListener("popstate", () => {
  go(location.href, { history: "keep" }).catch(() => location.reload());
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("form[data-swap]")) return;
  event.preventDefault();
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, event.submitter)) body.append(name, String(value));
  go(form.action, { method: "POST", body, history: "push" }).catch(() => form.submit());
});
