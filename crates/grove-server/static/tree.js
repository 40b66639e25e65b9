// The tree: zoom, pan, search, and animated changes. The server computes its layout.

import { onSwap } from "./live.js";

const MIN_SCALE = 0.2;
const MAX_SCALE = 4;
/** Larger trees are not animated, because that would be too slow. */
const MAX_ANIMATED = 300;
let scale = 1;

/** @returns {SVGSVGElement | null} */
const tree = () => /** @type {SVGSVGElement | null} */ (document.querySelector("#tree"));
const canvas = /** @type {HTMLElement | null} */ (document.querySelector("#canvas"));
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

function size() {
  const svg = tree();
  if (!svg) return { width: 1, height: 1 };
  return { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height };
}

function apply() {
  const svg = tree();
  for (const [name, length] of Object.entries(size())) {
    const scaled = String(length * scale);
    if (svg?.getAttribute(name) !== scaled) svg?.setAttribute(name, scaled);
  }
}

/** Zooms and keeps the given point of the canvas in its place. @param {number} factor @param {number} [x] @param {number} [y] */
function zoom(factor, x, y) {
  if (!canvas) return;
  const [left, top] = [x ?? canvas.clientWidth / 2, y ?? canvas.clientHeight / 2];
  const before = scale;
  scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale * factor));
  const grown = scale / before;
  apply();
  canvas.scrollLeft = (canvas.scrollLeft + left) * grown - left;
  canvas.scrollTop = (canvas.scrollTop + top) * grown - top;
}

/** Fits the whole tree into view, within limits. @param {number} [min] @param {number} [max] */
function fit(min = MIN_SCALE, max = 2) {
  if (!canvas) return;
  const { width, height } = size();
  const whole = Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
  scale = Math.min(max, Math.max(min, whole));
  apply();
}

/** Highlights matching concepts and scrolls to the first. @param {string} text @param {boolean} [show] */
function find(text, show = true) {
  const wanted = text.trim().toLocaleLowerCase();
  let first = null;
  for (const node of document.querySelectorAll("#tree .node")) {
    const name = node.getAttribute("data-name") ?? "";
    const found = wanted !== "" && name.toLocaleLowerCase().includes(wanted);
    node.classList.toggle("found", found);
    first ??= found ? node : null;
  }
  if (show) first?.scrollIntoView({ block: "center", inline: "center", behavior: reducedMotion.matches ? "auto" : "smooth" });
}

/** Lets the mouse drag the tree; touch screens scroll anyway. @param {HTMLElement} area */
function pan(area) {
  /** @type {{ x: number, y: number } | null} */
  let held = null;
  area.addEventListener("pointerdown", (event) => {
    const onLink = /** @type {Element} */ (event.target).closest("a");
    if (event.pointerType !== "mouse" || event.button !== 0 || onLink) return;
    held = { x: event.clientX + area.scrollLeft, y: event.clientY + area.scrollTop };
    area.setPointerCapture(event.pointerId);
    area.classList.add("dragging");
  });
  area.addEventListener("pointermove", (event) => {
    if (!held) return;
    area.scrollLeft = held.x - event.clientX;
    area.scrollTop = held.y - event.clientY;
  });
  const release = () => {
    held = null;
    area.classList.remove("dragging");
  };
  area.addEventListener("pointerup", release);
  area.addEventListener("pointercancel", release);
}

/** The positions of all concepts in SVG units, read from attributes to avoid a layout. */
function positions() {
  /** @type {Map<string, { x: number, y: number }>} */
  const all = new Map();
  const nodes = document.querySelectorAll("#tree .node");
  if (reducedMotion.matches || nodes.length > MAX_ANIMATED) return all;
  for (const node of nodes) {
    const text = node.querySelector("text");
    const [x, y] = [Number(text?.getAttribute("x")), Number(text?.getAttribute("y"))];
    all.set(node.getAttribute("data-key") ?? "", { x, y });
  }
  return all;
}

/** Animates concepts from their old positions, and fades new lines in. @param {Map<string, { x: number, y: number }>} before */
function animate(before) {
  const now = positions();
  let moved = false;
  for (const node of document.querySelectorAll("#tree .node")) {
    const [from, to] = [before.get(node.getAttribute("data-key") ?? ""), now.get(node.getAttribute("data-key") ?? "")];
    if (!from || !to || (from.x === to.x && from.y === to.y)) continue;
    moved = true;
    const start = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
    node.animate([{ transform: start }, { transform: "none" }], { duration: 450, easing: "ease-in-out" });
  }
  if (moved) document.querySelector("#tree .lines")?.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 600, easing: "ease-in" });
}

/** Highlights the edges to alternative parents of the concept under the pointer. @param {Event} event */
function highlightAlternatives(event) {
  const key = /** @type {Element} */ (event.target).closest(".node")?.getAttribute("data-key");
  document.querySelectorAll("#tree .alternative.highlighted").forEach((line) => line.classList.remove("highlighted"));
  if (key) document.querySelectorAll(`#tree .alternative[data-key$="-${key}"]`).forEach((line) => line.classList.add("highlighted"));
}

/** Activates the tree, if the page has one. */
export function start() {
  if (!canvas) return;
  const search = /** @type {HTMLInputElement | null} */ (document.querySelector("#find"));
  let before = positions();
  onSwap({
    before: () => (before = positions()),
    after: () => {
      apply();
      if (search?.value) find(search.value, false);
      animate(before);
    },
  });
  fit(0.7, 1.3);
  if (search?.value) find(search.value);
  document.querySelector("[data-zoom=in]")?.addEventListener("click", () => zoom(1.25));
  document.querySelector("[data-zoom=out]")?.addEventListener("click", () => zoom(0.8));
  document.querySelector("[data-zoom=fit]")?.addEventListener("click", () => fit());
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.25 : 0.8);
  });
  canvas.addEventListener("pointerover", highlightAlternatives);
  canvas.addEventListener("focusin", highlightAlternatives);
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    },
    { passive: false },
  );
  search?.addEventListener("input", () => find(search.value));
  document.querySelector("[data-search]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    find(search?.value ?? "");
  });
  pan(canvas);
}
