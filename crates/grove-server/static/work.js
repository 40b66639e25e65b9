// Sends answers without reloading the page, supports keyboard shortcuts, and stores an answer until the server has it.
// Without this script the form does the same with a page load per answer.

/** @typedef {{ body: string, url: string }} Queued an answer as the form would send it; its vote id makes sending it twice harmless. */

const QUEUE = `grove:kept:${location.pathname}`;
const KEYS = "grove:keys";
const answers = { y: "yes", n: "no", s: "cant_say" };
let busy = false;

document.documentElement.classList.add("has-script");

/** @returns {Queued | null} */
function queued() {
  try {
    return JSON.parse(localStorage.getItem(QUEUE) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Queued | null} answer */
function enqueue(answer) {
  try {
    if (answer) localStorage.setItem(QUEUE, JSON.stringify(answer));
    else localStorage.removeItem(QUEUE);
  } catch {
    // Without storage the answer is still sent.
  }
}

/** @param {string} text */
function setStatus(text) {
  const status = document.querySelector(".status");
  if (status) status.textContent = text;
}

/** @param {string} html */
function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const fresh = page.querySelector("main");
  if (!fresh) return location.reload();
  document.querySelector("main")?.replaceWith(fresh);
  document.title = page.title;
  prepare();
  // Screen readers announce the new question, and keys do not go to a button that is gone.
  /** @type {HTMLElement | null} */ (document.querySelector("[data-focus]"))?.focus();
}

/** Sends the queued answer until the server has it. */
async function send() {
  const answer = queued();
  if (!answer || busy) return;
  busy = true;
  try {
    const response = await fetch(answer.url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: answer.body,
      signal: AbortSignal.timeout(20000),
    });
    if ([408, 429, 502, 503, 504, 507].includes(response.status)) throw new Error(String(response.status));
    enqueue(null);
    busy = false;
    show(await response.text());
  } catch {
    busy = false;
    setStatus(document.querySelector("main")?.getAttribute("data-queued-text") ?? "");
    setTimeout(send, 3000);
  }
}

/** @param {HTMLFormElement} form @param {string} [answer] */
function submit(form, answer) {
  if (busy || queued()) return;
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) data.append(name, String(value));
  if (answer) data.append("answer", answer);
  enqueue({ body: data.toString(), url: form.action });
  if (!queued()) return form.submit();
  send();
}

function keysAreOn() {
  return localStorage.getItem(KEYS) !== "off";
}

function prepare() {
  const box = /** @type {HTMLInputElement | null} */ (document.querySelector("#keys"));
  document.documentElement.classList.toggle("keys-off", !keysAreOn());
  if (!box) return;
  box.checked = keysAreOn();
  box.addEventListener("change", () => {
    localStorage.setItem(KEYS, box.checked ? "on" : "off");
    document.documentElement.classList.toggle("keys-off", !box.checked);
  });
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("[data-queued]")) return;
  event.preventDefault();
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  submit(form, button?.name === "answer" ? button.value : undefined);
});

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches("textarea, select, input:not([type=checkbox])") || target.isContentEditable;
  if (typing || event.ctrlKey || event.altKey || event.metaKey || event.repeat || !keysAreOn()) return;
  const key = event.key.toLowerCase();
  const form = /** @type {HTMLFormElement | null} */ (
    document.querySelector(key === "z" ? "form[data-undo]" : "form[data-vote]")
  );
  if (!form || !(key === "z" || key in answers)) return;
  event.preventDefault();
  submit(form, answers[/** @type {keyof typeof answers} */ (key)]);
});

window.addEventListener("online", send);
prepare();
if (queued()) send();
