// A new campaign, step by step, with a preview that follows what is typed. Without this script all steps are on the page at once.

const DELAY = 350;

/** Activates the form, if the page has it. */
export function start() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-wizard]"));
  if (!form) return;
  const steps = /** @type {HTMLElement[]} */ ([...form.querySelectorAll("section[data-step]")]);
  const [back, next, create] = ["back", "next", "create"].map((name) => /** @type {HTMLElement | null} */ (form.querySelector(`[data-${name}]`)));
  const refused = /** @type {HTMLElement | null} */ (form.querySelector("[aria-invalid=true]"));
  let present = Math.max(0, steps.findIndex((step) => step.contains(refused)));

  /** @param {number} to @param {boolean} [byHand] */
  const show = (to, byHand = true) => {
    present = to;
    steps.forEach((step, at) => (step.hidden = at !== present));
    if (back) back.hidden = present === 0;
    if (next) next.hidden = present === steps.length - 1;
    if (create) create.hidden = present !== steps.length - 1;
    document.querySelectorAll("[data-step-name]").forEach((name, at) => {
      if (at === present) name.setAttribute("aria-current", "step");
      else name.removeAttribute("aria-current");
    });
    if (byHand) steps[present].querySelector("h2")?.scrollIntoView({ block: "nearest" });
  };
  /** Whether all fields of the present step are filled; if not, the browser says which is not. */
  const isFilled = () => {
    const fields = /** @type {HTMLInputElement[]} */ ([...steps[present].querySelectorAll("input, textarea, select")]);
    const wrong = fields.find((field) => !field.checkValidity());
    wrong?.reportValidity();
    return !wrong;
  };
  back?.addEventListener("click", () => show(present - 1));
  next?.addEventListener("click", () => isFilled() && show(present + 1));
  form.addEventListener("submit", (event) => {
    // Enter in a field goes on to the next step.
    const isCreated = event.submitter === create && present === steps.length - 1;
    if (isCreated) return;
    event.preventDefault();
    if (present < steps.length - 1 && isFilled()) show(present + 1);
  });

  for (const radio of form.querySelectorAll("[data-forms]")) {
    radio.addEventListener("change", () => {
      const forms = (radio.getAttribute("data-forms") ?? "").split(" ");
      const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[type=checkbox]"));
      for (const box of boxes) box.checked = forms.includes(box.name);
    });
  }

  let timer = 0;
  let latest = 0;
  const preview = async () => {
    const mine = ++latest;
    const response = await fetch("/campaigns/new/preview", { method: "POST", body: new FormData(form) });
    const html = await response.text();
    if (mine !== latest || !response.ok) return;
    const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("#preview");
    const old = document.querySelector("#preview");
    if (!fresh || !old) return;
    const isOpen = (/** @type {Element} */ screen) => old.querySelector(`#${screen.id}[open]`) !== null;
    const screens = [...fresh.querySelectorAll("details")];
    // The form that was chosen to look at stays so, if it is still there.
    if (screens.some(isOpen)) screens.forEach((screen) => screen.toggleAttribute("open", isOpen(screen)));
    // What has not changed is not loaded again.
    if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => preview().catch(() => {}), DELAY);
  });

  const zone = form.querySelector("[data-drop]");
  const file = /** @type {HTMLInputElement | null} */ (form.querySelector("input[type=file]"));
  zone?.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone?.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone?.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const dropped = /** @type {DragEvent} */ (event).dataTransfer?.files;
    if (!file || !dropped?.length) return;
    file.files = dropped;
    form.dispatchEvent(new Event("input"));
  });
  show(present, false);
  refused?.focus();
  // What was typed before this script came, or what the browser has kept from an earlier visit.
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[type=text], input:not([type]), textarea"));
  if ([...fields].some((field) => field.value !== field.defaultValue)) preview().catch(() => {});
}
