// The drawing: zoom, pan, search. Its layout is the server's.

import { go, onSwap } from "./live.js";

const LEAST = 0.2;
const MOST = 4;
let scale = 1;

/** @returns {SVGSVGElement | null} */
const tree = () => /** @type {SVGSVGElement | null} */ (document.querySelector("#tree"));
const canvas = /** @type {HTMLElement | null} */ (document.querySelector("#canvas"));

function size() {
  const svg = tree();
  if (!svg) return { width: 1, height: 1 };
  return { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height };
}

function apply() {
  const { width, height } = size();
  tree()?.setAttribute("width", String(width * scale));
  tree()?.setAttribute("height", String(height * scale));
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

function fit() {
  if (!canvas) return;
  const { width, height } = size();
  scale = Math.min(MOST, Math.max(LEAST, Math.min(canvas.clientWidth / width, canvas.clientHeight / height)));
  apply();
}

/** Marks what is searched for and brings the first into view. @param {string} text */
function find(text) {
  const wanted = text.trim().toLocaleLowerCase();
  let first = null;
  for (const node of document.querySelectorAll("#tree .node")) {
    const name = node.getAttribute("data-name") ?? "";
    const found = wanted !== "" && name.toLocaleLowerCase().includes(wanted);
    node.classList.toggle("found", found);
    first ??= found ? node : null;
  }
  first?.scrollIntoView({ block: "center", inline: "center", behavior: "smooth" });
}

/** Dragging the ground moves the drawing; fingers scroll by themselves. */
function pan() {
  /** @type {{ x: number, y: number } | null} */
  let held = null;
  canvas?.addEventListener("pointerdown", (event) => {
    const onLink = /** @type {Element} */ (event.target).closest("a");
    if (event.pointerType !== "mouse" || event.button !== 0 || onLink) return;
    held = { x: event.clientX + canvas.scrollLeft, y: event.clientY + canvas.scrollTop };
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("grabbing");
  });
  canvas?.addEventListener("pointermove", (event) => {
    if (!held) return;
    canvas.scrollLeft = held.x - event.clientX;
    canvas.scrollTop = held.y - event.clientY;
  });
  const release = () => {
    held = null;
    canvas?.classList.remove("grabbing");
  };
  canvas?.addEventListener("pointerup", release);
  canvas?.addEventListener("pointercancel", release);
}

/** The slider over the history, and playing it. */
function replay() {
  const slider = /** @type {HTMLInputElement | null} */ (document.querySelector("#at"));
  if (!slider) return;
  let playing = 0;
  const show = async () => {
    const url = new URL(location.href);
    if (slider.value === slider.max) url.searchParams.delete("at");
    else url.searchParams.set("at", slider.value);
    await go(url.href);
  };
  slider.addEventListener("change", () => show().catch(() => {}));
  const button = document.querySelector("[data-play]");
  button?.addEventListener("click", async () => {
    const run = (playing = playing ? 0 : Date.now());
    if (!run) return;
    if (slider.value === slider.max) slider.value = "1";
    while (playing === run && slider.value !== slider.max) {
      const step = Math.max(1, Math.round(Number(slider.max) / 60));
      slider.value = String(Math.min(Number(slider.max), Number(slider.value) + step));
      await show().catch(() => (playing = 0));
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    playing = 0;
  });
}

/** Makes the drawing move, if there is one on the page. */
export function start() {
  if (!canvas) return;
  const search = /** @type {HTMLInputElement | null} */ (document.querySelector("#find"));
  onSwap(() => {
    apply();
    if (search?.value) find(search.value);
  });
  document.querySelector("[data-zoom=in]")?.addEventListener("click", () => zoom(1.25));
  document.querySelector("[data-zoom=out]")?.addEventListener("click", () => zoom(0.8));
  document.querySelector("[data-zoom=fit]")?.addEventListener("click", fit);
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.25 : 0.8);
  });
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
  pan();
  replay();
}
