// The keyboard in a tree, as the ARIA Authoring Practices describe it: one tab stop, arrow keys move, Enter selects.

import { select, toggle } from "./hierarchy.js";
import { onSwap } from "./live.js";

/** What somebody types to jump to a name is forgotten after so many milliseconds. */
const TYPING = 700;

const tree = () => /** @type {HTMLElement | null} */ (document.querySelector("#rows[data-tree]"));

/** @returns {HTMLElement[]} */
const items = () => /** @type {HTMLElement[]} */ ([...(tree()?.querySelectorAll("[data-level]") ?? [])]);

/** @param {Element} item */
const level = (item) => Number(item.getAttribute("data-level"));

/** Gives a row the role, the level and the state that assistive technology reads. @param {Element} item */
function describe(item) {
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-level", item.getAttribute("data-level") ?? "1");
  item.setAttribute("tabindex", "-1");
  const fold = item.getAttribute("data-fold");
  if (fold) item.setAttribute("aria-expanded", String(fold === "open"));
  item.setAttribute("aria-selected", String(item.classList.contains("selected")));
  for (const link of item.querySelectorAll("a")) {
    // The row is the tab stop; its links are for the mouse.
    link.setAttribute("tabindex", "-1");
    if (link.classList.contains("fold")) link.setAttribute("aria-hidden", "true");
  }
}

/** Makes one row the tab stop: the focused one, the selected one, or the first. */
function setTabStop() {
  const all = items();
  const focused = all.find((item) => item === document.activeElement);
  const stop = focused ?? all.find((item) => item.classList.contains("selected")) ?? all[0];
  all.forEach((item) => item.getAttribute("tabindex") === "0" && item !== stop && item.setAttribute("tabindex", "-1"));
  stop?.setAttribute("tabindex", "0");
}

/** @param {HTMLElement | undefined} item */
function focus(item) {
  if (!item) return;
  item.focus();
  item.scrollIntoView({ block: "nearest", inline: "nearest" });
  setTabStop();
}

let typed = "";
let typedAt = 0;

/** The next item whose name begins with what was typed. @param {HTMLElement[]} all @param {number} from @param {string} key */
function search(all, from, key) {
  typed = Date.now() - typedAt > TYPING ? key : typed + key;
  typedAt = Date.now();
  const start = typed.length === 1 ? from + 1 : from;
  const inTurn = [...all.slice(start), ...all.slice(0, start)];
  const name = (/** @type {Element} */ item) => (item.getAttribute("data-name") ?? "").toLocaleLowerCase();
  return inTurn.find((item) => name(item).startsWith(typed.toLocaleLowerCase()));
}

/** The parent of an item. @param {HTMLElement[]} all @param {number} at */
const parent = (all, at) => all.slice(0, at).reverse().find((other) => level(other) < level(all[at]));

/** @param {KeyboardEvent} event */
function press(event) {
  const all = items();
  const at = all.indexOf(/** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest("[data-level]")));
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const item = all[at];
  const fold = item.getAttribute("data-fold");
  const isRightToLeft = getComputedStyle(item).direction === "rtl";
  const [inward, outward] = isRightToLeft ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  if (event.key === "ArrowDown") focus(all[at + 1]);
  else if (event.key === "ArrowUp") focus(all[at - 1]);
  else if (event.key === "Home") focus(all[0]);
  else if (event.key === "End") focus(all[all.length - 1]);
  else if (event.key === inward && fold === "closed") toggle(item);
  else if (event.key === inward && fold === "open") focus(all[at + 1]);
  else if (event.key === outward && fold === "open") toggle(item);
  else if (event.key === outward) focus(parent(all, at));
  else if (event.key === "Enter" || event.key === " ") select(item);
  else if (event.key.length === 1 && event.key !== "+" && event.key !== "-") focus(search(all, at, event.key));
  else return;
  event.preventDefault();
}

/** Activates the keyboard, if the page has a tree. */
export function start() {
  if (!tree()) return;
  const prepare = (/** @type {Element[]} */ changed) => {
    tree()?.setAttribute("role", "tree");
    for (const element of changed) {
      if (element.hasAttribute("data-level")) describe(element);
      else element.querySelectorAll("[data-level]").forEach(describe);
    }
    for (const lines of tree()?.querySelectorAll(".lines, .others") ?? []) lines.setAttribute("role", "presentation");
    setTabStop();
  };
  prepare(items());
  onSwap({ after: prepare });
  document.addEventListener("keydown", (event) => {
    if (/** @type {Element} */ (event.target).closest("#rows")) press(event);
  });
  document.addEventListener("focusin", (event) => {
    if (/** @type {Element} */ (event.target).matches("#rows [data-level]")) setTabStop();
  });
}
