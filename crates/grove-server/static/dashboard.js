// What makes the owner's pages live.

import { refresh } from "./live.js";
import { start } from "./tree.js";

const main = document.querySelector("main");
const events = main?.getAttribute("data-events");
let due = false;

/** At most one fetch at a time, and none while the page is not looked at or shows the past. */
async function follow() {
  if (document.hidden || new URL(location.href).searchParams.has("at")) return;
  if (due) return;
  due = true;
  await new Promise((resolve) => setTimeout(resolve, 700));
  await refresh();
  due = false;
}

start();
if (events) {
  new EventSource(events).addEventListener("moved", follow);
  document.addEventListener("visibilitychange", follow);
}
