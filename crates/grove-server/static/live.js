// Brings parts of a page up to date. The server renders whole pages; elements marked data-live are replaced by their new versions. The
// rows of a hierarchy have versions, so that only those that have changed are sent.

import { showError } from "./toast.js";

/** @typedef {{ before?: () => void, after: (changed: Element[]) => void }} Listener */

/** @type {Set<Listener>} */
const listeners = new Set();
let latest = 0;
let pending = 0;
/** The forms that are being sent: what is fetched meanwhile would not know of them, and an answer that came late would replace it. @type {Promise<unknown>} */
let sending = Promise.resolve();
/** The last address that was asked for and is not shown yet. */
let destination = "";
/** Settled unless something is pressed: what is replaced between press and release gets no click. @type {Promise<void>} */
let released = Promise.resolve();
/** Until a slow answer is announced, in milliseconds. */
const SLOW = 300;
/** Until it is clear, after a release, that no click follows: what was pressed was scrolled, dragged, or left. */
const CLICK_TIME = 300;
/** What is said where no answer came: nobody knows whether the form was received. */
const NO_ANSWER = "The server did not answer. Check whether the change was made before you try again.";
const UNKNOWN_ERROR = "That did not work. Try again in a moment.";

/** Calls a listener before and after parts are replaced. @param {Listener} listener */
export function onSwap(listener) {
  listeners.add(listener);
}

/** Where the page is going, or else where it is. */
export const present = () => new URL(destination || location.href);

/** Whether something else is chosen in a list than when the page came. @param {HTMLSelectElement} list */
function isChosenAnew(list) {
  const options = [...list.options];
  return list.value !== (options.find((option) => option.defaultSelected) ?? options[0])?.value;
}

/** Whether an element has the focus of typing, what is typed, ticked or chosen and not sent yet, or text that was refused, with the reason. @param {Element} element */
function isBeingEdited(element) {
  if (element.querySelector("[aria-invalid=true]")) return true;
  const fields = [...element.querySelectorAll("input:not([type=hidden], [type=checkbox], [type=radio]), textarea")];
  const typed = (/** @type {any} */ field) => field === document.activeElement || field.value !== field.defaultValue;
  const boxes = /** @type {HTMLInputElement[]} */ ([...element.querySelectorAll("[type=checkbox], [type=radio]")]);
  return fields.some(typed) || boxes.some((box) => box.checked !== box.defaultChecked) || [...element.querySelectorAll("select")].some(isChosenAnew);
}

/** What is typed in the fields that have names of their own. @returns {Map<string, string>} */
function typedTexts() {
  const fields = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[data-live] :is(input:not([type=hidden], [type=checkbox], [type=radio]), textarea)[id]")]);
  return new Map(fields.map((field) => [field.id, field.value]));
}

/** The same control in a new version of its part: with the same id, or with the same words for the same purpose. @param {Element} element @param {Element} fresh */
function counterpart(element, fresh) {
  if (element.id) return fresh.querySelector(`#${CSS.escape(element.id)}`);
  const purpose = (/** @type {Element} */ one) =>
    [one.getAttribute("href"), one.closest("form")?.getAttribute("action"), one.getAttribute("aria-label") ?? one.textContent].join("\n");
  return [...fresh.querySelectorAll(element.localName)].find((one) => purpose(one) === purpose(element)) ?? null;
}

/** The keys and versions of a list of rows. @param {Element} rows @returns {Map<string, string>} */
function versions(rows) {
  const words = (rows.getAttribute("data-versions") ?? "").split(" ").filter((word) => word);
  return new Map(words.map((word) => /** @type {[string, string]} */ ([word.slice(0, word.lastIndexOf(":")), word.slice(word.lastIndexOf(":") + 1)])));
}

