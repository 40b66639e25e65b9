// Drawings of a hierarchy: zoom by buttons, wheel and two fingers, drag, fit; lines to the other places of the concept pointed at.

import { onSwap } from "./live.js";

/** At most so small: what can be clicked is 26 pixels high, and a finger needs 24 of the screen. */
const MIN_SCALE = 24 / 26;
const MAX_SCALE = 4;
/** Larger drawings are not animated, because that would be too slow. */
const MAX_ANIMATED = 300;
const SVG = "http://www.w3.org/2000/svg";
let scale = 1;
/** Whether somebody chose the scale; if so, a change of the drawing does not change it. */
let isChosen = false;

const drawing = () => /** @type {SVGSVGElement | null} */ (document.querySelector("svg#rows"));
const canvas = /** @type {HTMLElement | null} */ (document.querySelector("#canvas"));
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

function apply() {
  const svg = drawing();
  if (!svg) return;
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute("width", String(width * scale));
  svg.setAttribute("height", String(height * scale));
}

/** Zooms and keeps the given point of the canvas in its place. @param {number} factor @param {number} [x] @param {number} [y] */
function zoom(factor, x, y) {
  if (!canvas) return;
  const [left, top] = [x ?? canvas.clientWidth / 2, y ?? canvas.clientHeight / 2];
  const before = scale;
  isChosen = true;
  scale = Math.min(MAX_SCALE, Math.max(0.2, scale * factor));
  apply();
  canvas.scrollLeft = (canvas.scrollLeft + left) * (scale / before) - left;
  canvas.scrollTop = (canvas.scrollTop + top) * (scale / before) - top;
}

/** Fits the drawing into view as far as it stays readable; if it does not fit, the root is in view. */
function fit() {
  const svg = drawing();
  if (!canvas || !svg) return;
  const { width, height } = svg.viewBox.baseVal;
  const whole = Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
  isChosen = false;
  scale = Math.min(1.3, Math.max(MIN_SCALE, whole));
  apply();
}

/** Scrolls to the root, which stands in the middle of the left side of a tree. */
function showRoot() {
  const root = drawing()?.querySelector('[data-key="0"]');
  if (!canvas || !root) return;
  const [box, at] = [canvas.getBoundingClientRect(), root.getBoundingClientRect()];
  canvas.scrollLeft += at.left - box.left - 16;
  if (at.height < box.height) canvas.scrollTop += at.top + at.height / 2 - box.top - box.height / 2;
}

/** Makes the field behind each name as wide as the name: only the browser knows how wide that is. @param {Element[]} nodes */
function measure(nodes) {
  if (!drawing()?.classList.contains("tree")) return;
  const widths = nodes.map((node) => /** @type {SVGTextElement | null} */ (node.querySelector("a.name > text"))?.getComputedTextLength() ?? 0);
  nodes.forEach((node, at) => {
    if (!widths[at]) return;
    node.querySelector("a.name > rect")?.setAttribute("width", String(Math.ceil(widths[at]) + 8));
    node.querySelector("a.fold")?.setAttribute("transform", `translate(${Math.ceil(widths[at]) + 18} 0)`);
  });
}

/** The place of a node in the drawing. @param {Element} node */
function placeOf(node) {
  const [x, y] = (node.getAttribute("transform") ?? "").match(/-?[\d.]+/g) ?? ["0", "0"];
  return { x: Number(x), y: Number(y) };
}

/** Draws lines to the other places where a concept may belong. @param {Element | null | undefined} node */
function showOthers(node) {
  const svg = drawing();
  if (!svg?.classList.contains("tree")) return;
  svg.querySelector(".others")?.remove();
  const others = node?.getAttribute("data-others");
  if (!node || !others) return;
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", "others");
  group.setAttribute("role", "presentation");
  group.setAttribute("aria-hidden", "true");
  const to = placeOf(node);
  for (const key of others.split(" ")) {
    const other = svg.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!other) continue;
    const at = placeOf(other);
    const from = at.x + Number(other.querySelector("a.name > rect")?.getAttribute("width") ?? 0);
    const line = document.createElementNS(SVG, "path");
    const swing = Math.max(40, (to.x - from) / 2);
    line.setAttribute("d", `M${from} ${at.y}C${from + swing} ${at.y} ${to.x - swing} ${to.y} ${to.x - 5} ${to.y}`);
    line.setAttribute("class", `other${node.classList.contains("differ") ? " differ" : ""}`);
    group.append(line);
  }
  svg.querySelector(".lines")?.after(group);
}

