// What is said to people: how long ago things were, questions before what is hard to take back, and messages that go by themselves.

import { onSwap } from "./live.js";

/** A message stays so long, and longer while somebody points at it. */
const TOAST_TIME = 12_000;
const REFRESH = 30_000;
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60]];

/** Writes times as people say them: "5 minutes ago". Those long ago stay as they are. */
function tellTimes() {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", { numeric: "auto" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const element = /** @type {HTMLTimeElement} */ (time);
    element.title ||= element.textContent ?? "";
    const seconds = (new Date(element.dateTime).getTime() - Date.now()) / 1000;
    const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
    const isLongAgo = Math.abs(seconds) > 6 * 86_400;
    const text = isLongAgo ? element.title : Math.abs(seconds) < 60 ? "just now" : words.format(Math.trunc(seconds / length), unit);
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Asks before a form is sent. @param {SubmitEvent} event */
function confirm(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const question = form.getAttribute("data-confirm");
  if (!question || form.hasAttribute("data-confirmed")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const dialog = document.createElement("dialog");
  dialog.className = "confirmation";
  dialog.setAttribute("aria-label", "Please confirm");
  const text = document.createElement("p");
  text.textContent = question;
  text.dir = "auto";
  const buttons = document.createElement("form");
  buttons.method = "dialog";
  for (const [value, label] of [["no", "Cancel"], ["yes", event.submitter?.textContent?.replace("…", "") || "Yes"]]) {
    const button = document.createElement("button");
    button.value = value;
    button.textContent = label;
    button.className = value === "yes" ? (event.submitter?.classList.contains("danger") ? "danger" : "primary") : "";
    buttons.append(button);
  }
  dialog.append(text, buttons);
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue !== "yes") return;
    form.setAttribute("data-confirmed", "");
    form.requestSubmit(/** @type {HTMLElement | null} */ (event.submitter));
    form.removeAttribute("data-confirmed");
  });
  dialog.showModal();
}

/** Lets a message go after a while. */
function expireToast() {
  const toast = document.querySelector("#toasts .toast:not([data-seen], .error)");
  if (!toast) return;
  toast.setAttribute("data-seen", "");
  const leave = () => (toast.matches(":hover, :focus-within") ? setTimeout(leave, 2_000) : toast.remove());
  setTimeout(leave, TOAST_TIME);
}

/** Activates all of it. This has to come before the script that sends forms. */
export function start() {
  document.addEventListener("submit", confirm, { capture: true });
  const refresh = () => {
    tellTimes();
    expireToast();
  };
  refresh();
  onSwap({ after: refresh });
  setInterval(tellTimes, REFRESH);
  const url = new URL(location.href);
  if (url.searchParams.has("done")) {
    url.searchParams.delete("done");
    history.replaceState(null, "", url);
  }
}
