// Answers without reloading the page, by keys too, and keeps an answer until the server has it.
// Without this file the page's form does the same, one load at a time.

/** @typedef {{ body: string, url: string }} Kept an answer as the form would send it; its vote id makes sending it twice harmless. */

const QUEUE = `grove:kept:${location.pathname}`;
const KEYS = "grove:keys";
const answers = { y: "yes", n: "no", s: "cant_say" };
let busy = false;

document.documentElement.classList.add("script");

/** @returns {Kept | null} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(QUEUE) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Kept | null} answer */
function keep(answer) {
  try {
    if (answer) localStorage.setItem(QUEUE, JSON.stringify(answer));
    else localStorage.removeItem(QUEUE);
  } catch {
    // A browser that keeps nothing still sends.
  }
}

/** @param {string} text */
function say(text) {
  const status = document.querySelector(".status");
  if (status) status.textContent = text;
}

/** @param {string} name */
function words(name) {
  return document.querySelector("main")?.getAttribute(`data-${name}`) ?? "";
}

/** @param {string} html */
function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const fresh = page.querySelector("main");
  if (!fresh) return location.reload();
  document.querySelector("main")?.replaceWith(fresh);
  document.title = page.title;
  prepare();
  // For those who hear the page, and for keys, which must not go to a button that is gone.
  /** @type {HTMLElement | null} */ (document.querySelector("[data-focus]"))?.focus();
}

/** Sends what is kept until it is answered. */
async function send() {
  const answer = kept();
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
    keep(null);
    busy = false;
    show(await response.text());
  } catch {
    busy = false;
    say(words("kept"));
    setTimeout(send, 3000);
  }
}

/** @param {HTMLFormElement} form @param {string} [answer] */
function submit(form, answer) {
  if (busy || kept()) return;
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) data.append(name, String(value));
  if (answer) data.append("answer", answer);
  keep({ body: data.toString(), url: form.action });
  if (!kept()) return form.submit();
  send();
}

function keysAreOn() {
  return localStorage.getItem(KEYS) !== "off";
}

function prepare() {
  const box = /** @type {HTMLInputElement | null} */ (document.querySelector("#keys"));
  document.documentElement.classList.toggle("no-keys", !keysAreOn());
  if (!box) return;
  box.checked = keysAreOn();
  box.addEventListener("change", () => {
    localStorage.setItem(KEYS, box.checked ? "on" : "off");
    document.documentElement.classList.toggle("no-keys", !box.checked);
  });
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("[data-kept]")) return;
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
if (kept()) send();
