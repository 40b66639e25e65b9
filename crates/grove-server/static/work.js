// Shows the next question at once, sends answers in the background and keeps them until the server has them; keyboard shortcuts.
// Without this script the form does the same with a page load per answer.

/** @typedef {{ body: string, url: string }} Queued an answer as the form would send it; its vote id makes sending it twice harmless. */

const QUEUE = `grove:kept:${location.pathname}`;
const KEYS = "grove:keys";
/** What is kept where there is no storage. @type {Map<string, string>} */
const memory = new Map();
let busy = false;
let shownAt = performance.now();

document.documentElement.classList.add("has-script");

/** @template {Element} E @param {string} selector @param {ParentNode} [within] @returns {E | null} */
const find = (selector, within = document) => within.querySelector(selector);

/** @param {string} key @returns {string | null} */
function load(key) {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

/** @param {string} key @param {string} value */
function store(key, value) {
  memory.set(key, value);
  try {
    localStorage.setItem(key, value);
    memory.delete(key);
  } catch {
    // Private windows may have no storage; then it is kept as long as the page is open.
  }
}

/** @returns {Queued[]} */
function queued() {
  try {
    const kept = JSON.parse(load(QUEUE) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** @param {string} name */
function setStatus(name) {
  const status = find(".status");
  if (status) status.textContent = find("main")?.getAttribute(`data-${name}-text`) ?? "";
}

/** The screen that a part of the page shows, as text. @param {ParentNode | null} [part] */
function screenOf(part) {
  return part ? (/** @type {HTMLInputElement | null} */ (find("[name=screen]", part))?.value ?? "") : "";
}

function focus() {
  shownAt = performance.now();
  const search = matchMedia("(hover: hover)").matches ? find("[data-search]") : null;
  // Screen readers announce the new question, and keys do not go to a button that is gone.
  /** @type {HTMLElement | null} */ (search ?? find("[data-focus]"))?.focus();
}

/** Shows a page of the server. What is shown already, because it was sent ahead, stays as it is, if such questions are still asked. @param {string} html */
function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const [fresh, old] = [find("main", page), find("main")];
  if (!fresh || !old) return location.reload();
  const [next, shown] = [find(".screen", fresh), find(".screen", old)];
  const forms = (fresh.getAttribute("data-forms") ?? "").split(" ");
  const stays = next && shown && shown.matches("[data-ahead]") && forms.includes(shown.getAttribute("data-form") ?? "");
  if (stays) next.replaceWith(shown);
  old.replaceWith(fresh);
  document.title = page.title;
  if (stays) shown.removeAttribute("data-ahead");
  // Moving a part of the page takes the focus from it.
  if (!stays) focus();
  else if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (find("[data-focus]"))?.focus();
  prepare();
}

/** Sends what is queued, one answer after the other, until the server has it. */
async function send() {
  const [answer] = queued();
  if (!answer || busy) return;
  busy = true;
  setStatus("sending");
  let wait = 0;
  try {
    const response = await fetch(answer.url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", "grove-script": "1" },
      body: answer.body,
      signal: AbortSignal.timeout(20000),
    });
    if (response.status === 429) {
      wait = 1000 * Math.min(Number(response.headers.get("retry-after")) || 3, 30);
      setStatus("busy");
    } else if ([408, 502, 503, 504, 507].includes(response.status)) {
      throw new Error(String(response.status));
    } else {
      store(QUEUE, JSON.stringify(queued().slice(1)));
      show(await response.text());
    }
  } catch {
    wait = 3000;
    setStatus("queued");
  }
  busy = false;
  if (wait) setTimeout(send, wait);
  else send();
}

/** @param {HTMLFormElement} form @param {string} [answer] */
function submit(form, answer) {
  const isVote = form.matches("[data-vote]");
  const id = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("id"))?.value ?? "\n";
  if (queued().some(({ body }) => body.includes(id))) return;
  if (answer === "ticked" && !find(":checked", form)) return setStatus("tick");
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) data.append(name, String(value));
  if (answer) data.append("answer", answer);
  const ahead = /** @type {HTMLTemplateElement | null} */ (find("#ahead"));
  if (isVote) {
    data.append("took_ms", String(Math.round(performance.now() - shownAt)));
    if (ahead) data.append("ahead", screenOf(ahead.content));
  }
  store(QUEUE, JSON.stringify([...queued(), { body: data.toString(), url: form.action }]));
  find(".screen")?.setAttribute("aria-busy", "true");
  if (isVote && ahead && navigator.onLine) {
    const next = /** @type {Element} */ (ahead.content.firstElementChild);
    next.setAttribute("data-ahead", "");
    find(".screen")?.replaceWith(next);
    ahead.remove();
    focus();
    prepare();
  }
  send();
}

