// A field for the name of a concept that offers names while one types: the combobox of the ARIA Authoring Practices.

import { onSwap } from "./live.js";

const DELAY = 120;

/** @param {HTMLInputElement} field */
function activate(field) {
  if (field.getAttribute("role") === "combobox") return;
  const list = document.createElement("ul");
  list.className = "choices";
  list.id = `${field.id}-choices`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Concepts");
  list.hidden = true;
  const status = document.createElement("span");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", "false");
  const frame = document.createElement("span");
  frame.className = "combobox";
  field.replaceWith(frame);
  frame.append(field, list, status);
  let timer = 0;
  let active = -1;
  let wanted = "";

  const close = () => {
    list.hidden = true;
    active = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  /** @param {number} at */
  const point = (at) => {
    active = at;
    [...list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
    const option = list.children[at];
    if (!option) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  /** @param {Element} option */
  const choose = (option) => {
    field.value = option.textContent ?? "";
    close();
    field.focus();
  };
  const offer = async () => {
    wanted = field.value.trim();
    if (wanted === "") return close();
    const address = `${field.getAttribute("data-names")}?find=${encodeURIComponent(wanted)}`;
    /** @type {{ name: string }[]} */
    const names = await (await fetch(address)).json();
    if (field.value.trim() !== wanted || document.activeElement !== field) return;
    list.replaceChildren(
      ...names.map(({ name }, at) => {
        const option = document.createElement("li");
        option.id = `${list.id}-${at}`;
        option.setAttribute("role", "option");
        option.dir = "auto";
        option.textContent = name;
        return option;
      }),
    );
    status.textContent = names.length === 0 ? "No concept has this in its name" : `${names.length} concepts`;
    list.hidden = names.length === 0;
    field.setAttribute("aria-expanded", String(names.length > 0));
    point(-1);
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => offer().catch(close), DELAY);
  });
  field.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (list.hidden || count === 0) return;
    if (event.key === "ArrowDown") point((active + 1) % count);
    else if (event.key === "ArrowUp") point((active + count - 1) % count);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && active >= 0) choose(list.children[active]);
    else return;
    event.preventDefault();
  });
  // Before the field loses the focus, which closes the list.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = /** @type {Element} */ (event.target).closest("[role=option]");
    if (option) choose(option);
  });
  field.addEventListener("blur", close);
}

/** Activates all such fields, now and whenever the page changes. */
export function start() {
  const all = () => document.querySelectorAll("input[data-names]").forEach((field) => activate(/** @type {HTMLInputElement} */ (field)));
  all();
  onSwap({ after: all });
}