/** Sets the attributes of another element, but for the size, which is the reader's choice. @param {Element} old @param {Element} fresh */
function copyAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    const isZoom = name === "width" || name === "height" || name === "role";
    if (!isZoom && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

/** Puts pieces of a drawing where they are now. @param {Element} rows @param {string[]} order */
function place(rows, order) {
  const places = (rows.getAttribute("data-places") ?? "").split(",");
  const byKey = new Map([...rows.children].map((child) => [child.getAttribute("data-key"), child]));
  order.forEach((key, at) => {
    const transform = `translate(${places[at]})`;
    const piece = byKey.get(key);
    if (places[at] && piece && piece.getAttribute("transform") !== transform) piece.setAttribute("transform", transform);
  });
}

/** Replaces the rows that have changed, and returns the new ones. @param {Element} old @param {Element} fresh @returns {Element[]} */
function patchRows(old, fresh) {
  const [before, after] = [versions(old), versions(fresh)];
  const sent = new Map([...fresh.children].map((child) => [child.getAttribute("data-key") ?? "", child]));
  const known = new Map([...old.children].map((child) => [child.getAttribute("data-key") ?? "", child]));
  const focused = document.activeElement?.closest("[data-key]")?.getAttribute("data-key");
  const hadFocus = old.contains(document.activeElement) ? focused : null;
  const changed = [];
  const order = [...(sent.has("lines") ? ["lines"] : []), ...after.keys()];
  /** @type {Element | null} */
  let next = old.firstElementChild;
  for (const key of order) {
    const was = known.get(key);
    const isSame = was && key !== "lines" && before.get(key) === after.get(key);
    const now = isSame ? was : (sent.get(key) ?? was);
    if (!now) continue;
    known.delete(key);
    if (was && now !== was) {
      if (was === next) next = now;
      was.replaceWith(now);
    }
    if (!isSame) changed.push(now);
    if (now === next) next = next.nextElementSibling;
    else old.insertBefore(now, next);
  }
  known.forEach((gone) => gone.remove());
  copyAttributes(old, fresh);
  place(old, [...after.keys()]);
  if (hadFocus && !old.contains(document.activeElement)) {
    const row = /** @type {HTMLElement | null} */ (old.querySelector(`[data-key="${CSS.escape(hadFocus)}"]`));
    queueMicrotask(() => row?.focus({ preventScroll: true }));
  }
  return changed;
}

/** Whether two versions of a part are about the same concept, or about none, and both or neither can be edited. @param {Element} old @param {Element} fresh */
function isAboutTheSame(old, fresh) {
  const subject = (/** @type {Element} */ part) => part.querySelector("[name=lower]")?.getAttribute("value") ?? String(!part.querySelector("form"));
  return subject(old) === subject(fresh);
}

/** Replaces one part and keeps the keyboard focus and open details. @param {Element} old @param {Element} fresh @returns {Element[]} */
function replace(old, fresh) {
  if (old.hasAttribute("data-tree") && fresh.hasAttribute("data-tree") && old.localName === fresh.localName) return patchRows(old, fresh);
  const version = fresh.getAttribute("data-versions");
  if (version ? version === old.getAttribute("data-versions") : old.isEqualNode(fresh)) return [];
  const focused = document.activeElement && old.contains(document.activeElement) ? document.activeElement : null;
  const open = new Set([...old.querySelectorAll("details[open][id]")].map((details) => details.id));
  // The menu of another concept begins closed.
  const stays = isAboutTheSame(old, fresh);
  // Screen readers announce what changes within a status that they know, and nothing of a new one.
  const shown = old.getAttribute("role") === "status" ? old : fresh;
  if (shown === old) old.replaceChildren(...fresh.childNodes);
  else old.replaceWith(fresh);
  for (const details of shown.querySelectorAll("details[id]")) {
    if (stays && open.has(details.id)) details.setAttribute("open", "");
  }
  if (focused) /** @type {HTMLElement | null} */ (counterpart(focused, shown))?.focus({ preventScroll: true });
  return [shown];
}

/** Keeps what was typed in a part while a form was on its way. @param {Element} old @param {Element} fresh @param {Map<string, string>} sent what was typed when it was sent */
function keepTyped(old, fresh, sent) {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (old.querySelectorAll("input[id], textarea[id]"));
  for (const field of isAboutTheSame(old, fresh) ? fields : []) {
    const now = /** @type {HTMLInputElement | null} */ (fresh.querySelector(`#${CSS.escape(field.id)}`));
    if (now && sent.has(field.id) && sent.get(field.id) !== field.value) now.value = field.value;
  }
}

/**
 * Shows the parts of a page. What was typed and not sent is lost only to the answer to a form that was sent later, and to another concept.
 * @param {Document} page @param {"update" | "visit" | "answer"} cause @param {Map<string, string>} [sent] for an answer: what was typed when its form was sent
 */
function swap(page, cause, sent = new Map()) {
  listeners.forEach((listener) => listener.before?.());
  /** @type {Element[]} */
  const changed = [];
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh) continue;
    const isMessage = old.id === "toasts" || old.id === "notice";
    const isEdited = cause !== "answer" && isBeingEdited(old) && (cause === "update" || isAboutTheSame(old, fresh));
    if (sent.size > 0) keepTyped(old, fresh, sent);
    if (!isEdited && !(isMessage && cause === "update")) changed.push(...replace(old, fresh));
  }
  listeners.forEach((listener) => listener.after(changed));
}

/** Shows that something is being fetched, unless it comes quickly. @template T @param {Promise<T>} promise @returns {Promise<T>} */
async function announced(promise) {
  const loading = document.getElementById("loading");
  const timer = setTimeout(() => loading?.removeAttribute("hidden"), SLOW);
  pending += 1;
  return promise.finally(() => {
    pending -= 1;
    clearTimeout(timer);
    if (pending === 0) loading?.setAttribute("hidden", "");
  });
}