const keysAreOn = () => load(KEYS) !== "off";

function prepare() {
  const box = /** @type {HTMLInputElement | null} */ (find("#keys"));
  document.documentElement.classList.toggle("keys-off", !keysAreOn());
  if (box) {
    box.checked = keysAreOn();
    box.onchange = () => {
      store(KEYS, box.checked ? "on" : "off");
      document.documentElement.classList.toggle("keys-off", !box.checked);
    };
  }
  const places = /** @type {HTMLElement | null} */ (find(".places"));
  if (places && !places.dataset.ready) search(places);
}

/** Case and accents make no difference. @param {string} text */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Finds a place by typing, in the tree. @param {HTMLElement} places */
async function search(places) {
  places.dataset.ready = "";
  const input = /** @type {HTMLInputElement} */ (find("[data-search]", places));
  const list = /** @type {HTMLElement} */ (find("ul", places));
  const form = /** @type {HTMLFormElement} */ (places.closest("form"));
  const response = await fetch(places.dataset.places ?? "");
  if (!response.ok) return;
  /** @type {[number, number, string][]} */
  const all = (await response.json()).filter((/** @type {number[]} */ [number]) => String(number) !== places.dataset.lower);
  let at = -1;
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "true", "aria-autocomplete": "list", "aria-controls": list.id }))
    input.setAttribute(name, value);
  list.hidden = false;
  const mark = (/** @type {number} */ to) => {
    at = Math.max(-1, Math.min(to, list.children.length - 1));
    for (const [nth, item] of [...list.children].entries()) item.setAttribute("aria-selected", String(nth === at));
    const marked = list.children[at];
    marked?.scrollIntoView({ block: "nearest" });
    if (marked) input.setAttribute("aria-activedescendant", marked.id);
    else input.removeAttribute("aria-activedescendant");
  };
  const fill = () => {
    const typed = plain(input.value.trim());
    const starts = (/** @type {string} */ name) => Number(!plain(name).startsWith(typed));
    let found = all.filter(([, , name]) => plain(name).includes(typed));
    if (typed) found = found.toSorted((a, b) => starts(a[2]) - starts(b[2]));
    list.replaceChildren(
      ...found.slice(0, 300).map(([number, depth, name]) => {
        const item = document.createElement("li");
        item.id = `place-${number}`;
        item.setAttribute("role", "option");
        item.dataset.number = String(number);
        item.className = typed ? "" : `depth-${Math.min(depth, 8)}`;
        const text = document.createElement("bdi");
        text.textContent = name;
        item.append(text);
        return item;
      }),
    );
    mark(typed && found.length ? 0 : -1);
  };
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      mark(at + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const chosen = /** @type {HTMLElement | undefined} */ (list.children[at]);
      if (chosen) submit(form, chosen.dataset.number);
      else if (input.value.trim()) setStatus("unknown");
    }
  });
  list.addEventListener("click", (event) => {
    const item = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("li"));
    if (item) submit(form, item.dataset.number);
  });
  fill();
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
  const undo = /** @type {HTMLFormElement | null} */ (find("form[data-undo]"));
  const control = /** @type {HTMLButtonElement | HTMLInputElement | null} */ (
    /^[a-z0-9]+$/.test(key) ? find(`form[data-vote] [data-key="${key}"]`) : null
  );
  // Enter on a button or a link is for that one.
  if (key === "enter" && target.matches("button, a, #keys")) return;
  if (key === "z" && undo) submit(undo);
  else if (control?.type === "checkbox") control.click();
  else if (control?.form) submit(control.form, control.value);
  else return;
  event.preventDefault();
});

window.addEventListener("online", send);
prepare();
if (queued().length) send();
