// The slider over a campaign's history, and the play button.

import { go, onSwap, present } from "./live.js";

/** The number of frames of a whole history, and the milliseconds for each. */
const FRAMES = 60;
const FRAME_TIME = 150;

/** Activates the slider, if the page has one. */
export function start() {
  const slider = /** @type {HTMLInputElement | null} */ (document.querySelector("#at"));
  const button = document.querySelector("[data-play]");
  if (!slider) return;
  let playing = false;
  let wanted = "";

  /** Shows the hierarchy at the slider's position. While a fetch is pending, only the latest position is remembered. */
  const show = async () => {
    const busy = wanted !== "";
    wanted = slider.value;
    if (busy) return;
    while (wanted !== "") {
      const value = wanted;
      const url = present();
      if (value === slider.max) url.searchParams.delete("at");
      else url.searchParams.set("at", value);
      await go(url.href).catch(() => {});
      if (wanted === value) wanted = "";
    }
  };
  const stop = () => {
    playing = false;
    button?.setAttribute("aria-label", "Play the history");
    if (button) button.textContent = "▶";
  };
  const play = async () => {
    playing = true;
    button?.setAttribute("aria-label", "Stop");
    if (button) button.textContent = "❚❚";
    if (slider.value === slider.max) slider.value = "1";
    while (playing && slider.value !== slider.max) {
      const step = Math.max(1, Math.round(Number(slider.max) / FRAMES));
      const pause = new Promise((resolve) => setTimeout(resolve, FRAME_TIME));
      await show();
      slider.value = String(Math.min(Number(slider.max), Number(slider.value) + step));
      await pause;
    }
    await show();
    stop();
  };

  slider.addEventListener("input", () => {
    playing = false;
    show();
  });
  button?.addEventListener("click", () => (playing ? stop() : play()));
  onSwap({
    after: () => {
      const now = !new URL(location.href).searchParams.has("at");
      slider.max = document.querySelector("#when")?.getAttribute("data-head") ?? slider.max;
      if (now && !playing && wanted === "") slider.value = slider.max;
    },
  });
}
