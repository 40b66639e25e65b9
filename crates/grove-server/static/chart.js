// Reads the main chart aloud where the pointer is.

import { onSwap } from "./live.js";

/** @param {PointerEvent} event */
function read(event) {
  const plot = /** @type {Element} */ (event.target).closest(".plot");
  const readout = document.querySelector("[data-readout]");
  if (!plot || !readout) return;
  const box = plot.getBoundingClientRect();
  const at = (100 * (event.clientX - box.left)) / box.width;
  const points = (plot.getAttribute("data-points") ?? "").split(";").filter((point) => point);
  const near = points.map((point) => ({ x: Number(point.split(" ", 1)[0]), point })).sort((a, b) => Math.abs(a.x - at) - Math.abs(b.x - at))[0];
  if (!near) return;
  plot.querySelector(".cursor")?.setAttribute("d", `M${near.x} 0V100`);
  readout.textContent = near.point.split(" ").slice(2).join(" ");
}

/** Activates the chart, if the page has one. */
export function start() {
  const listen = () => {
    const plot = /** @type {SVGElement | null} */ (document.querySelector("[data-chart] .plot"));
    plot?.addEventListener("pointermove", read);
  };
  listen();
  onSwap({ after: listen });
}