/** Lets the mouse drag the drawing, and two fingers zoom it; one finger scrolls anyway. @param {HTMLElement} area */
function drag(area) {
  /** @type {Map<number, { x: number, y: number }>} */
  const held = new Map();
  let distance = 0;
  const apart = () => {
    const [one, other] = [...held.values()];
    return Math.hypot(one.x - other.x, one.y - other.y);
  };
  area.addEventListener("pointerdown", (event) => {
    const onLink = /** @type {Element} */ (event.target).closest("a");
    if (event.pointerType === "mouse" && (event.button !== 0 || onLink)) return;
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (held.size === 2) distance = apart();
    if (event.pointerType === "mouse") area.classList.add("dragging");
  });
  area.addEventListener("pointermove", (event) => {
    const was = held.get(event.pointerId);
    if (!was) return;
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (event.pointerType === "mouse") area.scrollBy(was.x - event.clientX, was.y - event.clientY);
    if (held.size !== 2) return;
    const [one, other] = [...held.values()];
    const box = area.getBoundingClientRect();
    zoom(apart() / distance, (one.x + other.x) / 2 - box.left, (one.y + other.y) / 2 - box.top);
    distance = apart();
  });
  const release = (/** @type {PointerEvent} */ event) => {
    held.delete(event.pointerId);
    area.classList.remove("dragging");
  };
  for (const name of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) area.addEventListener(name, release);
}

/** The places of all nodes. @returns {Map<string, { x: number, y: number }>} */
function places() {
  const nodes = [...(drawing()?.querySelectorAll(".node") ?? [])];
  if (reducedMotion.matches || nodes.length > MAX_ANIMATED) return new Map();
  return new Map(nodes.map((node) => [node.getAttribute("data-key") ?? "", placeOf(node)]));
}

/** Lets nodes glide from where they were. @param {Map<string, { x: number, y: number }>} before */
function animate(before) {
  if (before.size === 0) return;
  for (const node of drawing()?.querySelectorAll(".node") ?? []) {
    const [from, to] = [before.get(node.getAttribute("data-key") ?? ""), placeOf(node)];
    if (!from || (from.x === to.x && from.y === to.y)) continue;
    const start = { transform: `translate(${from.x}px, ${from.y}px)` };
    node.animate([start, { transform: `translate(${to.x}px, ${to.y}px)` }], { duration: 400, easing: "ease-in-out" });
  }
}

/** Activates the drawing, if the page has one. */
export function start() {
  if (!canvas || !drawing()) return;
  let before = places();
  let size = "";
  onSwap({
    before: () => {
      before = places();
      size = drawing()?.getAttribute("viewBox") ?? "";
    },
    after: (changed) => {
      measure(changed.filter((element) => element.classList.contains("node")));
      if (drawing()?.getAttribute("viewBox") !== size && !isChosen) fit();
      else apply();
      showOthers(drawing()?.querySelector(".node:hover") ?? drawing()?.querySelector(".selected"));
      animate(before);
    },
  });
  measure([...(drawing()?.querySelectorAll(".node") ?? [])]);
  fit();
  showRoot();
  showOthers(drawing()?.querySelector(".selected"));
  document.querySelector("[data-zoom=in]")?.addEventListener("click", () => zoom(1.25));
  document.querySelector("[data-zoom=out]")?.addEventListener("click", () => zoom(0.8));
  document.querySelector("[data-zoom=fit]")?.addEventListener("click", () => {
    fit();
    showRoot();
  });
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.25 : 0.8);
  });
  const point = (/** @type {Event} */ event) => {
    const node = /** @type {Element} */ (event.target).closest(".node");
    showOthers(node ?? drawing()?.querySelector(".selected"));
  };
  canvas.addEventListener("pointerover", point);
  canvas.addEventListener("focusin", point);
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
  drag(canvas);
}
