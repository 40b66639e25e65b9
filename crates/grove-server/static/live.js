// Puts fresh parts of a page in place of old ones. The server renders every page whole; parts marked data-live are exchanged.

/** @type {Set<() => void>} */
const watchers = new Set();
let latest = 0;

/** Calls back whenever parts were exchanged. @param {() => void} watcher */
export function onSwap(watcher) {
  watchers.add(watcher);
}

/** @param {Element} element whether somebody is typing in it */
function isBusy(element) {
  const active = document.activeElement;
  return active !== null && element.contains(active) && active.matches("input, textarea, select");
}

/** @param {string} html @param {boolean} gently leaves alone what somebody is typing in */
function swap(html, gently) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh || (gently && isBusy(old))) continue;
    const open = [...old.querySelectorAll("details")].map((details) => details.open);
    old.replaceWith(fresh);
    if (gently) fresh.querySelectorAll("details").forEach((details, at) => (details.open = open[at] ?? false));
  }
  const note = page.getElementById("note");
  document.getElementById("note")?.remove();
  if (note) document.querySelector(".tabs")?.after(note);
  watchers.forEach((watcher) => watcher());
}

/** Fetches an address and shows its parts. @param {string} url @param {RequestInit & { gently?: boolean, keepAddress?: boolean }} [how] */
export async function go(url, how = {}) {
  const mine = ++latest;
  const response = await fetch(url, how);
  const html = await response.text();
  // A later click has overtaken this one.
  if (mine !== latest) return;
  if (new URL(response.url).pathname === "/login") return location.assign(response.url);
  if (!how.keepAddress && new URL(response.url).pathname !== location.pathname) return location.assign(response.url);
  if (!how.keepAddress && response.ok) history.replaceState(null, "", response.url);
  swap(html, how.gently ?? false);
}

/** The page as it is now. */
export function refresh() {
  return go(location.href, { gently: true, keepAddress: true }).catch(() => {});
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-soft]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  go(url.href).catch(() => location.assign(url.href));
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("form[data-soft]")) return;
  event.preventDefault();
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, event.submitter)) body.append(name, String(value));
  go(form.action, { method: "POST", body }).catch(() => form.submit());
});
