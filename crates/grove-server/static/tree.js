// The drawing: zoom, pan, search, and concepts that glide to their new places. Its layout is the server's.

import { onSwap } from "./live.js";

const LEAST = 0.2;
const MOST = 4;
/** More concepts than this jump to their places: gliding would cost more than it shows. */
const GLIDING = 300;
let scale = 1;

/** @returns {SVGSVGElement | null} */
const tree = () => /** @type {SVGSVGElement | null} */ (document.querySelector("#tree"));
const canvas = /** @type {HTMLElement | null} */ (document.querySelector("#canvas"));
const still = matchMedia("(prefers-reduced-motion: reduce)");

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

/** Zooms so that what is under a point of the canvas stays there. @param {number} factor @param {number} [x] @param {number} [y] */
function zoom(factor, x, y) {
  if (!canvas) return;
  const [left, top] = [x ?? canvas.clientWidth / 2, y ?? canvas.clientHeight / 2];
  const before = scale;
  scale = Math.min(MOST, Math.max(LEAST, scale * factor));
  const grown = scale / before;
  apply();
  canvas.scrollLeft = (canvas.scrollLeft + left) * grown - left;
  canvas.scrollTop = (canvas.scrollTop + top) * grown - top;
}

/** The whole drawing in view, no smaller and no larger than given. @param {number} [least] @param {number} [most] */
function fit(least = LEAST, most = 2) {
  if (!canvas) return;
  const { width, height } = size();
  const whole = Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
  scale = Math.min(most, Math.max(least, whole));
  apply();
}

/** Marks what is searched for and brings the first into view. @param {string} text @param {boolean} [show] */
function find(text, show = true) {
  const wanted = text.trim().toLocaleLowerCase();
  let first = null;
  for (const node of document.querySelectorAll("#tree .node")) {
    const name = node.getAttribute("data-name") ?? "";
    const found = wanted !== "" && name.toLocaleLowerCase().includes(wanted);
    node.classList.toggle("found", found);
    first ??= found ? node : null;
  }
  if (show) first?.scrollIntoView({ block: "center", inline: "center", behavior: still.matches ? "auto" : "smooth" });
}

/** Dragging the ground moves the drawing; fingers scroll by themselves. @param {HTMLElement} ground */
function pan(ground) {
  /** @type {{ x: number, y: number } | null} */
  let held = null;
  ground.addEventListener("pointerdown", (event) => {
    const onLink = /** @type {Element} */ (event.target).closest("a");
    if (event.pointerType !== "mouse" || event.button !== 0 || onLink) return;
    held = { x: event.clientX + ground.scrollLeft, y: event.clientY + ground.scrollTop };
    ground.setPointerCapture(event.pointerId);
    ground.classList.add("grabbing");
  });
  ground.addEventListener("pointermove", (event) => {
    if (!held) return;
    ground.scrollLeft = held.x - event.clientX;
    ground.scrollTop = held.y - event.clientY;
  });
  const release = () => {
    held = null;
    ground.classList.remove("grabbing");
  };
  ground.addEventListener("pointerup", release);
  ground.addEventListener("pointercancel", release);
}

/** Where every concept is drawn, in the drawing's own units: read from attributes, so that nothing has to be laid out. */
function places() {
  /** @type {Map<string, { x: number, y: number }>} */
  const all = new Map();
  const nodes = document.querySelectorAll("#tree .node");
  if (still.matches || nodes.length > GLIDING) return all;
  for (const node of nodes) {
    const text = node.querySelector("text");
    const [x, y] = [Number(text?.getAttribute("x")), Number(text?.getAttribute("y"))];
    all.set(node.getAttribute("data-key") ?? "", { x, y });
  }
  return all;
}

/** Lets concepts glide from where they were, and new lines fade in. @param {Map<string, { x: number, y: number }>} before */
function glide(before) {
  const now = places();
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

/** Shows the links to other parents of the concept that is pointed at. @param {Event} event */
function light(event) {
  const key = /** @type {Element} */ (event.target).closest(".node")?.getAttribute("data-key");
  document.querySelectorAll("#tree .other.lit").forEach((line) => line.classList.remove("lit"));
  if (key) document.querySelectorAll(`#tree .other[data-key$="-${key}"]`).forEach((line) => line.classList.add("lit"));
}

/** Makes the drawing move, if there is one on the page. */
export function start() {
  if (!canvas) return;
  const search = /** @type {HTMLInputElement | null} */ (document.querySelector("#find"));
  let before = places();
  onSwap({
    before: () => (before = places()),
    after: () => {
      apply();
      if (search?.value) find(search.value, false);
      glide(before);
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
  canvas.addEventListener("pointerover", light);
  canvas.addEventListener("focusin", light);
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