/** @param {string} url @param {RequestInit} [options] @returns {Promise<[Response, Document]>} */
async function load(url, options) {
  const response = await fetch(url, options);
  return [response, new DOMParser().parseFromString(await response.text(), "text/html")];
}

/** Fetches what has changed on the page of a hierarchy, and any other page as a whole. @param {URL} url @returns {Promise<[Response, Document]>} */
async function loadChanges(url) {
  const isHierarchy = document.querySelector("[data-hierarchy]") && url.pathname === location.pathname;
  if (!isHierarchy || new URL(location.href).searchParams.get("view") !== url.searchParams.get("view")) return load(url.href);
  const parts = [...document.querySelectorAll("[data-versions]")];
  const body = parts.map((part) => `${part.id} ${part.getAttribute("data-versions")}`).join("\n");
  return load(`${url.pathname}/changes${url.search}`, { method: "POST", body, headers: { "content-type": "text/plain" } });
}

/** An address without what belongs to one visit only. @param {URL} url */
function lasting(url) {
  const kept = new URL(url);
  kept.searchParams.delete("done");
  return kept.href;
}

/**
 * Fetches a page and shows its parts.
 * @param {string} address
 * @param {RequestInit & { history?: "keep" | "replace" | "push" }} [options] what happens to the URL that the browser shows
 */
export async function go(address, options = {}) {
  const mine = ++latest;
  const url = new URL(address, location.href);
  const sent = options.method ? typedTexts() : new Map();
  destination = options.method ? "" : url.href;
  // A form is always sent; of several pages, the last one that was asked for.
  const visited = sending.then(() => mine === latest || options.method ? visit(mine, url, options, sent) : undefined);
  if (options.method) sending = visited.catch(() => {});
  await visited.finally(() => {
    if (mine === latest) destination = "";
  });
}

/**
 * Fetches a page and shows its parts, unless a later one was asked for.
 * @param {number} mine @param {URL} url @param {RequestInit & { history?: "keep" | "replace" | "push" }} options @param {Map<string, string>} sent
 */
async function visit(mine, url, options, sent) {
  const [response, page] = await announced(options.method ? load(url.href, options) : loadChanges(url));
  await released;
  // A later click came first; but what became of a form is always shown.
  if (mine !== latest && !options.method) return;
  const isChange = !options.method && new URL(response.url).pathname === `${url.pathname}/changes`;
  const shown = isChange ? url : new URL(response.url);
  const mode = options.history ?? "replace";
  if (shown.pathname === "/login") return location.assign(shown);
  // An error is shown on this page; a redirect elsewhere is another page.
  if (mode !== "keep" && response.ok && shown.pathname !== location.pathname) return location.assign(shown);
  if (response.ok && mode === "push" && lasting(shown) !== location.href) history.pushState(null, "", lasting(shown));
  else if (response.ok && mode === "replace") history.replaceState(null, "", lasting(shown));
  // A page of the campaign says beside the field what was refused; a page that is only about the error has nothing else to show here.
  if (!response.ok && !page.querySelector("[data-live]")) return showError(page.querySelector("[data-error]")?.textContent ?? UNKNOWN_ERROR);
  swap(page, options.method ? "answer" : "visit", sent);
}

/** Whether somebody is asked to confirm something: the form that asks must stay. */
const isAsking = () => document.querySelector("dialog[open]") !== null;

/** Updates the page unless a navigation is pending. @returns {Promise<boolean>} whether it was updated */
export async function refresh() {
  if (pending > 0 || isAsking()) return false;
  const before = latest;
  const [response, page] = await loadChanges(new URL(location.href));
  await released;
  if (before !== latest || !response.ok || isAsking()) return false;
  swap(page, "update");
  return true;
}

document.addEventListener(
  "pointerdown",
  (event) => {
    if (event.button !== 0 || !(/** @type {Element} */ (event.target).closest("[data-live]"))) return;
    released = new Promise((resolve) => {
      const listening = new AbortController();
      const endAfter = (/** @type {number} */ time) =>
        setTimeout(() => {
          listening.abort();
          resolve();
        }, time);
      const options = { capture: true, signal: listening.signal };
      // With a finger, the click is an event of its own that comes later.
      for (const name of ["pointerup", "pointercancel", "contextmenu"]) window.addEventListener(name, () => endAfter(CLICK_TIME), options);
      window.addEventListener("click", () => endAfter(0), options);
    });
  },
  { capture: true },
);

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-swap]");
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  go(url.href, { history: "push" }).catch(() => location.assign(url));
});

window.addEventListener("popstate", () => {
  go(location.href, { history: "keep" }).catch(() => location.reload());
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (event.defaultPrevented || !form.matches("form[data-swap]")) return;
  event.preventDefault();
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, event.submitter)) body.append(name, String(value));
  go(form.action, { method: "POST", body, history: "push" }).catch(() => showError(NO_ANSWER));
});
